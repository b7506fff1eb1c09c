"""Tests of the reference itself against cases worked out by hand."""

import random
import unittest

from formula_reader import Names, SyntaxProblem, tokenize
from formula_reference import Case

U = None  # undefined
EVALS = ["a", "b", "a-b", "x", "x-1", "3-shot", "2e", "total", "min", "latency", "not-a",
         "math-easy", "math-hard", "1-2", "trail-", "free", "silent", "idle"]
TAGS = {"a": ["core"], "b": ["core", "slow"], "math-easy": ["maths"], "math-hard": ["maths"]}


def sample(name, passed, latency, cost, prompt=None, completion=None, **more):
    row = {"passed": passed, "latency": latency, "cost": cost,
           "prompt_tokens": prompt, "completion_tokens": completion, **more}
    return row if name is None else {"name": name, **row}


SAMPLES = [
    sample("a", True, 1.0, 0.5, 10, 20, output_quality=0.5, structure_score=0.25, fitness=80),
    sample("a", False, 3.0, 0.25, 30, None),
    sample("b", True, 2.0, 0.0, None, 5, output_quality=1, fitness=60),
    sample("a-b", True, None, 0.0, 1, 1),
    sample("x", True, 4.0, 0.125),
    sample("x-1", False, 8.0, 0.125),
    sample("3-shot", True, 5.0, 1.0),
    sample("math-easy", True, 1.5, 2.0),
    sample("math-hard", False, 2.5, None),
    sample("total", True, 6.0, 3.0),
    sample("min", True, 7.0, 0.0),
    sample("latency", True, 9.0, 0.0),
    sample("not-a", True, 0.5, 0.0),
    sample("2e", True, 0.5, 0.0),
    sample("1-2", True, 0.5, 0.0),
    sample("trail-", False, 0.5, 0.0),
    sample("free", True, 0.5, 0.0),
    sample("silent", False, None, 0.0),
    sample(None, True, 10.0, 0.0),
    sample(None, False, None, 0.0),
]

METRICS = [["quality", "a * 2 + thrift"], ["thrift", "b / 4"], ["broken", "1 / (a-a)"],
           ["careful", "default(broken, 7)"]]

