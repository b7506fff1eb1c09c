# The tasks of the project; `make help` lists them. CMake does the building: see
# CMakePresets.json. Every task can be repeated at any time.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.NOTPARALLEL:

PREFIX ?= /usr/local
DESTDIR ?=
SOAK_SECONDS ?= 60
export DESTDIR

# ccache needs a writable folder for its cache; the build also works without one.
ifeq ($(CCACHE_DIR),)
ifneq ($(shell test -w "$$HOME" && echo writable),writable)
export CCACHE_DISABLE := 1
endif
endif

.PHONY: help build demo quick test lint format bench soak check-logs coverage coverage-table install package clean

help: ## list the tasks
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS=$$'\t' read -r name does; do \
	  printf '  make %-14s %s\n' "$$name" "$$does"; done

build: ## build/release/vibe
	@cmake --preset release
	@cmake --build --preset release

demo: ## install what the build needs, build, show the program on examples/
	@scripts/setup.sh build
	@cmake --preset release
	@cmake --build --preset release --target vibe
	@scripts/demo.sh

quick: ## build what changed, run the unit tests without sanitizers
	@scripts/setup.sh test
	@cmake --preset quick >/dev/null
	@cmake --build --preset quick --target vibe_tests tools
	@TMPDIR=$${TMPDIR:-$$(test -w /dev/shm && echo /dev/shm || echo /tmp)} RC_PARAMS=$${RC_PARAMS:-seed=1} \
	  ctest --preset quick -R '^unit_tests_' -j $$((8 * $$(nproc)))

test: ## install what is needed, build and run every test, replay the fuzz corpora
	@scripts/setup.sh test
	@scripts/test.sh

lint: ## check formatting, include directions, wording and clang-tidy
	@scripts/setup.sh lint
	@scripts/lint.sh

format: ## format all C++ sources in place
	@scripts/setup.sh lint
	@find src tests fuzz bench simulation \( -name '*.cpp' -o -name '*.h' \) -print0 | xargs -0 -r clang-format-19 -i

bench: ## run the benchmarks
	@scripts/setup.sh bench
	@cmake --preset bench
	@cmake --build --preset bench
	@scripts/bench.sh

soak: ## fuzz every target for SOAK_SECONDS (60); kill 50 runs; many connections; big answers
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory build
	@scripts/soak.sh
	@cmake --preset fuzz
	@cmake --build --preset fuzz
	@scripts/fuzz.sh soak $(SOAK_SECONDS)

check-logs: build ## compare what vibe reads from the logs in LOGS with LOGS/truth.jsonl
	@test -n "$(LOGS)" || { echo "name the folder: make check-logs LOGS=DIR" >&2; exit 2; }
	@scripts/check_logs.py build/release/vibe "$(LOGS)" --allow $(or $(ALLOW),0)

coverage: ## line coverage of the tests: build/coverage/report/index.html
	@scripts/setup.sh coverage
	@cmake --preset coverage
	@cmake --build --preset coverage
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage -j "$$(nproc)"
	@mkdir -p build/coverage/report
	@/usr/bin/gcovr --root . --object-directory build/coverage --filter src/ --exclude-throw-branches \
	  --html-details build/coverage/report/index.html --print-summary --txt build/coverage/report/lines.txt

coverage-table: ## simulate how often intervals are right; writes the tables of docs/statistics.md
	@scripts/setup.sh build
	@cmake --preset release
	@cmake --build --preset release --target coverage_table
	@build/release/simulation/coverage_table --threads "$$(nproc)" docs/statistics.md

install: build ## install into DESTDIR + PREFIX (/usr/local)
	@cmake --install build/release --prefix "$(PREFIX)" --strip

package: ## a .deb and a .tar.gz in build/release
	@scripts/setup.sh package
	@$(MAKE) --no-print-directory build
	@cd build/release && unset DESTDIR && cpack

clean: ## remove build/
	@rm -rf build
