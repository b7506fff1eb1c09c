"""Draws of the statistics reference: what the answers count in one draw, how sure the ends of an
interval are (lambda), and the interval made from the draws.

Everything works for one run and for the difference of two. `Runs` holds one side or two (base,
candidate) over the same layout; its value, theta, is the score or the difference of the scores.
statistics_reference.py lists the choices that decide bits.
"""

import math

from formula_reference import finite, total as add_up
from statistics_numbers import (
    ANSWERS, NAMED_BLOCKS, QUESTION_BLOCKS, Streams, exponential_table, gamma_table, half_table,
    normal_cdf, normal_table, t_quantile)
from statistics_weights import PASS_AT_K, RUN_WIDE, Copy, Weights, deletion_variance

MOST_DRAWS, FEWEST_DRAWS, PICKS = 10_000, 2_000, 20_000_000
LEAST_LAMBDA = 5e-4
LEAST_NU = 4
LAMBDA_DIGITS = 12
NEGLIGIBLE = 1e-24  # a variance of at most this times theta^2 is 0


# --- design effects ----------------------------------------------------------------------------

def clamp(x, low, high):
    return min(max(x, low), high)


def design_effect(shares, most):
    """m, from the pass shares of the units: how many answers of a unit one whole unit is worth."""
    n = len(shares)
    p = (add_up(shares) + 1) / (n + 2)
    v = (add_up((x - p) * (x - p) for x in shares) + p * p + (1 - p) * (1 - p)) / (n + 2)
    return clamp(p * (1 - p) / v, 1, most)


def paired_design_effect(base, candidate, most):
    n = len(base)
    differences = [b - a for a, b in zip(base, candidate)]
    discordant = add_up(a * (1 - b) + b * (1 - a) for a, b in zip(base, candidate))
    middle = add_up(differences) / (n + 1)
    v = (add_up(d * d for d in differences) + 1) / (n + 1) - middle * middle
    q = (discordant + 1) / (n + 1) - middle * middle
    return clamp(q / v, 1, most)


# --- runs --------------------------------------------------------------------------------------

class Term:
    """One pass term: its place among the terms, its units, and what smooths it."""

    def __init__(self, runs, number, selector):
        plan = runs.plan
        self.number, self.selector = number, selector
        self.members = plan.members[selector]
        self.random = plan.random_members(selector)
        self.samples = [runs.answers_of(side, self.members) for side in runs.sides]
        self.empty = not self.samples[0]
        if not self.random:
            return
        most = add_up(runs.sizes[u] for u in self.members) / len(self.members)
        shares = [[side.unit_share(u) for u in self.members] for side in runs.sides]
        self.m = (paired_design_effect if runs.paired else design_effect)(*shares, most)


