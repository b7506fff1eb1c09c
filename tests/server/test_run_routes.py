#!/usr/bin/python3
"""Routes about runs: how they are started, waited for, listed and shown. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld, wait_until  # noqa: E402
from route_case import FILE, MODEL, NO_RUN, STRIPPED, Case, inline  # noqa: E402


class Starting(Case):
    def test_as_the_client_does(self):
        """Stripped of what it does not know, with the file beside it: name, repeats and formula are the file's."""
        run, state = self.finished({"evalSuite": STRIPPED, "yamlContent": FILE})
        self.assertRegex(run, "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assertEqual((state["status"], state["suiteName"], state["model"], state["systemPrompt"]),
                         ("completed", "shop", MODEL, "be short"))
        self.assertIs(state["isUpdate"], False)
        self.assertIsInstance(state["totalTimeMs"], (int, float))
        self.assertEqual(state["score"], 102)
        self.assertEqual(state["scoreFormula"], "2 * greets + success_pct")
        self.assertNotIn("error", state)
        self.assertNotIn("scoreError", state)
        self.assertEqual(len(state["results"]), 3)
        by_name = {}
        for result in state["results"]:
            by_name.setdefault(result["evalName"], result)
            self.assertEqual(set(result), {"evalName", "prompt", "response", "passed", "checkResults",
                                           "executionTimeMs", "cost"})
            self.assertIs(result["passed"], True)
            self.assertIsInstance(result["executionTimeMs"], (int, float))
            self.assertIsInstance(result["cost"], float)
        first = by_name["greets"]
        self.assertEqual((first["prompt"], first["response"]), ('say "hello 4 you"', "hello 4 you"))
        self.assertEqual(first["checkResults"][0],
                         {"type": "match", "passed": True, "message": 'Pattern "*4*" found in response'})
        self.assertRegex(first["checkResults"][1]["message"], r"\d+ tokens.*min: 1")
        second = next(one for name, one in by_name.items() if name != "greets")
        either = second["checkResults"][0]
        self.assertEqual((either["type"], either["passed"], len(either["children"])), ("or", True, 2))
        self.assertEqual(either["children"][0],
                         {"type": "match", "passed": False, "message": 'Pattern "*nope*" not found in response'})
        self.assertRegex(second["checkResults"][1]["message"], r"similarity: 1")
        _, again = self.finished({"evalSuite": STRIPPED, "yamlContent": FILE})
        self.assertIs(again["isUpdate"], True)

    def test_overrides_of_the_client(self):
        suite = json.loads(json.dumps(STRIPPED))
        suite["metadata"].update(model="openai/gpt-4o", system_prompt="be long", threads=1)
        run, state = self.finished({"evalSuite": suite, "yamlContent": FILE})
        self.assertEqual((state["model"], state["systemPrompt"], state["suiteName"]),
                         ("openai/gpt-4o", "be long", "shop"))
        self.assertEqual(self.ask("GET", f"/api/runs/{run}")["run"]["yaml_content"], FILE)

    def test_inline_suites(self):
        _, state = self.finished({"evalSuite": inline("a", "b", name="runner")})
        self.assertEqual((state["status"], state["suiteName"], len(state["results"])), ("completed", "runner", 2))

    def test_the_file_alone(self):
        _, state = self.finished({"yamlContent": FILE.replace("shop", "alone")})
        self.assertEqual((state["suiteName"], state["score"]), ("alone", 102))

    def test_wrong_suites(self):
        bad = FILE.replace("2 * greets", "2 * greetz")
        answer = self.ask("POST", "/api/eval/run", {"evalSuite": STRIPPED, "yamlContent": bad}, status=422)
        self.assertIn("greetz", answer["error"])
        found = answer["diagnostics"][0]
        self.assertEqual(set(found), {"file", "severity", "code", "message", "hint", "line", "column", "end_line",
                                      "end_column"})
        self.assertEqual((found["severity"], found["line"], found["column"]), ("error", 7, 16))
        for body, status in (({}, 400), ({"evalSuite": None}, 400), ({"yamlContent": 5}, 400),
                             ({"yamlConten": FILE}, 400),
                             ({"evalSuite": {}}, 422), ({"evalSuite": "x"}, 422), ({"yamlContent": "a: ["}, 422),
                             ({"evalSuite": inline("a"), "yamlContent": FILE}, 422),
                             ({"evalSuite": inline("a", name="list")}, 422),
                             ({"evalSuite": inline("a", model="exec:id")}, 422)):
            with self.subTest(body=body):
                answer = self.ask("POST", "/api/eval/run", body, status=status)
                self.assertTrue(answer["diagnostics"])

    def test_a_small_body_makes_no_large_plan(self):
        cases = [{"text": "x" * 500_000}, {"text": "y"}]
        suite = {"metadata": {"name": "big", "model": MODEL},
                 "evals": [{"name": "long", "prompt": "{{text}}" * 20_000, "cases": cases,
                            "checks": [{"match": "*"}]}]}
        answer = self.ask("POST", "/api/eval/run", {"evalSuite": suite}, status=422)
        self.assertIn("`long[1]` would be 9.3 GiB", answer["error"])
        self.assertIn("limit of 4 MiB", answer["error"])

    def test_options(self):
        run = self.start({"yamlContent": FILE, "options": {"only": ["greets"], "repeat": 3, "budget": 1,
                                                           "run_timeout": 60, "cache": True}})
        state = self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual([one["evalName"] for one in state["results"]], ["greets"] * 3)
        run = self.start({"yamlContent": FILE, "options": {"only": "tag:polite", "model": "openai/gpt-4o",
                                                           "system_prompt": "x", "threads": 1}})
        state = self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual((state["model"], state["systemPrompt"], len(state["results"])), ("openai/gpt-4o", "x", 1))
        run = self.start({"yamlContent": FILE, "options": {"budget": 0}})
        self.ask("GET", f"/api/eval/status/{run}")
        self.assertIn("budget of $0", self.ask("GET", f"/api/runs/{run}")["run"]["error"])
        for options in ({"repeat": 0}, {"repeat": "x"}, {"budget": -1}, {"run_timeout": "soon"}, {"cache": 1},
                        {"only": 5}, {"only": [5]}, {"threads": 0}, {"threads": 1025}, {"repeat": 1001},
                        {"only": ["a"] * 1001}, {"run_timeout": 0}, {"model": 5}, {"system_prompt": []},
                        {"mcp_server": "x"}, {"mcp_server": {"url": 5}}, {"mcp_server": {"authorization_token": {}}}, []):
            with self.subTest(options=options):
                self.ask("POST", "/api/eval/run", {"yamlContent": FILE, "options": options}, status=400)

    def test_what_is_wrong_with_options_is_said(self):
        for options, said in (({"repeat": 0}, "`options.repeat` must be a whole number from 1 to 1000"),
                              ({"threads": "x"}, "`options.threads` must be a whole number from 1 to 1024"),
                              ({"budget": -1}, "`options.budget` must be a number, 0 or more"),
                              ({"run_timeout": 0}, "`options.run_timeout` must be a number greater than 0"),
                              ({"cache": 1}, "`options.cache` must be true or false"),
                              ({"only": [5]}, "`options.only` must be a list of strings"),
                              ({"model": 5}, "`options.model` must be a string"),
                              ({"mcp_server": {"url": 5}}, "`options.mcp_server.url` must be a string"),
                              ({"mcp_server": "x"}, "`options.mcp_server` must be an object"),
                              ([], "`options` must be an object")):
            with self.subTest(options=options):
                answer = self.ask("POST", "/api/eval/run", {"yamlContent": FILE, "options": options}, status=400)
                self.assertEqual(answer["error"], said)
        for body, said in ((b"{", "the body is not JSON: "), (b"[]", "the body is not a JSON object")):
            self.assertTrue(self.ask("POST", "/api/eval/run", body, status=400)["error"].startswith(said))

    def test_all_that_is_wrong_is_said_at_once(self):
        body = {"yamlContent": 5, "options": {"bugdet": 1, "threads": 0, "mcp_server": {"url": 5}, "cache": None}}
        answer = self.ask("POST", "/api/eval/run", body, status=400)
        self.assertEqual(answer["error"], "`yamlContent` must be a string, and 3 more errors")
        self.assertEqual([one["message"] for one in answer["diagnostics"]],
                         ["`yamlContent` must be a string", "`options.mcp_server.url` must be a string",
                          "`options.threads` must be a whole number from 1 to 1024", "`options` has no key `bugdet`"])
        self.assertEqual(answer["diagnostics"][3]["hint"], "did you mean `budget`?")

    def test_what_nobody_reads_is_refused(self):
        for options, said in (({"bugdet": 0}, "`options` has no key `bugdet`; did you mean `budget`?"),
                              ({"budget": 1, "x" * 1000: None}, "`options` has no key `" + "x" * 40 + "…`; known keys: "
                               "`budget`, `cache`, `mcp_server`, `model`, `only`, `repeat`, `run_timeout`, "
                               "`system_prompt`, `threads`"),
                              ({"mcp_server": {"token": "t"}}, "`options.mcp_server` has no key `token`; known keys: "
                               "`authorization_token`, `name`, `url`")):
            for about in ({"yamlContent": FILE}, {"resume": NO_RUN}):
                with self.subTest(options=options, about=about):
                    answer = self.ask("POST", "/api/eval/run", {**about, "options": options}, status=400)
                    self.assertIn(said, answer["error"])
        self.finished({"yamlContent": FILE, "bugdet": 0, "options": None})  # clients send more than is read

    def test_what_a_run_is_about_is_a_string(self):
        for body, said in (({"yamlContent": 5}, "`yamlContent` must be a string"),
                           ({"yamlContent": ["a"], "evalSuite": inline("a")}, "`yamlContent` must be a string"),
                           ({"resume": 5}, "`resume` must be a string"),
                           ({"resume": [NO_RUN], "yamlContent": FILE}, "`resume` must be a string"),
                           ({"retryFailed": {}}, "`retryFailed` must be a string"),
                           ({"resume": NO_RUN, "retryFailed": NO_RUN},
                            "`resume`, `retryFailed` and `again` cannot be combined"),
                           ({"again": 1}, "`again` must be a string"),
                           ({"resume": None, "yamlContent": None},
                            "`evalSuite` is missing; send the suite as `evalSuite`, or its text as `yamlContent`")):
            with self.subTest(body=body):
                self.assertEqual(self.ask("POST", "/api/eval/run", body, status=400)["error"], said)
        self.ask("POST", "/api/eval/run", {"resume": NO_RUN, "retryFailed": None}, status=404)

    def test_going_on(self):
        run = self.start({"evalSuite": inline("fail=500 x", "b", name="fails")})
        state = self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual(state["status"], "partial_failure")
        failed = next(one for one in state["results"] if not one["passed"])
        self.assertEqual(failed["response"], "")
        self.assertEqual(failed["checkResults"][0]["type"], "error")
        again = self.ask("POST", "/api/eval/run", {"retryFailed": run})
        self.assertEqual((again["runId"], again["after"]), (run, 2))
        state = self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual((state["status"], len(state["results"])), ("partial_failure", 2))
        self.ask("POST", "/api/eval/run", {"resume": NO_RUN}, status=404)

    def test_what_may_change_when_a_run_is_resumed(self):
        run, _ = self.finished({"evalSuite": inline("fail=500 x", "b", name="changes")})
        for options in ({"model": MODEL}, {"system_prompt": "x"}, {"only": ["a"]}, {"repeat": 2},
                        {"mcp_server": {"url": "https://x.invalid/"}}, {"mcp_server": {"name": "x"}}):
            with self.subTest(options=options):
                said = self.ask("POST", "/api/eval/run", {"retryFailed": run, "options": options}, status=400)
                self.assertIn("cannot be changed when a run is resumed", said["error"])
        # It has no tool server for a token: so the token was read.
        token = {"mcp_server": {"authorization_token": "x"}}
        said = self.ask("POST", "/api/eval/run", {"retryFailed": run, "options": token}, status=400)
        self.assertIn("need a tool server", said["error"])

    def test_problems_with_tools_tell_no_secret(self):
        self.ask("POST", "/api/runtime/secrets", {"name": "tools_token", "value": "swordfish-77"})
        tools = {"url": "https://x.invalid/mcp", "name": "{{secret('tools_token')}}"}
        run, state = self.finished({"evalSuite": inline("hello", mcp_server=tools)})
        self.assertEqual(state["status"], "failed")
        self.assertIn("[tools_token]", state["error"])
        for path in (f"/api/runs/{run}", f"/api/eval/status/{run}", "/api/runs"):
            self.assertNotIn("swordfish-77", json.dumps(self.ask("GET", path)))

    def test_figures(self):
        """The bytes that a run is scored again with; a client explains a score from them alone."""
        run, _ = self.finished({"yamlContent": FILE})
        answer = self.world.ask("GET", f"/api/runs/{run}/figures")
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/octet-stream"))
        self.assertEqual(answer.body[:2], b"VF")
        self.assertEqual(self.world.ask("GET", f"/api/runs/{run[:18]}/figures").body, answer.body)
        self.ask("GET", f"/api/runs/{NO_RUN}/figures", status=404)


