#include "cli/commands.h"

#include <array>

namespace vibe::cli {

namespace {

constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

constexpr Option kJson{"--json", 0, "", "print JSON for machines"};
constexpr Option kJsonDiagnostics{"--json", 0, "", "print the diagnostics as a JSON array"};
constexpr Option kStrict{"--strict", 0, "", "treat warnings as errors"};

constexpr std::array kValidateOptions{
    kJsonDiagnostics,
    kStrict,
    Option{"--verbose", 'v', "", "say which `match` patterns are read as regular expressions"},
};
constexpr std::array kFormulaCheckOptions{
    Option{"--suite", 0, "FILE", "take the names of evals and metrics from this suite"},
    kJsonDiagnostics,
    kStrict,
};
constexpr std::array kFormulaFunctionsOptions{kJson};
constexpr std::array kScoreOptions{
    Option{"--suite", 0, "FILE", "score by this suite's `score` section"},
    Option{"--formula", 0, "F", "score by this formula; the names come from the results"},
    Option{"--min-score", 0, "N", "exit with 1 when the score is below N (overrides `score.min`)"},
    Option{"--min-success", 0, "PERCENT", "exit with 1 when fewer samples passed"},
    Option{"--explain", 0, "", "show how the score came about"},
    kJson,
    kStrict,
};
constexpr std::array kVersionOptions{kJson};

constexpr std::array kCommands{
    Command{"validate", "FILE…", 1, kNoLimit, "check suites without running them",
            "Reports every problem of every file with its line, a caret and a hint. A file of `-` "
            "is standard input.\n"
            "Exits with 0 if all are valid, else with 2.",
            "vibe validate examples/weighted.yaml", kValidateOptions, Completes::files,
            run_validate},
    Command{
        "formula check", "FORMULA", 1, 1, "check one formula",
        "Without a suite, a word that is not known is taken for an eval, and a note says so.\n"
        "A formula that begins with `-` goes after `--`. Exits with 0 if it is valid, else with 2.",
        "vibe formula check 'success_pct / total_cost'", kFormulaCheckOptions, Completes::nothing,
        run_formula_check},
    Command{"formula functions", "", 0, 0, "list the functions of formulas", "",
            "vibe formula functions", kFormulaFunctionsOptions, Completes::nothing,
            run_formula_functions},
    Command{"score", "RESULTS.jsonl", 1, 1, "score results that any harness produced",
            "Each line is one sample, a JSON object of which only `passed` is required:\n"
            "  {\"name\": \"math\", \"passed\": true, \"latency\": 1.25, \"cost\": 0.0012,\n"
            "   \"prompt_tokens\": 10, \"completion_tokens\": 5, \"tags\": [\"hard\"]}\n"
            "Lines with the same name are repeats. A file of `-` is standard input.\n"
            "Exits with 0 if the gates are passed (without any: 50 % success), 1 if not, 2 on bad "
            "input.",
            "vibe score examples/results/weighted.jsonl --suite examples/weighted.yaml --explain",
            kScoreOptions, Completes::files, run_score},
    Command{"completion",
            "bash|zsh|fish",
            1,
            1,
            "print a completion script for a shell",
            "",
            "vibe completion bash > ~/.local/share/bash-completion/completions/vibe",
            {},
            Completes::shells,
            run_completion},
    Command{"version", "", 0, 0, "print the version and the commit it was built from", "",
            "vibe version", kVersionOptions, Completes::nothing, run_version},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace vibe::cli
