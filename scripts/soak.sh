#!/bin/bash
# What `make soak` runs in addition to the fuzzers, on the optimised program (`make build`): runs and
# servers killed at random moments, many connections, faults and big answers.
set -euo pipefail
cd "$(dirname "$0")/.."
export VIBE=$PWD/build/release/vibe VIBE_BUILD=$PWD/build/release VIBE_SOURCE=$PWD
export VIBE_SEED=${VIBE_SEED:-$RANDOM}
/usr/bin/python3 tests/run/test_kill.py 50
/usr/bin/python3 tests/run/soak.py
/usr/bin/python3 tests/server/test_kill.py 20
/usr/bin/python3 tests/server/test_load.py 10000
/usr/bin/python3 tests/server/test_hostile.py
/usr/bin/python3 tests/trace/test_release_sessions.py 600000
/usr/bin/python3 tests/server/soak.py
