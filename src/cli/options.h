// The options of each command, as rows; commands.cpp has the commands.
#pragma once

#include <array>
#include <cstddef>

#include "cli/command.h"
#include "store/run_filters.h"

namespace vibe::cli {

// Concatenates lists of options.
template <std::size_t... Sizes>
consteval auto joined(const std::array<Option, Sizes>&... lists) {
  std::array<Option, (Sizes + ...)> out{};
  std::size_t at = 0;
  const auto add = [&](const auto& list) {
    for (const Option& option : list) out[at++] = option;
  };
  (add(lists), ...);
  return out;
}

inline constexpr Option kJson{"--json", 0, "", "print JSON for machines"};
inline constexpr Option kCsv{"--csv", 0, "", "print CSV for spreadsheets"};
inline constexpr Option kJsonLines{"--jsonl", 0, "", "print one JSON object per line"};
inline constexpr Option kOffset{"--offset", 'o', "N", "skip the first N"};
inline constexpr Option kAfter{"--after", 0, "CURSOR",
                               "continue after the page that ended with this cursor"};
inline constexpr Option kJsonDiagnostics{"--json", 0, "", "print the diagnostics as a JSON array"};
inline constexpr Option kJunit{"--junit", 0, "FILE", "write JUnit XML, for CI test reports"};
inline constexpr Option kMarkdown{"--markdown", 0, "FILE", "write a comment for a pull request"};
inline constexpr Option kHtml{"--html", 0, "FILE", "write a report for browsers, as one file"};
inline constexpr Option kStrict{"--strict", 0, "", "treat warnings as errors"};
// Overrides `VIBECHECK_API_URL`; cli::run() reads it.
inline constexpr Option kServer{"--server", 0, "URL",
                                "use this server, not the store on this machine"};

inline constexpr std::array kCheckOptions{
    Option{"--file", 'f', "FILE", "run this suite"},
    Option{"--model", 'm', "A,B", "use these models instead of the suite's; `openai/gpt-4*` works"},
    Option{"--only", 0, "A,B", "run only these evals: names, globs, `tag:NAME`, `capitals[2]`"},
    Option{"--repeat", 0, "N", "samples of each eval"},
    Option{"--threads", 't', "N", "requests in flight at a time"},
    Option{"--system-prompt", 's', "TEXT", "put this before every prompt"},
    Option{"--mcp-url", 0, "URL", "give the model the tools of this MCP server, not the suite's"},
    Option{"--mcp-name", 0, "NAME", "the name of the tool server"},
    Option{"--mcp-token", 0, "TOKEN", "sent to the tool server; best `{{secret('NAME')}}`"},
    Option{"--budget", 0, "DOLLARS", "stop before the run costs more than this"},
    Option{"--run-timeout", 0, "SECONDS", "stop if the run takes longer than this"},
    Option{"--dry-run", 0, "", "show what would be sent and what it would cost; send nothing"},
    Option{"--cache", 0, "", "reuse the answers of earlier runs with `--cache`"},
    Option{"--record", 0, "FILE", "record the answers, for the model `replay:FILE`"},
    Option{"--async", 'a', "", "start the run on a server, print its id and do not wait"},
    Option{"--resume", 0, "ID", "resume an earlier run: run the missing samples"},
    Option{"--retry-failed", 0, "ID",
           "rerun the samples of an earlier run that ended with an error"},
    Option{"--min-score", 0, "N", "exit with 1 if the score is below N (overrides `score.min`)"},
    Option{"--min-success", 0, "PERCENT", "exit with 1 if less than PERCENT passed"},
    Option{
        "--against", 0, "RUN",
        "compare with this run, as `vibe compare RUN last` does, and exit with 1 if it is worse"},
    Option{"--rerun-base", 0, "",
           "with `--against`: send the prompts of that run again, at the same time"},
    Option{"--explain", 0, "", "show how the score was computed"},
    Option{"--quiet", 'q', "", "show only the evals that did not pass, and no progress"},
    kJunit,
    kMarkdown,
    kHtml,
    kJson,
    kStrict,
    kServer,
};
// The options that filter runs.
inline constexpr auto kRunFilterOptions = [] {
  constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    store::for_each_filter_option([&](const auto&) { ++count; });
    return count;
  }();
  std::array<Option, kCount> out{};
  std::size_t i = 0;
  store::for_each_filter_option([&](const store::FilterOption& option) {
    out[i++] = {option.name, option.letter, option.value, option.help};
  });
  return out;
}();
inline constexpr auto kGetRunsOptions = joined(
    std::array{
        Option{"--limit", 'l', "N", "at most N runs, up to 1000 (50)"},
        kOffset,
        kAfter,
    },
    kRunFilterOptions,
    std::array{
        Option{"--sort-by", 0, "FIGURE",
               "`created`, `success`, `cost`, `time`, `score` or `price-performance`"},
        Option{"--ascending", 0, "", "smallest or oldest first"},
        kCsv,
        kJson,
        kServer,
    });
