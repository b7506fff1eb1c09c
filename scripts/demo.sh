#!/bin/bash
# Shows the program at work on examples/. Needs build/release/vibe (`make build`).
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/build/release:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
# Shows a command line and runs it; fails unless it exits with the code expected (0).
show() {
  local code=0
  printf '$ %s\n' "$1"
  bash -c "$1" 2>&1 || code=$?
  ((code == 0)) || printf '(exit code %d)\n' "$code"
  ((code == ${2:-0}))
}

sed 's/critical-math \* 3/critcal-math * 3/' examples/weighted.yaml >"$work/broken.yaml"

say '1. Suites are checked without running them.'
show 'vibe validate examples/cases.yaml examples/every-check.yaml examples/tags-and-globs.yaml'

say '2. A typo in a formula costs nothing: it is found before anything runs.'
cd "$work"
show 'vibe validate broken.yaml' 2
cd "$OLDPWD"

say '3. Results become one score, and the score explains itself.'
show 'vibe score examples/results/weighted.jsonl --suite examples/weighted.yaml --explain'

say '4. What if speed counted as well? Another formula, the same results.'
show "vibe score examples/results/weighted.jsonl --formula 'success_pct / (1 + avg_latency)' | head -2"

say 'Next:'
cat <<'END'
  build/release/vibe help                      all commands
  build/release/vibe formula functions         what formulas can do
  build/release/vibe formula check 'success_pct / total_cost'
  less docs/formula.md README.md
END
