"""Compares comparisons of the engine with the independent reference, on pairs of random runs: both
intervals, exact tests, verdict, power, and contributions. Needs VIBE_BUILD, like
test_statistics_reference.py."""

import os
import random
import unittest

import statistics_compare
import statistics_intervals
from test_statistics_reference import METRICS, Driver, answer_of, evals_of

PAIRS = int(os.environ.get("STATISTICS_PAIRS", "30"))
DRAWS, SHUFFLES = 120, 99
FORMULAS = [
    "success_pct",
    "success_pct / total_cost",
    "0.7 * success_pct + 30 / (1 + avg_latency)",
    "avg_cost",
    "stddev(latency) + count(passed)",
    "percentile(latency, 75) + median(cost)",
    "100 * a0 + success_pct",
    "(3 * a0 + 2 * b1) / total_cost",
    "a0 + b1",
    "50 * pass_rate(\"a*\") + 50 * pass_rate(\"b*\")",
    "mean(latency, \"a*\") - sum(cost, \"tag:hard\")",
    "quality / (1 + total_latency)",
    "sum(completion_tokens) + mean(prompt_tokens)",
    "max_latency - min_cost",
    "count(latency) * a0_cost + b1_latency",
    "100 * pass_at(2)",
    "pass_all(2, \"a*\") / (1 + avg_cost)",
]


def candidate_of(rng, base):
    """The same suite, changed a little and asked again."""
    shift = rng.choice([-0.5, -0.2, 0, 0.2, 0.5])
    out = []
    for i, e in enumerate(base):
        if i > 1 and rng.random() < 0.05:
            continue
        cases = []
        for case in e["cases"]:
            count = len(case) if rng.random() < 0.8 else rng.choice([1, 2, 4])
            cases.append([answer_of(rng, rng.random() - shift) for _ in range(count)])
        out.append({**e, "cases": cases})
    if rng.random() < 0.2:
        out.append({"name": "new", "tags": [], "cases": [[answer_of(rng, 0.5)]]})
    return out


def case_of(rng):
    base = evals_of(rng)
    case = {"base": base, "candidate": candidate_of(rng, base), "formula": rng.choice(FORMULAS),
            "metrics": METRICS, "seed": rng.choice([1, 7, 2 ** 40 + 5]), "draws": DRAWS, "shuffles": SHUFFLES}
    for key, chance, values in (("unit", 0.2, ["eval", "case"]), ("level", 0.2, [0.5, 0.8, 0.99]),
                                ("on_undefined", 0.1, [-1.0]), ("margin", 0.3, [0.1, 5.0, 500.0]),
                                ("min_effect", 0.4, [1.0, 20.0]), ("superior_by", 0.2, [0.5, 10.0]),
                                ("not_worse_than", 0.3, [1.0, 50.0])):
        if rng.random() < chance:
            case[key] = rng.choice(values)
    return case


class Comparisons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def assert_close(self, seen, wanted, where, slack=1e-9):
        if wanted is None or seen is None:
            self.assertEqual(seen, wanted, where)
            return
        slack = 1e-7 if "stddev" in where else slack
        self.assertLessEqual(abs(seen - wanted), slack * max(1, abs(wanted)), f"{where}: {seen} is not {wanted}")

    def assert_interval(self, seen, wanted, where):
        if wanted is None or seen is None:
            self.assertEqual(seen, wanted, where)
            return
        for end in ("low", "high"):
            self.assert_close(seen[end], wanted[end], f"{where}.{end}")

    def assert_test(self, seen, wanted, where):
        self.assertEqual(seen["exact"], wanted["exact"], where)
        self.assertEqual(seen["count"], wanted["count"], where)
        for key in ("p", "p_up", "p_down"):
            self.assert_close(seen[key], wanted[key], f"{where}.{key}")

    def assert_power(self, seen, wanted, where):
        if "mde_other" not in wanted:
            self.assertIsNone(seen, where)
            return
        for key in ("mde_other", "mde_these", "floor"):
            self.assert_close(seen[key], wanted[key], f"{where}.{key}")
        for key in ("evals_low", "evals"):
            self.assertEqual(seen.get(key), wanted.get(key), f"{where}.{key}")

    def assert_contributions(self, seen, wanted, where):
        if wanted is None:
            self.assertEqual(seen["contributions"], [], where)
            return
        self.assertEqual(len(seen["contributions"]), len(wanted["contributions"]), where)
        for key in ("contributions", "standard_errors"):
            for a, b in zip(seen[key], wanted[key]):
                self.assert_close(a, b, f"{where}.{key}", 1e-7)

    def compare(self, case, seen, wanted, number):
        where = f"pair {number}, {case['formula']}"
        for key in ("base", "candidate", "difference"):
            self.assert_close(seen[key], wanted[key], f"{where}.{key}")
        if wanted["mcnemar"] is None:
            self.assertIsNone(seen["mcnemar"], where)
        else:
            for key in ("wins", "losses", "p", "mid_p"):
                self.assert_close(seen["mcnemar"][key], wanted["mcnemar"][key], f"{where}.mcnemar.{key}")
        self.assertEqual(seen["verdict"], wanted["verdict"], where)
        if wanted["difference"] is None:
            return
        self.assert_interval(seen["other"]["interval"], wanted["interval"], f"{where}.interval")
        one_answer = wanted["rerun"]["refusal"] == "one_answer"
        these = wanted["interval"] if one_answer else wanted["rerun_interval"]
        self.assert_interval(seen["these"]["interval"], these, f"{where}.these")
        self.assert_test(seen["these"]["test"], wanted["labels"], f"{where}.labels")
        self.assert_test(seen["other"]["test"], wanted["swaps"], f"{where}.swaps")
        self.assert_power(seen["power"], wanted["power"], f"{where}.power")
        if "not_worse" in wanted:
            words = {True: "not_worse", False: "worse", None: "inconclusive"}
            self.assertEqual(words[seen["not_worse"]], wanted["not_worse"], where)

    def test_random_pairs(self):
        rng = random.Random(21)
        verdicts = set()
        for number in range(PAIRS):
            case = case_of(rng)
            try:
                wanted = statistics_compare.compare(case)
            except statistics_intervals.Problem:
                continue
            seen = self.driver.ask(case)
            self.assertNotIn("error", seen, case["formula"])
            self.compare(case, seen, wanted, number)
            verdicts.add(wanted["verdict"])
        self.assertGreaterEqual(len(verdicts), 4, verdicts)

    def test_contributions(self):
        rng = random.Random(22)
        compared = 0
        for number in range(PAIRS // 3):
            case = case_of(rng)
            try:
                evals = statistics_compare.contributions(case)
            except statistics_intervals.Problem:
                evals = None
            try:
                terms = statistics_compare.term_contributions(case)
            except statistics_intervals.Problem:
                terms = None
            seen = self.driver.ask(case)
            if "error" in seen or seen["difference"] is None:
                continue
            where = f"pair {number}, {case['formula']}"
            self.assert_contributions(seen["shapley"], evals, where)
            self.assert_contributions(seen["terms"], terms, where)
            if seen["shapley"]["contributions"]:
                self.assert_close(sum(seen["shapley"]["contributions"]), seen["difference"], where, 1e-7)
                compared += 1
        self.assertGreater(compared, 3)


if __name__ == "__main__":
    unittest.main()
