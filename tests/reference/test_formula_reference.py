"""Compares the engine's formulas with the reference on random and on damaged formulas.

VIBE_BUILD is the build folder; VIBE_SEED replaces the fixed seed. The engine is asked through
tests/tools/formula_driver: one JSON object per line in, one per line out.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile

from formula_reader import COLUMN_FUNCTIONS, COLUMNS, RUN_WIDE, SyntaxProblem
from formula_reference import INEXACT, Case

DEFAULT_SEED = 20240917
VALID_FORMULAS = 12500
DAMAGED_FORMULAS = 4500
HYPHENATED_FORMULAS = 3000
CYCLES = 50
FORMULAS_PER_SUITE = 5
DRIVER_SECONDS = 300
REPORTED = 10

CERTAINLY_UNDEFINED = {"E0111", "E0112"}
UNMATCHED_GLOB = "E0116"
METRIC_CYCLE = "E0113"
# Errors about a formula that could be read; the reference does not look for them.
BEYOND_READING = CERTAINLY_UNDEFINED | {METRIC_CYCLE, "E0114", UNMATCHED_GLOB}
MOST_BEYOND_READING = 0.20

# Chosen so that many texts have two readings.
EVAL_NAMES = [
    "a", "b", "c", "a-b", "b-c", "a-b-c", "3-shot", "2nd-try", "x", "x-1", "critical-math",
    "critical-math-1", "total", "not-a", "min", "max-2", "latency", "cost", "e", "2e", "1e5x", "_p",
    "under_score", "a-min", "b-max", "x-abs", "x-1-b", "or-b", "1-2", "passed",
]
COLLIDING = ["a", "b", "c", "a-b", "b-c", "a-b-c", "x", "x-1", "x-1-b", "not-a", "or-b", "2e", "e", "max-2",
             "a-min", "b-max", "x-abs"]
METRIC_NAMES = ["m", "m-a", "a-m", "quality", "c-2", "b-c-m", "if"]
TAGS = ["core", "slow", "a"]
NUMBERS = ["1", "2", "3", "0.5", ".25", "5.", "10", "2e-3", "1E+2", "100", "7.125", "1.005", "0"]
STEPWISE = {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "if", "floor", "ceil", "round", "clamp"}
FRAGMENTS = list("-_.()+*/^<>=!,\"{}0159eEabx \t") + [
    "-", "-", "-", "--", " - ", "a-", "-b", "and", " or ", "not-", "min(", "latency", "mean(", "cost",
    "_cost", "_latency", "{a}", "1e", "e-3", ".5", "\"*\"", "(a)", "==", "<", "&&", "−", "x-1", ",1", "\n",
]


# --- random suites and formulas ----------------------------------------------------------------

class Suite:
    def __init__(self, rng):
        pool = rng.choice((EVAL_NAMES, COLLIDING))
        self.evals = rng.sample(pool, rng.randint(1, 12))
        self.tags = {n: rng.sample(TAGS, rng.randint(0, 2)) for n in self.evals}
        self.metric_names = rng.sample(METRIC_NAMES, rng.choice((0, 0, 1, 2, 3)))
        self.metrics = []
        self.inexact_metrics = set()
        self.samples = make_samples(rng, self.evals)

    def case(self, formula, metrics=None):
        return {"formula": formula, "metrics": self.metrics if metrics is None else metrics,
                "evals": [{"name": n, "tags": t} for n, t in self.tags.items()],
                "samples": self.samples}


def make_samples(rng, evals):
    unknown_cost = rng.choice((0, 0, 0, 0, 0.1))
    no_response = rng.choice((0, 0, 0.1, 0.3))
    unnamed = rng.choice((0, 0, 0.2))
    rows = []
    for name in evals:
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 3, 4, 5))):
            rows.append({} if rng.random() < unnamed else {"name": name})
    rng.shuffle(rows)
    for row in rows:
        row["passed"] = rng.random() < 0.6
        row["latency"] = None if rng.random() < no_response else rng.choice(
            (0, 0.5, 1.5, 2.0, rng.uniform(0.01, 9), round(rng.uniform(0.1, 9), 2)))
        row["cost"] = None if rng.random() < unknown_cost else rng.choice(
            (0, 0.001, 0.25, rng.uniform(0, 0.1), round(rng.uniform(0, 1), 4)))
        for column in ("prompt_tokens", "completion_tokens"):
            row[column] = rng.choice((None, 0, 17, rng.randint(1, 5000), rng.randint(1, 5000)))
        for column, most in (("output_quality", 1), ("structure_score", 1), ("fitness", 100)):
            row[column] = None if rng.random() < no_response else rng.choice(
                (0, most, round(rng.uniform(0, most), 2)))
    return rows


class Writer:
    """Writes random formulas as lists of tokens, one method per rule of the grammar."""

    def __init__(self, rng, suite, metrics):
        self.rng = rng
        self.suite = suite
        self.metrics = metrics          # those that may be used
        self.exact = False              # inside a part where the last bit may decide

    def exactly(self, rule, *arguments):
        before, self.exact = self.exact, True
        tokens = rule(*arguments)
        self.exact = before
        return tokens

    def chain(self):
        """A difference, often of words that make up a longer name, some of them functions."""
        evals = set(self.suite.evals)
        composed = [parts for parts in (name.split("-") for name in self.suite.evals)
                    if len(parts) > 1 and all(p in evals or p in NUMBERS for p in parts)]
        tokens = []
        for _ in range(self.rng.randint(2, 5)):
            words = self.leaf()
            if composed and self.rng.random() < 0.4:
                words = self.rng.choice(composed)
            for word in words:
                tokens += ["-", word]
            if self.rng.random() < 0.2:
                tokens += ["-"] + self.called(self.rng.choice(("min", "max", "abs")), [self.leaf()])
        return tokens[1:]

    def expression(self, depth):
        if self.rng.random() < 0.85:
            return self.sum(depth)
        return self.exactly(self.logic, depth)

    def logic(self, depth):
        tokens = self.negation(depth)
        while self.rng.random() < 0.35:
            tokens += [self.rng.choice(("and", "or"))] + self.negation(depth - 1)
        return tokens

    def negation(self, depth):
        if self.rng.random() < 0.25:
            return ["not"] + self.negation(depth - 1)
        tokens = self.sum(depth - 1)
        if self.rng.random() < 0.6:
            tokens += [self.rng.choice(("<", "<=", ">", ">=", "==", "!="))] + self.sum(depth - 1)
        return tokens

    def sum(self, depth):
        tokens = self.term(depth)
        while self.rng.random() < 0.4:
            tokens += [self.rng.choice("+---")] + self.term(depth - 1)
        return tokens

    def term(self, depth):
        tokens = self.unary(depth)
        while self.rng.random() < 0.25:
            tokens += [self.rng.choice("**/")] + self.unary(depth - 1)
        return tokens

    def unary(self, depth):
        if self.rng.random() < 0.08:
            return [self.rng.choice("--+")] + self.unary(depth - 1)
        tokens = self.atom(depth)
        if not self.exact and self.rng.random() < 0.05:
            tokens += ["^"] + self.unary(depth - 1)
        return tokens

    def atom(self, depth):
        pick = self.rng.random()
        if depth <= 0 or pick < 0.5:
            return self.leaf()
        if pick < 0.62:
            return ["("] + self.expression(depth - 1) + [")"]
        if pick < 0.75:
            return self.aggregate()
        return self.call(depth - 1)

    def leaf(self):
        pick = self.rng.random()
        if pick < 0.2:
            return [self.rng.choice(NUMBERS)]
        if pick < 0.3:
            return [self.rng.choice(RUN_WIDE)]
        if pick < 0.42 and self.metrics:
            name = self.rng.choice(self.metrics)
            if not (self.exact and name in self.suite.inexact_metrics):
                return [self.rng.choice((name, "{" + name + "}"))]
        name = self.rng.choice(self.suite.evals)
        suffix = self.rng.choice(("", "", "", "_latency", "_cost"))
        braced = name == "1-2" or self.rng.random() < 0.2
        return ["{" + name + "}" + suffix if braced else name + suffix]

    def call(self, depth):
        name = self.rng.choice(
            ("min", "max", "abs", "sqrt", "floor", "ceil", "round", "clamp", "if", "default", "default")
            + (() if self.exact else ("log", "log2", "log10", "exp", "pow")))
        one = self.expression
        if name in ("min", "max"):
            arguments = [one(depth) for _ in range(self.rng.randint(1, 4))]
        elif name in ("floor", "ceil", "round"):
            arguments = [self.exactly(one, depth)]
            if name == "round" and self.rng.random() < 0.4:
                arguments = self.tie()
            elif name == "round" and self.rng.random() < 0.6:
                arguments.append([str(self.rng.choice((0, 1, 2, 3, 15)))])
        elif name == "clamp":
            arguments = [self.exactly(one, depth), self.exactly(self.leaf),
                         self.exactly(one, depth - 1)]
        elif name == "if":
            arguments = [self.exactly(self.logic, depth), one(depth), one(depth)]
        elif name in ("pow", "default"):
            arguments = [one(depth), one(depth - 1)]
        else:
            arguments = [one(depth)]
        return self.called(name, arguments)

    def tie(self):
        """Arguments of `round` that ask for the digit just before a final 5."""
        fraction = self.rng.choice(("", "0", "1", "67", "12", "004")) + "5"
        number = [f"{self.rng.randint(0, 99)}.{fraction}"]
        if self.rng.random() < 0.7:
            number += ["*", self.rng.choice([n for n in self.suite.evals if n != "1-2"] or ["2"])]
        return [self.rng.choice((["-"], [])) + number, [str(len(fraction) - 1)]]

    def aggregate(self):
        rng = self.rng
        name = rng.choice(COLUMN_FUNCTIONS + ("min", "max", "pass_rate"))
        if name == "pass_rate":
            return self.called(name, [[self.selector()]])
        arguments = [[rng.choice(COLUMNS)]]
        if name == "percentile":
            arguments.append([rng.choice(("0", "25", "50", "90", "95", "99.9", "100"))])
        if rng.random() < 0.5:
            arguments.append([self.selector()])
        return self.called(name, arguments)

    def selector(self):
        name = self.rng.choice(self.suite.evals)
        if self.rng.random() < 0.3 and self.suite.tags[name]:
            return '"tag:' + self.rng.choice(self.suite.tags[name]) + '"'
        cut = self.rng.randint(0, len(name))
        text = self.rng.choice((name, name[:cut] + "*", "*" + name[cut:], "*", name[:-1] + "?"))
        return f'"{text}"'

    @staticmethod
    def called(name, arguments):
        tokens = [name, "("] + arguments[0]
        for argument in arguments[1:]:
            tokens += [","] + argument
        return tokens + [")"]


def join(rng, tokens):
    """Tokens as text; space stands between two words, and elsewhere as chance will have it."""
    density = rng.choice((0, 0.2, 0.5, 1))
    hyphen_density = rng.choice((0, 0, 0.3, 1))
    text = tokens[0]
    for token in tokens[1:]:
        near_hyphen = token == "-" or text[-1] == "-"
        touching = (text[-1].isalnum() or text[-1] in "_.") and (token[0].isalnum() or token[0] in "_.")
        if touching or rng.random() < (hyphen_density if near_hyphen else density):
            text += rng.choice((" ", " ", " ", "  ", "\t", "\n", "\r\n"))
        text += token
    return text


def hyphenate(rng, suite):
    """Names, parts of names and numbers strung together by hyphens, readable or not."""
    names = suite.evals + suite.metric_names
    parts = names * 3 + [part for name in names for part in name.split("-")]
    parts += [n + s for n in suite.evals for s in ("_cost", "_latency")]
    parts += ["1", "2", "2e", "1.5", ".5", "1e5", "3.", "success_pct", "not", "total_cost"]
    calls = ["min(", "max (", "abs(", "not(", "2(", "-abs(", "mean("]
    text = rng.choice(("", "", "", "-", "not-", "not "))
    opened = 0
    for i in range(rng.randint(1, 6)):
        if i:
            text += rng.choice(("-", "-", "-", "-", "-", "-", "--", " -", "- ", "+", " and ", " or-", "."))
        if rng.random() < 0.1:
            text += rng.choice(calls)
            opened += 1
        part = rng.choice(parts)
        text += "{" + part + "}" + rng.choice(("", "_cost")) if rng.random() < 0.06 else part
    return text + ")" * opened


def damage(rng, text):
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randint(0, len(text))
        end = min(len(text), at + rng.choice((1, 1, 1, 2, 5)))
        text = rng.choice((
            text[:at] + text[end:],
            text[:at] + rng.choice(FRAGMENTS) + text[at:],
            text[:at] + rng.choice(FRAGMENTS) + text[at:],
            text[:at] + rng.choice(FRAGMENTS) + text[end:],
            text[:at] + text[at:end][::-1] + text[end:],
            text[:at] + text[at:end] + text[at:],
            text.replace(" ", "", 1),
        ))
    return text


def readable(case):
    try:
        return Case(case)
    except SyntaxProblem:
        return None


def write_formula(rng, suite, metrics, most=400):
    """A formula as chance spaces it, and the same with a space at every seam."""
    while True:
        writer = Writer(rng, suite, metrics)
        tokens = writer.chain() if rng.random() < 0.2 else writer.expression(rng.randint(0, 4))
        text = join(rng, tokens)
        if len(text) <= most:
            return text, " ".join(tokens)


def make_suite(rng):
    suite = Suite(rng)
    names = suite.metric_names
    for i, name in enumerate(names):
        while True:
            text, _ = write_formula(rng, suite, names[:i], most=80)
            others = [[n, "1"] for n in names if n != name]
            reference = readable(suite.case(text, [[name, text]] + others))
            if reference:
                break
        # A word without spaces may name a metric that was not asked for: look at what was read.
        used = {n[1] for n in reference.nodes() if n[0] == "metric"}
        if used - set(names[:i]):
            text, used = "1", set()
        suite.metrics.append([name, text])
        if reference.calls() & set(INEXACT) or used & suite.inexact_metrics:
            suite.inexact_metrics.add(name)
    rng.shuffle(suite.metrics)
    return suite


def make_cases(rng):
    """(kind, case) pairs. The kinds: valid; respelled, where missing spaces gave a valid formula
    another reading; misread, where they left none; hyphenated; damaged; cycle."""
    cases = []
    valid = 0
    while valid < VALID_FORMULAS:
        suite = make_suite(rng)
        for _ in range(FORMULAS_PER_SUITE):
            text, spaced = write_formula(rng, suite, suite.metric_names)
            case = suite.case(text)
            reference = readable(case)
            kind = "misread"
            if reference:
                valid += 1
                kind = "valid" if reference.tree == Case(suite.case(spaced)).tree else "respelled"
            cases.append((kind, case))
    for _ in range(HYPHENATED_FORMULAS // FORMULAS_PER_SUITE):
        suite = make_suite(rng)
        cases += [("hyphenated", suite.case(hyphenate(rng, suite))) for _ in range(FORMULAS_PER_SUITE)]
    sources = [case for kind, case in cases if kind in ("valid", "respelled")]
    for _ in range(DAMAGED_FORMULAS):
        source = rng.choice(sources)
        case = dict(source, formula=damage(rng, source["formula"]))
        if case["metrics"] and rng.random() < 0.1:
            (name, text), *others = source["metrics"]
            case = dict(source, metrics=[[name, damage(rng, text)]] + others)
        cases.append(("damaged", case))
    for _ in range(CYCLES):
        length = rng.randint(1, 4)
        names = [f"cycle{i}" for i in range(length)]
        metrics = [[n, f"1 + {names[(i + 1) % length]}"] for i, n in enumerate(names)]
        cases.append(("cycle", dict(rng.choice(sources), formula="success_pct", metrics=metrics)))
    return cases


# --- comparison --------------------------------------------------------------------------------

def ask(driver, cases):
    with tempfile.TemporaryDirectory() as folder:
        questions = os.path.join(folder, "questions")
        answers = os.path.join(folder, "answers")
        with open(questions, "w", encoding="utf-8") as out:
            for _, case in cases:
                out.write(json.dumps(case) + "\n")
        with open(questions, "rb") as stdin, open(answers, "wb") as stdout:
            status = subprocess.run([driver], stdin=stdin, stdout=stdout,
                                    timeout=DRIVER_SECONDS).returncode
        with open(answers, encoding="utf-8") as lines:
            # Numbers stay text, so that two of them can be compared to the last bit.
            read = [json.loads(line, parse_float=str, parse_int=str) for line in lines
                    if line.endswith("\n")]
    if status or len(read) != len(cases):
        print(f"{driver} ended with status {status} after {len(read)} of {len(cases)} answers")
        for _, case in cases[len(read):len(read) + 1]:
            print(f"next was {json.dumps(case)}")
        sys.exit(1)
    return read


class Comparison:
    def __init__(self):
        self.counts = {}
        self.mismatches = []

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def compare(self, kind, case, answer):
        """One sentence for what differs, or None."""
        self.count(kind)
        reference = readable(case)
        errors = {c for c in answer["codes"] if c.startswith("E")}
        if answer["ok"] != (not errors):
            return f"ok is {answer['ok']} with codes {answer['codes']}"
        if reference is None:
            self.count("refused by the reference")
            if kind == "cycle":
                return None if errors else "cycle accepted"
            # Damage may make a cycle, too: `a-m` of what was `a-min`, in a metric of that name.
            if errors - BEYOND_READING or METRIC_CYCLE in errors:
                return None
            return "engine accepts, reference refuses"
        if reference.computed_constant:
            # Whether `round(x, 1 + 1)` has a constant there is for the engine to say.
            self.count("computed constants")
            if errors:
                return None
        if errors - BEYOND_READING:
            return "engine refuses, reference accepts"
        if (UNMATCHED_GLOB in errors) != bool(reference.unmatched_globs()):
            return f"globs without a match by the reference: {reference.unmatched_globs()}"
        if errors:
            self.count(f"{kind} beyond reading")
            if errors & CERTAINLY_UNDEFINED and not reference.somewhere_undefined():
                return "engine calls it certainly undefined, no part of it is"
            return None
        return self.compare_values(case, reference, answer)

    def compare_values(self, case, reference, answer):
        if answer["batch"] != answer["value"]:
            return f"batch {answer['batch']} is not value {answer['value']}"
        if (answer["score_error"] is None) != (answer["value"] is not None):
            return "score_error must be given exactly where the value is undefined"
        calls = reference.calls()
        inexact = bool(calls & set(INEXACT))
        expected = {"": reference.value()}
        expected.update((name, reference.metric(name)) for name, _ in case["metrics"])
        got = {"": answer["value"], **answer["metrics"]}
        if set(got) != set(expected):
            return f"metrics {sorted(got)}"
        self.count("undefined" if expected[""] is None else "defined")
        for name, value in expected.items():
            text = got[name]
            if not same(value, None if text is None else float(text), inexact):
                if inexact and calls & STEPWISE:
                    self.count("a step after an inexact function")
                    continue
                return f"{name or 'value'}: reference {value!r}, engine {text}"
        return None


def same(expected, got, inexact):
    if expected is None or got is None:
        return expected is got
    return expected == got or (inexact and math.isclose(expected, got, rel_tol=1e-12))


def main():
    driver = os.path.join(os.environ["VIBE_BUILD"], "tests", "tools", "formula_driver")
    seed = int(os.environ.get("VIBE_SEED", DEFAULT_SEED))
    print(f"seed {seed} (VIBE_SEED replaces it)", flush=True)
    cases = make_cases(random.Random(seed))
    answers = ask(driver, cases)
    comparison = Comparison()
    failed = []
    for (kind, case), answer in zip(cases, answers):
        sentence = comparison.compare(kind, case, answer)
        if sentence:
            failed.append("\n  ".join((
                f"{kind}: {sentence}", f"formula {case['formula']!r}",
                f"metrics {case['metrics']}",
                f"evals   {[(e['name'], e['tags']) for e in case['evals']]}",
                f"engine  {answer}", f"case    {json.dumps(case)}")))
    beyond = sum(comparison.counts.get(k + " beyond reading", 0) for k in ("valid", "respelled"))
    if beyond > MOST_BEYOND_READING * VALID_FORMULAS:
        failed.append(f"{beyond} of the valid formulas got no value")
    if comparison.counts.get("a step after an inexact function", 0) > 5:
        failed.append("too many differences put down to inexact functions")
    print(", ".join(f"{n} {what}" for what, n in comparison.counts.items()))
    for text in failed[:REPORTED]:
        print(text)
    print(f"{len(failed)} mismatches")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
