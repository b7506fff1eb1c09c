"""Reads suites for the statistics reference and makes the two intervals of a score: whether they
can be shown, from which draws, with which notes."""

import math

from formula_reader import SyntaxProblem
from statistics_draws import (
    LEAST_LAMBDA, Drawn, Runs, draw_count, ends, mean, sample_sd, tail)
from statistics_numbers import beta_quantile
from statistics_weights import PASS_AT_K, SMALLEST_STRATUM, Formula, Layout, Plan, Side

ROUGH_BELOW = 10
MOST_NAMED = 3             # named evals with one answer each
FEWEST_IN_TAIL = 5         # evals beyond a percentile
HEAVY = 0.2                # share of a sum that one answer may have
DEFAULTS = {"formula": "success_pct", "metrics": {}, "unit": None, "seed": 1, "draws": None,
            "level": 0.95, "on_undefined": None, "smallest": SMALLEST_STRATUM, "closed_form": True,
            "show": 0}


class Problem(Exception):
    """The case cannot be computed; the text says why."""


# --- reading -----------------------------------------------------------------------------------

def options_of(case, more=None):
    options = {**DEFAULTS, **(more or {})}
    return {k: default if case.get(k) is None else case[k] for k, default in options.items()}


def with_answers(evals):
    """Cases without an answer and evals without such a case take no part."""
    kept = [{**e, "cases": [c for c in e["cases"] if c]} for e in evals]
    return [e for e in kept if e["cases"]]


def read_plan(options, all_evals, evals):
    """The plan for `evals`; `all_evals` are those whose names the formula may use."""
    try:
        formula = Formula(options["formula"], options["metrics"], [e.get("name") for e in all_evals])
    except SyntaxProblem as problem:
        raise Problem(f"formula: {problem}") from problem
    layout = Layout(evals, options["unit"], options["smallest"])
    for leaf in formula.leaves:
        if leaf.selector[0] == "eval" and leaf.selector[1] not in layout.by_name:
            raise Problem(f"missing eval: {leaf.selector[1]}")
    return Plan(layout, formula, options["smallest"])


# --- when an interval is refused ---------------------------------------------------------------

def refuse_both(runs, score):
    plan = runs.plan
    if score is None:
        return "undefined_score"
    if plan.uses_extremes():
        return "extremes"
    return None if plan.used else "no_evals"


def refuse_other(runs):
    plan = runs.plan
    if plan.random:
        return None
    return "named_only" if set(plan.used_evals) <= plan.named else "too_few_evals"


def refuse_rerun(runs):
    plan = runs.plan
    once = {q for q in plan.used_questions if runs.answers[q] == 1}
    for term in runs.terms:
        if any(q in once for u in term.members for q in plan.layout.units[u].questions):
            return "one_answer"
    if len(once) == len(plan.used_questions):
        named = 1 <= len(plan.named_shares) and len(plan.named) <= MOST_NAMED
        if runs.paired or not named or plan.uses_figures():
            return "one_answer"
    for leaf in plan.formula.leaves:
        if leaf.function in PASS_AT_K:
            members = plan.members[leaf.selector]
            if any(runs.answers[q] <= leaf.p for u in members for q in plan.layout.units[u].questions):
                return "few_answers_for_k"
    return None


# --- one question ------------------------------------------------------------------------------

