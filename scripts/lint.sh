#!/bin/bash
# Format, direction of includes, clang-tidy with clang's warnings. Changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

echo "== clang-format"
find src tests fuzz bench simulation \( -name '*.cpp' -o -name '*.h' \) -print0 |
  xargs -0 -r clang-format-19 --dry-run -Werror || failed=1

echo "== layers"
/usr/bin/python3 scripts/check_layers.py || failed=1

echo "== words"
/usr/bin/python3 scripts/check_words.py || failed=1

# tidy FOLDER CHECKS FILES: clang-tidy with these checks in addition to .clang-tidy.
tidy() {
  /usr/bin/python3 /usr/bin/run-clang-tidy-19 -quiet -clang-tidy-binary clang-tidy-19 -p "$1" -j "$(nproc)" \
    -checks="$2" "$3" >"$1/clang-tidy.log" 2>&1 || {
    grep -v -E '^(clang-tidy-19 |[0-9]+ warnings? generated|\[[ 0-9/]+\])' "$1/clang-tidy.log" || true
    failed=1
  }
}

# Each file on its own, without precompiled headers, so that it has to include what it uses.
echo "== each file on its own"
cmake --preset tidy >/dev/null
cmake --build --preset tidy --target vibe_version >/dev/null
tidy build/tidy '-*,clang-diagnostic-*,readability-duplicate-include' '/src/[a-z/]+/[^/]+\.cpp$'

# Nearly all of clang-tidy's time goes into headers, so it checks the files of a folder together.
echo "== clang-tidy"
cmake --preset tidy -B build/tidy_batches -DVIBE_UNITY=ON >/dev/null
cmake --build build/tidy_batches --target vibe_version >/dev/null
tidy build/tidy_batches '-bugprone-suspicious-include' '(/(vibe_core|vibe_agents|vibecheck)\.dir/Unity|/src/[a-z/]+)/[^/]+\.(cxx|cpp)$'

if ((failed > 0)); then exit 1; fi
echo "lint: nothing found"
