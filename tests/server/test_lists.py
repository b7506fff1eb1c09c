#!/usr/bin/python3
"""Lists of runs, which are made of texts that the server keeps: they show every run as it is now, and to its own
organisation alone. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from route_case import Case  # noqa: E402
from serve_world import wait_until  # noqa: E402


def suite(prompt):
    return {"evalSuite": {"metadata": {"name": "lists", "model": "openai/gpt-4o-mini", "threads": 1},
                          "evals": [{"prompt": prompt, "checks": [{"match": "*"}]}]}}


class Lists(Case):
    def listed(self, run, query="limit=50"):
        found = [each for each in self.ask("GET", f"/api/runs?{query}")["runs"] if each["id"] == run]
        self.assertEqual(len(found), 1)
        return found[0]

    def test_a_run_that_changes(self):
        run = self.ask("POST", "/api/eval/run", suite("latency=60000 slow"))["runId"]
        wait_until(lambda: self.listed(run)["status"] == "running", "the run to be at work")
        self.ask("POST", f"/api/runs/{run}/cancel")
        self.ask("GET", f"/api/eval/status/{run}")
        for query in ("limit=50", "limit=50", "sort=-score", "status=cancelled"):
            self.assertEqual(self.listed(run, query)["status"], "cancelled", query)

    def test_a_run_at_work_has_as_many_results_as_were_kept(self):
        body = suite("say \"now\"")
        body["evalSuite"]["evals"] += [{"prompt": "say \"too\"", "checks": [{"match": "nothing"}]},
                                       {"prompt": "latency=60000 slow", "checks": [{"match": "*"}]}]
        run = self.ask("POST", "/api/eval/run", body)["runId"]
        counted = ("results_count", "evals_passed", "success_percentage")
        for query in ("limit=50", "sort=-total_cost", "suite_name=lists"):
            wait_until(lambda: self.listed(run, query)["results_count"] == "2", "two results")  # noqa: B023
            shown = self.listed(run, query)
            self.assertEqual([shown[key] for key in counted], ["2", "1", "50"], query)
            self.assertEqual(shown["status"], "running")
        self.assertEqual(self.ask("GET", f"/api/runs/{run}?results=0")["run"]["results_count"], "2")
        self.ask("POST", f"/api/runs/{run}/cancel")
        self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual(self.listed(run)["results_count"], "2")

    def test_a_list_shows_what_the_run_does(self):
        run = self.ask("POST", "/api/eval/run", suite("say \"hello\""))["runId"]
        self.ask("GET", f"/api/eval/status/{run}")
        shown = self.ask("GET", f"/api/runs/{run}?results=0")["run"]
        self.assertEqual(shown["status"], "completed")
        for query in ("limit=50", "limit=50", "sort=-total_cost", "suite_name=lists"):
            self.assertEqual(self.listed(run, query), {key: shown[key] for key in self.listed(run, query)}, query)

    def test_a_change_by_another_process(self):
        self.world.write("suite.yaml", "metadata: {name: local, model: openai/gpt-4o-mini}\n"
                                       "evals: [{prompt: a, checks: [{match: '*'}]}]\n")
        before = self.ask("GET", "/api/runs")["pagination"]["total"]
        self.world.vibe("check", "suite.yaml")
        answer = self.ask("GET", "/api/runs")
        self.assertEqual(answer["pagination"]["total"], before + 1)
        self.assertEqual((answer["runs"][0]["suite_name"], answer["runs"][0]["status"]), ("local", "completed"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
