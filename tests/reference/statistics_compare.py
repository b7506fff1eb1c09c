"""Comparing two runs in the statistics reference: intervals of the difference, exact tests by
dealing the answers again, the verdict, contributions of evals and of aggregates."""

import itertools
import math

from formula_reference import total as add_up
from statistics_draws import Runs
from statistics_figures import mcnemar, power, shapley
from statistics_intervals import DEFAULTS, Interval, Problem, notes_of, options_of, read_plan
from statistics_numbers import SHUFFLES, SWAPS, Streams
from statistics_weights import Side, Weights

SHUFFLE_COUNT = 9_999
MOST_ASSIGNMENTS = 20_000
TOLERANCE = 1e-9
MOST_TERMS = 12
MORE = {**DEFAULTS, "shuffles": SHUFFLE_COUNT, "margin": None, "min_effect": None,
        "superior_by": None, "not_worse_than": None, "pairs": None}


# --- pairing -----------------------------------------------------------------------------------

def keyed(evals):
    """By name; those without one by their number among these."""
    unnamed = itertools.count()
    return {("name", e["name"]) if e.get("name") is not None else ("number", next(unnamed)): e
            for e in evals}


class Pairs:
    """What two runs have in common, in the base's order: evals, and of each the first cases that
    have answers on both sides. Tags are the candidate's."""

    def __init__(self, base, candidate):
        left, right = keyed(base), keyed(candidate)
        self.unpaired = [self.label(k) for k in list(left) + list(right) if k not in left or k not in right]
        self.evals = []
        self.answers = ([], [])
        for key, a in left.items():
            b = right.get(key)
            cases = [] if b is None else [c for c in zip(a["cases"], b["cases"]) if all(c)]
            if cases:
                self.evals.append({"name": a.get("name"), "tags": b.get("tags", []), "cases": cases})
                for side, answers in zip(self.answers, zip(*cases)):
                    side += answers

    def label(self, key):
        return key[1] if key[0] == "name" else f"#{key[1] + 1}"

    def sides(self, layout):
        fewest = [min(len(a), len(b)) for a, b in zip(*self.answers)]
        return [Side(layout, answers, [r / len(given) for r, given in zip(fewest, answers)],
                     [r >= 2 for r in fewest])
                for answers in self.answers]


# --- exact tests -------------------------------------------------------------------------------

class Dealing:
    """Deals answers again between base and candidate. An item is a question whose labels are
    dealt, or a unit that is swapped; only items that the formula uses count."""

    def __init__(self, runs):
        self.runs, self.layout = runs, runs.layout
        self.given = [(a, b) for a, b in zip(*(side.answers for side in runs.sides))]
        self.weights = list(zip(*(side.weights for side in runs.sides)))
        self.difference = runs.theta([Weights(), Weights()])

    def redealt(self, questions):
        """Theta after some questions were dealt; `questions` gives them as (base, candidate), each
        (answers, weight)."""
        both = [[(a, w), (b, v)] for (a, b), (w, v) in zip(self.given, self.weights)]
        for q, pair in questions.items():
            both[q] = pair
        sides = [Side(self.layout, [pair[word][0] for pair in both], [pair[word][1] for pair in both])
                 for word in (0, 1)]
        return Runs.theta(Redealt(self.runs, sides), [Weights(), Weights()])

    def split(self, q, chosen):
        """The base gets the chosen of the pooled answers."""
        pool = self.given[q][0] + self.given[q][1]
        taken = set(chosen)
        base = [pool[j] for j in chosen]
        rest = [x for j, x in enumerate(pool) if j not in taken]
        return (base, self.weights[q][0]), (rest, self.weights[q][1])

    def swapped(self, units):
        return {q: ((self.given[q][1], self.weights[q][1]), (self.given[q][0], self.weights[q][0]))
                for u in units for q in self.layout.units[u].questions}

    # --- all assignments, or some ---

    def labels(self, seed, count):
        questions = self.runs.plan.used_questions
        sizes = [(len(a), len(b)) for a, b in (self.given[q] for q in questions)]
        if math.prod(math.comb(a + b, a) for a, b in sizes) <= MOST_ASSIGNMENTS:
            ways = [[(q, self.split(q, c)) for c in itertools.combinations(range(a + b), a)]
                    for q, (a, b) in zip(questions, sizes)]
            return self.test((dict(deal) for deal in itertools.product(*ways)), True)
        single = all(size == (1, 1) for size in sizes)
        shuffle = self.flipped if single else self.shuffled
        return self.test((shuffle(questions, Streams(seed, b)) for b in range(count)), False)

    def flipped(self, questions, streams):
        return {q: self.split(q, [streams.bit(SHUFFLES, i)]) for i, q in enumerate(questions)}

    def shuffled(self, questions, streams):
        deal = {}
        number = 0
        for q in questions:
            a, b = map(len, self.given[q])
            order = list(range(a + b))
            for k in range(a):
                other = k + streams.index(SHUFFLES, number, a + b - k)
                order[k], order[other] = order[other], order[k]
                number += 1
            deal[q] = self.split(q, order[:a])
        return deal

    def swaps(self, seed, count):
        units = self.runs.plan.used
        if 2 ** len(units) <= MOST_ASSIGNMENTS:
            ways = (itertools.compress(units, bits) for bits in itertools.product((0, 1), repeat=len(units)))
            return self.test((self.swapped(way) for way in ways), True)
        return self.test((self.swapped(u for i, u in enumerate(units) if streams.bit(SWAPS, i))
                          for streams in (Streams(seed, b) for b in range(count))), False)

    def test(self, deals, exact):
        """An undefined difference counts on both sides; all assignments count themselves."""
        slack = TOLERANCE * max(1.0, abs(self.difference))
        up = down = count = 0
        for deal in deals:
            x = self.redealt(deal)
            count += 1
            up += x is None or x >= self.difference - slack
            down += x is None or x <= self.difference + slack
        more = 0 if exact else 1
        p_up, p_down = ((n + more) / (count + more) for n in (up, down))
        return {"p": min(1.0, 2 * min(p_up, p_down)), "p_up": p_up, "p_down": p_down,
                "up": up, "down": down, "count": count, "exact": exact}


