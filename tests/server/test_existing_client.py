#!/usr/bin/python3
"""What the `vibecheck` command-line client 0.4.0 (github.com/hev/vibecheck) meets, asked in the shapes of its requests:
above all when its output is a pipe, where it asks for the status once and takes what comes. Needs VIBE, VIBE_BUILD,
VIBE_SOURCE."""

import gzip
import http.client
import json
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld, wait_until  # noqa: E402
from route_case import FILE, MODEL, NO_RUN, STRIPPED, inline, new_key  # noqa: E402

FAST = "serve: {status_heartbeat: 0.1}\n"  # seconds


class Client:
    """Sends what that client sends. Each request has a connection of its own."""

    def __init__(self, world, key=None):
        self.world, self.key = world, key or world.key

    def send(self, method, path, body=None, bearer=True):
        """The connection, with the request sent."""
        headers = {"Accept": "application/json, text/plain, */*", "Content-Type": "application/json",
                   "User-Agent": "axios/1.12.2", "Accept-Encoding": "gzip, compress, deflate, br"}
        headers.update({"Authorization": f"Bearer {self.key}"} if bearer else {"X-API-KEY": self.key})
        connection = self.world.connect()
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection

    def ask(self, method, path, body=None, bearer=True):
        """The status, and what JSON.parse() makes of the body. Raises where the connection breaks off."""
        connection = self.send(method, path, body, bearer)
        try:
            return self.read(connection.getresponse())
        finally:
            connection.close()

    @staticmethod
    def read(answer):
        body = answer.read()
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return answer.status, json.loads(body)

    def start(self, suite, text=None):
        body = {"evalSuite": suite} if text is None else {"evalSuite": suite, "yamlContent": text}
        status, answer = self.ask("POST", "/api/eval/run", body, bearer=False)
        assert status == 200 and not answer.get("error"), answer
        return answer["runId"]

    def piped(self, run):
        """Its exit code and what it shows, when its output is not a terminal."""
        try:
            status, answer = self.ask("GET", f"/api/eval/status/{run}", bearer=False)
        except (http.client.HTTPException, OSError) as problem:
            return 1, f"Error polling results: {problem}"
        if status != 200:
            return 1, answer["error"]
        if answer["status"] == "completed":
            return 0, answer["results"]
        if answer["status"] in ("failed", "partial_failure", "timed_out"):
            return 1, answer["error"]
        return 0, None  # the fault: it ends well, and shows nothing