class Runs:
    def __init__(self, plan, sides, on_undefined=None):
        self.plan, self.layout, self.sides = plan, plan.layout, sides
        self.on_undefined = on_undefined
        self.paired = len(sides) == 2
        # The answers that count: to a question the fewest of any side.
        self.answers = [min(len(s.answers[q]) for s in sides) for q in range(len(self.layout.questions))]
        self.sizes = [sum(self.answers[q] for q in unit.questions) for unit in self.layout.units]
        self.terms = [Term(self, number, s) for number, s in enumerate(plan.terms)]
        self.term_shares = [self.expected_pass_shares(side) for side in sides]
        self.named_shares = [
            dict(zip(plan.named_shares, plan.expected_shares(
                [side.share([self.unit_of_eval(i)]) for i in plan.named_shares])))
            for side in sides]
        self.k_questions = sorted({
            q for leaf in plan.formula.leaves if leaf.function in PASS_AT_K
            for u in plan.members[leaf.selector] for q in self.layout.units[u].questions})

    def unit_of_eval(self, i):
        """The only unit of an eval whose cases are not random; also the eval's place."""
        return next(u for u, unit in enumerate(self.layout.units) if unit.eval == i)

    def answers_of(self, side, members):
        return [(q, j) for u in members for q in self.layout.units[u].questions
                for j in range(len(side.answers[q]))]

    def expected_pass_shares(self, side):
        """By selector: 1/2 for run-wide, else what the other globs lead to expect."""
        globs = [t for t in self.terms if t.selector != RUN_WIDE and not t.empty]
        expected = self.plan.expected_shares([side.share(t.members) for t in globs])
        return {RUN_WIDE: 0.5, **{t.selector: p for t, p in zip(globs, expected)}}

    def total_samples(self):
        return sum(len(given) for side in self.sides for given in side.answers)

    def random_units(self):
        return len(self.plan.random)

    # --- theta ---

    def difference(self, values):
        if None in values:
            return None
        return finite(values[1] - values[0]) if self.paired else values[0]

    def theta(self, weights, signs=None):
        """Theta of one draw, with `on_undefined` in place of an undefined score."""
        values = [side.value(self.plan, w, signs) for side, w in zip(self.sides, weights)]
        if self.on_undefined is not None:
            values = [self.on_undefined if x is None else x for x in values]
        return self.difference(values)

    def plain_scores(self):
        """The scores as they are shown, undefined ones as None."""
        return [side.value(self.plan, Weights()) if any(w != 1 for w in side.weights)
                else side.plain_value(self.plan) for side in self.sides]

    # --- draws ---

    def other_weights(self, streams):
        """Other evals like these: random units get exponential weights, the same on both sides."""
        plan, table = self.plan, exponential_table()
        raw = {u: table[streams.place(u)] for u in plan.random}
        units = raw if plan.one_stratum else {}
        if not plan.one_stratum:
            for stratum in plan.strata:
                scale = self.scale(raw, stratum)
                units.update((u, raw[u] * scale) for u in stratum)
        weights = []
        for word, side in enumerate(self.sides):
            w = Weights()
            w.units = units
            questions = [q for u in plan.fixed for q in self.layout.units[u].questions]
            self.ask_again(w, side, word, questions, streams)
            weights.append(w)
        for term in self.terms:
            if term.random:
                scale = 1.0 if plan.one_stratum else self.scale(raw, sorted(term.random))
                self.add_pseudo_units(weights, term, scale, streams)
            else:
                for word, w in enumerate(weights):
                    self.add_pseudo_answers(w, term, word, 0.5, streams)
        return weights

    def rerun_weights(self, streams):
        """Asked again: the answers to each question are redrawn, on each side by itself."""
        weights = []
        for word, side in enumerate(self.sides):
            w = Weights()
            self.ask_again(w, side, word, self.plan.used_questions, streams)
            for term in self.terms:
                share = self.term_shares[word].get(term.selector)
                self.add_pseudo_answers(w, term, word, share, streams)
            weights.append(w)
        return weights

    def scale(self, raw, units):
        """Makes raw weights add up to the number of samples."""
        samples = add_up(self.sizes[u] for u in units)
        return samples / add_up(raw[u] * self.sizes[u] for u in units)

    def ask_again(self, w, side, word, questions, streams):
        for q in questions:
            r = len(side.answers[q])
            if side.redrawn[q]:
                w.counts[q] = [0] * r
                for pick in range(side.first_pick[q], side.first_pick[q] + r - 1):
                    w.counts[q][streams.index(ANSWERS, pick, r, word)] += 1
                w.factors[q] = side.weights[q] * (r / (r - 1))
        for q in sorted(set(self.k_questions) & set(questions)):
            w.z[q] = normal_table()[streams.field(QUESTION_BLOCKS + q, 2, word)]
        for i in self.plan.named_shares:
            u, p = self.unit_of_eval(i), self.named_shares[word][i]
            a = gamma_table(1 - p)[streams.field(NAMED_BLOCKS + u, 0, word)]
            b = gamma_table(p)[streams.field(NAMED_BLOCKS + u, 1, word)]
            once = exponential_table()[streams.place(u, word)] if self.sizes[u] == 1 else None
            w.shares[i] = (once, a, b)

    def add_pseudo_answers(self, w, term, word, p, streams):
        if term.empty:
            return
        samples = term.samples[word]
        w.pairs[term.selector] = [
            Copy(samples[streams.copied(term.number, passed, len(samples), word)], passed,
                 gamma_table(p if passed else 1 - p)[streams.field(term.number, passed, word)])
            for passed in (0, 1)]

    def add_pseudo_units(self, weights, term, scale, streams):
        """One run: a unit that failed and one that passed. Two: one that passed in the base alone
        and one that passed in the candidate alone."""
        for which in (0, 1):
            unit = term.members[streams.copied(term.number, which, len(term.members))]
            if self.paired:
                table = half_table()
            else:
                p = self.term_shares[0][term.selector]
                table = gamma_table(2 * (p if which else 1 - p))
            place = (streams.place(len(self.layout.units) + which) if term.selector == RUN_WIDE
                     else streams.field(term.number, which))
            weight = table[place] / term.m * scale
            for word, w in enumerate(weights):
                passed = which if word == len(weights) - 1 else 1 - which
                w.pairs.setdefault(term.selector, []).append(Copy(unit, passed, weight))

    # --- lambda and nu ---

    def variance(self, thetas, size):
        """Of theta, by deleting one part at a time."""
        v = deletion_variance(thetas, size)
        largest = max(abs(x) for x in self.plain_values())
        return 0.0 if v <= NEGLIGIBLE * largest * largest else v

    def plain_values(self):
        if not hasattr(self, "plain"):
            self.plain = [side.value(self.plan, Weights()) or 0.0 for side in self.sides]
        return self.plain

    def value_without(self, weights):
        return self.difference([s.value(self.plan, w) for s, w in zip(self.sides, weights)])

    def without_unit(self, stratum, deleted):
        samples = add_up(self.sizes[u] for u in stratum)
        rest = samples / (samples - self.sizes[deleted])
        w = Weights()
        w.units = {u: 0.0 if u == deleted else rest for u in stratum}
        return self.value_without([w] * len(self.sides))

    def without_answer(self, word, q, deleted):
        side = self.sides[word]
        r = len(side.answers[q])
        weights = [Weights() for _ in self.sides]
        weights[word].counts[q] = [int(j != deleted) for j in range(r)]
        weights[word].factors[q] = side.weights[q] * (r / (r - 1))
        weights[word].deleted[q] = deleted
        return self.value_without(weights)

    def other_spread(self):
        """c and nu over the random strata."""
        sizes = [len(s) for s in self.plan.strata]
        v = [self.variance([self.without_unit(s, u) for u in s], len(s)) for s in self.plan.strata]
        if not any(v):
            v = [float(n) for n in sizes]
        whole = add_up(v)
        shares = [x / whole for x in v]
        c = math.sqrt(add_up(x * ((n + 1) / (n - 1)) for x, n in zip(shares, sizes)))
        return c, 1 / add_up(x * x / (n - 1) for x, n in zip(shares, sizes))

    def rerun_spread(self):
        """nu over the questions that are redrawn; 1 stands for c."""
        parts = []  # (v, r, unnamed)
        for word, side in enumerate(self.sides):
            for q in self.plan.used_questions:
                r = len(side.answers[q])
                if side.redrawn[q]:
                    v = self.variance([self.without_answer(word, q, j) for j in range(r)], r)
                    parts.append((v, r, self.plan.unnamed_question(q)))
        if not any(unnamed for _, _, unnamed in parts):
            return 1.0, math.inf
        whole = add_up(v for v, _, _ in parts)
        if whole == 0:
            return 1.0, float(LEAST_NU)
        below = add_up((v / whole) ** 2 / (r - 1) for v, r, unnamed in parts if unnamed)
        return 1.0, max(float(LEAST_NU), 1 / below if below > 0 else math.inf)


