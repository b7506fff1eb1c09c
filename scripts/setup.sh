#!/bin/bash
# Installs the missing Debian packages for a task, and the npm packages of package-lock.json into
# node_modules: all of them for the tests, else those for the build.
# Usage: scripts/setup.sh build|test|lint|bench|coverage|package ...
# Uses the network only if something is missing; removes no Debian package.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck disable=SC2034  # used by name
build=(g++ cmake ninja-build make git ccache mold libyaml-dev libfmt-dev
       libexpected-dev libutf8proc-dev libsimdjson-dev libre2-dev libsqlite3-dev libsodium-dev
       zlib1g-dev libzstd-dev libmd4c-dev libcurl4-openssl-dev libmicrohttpd-dev ca-certificates)
test=("${build[@]}" libgtest-dev libgmock-dev librapidcheck-dev clang-19 libclang-rt-19-dev llvm-19 python3
      zsh fish openssl libtest-json-schema-acceptance-perl chromium cmark-gfm python3-junitparser faketime
      curl sqlite3)
lint=("${build[@]}" clang-19 clang-format-19 clang-tidy-19 python3)
bench=("${build[@]}" libbenchmark-dev libmuparser-dev python3 python3-numpy jq wrk)
coverage=("${build[@]}" libgtest-dev libgmock-dev librapidcheck-dev python3 gcovr zsh fish openssl
          chromium cmark-gfm python3-junitparser faketime curl sqlite3)
package=("${build[@]}" dpkg-dev file)

if (($# == 0)); then
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
fi
wanted=() npm_set=build
for task in "$@"; do
  case $task in
    build | lint | package) ;;
    test | bench | coverage) npm_set=all ;;
    *) echo "setup: unknown task \`$task\`" >&2; exit 2 ;;
  esac
  declare -n packages=$task
  wanted+=("${packages[@]}")
  declare +n packages
done

install_debian_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; install these packages or their equivalents: ${wanted[*]}" >&2
    return
  fi
  mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | sort -u)
  # shellcheck disable=SC2016  # dpkg-query expands it
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
  missing=()
  for name in "${wanted[@]}"; do
    grep -qxF "$name installed" <<<"$installed" || missing+=("$name")
  done
  ((${#missing[@]} > 0)) || return 0

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
  "${apt[@]}" update -q || echo "setup: cannot refresh the package lists; continuing" >&2
  "${apt[@]}" install -q -y --no-install-recommends --no-remove "${missing[@]}"
}

# node_modules/.installed says what is installed: the lock's hash, and `all` or `build`.
install_npm_packages() {
  local stamp=node_modules/.installed lock there='' options=(--omit=dev)
  lock=$(sha256sum <package-lock.json)
  lock=${lock%% *}
  if [[ -e $stamp ]]; then there=$(<"$stamp"); fi
  if [[ $there == "$lock all" || $there == "$lock $npm_set" ]]; then return; fi
  if ! command -v npm >/dev/null; then
    echo "setup: install \`npm\`, which fetches the packages of package-lock.json" >&2
    exit 1
  fi
  if [[ $npm_set == all ]]; then options=(--include=dev); fi
  if [[ ! -w ${HOME:-} ]]; then  # npm needs a place for its cache and its log
    HOME=$(mktemp -d)
    export HOME
    trap 'rm -rf "$HOME"' EXIT
  fi
  echo "setup: installing the npm packages of package-lock.json"
  npm ci "${options[@]}" --ignore-scripts --legacy-peer-deps --no-audit --no-fund --no-update-notifier \
    --loglevel=error >/dev/null
  echo "$lock $npm_set" >"$stamp"
}

# Debian's npm cannot be installed together with a Node.js from elsewhere.
command -v npm >/dev/null || wanted+=(npm)
install_debian_packages
install_npm_packages
