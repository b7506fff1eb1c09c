"""Compares intervals of the engine with the independent reference, on random suites. Needs VIBE_BUILD, for
tests/tools/statistics_driver: one JSON object per line in, one per line out."""

import json
import os
import random
import subprocess
import unittest

import statistics_compare
import statistics_intervals

SUITES = int(os.environ.get("STATISTICS_SUITES", "150"))
DRAWS = 120
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
    "a0",
    "50 * pass_rate(\"a*\") + 50 * pass_rate(\"b*\")",
    "mean(latency, \"a*\") - sum(cost, \"tag:hard\")",
    "quality / (1 + total_latency)",
    "success_pct / (a0 - 0.5)",
    "sum(completion_tokens) + mean(prompt_tokens)",
    "max_latency",
    "percentile(passed, 40) + stddev(passed)",
    "count(latency) * a0_cost + b1_latency",
    "pass_rate(\"tag:hard\") / (1 + success_pct)",
    "100 * pass_at(2)",
    "pass_all(2, \"a*\") / (1 + avg_cost)",
    "pass_at(1) + pass_all(3) + b1",
]
METRICS = {"quality": "success_pct + 10 * pass_rate(\"a*\")"}


def answer_of(rng, hardness):
    if rng.random() < 0.05:
        return {"passed": 0, "error": True}
    answer = {"passed": int(rng.random() > hardness), "cost": rng.choice([0.01, 0.02, 0.04]) * (1 + rng.random())}
    if rng.random() < 0.9:
        answer["latency"] = rng.choice([0.5, 1.0, 2.0, round(rng.random() * 5, 3)])
    if rng.random() < 0.9:
        answer["prompt_tokens"] = rng.randrange(500)
        answer["completion_tokens"] = rng.randrange(900)
    return answer


def evals_of(rng):
    size = rng.choice([3, 6, 9, 14, 24])
    repeats = rng.choice([[1], [2], [3], [5], [1, 2, 4]])
    with_cases = rng.random() < 0.3
    evals = []
    for i in range(size):
        name = None if i > 3 and rng.random() < 0.2 else f"{rng.choice('ab') if i > 1 else 'ab'[i]}{i}"
        hardness = rng.random() * rng.choice([0, 0.5, 1])
        cases = [[answer_of(rng, hardness) for _ in range(rng.choice(repeats))]
                 for _ in range(rng.choice([1, 2, 6, 8]) if with_cases else 1)]
        evals.append({"name": name, "tags": ["hard"] if i % 3 == 0 else [], "cases": cases})
    return evals


def case_of(rng):
    case = {"evals": evals_of(rng), "formula": rng.choice(FORMULAS), "metrics": METRICS,
            "seed": rng.choice([1, 2, 2 ** 40 + 5]), "draws": DRAWS, "show": DRAWS}
    if rng.random() < 0.2:
        case["unit"] = rng.choice(["eval", "case"])
    if rng.random() < 0.2:
        case["level"] = rng.choice([0.5, 0.8, 0.99])
    if rng.random() < 0.1:
        case["on_undefined"] = -1.0
    return case


class Driver:
    def __init__(self):
        path = os.path.join(os.environ["VIBE_BUILD"], "tests", "tools", "statistics_driver")
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, case):
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Statistics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = Driver()

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()

    def assert_close(self, seen, wanted, where):
        if wanted is None or seen is None:
            self.assertEqual(seen, wanted, where)
            return
        # The standard deviation of nearly equal numbers is the root of a rounding error.
        slack = 1e-7 if "stddev" in where else 1e-9
        self.assertLessEqual(abs(seen - wanted), slack * max(1, abs(wanted)), f"{where}: {seen} is not {wanted}")

    def assert_interval(self, seen, wanted, where):
        if wanted is None or seen is None:
            self.assertEqual(seen, wanted, where)
            return
        for end in ("low", "high"):
            self.assert_close(seen[end], wanted[end], f"{where}.{end}")

    def compare(self, case, seen, wanted, number):
        where = f"suite {number}, {case['formula']}"
        self.assert_close(seen["score"], wanted["score"], where)
        for name, key in (("interval", "other"), ("rerun_interval", "rerun")):
            if wanted[key]["refusal"] is None or seen[key]["values"]:
                if wanted[key]["lambda"] is not None:
                    self.assert_close(seen[key]["lambda"], wanted[key]["lambda"], f"{where}.{key}.lambda")
                for i, value in enumerate(seen[key]["values"]):
                    self.assert_close(value, wanted[key]["values"][i], f"{where}.{key}[{i}]")
            self.assert_interval(seen[name], wanted[name], f"{where}.{name} ({wanted[key]['refusal']})")

    def test_random_suites(self):
        rng = random.Random(20)
        shown = {"interval": 0, "rerun_interval": 0}
        for number in range(SUITES):
            case = case_of(rng)
            try:
                wanted = statistics_intervals.intervals(case)
            except statistics_intervals.Problem:
                continue
            seen = self.driver.ask(case)
            self.assertNotIn("error", seen, case["formula"])
            self.compare(case, seen, wanted, number)
            for key in shown:
                shown[key] += wanted[key] is not None
        self.assertGreater(shown["interval"], SUITES // 4)
        self.assertGreater(shown["rerun_interval"], SUITES // 6)


if __name__ == "__main__":
    unittest.main()