class Waiting(Case):
    def test_at_once(self):
        run = self.start({"evalSuite": inline("latency=60000 a", "b", threads=2)})
        wait_until(lambda: self.ask("GET", f"/api/eval/status/{run}?wait=0")["results"], "a result")
        state = self.ask("GET", f"/api/eval/status/{run}?wait=0")
        self.assertEqual((state["status"], len(state["results"])), ("running", 1))
        self.assertNotIn("error", state)
        self.assertNotIn("score", state)
        began = time.monotonic()
        state = self.ask("GET", f"/api/eval/status/{run}?wait=0.3")
        self.assertGreaterEqual(time.monotonic() - began, 0.3)
        self.assertEqual(state["status"], "running")
        self.assertEqual(self.ask("POST", f"/api/runs/{run}/cancel"), {"success": True, "cancelled": True})
        state = self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual((state["status"], state["error"]), ("failed", "Run was cancelled"))
        self.assertEqual(self.ask("GET", f"/api/runs/{run}")["run"]["status"], "cancelled")
        self.ask("POST", f"/api/runs/{run}/cancel", status=409)
        self.ask("POST", f"/api/runs/{NO_RUN}/cancel", status=404)
        self.ask("GET", f"/api/eval/status/{NO_RUN}", status=404)
        for wait in ("x", "-1", "nan", ""):
            self.ask("GET", f"/api/eval/status/{run}?wait={wait}", status=400)

    def test_many_wait_and_others_are_answered(self):
        """More than there are threads, of any kind."""
        run = self.start({"evalSuite": inline("latency=60000 a", name="held")})
        connections = [self.world.connect() for _ in range(100)]
        for connection in connections:
            connection.request("GET", f"/api/eval/status/{run}", headers=self.world.headers())
        for _ in range(20):
            self.ask("GET", "/api/runs")
        self.ask("POST", f"/api/runs/{run}/cancel")
        for connection in connections:
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertEqual(json.loads(answer.read())["status"], "failed")
            connection.close()

    def test_a_client_that_goes(self):
        run = self.start({"evalSuite": inline("latency=60000 a", name="left")})
        for _ in range(10):
            connection = self.world.connect()
            connection.request("GET", f"/api/eval/status/{run}", headers=self.world.headers())
            connection.close()
        self.ask("POST", f"/api/runs/{run}/cancel")
        self.assertEqual(self.ask("GET", f"/api/eval/status/{run}")["status"], "failed")

    def test_the_server_stops(self):
        with ModelServer() as model, ServeWorld(model) as world:
            run = world.ask("POST", "/api/eval/run", {"evalSuite": inline("latency=1500 a")}).json["runId"]
            held = world.connect()
            held.request("GET", "/healthz")  # the connection is the server's from here on
            held.getresponse().read()
            held.request("GET", f"/api/eval/status/{run}", headers=world.headers())
            wait_until(lambda: world.ask("GET", f"/api/eval/status/{run}?wait=0").json["status"] == "running",
                       "the run to be at work")
            self.assertEqual(world.stop(), 0)
            answer = held.getresponse()
            self.assertEqual(answer.status, 503)
            self.assertIn("the server is stopping", json.loads(answer.read())["error"])
            held.close()