class Piped(unittest.TestCase):
    def serve(self, *options, config=FAST):
        model = ModelServer().start()
        self.addCleanup(model.stop)
        world = ServeWorld(model, *options, config=config)
        self.addCleanup(world.__exit__)
        return world, Client(world)

    def begun(self, client, run):
        """A status whose answer has begun: its first space is read."""
        connection = client.send("GET", f"/api/eval/status/{run}", bearer=False)
        self.addCleanup(connection.close)
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Transfer-Encoding"]), (200, "chunked"))
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertNotIn("Content-Encoding", answer.headers)
        self.assertEqual(answer.read(1), b" ")
        return answer

    def test_a_run_that_lasts_longer_than_any_hold(self):
        world, client = self.serve()
        run = client.start(inline("latency=3000 a", "b", threads=1))
        answer = self.begun(client, run)
        body = answer.read()
        self.assertTrue(body.startswith(b" "), body[:10])  # it was kept open more than once
        state = json.loads(body)
        self.assertEqual((state["status"], len(state["results"])), ("completed", 2))
        self.assertEqual(client.piped(run)[1][0]["prompt"], "latency=3000 a")

    def test_the_server_stops_in_between(self):
        """Who waits is told so by an error; who asks when the server is back has the results."""
        world, client = self.serve("--lease", "1")
        run = client.start(inline(*["latency=400 a"] * 10, threads=1))
        begun = self.begun(client, run)
        outcome = []
        threading.Thread(target=lambda: outcome.append(world.stop())).start()
        with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
            begun.read()
        wait_until(lambda: outcome, "the server to stop")
        self.assertEqual(outcome, [0])
        world.serve()
        code, results = client.piped(run)
        self.assertEqual((code, len(results or [])), (0, 10), results)

    def test_the_server_stops_before_the_answer_has_begun(self):
        world, client = self.serve(config="serve: {status_heartbeat: 3600}\n")
        run = client.start(inline("latency=1000 a", "b", threads=1))
        outcome = []
        waiting = threading.Thread(target=lambda: outcome.append(client.piped(run)))
        waiting.start()
        wait_until(lambda: world.ask("GET", f"/api/eval/status/{run}?wait=0").json["status"] == "running", "the run")
        status = client.send("GET", f"/api/eval/status/{run}", bearer=False)
        self.addCleanup(status.close)
        self.assertEqual(client.ask("GET", "/api/orginfo")[0], 200)  # both are held by now, or are next
        wait_until(lambda: b"vibecheck_connections 3" in world.ask("GET", "/metrics").body, "both connections")
        self.assertEqual(world.stop(), 0)
        waiting.join()
        said = "the server is stopping; the run continues when the server is back"
        self.assertEqual(outcome, [(1, said)])
        answer = status.getresponse()
        self.assertEqual((answer.status, answer.headers["Retry-After"]), (503, "1"))
        self.assertEqual(json.loads(answer.read()), {"error": said})

    def test_many_are_kept_open_and_others_are_answered(self):
        """More than there are threads, of any kind."""
        world, client = self.serve()
        run = client.start(inline("latency=60000 a"))
        begun = [self.begun(client, run) for _ in range(100)]
        self.assertEqual([answer.read(1) for answer in begun], [b" "] * 100)
        self.assertEqual(client.ask("POST", f"/api/runs/{run}/cancel", {}), (200, {"success": True, "cancelled": True}))
        for answer in begun:
            state = json.loads(answer.read())
            self.assertEqual((state["status"], state["error"]), ("failed", "Run was cancelled"))
        self.assertEqual(client.piped(run), (1, "Run was cancelled"))

    def test_a_key_that_is_refused_meanwhile(self):
        world, client = self.serve()
        run = client.start(inline("latency=60000 a"))
        key = new_key(world, "read")
        begun = self.begun(Client(world, key), run)
        world.vibe("keys", "revoke", key.split("_")[1])
        with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
            begun.read()
        world.ask("POST", f"/api/runs/{run}/cancel")

    def test_a_time_that_the_client_names(self):
        """Spaces come before such an answer, too."""
        world, client = self.serve()
        run = client.start(inline("latency=60000 a"))
        answer = world.ask("GET", f"/api/eval/status/{run}?wait=1")
        self.assertTrue(answer.body.startswith(b" "), answer.body[:20])
        self.assertEqual(answer.json["status"], "running")
        world.ask("POST", f"/api/runs/{run}/cancel")


