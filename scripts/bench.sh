#!/bin/bash
# Runs every benchmark of a build folder (build/bench) and prints one line per figure.
# usage: scripts/bench.sh [BUILD_FOLDER]
# With PROMPTFOO=PROGRAM, promptfoo also does the same runs.
# Exit code: 0, or 1 if a target was missed; bench/README.md says what the figures mean.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/bench}
read -r load _ </proc/loadavg
printf '%s, %s processors, load %s\n' \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$load"
echo '* depends on a quiet machine: measured again before it counts as missed'
status=0

# measure NAME COMMAND...: runs a benchmark, and once more if other processes may have spoilt a figure
# (exit code 3).
measure() {
  local name=$1 code=0
  shift
  echo "== $name"
  VIBE_BENCH_ROUND=1 "$@" || code=$?
  if ((code == 3)); then
    code=0
    sleep 10
    read -r load _ </proc/loadavg
    echo "== $name again, load $load"
    "$@" || code=$?
  fi
  ((code == 0)) || status=1
}

for source in bench/bench_*.cpp; do
  name=$(basename "$source" .cpp)
  measure "$name" "$folder/bench/$name"
done
measure bench_run bench/bench_run.py "$folder" ${PROMPTFOO:+--promptfoo "$PROMPTFOO"}
measure bench_serve bench/bench_serve.py "$folder"
measure compare_draws bench/compare_draws.py "$folder"
measure bench_rescore bench/bench_rescore.py "$folder"
for script in bench_logs compare_embeddings compare_tokenizers; do
  if command -v node >/dev/null; then
    measure "$script" "bench/$script.py" "$folder"
  else
    echo "== $script: needs \`node\` to compare with"
  fi
done
exit "$status"
