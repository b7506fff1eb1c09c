"""Suites, formulas and weighted aggregates of the statistics reference.

A layout says which evals, questions (cases) and units there are, a plan what a formula uses of
them, a side holds the answers of one run, weights say what each answer counts in one draw.
statistics_reference.py describes the data and lists the choices that decide bits.
"""

import math
from collections import namedtuple

from formula_reader import Names, Parser, SyntaxProblem
from formula_reference import Evaluator, column_value, divide, finite, is_unanswered, matches
from formula_reference import total as add_up

FEWEST_EVALS = 20    # with fewer evals, cases are the units
SMALLEST_STRATUM = 5  # evals of a stratum, or cases of an eval
RUN_WIDE = ("run",)

# function: mean sum median stddev percentile count min max success_pct pass_at pass_all share
Leaf = namedtuple("Leaf", "function column p selector")
Unit = namedtuple("Unit", "eval questions")
# A pseudo-eval or pseudo-answer: `of` is a unit or (question, answer), `passed` 0 or 1.
Copy = namedtuple("Copy", "of passed weight")


# --- pass@k ------------------------------------------------------------------------------------

def pass_at(answers, passed, k):
    if answers < k:
        return None
    if answers - passed < k:
        return 1.0
    missed = 1.0
    for i in range(answers - passed + 1, answers + 1):
        missed *= 1 - k / i
    return 1 - missed


def pass_all(answers, passed, k):
    if answers < k:
        return None
    share = 1.0
    for i in range(k):
        share *= (passed - i) / (answers - i)
    return share if passed >= k else 0.0


PASS_AT_K = {"pass_at": pass_at, "pass_all": pass_all}


# --- formulas ----------------------------------------------------------------------------------

class StatisticsParser(Parser):
    """The formula's parser, with `pass_at(k)` and `pass_all(k)`."""

    def parse_call(self, function):
        if function not in PASS_AT_K:
            return super().parse_call(function)
        self.expect("op", "(")
        k = self.constant(self.parse_or(), 1000, whole=True)
        glob = None
        if self.peek(","):
            self.take()
            glob = self.parse_string()
        self.expect("op", ")")
        return ("pass_k", function, k, glob)


class Tree(Evaluator):
    """A formula's value from the values of its leaves. Records the signs of denominators."""

    def __init__(self, metrics, leaf_value, signs=None):
        super().__init__([], {}, metrics)
        self.leaf_value = leaf_value
        self.signs = signs

    def value(self, node):
        if node[0] in ("run_wide", "eval", "aggregate", "pass_k"):
            return self.leaf_value(node)
        return super().value(node)

    def call(self, function, arguments):
        if function != "/":
            return super().call(function, arguments)
        numerator = self.value(arguments[0])
        denominator = None if numerator is None else self.value(arguments[1])
        if denominator is None:
            return None
        if self.signs is not None and denominator != 0:
            self.signs.setdefault(id(arguments), set()).add(denominator > 0)
        result = divide(numerator, denominator)
        return None if result is None else finite(result)


class Formula:
    def __init__(self, text, metrics, eval_names):
        names = Names([n for n in eval_names if n is not None], metrics)
        self.metrics = {n: StatisticsParser(t, names).parse() for n, t in metrics.items()}
        self.tree = StatisticsParser(text, names).parse()
        self.by_node = {}
        self.leaves = []
        for node in self.appearing(self.tree, ()):
            leaf = self.by_node.setdefault(id(node), self.leaf(node))
            if leaf not in self.leaves:
                self.leaves.append(leaf)

    def appearing(self, node, users):
        """The leaves from left to right, metrics expanded where they are used."""
        if node[0] == "metric":
            if node[1] in users:
                raise SyntaxProblem(f"metric {node[1]} uses itself")
            yield from self.appearing(self.metrics[node[1]], users + (node[1],))
        elif node[0] == "call":
            for argument in node[2]:
                yield from self.appearing(argument, users)
        elif node[0] != "number":
            yield node

    def leaf(self, node):
        if node[0] == "run_wide":
            if node[1] == "success_pct":
                return Leaf("success_pct", "passed", None, RUN_WIDE)
            how, column = node[1].split("_")
            return Leaf({"avg": "mean", "total": "sum"}.get(how, how), column, None, RUN_WIDE)
        if node[0] == "eval":
            column = node[2][1:]
            return Leaf("mean" if column else "share", column or "passed", None, ("eval", node[1]))
        function, column, p, glob = node[1:] if node[0] == "aggregate" else (
            node[1], "passed", node[2], node[3])
        p = p and Tree({}, None).value(p)
        if node[0] == "pass_k":
            p = int(p)
        return Leaf(function, column, p, RUN_WIDE if glob is None else ("glob", glob))

    def value(self, leaf_value, signs=None):
        return Tree(self.metrics, lambda node: leaf_value(self.by_node[id(node)]), signs).value(self.tree)