class Redealt:
    """As much of `Runs` as theta needs."""

    def __init__(self, runs, sides):
        self.plan, self.sides, self.paired, self.on_undefined = runs.plan, sides, True, runs.on_undefined

    difference = Runs.difference


# --- verdict -----------------------------------------------------------------------------------

class Claim:
    """Whether a difference is shown: by the test, and by the interval if there is one."""

    def __init__(self, test, interval, difference, alpha):
        self.low, self.high = (None, None) if interval is None else (interval["low"], interval["high"])
        by_test = test["p"] <= alpha and difference != 0
        by_interval = interval is None or (self.low > 0 if difference > 0 else self.high < 0)
        self.shown = by_test and by_interval
        self.borderline = interval is not None and by_test != by_interval


def verdict_of(difference, these, other, narrow, options):
    """The word and its notes; `narrow` is the interval for `margin`, or None."""
    notes = []
    margin, effect, superior = (options[k] for k in ("margin", "min_effect", "superior_by"))
    up = difference > 0
    if not these.shown:
        notes += ["borderline"] if these.borderline else []
        known = margin is not None and narrow is not None
        inside = known and -margin < narrow["low"] and narrow["high"] < margin
        return ("no_difference_that_matters" if inside else "no_difference_shown"), notes
    if margin is not None and abs(difference) < margin:
        notes.append("smaller_than_margin")
    if effect is not None and abs(difference) < effect:
        return "no_difference_that_matters", notes + ["smaller_than_min_effect"]
    if up and superior is not None and (these.low is None or these.low < superior):
        return "no_difference_shown", notes + ["not_superior"]
    word = "better" if up else "worse"
    return (word if other.shown else word + "_on_these_evals"), notes


def not_worse(margin, narrow, word):
    if narrow is None:
        return "inconclusive"
    if narrow["low"] > -margin:
        return "not_worse"
    return "worse" if word.startswith("worse") else "inconclusive"


# --- comparing ---------------------------------------------------------------------------------

def read_pair(case):
    options = options_of(case, MORE)
    base, candidate = case["base"], case["candidate"]
    pairs = Pairs(base, candidate)
    plan = read_plan(options, candidate, pairs.evals)
    runs = Runs(plan, pairs.sides(plan.layout), options["on_undefined"])
    return options, pairs, runs