inline constexpr std::array kGetRunOptions{
    Option{"--responses", 0, "", "show the prompts and responses in full"},
    Option{"--explain", 0, "", "show how the score was computed"},
    Option{"--quiet", 'q', "", "show only the evals that did not pass"},
    kJunit,
    kMarkdown,
    kHtml,
    Option{"--csv", 0, "", "print the results as CSV"},
    kJson,
    kServer,
};
inline constexpr std::array kGetExecutionsOptions{
    Option{"--limit", 'l', "N", "at most N executions, up to 1000 (50)"},
    kOffset,
    kAfter,
    Option{"--agent", 0, "NAME[@VERSION]", "only this agent's; `NAME@` means without a version"},
    Option{"--session", 0, "ID", "only sessions whose id begins with this"},
    Option{"--grade", 0, "GRADE", "only this grade: `A+`, `B`, …"},
    Option{"--min-score", 0, "N", "only scores of at least this"},
    Option{"--max-score", 0, "N", "only scores of at most this"},
    Option{"--rubric", 0, "NAME", "only those scored with this rubric"},
    Option{"--date-from", 0, "DATE",
           "only those that ended at or after this time: `2026-11-16T13:30` (UTC)"},
    Option{"--date-to", 0, "DATE",
           "only those that ended by this time; a date includes the whole day"},
    kMarkdown,
    kHtml,
    kCsv,
    kJson,
    kJsonLines,
    kServer,
};
inline constexpr std::array kGetDecisionsOptions{
    Option{"--limit", 'l', "N", "at most N decisions, up to 1000 (50)"},
    kOffset,
    kAfter,
    Option{"--agent", 0, "NAME", "only about this agent, any version"},
    kCsv,
    kJson,
    kJsonLines,
    kServer,
};
inline constexpr std::array kGetSuiteOptions{
    Option{"--history", 0, "", "list its versions instead"},
    Option{"--version", 0, "N", "print this version, not the newest"},
    kJson,
    kServer,
};
inline constexpr std::array kSetSuiteOptions{
    Option{"--file", 'f', "FILE", "the suite; `-` is standard input"},
    kJson,
    kStrict,
    kServer,
};
inline constexpr std::array kInitOptions{
    Option{"--force", 0, "", "replace the file if it exists"},
    kJson,
};
inline constexpr std::array kDoctorOptions{
    Option{"--offline", 0, "", "send no requests to endpoints"},
    kJson,
    kServer,
};
inline constexpr std::array kServeOptions{
    Option{"--host", 0, "ADDRESS", "listen here (127.0.0.1)"},
    Option{"--port", 0, "N", "the port; 0 picks a free one (8080)"},
    Option{"--tls-cert", 0, "FILE", "use TLS, with this certificate"},
    Option{"--tls-key", 0, "FILE", "the private key of the certificate"},
    Option{"--insecure", 0, "", "serve without TLS even on an address that others can reach"},
    Option{"--access-log", 0, "FILE", "write one JSON line per request here (standard error)"},
    Option{"--workers", 0, "N", "runs in progress at a time (4)"},
    Option{"--lease", 0, "SECONDS", "until a lost worker's run goes to another worker (30)"},
};
inline constexpr Option kCredits{"--credits", 0, "DOLLARS",
                                 "the total cost of its runs; `none` is unlimited"};
inline constexpr Option kMaxQueued{"--max-queued", 0, "N", "queued runs at a time (100)"};
inline constexpr Option kMaxRunning{"--max-running", 0, "N", "runs in progress at a time (4)"};
inline constexpr Option kRunsPerDay{"--runs-per-day", 0, "N",
                                    "runs started within 24 hours; `none` is unlimited"};
inline constexpr Option kRequestsPerMinute{"--requests-per-minute", 0, "N",
                                           "requests per key (600)"};
