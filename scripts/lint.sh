#!/bin/bash
# Format, direction of includes, clang-tidy with clang's warnings. Changes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0

echo "== clang-format"
find src tests fuzz bench \( -name '*.cpp' -o -name '*.h' \) -print0 |
  xargs -0 -r clang-format-19 --dry-run -Werror || failed=1

echo "== layers"
/usr/bin/python3 scripts/check_layers.py || failed=1

echo "== clang-tidy"
cmake --preset tidy >/dev/null
cmake --build --preset tidy --target vibe_version >/dev/null
/usr/bin/python3 /usr/bin/run-clang-tidy-19 -quiet -clang-tidy-binary clang-tidy-19 -p build/tidy \
  -j "$(nproc)" "/src/[a-z]+/[^/]+\.cpp$" >build/tidy/clang-tidy.log 2>&1 || {
  grep -v -E '^(clang-tidy-19 |[0-9]+ warnings? generated|\[[ 0-9/]+\])' build/tidy/clang-tidy.log || true
  failed=1
}

((failed == 0)) && echo "lint: nothing found"
