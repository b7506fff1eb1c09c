#include "cli/commands.h"

#include <array>

#include "cli/options.h"

namespace vibe::cli {

namespace {

constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

constexpr std::array kCommands{
    Command{
        "init", "[FILE.yaml]", 0, 1, "write a first suite",
        "Writes a commented suite that validates (`suite.yaml`), for a model whose key is set, or "
        "for a\nprogram of this machine where there is none.",
        "vibe init my-suite.yaml", kInitOptions, Completes::files, run_init},
    Command{
        "check", "FILE|SUITE", 0, 1, "run a suite and score it",
        "Asks the model, judges the answers, computes the score and keeps the run. The suite is "
        "a file, or\nthe name of one that was run or stored before. Ctrl-C stops and keeps the "
        "results so far.\n"
        "Exits with 0 if the gates are passed (without any: 50 % success), 1 if not, 2 on bad "
        "input,\n3 if the run could not be completed, 130 if it was cancelled.",
        "vibe check examples/support.yaml --explain", kCheckOptions, Completes::files, run_check},
    Command{"get runs", "", 0, 0, "list the runs that were kept",
            "The newest first, 50 at a time, with the last scores of each suite below. Conditions "
            "add up.\n`price-performance` is success / (cost · 1000 + seconds · 0.1).",
            "vibe get runs --status completed --sort-by score --limit 10", kGetRunsOptions,
            Completes::nothing, run_get_runs},
    Command{"get run", "ID…", 1, 32, "show runs: every eval, the summary, the texts",
            "The id is one that `vibe get runs` shows, its first characters where no other run "
            "has them, or\n`last` for the newest run. Several runs are compared in a table. With "
            "a file to write, nothing else\nis shown, but for `--json` and `--csv`.",
            "vibe get run last --explain", kGetRunOptions, Completes::nothing, run_get_run},
    Command{
        "get executions", "", 0, 0, "list the scored executions of agents that were kept",
        "What `vibe fitness score` and `vibe fitness collect` scored, the newest first, 50 at a "
        "time, with\nthe last scores of each version of an agent below. Conditions add up. With "
        "a file to write, nothing\nelse is shown, but for `--json`, `--jsonl` and `--csv`.",
        "vibe get executions --agent reviewer@v2 --limit 20", kGetExecutionsOptions,
        Completes::nothing, run_get_executions},
    Command{"get execution", "ID", 1, 1, "show a scored execution: its signals, score and notes",
            "The id is one that `vibe get executions` shows, its first characters where no other "
            "has them, or\n`last` for the newest.",
            "vibe get execution last", kServedOptions, Completes::nothing, run_get_execution},
    Command{"get decisions", "", 0, 0, "list the decisions about changed agents",
            "What `vibe fitness decide` decided, the newest first, with the seed that repeats it.",
            "vibe get decisions --agent reviewer", kGetDecisionsOptions, Completes::nothing,
            run_get_decisions},
    Command{"get suites", "", 0, 0, "list the suites that were run or stored", "",
            "vibe get suites", kServedOptions, Completes::nothing, run_get_suites},
    Command{"get suite", "NAME", 1, 1, "print a stored suite",
            "Every edit of a suite that was run or stored is a version.",
            "vibe get suite support-bot --history", kGetSuiteOptions, Completes::nothing,
            run_get_suite},
    Command{"get models", "[PATTERN]", 0, 1, "list models with their prices and keys",
            "PATTERN is a part of the name, or a glob: `openai/*mini*`. Other models can be run "
            "too; what they\ncost is known where the answer says so, or `prices` in the "
            "configuration.",
            "vibe get models haiku", kServedOptions, Completes::nothing, run_get_models},
    Command{"get vars", "", 0, 0, "list the variables of suites", "", "vibe get vars",
            kServedOptions, Completes::nothing, run_get_vars, "var list"},
    Command{"get var", "NAME", 1, 1, "print the value of a variable", "", "vibe get var team",
            kServedOptions, Completes::nothing, run_get_var, "var get"},
    Command{"get secrets", "", 0, 0, "list the names of the secrets",
            "The value of a secret is never shown.", "vibe get secrets", kServedOptions,
            Completes::nothing, run_get_secrets, "secret list"},
    Command{"get org", "", 0, 0, "show whose key it is on a server, and the credits that are left",
            "", "vibe get org", kServedOptions, Completes::nothing, run_get_org, "get credits"},
    Command{
        "set suite", "-f FILE", 0, 0, "check a suite and store it",
        "A suite whose text has changed becomes a new version. Exits with 2 if it is not valid.",
        "vibe set suite -f examples/weighted.yaml", kSetSuiteOptions, Completes::nothing,
        run_set_suite, "set"},
    Command{"set var", "NAME VALUE", 2, 2, "set a variable",
            "Suites read it as {{var('NAME')}}. A value of `-` is read from standard input.",
            "vibe set var team blue", kServedOptions, Completes::nothing, run_set_var, "var set"},
    Command{"set secret", "NAME VALUE", 2, 2, "set a secret",
            "Suites read it as {{secret('NAME')}}. It is kept encrypted, and replaced by its name "
            "in everything that\nis stored or shown. A value of `-` is read from standard input, "
            "so that it stays out of the\nhistory of the shell.",
            "echo s3cret | vibe set secret api-key -", kServedOptions, Completes::nothing,
            run_set_secret, "secret set"},
    Command{"delete var", "NAME", 1, 1, "delete a variable", "", "vibe delete var team",
            kServedOptions, Completes::nothing, run_delete_var, "var delete"},
    Command{"delete secret", "NAME", 1, 1, "delete a secret", "", "vibe delete secret api-key",
            kServedOptions, Completes::nothing, run_delete_secret, "secret delete"},
    Command{"stop", "ID|queued", 1, 1, "stop a run, or all that have not begun",
            "Whoever works on the run ends it within a second and keeps the results so far; "
            "`vibe check --resume`\ngoes on with it. Exits with 2 if it is finished already.",
            "vibe stop queued", kServedOptions, Completes::nothing, run_stop},
    Command{"redeem", "CODE", 1, 1, "turn an invitation to a server into a key",
            "Keeps the key and the address of the server in `~/.vibecheck/.env`: commands ask that "
            "server from\nthen on. An invitation is good for one key.",
            "vibe redeem invite_ID_SECRET --server https://vibe.example.com", kServedOptions,
            Completes::nothing, run_redeem},
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
            "vibe formula functions", kJsonOptions, Completes::nothing, run_formula_functions},
    Command{
        "import promptfoo", "CONFIG", 1, 1, "make a suite of a promptfoo config",
        "Takes prompts, providers, tests (also of files and tables) and assertions. What a suite "
        "cannot\nsay is left out, with a comment in the suite at its place and a warning; nothing "
        "is made up\ninstead.\nExits with 0 if the suite validates, 1 if it is written but lacks "
        "a model, a prompt or checks,\n2 if the config cannot be read.",
        "vibe import promptfoo examples/promptfoo/promptfooconfig.yaml -o suite.yaml",
        kImportOptions, Completes::files, run_import_promptfoo},
    Command{"score", "RESULTS", 1, 1, "score results that any harness produced",
            "Reads what `vibe get run --json` or `--csv` and `promptfoo eval -o out.json` (or "
            "`out.jsonl`)\nwrite, logs of Inspect (`.json`, `.eval`), and JSON lines: each line "
            "one sample, of which only\n`passed` is required:\n"
            "  {\"name\": \"math\", \"passed\": true, \"latency\": 1.25, \"cost\": 0.0012,\n"
            "   \"prompt_tokens\": 10, \"completion_tokens\": 5, \"tags\": [\"hard\"]}\n"
            "Lines with the same name are repeats. A file of `-` is standard input.\n"
            "Exits with 0 if the gates are passed (without any: 50 % success), 1 if not, 2 on bad "
            "input.",
            "vibe score examples/results/weighted.jsonl --suite examples/weighted.yaml --explain",
            kScoreOptions, Completes::files, run_score},
    Command{
        "fitness show", "[LOG…]", 0, kNoLimit, "show what an agent did, from its log",
        "Reads transcripts of Claude Code, Codex and Gemini CLI, hook logs, OpenTelemetry, and "
        "logs of\nInspect, OpenHands, SWE-agent and others, also packed (`.gz`, `.zst`). A folder "
        "is walked, `-` is\nstandard input; without LOG, the newest session of Claude Code or "
        "Codex is taken. What is not\nknown is `N/A`, and what was odd stands below the table.",
        "vibe fitness show examples/logs/claude.jsonl --calls", kFitnessShowOptions,
        Completes::files, run_fitness_show},
    Command{"fitness score", "[LOG…]", 0, kNoLimit, "score what an agent did, from its log",
            "Says how fit each execution was, from 0 to 100, by signals that need no person: calls "
            "that\nsucceeded, the form of the answer, time, errors. LOG is as in `vibe fitness "
            "show`; without one,\nthe newest session of Claude Code or Codex is taken. A signal "
            "that is not known is `n/a`, and the\nothers weigh more. Such a score looks at form, "
            "not at truth.",
            "vibe fitness score examples/logs/claude.jsonl --explain", kFitnessScoreOptions,
            Completes::files, run_fitness_score},
    Command{"fitness trend", "LOG…", 0, kNoLimit,
            "show how an agent's scores go, and what they come to",
            "The tenth of the executions with the highest scores and the tenth with the lowest are "
            "left out, and\nthe newest five of the others weigh 1.0, 0.9, 0.8, 0.7 and 0.6. LOG is "
            "as in `vibe fitness show`;\nthe newest is that which ended last or, where that is not "
            "known, the last argument. With `--agent`,\nwhat was kept of an agent counts, and its "
            "versions are compared.",
            "vibe fitness trend examples/logs", kFitnessTrendOptions, Completes::files,
            run_fitness_trend},
    Command{"fitness decide", "OLD NEW", 2, 2, "decide whether a changed agent is kept",
            "Each side is a score, a log or a folder of them, or NAME@VERSION of an agent whose "
            "executions are\nkept; several scores are aggregated as by `vibe fitness trend`. More "
            "than 5 points better is\nsignificant, any gain is accepted, a loss of 3 or more is "
            "rejected, and what lies between is accepted\nwith a probability of 0.2, to explore; "
            "the seed repeats that. A negative score goes after `--`.\n"
            "Exits with 0 for accept, 1 for reject, 2 on bad input.",
            "vibe fitness decide 75.5 78 --seed 42", kFitnessDecideOptions, Completes::files,
            run_fitness_decide},
    Command{
        "fitness calibrate", "--labels FILE LOG…", 1, kNoLimit,
        "see how well a rubric predicts outcomes, and fit its weights",
        "FILE tells how sessions turned out: lines of a session's id and 1 (good) or 0 (bad), as "
        "CSV or as\n{\"id\": …, \"outcome\": …}. Shows how well each signal tells good from bad, "
        "fits the weights of the\nrubric's formula, and says what they would gain on sessions "
        "that they were not fitted to.",
        "vibe fitness calibrate --labels examples/records/outcomes.csv "
        "examples/records/reviews.yaml",
        kFitnessCalibrateOptions, Completes::files, run_fitness_calibrate},
    Command{
        "fitness rubric", "", 0, 0, "print the rubric of fitness, or check one of your own",
        "The rubric is how executions are scored: weights, expected times, words, patterns of "
        "errors, the\nformula, grades. A file of your own says only what it changes, and is used "
        "with `--rubric FILE`.",
        "vibe fitness rubric --check examples/rubrics/reviews.yaml", kFitnessRubricOptions,
        Completes::nothing, run_fitness_rubric},
    Command{"fitness collect",
            "",
            0,
            0,
            "keep what an agent does, as its hook",
            "Reads one event of a hook of Claude Code on standard input, and adds it to the log of "
            "its session,\n`~/.vibecheck/executions/SESSION.jsonl`, which `vibe fitness show` "
            "reads. When the agent stops, its\ntranscript is scored by another process. An agent "
            "waits for hooks: this takes a few milliseconds,\nand exits with 0, whatever happens; "
            "problems are in `~/.vibecheck/collect.log`.\n"
            "`--install` writes the hooks into `~/.claude/settings.json`, and leaves alone what "
            "else is in it.",
            "vibe fitness collect --install --agent reviewer@v2",
            kFitnessCollectOptions,
            Completes::nothing,
            run_fitness_collect,
            {},
            misused_fitness_collect},
    Command{"serve", "", 0, 0, "serve suites, runs and scores to a team, over HTTP",
            "Answers the HTTP API and works on the runs that it is sent. The first start makes an "
            "organisation,\nwith the runs of this store, and prints its one admin key, once. Ends "
            "on Ctrl-C or SIGTERM: what is\nin flight may finish, what is left goes on at the next "
            "start; a second one ends it at once. SIGHUP\nopens the access log again. Exits with 0 "
            "after that, 2 on bad input, 3 if it cannot listen.",
            "vibe serve --port 8080", kServeOptions, Completes::nothing, run_serve},
    Command{
        "orgs create", "NAME", 1, 1, "make an organisation of a server",
        "Works in the folder of the server (`VIBECHECK_HOME`), also while it runs, as all "
        "commands about\norganisations, keys and invitations do. The first organisation has the "
        "runs that are in that folder\nalready; each other one begins with none. Nothing of "
        "one is ever seen by another.",
        "vibe orgs create 'Search team' --max-running 8 --credits 50", kOrgsCreateOptions,
        Completes::nothing, run_orgs_create},
    Command{"orgs list", "", 0, 0, "list the organisations of a server, with their limits", "",
            "vibe orgs list", kJsonOptions, Completes::nothing, run_orgs_list},
    Command{
        "orgs set", "SLUG", 1, 1, "change the limits of an organisation, or suspend it",
        "What is not named stays as it is. Credits are what all its runs may cost, those before "
        "included:\nto give it more, set a larger sum.",
        "vibe orgs set search-team --credits 100", kOrgsSetOptions, Completes::nothing,
        run_orgs_set},
    Command{"keys create", "--org SLUG --role ROLE", 0, 0, "make a key for a server",
            "Prints the key alone on standard output, this once: what is kept is a hash of it. "
            "Whoever has it\nmay act for the organisation, as its role allows.",
            "vibe keys create --org default --role run --name ci --expires 90", kKeysCreateOptions,
            Completes::nothing, run_keys_create},
    Command{"keys list", "", 0, 0, "list the keys of a server: ids, roles, times",
            "The keys themselves are kept nowhere.", "vibe keys list --org default",
            kListedOrgOptions, Completes::nothing, run_keys_list},
    Command{"keys revoke", "ID", 1, 1, "refuse a key from now on",
            "The id is the middle part of the key, `vibe_ID_…`; `vibe keys list` shows it.",
            "vibe keys revoke 7k2m9x4qwz", kJsonOptions, Completes::nothing, run_keys_revoke},
    Command{"invites create", "--org SLUG --role ROLE", 0, 0, "make a code that gives one key",
            "Prints the code alone on standard output, this once. `vibe redeem CODE` turns it into "
            "a key, once,\nwithin 7 days unless `--expires` says otherwise.",
            "vibe invites create --org default --role run --expires 2", kInvitesCreateOptions,
            Completes::nothing, run_invites_create},
    Command{"invites list", "", 0, 0, "list the invitations of a server: open, used or expired", "",
            "vibe invites list", kListedOrgOptions, Completes::nothing, run_invites_list},
    Command{"schema",
            "",
            0,
            0,
            "print the JSON Schema of suites, for editors",
            "With the YAML language server, a suite's first line says where it is:\n"
            "  # yaml-language-server: $schema=suite.schema.json",
            "vibe schema > suite.schema.json",
            {},
            Completes::nothing,
            run_schema},
    Command{"doctor", "", 0, 0, "look at the set-up",
            "Looks at configuration, store, keys and endpoints. Each endpoint that could be asked "
            "gets one\nrequest that costs nothing. Exits with 0 if what is set up works, else with "
            "3.",
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