# --- layout and plan ---------------------------------------------------------------------------

class Layout:
    """Evals in plan order, their questions and their units. Each unit has a place: its index."""

    def __init__(self, evals, unit=None, smallest=SMALLEST_STRATUM):
        self.evals = evals
        self.by_name = {e["name"]: i for i, e in enumerate(evals) if e.get("name") is not None}
        cases = unit == "case" or (unit is None and len(evals) < FEWEST_EVALS)
        self.by_case = {i for i, e in enumerate(evals) if cases and len(e["cases"]) >= smallest}
        self.units = []
        self.questions = []  # (eval, case)
        self.unit_of = []    # of a question
        for i, e in enumerate(evals):
            numbers = range(len(self.questions), len(self.questions) + len(e["cases"]))
            self.questions += [(i, case) for case in range(len(e["cases"]))]
            for group in [[q] for q in numbers] if i in self.by_case else [list(numbers)]:
                self.unit_of += [len(self.units)] * len(group)
                self.units.append(Unit(i, group))

    def selects(self, selector, i):
        kind, *text = selector
        name = self.evals[i].get("name")
        if kind == "run":
            return True
        if name is None:
            return False
        return name == text[0] if kind == "eval" else matches(text[0], name, self.evals[i].get("tags", []))


class Plan:
    """What a formula uses: named evals, selectors, strata, fixed units, pass terms."""

    def __init__(self, layout, formula, smallest=SMALLEST_STRATUM):
        self.layout, self.formula = layout, formula
        leaves = formula.leaves
        self.selectors = list(dict.fromkeys(leaf.selector for leaf in leaves))
        self.members = {s: [u for u, unit in enumerate(layout.units) if layout.selects(s, unit.eval)]
                        for s in self.selectors}
        self.named = {layout.by_name[s[1]] for s in self.selectors if s[0] == "eval"}
        self.used = sorted(set().union(*self.members.values()))
        self.used_evals = sorted({layout.units[u].eval for u in self.used})
        self.used_questions = [q for u in self.used for q in layout.units[u].questions]

        groups = {}
        for u in self.used:
            i = layout.units[u].eval
            if i in layout.by_case:
                groups.setdefault(("cases", i), []).append(u)
            elif i not in self.named:
                signature = frozenset(s for s in self.selectors if u in self.members[s])
                groups.setdefault(signature, []).append(u)
        self.strata = [g for g in groups.values() if len(g) >= smallest]
        self.small_strata = [g for g in groups.values() if len(g) < smallest]
        self.random = {u for g in self.strata for u in g}
        self.fixed = [u for u in self.used if u not in self.random]
        self.one_stratum = len(self.strata) == 1 and not self.fixed

        self.terms = list(dict.fromkeys(leaf.selector for leaf in leaves if self.is_pass(leaf)))
        shares = {layout.by_name[leaf.selector[1]] for leaf in leaves if leaf.function == "share"}
        self.named_shares = sorted(i for i in shares if i not in layout.by_case)

    def is_pass(self, leaf):
        if leaf.function == "share":
            return self.layout.by_name[leaf.selector[1]] in self.layout.by_case
        return leaf.column == "passed" and leaf.function != "count" and leaf.selector[0] != "eval"

    def random_members(self, selector):
        return [u for u in self.members[selector] if u in self.random]

    def uses_extremes(self):
        return any(leaf.function in ("min", "max") for leaf in self.formula.leaves)

    def uses_figures(self):
        """Whether anything but passes and numbers of answers enters."""
        return any(leaf.column != "passed" for leaf in self.formula.leaves)

    def unnamed_question(self, q):
        i = self.layout.questions[q][0]
        return i not in self.named or i in self.layout.by_case

    def expected_shares(self, shares):
        """For each of several pass shares: (sum of the others + 1) / (their number + 1)."""
        result = []
        for i in range(len(shares)):
            others = add_up(share for j, share in enumerate(shares) if j != i)
            result.append((others + 1) / (len(shares) + 1))
        return result


