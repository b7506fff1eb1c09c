#!/bin/bash
# Demonstrates the program on examples/. Needs build/release/vibe (`make build`; VIBE names another),
# no key and no network; keeps its runs in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$(dirname "${VIBE:-$PWD/build/release/vibe}"):$PATH
work=$(mktemp -d)
server=''
trap '[[ -z $server ]] || kill "$server"; rm -rf "$work"' EXIT
export VIBECHECK_HOME=$work/home
# The user's settings must not change the output.
unset VIBECHECK_MODEL VIBECHECK_THREADS VIBECHECK_BUDGET VIBECHECK_RUN_TIMEOUT VIBECHECK_API_URL VIBECHECK_API_KEY

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
# Shows a command line and runs it; fails unless it exits with the expected code (0).
show() {
  local code=0
  printf '$ %s\n' "$1"
  bash -c "$1" 2>&1 || code=$?
  ((code == 0)) || printf '(exit code %d)\n' "$code"
  ((code == ${2:-0}))
}

say '1. A suite runs, and its score explains itself. The answers are recorded ones, written by hand for
   this example, so it needs no key. Two evals fail, and the formula says what that costs.'
show 'vibe check examples/support.yaml --explain'

say '2. A typo in a formula costs nothing: it is found before anything is sent.'
sed 's/critical-math \* 3/critcal-math * 3/' examples/support.yaml >"$work/broken.yaml"
cd "$work"
show 'vibe check broken.yaml' 2
cd "$OLDPWD"

say '3. Two models, side by side: the large one answers everything, the small one is better value.'
show 'vibe check examples/support.yaml -q -m replay:examples/recordings/small.jsonl,replay:examples/recordings/large.jsonl | tail -4'

say '4. Every run is stored.'
show 'vibe get runs'

say '5. What if? All stored runs by another formula, and results of any harness, as JSON lines.'
show "vibe rescore --formula 'success_pct / (1 + avg_latency)'"
show "vibe score examples/results/weighted.jsonl --formula 'success_pct / (1 + avg_latency)' | head -2"

say '6. Is the second prompt better, or was it luck? 24 evals, three answers each, by a formula of two figures.'
show "vibe compare examples/results/prompt-v1.jsonl examples/results/prompt-v2.jsonl --formula 'success_pct / total_cost' --min-effect 150"

say '7. What did an agent do? Read its log. This one is from a Claude Code session.'
show 'vibe fitness show examples/logs/claude.jsonl --calls'

say '8. How good was that run? A score from form and metrics, without a judge model, explained point by point.'
show 'vibe fitness score examples/logs/claude.jsonl --explain'

say '9. A server for a team: suites are checked, run and scored there, and everybody sees the runs.
   Its operator decides which programs and recordings suites may use.'
mkdir "$work/server"
recording=replay:$PWD/examples/recordings/small.jsonl
printf 'serve: {local_models: ["%s"]}\n' "$recording" >"$work/server/config.yaml"
echo '$ vibe serve &'
touch "$work/serve.out"  # the background shell may create it too late
VIBECHECK_HOME=$work/server vibe serve --port 0 >"$work/serve.out" 2>"$work/serve.err" &
server=$!
until grep -q '^listening on ' "$work/serve.out"; do
  kill -0 "$server"
  sleep 0.1
done
sed 's/\(key: vibe_[^_]*_\).*/\1…/' "$work/serve.out"
VIBECHECK_API_URL=$(sed -n 's/^listening on //p' "$work/serve.out")
VIBECHECK_API_KEY=$(sed -n 's/^admin key: //p' "$work/serve.out")
export VIBECHECK_API_URL VIBECHECK_API_KEY
show "vibe check examples/support.yaml -q -m $recording | grep -e '^Score' -e '^Success' -e '^Status'"
show 'vibe get runs'
kill "$server"
wait "$server"
server=''

say 'Next:'
cat <<'END'
  build/release/vibe check examples/support.yaml --explain    the same run, stored in ~/.vibecheck
  build/release/vibe init my-suite.yaml                       your own suite; set OPENAI_API_KEY,
                                                              ANTHROPIC_API_KEY or OPENROUTER_API_KEY
                                                              first to ask a real model
  build/release/vibe check my-suite.yaml
  build/release/vibe get run last --responses                 its prompts and answers
  build/release/vibe fitness score --explain                  your newest session with Claude Code or Codex
  build/release/vibe help                                     all commands
  build/release/vibe serve                                    a server for your team: docs/operate.md
  less README.md docs/running.md docs/formula.md docs/fitness.md
END