class Interval:
    """One of the two intervals: `refusal` says why there is none."""

    def __init__(self, runs, which, options, score):
        self.runs, self.which = runs, which
        other = which == "other"
        own = refuse_other(runs) if other else refuse_rerun(runs)
        self.refusal = refuse_both(runs, score) or own
        self.score = score
        self.ends = self.lam = self.nu = self.drawn = None
        self.floor = False
        self.make = runs.other_weights if other else runs.rerun_weights
        self.show = options["show"]
        self.seed = options["seed"]
        self.count = draw_count(options["draws"], runs.total_samples())
        if self.refusal is None:
            self.spread = runs.other_spread() if other else runs.rerun_spread()
            self.nu = self.spread[1]
            self.lam, self.floor = self.tail((1 + options["level"]) / 2)
            if other and options["closed_form"] and self.has_closed_form():
                self.count = 0
                self.close()
            else:
                self.draw()

    def tail(self, upper):
        return tail(self.spread, upper, LEAST_LAMBDA if self.which == "other" else 0.0)

    def has_closed_form(self):
        plan = self.runs.plan
        return (not self.runs.paired and plan.formula.tree == ("run_wide", "success_pct")
                and plan.one_stratum and all(n == 1 for n in self.runs.sizes))

    def close(self):
        passed, total = self.runs.sides[0].pass_sums(self.runs.plan.used)
        a, b = passed + 1, total - passed + 1
        low, high = (100 * beta_quantile(p, a, b) for p in (self.lam, 1 - self.lam))
        self.ends = {"low": min(low, self.score), "high": max(high, self.score)}

    def draw(self):
        self.drawn = Drawn(self.runs, self.make, self.seed, self.count)
        if self.drawn.too_many_undefined():
            self.refusal = "undefined_draws"
        elif self.drawn.sign_changes():
            self.refusal = "sign"
        else:
            self.ends = ends(self.drawn.defined, self.lam, self.score)

    def ends_at(self, upper):
        """The ends at another level; None without draws."""
        return self.ends and ends(self.drawn.defined, self.tail(upper)[0], self.score)

    def left_out(self):
        return self.ends is not None and self.drawn and len(self.drawn.defined) < self.count

    def sd(self):
        return None if self.ends is None else sample_sd(self.drawn.defined)

    def first_draws(self):
        """Values of the first draws, also of a refused interval if it can be drawn at all."""
        possible = bool(self.runs.plan.random if self.which == "other" else self.runs.plan.used)
        return Drawn(self.runs, self.make, self.seed, self.show if possible else 0).values

    def result(self):
        made = {"lambda": self.lam, "nu": self.nu if self.nu != math.inf else None,
                "refusal": self.refusal}
        if self.ends is not None:
            made.update(self.ends)
            made["draws"] = len(self.drawn.defined) if self.drawn else 0
            if self.drawn:
                made.update(mean=mean(self.drawn.defined), sd=self.sd())
        if self.show:
            made["values"] = self.first_draws()
        return made


# --- notes -------------------------------------------------------------------------------------

def is_heavy(runs, leaf):
    if leaf.function not in ("mean", "sum") or leaf.column == "passed":
        return False
    for side in runs.sides:
        known = [x for x in side.known_values(leaf, runs.plan.members[leaf.selector]) if x is not None]
        if known and max(known) > HEAVY * sum(known):
            return True
    return False


def notes_of(runs, other, rerun):
    plan = runs.plan
    n = runs.random_units()
    percentiles = [leaf.p for leaf in plan.formula.leaves if leaf.function == "percentile"]
    few = any(p is not None and n * min(p, 100 - p) / 100 < FEWEST_IN_TAIL for p in percentiles)
    used = [s for side in runs.sides for q in plan.used_questions for s in side.answers[q]]
    notes = {
        "rough": other.ends is not None and n < ROUGH_BELOW,
        "lambda_floor": other.ends is not None and other.floor,
        "fixed_stratum": bool(plan.random and plan.small_strata),
        "few_for_percentile": other.ends is not None and few,
        "heavy_tail": any(is_heavy(runs, leaf) for leaf in plan.formula.leaves),
        "one_answer": any(runs.answers[q] == 1 for q in plan.used_questions),
        "undefined_draws": any(i.left_out() for i in (other, rerun)),
        "errors": any(s.get("error") for s in used),
    }
    return [kind for kind, holds in notes.items() if holds]


# --- one run -----------------------------------------------------------------------------------

def intervals(case):
    """The score of one run with both intervals; statistics_reference.py describes the case."""
    options = options_of(case)
    evals = with_answers(case["evals"])
    plan = read_plan(options, case["evals"], evals)
    side = Side(plan.layout, [answers for e in evals for answers in e["cases"]])
    runs = Runs(plan, [side], options["on_undefined"])
    score = runs.plain_scores()[0]
    other = Interval(runs, "other", options, score)
    rerun = Interval(runs, "rerun", options, score)
    shown = options["on_undefined"] if score is None else score
    return {
        "score": shown, "interval": other.ends, "rerun_interval": rerun.ends,
        "other": other.result(), "rerun": rerun.result(), "notes": notes_of(runs, other, rerun),
        "n": runs.random_units(),
        "draws": {"seed": options["seed"], "count": other.count,
                  "method": "beta-1" if other.count == 0 else "sbb-1"},
    }
