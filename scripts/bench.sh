#!/bin/bash
# Runs every benchmark of build/bench, then times the start of the program.
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob
for source in bench/bench_*.cpp; do
  name=$(basename "$source" .cpp)
  echo "== $name"
  "build/bench/bench/$name" "$@"
done
echo "== start-up"
cd build/bench
hyperfine --shell=none --warmup 20 './vibe --version'
