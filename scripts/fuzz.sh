#!/bin/bash
# Runs the fuzz targets of build/fuzz (`cmake --preset fuzz && cmake --build --preset fuzz`).
# Usage: scripts/fuzz.sh replay      every input of fuzz/corpus/NAME once through fuzz_NAME
#        scripts/fuzz.sh soak [S]    S seconds (60) of fuzzing for each, two at a time;
#                                    the corpus itself stays as it is
# An input that fails is kept in build/fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
seconds=${2:-60}
artifacts=$PWD/build/fuzz/artifacts
options=(-timeout=20 -rss_limit_mb=4096 -print_final_stats=1 "-artifact_prefix=$artifacts/")
mkdir -p "$artifacts"

targets=()
for source in fuzz/fuzz_*.cpp; do
  [[ -e $source ]] || { echo "fuzz: no fuzz/fuzz_*.cpp" >&2; exit 1; }
  targets+=("$(basename "$source" .cpp)")
done

count_inputs() { find "$1" -type f 2>/dev/null | wc -l; }

# replay TARGET: prints "NAME N inputs"; fails if an input fails or there are none.
replay() {
  local corpus=fuzz/corpus/${1#fuzz_} log=build/fuzz/$1.replay.log inputs runs
  inputs=$(count_inputs "$corpus")
  if ((inputs == 0)); then
    echo "fuzz: $1 has no inputs in $corpus" >&2
    return 1
  fi
  if ! "build/fuzz/fuzz/$1" -runs=0 "${options[@]}" "$corpus" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "fuzz: $1 failed; see $log" >&2
    return 1
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if ((runs < inputs)); then
    echo "fuzz: $1 ran only $runs of $inputs inputs" >&2
    return 1
  fi
  echo "$1 $inputs inputs"
}

# soak TARGET: fuzzes in a copy of the corpus.
soak() {
  local seeds=fuzz/corpus/${1#fuzz_} log=build/fuzz/$1.soak.log work status=0
  work=$(mktemp -d)
  [[ ! -d $seeds ]] || cp -r "$seeds/." "$work"
  "build/fuzz/fuzz/$1" "-max_total_time=$seconds" "${options[@]}" "$work" >"$log" 2>&1 || status=$?
  rm -rf "$work"
  if ((status != 0)); then
    tail -n 60 "$log" >&2
    echo "fuzz: $1 failed; see $log and build/fuzz/artifacts" >&2
    return 1
  fi
  echo "$1 $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs in $seconds s"
}

case $mode in
  replay)
    done_count=0 lines=()
    for target in "${targets[@]}"; do
      if line=$(replay "$target"); then
        done_count=$((done_count + 1))
        lines+=("$line")
      fi
    done
    summary=$(printf '%s, ' "${lines[@]:-none}")
    echo "fuzz: $done_count of ${#targets[@]} targets replayed their corpus: ${summary%, }"
    ((done_count == ${#targets[@]}))
    ;;
  soak)
    failed=0
    for target in "${targets[@]}"; do
      while (($(jobs -rp | wc -l) >= 2)); do
        wait -n || failed=1
      done
      soak "$target" &
    done
    while (($(jobs -p | wc -l) > 0)); do
      wait -n || failed=1
    done
    ((failed == 0)) && echo "fuzz: ${#targets[@]} targets, nothing found"
    ;;
  *)
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
    ;;
esac