class Runs(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ids = []
        for name, model, prompts in (("one", MODEL, ["a"]), ("two", "openai/gpt-4o", ["a", "fail=400 b"]),
                                     ("three", MODEL, ["a", "b", "c"])):
            suite = inline(*prompts, name=name, model=model)
            suite["evals"][0].update(name="first")
            run = cls.world.ask("POST", "/api/eval/run", {"evalSuite": suite}).json["runId"]
            cls.world.ask("GET", f"/api/eval/status/{run}")
            cls.ids.append(run)

    def names(self, query):
        return [run["suite_name"] for run in self.ask("GET", f"/api/runs?{query}")["runs"]]

    def test_shape(self):
        answer = self.ask("GET", "/api/runs")
        self.assertEqual(answer["pagination"], {"total": 3, "hasMore": False})
        for run in answer["runs"]:
            for key in ("id", "suite_name", "model", "status", "created_at", "started_at", "completed_at",
                        "results_count", "evals_passed", "success_percentage", "duration_seconds", "total_cost",
                        "total_input_cost", "total_output_cost", "total_prompt_tokens", "total_completion_tokens",
                        "total_thinking_tokens", "total_tokens", "score_formula"):
                self.assertIsInstance(run[key], str, key)
            self.assertIsInstance(run["score"], (int, float))
            self.assertIsNone(run["score_error"])
            self.assertEqual(run["score_metrics"], {})
            self.assertEqual(len(run["metrics"]), 9)
            self.assertIn("judge_cost", run)
        self.assertEqual([run["status"] for run in answer["runs"]], ["completed", "partial_failure", "completed"])

    def test_filters(self):
        for query, names in (("", ["three", "two", "one"]), ("status=completed", ["three", "one"]),
                             ("status=partial_failure,failed", ["two"]), ("status__ne=completed", ["two"]),
                             ("model=openai/gpt-4o", ["two"]), ("model__like=%25mini", ["three", "one"]),
                             ("suite_name=one", ["one"]), ("success_percentage__gte=60", ["three", "one"]),
                             ("success_percentage__lte=60", ["two"]), ("score__gte=0&score__lte=99", ["two"]),
                             ("total_cost__gte=1", []), ("duration_seconds__lte=1000", ["three", "two", "one"]),
                             ("created_at__gte=2020-01-01&created_at__lte=2100-01-01", ["three", "two", "one"]),
                             ("created_at__lte=2020-01-01T00:00:00Z", []), ("completed_at__lte=2020-01-01", []),
                             ("completed_at__gte=2020-01-01", ["three", "two", "one"]),
                             ("sort=created_at", ["one", "two", "three"]), ("sort=success_percentage&limit=1", ["two"]),
                             ("sort=-total_cost&limit=1&offset=3", []), ("limit=1&offset=1", ["two"]),
                             ("sort=-score&limit=3&status=partial_failure", ["two"]), ("_=17", ["three", "two", "one"])):
            with self.subTest(query=query):
                self.assertEqual(self.names(query), names)

    def test_pages(self):
        seen, query = [], "limit=1"
        while True:
            page = self.ask("GET", f"/api/runs?{query}")
            seen += [run["id"] for run in page["runs"]]
            if not page["pagination"]["hasMore"]:
                self.assertNotIn("next", page["pagination"])
                break
            query = f"limit=1&after={page['pagination']['next']}"
        self.assertEqual(seen, self.ids[::-1])

    def test_bad_filters(self):
        for query, name in (("limit=0", "limit"), ("limit=1001", "limit"), ("limit=x", "limit"), ("offset=-1", "offset"),
                            ("status=done", "status"), ("status=completed,", "status"), ("status__ne=x", "status__ne"),
                            ("score__gte=high", "score__gte"), ("score__gte=nan", "score__gte"),
                            ("total_cost__lte=", "total_cost__lte"), ("created_at__gte=soon", "created_at__gte"),
                            ("sort=name", "sort"), ("sort=--score", "sort"), ("after=x", "after"),
                            ("score__gt=1", "score__gt"), ("cost__gte=1", "cost__gte")):
            with self.subTest(query=query):
                said = self.ask("GET", f"/api/runs?{query}", status=400)["error"]
                self.assertTrue(said.startswith(f"Invalid filter `{name}`"), said)

    def test_filters_of_another_list(self):
        for path in ("/api/runs?time__gte=2026-01-01", "/api/executions?total_cost__gte=1", "/api/executions?score__gt=1",
                     "/api/decisions?score__gte=1", "/api/executions?limit=1&model__like=a"):
            with self.subTest(path=path):
                name = path.split("?")[1].split("&")[-1].split("=")[0]
                said = self.ask("GET", path, status=400)["error"]
                self.assertEqual(said, f"Invalid filter `{name}`: no such filter")

    def test_one(self):
        run = self.ask("GET", f"/api/runs/{self.ids[1]}")["run"]
        self.assertEqual((run["suite_name"], run["status"], run["results_count"]), ("two", "partial_failure", "2"))
        self.assertIn("metadata", run["yaml_content"])
        self.assertEqual(run["explanation"]["expr"], "success_pct")
        self.assertEqual(len(run["results"]), 2)
        for result in run["results"]:
            for key in ("eval_name", "prompt", "response", "passed", "status", "latency_seconds", "prompt_tokens",
                        "completion_tokens", "thinking_tokens", "total_tokens", "input_cost", "output_cost", "cost",
                        "check_results"):
                self.assertIn(key, result)
        self.assertEqual([result["status"] for result in run["results"]], ["passed", "error"])
        self.assertEqual(self.ask("GET", "/api/runs/last")["run"]["id"], self.ids[2])
        self.assertNotIn("results", self.ask("GET", f"/api/runs/{self.ids[0]}?results=0")["run"])
        self.ask("GET", f"/api/runs/{NO_RUN}", status=404)
        self.ask("GET", "/api/runs/..", status=400)


if __name__ == "__main__":
    unittest.main()
