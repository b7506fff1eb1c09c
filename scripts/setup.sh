#!/bin/bash
# Installs the Debian packages that a task needs and that are not there yet.
# Usage: scripts/setup.sh build|test|lint|bench|coverage|package ...
# Uses the network only where something is missing; removes nothing.
set -euo pipefail

# shellcheck disable=SC2034  # used by name
build=(g++ cmake ninja-build make git ccache mold libyaml-dev libfmt-dev
       libexpected-dev libutf8proc-dev libsimdjson-dev libre2-dev)
test=("${build[@]}" libgtest-dev libgmock-dev librapidcheck-dev clang-19 libclang-rt-19-dev python3
      zsh fish)
lint=("${build[@]}" clang-19 clang-format-19 clang-tidy-19 python3)
bench=("${build[@]}" libbenchmark-dev libmuparser-dev)
coverage=("${build[@]}" libgtest-dev libgmock-dev librapidcheck-dev python3 gcovr)
package=("${build[@]}" dpkg-dev file)

if (($# == 0)); then
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
fi
wanted=()
for task in "$@"; do
  case $task in
    build | test | lint | bench | coverage | package) ;;
    *) echo "setup: unknown task \`$task\`" >&2; exit 2 ;;
  esac
  declare -n packages=$task
  wanted+=("${packages[@]}")
  declare +n packages
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; these packages, or their likes, are needed: ${wanted[*]}" >&2
  exit 0
fi
mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | sort -u)
# shellcheck disable=SC2016  # dpkg-query expands it
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for name in "${wanted[@]}"; do
  grep -qxF "$name installed" <<<"$installed" || missing+=("$name")
done
((${#missing[@]} > 0)) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
echo "setup: installing ${missing[*]}"
"${apt[@]}" update -q || echo "setup: the package lists could not be refreshed; going on" >&2
"${apt[@]}" install -q -y --no-install-recommends --no-remove "${missing[@]}"
