#!/usr/bin/python3
"""Intervals and comparisons are the same bytes with any number of threads, and with any instructions that the C
library may choose. Needs VIBE, VIBE_SOURCE."""

import json
import os
import random
import subprocess
import tempfile
import unittest

VIBE = os.environ["VIBE"]
FORMULAS = ["success_pct", "success_pct / total_cost", "0.7 * success_pct + 30 / (1 + avg_latency)",
            "e1 + 2 * e2 + pass_rate(\"e*\")", "percentile(latency, 75)", "100 * pass_at(2) - pass_all(2)"]
SETTINGS = [([], {}), (["taskset", "--cpu-list", "0"], {}),
            ([], {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}),
            (["taskset", "--cpu-list", "0"], {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-SSE4_1"})]


def results(seed):
    rng = random.Random(seed)
    lines = []
    for e in range(24):
        chance = rng.random()
        for _ in range(3):
            lines.append(json.dumps({"name": f"e{e}", "passed": rng.random() < chance, "cost": 0.01 * rng.random(),
                                     "latency": rng.lognormvariate(0, 0.5)}))
    return "\n".join(lines) + "\n"


class SameBytes(unittest.TestCase):
    def test_of_scores_and_comparisons(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b"):
                with open(os.path.join(folder, f"{name}.jsonl"), "w", encoding="utf-8") as file:
                    file.write(results(name))
            for formula in FORMULAS:
                for words in (["score", "a.jsonl"], ["compare", "a.jsonl", "b.jsonl", "--min-effect", "1"]):
                    with self.subTest(formula=formula, words=words):
                        seen = {self.run_vibe(folder, prefix, more, *words, "--formula", formula, "--json")
                                for prefix, more in SETTINGS}
                        self.assertEqual(len(seen), 1)
                        self.assertIn(b'"interval"', seen.pop())

    def run_vibe(self, folder, prefix, more, *words):
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "VIBECHECK_HOME": folder} | more
        environment |= {key: value for key, value in os.environ.items() if key.endswith("_OPTIONS")}
        return subprocess.run([*prefix, VIBE, *words], cwd=folder, env=environment, check=True,
                              stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    unittest.main()