class Shapes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = ModelServer().start()
        cls.addClassCleanup(cls.model.stop)
        cls.world = ServeWorld(cls.model)
        cls.addClassCleanup(cls.world.__exit__)
        cls.client = Client(cls.world)

    def ask(self, method, path, body=None, *, status=200, **options):
        seen, answer = self.client.ask(method, path, body, **options)
        self.assertEqual(seen, status, answer)
        if status == 200:
            self.assertFalse(answer.get("error"))
        else:
            self.assertIsInstance(answer["error"], str)
        return answer

    def run_of(self, run):
        return self.ask("GET", f"/api/runs/{run}")["run"]

    def test_why_a_sample_failed(self):
        run = self.client.start(inline("fail=400 a", "b", "fail=401 c", name="partial", threads=1))
        code, said = self.client.piped(run)
        self.assertEqual(code, 1)
        self.assertRegex(said, r"^2 of 3 samples had an error, the first: .*400")
        shown = self.run_of(run)
        self.assertEqual(shown["error"], said)
        for result in shown["results"]:
            with self.subTest(prompt=result["prompt"]):
                self.assertEqual(result["eval_name"], result["prompt"])  # as it has no name
                failed = result["prompt"].startswith("fail")
                self.assertEqual(result["status"] == "error", failed)
                if failed:  # the client shows checks alone
                    entry = result["check_results"][0]
                    self.assertEqual((entry["type"], entry["passed"]), ("error", False))
                    self.assertEqual(entry["message"], result["error"])
        _, state = self.client.ask("GET", f"/api/eval/status/{run}", bearer=False)
        self.assertEqual({one["evalName"] for one in state["results"]}, {"fail=400 a", "b", "fail=401 c"})
        run = self.client.start(inline("fail=400 a", name="whole"))
        self.assertRegex(self.client.piped(run)[1], r"^1 of 1 samples had an error: .*400")

    def test_an_empty_system_prompt_overrides_that_of_the_file(self):
        suite = json.loads(json.dumps(STRIPPED))
        suite["metadata"]["system_prompt"] = ""
        run = self.client.start(suite, FILE)
        self.assertEqual(self.client.piped(run)[0], 0)
        self.assertEqual(self.ask("GET", f"/api/eval/status/{run}", bearer=False)["systemPrompt"], "")
        del suite["metadata"]["system_prompt"]
        run = self.client.start(suite, FILE)
        self.assertEqual(self.ask("GET", f"/api/eval/status/{run}", bearer=False)["systemPrompt"], "be short")

    def test_a_tool_server_without_a_name(self):
        tools = {"url": "https://tools.invalid/mcp", "name": ""}
        run = self.client.start(inline("a", mcp_server=tools, name="tools"))
        code, said = self.client.piped(run)
        self.assertEqual(code, 1)
        self.assertIn("tools.invalid", said)

    def test_one_mistake_is_reported_once(self):
        suite, text = inline("a", name="once"), "metadata: {name: once, model: openai/x}\nevals: [{prompt: a, checks: [mtch: a]}]\n"
        suite["evals"][0]["checks"] = [{"mtch": "a"}]
        answer = self.ask("POST", "/api/eval/run", {"evalSuite": suite, "yamlContent": text}, status=422, bearer=False)
        self.assertEqual(len(answer["diagnostics"]), 1, answer)
        self.assertEqual(answer["diagnostics"][0]["file"], "yamlContent")
        self.assertNotIn("more error", answer["error"])
        text = "metadata: {name: once, model: openai/x}\nevals: [{name: a, prompt: a, checks: [match: a]}]\nscore: {formula: 2}\n"
        warned = self.ask("POST", "/api/eval/run", {"yamlContent": text}, bearer=False)["warnings"]
        self.assertEqual(len({one["message"] for one in warned}), len(warned), warned)
        self.assertTrue(warned)

    def test_suites(self):
        body = {"evalSuite": STRIPPED, "yamlContent": FILE.replace("name: shop", "name: a shop")}
        self.assertEqual(self.ask("POST", "/api/suite/save", body)["name"], "a shop")
        self.assertIn("a shop", [one["name"] for one in self.ask("GET", "/api/suite/list")["suites"]])
        self.assertEqual(self.ask("GET", "/api/suite/a%20shop")["suite"]["yamlContent"], body["yamlContent"])
        for wrong in (5, ["a"], {}):
            for route in ("/api/suite/save", "/api/eval/run"):
                said = self.ask("POST", route, {"evalSuite": STRIPPED, "yamlContent": wrong}, status=400)["error"]
                self.assertEqual(said, "`yamlContent` must be a string")

    def test_a_suite_that_no_run_may_have_is_not_saved(self):
        for name, change in (("model", lambda one: one["metadata"].update(model="exec:id")),
                             ("check", lambda one: one["evals"][0].update(checks=[{"exec": {"command": ["true"]}}])),
                             ("judge", lambda one: one["evals"][0].update(
                                 checks=[{"llm_judge": {"criteria": "c", "model": "replay:x"}}])),
                             ("cases", lambda one: one["evals"][0].update(cases="/etc/passwd.csv")),
                             ("rubric", lambda one: one.update(score={"rubric": "/etc/passwd"}))):
            with self.subTest(name):
                suite = inline("a", name=f"refused {name}")
                change(suite)
                saved = self.ask("POST", "/api/suite/save", {"evalSuite": suite}, status=422)
                started = self.ask("POST", "/api/eval/run", {"evalSuite": suite}, status=422)
                self.assertEqual([one["code"] for one in saved["diagnostics"]],
                                 [one["code"] for one in started["diagnostics"]])
                self.ask("GET", f"/api/suite/refused%20{name}", status=404)

    def test_runs_and_values(self):
        run = self.client.start(inline("a", name="listed"))
        self.client.piped(run)
        listed = self.ask("GET", "/api/runs?limit=50&offset=0&suite=listed")  # filters it knows and we do not
        self.assertIn(run, [one["id"] for one in listed["runs"]])
        self.ask("GET", f"/api/runs/{NO_RUN}", status=404)
        self.assertEqual(self.ask("POST", "/api/runtime/vars", {"name": "city", "value": "Paris"})["name"], "city")
        self.assertEqual(self.ask("GET", "/api/runtime/vars/city"), {"name": "city", "value": "Paris"})
        self.ask("PUT", "/api/runtime/vars/city", {"value": "Rome"})
        self.assertIn({"name": "city", "value": "Rome"}, self.ask("GET", "/api/runtime/vars")["vars"])
        self.ask("DELETE", "/api/runtime/vars/city")
        self.ask("POST", "/api/runtime/secrets", {"name": "token", "value": "s"})
        self.assertIn({"name": "token"}, self.ask("GET", "/api/runtime/secrets")["secrets"])
        self.ask("DELETE", "/api/runtime/secrets/token")
        self.assertIsInstance(self.ask("GET", "/api/orginfo")["credits"], (int, float))