# --- one run -----------------------------------------------------------------------------------

def as_sample(name, answer):
    """An answer as the formula reference wants it. An error is a failure; one that was never
    answered costs nothing."""
    sample = {k: v for k, v in answer.items() if v is not None}
    if name is not None:
        sample["name"] = name
    if answer.get("error"):
        sample["passed"] = 0
        if answer.get("latency") is None and answer.get("cost") is None:
            sample["cost"] = 0
    return sample


class Weights:
    """What the answers of one side count in one draw; without content, each counts its own
    weight."""

    def __init__(self):
        self.units = {}    # unit -> weight of all its answers; others 1
        self.counts = {}   # question -> how often each answer was picked
        self.factors = {}  # question -> weight of a pick
        self.deleted = {}  # question -> answer that is left out
        self.z = {}        # question -> normal number for pass_at
        self.pairs = {}    # selector -> copies, in the order of summation
        self.shares = {}   # named eval -> (weight of its answers or None, a, b)


class Side:
    """The answers of one run. `weights[q]` is the weight of each answer to question q, and
    `redrawn[q]` says whether asking again redraws them."""

    def __init__(self, layout, answers, weights=None, redrawn=None):
        self.layout = layout
        self.answers = [[as_sample(layout.evals[i].get("name"), a) for a in given]
                        for (i, _), given in zip(layout.questions, answers)]
        self.weights = weights or [1.0] * len(answers)
        self.redrawn = redrawn or [len(a) >= 2 for a in answers]
        self.first_pick = []
        picks = 0
        for q, given in enumerate(self.answers):
            self.first_pick.append(picks)
            picks += len(given) - 1 if self.redrawn[q] else 0
        self.starts = []
        number = 0
        for given in self.answers:
            self.starts.append(number)
            number += len(given)
        self.columns = {}
        self.sums = {}   # of units whose answers count as given
        self.sizes = {}  # (N, N_known)

    def column(self, leaf, shift=0.0):
        """By question and answer; None where unknown."""
        free = leaf.function == "sum" and leaf.column.endswith("_tokens")
        key = (leaf.column, free, shift)
        if key not in self.columns:
            def value(sample):
                x = column_value(sample, leaf.column)
                if x is None and free and is_unanswered(sample):
                    return 0.0
                return x if x is None else x - shift
            self.columns[key] = [[value(s) for s in given] for given in self.answers]
        return key, self.columns[key]

    def known_values(self, leaf, members):
        """All values of the selector's answers, with None for unknown ones."""
        column = self.column(leaf)[1]
        return [x for u in members for q in self.layout.units[u].questions for x in column[q]]

    def unit_share(self, u):
        passed, total = self.pass_sums([u])
        return passed / total

    def pass_sums(self, members):
        """Passes and answers, weighted."""
        leaf = Leaf("mean", "passed", None, None)
        key, column = self.column(leaf)
        passed = total = 0.0
        for u in members:
            weight, _, s, _ = self.unit_sums(key, column, u, Weights())
            passed += s
            total += weight
        return passed, total

    def share(self, members):
        passed, total = self.pass_sums(members)
        return passed / total

    def unit_sums(self, key, column, u, weights, power=1):
        """(weight, weight of known, sum of x, sum of x^2) of a unit before its own weight."""
        questions = self.layout.units[u].questions
        changed = any(q in weights.counts for q in questions)
        if not changed and (key, u) in self.sums:
            return self.sums[key, u]
        result = [0.0, 0.0, 0.0, 0.0]
        for q in questions:
            counts = weights.counts.get(q)
            inner = [0.0, 0.0, 0.0, 0.0]
            for j, x in enumerate(column[q]):
                c = 1 if counts is None else counts[j]
                inner[0] += c
                if x is not None:
                    inner[1] += c
                    inner[2] += c * x
                    inner[3] += c * (x * x)
            factor = weights.factors[q] if counts is not None else self.weights[q]
            for i in range(4):
                result[i] += factor * inner[i]
        if not changed:
            self.sums[key, u] = tuple(result)
        return tuple(result)

    # --- values of leaves ---

    def value(self, plan, weights, signs=None):
        """The formula's value in one draw; None where it is undefined."""
        known = {}

        def leaf_value(leaf):
            if leaf not in known:
                x = self.leaf_value(plan, leaf, weights)
                known[leaf] = None if x is None else finite(x)
            return known[leaf]
        return plan.formula.value(leaf_value, signs)

    def plain_value(self, plan):
        """The formula's value as the formula reference computes it, from sums over all samples."""
        samples = [s for given in self.answers for s in given]
        tags = {e["name"]: e.get("tags", []) for e in self.layout.evals if e.get("name") is not None}
        plain = Evaluator(samples, tags, plan.formula.metrics)
        nodes = {}
        for node in plan.formula.appearing(plan.formula.tree, ()):
            leaf = plan.formula.by_node[id(node)]
            if leaf not in nodes:
                nodes[leaf] = (self.leaf_value(plan, leaf, Weights()) if node[0] == "pass_k"
                               else plain.value(node))
        return plan.formula.value(nodes.get)

    def leaf_value(self, plan, leaf, weights):
        members = plan.members[leaf.selector]
        if leaf.function in PASS_AT_K:
            return self.pass_k_value(leaf, members, weights)
        given = self.known_values(leaf, members)
        if leaf.function == "count":
            total, known, _, size = self.totals(leaf, members, weights)
            return known / total * size[0] if total > 0 else 0.0
        strict = leaf.column == "cost" or (leaf.function == "sum" and leaf.column.endswith("_tokens"))
        if not any(x is not None for x in given) or (strict and None in given):
            return None
        if leaf.function in ("median", "percentile", "min", "max"):
            return self.ordered_value(leaf, members, weights)
        if leaf.function == "stddev":
            return self.stddev(leaf, members, weights, given)
        i = self.layout.by_name.get(leaf.selector[-1]) if leaf.function == "share" else None
        if i in weights.shares:
            return self.smoothed_share(leaf, members, *weights.shares[i], weights)
        total, known, s, size = self.totals(leaf, members, weights)
        if known <= 0:
            return None
        if leaf.function == "success_pct":
            return 100 * s[0] / total
        return s[0] / total * size[0] if leaf.function == "sum" else s[0] / known

    def totals(self, leaf, members, weights, shift=0.0):
        """Weight, weight of known, (sum of x, sum of x^2), (N, N_known)."""
        key, column = self.column(leaf, shift)
        total = known = s = square = 0.0
        for u in members:
            w = weights.units.get(u, 1.0)
            sums = self.unit_sums(key, column, u, weights)
            total += w * sums[0]
            known += w * sums[1]
            s += w * sums[2]
            square += w * sums[3]
        for copy in weights.pairs.get(leaf.selector, ()):
            sums = self.copy_sums(key, column, copy)
            if leaf.column == "passed":
                x = copy.passed - shift
                sums = (sums[0], sums[0], sums[0] * x, sums[0] * (x * x))
            total += copy.weight * sums[0]
            known += copy.weight * sums[1]
            s += copy.weight * sums[2]
            square += copy.weight * sums[3]
        if (key, leaf.selector) not in self.sizes:
            plain = [self.unit_sums(key, column, u, Weights()) for u in members]
            self.sizes[key, leaf.selector] = (add_up(x[0] for x in plain), add_up(x[1] for x in plain))
        return total, known, (s, square), self.sizes[key, leaf.selector]

    def copy_sums(self, key, column, copy):
        if isinstance(copy.of, int):
            return self.unit_sums(key, column, copy.of, Weights())
        x = column[copy.of[0]][copy.of[1]]
        return (1.0, 0.0, 0.0, 0.0) if x is None else (1.0, 1.0, x, x * x)

    def smoothed_share(self, leaf, members, weight, a, b, weights):
        key, column = self.column(leaf)
        r = s = 0.0
        for u in members:
            r += self.unit_sums(key, column, u, Weights())[0]
            s += self.unit_sums(key, column, u, weights)[2]
        if weight is not None:
            r, s = weight * r, weight * s
        return (s + b) / (r + a + b)

    def stddev(self, leaf, members, weights, given):
        known = [x for x in given if x is not None]
        shift = add_up(known) / len(known)
        total, known, (s, square), (_, size) = self.totals(leaf, members, weights, shift)
        if known <= 0 or size <= 1:
            return None
        mean = s / known
        return math.sqrt(max(0.0, square / known - mean * mean) * (size / (size - 1)))

    def ordered_value(self, leaf, members, weights):
        column = self.column(leaf)[1]
        entries = []  # (x, after the real samples, order, weight)
        for u in members:
            w = weights.units.get(u, 1.0)
            for q in self.layout.units[u].questions:
                counts = weights.counts.get(q)
                for j, x in enumerate(column[q]):
                    if x is not None:
                        one = self.weights[q] if counts is None else weights.factors[q] * counts[j]
                        entries.append((x, 0, self.starts[q] + j, w * one))
        for number, copy in enumerate(weights.pairs.get(leaf.selector, ())):
            of = ([(q, j) for q in self.layout.units[copy.of].questions for j in range(len(column[q]))]
                  if isinstance(copy.of, int) else [copy.of])
            for q, j in of:
                x = column[q][j]
                one = self.weights[q] if isinstance(copy.of, int) else 1.0
                if x is not None:
                    x = float(copy.passed) if leaf.column == "passed" else x
                    entries.append((x, 1 + number, self.starts[q] + j, copy.weight * one))
        entries = [(x, w) for x, _, _, w in sorted(entries) if w > 0]
        if not entries:
            return None
        if leaf.function in ("min", "max"):
            return entries[0 if leaf.function == "min" else -1][0]
        return weighted_percentile(entries, 50.0 if leaf.function == "median" else leaf.p)

    # --- pass@k ---

    def pass_k(self, leaf, q, without=None):
        """pass@k or pass^k of a question, perhaps without one of its answers."""
        passes = [s["passed"] for j, s in enumerate(self.answers[q]) if j != without]
        return PASS_AT_K[leaf.function](len(passes), sum(1 for p in passes if p), leaf.p)

    def pass_k_noise(self, leaf, q):
        """The variance of pass@k by deleting one answer at a time."""
        r = len(self.answers[q])
        return deletion_variance([self.pass_k(leaf, q, j) for j in range(r)], r)

    def pass_k_value(self, leaf, members, weights):
        total = s = 0.0
        for u in members:
            unit = 0.0
            for q in self.layout.units[u].questions:
                theta = self.pass_k(leaf, q, weights.deleted.get(q))
                if theta is None:
                    return None
                if q in weights.z:
                    theta += math.sqrt(self.pass_k_noise(leaf, q)) * weights.z[q]
                unit += theta
            w = weights.units.get(u, 1.0)
            total += w * len(self.layout.units[u].questions)
            s += w * unit
        for copy in weights.pairs.get(leaf.selector, ()):
            questions = len(self.layout.units[copy.of].questions) if isinstance(copy.of, int) else 1
            total += copy.weight * questions
            s += copy.weight * (questions * copy.passed)
        return min(max(s / total, 0.0), 1.0) if total > 0 else None


def weighted_percentile(entries, p):
    """`entries` are (x, weight) in order, each weight above 0."""
    middles = []
    total = 0.0
    for _, w in entries:
        total += w
        middles.append(total - w / 2)
    t = middles[0] + p / 100 * (middles[-1] - middles[0])
    for k in range(1, len(entries)):
        if t < middles[k]:
            low, high = entries[k - 1][0], entries[k][0]
            return low + (high - low) * ((t - middles[k - 1]) / (middles[k] - middles[k - 1]))
    return entries[-1][0]


def deletion_variance(thetas, size):
    """(size - 1) / size * sum of squared deviations; undefined values are left out."""
    known = [x for x in thetas if x is not None]
    if not known:
        return 0.0
    mean = add_up(known) / len(known)
    return (size - 1) / size * add_up((x - mean) * (x - mean) for x in known)
