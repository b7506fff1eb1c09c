#!/usr/bin/python3
"""Every route, asked as clients ask: by the shapes of the `vibecheck` command-line client 0.4.0 (npm) where it has
them. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import gzip
import json
import os
import re
import sqlite3
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import Answer, ModelServer, ServeWorld  # noqa: E402

NO_RUN = "01900000-0000-7000-8000-000000000000"
MODEL = "openai/gpt-4o-mini"

FILE = """# what the client reads
metadata:
  name: shop
  model: openai/gpt-4o-mini
  system_prompt: be short
score:
  formula: 2 * greets + success_pct
evals:
  - name: greets
    tags: [polite]
    prompt: say "hello 4 you"
    checks:
      - match: "*4*"
      - min_tokens: 1
  - prompt: say "bye"
    repeat: 2
    checks:
      - or: [{match: "*nope*"}, {match: "*bye*"}]
      - semantic: {expected: bye, threshold: 0.5}
"""
# As the client sends it: without what it does not know.
STRIPPED = {"metadata": {"name": "shop", "model": MODEL, "system_prompt": "be short"},
            "evals": [{"prompt": 'say "hello 4 you"', "checks": [{"match": "*4*"}, {"min_tokens": 1}]},
                      {"prompt": 'say "bye"', "checks": [{"or": [{"match": "*nope*"}, {"match": "*bye*"}]},
                                                         {"semantic": {"expected": "bye", "threshold": 0.5}}]}]}


def inline(*prompts, name="inline", **metadata):
    return {"metadata": {"name": name, "model": MODEL, **metadata},
            "evals": [{"prompt": prompt, "checks": [{"match": "*"}]} for prompt in prompts]}


def log_of(session, text="Done: the function was renamed, and all tests pass.", start=0):
    """Lines as an agent logs them."""
    lines = ({"type": "user", "message": {"role": "user", "content": "rename the function"}, "uuid": session + "u",
              "sessionId": session, "timestamp": f"2026-01-01T00:00:{start:02}Z"},
             {"type": "assistant", "uuid": session + "a", "sessionId": session,
              "timestamp": f"2026-01-01T00:00:{start + 5:02}Z",
              "message": {"role": "assistant", "id": "m" + session, "model": "claude-sonnet-4-5",
                          "content": [{"type": "text", "text": text}],
                          "usage": {"input_tokens": 50, "output_tokens": 20}}})
    return "".join(json.dumps(line) + "\n" for line in lines)


class Case(unittest.TestCase):
    """One server for the tests of a class."""
    @classmethod
    def setUpClass(cls):
        cls.model = ModelServer().start()
        cls.addClassCleanup(cls.model.stop)
        cls.world = ServeWorld(cls.model)
        cls.addClassCleanup(cls.world.__exit__)
        cls.world.vibe("orgs", "set", "default", "--requests-per-minute", "1000000")

    def ask(self, method, path, body=None, *, status=200, **options):
        answer = self.world.ask(method, path, body, **options)
        self.assertEqual(answer.status, status, answer.body[:500])
        if status < 300:
            return answer.json
        self.assertIsInstance(answer.json["error"], str)
        self.assertNotEqual(answer.json["error"], "")
        return answer.json

    def start(self, body, **options):
        return self.ask("POST", "/api/eval/run", body, **options)["runId"]

    def finished(self, body):
        run = self.start(body)
        return run, self.ask("GET", f"/api/eval/status/{run}")


class Rules(Case):
    def test_keys(self):
        world = self.world
        for headers in ({"X-API-KEY": world.key}, {"Authorization": f"Bearer {world.key}"},
                        {"authorization": f"bearer  {world.key}"}, {"x-api-key": f" {world.key} "},
                        {"Authorization": "Bearer wrong", "X-API-KEY": world.key}):
            with self.subTest(headers=list(headers)):
                self.ask("GET", "/api/orginfo", key=None, headers=headers)
        for headers in ({}, {"X-API-KEY": "wrong"}, {"X-API-KEY": world.key + "x"}, {"X-API-KEY": world.key[:-1]},
                        {"Authorization": world.key}, {"Authorization": f"Basic {world.key}"}, {"X-API-KEY": ""},
                        {"Cookie": f"key={world.key}"}):
            with self.subTest(headers=headers):
                self.ask("GET", "/api/orginfo", key=None, headers=headers, status=401)
        for path in ("/api/version", "/healthz", "/readyz"):
            self.ask("GET", path, key=None)
            self.ask("GET", path, key="wrong")

    def test_a_key_in_the_query_is_none(self):
        self.ask("GET", f"/api/orginfo?key={self.world.key}&X-API-KEY={self.world.key}", key=None, status=401)

    def test_a_content_type_without_a_body(self):
        for method, path, status in (("GET", "/api/runs", 200), ("GET", "/api/suite/list", 200),
                                     ("DELETE", "/api/runtime/vars/none", 404)):
            self.ask(method, path, headers={"Content-Type": "application/json"}, status=status)
        self.ask("POST", f"/api/runs/{NO_RUN}/cancel", headers={"Content-Type": "application/json"}, status=404)

    def test_slashes(self):
        self.ask("GET", "//api/runs")
        self.ask("GET", "/api//orginfo")
        self.ask("GET", "//api//suite//list")

    def test_paths_and_methods(self):
        for path in ("/", "/api", "/api/none", "/api/runs/a/b/c", "/api/runsx", "/API/runs", "/api/eval/run/x"):
            with self.subTest(path=path):
                self.assertIn("no route", self.ask("GET", path, status=404)["error"])
        for method, path, allowed in (("DELETE", "/api/runs", "GET"), ("GET", "/api/eval/run", "POST"),
                                      ("PATCH", "/api/runtime/vars", "GET, POST"), ("POST", "/api/suite/list", "GET"),
                                      ("POST", "/api/runtime/vars/x", "GET, PUT, DELETE")):
            with self.subTest(method=method, path=path):
                answer = self.world.ask(method, path)
                self.assertEqual((answer.status, answer.headers["Allow"]), (405, allowed), answer.body)
                self.assertIsInstance(answer.json["error"], str)
        self.ask("GET", "/api/none", key=None, status=404)

    def test_bodies(self):
        for body in (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"{} x"):
            with self.subTest(body=body):
                self.ask("POST", "/api/eval/run", body, status=400)
        self.ask("POST", "/api/runtime/vars", b"name=a", type="application/x-www-form-urlencoded", status=415)
        self.ask("POST", "/api/runtime/vars", {"name": "a", "value": "b"}, type="application/json; charset=utf-8")
        too_large = json.dumps({"name": "a", "value": "x" * (16 << 20)})
        self.ask("POST", "/api/runtime/vars", too_large, status=413)
        self.ask("POST", "/api/invites/redeem", {"code": "x" * (4 << 10)}, key=None, status=413)
        self.ask("POST", "/api/formula/check", {"formula": "1", "yamlContent": "x" * (1 << 20)}, status=413)

    def test_many_requests_on_one_connection(self):
        connection = self.world.connect()
        for path, status in (("/api/runs", 200), ("/api/none", 404), ("/api/runs", 200), ("/api/orginfo", 200)):
            connection.request("GET", path, headers=self.world.headers())
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, status)
            self.assertNotEqual(answer.headers.get("Connection"), "close")
        connection.close()

    def test_gzip(self):
        connection = self.world.connect()
        connection.request("GET", "/api/models", headers={**self.world.headers(), "Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        self.assertEqual(answer.headers["Content-Encoding"], "gzip")
        self.assertGreater(len(json.loads(gzip.decompress(answer.read()))["models"]), 100)
        connection.close()

    def test_roles(self):
        keys = {role: new_key(self.world, role) for role in ("read", "run")}
        self.ask("GET", "/api/runs", key=keys["read"])
        self.ask("POST", "/api/formula/check", {"formula": "1 + success_pct"}, key=keys["read"])
        said = self.ask("POST", "/api/runtime/vars", {"name": "a", "value": "b"}, key=keys["read"], status=403)["error"]
        self.assertIn("`read`", said)
        self.assertIn("`run`", said)
        self.ask("POST", "/api/runtime/vars", {"name": "a", "value": "b"}, key=keys["run"])
        self.ask("GET", "/metrics", key=keys["run"], status=403)
        self.assertEqual(self.ask("GET", "/api/orginfo", key=keys["run"])["role"], "run")

    def test_the_access_log(self):
        self.world.ask("GET", f"/api/runs?limit=3&model={self.world.key}")
        self.ask("POST", "/api/runtime/secrets", {"name": "logged", "value": "swordfish"})
        answer = self.world.ask("GET", "/api/none", key="vibe_wrong_swordfish", headers={"X-Request-Id": "mine-7"})
        self.assertEqual(answer.headers["X-Request-Id"], "mine-7")
        wait_for(lambda: any(line["id"] == "mine-7" for line in self.world.log_lines()))
        lines = self.world.log_lines()
        last = next(line for line in lines if line["id"] == "mine-7")
        self.assertEqual({key: last[key] for key in ("method", "path", "status", "org", "key", "peer")},
                         {"method": "GET", "path": "/api/none", "status": 404, "org": None, "key": None,
                          "peer": "127.0.0.1"})
        self.assertGreater(last["bytes"], 0)
        listed = [line for line in lines if line["path"] == "/api/runs" and line["status"] == 200][-1]
        self.assertEqual(listed["org"], "default")
        self.assertEqual(listed["key"], self.world.key.split("_")[1])
        text = self.world.log.read_text() + self.world.problems()
        self.assertNotIn("swordfish", text)
        self.assertNotIn(self.world.key.split("_")[2], text)


def new_key(world, role):
    return re.search(r"vibe_\w+", world.vibe("keys", "create", "--org", "default", "--role", role))[0]


def wait_for(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class Limits(unittest.TestCase):
    def test_requests_of_a_key(self):
        with ServeWorld() as world:
            world.vibe("orgs", "set", "default", "--requests-per-minute", "60")
            other = new_key(world, "read")
            statuses = [world.ask("GET", "/api/runs").status for _ in range(40)]
            self.assertEqual(statuses[:10], [200] * 10)
            self.assertIn(429, statuses)
            answer = world.ask("GET", "/api/runs")
            if answer.status == 429:
                self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
                self.assertIsInstance(answer.json["error"], str)
            self.assertEqual(world.ask("GET", "/api/runs", key=other).status, 200)
            self.assertEqual(world.ask("GET", "/healthz").status, 200)

    def test_requests_without_a_key(self):
        """Of an address: 300 at once, then 20 a second."""
        with ServeWorld() as world:
            connection = world.connect()
            self.addCleanup(connection.close)

            def ask(path, key=None):
                connection.request("GET", path, headers=world.headers(key))
                return Answer(connection.getresponse())
            for path in ("/api/version", "/api/runs"):
                answers = [ask(path)]
                while answers[-1].status != 429:
                    self.assertLess(len(answers), 20_000)
                    answers.append(ask(path))
                self.check_refusal(answers[-1], "too many requests without a key")
            self.assertLess(len(answers), 300)  # both have the same limit
            for path in ("/healthz", "/readyz"):
                self.assertEqual({ask(path).status for _ in range(400)}, {200})
            self.assertEqual(ask("/api/runs", world.key).status, 200)

    def test_wrong_keys(self):
        """Of an address: 30 at once, then 2 a second; then no key is looked up for it."""
        with ServeWorld() as world:
            seen = [world.ask("GET", "/api/runs", key=f"vibe_{i}_guess").status for i in range(30)]
            self.assertEqual(seen, [401] * 30)
            while (answer := world.ask("GET", "/api/runs", key="vibe_a_b")).status != 429:
                self.assertEqual(answer.status, 401)
            self.check_refusal(answer, "too many wrong keys")
            self.assertEqual(world.ask("GET", "/api/runs").status, 429)
            self.assertEqual(world.ask("GET", "/healthz").status, 200)
            self.assertEqual(world.ask("GET", "/api/version", key=None).status, 200)
            wait_for(lambda: world.ask("GET", "/api/runs").status == 200)  # it may try again later

    def check_refusal(self, answer, begin):
        self.assertTrue(answer.json["error"].startswith(begin), answer.body)
        self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)

    def test_queued_runs_and_credits(self):
        with ModelServer("--latency", "100000") as model, ServeWorld(model, "--workers", "1") as world:
            world.vibe("orgs", "set", "default", "--max-queued", "2")
            answers = [world.ask("POST", "/api/eval/run", {"evalSuite": inline("a")}) for _ in range(5)]
            refused = [answer for answer in answers if answer.status == 429]
            self.assertTrue(refused, [answer.body for answer in answers])
            self.assertIn("waiting", refused[0].json["error"])
            self.assertGreaterEqual(int(refused[0].headers["Retry-After"]), 1)
            world.vibe("orgs", "set", "default", "--credits", "0")
            answer = world.ask("POST", "/api/eval/run", {"evalSuite": inline("a")})
            self.assertEqual(answer.status, 402, answer.body)
            self.assertEqual(world.ask("GET", "/api/orginfo").json["credits"], 0)
            world.kill()


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
                             ({"evalSuite": {}}, 422), ({"evalSuite": "x"}, 422), ({"yamlContent": "a: ["}, 422),
                             ({"evalSuite": inline("a"), "yamlContent": FILE}, 422),
                             ({"evalSuite": inline("a", name="list")}, 422),
                             ({"evalSuite": inline("a", model="exec:id")}, 422)):
            with self.subTest(body=body):
                answer = self.ask("POST", "/api/eval/run", body, status=status)
                self.assertEqual("diagnostics" in answer, status == 422)

    def test_options(self):
        run = self.start({"yamlContent": FILE, "options": {"only": ["greets"], "repeat": 3, "budget": 1,
                                                           "run_timeout": 60, "cache": True}})
        state = self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual([one["evalName"] for one in state["results"]], ["greets"] * 3)
        run = self.start({"yamlContent": FILE, "options": {"only": "tag:polite", "model": "openai/gpt-4o",
                                                           "system_prompt": "x", "threads": 1}})
        state = self.ask("GET", f"/api/eval/status/{run}")
        self.assertEqual((state["model"], state["systemPrompt"], len(state["results"])), ("openai/gpt-4o", "x", 1))
        for options in ({"repeat": 0}, {"repeat": "x"}, {"budget": -1}, {"run_timeout": "soon"}, {"cache": 1},
                        {"only": 5}, {"only": [5]}, {"threads": 0}, {"threads": 1025}, {"repeat": 1001},
                        {"only": ["a"] * 1001}, []):
            with self.subTest(options=options):
                self.ask("POST", "/api/eval/run", {"yamlContent": FILE, "options": options}, status=400)

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

    def test_what_may_change_for_a_run_that_is_gone_on_with(self):
        run, _ = self.finished({"evalSuite": inline("fail=500 x", "b", name="changes")})
        for options in ({"model": MODEL}, {"system_prompt": "x"}, {"only": ["a"]}, {"repeat": 2},
                        {"mcp_server": {"url": "https://x.invalid/"}}, {"mcp_server": {"name": "x"}}):
            with self.subTest(options=options):
                said = self.ask("POST", "/api/eval/run", {"retryFailed": run, "options": options}, status=400)
                self.assertIn("gone on with", said["error"])
        # It has no server of tools that a token could be for: so it was looked at.
        token = {"mcp_server": {"authorization_token": "x"}}
        said = self.ask("POST", "/api/eval/run", {"retryFailed": run, "options": token}, status=400)
        self.assertIn("no server of tools", said["error"])

    def test_problems_with_tools_tell_no_secret(self):
        self.ask("POST", "/api/runtime/secrets", {"name": "tools_token", "value": "swordfish-77"})
        tools = {"url": "https://x.invalid/mcp", "name": "{{secret('tools_token')}}"}
        run, state = self.finished({"evalSuite": inline("hello", mcp_server=tools)})
        self.assertEqual(state["status"], "failed")
        self.assertIn("[tools_token]", state["error"])
        for path in (f"/api/runs/{run}", f"/api/eval/status/{run}", "/api/runs"):
            self.assertNotIn("swordfish-77", json.dumps(self.ask("GET", path)))


class Waiting(Case):
    def test_at_once(self):
        run = self.start({"evalSuite": inline("latency=60000 a", "b", threads=2)})
        wait_for(lambda: self.ask("GET", f"/api/eval/status/{run}?wait=0")["results"])
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
            wait_for(lambda: world.ask("GET", f"/api/eval/status/{run}?wait=0").json["status"] == "running")
            self.assertEqual(world.stop(), 0)
            answer = held.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertIn(json.loads(answer.read())["status"], ("running", "queued", "completed"))
            held.close()


class Runs(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ids = []
        for name, model, prompts in (("one", MODEL, ["a"]), ("two", "openai/gpt-4o", ["a", "fail=400 b"]),
                                     ("three", MODEL, ["a", "b", "c"])):
            run = cls.world.ask("POST", "/api/eval/run",
                                {"evalSuite": inline(*prompts, name=name, model=model)}).json["runId"]
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
                self.assertEqual(said, f"Invalid filter `{name}`: there is no such filter")

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


class Suites(Case):
    def test_saved_listed_shown(self):
        saved = self.ask("POST", "/api/suite/save", {"evalSuite": STRIPPED, "yamlContent": FILE})
        self.assertEqual((saved["success"], saved["name"], saved["isUpdate"], saved["version"]), (True, "shop", False, 1))
        again = self.ask("POST", "/api/suite/save", {"evalSuite": STRIPPED, "yamlContent": FILE + "# more\n"})
        self.assertEqual((again["isUpdate"], again["changed"], again["version"]), (True, True, 2))
        listed = [one for one in self.ask("GET", "/api/suite/list")["suites"] if one["name"] == "shop"]
        self.assertEqual([(one["name"], one["lastRun"], one["evalCount"]) for one in listed], [("shop", None, 2)])
        self.assertIsInstance(listed[0]["lastEdit"], str)
        suite = self.ask("GET", "/api/suite/shop")["suite"]
        self.assertEqual((suite["name"], suite["yamlContent"]), ("shop", FILE + "# more\n"))
        self.assertEqual(self.ask("GET", "/api/suite/shop?version=1")["suite"]["yamlContent"], FILE)
        self.assertEqual([one["version"] for one in self.ask("GET", "/api/suite/shop?history=1")["versions"]], [2, 1])
        self.ask("GET", "/api/suite/shop?version=3", status=404)
        self.ask("GET", "/api/suite/shop?version=x", status=400)
        self.ask("GET", "/api/suite/none", status=404)

    def test_one_that_is_named_as_a_route(self):
        self.ask("POST", "/api/suite/save", {"evalSuite": inline("a", name="save")})
        self.assertEqual(self.ask("GET", "/api/suite/save")["suite"]["name"], "save")
        self.ask("POST", "/api/suite/save", {"evalSuite": inline("a", name="list")}, status=422)

    def test_names_with_spaces_and_letters(self):
        self.ask("POST", "/api/suite/save", {"evalSuite": inline("a", name="grüne Äpfel 100%")})
        suite = self.ask("GET", "/api/suite/gr%C3%BCne%20%C3%84pfel%20100%25")["suite"]
        self.assertEqual(suite["name"], "grüne Äpfel 100%")

    def test_wrong_ones(self):
        for body, status in (({}, 400), ({"evalSuite": {"metadata": {}}}, 422),
                             ({"evalSuite": inline("a", name="list")}, 422),
                             ({"evalSuite": inline("a", name="a/b")}, 422)):
            self.ask("POST", "/api/suite/save", body, status=status)


class Formulas(Case):
    def test_checks(self):
        found = self.ask("POST", "/api/formula/check", {"formula": "success_pct - 10 * avg_latency"})
        self.assertIs(found["valid"], True)
        self.assertEqual(found["variables"], ["success_pct", "avg_latency"])
        self.assertEqual((found["range"]["low"], found["range"]["high"]), (None, 100))
        found = self.ask("POST", "/api/formula/check", {"formula": "success_pct +"})
        self.assertIs(found["valid"], False)
        self.assertEqual(found["diagnostics"][0]["line"], 1)
        self.assertIsNone(found["range"])
        found = self.ask("POST", "/api/formula/check", {"formula": "100 * greets", "yamlContent": FILE})
        self.assertEqual((found["valid"], found["range"]["high"]), (True, 100))
        found = self.ask("POST", "/api/formula/check", {"formula": "nobody * 2", "yamlContent": FILE})
        self.assertIs(found["valid"], False)
        found = self.ask("POST", "/api/formula/check", {"yamlContent": FILE})
        self.assertEqual((found["valid"], found["variables"]), (True, ["greets", "success_pct"]))
        rubric = FILE.replace("score:\n", "score:\n  rubric: /etc/passwd\n")
        self.assertIs(self.ask("POST", "/api/formula/check", {"yamlContent": rubric})["valid"], False)
        for body in ({}, {"formula": 5}, {"formula": None, "yamlContent": None}):
            self.ask("POST", "/api/formula/check", body, status=400)


class Values(Case):
    def test_variables(self):
        self.assertEqual(self.ask("GET", "/api/runtime/vars"), {"vars": []})
        self.assertIs(self.ask("POST", "/api/runtime/vars", {"name": "city", "value": "Paris"})["created"], True)
        self.assertIs(self.ask("POST", "/api/runtime/vars", {"name": "city", "value": "Rome"})["created"], False)
        self.assertEqual(self.ask("GET", "/api/runtime/vars"), {"vars": [{"name": "city", "value": "Rome"}]})
        self.assertEqual(self.ask("GET", "/api/runtime/vars/city"), {"name": "city", "value": "Rome"})
        self.ask("PUT", "/api/runtime/vars/city", {"value": "Oslo"})
        self.assertEqual(self.ask("GET", "/api/runtime/vars/city")["value"], "Oslo")
        self.assertEqual(self.ask("DELETE", "/api/runtime/vars/city"), {"success": True})
        self.ask("DELETE", "/api/runtime/vars/city", status=404)
        self.ask("GET", "/api/runtime/vars/city", status=404)
        for body in ({}, {"name": "a"}, {"name": "a", "value": 5}, {"name": "a b", "value": "x"}, {"value": "x"},
                     {"name": "a", "value": "x" * 70_000}):
            self.ask("POST", "/api/runtime/vars", body, status=400)

    def test_writing_holds_nobody_up(self):
        with sqlite3.connect(self.world.home / "vibecheck.db", isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            waiting = []
            for i in range(6):  # more than there are threads for HTTP on a small machine
                connection = self.world.connect()
                body = json.dumps({"value": "x"})
                connection.request("PUT", f"/api/runtime/vars/held{i}", body, self.world.headers(body=body))
                waiting.append(connection)
            for _ in range(4):
                connection = self.world.connect(seconds=4)  # less than a store waits for another
                connection.request("GET", "/healthz")
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()
            database.execute("ROLLBACK")
        database.close()
        for connection in waiting:
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()

    def test_secrets(self):
        self.ask("POST", "/api/runtime/secrets", {"name": "token", "value": "swordfish"})
        self.ask("PUT", "/api/runtime/secrets/other", {"value": "swordfish"})
        self.assertEqual(self.ask("GET", "/api/runtime/secrets"), {"secrets": [{"name": "other"}, {"name": "token"}]})
        self.ask("GET", "/api/runtime/secrets/token", status=405)
        suite = inline('say "{{secret(\'token\')}}"', name="secretive")
        _, state = Starting.finished(self, {"evalSuite": suite})
        self.assertEqual(state["status"], "completed")
        run = self.ask("GET", "/api/runs/last")
        self.assertNotIn("swordfish", json.dumps(state) + json.dumps(run))
        self.ask("DELETE", "/api/runtime/secrets/token")
        self.ask("DELETE", "/api/runtime/secrets/token", status=404)
        self.ask("POST", "/api/runtime/secrets", {"name": "blank", "value": " "}, status=400)


class Organisations(Case):
    def test_org(self):
        org = self.ask("GET", "/api/orginfo")
        self.assertEqual((org["name"], org["slug"], org["status"]), ("default", "default", "active"))
        self.assertIsInstance(org["credits"], int)
        self.assertIsInstance(org["created_at"], str)

    def test_invites(self):
        self.world.vibe("orgs", "create", "acme", "--credits", "25")
        code = json.loads(self.world.vibe("invites", "create", "--org", "acme", "--role", "run", "--json"))["code"]
        found = self.ask("POST", "/api/invites/redeem", {"code": code}, key=None)
        self.assertEqual({key: found["org"][key] for key in ("slug", "name", "credits")},
                         {"slug": "acme", "name": "acme", "credits": 25})
        self.assertEqual(self.ask("GET", "/api/orginfo", key=found["apiKey"])["id"], found["org"]["id"])
        self.assertIn("already been used",
                      self.ask("POST", "/api/invites/redeem", {"code": code}, key=None, status=400)["error"])
        self.ask("POST", "/api/invites/redeem", {"code": "none"}, key=None, status=404)
        for body in ({}, {"code": 5}, {"code": ""}):
            self.ask("POST", "/api/invites/redeem", body, key=None, status=400)


class Executions(Case):
    def add(self, log, query="", **options):
        return self.ask("POST", f"/api/executions?{query}", log, type="application/x-ndjson", **options)

    def test_scored_kept_and_shown(self):
        found = self.add(log_of("s1"), "agent=reviewer&version=v1")
        self.assertEqual(len(found["executions"]), 1)
        one = found["executions"][0]
        self.assertIsInstance(one["score"], float)
        self.assertIn(one["grade"], "ABCDF")
        self.assertEqual((one["agent"], one["version"]), ("reviewer", "v1"))
        self.assertNotIn("spool", json.dumps(found))
        shown = self.ask("GET", f"/api/executions/{one['execution_id']}")
        self.assertEqual(shown["score"], one["score"])
        again = self.add(log_of("s1"), "agent=reviewer&version=v1")
        self.assertEqual(again["executions"][0]["execution_id"], one["execution_id"])
        self.add(log_of("s2", "An error, sorry", start=20), "agent=reviewer&version=v2")
        self.add(gzip.compress(log_of("s3", start=40).encode()), "agent=reviewer@v2&task=other&complexity=medium")
        listed = self.ask("GET", "/api/executions?agent=reviewer")
        self.assertEqual([item["id"] for item in listed["executions"]], ["s3", "s2", "s1"])
        self.assertEqual(listed["pagination"], {"total": 3, "hasMore": False})
        for query, ids in (("agent=reviewer&version=v1", ["s1"]), ("agent=reviewer@v2", ["s3", "s2"]), ("agent=no", []),
                           ("session=s2", ["s2"]), ("score__lte=-1", []), ("agent=reviewer&time__lte=2026-01-01T00:00:10Z", ["s1"]),
                           ("limit=1&agent=reviewer", ["s3"])):
            with self.subTest(query=query):
                found = self.ask("GET", f"/api/executions?{query}")["executions"]
                self.assertEqual([item["id"] for item in found], ids)
        trend = self.ask("GET", "/api/agents/reviewer/fitness")
        self.assertEqual(len(trend["executions"]), 3)
        self.ask("GET", "/api/agents/reviewer/fitness?version=v2")
        self.ask("GET", "/api/agents/nobody/fitness", status=404)
        decision = self.ask("POST", "/api/decisions", {"old": "reviewer@v1", "new": "reviewer@v2", "seed": 7})
        self.assertEqual(decision["seed"], 7)
        self.assertEqual(len(decision["after"]["scores"]), 2)
        self.ask("POST", "/api/decisions", {"old": 70, "new": 80})
        listed = self.ask("GET", "/api/decisions?agent=reviewer")["decisions"]
        self.assertEqual([item["decision_id"] for item in listed], [decision["decision_id"]])
        self.assertEqual(self.ask("GET", "/api/decisions")["pagination"]["total"], 2)

    def test_wrong_ones(self):
        self.add(b"", status=400)
        for log in (b"nothing", b"{}\n", b'{"a": 1}\n' * 10):
            with self.subTest(log=log):
                answer = self.add(log, status=422)
                self.assertNotIn(str(self.world.home), json.dumps(answer))
                self.assertTrue(answer["diagnostics"])
        for query in ("task=none", "complexity=none", "file=relative", "format=none"):
            self.add(log_of("w"), query, status=400)
        self.ask("GET", f"/api/executions/{NO_RUN}", status=404)
        self.ask("GET", "/api/executions?limit=x", status=400)
        for body in ({}, {"old": 1}, {"old": [], "new": 1}, {"old": 1, "new": 2, "seed": -1}):
            self.ask("POST", "/api/decisions", body, status=400)
        self.ask("POST", "/api/decisions", {"old": "nobody@v1", "new": 5}, status=404)
        self.ask("POST", "/api/decisions", {"old": "/etc/passwd", "new": 5}, status=404)

    def test_a_log_that_is_large(self):
        """More than other bodies may have."""
        lines = log_of("large").splitlines(keepends=True)
        log = lines[0] + "".join(
            json.dumps({"type": "system", "sessionId": "large", "content": "x" * 10_000}) + "\n"
            for _ in range(1_800)) + lines[1]
        self.assertEqual(len(self.add(log, "agent=large")["executions"]), 1)
        wait_for(lambda: not list((self.world.home / "spool").iterdir()))
        with ServeWorld(config="serve: {max_upload_mib: 1}\n") as world:
            self.assertEqual(world.ask("POST", "/api/executions", log).status, 413)


class Operation(Case):
    def test_models_and_version(self):
        models = self.ask("GET", "/api/models")["models"]
        mini = next(one for one in models if one["id"] == MODEL)
        self.assertLessEqual({"id", "name", "description", "supported_parameters", "pricing"}, set(mini))
        self.assertEqual(mini["pricing"], {"prompt": "0.00000015", "completion": "0.0000006"})
        self.assertIn(self.ask("GET", "/api/version")["version"], self.world.vibe("version").split())

    def test_openapi(self):
        found = self.ask("GET", "/api/openapi.json")
        self.assertEqual(found["openapi"], "3.1.0")
        self.assertEqual(set(found["paths"]["/api/runtime/vars/{name}"]), {"get", "put", "delete"})
        for path, methods in found["paths"].items():
            for method, route in methods.items():
                with self.subTest(method=method, path=path):
                    names = [one["name"] for one in route.get("parameters", []) if one["in"] == "path"]
                    self.assertEqual(names, [part[1:-1] for part in path.split("/") if part.startswith("{")])
                    self.assertTrue(route["summary"])
                    self.assertIn("200", route["responses"])

    def test_every_route_is_there(self):
        """With a key and a body that is no use: whatever comes is of the route, and no failure of the server."""
        for path, methods in self.ask("GET", "/api/openapi.json")["paths"].items():
            for method in methods:
                with self.subTest(method=method, path=path):
                    sent = path.replace("{id}", NO_RUN).replace("{name}", "none")
                    answer = self.world.ask(method.upper(), sent, {} if method in ("post", "put") else None)
                    self.assertIn(answer.status, (200, 400, 404, 422), answer.body[:300])

    def test_metrics(self):
        Starting.finished(self, {"evalSuite": inline("a", "fail=400 b")})
        for _ in range(3):
            self.world.ask("GET", "/api/runs")
        answer = self.world.ask("GET", "/metrics")
        self.assertTrue(answer.headers["Content-Type"].startswith("text/plain"))
        lines = answer.body.decode().splitlines()
        self.assertIn("vibecheck_queue_waiting 0", lines)
        self.assertIn('vibecheck_runs{state="partial_failure"} 1', lines)
        self.assertIn("vibecheck_samples_total 2", lines)
        self.assertIn("vibecheck_provider_errors_total 1", lines)
        counted = [line.split()[-1] for line in lines if line.startswith(
            ('vibecheck_requests_total{route="GET /api/runs",status="200"} ',
             'vibecheck_request_seconds_bucket{route="GET /api/runs",le="+Inf"} '))]
        self.assertEqual(len(set(counted)), 1, counted)
        self.assertGreaterEqual(int(counted[0]), 2)  # the last may not be counted yet
        self.assertTrue(any(line.startswith("vibecheck_connections ") for line in lines))
        for line in lines:
            self.assertRegex(line, r'^(# (HELP|TYPE) vibecheck_\w+ .+|vibecheck_\w+(\{[^}]*\})? [0-9.e+-]+)$')
        self.assertEqual(self.world.ask("GET", "/metrics", key=None).status, 401)

    def test_metrics_are_for_the_first_organisation(self):
        self.world.vibe("orgs", "create", "curious")
        key = self.world.vibe("keys", "create", "--org", "curious", "--role", "admin").strip()
        self.assertEqual(self.world.ask("GET", "/api/orginfo", key=key).json["role"], "admin")
        self.assertEqual(self.world.ask("GET", "/metrics", key=key).status, 403)

    def test_health(self):
        self.assertEqual(self.ask("GET", "/healthz", key=None)["status"], "ok")
        self.assertEqual(self.ask("GET", "/readyz", key=None)["status"], "ready")


class Addresses(unittest.TestCase):
    def test_an_open_address_needs_tls(self):
        with ServeWorld(is_started=False) as world:
            world.vibe("serve", "--host", "0.0.0.0", "--port", "0", exit=2)
            self.assertIn("--insecure", world.errors)
            world.serve("--host", "0.0.0.0", "--insecure")
            self.assertEqual(world.ask("GET", "/healthz").status, 200)

    def test_a_port_that_is_taken(self):
        with ServeWorld() as world, ServeWorld(is_started=False) as other:
            other.vibe("serve", "--port", str(world.port), exit=3)
            self.assertIn(str(world.port), other.errors)


if __name__ == "__main__":
    unittest.main()
