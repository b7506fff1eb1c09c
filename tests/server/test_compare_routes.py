#!/usr/bin/python3
"""GET /api/compare, and `vibe compare` with a server. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import os
import sys
import unittest
from urllib.parse import quote

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from route_case import Case, inline  # noqa: E402


def suite(right, evals=8):
    """Echoed prompts: the first ones pass."""
    prompts = [f"4 and {i}" if i < right else f"no {i if i != 4 else 9}" for i in range(evals)]
    made = inline(*prompts, name="sums")
    for i, one in enumerate(made["evals"]):
        one.update(name=f"e{i}", checks=[{"match": "*4*"}])
    return made


class Comparing(Case):
    def run_of(self, right):
        return self.finished({"evalSuite": suite(right)})[0]

    def test_two_runs(self):
        base, candidate = self.run_of(1), self.run_of(8)
        seen = self.ask("GET", f"/api/compare?base={base}&candidate={candidate}")
        self.assertEqual((seen["base"], seen["candidate"]), (base, candidate))
        self.assertEqual(seen["difference"], 87.5)
        self.assertEqual(seen["verdict"], "better")
        self.assertEqual(seen["flips"]["lost"], [])
        self.assertEqual(len(seen["flips"]["won"]), 7)
        self.assertIs(seen["these_evals"]["shown"], True)
        self.assertEqual(seen["draws"], {"seed": 1, "count": 10000, "method": "sbb-1"})
        again = self.ask("GET", "/api/compare?base=last~1&candidate=last&draws=500&seed=2&level=0.9"
                                f"&formula={quote('100 * e1 + e2')}&guard=success_pct,e7&min_effect=5")
        self.assertEqual((again["base"], again["difference"]), (base, 101))
        self.assertEqual([one["name"] for one in again["guards"]], ["success_pct", "e7"])
        several = self.ask("GET", f"/api/compare?base={base}&candidate={candidate},{base}")["comparisons"]
        self.assertEqual([one["candidate"] for one in several], [candidate, base])
        self.assertEqual(several[1]["p_adjusted"], 1)

    def test_mistakes(self):
        run = self.run_of(1)
        for query, status, text in (
                ("", 400, "`base` and `candidate` must name runs"),
                (f"?base={run}", 400, "`base` and `candidate` must name runs"),
                (f"?base={run}&candidate=none-such", 404, "there is no run `none-such`"),
                (f"?base={run}&candidate=/etc/passwd", 404, "there is no run `/etc/passwd`"),
                (f"?base={run}&candidate={run}&level=1.5", 400, "`level` must be a number, from 0.5 to 0.99"),
                (f"?base={run}&candidate={run}&draws=99999999", 400,
                 "`draws` must be a whole number, from 100 to 10000"),
                (f"?base={run}&candidate={run}&margin=-1", 400, "`margin` must be a number, 0 or more"),
                (f"?base={run}&candidate={run}&guard=nothing", 422, "unknown variable `nothing`"),
                (f"?base={run}&candidate={run}&formula=1%2B", 422, "expected a number"),
                (f"?base={run}&candidate=" + ",".join([run] * 21), 400, "at most 20")):
            with self.subTest(query):
                self.assertIn(text, self.ask("GET", "/api/compare" + query, status=status)["error"])


if __name__ == "__main__":
    unittest.main()
