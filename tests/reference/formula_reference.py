"""A second implementation of the scoring formula, for comparison with the engine.

It is written for clarity, not speed, and shares no code with the engine. Samples are plain
dictionaries; an undefined value is None.
"""

import decimal
import math
import re

from formula_reader import Names, Parser, SyntaxProblem, walk

INEXACT = ("^", "pow", "exp", "log", "log2", "log10")


def finite(x):
    return x if math.isfinite(x) else None


def divide(x, y):
    return None if y == 0 else x / y


def power(x, y):
    if (x == 0 and y < 0) or (x < 0 and y != math.floor(y)):
        return None
    try:
        return math.pow(x, y)
    except OverflowError:
        return None


def exponential(x):
    try:
        return math.exp(x)
    except OverflowError:
        return None


def logarithm(function):
    return lambda x: function(x) if x > 0 else None


def round_decimal(x, digits=0.0):
    if digits not in range(16):
        return None
    with decimal.localcontext() as context:
        context.prec = 800
        shortest = decimal.Decimal(repr(x))
        step = decimal.Decimal(1).scaleb(-int(digits))
        return float(shortest.quantize(step, decimal.ROUND_HALF_UP))


def clamp(x, lo, hi):
    return None if lo > hi else lo if x < lo else hi if x > hi else x


# Functions of defined values; each may answer None. `if`, `default`, `and`, `or` stand apart.
STRICT = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": divide,
    "^": power, "pow": power, "negate": lambda x: -x, "plus": lambda x: x,
    "<": lambda x, y: float(x < y), "<=": lambda x, y: float(x <= y),
    ">": lambda x, y: float(x > y), ">=": lambda x, y: float(x >= y),
    "==": lambda x, y: float(x == y), "!=": lambda x, y: float(x != y),
    "not": lambda x: float(x == 0), "min": lambda *a: min(a), "max": lambda *a: max(a),
    "abs": abs, "sqrt": lambda x: math.sqrt(x) if x >= 0 else None,
    "log": logarithm(math.log), "log2": logarithm(math.log2), "log10": logarithm(math.log10),
    "exp": exponential, "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)), "round": round_decimal, "clamp": clamp,
}


def total(values):
    result = 0.0
    for value in values:
        result += value
    return result


def mean(values):
    return total(values) / len(values)


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def stddev(values):
    if len(values) < 2:
        return None
    middle = mean(values)
    return math.sqrt(total((x - middle) * (x - middle) for x in values) / (len(values) - 1))


def percentile(values, p):
    if p is None or not 0 <= p <= 100:
        return None
    ordered = sorted(values)
    position = p / 100 * (len(ordered) - 1)
    low = math.floor(position)
    fraction = position - low
    if fraction == 0:
        return ordered[low]
    return ordered[low] + (ordered[low + 1] - ordered[low]) * fraction


AGGREGATES = {"mean": mean, "sum": total, "median": median, "stddev": stddev,
              "min": min, "max": max}


def column_value(sample, column):
    if column == "passed":
        return 1.0 if sample["passed"] else 0.0
    if column == "total_tokens":
        parts = (sample.get("prompt_tokens"), sample.get("completion_tokens"))
        return None if None in parts else float(sum(parts))
    value = sample.get(column)
    return None if value is None else float(value)


def is_unanswered(sample):
    return not sample["passed"] and sample.get("latency") is None and sample.get("cost") == 0


def aggregate(function, column, p, samples):
    values = [column_value(s, column) for s in samples]
    is_sum_of_tokens = function == "sum" and column.endswith("_tokens")
    if is_sum_of_tokens:
        values = [0.0 if v is None and is_unanswered(s) else v for v, s in zip(values, samples)]
    known = [v for v in values if v is not None]
    if function == "count":
        return float(len(known))
    if not known or ((column == "cost" or is_sum_of_tokens) and len(known) < len(values)):
        return None
    result = percentile(known, p) if function == "percentile" else AGGREGATES[function](known)
    return None if result is None else finite(result)