VALUES = [
    # numbers, precedence, associativity
    ("12", 12), ("1.5", 1.5), (".5", 0.5), ("5.", 5), ("2e-3", 0.002), ("1E+5", 100000),
    ("1.e1", 10), ("1e-999", 0), ("2+3*4", 14), ("(2+3)*4", 20), ("10-4-3", 3), ("16/4/2", 2),
    ("2^3^2", 512), ("-2^2", -4), ("2^-1", 0.5), ("2^-3^2", 2 ** -9), ("--2", 2), ("+-+2", -2),
    ("2*-3", -6), ("(-2)^2", 4), ("1\t+\r\n2", 3),
    # comparison and logic
    ("1<2", 1), ("2<=1", 0), ("2>1", 1), ("2>=2", 1), ("2==2", 1), ("2!=2", 0), ("1+1==2", 1),
    ("not 0", 1), ("not 5", 0), ("not not 5", 1), ("not 1 < 2", 0), ("not 0 and 0", 0),
    ("1 or 0 and 0", 1), ("5 and 7", 1), ("0 or 9", 1), ("(1 < 2) < 3", 1),
    ("0 and 1/0", 0), ("1 and 1/0", U), ("1/0 and 0", U), ("1 or 1/0", 1), ("0 or 1/0", U),
    ("1/0 or 1", U), ("1/0 == 1/0", U), ("not (1/0)", U),
    # names
    ("a", 0.5), ("b", 1), ("a_latency", 2), ("a_cost", 0.375), ("{a}", 0.5), ("{a}_latency", 2),
    ("{a}_cost-a", -0.125), ("{1-2}", 1), ("{trail-}", 0), ("{total}_cost", 3),
    ("{total}_latency", 6), ("total", 1), ("latency", 1), ("idle", U), ("idle_cost", U),
    ("silent_latency", U), ("silent_cost", 0), ("math-hard_cost", U), ("math-hard_latency", 2.5),
    ("success_pct", 70), ("max_latency", 10), ("min_latency", 0.5),
    ("avg_latency", 61.5 / 17), ("total_latency", 61.5), ("total_cost", U), ("max_cost", U),
    # the hyphen
    ("a-b", 1), ("a - b", -0.5), ("a -b", -0.5), ("a- b", -0.5), ("a-b-b", 0), ("a-x", -0.5),
    ("x-1", 0), ("x -1", 0), ("x-2", -1), ("x-1-1", -1), ("x-1.5", -0.5), ("3-shot", 1),
    ("3-a", 2.5), ("not-a", 1), ("not-b", 0), ("not -a", 0), ("1-2", -1), ("2e", 1), ("2e-3", 0.002),
    ("2e+3", 2000), ("2e+a", 1.5), ("2e-a", 0.5), ("2e -3", -2), ("a-min(a, b)", 0),
    ("a-b-min (a, b)", 0.5), ("a--b", -0.5 + 2), ("b--min(a,b)", 1.5), ("3-min(a)", 2.5),
    ("a-{b}", -0.5), ("success_pct-a", 69.5), ("a_latency-b", 1), ("min-min(min)", 0),
    ("a or-b", 1), ("(a)and(b)", 1), ("0 or(b)", 1), ("not(b)", 0), ("{a}and{b}", 1),
    ("5.-a", 4.5), ("a-.5", 0), (".5-a", 0),
    # functions
    ("min(3, 1, 2)", 1), ("max(3, 1, 2)", 3), ("min(4)", 4), ("abs(-3)", 3), ("sqrt(9)", 3),
    ("sqrt(0-1)", U), ("log(1)", 0), ("log2(8)", 3), ("log10(1000)", 3), ("log(0)", U),
    ("exp(0)", 1), ("exp(1000)", U), ("floor(-1.5)", -2), ("ceil(-1.5)", -1), ("round(2.5)", 3),
    ("round(-2.5)", -3), ("round(1.005, 2)", 1.01), ("round(-1.005, 2)", -1.01),
    ("round(0.49999999999999994)", 0), ("round(1e300, 15)", 1e300), ("round(5e-324, 15)", 0),
    ("round(2.675, 2)", 2.68), ("round(123.456, 1)", 123.5), ("pow(2, 10)", 1024),
    ("0^0", 1), ("0^-1", U), ("(-8)^(1/3)", U), ("(-2)^3", -8), ("1e200^2", U), ("1e308*10", U),
    ("clamp(5, 1, 3)", 3), ("clamp(0, 1, 3)", 1), ("clamp(2, 1, 3)", 2), ("clamp(2, 3, 1)", U),
    ("if(1, 2, 1/0)", 2), ("if(0, 1/0, 3)", 3), ("if(1/0, 2, 3)", U), ("if(-1, 2, 3)", 2),
    ("default(1/0, 5)", 5), ("default(4, 1/0)", 4), ("default(1/0, 1/0)", U),
    ("0*(1/0)", U), ("min(1, 1/0)", U),
    # aggregates
    ("mean(passed)", 0.7), ("sum(passed)", 14), ("count(passed)", 20), ("count(latency)", 17),
    ("count(cost)", 19), ("sum(cost)", U), ("mean(cost, \"a\")", 0.375), ("sum(latency, \"math-*\")", 4),
    ("sum(cost, \"math-*\")", U), ("sum(cost, \"math-e*\")", 2), ("count(cost, \"math-*\")", 1),
    ("pass_rate(\"math-*\")", 0.5), ("pass_rate(\"tag:core\")", 2 / 3), ("pass_rate(\"?\")", 0.75),
    ("median(latency, \"a\")", 2), ("median(latency, \"tag:core\")", 2),
    ("stddev(latency, \"a\")", 2 ** 0.5), ("stddev(latency, \"b\")", U),
    ("percentile(latency, 95, \"b\")", 2), ("percentile(latency, 25, \"a\")", 1.5),
    ("percentile(latency, 50, \"tag:core\")", 2), ("percentile(latency, 100)", 10),
    ("percentile(latency, 0)", 0.5), ("percentile(latency, 20+5, \"a\")", 1.5),
    ("percentile(latency, -1)", U), ("round(1, -1)", U), ("min(latency)", 1), ("min(latency, \"a\")", 1),
    ("max(latency, \"*\")", 9), ("max(latency)", 1), ("max(passed)", 1), ("min(passed)", 0),
    ("sum(prompt_tokens)", U), ("sum(completion_tokens)", U), ("sum(total_tokens)", U),
    ("sum(prompt_tokens, \"a\")", 40), ("sum(completion_tokens, \"a\")", U), ("sum(total_tokens, \"a-b\")", 2),
    ("sum(prompt_tokens, \"silent\")", 0), ("mean(prompt_tokens)", 41 / 3),
    ("mean(output_quality)", 0.75), ("sum(structure_score)", 0.25), ("mean(fitness)", 70),
    ("percentile(fitness, 10)", 62), ("mean(fitness, \"x\")", U), ("count(fitness)", 2),
    ("count(total_tokens)", 2), ("mean(prompt_tokens, \"b\")", U), ("mean(passed, \"idle\")", U),
    ("count(passed, \"idle\")", 0), ("mean(latency, \"silent\")", U), ("count(passed, \"*\")", 18),
    ("a-mean(passed, \"a\")", 0), ("count(passed, \"A\")", 0), ("count(passed, \"tag:cor\")", 0),
    # metrics
    ("quality", 1.25), ("{quality}-thrift", 1), ("broken", U), ("careful", 7),
    ("default(broken, 1) + careful", 8),
]

