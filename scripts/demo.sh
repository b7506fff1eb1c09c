#!/bin/bash
# Shows the program at work on examples/. Needs build/release/vibe (`make build`).
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/build/release:$PATH
shopt -s nullglob

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

suites=(examples/*.yaml)
if ((${#suites[@]} > 0)); then
  show vibe validate "${suites[@]}"
fi
for results in examples/results/*.jsonl; do
  suite=examples/$(basename "$results" .jsonl).yaml
  if [[ -e $suite ]]; then
    show vibe score "$results" --suite "$suite"
  else
    show vibe score "$results"
  fi
done
