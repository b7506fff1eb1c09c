#!/bin/bash
# Runs every benchmark of a build folder (build/bench) and prints a line for each figure.
# usage: scripts/bench.sh [BUILD_FOLDER]
# Exit code: 0, or 1 if a target was missed; bench/README.md says what the figures mean.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/bench}
read -r load _ </proc/loadavg
printf '%s, %s processors, load %s\n' \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$load"
status=0
for source in bench/bench_*.cpp; do
  name=$(basename "$source" .cpp)
  echo "== $name"
  "$folder/bench/$name" || status=1
done
exit "$status"
