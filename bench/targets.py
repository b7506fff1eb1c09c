"""Targets: the output of a benchmark, one line per figure: name, figure, target, ok or missed.

A `*` marks a figure that depends on a quiet machine. If such a figure misses its target in the first of two rounds
(VIBE_BENCH_ROUND=1), the line says `again`, and scripts/bench.sh runs the benchmark once more.
"""

import os


class Targets:
    AGAIN = 3  # exit code

    def __init__(self):
        self.missed = self.again = False
        self.is_first_round = os.environ.get("VIBE_BENCH_ROUND") == "1"

    def line(self, name, figure, unit, target, reached, is_timed):
        is_again = is_timed and not reached and self.is_first_round
        self.again |= is_again
        self.missed |= not reached and not is_again
        verdict = "ok" if reached else "again" if is_again else "missed"
        print(f"{name:<60} {figure:>10.3f} {unit:<7}  {target + ' *' * is_timed:<18} {verdict}", flush=True)

    # For times, and figures computed from times.
    def at_most(self, name, figure, limit, unit):
        self.line(name, figure, unit, f"<= {limit:.4g} {unit}", figure <= limit, True)

    def at_least(self, name, figure, limit, unit):
        self.line(name, figure, unit, f">= {limit:.4g} {unit}", figure >= limit, True)

    # For figures that do not depend on a quiet machine.
    def memory_at_most(self, name, figure, limit, unit):
        self.line(name, figure, unit, f"<= {limit:.4g} {unit}", figure <= limit, False)

    @staticmethod
    def note(name, figure, unit):
        print(f"{name:<60} {figure:>10.3f} {unit:<7}", flush=True)

    def exit_code(self):
        return Targets.AGAIN if self.again else 1 if self.missed else 0