def tail(spread, upper, least=0.0):
    """Lambda, and whether it is at its floor; `upper` is 1 - alpha/2."""
    c, nu = spread
    exact = normal_cdf(-c * t_quantile(upper, nu))
    return round(max(least, exact), LAMBDA_DIGITS), exact <= least


# --- quantiles ---------------------------------------------------------------------------------

def draw_count(wanted, samples):
    if wanted is not None:
        return wanted
    return max(FEWEST_DRAWS, min(MOST_DRAWS, PICKS // max(samples, 1)))


def order_statistic(ordered, position):
    """At a 1-based position, linear between its neighbours, clamped to the first and the last."""
    below = math.floor(position)
    low, high = (ordered[clamp(k, 1, len(ordered)) - 1] for k in (below, below + 1))
    return low + (high - low) * (position - below)


def ends(values, share, point):
    """The interval of draws that leaves out `share` at either end and contains the point."""
    ordered = sorted(values)
    low = order_statistic(ordered, share * (len(ordered) + 1))
    high = order_statistic(ordered, (1 - share) * (len(ordered) + 1))
    return {"low": min(low, point), "high": max(high, point)}


class Drawn:
    """The draws of one question: values (None where undefined), and the denominators' signs."""

    def __init__(self, runs, make_weights, seed, count):
        self.signs = {}
        self.values = []
        for b in range(count):
            self.values.append(runs.theta(make_weights(Streams(seed, b)), self.signs))
        self.defined = [x for x in self.values if x is not None]

    def too_many_undefined(self):
        """More than 5 %."""
        return 20 * (len(self.values) - len(self.defined)) > len(self.values)

    def sign_changes(self):
        return any(len(seen) == 2 for seen in self.signs.values())


def mean(values):
    return add_up(values) / len(values)


def sample_sd(values):
    middle = mean(values)
    return math.sqrt(add_up((x - middle) * (x - middle) for x in values) / (len(values) - 1))
