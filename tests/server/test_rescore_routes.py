#!/usr/bin/python3
"""POST /api/rescore, and `vibe rescore` with a server. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from remote_case import Client  # noqa: E402
from route_case import Case, inline, new_key  # noqa: E402


def suite(right, evals=4, name="sums"):
    """Echoed prompts: the first ones pass."""
    prompts = [f"4 and {i}" if i < right else f"no {i if i != 4 else 9}" for i in range(evals)]
    made = inline(*prompts, name=name)
    for i, one in enumerate(made["evals"]):
        one.update(name=f"e{i}", checks=[{"match": "*4*"}])
    return made


class Rescoring(Case):
    def run_of(self, right, **options):
        return self.finished({"evalSuite": suite(right, **options)})[0]

    def rescore(self, body, *, status=200, **options):
        answer = self.world.ask("POST", "/api/rescore", body, **options)
        self.assertEqual(answer.status, status, answer.body[:500])
        if status >= 300:
            return answer.json
        self.assertEqual(answer.headers["Content-Type"], "application/x-ndjson")
        return [json.loads(line) for line in answer.body.splitlines()]

    def test_lines(self):
        bad, good = self.run_of(1, name="lines"), self.run_of(4, name="lines")
        wanted = {"suite_name": "lines"}
        lines = self.rescore({"formula": "10 * e3 + e0", "filter": wanted})
        self.assertEqual([list(line) for line in lines], [["summary"], ["run"], ["run"]])
        summary = lines[0]["summary"]
        self.assertEqual((summary["runs"], summary["scored"], summary["changed"], summary["ranked"]), (2, 2, 2, 2))
        self.assertEqual(summary["before"], {"least": 25, "median": 62.5, "mean": 62.5, "most": 100})
        self.assertEqual(summary["best_after"]["id"], good)
        self.assertIsNone(summary["kept"])
        self.assertEqual([(line["run"]["id"], line["run"]["score_before"], line["run"]["score_after"],
                           line["run"]["rank_after"]) for line in lines[1:]], [(good, 100, 11, 1), (bad, 25, 1, 2)])
        lines = self.rescore({"formula": "half * 2", "metrics": {"half": "e3 / 2"}, "min_score": 1, "rows": 1,
                              "filter": {**wanted, "score__gte": 20}})
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[0]["summary"]["gates"]["runs"], 2)
        self.assertIs(lines[1]["run"]["passes_after"], True)
        lines = self.rescore({"formula": "1 / e3", "on_undefined": -7, "filter": wanted})
        self.assertEqual(lines[2]["run"]["score_after"], -7)
        self.assertEqual(len(self.rescore({"formula": "e1", "rows": 0})), 1)

    def test_many_rows_are_sent_in_parts(self):
        runs = [self.run_of(i % 5, name="many") for i in range(70)]
        lines = self.rescore({"formula": "e0", "filter": {"suite_name": "many"}, "rows": 1000})
        self.assertEqual([line["run"]["id"] for line in lines[1:]], runs[::-1])

    def test_intervals(self):
        self.run_of(3, evals=8, name="sure")
        run = self.rescore({"formula": "success_pct", "intervals": True, "filter": {"suite_name": "sure"}})[1]["run"]
        self.assertLess(run["interval"]["low"], 37.5)
        self.assertGreater(run["interval"]["high"], 37.5)

    def test_kept_scores(self):
        run = self.run_of(2, name="kept")
        body = {"formula": "100 * e0", "filter": {"suite_name": "kept"}, "keep": "strict"}
        reader = new_key(self.world, "read")
        self.assertIn("`keep` needs `run`", self.rescore(body, status=403, key=reader)["error"])
        del body["keep"]
        self.assertEqual(len(self.rescore(body, key=reader)), 2)
        body["keep"] = "strict"
        for _ in range(2):
            self.assertEqual(self.rescore(body)[0]["summary"]["kept"], "strict")
        self.assertEqual(self.ask("GET", f"/api/runs/{run}")["run"]["kept_scores"],
                         [{"name": "strict", "formula": "100 * e0", "score": 100, "error": None}])
        self.assertEqual(self.ask("GET", f"/api/runs/{run}")["run"]["score"], 50)
        body["formula"] = "200 * e0"
        self.assertIn("are kept as `strict`: `100 * e0`", self.rescore(body, status=409)["error"])

    def test_mistakes(self):
        self.run_of(1)
        for body, status, text in (
                ({}, 400, "`formula`"),
                ({"formula": 7}, 400, "`formula`"),
                ({"formula": "1+"}, 422, "expected a number"),
                ({"formula": "e0 + e77"}, 422, "unknown variable `e77`"),
                ({"formula": "e0", "filter": []}, 400, "`filter` must be an object"),
                ({"formula": "e0", "filter": {"colour": "red"}}, 400, "Invalid filter `colour`: no such filter"),
                ({"formula": "e0", "filter": {"score__gte": "much"}}, 400, "Invalid filter `score__gte`"),
                ({"formula": "e0", "metrics": {"a": 1}}, 400, "`metrics` must be an object of formulas"),
                ({"formula": "e0", "rows": -1}, 400, "`rows` must be a whole number, 0 or more"),
                ({"formula": "e0", "rows": 201, "intervals": True}, 400, "`rows` must be at most 200"),
                ({"formula": "e0", "keep": " "}, 400, "scores cannot be kept as ` `")):
            with self.subTest(body):
                self.assertIn(text, self.rescore(body, status=status)["error"])
        found = self.rescore({"formula": "e0 + e77"}, status=422)["diagnostics"][0]
        self.assertEqual((found["line"], found["column"], found["hint"][:12]), (1, 6, "did you mean"))

    def test_the_command(self):
        run = self.run_of(2, name="command")
        client = Client(f"http://127.0.0.1:{self.world.port}", self.world.key)
        self.addCleanup(client.__exit__)
        asked = ("rescore", "--suite", "command", "--formula", "100 * e3")
        seen = json.loads(client.vibe(*asked, "--json", "--keep", "last"))
        self.assertEqual((seen["scored"], seen["kept"], seen["rows"][0]["id"]), (1, "last", run))
        self.assertIn("1 of 1 run scored", client.vibe(*asked))
        self.assertIn(run, client.vibe(*asked, "--csv"))
        self.assertIn("Kept as last: 0.00", client.vibe("get", "run", run))
        client.vibe("rescore", "--formula", "e0 + e77", exit=2)
        self.assertIn("formula:1:6: error: unknown variable `e77`", client.errors)
        client.vibe(*asked[:3], "--formula", "e0", "--keep", "last", exit=2)
        self.assertIn("are kept as `last`: `100 * e3`", client.errors)


if __name__ == "__main__":
    unittest.main()
