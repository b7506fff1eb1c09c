#!/bin/bash
# Runs fuzz targets.
# Usage: scripts/fuzz.sh replay NAME   every input of fuzz/corpus/NAME once through fuzz_NAME of build/dev
#        scripts/fuzz.sh soak [S]      S seconds (60) of fuzzing for each target of build/fuzz, two at a
#                                      time; the corpus itself is unchanged
# A failing input is stored in the folder `artifacts` next to the program.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
case $mode in
  replay) programs=$PWD/build/dev/fuzz ;;
  soak) programs=$PWD/build/fuzz/fuzz seconds=${2:-60} ;;
  *) sed -n '2,6s/^# //p' "$0" >&2; exit 2 ;;
esac
artifacts=$programs/artifacts
options=(-timeout=20 -rss_limit_mb=4096 -print_final_stats=1 "-artifact_prefix=$artifacts/")
mkdir -p "$artifacts"

# replay NAME: prints how many inputs there were; fails if one fails or there are none.
replay() {
  local corpus=fuzz/corpus/$1 log=$programs/fuzz_$1.replay.log inputs runs
  mapfile -d '' inputs < <(find "$corpus" -type f -print0 | sort -z)
  if ((${#inputs[@]} == 0)); then
    echo "fuzz: fuzz_$1 has no inputs in $corpus" >&2
    return 1
  fi
  if ! "$programs/fuzz_$1" "${options[@]}" "${inputs[@]}" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "fuzz: fuzz_$1 failed; see $log" >&2
    return 1
  fi
  runs=$(grep -c '^Executed ' "$log" || true)
  if ((runs < ${#inputs[@]})); then
    echo "fuzz: fuzz_$1 ran only $runs of ${#inputs[@]} inputs" >&2
    return 1
  fi
  echo "fuzz_$1 $runs inputs"
}

# soak TARGET: fuzzes in a copy of the corpus.
soak() {
  local seeds=fuzz/corpus/${1#fuzz_} log=$programs/$1.soak.log work status=0
  work=$(mktemp -d)
  [[ ! -d $seeds ]] || cp -r "$seeds/." "$work"
  "$programs/$1" "-max_total_time=$seconds" "${options[@]}" "$work" >"$log" 2>&1 || status=$?
  rm -rf "$work"
  if ((status != 0)); then
    tail -n 60 "$log" >&2
    echo "fuzz: $1 failed; see $log and $artifacts" >&2
    return 1
  fi
  echo "$1 $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs in $seconds s"
}

case $mode in
  replay) replay "$2" ;;
  soak)
    failed=0 targets=()
    for source in fuzz/fuzz_*.cpp; do
      targets+=("$(basename "$source" .cpp)")
    done
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
esac