inline constexpr std::array kOrgsCreateOptions{
    Option{"--slug", 0, "SLUG", "its name in commands; by default made from NAME"},
    kCredits,
    kMaxQueued,
    kMaxRunning,
    kRunsPerDay,
    kRequestsPerMinute,
    kJson,
};
inline constexpr std::array kOrgsSetOptions{
    kCredits,
    kMaxQueued,
    kMaxRunning,
    kRunsPerDay,
    kRequestsPerMinute,
    Option{"--suspend", 0, "", "refuse all its keys"},
    Option{"--activate", 0, "", "allow its keys again"},
    kJson,
};
inline constexpr Option kOrg{"--org", 0, "SLUG", "its organisation; optional if there is only one"};
inline constexpr Option kListedOrg{"--org", 0, "SLUG", "only this organisation's"};
inline constexpr Option kRole{
    "--role", 0, "ROLE", "`read`, `run` or `admin`; each includes the rights of those before it"};
inline constexpr std::array kKeysCreateOptions{
    kOrg,
    kRole,
    Option{"--name", 0, "TEXT", "what it is for"},
    Option{"--expires", 0, "DAYS", "expires after this many days (default: never)"},
    kJson,
};
inline constexpr std::array kInvitesCreateOptions{
    kOrg,
    kRole,
    Option{"--expires", 0, "DAYS", "expires after this many days (7)"},
    kJson,
};
inline constexpr std::array kListedOrgOptions{kListedOrg, kJson};
inline constexpr std::array kJsonOptions{kJson};
inline constexpr std::array kServedOptions{kJson, kServer};
inline constexpr std::array kValidateOptions{
    kJsonDiagnostics,
    kStrict,
    Option{"--verbose", 'v', "", "say which `match` patterns are read as regular expressions"},
};
inline constexpr std::array kFormulaCheckOptions{
    Option{"--suite", 0, "FILE", "take the names of evals and metrics from this suite"},
    kJsonDiagnostics,
    kStrict,
};
inline constexpr std::array kImportOptions{
    Option{"--output", 'o', "FILE", "write the suite to this file, not to standard output"},
    Option{"--force", 0, "", "replace the file if it exists"},
    kJson,
    Option{"--strict", 0, "", "fail if anything cannot be converted"},
};
// Of commands that draw.
inline constexpr std::array kStatisticsOptions{
    Option{"--level", 0, "L", "the level of intervals, 0.5 to 0.99 (default: 0.95)"},
    Option{"--seed", 0, "N", "the seed of the draws (default: 1)"},
    Option{"--draws", 0, "N", "the number of draws, 100 to 1000000 (default: up to 10000)"},
};
inline constexpr auto kScoreOptions = joined(
    std::array{
        Option{"--suite", 0, "FILE", "score with this suite's `score` section"},
        Option{"--formula", 0, "F", "score with this formula; its names come from the results"},
        Option{"--provider", 0, "NAME", "only the results of this provider (promptfoo)"},
        Option{"--prompt", 0, "NAME",
               "only the results of this prompt, by its label or number (promptfoo)"},
        Option{"--scorer", 0, "NAME", "use the scores of this scorer (Inspect)"},
        Option{"--pass-at", 0, "N",
               "a sample passes with at least this score, 1 by default (Inspect)"},
        Option{"--min-score", 0, "N",
               "exit with 1 if the score is below N (overrides `score.min`)"},
        Option{"--min-success", 0, "PERCENT", "exit with 1 if less than PERCENT passed"},
        Option{"--explain", 0, "", "show how the score was computed"},
    },
    kStatisticsOptions,
    std::array{
        kJson,
        kStrict,
    });

inline constexpr auto kCompareOptions = joined(
    std::array{
        Option{"--formula", 0, "F", "compare by this formula, not the candidate's"},
        Option{"--answers", 0, "", "show the prompt and both answers of evals that changed"},
        Option{"--margin", 0, "M", "differences of less than M do not matter"},
        Option{"--min-effect", 0, "E",
               "treat smaller differences as none; also says how many evals would show E"},
        Option{"--superior-by", 0, "E", "say `better` only if it is better by at least E"},
        Option{"--guard", 0, "A,B",
               "also check that these did not get worse: metrics, evals, run-wide metrics; "
               "`NAME:lower` or `NAME:higher` says which is better"},
        Option{"--gate", 0, "", "exit with 1 if a candidate or a guard is worse"},
        Option{"--strict", 0, "", "with `--gate`: exit with 4 if no difference is shown"},
        Option{"--not-worse-than", 0, "M",
               "with `--gate`: exit with 0 only if the candidate is shown to be at most M worse"},
        Option{"--confirm", 0, "",
               "with `--gate`: before failing, ask all prompts of both runs again"},
        Option{"--budget", 0, "DOLLARS", "with `--confirm`: stop a run before it costs more"},
        Option{"--mcp-token", 0, "TOKEN", "with `--confirm`: sent to the tool server"},
    },
    kStatisticsOptions, std::array{kMarkdown, kHtml, kJson, kServer});

