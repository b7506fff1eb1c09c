"""Targets: what a benchmark prints, one line a figure: name, figure, target, ok or missed."""


class Targets:
    def __init__(self):
        self.missed = False

    def line(self, name, figure, unit, target, reached):
        self.missed |= not reached
        print(f"{name:<60} {figure:>10.3f} {unit:<7}  {target:<16} {'ok' if reached else 'missed'}",
              flush=True)

    def at_most(self, name, figure, limit, unit):
        self.line(name, figure, unit, f"<= {limit:.4g} {unit}", figure <= limit)

    def at_least(self, name, figure, limit, unit):
        self.line(name, figure, unit, f">= {limit:.4g} {unit}", figure >= limit)

    @staticmethod
    def note(name, figure, unit):
        print(f"{name:<60} {figure:>10.3f} {unit:<7}", flush=True)
