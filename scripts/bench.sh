#!/bin/bash
# Runs every benchmark of a build folder (build/bench) and prints a line for each figure.
# usage: scripts/bench.sh [BUILD_FOLDER]
# With PROMPTFOO=PROGRAM, the same runs are done by promptfoo as well.
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
echo "== bench_run"
bench/bench_run.py "$folder" ${PROMPTFOO:+--promptfoo "$PROMPTFOO"} || status=1
echo "== bench_serve"
bench/bench_serve.py "$folder" || status=1
for script in bench_logs compare_embeddings compare_tokenizers; do
  echo "== $script"
  if command -v node >/dev/null; then
    "bench/$script.py" "$folder" || status=1
  else
    echo "there is no \`node\` to compare with"
  fi
done
exit "$status"
