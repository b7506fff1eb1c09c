// The options of each command, as rows; commands.cpp has the commands.
#pragma once

#include <array>
#include <cstddef>

#include "cli/command.h"
#include "store/run_filters.h"

namespace vibe::cli {

// One list after the other.
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
inline constexpr Option kJsonLines{"--jsonl", 0, "", "print a JSON object a line"};
inline constexpr Option kOffset{"--offset", 'o', "N", "leave out the first N"};
inline constexpr Option kAfter{"--after", 0, "CURSOR",
                               "go on after the page that ended with this cursor"};
inline constexpr Option kJsonDiagnostics{"--json", 0, "", "print the diagnostics as a JSON array"};
inline constexpr Option kJunit{"--junit", 0, "FILE", "write JUnit XML, for test reports of CI"};
inline constexpr Option kMarkdown{"--markdown", 0, "FILE", "write a comment for a pull request"};
inline constexpr Option kHtml{"--html", 0, "FILE", "write a report for browsers, in one file"};
inline constexpr Option kStrict{"--strict", 0, "", "treat warnings as errors"};
// Instead of `VIBECHECK_API_URL`; cli::run() sees to it.
inline constexpr Option kServer{"--server", 0, "URL",
                                "ask this server, not the store on this machine"};

inline constexpr std::array kCheckOptions{
    Option{"--file", 'f', "FILE", "run this suite"},
    Option{"--model", 'm', "A,B", "ask these models instead of the suite's; `openai/gpt-4*` works"},
    Option{"--only", 0, "A,B", "run only these evals: names, globs, `tag:NAME`, `capitals[2]`"},
    Option{"--repeat", 0, "N", "samples of each eval"},
    Option{"--threads", 't', "N", "requests in flight at a time"},
    Option{"--system-prompt", 's', "TEXT", "goes before every prompt"},
    Option{"--mcp-url", 0, "URL", "give the model the tools of this server, not the suite's"},
    Option{"--mcp-name", 0, "NAME", "what the server of tools is called"},
    Option{"--mcp-token", 0, "TOKEN", "sent to the server of tools; best `{{secret('NAME')}}`"},
    Option{"--budget", 0, "DOLLARS", "stop before the run costs more"},
    Option{"--run-timeout", 0, "SECONDS", "stop when the run takes longer"},
    Option{"--dry-run", 0, "", "show what would be asked and what it would cost; ask nothing"},
    Option{"--cache", 0, "", "take answers that an earlier run with `--cache` got"},
    Option{"--record", 0, "FILE", "keep the answers, to be replayed with the model `replay:FILE`"},
    Option{"--async", 'a', "", "start the run on a server, print its id and do not wait for it"},
    Option{"--resume", 0, "ID", "go on with an earlier run: ask what is missing"},
    Option{"--retry-failed", 0, "ID", "ask again what ended with an error in an earlier run"},
    Option{"--min-score", 0, "N", "exit with 1 when the score is below N (overrides `score.min`)"},
    Option{"--min-success", 0, "PERCENT", "exit with 1 when fewer samples passed"},
    Option{"--explain", 0, "", "show how the score came about"},
    Option{"--quiet", 'q', "", "show only the evals that did not pass, and no progress"},
    kJunit,
    kMarkdown,
    kHtml,
    kJson,
    kStrict,
    kServer,
};
// The options that are filters of runs.
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
        Option{"--status", 's', "A,B", "only runs of these: `completed`, `failed`, `running`, …"},
        Option{"--status-ne", 0, "A,B", "only runs of none of these"},
    },
    kRunFilterOptions,
    std::array{
        Option{"--sort-by", 0, "FIGURE",
               "`created`, `success`, `cost`, `time`, `score` or `price-performance`"},
        Option{"--ascending", 0, "", "the smallest or oldest first"},
        kCsv,
        kJson,
        kServer,
    });