def power_of(runs, other, rerun, options):
    n = runs.random_units()
    se_rerun = rerun.sd()
    used = runs.plan.used_questions
    r = add_up(runs.answers[q] for q in used) / len(used) if used else None
    result = {"n": n, "r": r, "se_rerun": se_rerun, "se_other": None}
    if other.ends is not None:
        result["se_other"] = other.sd() * math.sqrt((n + 1) / (n - 1))
        result.update(power(n, r, result["se_other"], se_rerun, options["min_effect"],
                            level=options["level"]))
    return result


def passes_alone(pairs):
    """McNemar's test over all common questions, if each has one answer in either run."""
    both = list(zip(*pairs.answers))
    if not both or any(len(a) != 1 or len(b) != 1 for a, b in both):
        return None
    passed = [[bool(x[0].get("passed") and not x[0].get("error")) for x in pair] for pair in both]
    return mcnemar(sum(b and not a for a, b in passed), sum(a and not b for a, b in passed))


def compare(case):
    """The candidate against the base; statistics_reference.py describes the case."""
    options, pairs, runs = read_pair(case)
    scores = runs.plain_scores()
    replaced = [options["on_undefined"] if x is None else x for x in scores]
    point = runs.difference(scores)
    result = {"base": replaced[0], "candidate": replaced[1], "unpaired": pairs.unpaired,
              "difference": runs.difference(replaced)}
    other = Interval(runs, "other", options, point)
    rerun = Interval(runs, "rerun", options, point)
    notes = notes_of(runs, other, rerun)
    if any(len(a) != len(b) for a, b in zip(*pairs.answers)):
        notes.append("unequal_answers")
    result.update(interval=other.ends, rerun_interval=rerun.ends, other=other.result(),
                  rerun=rerun.result(), n=runs.random_units(), mcnemar=passes_alone(pairs),
                  power=power_of(runs, other, rerun, options), labels=None, swaps=None,
                  verdict=None, notes=notes)
    if result["difference"] is None:
        return result

    dealing = Dealing(runs)
    result["labels"] = dealing.labels(options["seed"], options["shuffles"])
    result["swaps"] = dealing.swaps(options["seed"], options["shuffles"])
    # With one answer, the interval for other evals speaks of these evals also.
    first = other if rerun.refusal == "one_answer" else rerun
    alpha = round(1 - options["level"], 12)
    these = Claim(result["labels"], first.ends, result["difference"], alpha)
    others = Claim(result["swaps"], other.ends, result["difference"], alpha)
    if first.ends is None:
        notes.append("test_alone")
    narrow = first.ends_at(options["level"])
    result["narrow_interval"] = narrow
    result["verdict"], more = verdict_of(result["difference"], these, others, narrow, options)
    notes += more
    if options["not_worse_than"] is not None:
        result["not_worse"] = not_worse(options["not_worse_than"], narrow, result["verdict"])
    return result


# --- contributions -----------------------------------------------------------------------------

def contributions(case):
    """What each eval that the formula uses adds to the difference of the scores."""
    options, _, runs = read_pair(case)
    questions = {i: [q for q, (e, _) in enumerate(runs.layout.questions) if e == i]
                 for i in runs.plan.used_evals}
    players = list(questions)
    a, b = runs.sides

    def score(chosen):
        taken = {q for i in chosen for q in questions[players[i]]}
        side = Side(runs.layout, [(b if q in taken else a).answers[q] for q in range(len(a.answers))],
                    [(b if q in taken else a).weights[q] for q in range(len(a.answers))])
        x = side.value(runs.plan, Weights())
        return options["on_undefined"] if x is None else x

    result = shapley(len(players), score, options["seed"], options["pairs"])
    if result is None:
        raise Problem("undefined value")
    return {"evals": players, **result}


def term_contributions(case):
    """The same of the aggregates that differ, in order of appearance."""
    options, _, runs = read_pair(case)
    plan = runs.plan
    known = [{leaf: side.leaf_value(plan, leaf, Weights()) for leaf in plan.formula.leaves}
             for side in runs.sides]
    players = [leaf for leaf in plan.formula.leaves if known[0][leaf] != known[1][leaf]]

    def score(chosen):
        taken = {players[i] for i in chosen}
        x = plan.formula.value(lambda leaf: known[leaf in taken][leaf])
        return options["on_undefined"] if x is None else x

    result = shapley(len(players), score, options["seed"], options["pairs"], MOST_TERMS)
    if result is None:
        raise Problem("undefined value")
    return {"terms": [list(leaf[:3]) + [":".join(leaf.selector)] for leaf in players], **result}
