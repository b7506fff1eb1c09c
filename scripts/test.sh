#!/bin/bash
# Everything that `make test` runs, after the packages are there: the dev build's tests,
# the release build's tests, every fuzz target over its corpus. Goes on after a failure,
# so that one run shows all of them; the last lines say what was run.
set -euo pipefail
cd "$(dirname "$0")/.."

# Property tests draw the same cases in every run; RC_PARAMS=seed=N draws others.
export RC_PARAMS=${RC_PARAMS:-seed=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
jobs=$(nproc)
failed=0

for preset in dev release fuzz; do
  echo "== building $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" -j "$jobs"
done
for preset in dev release; do
  echo "== testing $preset"
  rm -f "build/$preset/junit.xml" "build/$preset"/unit_tests_*.xml
  ctest --preset "$preset" -j "$jobs" --output-junit junit.xml || failed=1
done
echo "== replaying the fuzz corpora"
fuzz_summary=$(scripts/fuzz.sh replay) || failed=1

echo
/usr/bin/python3 scripts/count_tests.py build/dev/junit.xml build/release/junit.xml \
  build/dev/unit_tests_*.xml || failed=1
echo "$fuzz_summary"
((failed == 0)) || { echo "make test: FAILED" >&2; exit 1; }
