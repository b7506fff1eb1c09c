#!/bin/bash
# Everything that `make test` runs, after the packages are installed: the dev build and its tests,
# including fuzz corpora, while the release build compiles; then the release build's tests. Continues
# after a failed test, so that one run shows all failures; the last lines say what was run.
set -euo pipefail
cd "$(dirname "$0")/.."

# Property tests draw the same cases in every run; RC_PARAMS=seed=N draws others.
export RC_PARAMS=${RC_PARAMS:-seed=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-/usr/lib/llvm-19/bin/llvm-symbolizer}  # names in traces
jobs=$(nproc)
failed=0

# test_preset PRESET: runs its tests, nproc + 1 at a time, because many of them mostly wait.
test_preset() {
  echo "== testing $1 ($((SECONDS / 60)) min)"
  rm -f "build/$1/junit.xml" "build/$1"/unit_tests_*.xml
  ctest --preset "$1" -j "$((jobs + 1))" --output-junit junit.xml || failed=1
}

echo "== building dev"
cmake --preset dev >/dev/null
# CMake forgets the preset's other settings when a folder is configured with another compiler than before.
grep -q '^VIBE_TESTS:BOOL=ON' build/dev/CMakeCache.txt || cmake --preset dev >/dev/null
cmake --build --preset dev -j "$jobs"

# Both compilers compile all of src/, and a warning is an error: clang above, g++ here.
echo "== building release, during the tests"
mkdir -p build/release
(
  cmake --preset release
  exec nice ninja -C build/release -j "$jobs"
) >build/release/build.log 2>&1 &
release=$!
trap 'kill "$release" 2>/dev/null || true' EXIT

test_preset dev
release_failed=0
wait "$release" || release_failed=1
trap - EXIT
if ((release_failed == 0)); then
  test_preset release
else
  tail -n 60 build/release/build.log >&2
  echo "make test: the release build FAILED; see build/release/build.log" >&2
  exit 1
fi

echo
/usr/bin/python3 scripts/count_tests.py build/dev/junit.xml build/release/junit.xml \
  build/dev/unit_tests_*.xml || failed=1
((failed == 0)) || { echo "make test: FAILED" >&2; exit 1; }
echo "make test: passed in $((SECONDS / 60)) min $((SECONDS % 60)) s"
