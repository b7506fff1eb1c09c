#include "cli/commands.h"

#include <array>

#include "cli/options.h"

namespace vibe::cli {

namespace {

constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

constexpr std::array kCommands{
    Command{"init", "[FILE.yaml]", 0, 1, "write a first suite",
            "Writes a commented, valid suite (`suite.yaml`) for a model whose key is set, or, if "
            "no key is set,\nfor a program on this machine.",
            "vibe init my-suite.yaml", kInitOptions, Completes::files, run_init},
    Command{"check", "FILE|SUITE", 0, 1, "run a suite and score it",
            "Sends the prompts to the model, judges the answers, computes the score and stores the "
            "run. The\nsuite is a file, or the name of a suite that was run or stored before. "
            "Ctrl-C stops the run and\nkeeps the results so far.\nExits with 0 if the gates pass "
            "(without gates: 50 % success), 1 if not, 2 on bad input,\n3 if the run could not be "
            "completed, 130 if it was cancelled.",
            "vibe check examples/support.yaml --explain", kCheckOptions, Completes::files,
            run_check},
    Command{"get runs", "", 0, 0, "list the stored runs",
            "Newest first, 50 at a time, with the last scores of each suite below. Filters "
            "combine.\n`price-performance` is success / (cost · 1000 + seconds · 0.1).",
            "vibe get runs --status completed --sort-by score --limit 10", kGetRunsOptions,
            Completes::nothing, run_get_runs},
    Command{"get run", "ID…", 1, 32, "show runs: every eval, the summary, prompts and responses",
            "ID is an id from `vibe get runs`, its first characters if they are unique, or `last` "
            "for the newest\nrun. Several runs are compared in a table. With an option that writes "
            "a file, only `--json` and\n`--csv` still print.",
            "vibe get run last --explain", kGetRunOptions, Completes::nothing, run_get_run},
    Command{
        "get executions", "", 0, 0, "list the scored agent executions",
        "The executions that `vibe fitness score` and `vibe fitness collect` scored, newest first, "
        "50 at a\ntime, with the last scores of each agent version below. Filters combine. With an "
        "option that writes\na file, only `--json`, `--jsonl` and `--csv` still print.",
        "vibe get executions --agent reviewer@v2 --limit 20", kGetExecutionsOptions,
        Completes::nothing, run_get_executions},
    Command{"get execution", "ID", 1, 1, "show a scored execution: its signals, score and notes",
            "ID is an id from `vibe get executions`, its first characters if they are unique, or "
            "`last` for the\nnewest.",
            "vibe get execution last", kServedOptions, Completes::nothing, run_get_execution},
    Command{
        "get decisions", "", 0, 0, "list the decisions about changed agents",
        "The decisions of `vibe fitness decide`, newest first, with the seed that repeats each.",
        "vibe get decisions --agent reviewer", kGetDecisionsOptions, Completes::nothing,
        run_get_decisions},
    Command{"get suites", "", 0, 0, "list the suites that were run or stored", "",
            "vibe get suites", kServedOptions, Completes::nothing, run_get_suites},
    Command{"get suite", "NAME", 1, 1, "print a stored suite",
            "Every change to a suite's text that was run or stored is a version.",
            "vibe get suite support-bot --history", kGetSuiteOptions, Completes::nothing,
            run_get_suite},
    Command{"get models", "[PATTERN]", 0, 1, "list models with their prices and keys",
            "PATTERN is a part of the name, or a glob: `openai/*mini*`. You can also run other "
            "models; their cost\nis known if the answer states it, or if the configuration has it "
            "under `prices`.",
            "vibe get models haiku", kServedOptions, Completes::nothing, run_get_models},
    Command{"get vars", "", 0, 0, "list the variables for suites", "", "vibe get vars",
            kServedOptions, Completes::nothing, run_get_vars, "var list"},
    Command{"get var", "NAME", 1, 1, "print the value of a variable", "", "vibe get var team",
            kServedOptions, Completes::nothing, run_get_var, "var get"},
    Command{"get secrets", "", 0, 0, "list the names of the secrets",
            "The value of a secret is never shown.", "vibe get secrets", kServedOptions,
            Completes::nothing, run_get_secrets, "secret list"},
    Command{"get org", "", 0, 0,
            "show the organisation of your server key, and its remaining credits", "",
            "vibe get org", kServedOptions, Completes::nothing, run_get_org, "get credits"},
    Command{"set suite", "-f FILE", 0, 0, "check a suite and store it",
            "A changed text becomes a new version. Exits with 2 if the suite is not valid.",
            "vibe set suite -f examples/weighted.yaml", kSetSuiteOptions, Completes::nothing,
            run_set_suite, "set"},
    Command{"set var", "NAME VALUE", 2, 2, "set a variable",
            "Suites read it as {{var('NAME')}}. If VALUE is `-`, it is read from standard input.",
            "vibe set var team blue", kServedOptions, Completes::nothing, run_set_var, "var set"},
    Command{"set secret", "NAME VALUE", 2, 2, "set a secret",
            "Suites read it as {{secret('NAME')}}. It is stored encrypted, and replaced by its "
            "name in everything\nthat is stored or shown. If VALUE is `-`, it is read from "
            "standard input, so that it stays out of\nyour shell history.",
            "echo s3cret | vibe set secret api-key -", kServedOptions, Completes::nothing,
            run_set_secret, "secret set"},
    Command{"delete var", "NAME", 1, 1, "delete a variable", "", "vibe delete var team",
            kServedOptions, Completes::nothing, run_delete_var, "var delete"},
    Command{"delete secret", "NAME", 1, 1, "delete a secret", "", "vibe delete secret api-key",
            kServedOptions, Completes::nothing, run_delete_secret, "secret delete"},
    Command{"stop", "ID|queued", 1, 1, "stop a run, or all queued runs",
            "The run stops within a second and keeps its results so far; `vibe check --resume` "
            "resumes it. Exits\nwith 2 if the run is already finished.",
            "vibe stop queued", kServedOptions, Completes::nothing, run_stop},
    Command{"redeem", "CODE", 1, 1, "exchange a server invitation for a key",
            "Stores the key and the server's address in `~/.vibecheck/.env`: commands use that "
            "server from then\non. An invitation gives one key.",
            "vibe redeem invite_ID_SECRET --server https://vibe.example.com", kServedOptions,
            Completes::nothing, run_redeem},
    Command{"validate", "FILE…", 1, kNoLimit, "check suites without running them",
            "Reports every problem in every file with its line, a caret and a hint. FILE `-` is "
            "standard input.\nExits with 0 if all are valid, else with 2.",
            "vibe validate examples/weighted.yaml", kValidateOptions, Completes::files,
            run_validate},
    Command{"formula check", "FORMULA", 1, 1, "check one formula",
            "Without a suite, an unknown word is assumed to be an eval, and a note says so.\nPut a "
            "formula that begins with `-` after `--`. Exits with 0 if it is valid, else with 2.",
            "vibe formula check 'success_pct / total_cost'", kFormulaCheckOptions,
            Completes::nothing, run_formula_check},
    Command{"formula functions", "", 0, 0, "list the formula functions", "",
            "vibe formula functions", kJsonOptions, Completes::nothing, run_formula_functions},
    Command{
        "import promptfoo", "CONFIG", 1, 1, "convert a promptfoo config to a suite",
        "Converts prompts, providers, tests (also from files and tables) and assertions. Parts "
        "that a suite\ncannot express are left out, with a comment at their place in the suite and "
        "a warning; nothing is\ninvented instead.\nExits with 0 if the suite is valid, 1 if it is "
        "written but lacks a model, a prompt or checks,\n2 if the config cannot be read.",
        "vibe import promptfoo examples/promptfoo/promptfooconfig.yaml -o suite.yaml",
        kImportOptions, Completes::files, run_import_promptfoo},
    Command{
        "score", "RESULTS", 1, 1, "score results from any harness",
        "Reads the output of `vibe get run --json` or `--csv` and of `promptfoo eval -o out.json` "
        "(or\n`out.jsonl`), Inspect logs (`.json`, `.eval`), and JSON lines: one sample per line, "
        "with only\n`passed` required:\n  {\"name\": \"math\", \"passed\": true, \"latency\": "
        "1.25, \"cost\": 0.0012,\n   \"prompt_tokens\": 10, \"completion_tokens\": 5, \"tags\": "
        "[\"hard\"]}\nLines with the same name are repeats. RESULTS `-` is standard input.\nExits "
        "with 0 if the gates pass (without gates: 50 % success), 1 if not, 2 on bad input.",
        "vibe score examples/results/weighted.jsonl --suite examples/weighted.yaml --explain",
        kScoreOptions, Completes::files, run_score},
    Command{
        "compare", "BASE CANDIDATE…", 2, kNoLimit, "say whether a run is better than another",
        "BASE and CANDIDATE are runs: an id, its first characters, `last`, `last~1` (the run of "
        "the same suite\nbefore it) or SUITE@MODEL (the newest); or files that `vibe score` reads. "
        "Evals are paired by name, or\nby prompt. A difference is shown if an exact test and an "
        "interval agree; otherwise the answer is\n`no difference shown`, with the smallest "
        "difference that the runs could have shown. Scores are computed\nover the evals that both "
        "have; nothing stored is changed.\nExits with 0; with `--gate` 1 if worse, 4 if "
        "inconclusive; 2 on bad input; with\n`--confirm` 3 if a run could not be completed.",
        "vibe compare last~1 last", kCompareOptions, Completes::files, run_compare},
    Command{
        "rescore", "--formula F | --suite FILE", 0, 0,
        "show what all stored runs would have scored by another formula",
        "Scores every stored run again, without asking a model: old and new score, rank before and "
        "after, gates\nthat now pass or fail, and why some runs have no new score. FILE is a suite "
        "whose `score` section is\nused, for the runs of that suite (`--all`: of all suites); with "
        "`--formula` only its metrics are.\nOther options select runs as in `vibe get runs`. "
        "Stored scores never change; `--keep` stores the new ones\nbeside them, for `vibe get "
        "run`. "
        "Only completed runs of whole suites have a rank.\nExits with 0, 2 on bad input.",
        "vibe rescore --formula 'success_pct / total_cost' --suite support-bot", kRescoreOptions,
        Completes::files, run_rescore},
    Command{"fitness show", "[LOG…]", 0, kNoLimit, "show what an agent did, from its log",
            "Reads transcripts of Claude Code, Codex and Gemini CLI, hook logs, OpenTelemetry, and "
            "logs of\nInspect, OpenHands, SWE-agent and others, also compressed (`.gz`, `.zst`). "
            "LOG may be a folder, or\n`-` for standard input; without LOG, vibe uses the newest "
            "session of Claude Code or Codex. Unknown\nvalues are `N/A`; anything unusual is noted "
            "below the table.",
            "vibe fitness show examples/logs/claude.jsonl --calls", kFitnessShowOptions,
            Completes::files, run_fitness_show},
    Command{"fitness score", "[LOG…]", 0, kNoLimit, "score what an agent did, from its log",
            "Scores each execution from 0 to 100, by signals that need no human: calls that "
            "succeeded, the form\nof the answer, time, errors. LOG is as in `vibe fitness show`; "
            "without LOG, vibe uses the newest\nsession of Claude Code or Codex. A signal that is "
            "not known is `n/a`, and the others weigh more. The\nscore judges form, not truth.",
            "vibe fitness score examples/logs/claude.jsonl --explain", kFitnessScoreOptions,
            Completes::files, run_fitness_score},
    Command{"fitness trend", "LOG…", 0, kNoLimit,
            "combine an agent's scores into one figure and a trend",
            "Leaves out the tenth of the executions with the highest scores and the tenth with the "
            "lowest; the\nnewest five of the others weigh 1.0, 0.9, 0.8, 0.7 and 0.6. LOG is as in "
            "`vibe fitness show`; the\nnewest execution is the one that ended last or, if that is "
            "not known, the last argument. `--agent`\nuses the stored executions of an agent, and "
            "compares its versions.",
            "vibe fitness trend examples/logs", kFitnessTrendOptions, Completes::files,
            run_fitness_trend},
    Command{"fitness decide", "OLD NEW", 2, 2, "decide whether to keep a changed agent",
            "Each side is a score, a log or a folder of logs, or NAME@VERSION of an agent with "
            "stored executions;\nseveral scores are combined as in `vibe fitness trend`. A gain of "
            "more than 5 points is significant,\nany gain is accepted, a loss of 3 or more is "
            "rejected, and anything between is accepted with a\nprobability of 0.2, to explore; "
            "the seed repeats that. Put a negative score after `--`.\nExits with 0 for accept, 1 "
            "for reject, 2 on bad input.",
            "vibe fitness decide 75.5 78 --seed 42", kFitnessDecideOptions, Completes::files,
            run_fitness_decide},
    Command{"fitness calibrate", "--labels FILE LOG…", 1, kNoLimit,
            "measure how well a rubric predicts outcomes, and fit its weights",
            "FILE says how sessions turned out: one line per session with its id and 1 (good) or 0 "
            "(bad), as CSV\nor as {\"id\": …, \"outcome\": …}. Shows how well each signal "
            "separates good from bad, fits the weights\nof the rubric's formula, and says what "
            "they would gain on sessions that they were not fitted to.",
            "vibe fitness calibrate --labels examples/records/outcomes.csv "
            "examples/records/reviews.yaml",
            kFitnessCalibrateOptions, Completes::files, run_fitness_calibrate},
    Command{"fitness rubric", "", 0, 0, "print the fitness rubric, or check your own",
            "The rubric says how executions are scored: weights, expected times, words, error "
            "patterns, the\nformula, grades. Your own file states only what it changes; use it "
            "with `--rubric FILE`.",
            "vibe fitness rubric --check examples/rubrics/reviews.yaml", kFitnessRubricOptions,
            Completes::nothing, run_fitness_rubric},
    Command{"fitness collect",
            "",
            0,
            0,
            "record what an agent does, as its hook",
            "Reads one Claude Code hook event on standard input, and adds it to the log of its "
            "session,\n`~/.vibecheck/executions/SESSION.jsonl`, which `vibe fitness show` reads. "
            "When the agent stops,\nanother process scores its transcript. An agent waits for its "
            "hooks, so this takes a few\nmilliseconds and always exits with 0; problems are logged "
            "in `~/.vibecheck/collect.log`.\n`--install` writes the hooks into "
            "`~/.claude/settings.json`, and leaves its other settings alone.",
            "vibe fitness collect --install --agent reviewer@v2",
            kFitnessCollectOptions,
            Completes::nothing,
            run_fitness_collect,
            {},
            misused_fitness_collect},
    Command{"serve", "", 0, 0, "serve suites, runs and scores to a team, over HTTP",
            "Serves the HTTP API and runs the suites that clients send. The first start creates "
            "an organisation,\nwith the runs of this store, and prints its admin key, only once. "
            "Stops on Ctrl-C or SIGTERM:\nrequests in flight may finish, and unfinished runs "
            "resume at the next start; a second signal stops\nit at once. SIGHUP reopens the "
            "access log. Exits with 0 after that, 2 on bad input, 3 if it cannot\nlisten.",
            "vibe serve --port 8080", kServeOptions, Completes::nothing, run_serve},
    Command{"orgs create", "NAME", 1, 1, "create an organisation on a server",
            "Works on the server's folder (`VIBECHECK_HOME`), also while the server runs, as do "
            "all commands\nabout organisations, keys and invitations. The first organisation takes "
            "over the runs that are\nalready in that folder; every other one starts empty. "
            "Organisations never see each other's data.",
            "vibe orgs create 'Search team' --max-running 8 --credits 50", kOrgsCreateOptions,
            Completes::nothing, run_orgs_create},
    Command{"orgs list", "", 0, 0, "list the organisations of a server, with their limits", "",
            "vibe orgs list", kJsonOptions, Completes::nothing, run_orgs_list},
    Command{"orgs set", "SLUG", 1, 1, "change the limits of an organisation, or suspend it",
            "Options you omit are unchanged. Credits limit the total cost of its runs, past ones "
            "included: to add\ncredits, set a larger sum.",
            "vibe orgs set search-team --credits 100", kOrgsSetOptions, Completes::nothing,
            run_orgs_set},
    Command{"keys create", "--org SLUG --role ROLE", 0, 0, "create a key for a server",
            "Prints just the key on standard output, only once: the server stores a hash of it. "
            "Anyone who has\nthe key can act for the organisation, as its role allows.",
            "vibe keys create --org default --role run --name ci --expires 90", kKeysCreateOptions,
            Completes::nothing, run_keys_create},
    Command{"keys list", "", 0, 0, "list the keys of a server: ids, roles, times",
            "The keys themselves are not stored.", "vibe keys list --org default",
            kListedOrgOptions, Completes::nothing, run_keys_list},
    Command{"keys revoke", "ID", 1, 1, "refuse a key from now on",
            "The id is the middle part of the key, `vibe_ID_…`; `vibe keys list` shows it.",
            "vibe keys revoke 7k2m9x4qwz", kJsonOptions, Completes::nothing, run_keys_revoke},
    Command{"invites create", "--org SLUG --role ROLE", 0, 0, "create a code that gives one key",
            "Prints just the code on standard output, only once. `vibe redeem CODE` turns it into "
            "a key, once,\nwithin 7 days unless `--expires` says otherwise.",
            "vibe invites create --org default --role run --expires 2", kInvitesCreateOptions,
            Completes::nothing, run_invites_create},
    Command{"invites list", "", 0, 0, "list the invitations of a server: open, used or expired", "",
            "vibe invites list", kListedOrgOptions, Completes::nothing, run_invites_list},
    Command{"schema",
            "",
            0,
            0,
            "print the JSON Schema for suites, for editors",
            "For the YAML language server, name it in the first line of a suite:\n  # "
            "yaml-language-server: $schema=suite.schema.json",
            "vibe schema > suite.schema.json",
            {},
            Completes::nothing,
            run_schema},
    Command{
        "doctor", "", 0, 0, "check the setup",
        "Checks configuration, store, keys and endpoints. Each usable endpoint gets one request "
        "that costs\nnothing. Exits with 0 if everything that is set up works, else with 3.",
        "vibe doctor", kDoctorOptions, Completes::nothing, run_doctor},
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
            "vibe version", kJsonOptions, Completes::nothing, run_version},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace vibe::cli