REFUSED = [
    "", " ", "(", ")", "()", "1 2", "a b", "1 +", "* 1", "a < b < b", "a == b == b", "1e999", "1.5.2",
    "1..5", "1x", "2nd", ".5x", ".", "a.", "x.5", "a-b.5", "unknown", "a-unknown", "unknown-a", "A",
    "a-b-c", "a = b", "a && b", "!a", "a % b", "a × b", "a − b", "- not a", "2 ^ not a", "a < not b",
    "and", "not", "a and", "a not b", "1and 2", "a-and-b", "not.5", "1 and.5", "-not(a)", "a-not(b)",
    "{", "{}", "{a", "{ a }", "{nope}", "{a_latency}", "{a}_latencyx", "{a} _latency", "{and}",
    "{quality}_cost", "{success_pct}", "trail-", "a-", "-", "passed", "cost", "quality_cost",
    "\"a\"", "min(\"a\")", "min()", "min(1,)", "min(,1)", "min(1 2)", "max", "(a", "a)", "2(3)", "a(3)",
    "a-b(1)", "2min(a)", "nope(1)", "a-nope(1)", "Min(1)", "abs(1, 2)", "abs()", "pow(1)", "clamp(1, 2)",
    "if(1, 2)", "default(1)", "sqrt", "round(1, 16)", "round(1, 2.5)", "round(1, a)",
    "mean()", "mean(a)", "mean((passed))", "mean({latency})", "mean(latency + 1)", "mean(latency-1)",
    "mean(\"a\")", "mean(passed, a)", "mean(passed, \"a\", \"b\")", "mean(passed, \"a)", "mean(passed, 'a')",
    "mean(passed, \"a\nb\")", "percentile(latency)", "percentile(latency, 101)",
    "percentile(latency, \"a\")", "percentile(latency, \"a\", 95)", "percentile(latency, a)",
    "pass_rate()", "pass_rate(a)", "pass_rate(passed)", "pass_rate(\"a\", \"b\")", "min(cost, 1)",
    "min(cost + 1)", "min((cost))", "min(a, \"a\")", "min(cost, \"a\", 1)", "min(1, cost, \"a\")",
    "2e-3.5", "1e", "1e-", "1e-min(a)", "a\0", "a;b", "[a]", "1_000",
]


def case(formula, metrics=METRICS, evals=EVALS, samples=SAMPLES):
    return {"formula": formula, "metrics": metrics, "samples": samples,
            "evals": [{"name": n, "tags": TAGS.get(n, [])} for n in evals]}


class ReferenceTest(unittest.TestCase):
    def test_values(self):
        for formula, expected in VALUES:
            with self.subTest(formula=formula):
                self.assertEqual(Case(case(formula)).value(), expected)

    def test_refused(self):
        for formula in REFUSED:
            with self.subTest(formula=formula), self.assertRaises(SyntaxProblem):
                Case(case(formula))

    def test_column_named_like_no_eval(self):
        evals = [n for n in EVALS if n != "latency"]
        samples = [s for s in SAMPLES if s.get("name") != "latency"]
        for formula, expected in (("min(latency)", 0.5), ("max(latency)", 10),
                                  ("max(latency, \"*\")", 8)):
            with self.subTest(formula=formula):
                self.assertEqual(Case(case(formula, [], evals, samples)).value(), expected)
        for formula in ("latency", "min((latency))", "min(latency, 1)"):
            with self.subTest(formula=formula), self.assertRaises(SyntaxProblem):
                Case(case(formula, [], evals, samples))

    def test_no_samples(self):
        for formula in ("success_pct", "total_cost", "avg_latency", "a", "a_cost", "mean(passed)",
                        "sum(cost)", "pass_rate(\"a\")"):
            with self.subTest(formula=formula):
                self.assertIsNone(Case(case(formula, [], EVALS, [])).value())
        self.assertEqual(Case(case("count(cost)", [], EVALS, [])).value(), 0)

    def test_all_costs_known(self):
        samples = [s for s in SAMPLES if s["cost"] is not None]
        for formula, expected in (("total_cost", 7), ("avg_cost", 7 / 19), ("max_cost", 3),
                                  ("min_cost", 0), ("sum(cost)-total_cost", 0)):
            with self.subTest(formula=formula):
                self.assertEqual(Case(case(formula, [], EVALS, samples)).value(), expected)

    def test_metric_cycles(self):
        for metrics in ([["m", "m"]], [["m", "k + 1"], ["k", "default(1, m)"]]):
            with self.subTest(metrics=metrics), self.assertRaises(SyntaxProblem):
                Case(case("a", metrics))

    def test_undefined_parts_and_globs(self):
        self.assertTrue(Case(case("default(1/0, 3)", [])).somewhere_undefined())
        self.assertTrue(Case(case("a", [["m", "1/0"]])).somewhere_undefined())
        self.assertFalse(Case(case("default(1/2, 3)", [])).somewhere_undefined())
        unmatched = Case(case("count(passed, \"zz*\") + count(cost, \"a\")", [])).unmatched_globs()
        self.assertEqual(unmatched, {"zz*"})

    def test_spaced_words_read_as_written(self):
        names = Names(EVALS, ["quality"])
        words = ["a", "b", "a-b", "x-1", "3-shot", "not-a", "quality", "a-b_cost", "total_cost"]
        rng = random.Random(1)
        for _ in range(500):
            chosen = [rng.choice(words) for _ in range(rng.randint(1, 6))]
            tokens = tokenize(" - ".join(chosen), names)
            self.assertEqual([v for k, v in tokens if k == "word"], chosen)


if __name__ == "__main__":
    unittest.main()