inline constexpr std::array kGetRunOptions{
    Option{"--responses", 0, "", "show the prompts and responses in full"},
    Option{"--explain", 0, "", "show how the score came about"},
    Option{"--quiet", 'q', "", "show only the evals that did not pass"},
    kJunit,
    kMarkdown,
    kHtml,
    Option{"--csv", 0, "", "print the results as CSV"},
    kJson,
    kServer,
};
inline constexpr std::array kGetExecutionsOptions{
    Option{"--limit", 'l', "N", "at most so many executions, up to 1000 (50)"},
    kOffset,
    kAfter,
    Option{"--agent", 0, "NAME[@VERSION]", "only of this agent; `NAME@` is without a version"},
    Option{"--session", 0, "ID", "only of sessions whose id begins with this"},
    Option{"--grade", 0, "GRADE", "only with this grade: `A+`, `B`, …"},
    Option{"--min-score", 0, "N", "only with at least this score"},
    Option{"--max-score", 0, "N", "only with at most this score"},
    Option{"--rubric", 0, "NAME", "only those that were scored by this rubric"},
    Option{"--date-from", 0, "DATE", "only ended since: `2026-11-16`, `2026-11-16T13:30` (UTC)"},
    Option{"--date-to", 0, "DATE", "only ended until then; a day counts in full"},
    kMarkdown,
    kHtml,
    kCsv,
    kJson,
    kJsonLines,
    kServer,
};
inline constexpr std::array kGetDecisionsOptions{
    Option{"--limit", 'l', "N", "at most so many decisions, up to 1000 (50)"},
    kOffset,
    kAfter,
    Option{"--agent", 0, "NAME", "only about this agent, in any version"},
    kCsv,
    kJson,
    kJsonLines,
    kServer,
};
inline constexpr std::array kGetSuiteOptions{
    Option{"--history", 0, "", "list its versions instead"},
    Option{"--version", 0, "N", "print this version, not the last one"},
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
    Option{"--force", 0, "", "replace the file if it is there"},
    kJson,
};
inline constexpr std::array kDoctorOptions{
    Option{"--offline", 0, "", "ask no endpoint"},
    kJson,
    kServer,
};
inline constexpr std::array kServeOptions{
    Option{"--host", 0, "ADDRESS", "listen here (127.0.0.1)"},
    Option{"--port", 0, "N", "and at this port; 0 is any that is free (8080)"},
    Option{"--tls-cert", 0, "FILE", "speak TLS, with this certificate"},
    Option{"--tls-key", 0, "FILE", "the key of the certificate"},
    Option{"--insecure", 0, "", "listen where others can reach it, without TLS"},
    Option{"--access-log", 0, "FILE", "a line of JSON for each request (standard error)"},
    Option{"--workers", 0, "N", "runs that are worked on at a time (4)"},
    Option{"--lease", 0, "SECONDS", "until the run of a worker that is gone goes to another (30)"},
};
inline constexpr Option kCredits{"--credits", 0, "DOLLARS",
                                 "what its runs may cost in all; `none` is any sum"};
inline constexpr Option kMaxQueued{"--max-queued", 0, "N", "runs that may wait at a time (100)"};
inline constexpr Option kMaxRunning{"--max-running", 0, "N", "runs at work at a time (4)"};
inline constexpr Option kRunsPerDay{"--runs-per-day", 0, "N",
                                    "runs started within 24 hours; `none` is any number"};
inline constexpr Option kRequestsPerMinute{"--requests-per-minute", 0, "N",
                                           "requests of each of its keys (600)"};
inline constexpr std::array kOrgsCreateOptions{
    Option{"--slug", 0, "SLUG", "its name in commands; else made of its name"},
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
    Option{"--activate", 0, "", "let its keys be used again"},
    kJson,
};
inline constexpr Option kOrg{"--org", 0, "SLUG", "whose; not needed where there is one alone"};
inline constexpr Option kListedOrg{"--org", 0, "SLUG", "only of this organisation"};
inline constexpr Option kRole{"--role", 0, "ROLE",
                              "`read`, `run` or `admin`; each may do what those before it may"};