class Starts(unittest.TestCase):
    def test_many_starts_are_not_too_many_requests(self):
        """A run for each of many models, and its status: within the limit of the queue, though no other request is
        answered any more."""
        with ModelServer() as model, ServeWorld(model) as world:
            world.vibe("orgs", "set", "default", "--max-queued", "1000")
            client = Client(world)
            others = [200]
            while others[-1] == 200 and len(others) < 20_000:
                others.append(client.ask("GET", "/api/orginfo")[0])
            self.assertEqual(others[-1], 429)
            runs = [client.start(inline("a", name="many")) for _ in range(40)]
            self.assertEqual({client.piped(run)[0] for run in runs}, {0})

    def test_an_operator_can_limit_starts(self):
        """By a limit of requests below the default one: 10 may always come at once."""
        with ModelServer() as model, ServeWorld(model) as world:
            world.vibe("orgs", "set", "default", "--requests-per-minute", "1", "--max-queued", "1000")
            client = Client(world)
            for method, path, body in (("POST", "/api/eval/run", {"evalSuite": inline("a", name="few")}),
                                       ("GET", "/api/eval/status/last?wait=0", None)):
                answers = [client.ask(method, path, body) for _ in range(14)]
                self.assertEqual([status for status, _ in answers[:10]], [200] * 10)
                said = [answer["error"] for status, answer in answers if status == 429]
                self.assertTrue(said and said[0].startswith("too many requests"), said)


class Models(unittest.TestCase):
    def models(self, *keys, path="/api/models"):
        with ServeWorld(is_started=False) as world:
            world.environment.update({key: "k" for key in keys})
            world.serve()
            status, answer = Client(world).ask("GET", path)
            self.assertEqual(status, 200, answer)
            return {one["id"]: one for one in answer["models"]}

    def test_that_can_run(self):
        models = self.models("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
        self.assertEqual({one.split("/")[0] for one in models}, {"openai", "anthropic"})
        self.assertEqual({one["runnable"] for one in models.values()}, {True})
        self.assertIn(MODEL, models)
        for other in ("anthropic/claude-3.5-sonnet", "openai/gpt-4o:extended", "openai/ft:gpt-4o", "openai/gpt-4o-mini-tts",
                      "openai/gpt-image-1", "openai/davinci"):
            self.assertNotIn(other, models)
        self.assertEqual(self.models(), {})
        routed = self.models("OPENROUTER_API_KEY")
        self.assertIn("anthropic/claude-3.5-sonnet", routed)
        self.assertIn(MODEL, routed)
        self.assertNotIn("aws/regional.anthropic.claude-3-5-haiku-20241022-v1:0", routed)

    def test_all(self):
        models = self.models("ANTHROPIC_API_KEY", path="/api/models?all=true")
        self.assertIs(models[MODEL]["runnable"], False)
        self.assertIs(models["anthropic/claude-sonnet-4-5"]["runnable"], True)
        alias = models["anthropic/claude-3.5-sonnet"]
        self.assertEqual((alias["runnable"], alias["same_as"]), (True, "anthropic/claude-3-5-sonnet-latest"))

    def test_what_they_take(self):
        """The client's `--mcp` asks for `tools`."""
        models = self.models("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY")
        self.assertEqual(models[MODEL]["supported_parameters"], ["max_tokens", "seed", "temperature", "tools", "top_p"])
        self.assertEqual(models["anthropic/claude-sonnet-4-5"]["supported_parameters"],
                         ["max_tokens", "temperature", "tools", "top_p"])
        self.assertEqual([one for one in models if "tools" not in models[one]["supported_parameters"]], [])

    def test_names_of_the_router(self):
        with ServeWorld(is_started=False) as world:
            world.environment["ANTHROPIC_API_KEY"] = "k"
            world.serve()
            client = Client(world)
            body = {"evalSuite": inline("a", model="anthropic/claude-3.7-sonnet:thinking")}
            status, answer = client.ask("POST", "/api/eval/run", body)
            self.assertEqual(status, 422)
            self.assertIn("is an OpenRouter name", answer["error"])
            self.assertEqual(client.ask("GET", "/api/models?all=maybe")[0], 400)


if __name__ == "__main__":
    unittest.main()