def matches(glob, name, tags):
    if glob.startswith("tag:"):
        return glob[len("tag:"):] in tags
    parts = {"*": ".*", "?": "."}
    pattern = "".join(parts.get(c) or re.escape(c) for c in glob)
    return re.fullmatch(pattern, name) is not None


class Evaluator:
    def __init__(self, samples, tags, metrics):
        self.samples = samples
        self.tags = tags          # eval name -> tags
        self.metrics = metrics    # metric name -> tree
        self.metric_values = {}

    def value(self, node):
        kind = node[0]
        if kind == "number":
            return node[1]
        if kind == "metric":
            return self.metric(node[1])
        if kind == "run_wide":
            return self.run_wide(node[1])
        if kind == "eval":
            of_eval = [s for s in self.samples if s.get("name") == node[1]]
            return aggregate("mean", node[2][1:] or "passed", None, of_eval)
        if kind == "aggregate":
            _, function, column, p, glob = node
            return aggregate(function, column, p and self.value(p), self.select(glob))
        return self.call(node[1], node[2])

    def metric(self, name):
        if name not in self.metric_values:
            self.metric_values[name] = self.value(self.metrics[name])
        return self.metric_values[name]

    def run_wide(self, name):
        if name == "success_pct":
            passed = aggregate("sum", "passed", None, self.samples)
            return None if passed is None else 100 * passed / len(self.samples)
        how, column = name.split("_")
        function = {"avg": "mean", "total": "sum"}.get(how, how)
        return aggregate(function, column, None, self.samples)

    def select(self, glob):
        if glob is None:
            return self.samples
        return [s for s in self.samples
                if s.get("name") is not None and matches(glob, s["name"], self.tags[s["name"]])]

    def call(self, function, arguments):
        first = self.value(arguments[0])
        if function == "default":
            return self.value(arguments[1]) if first is None else first
        if first is None:
            return None
        if function == "if":
            return self.value(arguments[1] if first != 0 else arguments[2])
        if function in ("and", "or"):
            if (first != 0) == (function == "or"):
                return float(first != 0)
            second = self.value(arguments[1])
            return None if second is None else float(second != 0)
        values = [first] + [self.value(a) for a in arguments[1:]]
        if None in values:
            return None
        result = STRICT[function](*values)
        return None if result is None else finite(result)


# --- a whole case ------------------------------------------------------------------------------

class Case:
    """One formula with its metrics, evals and samples; raises SyntaxProblem when unreadable."""

    def __init__(self, case):
        self.tags = {e["name"]: e.get("tags", []) for e in case["evals"]}
        names = Names(self.tags, [name for name, _ in case["metrics"]])
        parsers = {name: Parser(text, names) for name, text in case["metrics"]}
        self.metrics = {name: parser.parse() for name, parser in parsers.items()}
        parser = Parser(case["formula"], names)
        self.tree = parser.parse()
        self.computed_constant = any(
            p.computed_constant for p in (parser, *parsers.values()))
        for name in self.metrics:
            self.refuse_cycle(name, ())
        self.evaluator = Evaluator(case["samples"], self.tags, self.metrics)

    def refuse_cycle(self, name, users):
        if name in users:
            raise SyntaxProblem(f"metric {name} uses itself")
        for node in walk(self.metrics[name]):
            if node[0] == "metric":
                self.refuse_cycle(node[1], users + (name,))

    def value(self):
        return self.evaluator.value(self.tree)

    def metric(self, name):
        return self.evaluator.metric(name)

    def nodes(self):
        """Every node of the formula and of all metrics, used or not."""
        for tree in (self.tree, *self.metrics.values()):
            yield from walk(tree)

    def calls(self):
        return {node[1] for node in self.nodes() if node[0] == "call"}

    def somewhere_undefined(self):
        """Whether any part is undefined when computed on its own, needed or not."""
        return any(self.evaluator.value(node) is None for node in self.nodes())

    def unmatched_globs(self):
        globs = {n[4] for n in self.nodes() if n[0] == "aggregate" and n[4] is not None}
        return {g for g in globs if not any(matches(g, n, t) for n, t in self.tags.items())}