inline constexpr std::array kKeysCreateOptions{
    kOrg,
    kRole,
    Option{"--name", 0, "TEXT", "what it is for"},
    Option{"--expires", 0, "DAYS", "refuse it after so many days; else never"},
    kJson,
};
inline constexpr std::array kInvitesCreateOptions{
    kOrg,
    kRole,
    Option{"--expires", 0, "DAYS", "refuse it after so many days (7)"},
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
    Option{"--force", 0, "", "replace the file if it is there"},
    kJson,
    Option{"--strict", 0, "", "fail if anything is not carried over"},
};
inline constexpr std::array kScoreOptions{
    Option{"--suite", 0, "FILE", "score by this suite's `score` section"},
    Option{"--formula", 0, "F", "score by this formula; the names come from the results"},
    Option{"--provider", 0, "NAME", "only the results of this provider (promptfoo)"},
    Option{"--prompt", 0, "NAME",
           "only the results of this prompt, by its label or number (promptfoo)"},
    Option{"--scorer", 0, "NAME", "what this scorer says counts (Inspect)"},
    Option{"--pass-at", 0, "N",
           "a sample with at least this score has passed, 1 by default (Inspect)"},
    Option{"--min-score", 0, "N", "exit with 1 when the score is below N (overrides `score.min`)"},
    Option{"--min-success", 0, "PERCENT", "exit with 1 when fewer samples passed"},
    Option{"--explain", 0, "", "show how the score came about"},
    kJson,
    kStrict,
};

inline constexpr std::array kFitnessShowOptions{
    Option{"--calls", 0, "", "show every call: when, how long, and what went wrong"},
    Option{"--format", 0, "NAME", "read the logs as this format, whatever they look like"},
    Option{"--threads", 't', "N", "read with so many threads (as many as there are processors)"},
    Option{"--json", 0, "", "print a JSON array for machines, with every call"},
    Option{"--jsonl", 0, "", "print a JSON object a line; with `--calls` it has every field"},
};
inline constexpr Option kTask{"--task", 0, "TYPE",
                              "what it was: `coding`, `question`, `analysis` or `other`"};
inline constexpr Option kComplexity{"--complexity", 0, "LEVEL", "`simple`, `medium` or `complex`"};
inline constexpr Option kRubric{"--rubric", 0, "FILE",
                                "score by this rubric, not by the one that is built in"};
inline constexpr Option kLogFormat{"--format", 0, "NAME",
                                   "read the logs as this format, whatever they look like"};
inline constexpr Option kScoreThreads{"--threads", 't', "N",
                                      "use so many threads (as many as there are processors)"};
inline constexpr std::array kFitnessScoreOptions{
    Option{"--explain", 0, "", "show where every point comes from"},
    Option{"--output", 0, "FILE", "the final answer, where the log of the session has none"},
    kTask,
    kComplexity,
    kRubric,
    Option{"--agent", 0, "NAME[@VERSION]", "whose executions they are; else as the log says"},
    Option{"--no-keep", 0, "", "do not keep the scores for `vibe get executions`"},
    kLogFormat,
    kScoreThreads,
    Option{"--json", 0, "", "print a JSON array for machines, with the explanations"},
    Option{"--jsonl", 0, "", "print a JSON object a line"},
    kServer,
};
inline constexpr std::array kFitnessTrendOptions{
    Option{"--agent", 0, "NAME[@VERSION]", "of what is kept of this agent, not of logs"},
    kTask,
    kComplexity,
    kRubric,
    kLogFormat,
    kScoreThreads,
    kCsv,
    kJson,
    kServer,
};
inline constexpr std::array kFitnessDecideOptions{
    Option{"--seed", 0, "N", "decide as another decision with this seed did"},
    kTask,
    kComplexity,
    kRubric,
    kLogFormat,
    kScoreThreads,
    kJson,
    kServer,
};
inline constexpr std::array kFitnessCalibrateOptions{
    Option{"--labels", 0, "FILE", "the outcomes: `session,outcome` lines, or JSON lines"},
    Option{"--output", 'o', "FILE", "write the proposed rubric to this file"},
    Option{"--force", 0, "", "replace the file if it is there"},
    kTask,
    kComplexity,
    kRubric,
    kLogFormat,
    kScoreThreads,
    kJson,
};
inline constexpr std::array kFitnessRubricOptions{
    Option{"--check", 0, "FILE", "look at this rubric instead; exit with 2 if it cannot be used"},
    kJsonDiagnostics,
    kStrict,
};

inline constexpr std::array kFitnessCollectOptions{
    Option{"--agent", 0, "NAME", "keep scored executions under this name: `reviewer@v2`"},
    Option{"--install", 0, "", "let Claude Code run this command at its events"},
    Option{"--uninstall", 0, "", "take it out of the settings of Claude Code again"},
    Option{"--project", 0, "", "in `./.claude/settings.json`, not in that of the user"},
    Option{"--json", 0, "", "say as JSON what was installed or uninstalled"},
};

}  // namespace vibe::cli