// As those of `vibe get runs`, but a suite may also be a file.
inline constexpr auto kRescoreFilterOptions = [] {
  auto out = kRunFilterOptions;
  for (Option& option : out)
    if (option.name == "--suite") {
      option.value = "FILE|NAME";
      option.help = "a suite file: score by its `score` section; or the name of a suite";
    }
  return out;
}();
inline constexpr auto kRescoreOptions = joined(
    std::array{
        Option{"--formula", 0, "F", "score by this formula"},
        Option{"--all", 0, "", "with `--suite FILE`: rescore the runs of all suites"},
        Option{"--limit", 'l', "N", "show the newest N runs (50; with `--csv` all); 0: none"},
        Option{"--intervals", 0, "", "show how sure the new scores are"},
        Option{"--keep", 0, "NAME", "store the new scores under this name, beside the old ones"},
    },
    kRescoreFilterOptions, std::array{kCsv, kJson, kServer});

inline constexpr std::array kFitnessShowOptions{
    Option{"--calls", 0, "", "show every call: when, how long, and what went wrong"},
    Option{"--format", 0, "NAME", "read the logs in this format, whatever they look like"},
    Option{"--threads", 't', "N", "threads for reading (default: one per processor)"},
    Option{"--json", 0, "", "print a JSON array for machines, with every call"},
    Option{"--jsonl", 0, "", "print one JSON object per line; `--calls` adds every field"},
};
inline constexpr Option kTask{"--task", 0, "TYPE",
                              "the task: `coding`, `question`, `analysis` or `other`"};
inline constexpr Option kComplexity{"--complexity", 0, "LEVEL", "`simple`, `medium` or `complex`"};
inline constexpr Option kRubric{"--rubric", 0, "FILE",
                                "score with this rubric, not the built-in one"};
inline constexpr Option kLogFormat{"--format", 0, "NAME",
                                   "read the logs in this format, whatever they look like"};
inline constexpr Option kScoreThreads{"--threads", 't', "N",
                                      "threads to use (default: one per processor)"};
inline constexpr std::array kScoringOptions{kTask, kComplexity, kRubric, kLogFormat, kScoreThreads};
inline constexpr auto kFitnessScoreOptions = joined(
    std::array{
        Option{"--explain", 0, "", "show where every point comes from"},
        Option{"--output", 0, "FILE", "the final answer, if the log has none"},
        Option{"--agent", 0, "NAME[@VERSION]", "the agent that did it (default: from the log)"},
        Option{"--no-keep", 0, "", "do not store the scores for `vibe get executions`"}},
    kScoringOptions,
    std::array{Option{"--json", 0, "", "print a JSON array for machines, with the explanations"},
               Option{"--jsonl", 0, "", "print one JSON object per line"}, kServer});
inline constexpr auto kFitnessTrendOptions =
    joined(std::array{Option{"--agent", 0, "NAME[@VERSION]",
                             "use this agent's stored executions, not logs"}},
           kScoringOptions, std::array{kCsv, kJson, kServer});
inline constexpr auto kFitnessDecideOptions =
    joined(std::array{Option{"--seed", 0, "N", "repeat the decision that had this seed"}},
           kScoringOptions, std::array{kJson, kServer});
inline constexpr auto kFitnessCalibrateOptions = joined(
    std::array{
        Option{"--labels", 0, "FILE", "the outcomes: `session,outcome` lines, or JSON lines"},
        Option{"--output", 'o', "FILE", "write the proposed rubric to this file"},
        Option{"--force", 0, "", "replace the file if it exists"}},
    kScoringOptions, std::array{kJson});
inline constexpr std::array kFitnessRubricOptions{
    Option{"--check", 0, "FILE", "check this rubric instead; exit with 2 if it is not usable"},
    kJsonDiagnostics,
    kStrict,
};

inline constexpr std::array kFitnessCollectOptions{
    Option{"--agent", 0, "NAME", "store scored executions under this name: `reviewer@v2`"},
    Option{"--install", 0, "", "make Claude Code run this command at its events"},
    Option{"--uninstall", 0, "", "remove it from Claude Code's settings"},
    Option{"--project", 0, "", "use `./.claude/settings.json`, not the user's settings"},
    Option{"--json", 0, "", "print what was installed or removed as JSON"},
};

}  // namespace vibe::cli
