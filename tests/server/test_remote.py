#!/usr/bin/python3
"""The command line against a server: the same output as without one, and what is said when the server or the key is
wrong. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from remote_case import PATIENCE, FakeServer, RemoteTest, answer_json  # noqa: E402
from serve_world import ServeWorld, World  # noqa: E402

SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
LOG = str(SOURCE / "examples/logs/claude.jsonl")

CAPITALS = """\
metadata:
  name: capitals
  model: openai/gpt-4o-mini
evals:
  - name: capital
    tags: [geo]
    prompt: "say {{city}}"
    cases: cities.csv
    checks: [match: "*a*"]
  - name: plain
    prompt: hello {{var('who')}}
    checks: [match: "*hello*", match: "*nobody*"]
score:
  formula: 100 * pass_rate("tag:geo") - plain
  metrics: {half: success_pct / 2}
  min: 10
"""


def steady(text):
    """Without what differs from run to run: ids, times, folders."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "ID", text)
    text = re.sub(r"\b01[0-9a-f]{6}-[0-9a-f]{4}(-[0-9a-f]+)*", "ID", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?", "TIME", text)
    text = re.sub(r"\d+(\.\d+)? (ms|s)\b\*?", "SECONDS", text)  # the least is marked
    text = re.sub(r"(just now|\d+ s ago)", "NOW", text)
    text = re.sub(r' time="[\d.]+"', "", text)
    text = re.sub(r"(?m)^(\d+/\d+) .*", r"\1", text)  # results come in any order
    text = re.sub(r"/tmp/\w+/", "", text)
    return re.sub(r" +", " ", text)


TIMED = {"id", "created_at", "started_at", "completed_at", "duration_seconds", "latency_seconds", "avg_latency",
         "min_latency", "max_latency", "p50_latency", "p95_latency", "p99_latency", "total_latency", "yaml_content",
         "suite_hash"}


def timeless(value):
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items() if key not in TIMED}
    return [timeless(one) for one in value] if isinstance(value, list) else value


class SameOutput(RemoteTest):
    def setUp(self):
        super().setUp()
        self.here = World(self.model)
        self.addCleanup(self.here.__exit__)
        self.who = f"who-{time.time_ns()}"  # all tests have the same server
        self.suite = CAPITALS.replace("'who'", f"'{self.who}'")
        for world in (self.here, self.world):
            world.write("capitals.yaml", self.suite)
            world.write("cities.csv", "city\nParis\nRome\n\"Quito, \"\"high\"\"\"\n")

    def both(self, *words, exit=0, stdin=b""):
        mine = self.here.vibe(*words, exit=exit, stdin=stdin)
        theirs = self.world.vibe(*words, exit=exit, stdin=stdin)
        self.assertEqual(steady(mine), steady(theirs), words)
        self.assertEqual(steady(self.here.errors), steady(self.world.errors), words)
        return theirs

    def suites(self, *prompts, name):
        """One of this name in both worlds."""
        for world in (self.here, self.world):
            text = pathlib.Path(world.suite(prompts)).read_text()
            world.write(f"{name}.yaml", text.replace("name: s\n", f"name: {name}\n"))

    def test_values(self):
        name = self.who
        for words in (("get", "var", name), ("delete", "var", name), ("delete", "secret", name)):
            self.here.vibe(*words, exit=2)
            self.world.vibe(*words, exit=2)
            self.assertIn("E0610", self.world.errors)
        self.both("set", "var", name, "you")
        self.both("set", "var", name, "-", stdin=b"me\n")
        self.both("get", "var", name)
        self.both("var", "get", name, "--json")
        self.assertIn(name, self.world.vibe("get", "vars"))
        self.both("set", "secret", name, "s3cret")
        self.assertIn(name, self.world.vibe("get", "secrets", "--json"))
        self.assertNotIn("s3cret", self.world.vibe("get", "secrets", "--json"))
        self.both("set", "var", "a b", "x", exit=2)
        self.both("set", "secret", name, " ", exit=2)
        self.both("delete", "secret", name)
        self.both("delete", "var", name, "--json")

    def test_a_run_and_what_is_said_of_it(self):
        self.both("check", "capitals.yaml", exit=2)  # `who` has no value yet
        self.both("set", "var", self.who, "you")
        self.both("check", "capitals.yaml", "--explain", exit=0)
        self.both("check", "capitals.yaml", "--quiet", "--min-success", "90", exit=1)
        self.both("check", "capitals.yaml", "-q", "--only", "tag:geo", "--repeat", "2", "-t", "1", exit=1)
        self.both("check", "capitals", "-q")  # by the name of what was run
        self.both("check", "capitals.yaml", "-q", "-m", "openai/gpt-4o,openai/gpt-4o-mini", "-s", "be short")
        self.both("check", "capitals.yaml", "--dry-run")
        self.both("check", "capitals.yaml", "--dry-run", "--json", "-m", "openai/gpt-4o")
        for words in (("get", "run", "last"), ("get", "run", "last", "--explain", "--responses"),
                      ("get", "run", "last", "-q"),
                      ("get", "runs", "--status", "failed"), ("get", "runs", "--min-score", "1000"),
                      ("get", "suites"), ("stop", "last")):
            self.both(*words, exit=2 if words[0] == "stop" else 0)
        listed = [json.loads(world.vibe("get", "runs", "--limit", "2", "--json"))["runs"]
                  for world in (self.here, self.world)]
        self.assertEqual(*map(timeless, listed))
        mine, theirs = self.here.run(), self.world.run()
        self.assertIn("cases: [{city: Paris}", theirs["yaml_content"])
        self.assertEqual(timeless(mine), timeless(theirs))

    def test_what_judges_would_cost(self):
        for world in (self.here, self.world):
            world.suite(["hi"], name="judged.yaml", checks="[llm_judge: {criteria: is polite}]")
        self.assertIn("judge ", self.both("check", "judged.yaml", "--dry-run"))

    def test_reports(self):
        self.both("set", "var", self.who, "nobody")
        for world in (self.here, self.world):
            world.check("capitals.yaml", "--junit", "a.xml", "--markdown", "a.md", "--html", "a.html")
            world.vibe("get", "run", "last", "--junit", "b.xml", "--markdown", "b.md")
        for file in ("a.xml", "a.md", "b.md"):
            texts = [steady((world.folder / file).read_text()) for world in (self.here, self.world)]
            self.assertEqual(*texts, file)
        self.assertIn("capitals", (self.world.folder / "a.html").read_text())

    def test_errors_are_drawn_where_they_are(self):
        bad = self.suite.replace("success_pct / 2", "sucess_pct / 2")
        for world in (self.here, self.world):
            world.write("bad.yaml", bad)
        before = len(self.server.log_lines())
        self.both("check", "bad.yaml", exit=2)
        self.assertIn("sucess_pct / 2}\n", self.world.errors)
        self.assertEqual(len(self.server.log_lines()), before)  # nothing was sent
        self.both("set", "suite", "-f", "bad.yaml", exit=2)
        self.both("check", "no-such-file.yaml", exit=2)

    def test_warnings_are_said_once(self):
        self.suites("hi {{nobody}}", "fail=400x1 again", name="warns")
        self.both("check", "warns.yaml", "-q", "--strict", exit=2)
        self.both("check", "warns.yaml", "-q", "-m", "openai/gpt-4o,openai/gpt-4o-mini", "--only", "e0")
        self.assertEqual(self.world.errors.count("`{{nobody}}` is not replaced"), 1)
        for world in (self.here, self.world):
            self.model.reset()
            run = world.check("warns.yaml", exit=3)["id"]
            world.vibe("check", "--retry-failed", run, "--strict", exit=2)
            self.assertEqual(world.errors.count("error: `{{nobody}}` is not replaced"), 1)
            world.vibe("check", "--retry-failed", run, "-q")
            self.assertEqual(world.errors.count("warning: `{{nobody}}` is not replaced"), 1)

    def test_several_models(self):
        self.suites("hi", name="several")
        self.both("check", "several.yaml", "-q", "-m", "openai/gpt-4o-mini,openai/gpt-4o-min*,openai/gpt-4o-mini")
        self.both("check", "several.yaml", "-m", "nobody/*,no-one/*", exit=2)
        self.both("check", "several.yaml", "-m", "*", exit=2)

    def test_suites(self):
        for world in (self.here, self.world):
            world.write("stored.yaml", self.suite.replace("name: capitals", "name: stored"))
        self.world.vibe("get", "suite", "stored", exit=2)
        self.assertIn("there is no suite `stored`", self.world.errors)
        self.both("set", "suite", "-f", "stored.yaml")
        self.both("set", "suite", "-f", "stored.yaml", "--json")
        self.assertIn("cases: [{city: Paris}", self.world.vibe("get", "suite", "stored"))
        for world in (self.here, self.world):
            world.write("cities.csv", "city\nOslo\n")
            world.write("stored.yaml", self.suite.replace("name: capitals", "name: stored") + "\n")
        self.both("set", "suite", "-f", "stored.yaml")
        history = json.loads(self.world.vibe("get", "suite", "stored", "--history", "--json"))
        self.assertEqual([one["version"] for one in history["versions"]], [2, 1])
        self.assertIn("Paris", self.world.vibe("get", "suite", "stored", "--version", "1"))
        self.both("get", "suite", "stored", "--version", "9", exit=2)

    def test_models(self):
        self.both("get", "models", "gpt-4o-mini")
        self.both("get", "models", "gpt-4o-mini", "--json")

    def test_more_executions_than_a_server_takes_at_a_time(self):
        log = self.world.write("many.jsonl", "".join(
            '{"ts":"2026-01-01T00:00:00Z","tool":"x","exit":0,"session":"%d"}\n' % i for i in range(10_001)))
        self.world.vibe("fitness", "score", log, "--agent", "many", "--jsonl")
        for session in ("0", "9999", "10000"):  # `pagination` counts no more than 10,000
            found = self.world.vibe("get", "executions", "--agent", "many", "--session", session, "--limit", "1000",
                                    "--jsonl")
            self.assertIn(session, [json.loads(line)["id"] for line in found.splitlines()])

    def test_executions_and_decisions(self):
        agent = f"reviewer-{time.time_ns()}"
        for words in (("fitness", "score", LOG, "--agent", agent + "@v1"),
                      ("fitness", "score", LOG, "--agent", agent + "@v2", "--explain"),
                      ("fitness", "score", LOG, "--agent", agent + "@v2", "--json"),
                      ("get", "executions", "--agent", agent),
                      ("get", "executions", "--agent", agent + "@v1", "--jsonl"),
                      ("get", "executions", "--agent", agent, "--min-score", "99"),
                      ("fitness", "trend", "--agent", agent), ("fitness", "trend", "--agent", agent + "@v2", "--json")):
            self.both(*words)
        self.both("fitness", "trend", "--agent", agent + "x", exit=2)
        execution = json.loads(self.world.vibe("get", "executions", "--agent", agent, "--json"))["executions"][0]
        self.assertEqual((execution["file"], execution["format"]), (LOG, "claude"))
        self.assertIn(agent, self.world.vibe("get", "execution", execution["execution_id"]))
        self.both("get", "execution", "0000", exit=2)
        for words in ((agent + "@v1", agent + "@v2"), ("70", agent + "@v2"), (LOG, "90")):
            code = 1 if words[1] == agent + "@v2" and words[0] != "70" else 0
            self.both("fitness", "decide", *words, "--seed", "4", exit=code)
        self.both("get", "decisions", "--agent", agent, "--csv")
        made = json.loads(self.world.vibe("fitness", "decide", agent + "@v1", "90", "--json"))
        listed = json.loads(self.world.vibe("get", "decisions", "--agent", agent, "--json"))["decisions"]
        self.assertEqual(listed[0]["decision_id"], made["decision_id"])
        self.assertEqual(len(listed), 3)

    def test_a_rubric_of_ones_own_stays_here(self):
        rubric = str(SOURCE / "examples/rubrics/reviews.yaml")
        self.world.vibe("fitness", "score", LOG, "--rubric", rubric, exit=2)
        self.assertIn("a server uses only its own rubric", self.world.errors)
        self.both("fitness", "score", LOG, "--rubric", rubric, "--no-keep")

    def test_what_a_server_cannot_do(self):
        self.world.vibe("check", "capitals.yaml", "--record", "a.jsonl", exit=2)
        self.assertIn("`--record` works only on this machine", self.world.errors)
        self.world.write("rubric.yaml", self.suite.replace("  min: 10", "  rubric: mine.yaml"))
        self.world.write("mine.yaml", "name: mine\n")
        self.world.vibe("check", "rubric.yaml", exit=2)
        self.assertIn("rubric.yaml:16:11: error: a server does not read files", self.world.errors)

    def test_what_is_wrong_with_a_command_is_found_before_anything_is_sent(self):
        self.suites("hi", name="suite")
        before = len(self.server.log_lines())
        for words in (("suite.yaml", "--mcp-token", "t"), ("suite.yaml", "--mcp-url", "https://me:word@tools.invalid/"),
                      ("--resume", "last", "--only", "e0"), ("--resume", "last", "--repeat", "2"),
                      ("--retry-failed", "last", "-m", "openai/gpt-4o"), ("--resume", "last", "-s", "be short"),
                      ("--resume", "last", "--mcp-url", "https://tools.invalid/"),
                      ("--resume", "last", "--mcp-name", "tools")):
            self.both("check", *words, exit=2)
        for words in (("--resume", "last", "--record", "a.jsonl"), ("--resume", "last", "--dry-run")):
            self.world.vibe("check", *words, exit=2)
            self.assertIn(f"`{words[2]}`", self.world.errors)
        self.assertEqual(len(self.server.log_lines()), before)

    def test_what_the_server_refuses_is_drawn_in_the_file(self):
        self.world.suite(["hi"], model="exec:cat", name="exec.yaml")
        self.world.vibe("check", "exec.yaml", exit=2)
        self.assertIn("E0622", self.world.errors)  # only the operator could allow it
        self.world.suite(["hi"], name="program.yaml", checks="[exec: {command: [grep, -q, a]}]")
        self.world.vibe("check", "program.yaml", exit=2)
        self.assertIn("[E0622]", self.world.errors)
        self.assertIn("program.yaml:5:", self.world.errors)


class Messages(RemoteTest):
    def fails(self, *words, exit=3, world=None):
        world = world or self.world
        world.vibe(*words, exit=exit)
        self.assertNotIn(self.key, world.errors)
        return world.errors

    def test_no_key(self):
        world = self.client(key="")
        errors = self.fails("get", "runs", exit=2, world=world)
        self.assertIn(f"the server `{self.url}` requires a key [E1122]", errors)
        self.assertIn("VIBECHECK_API_KEY", errors)

    def test_a_wrong_key(self):
        self.world = self.client(key="vibe_abc_wrong")
        for words in (("get", "runs"), ("get", "run", "last"), ("set", "var", "a", "b"), ("stop", "queued")):
            errors = self.fails(*words, exit=2)
            self.assertIn("E1122", self.world.errors)
            self.assertIn(f"the server `{self.url}` refuses the key: it is unknown, expired or revoked, or its "
                          "organisation is suspended", errors)
            self.assertIn("hint: ask the server's operator", errors)
            self.assertNotIn("vibe_abc_wrong", errors)

    def test_a_key_that_may_not(self):
        key = self.server.vibe("keys", "create", "--org", "default", "--role", "read").strip()
        world = self.client(key=key)
        world.vibe("get", "runs")
        errors = self.fails("set", "var", "a", "b", exit=2, world=world)
        self.assertIn("the key may not do this on the server", errors)
        errors = self.fails("check", world.suite(["hi"]), exit=2, world=world)
        self.assertIn("[E1122]", errors)
        self.assertNotIn(key, errors)

    def test_nobody_is_there(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        world = self.client(f"http://127.0.0.1:{port}")
        for words in (("get", "runs"), ("check", world.suite(["hi"])), ("fitness", "score", LOG), ("get", "org")):
            errors = self.fails(*words, world=world)
            self.assertIn(f"the server `http://127.0.0.1:{port}` cannot be reached: cannot connect", errors)

    def test_a_server_that_speaks_tls_with_a_certificate_of_nobody(self):
        world = self.client("https" + self.url[4:])
        self.assertIn("cannot be reached: no TLS connection to", self.fails("get", "runs", world=world))

    def test_no_server_of_this_program(self):
        pages = {"html": (200, b"<!DOCTYPE html><title>shop</title>", {}), "none": (404, b"not here", {}),
                 "gone": (502, b"<html>bad gateway</html>", {}), "odd": (200, b"[]", {})}
        for name, page in pages.items():
            with FakeServer(lambda method, path, page=page: page) as fake:
                self.world = self.client(fake.url)
                for words in (("get", "runs"), ("get", "run", "last"), ("get", "vars"), ("get", "suites"),
                              ("check", self.world.suite(["{{var('a')}}"]))):
                    errors = self.fails(*words)
                    if name == "gone":
                        self.assertIn("cannot be reached: HTTP 502", errors)
                    else:
                        self.assertIn("E1124", self.world.errors)
                        self.assertIn("is not a vibecheck server", errors)

    def test_answers_that_make_no_sense(self):
        with FakeServer(lambda method, path: answer_json(200, {"runs": [{"id": 7}]})) as fake:
            world = self.client(fake.url)
            self.assertIn("sent runs that this program cannot read", self.fails("get", "runs", world=world))
            self.assertIn("sent a run that this program cannot read", self.fails("get", "run", "last", world=world))
            self.assertIn("sent a model list that this program", self.fails("get", "models", world=world))

    def test_an_older_server(self):
        def older(method, path):
            if path == "/api/version":
                return answer_json(200, {"version": "0.0.1"})
            return answer_json(404, {"error": "there is no such route"})

        with FakeServer(older) as fake:
            world = self.client(fake.url)
            errors = self.fails("get", "decisions", world=world)
            self.assertIn(f"the server `{fake.url}`, version 0.0.1, does not know `GET /api/decisions`", errors)
            self.assertIn("older than this program", errors)

    def test_one_that_asks_to_wait_is_asked_again(self):
        answers = [answer_json(429, {"error": "slow down"}, **{"Retry-After": "2"})] * 2
        answers.append(answer_json(200, {"vars": [{"name": "a", "value": "1"}]}))
        with FakeServer(lambda method, path: answers.pop(0)) as fake:
            self.assertEqual(self.client(fake.url).vibe("get", "vars"), "Name  Value\na     1\n")
            self.assertEqual(len(fake.requests), 3)
        with FakeServer(lambda *_: answer_json(429, {"error": "slow down"}, **{"Retry-After": "2"})) as fake:
            errors = self.fails("get", "vars", world=self.client(fake.url))
            self.assertIn("received too many requests: slow down [E1103]", errors)

    def test_no_credit_and_other_refusals(self):
        with FakeServer(lambda *_: answer_json(402, {"error": "`acme` is out of credits"})) as fake:
            world = self.client(fake.url)
            self.assertIn("`acme` is out of credits [E1104]", self.fails("check", world.suite(["hi"]), world=world))
        refusal = {"error": "`a` must be a string, and 1 more error", "diagnostics": [
            {"code": "E0503", "severity": "error", "message": "`a` must be a string", "hint": "quote it"},
            {"code": "E0503", "severity": "error", "message": "`b` must be a number", "hint": ""}]}
        for status in (400, 422):
            with FakeServer(lambda *_, status=status: answer_json(status, refusal)) as fake:
                errors = self.fails("get", "vars", exit=2, world=self.client(fake.url))
                for words in ("`a` must be a string", "quote it", "`b` must be a number"):
                    self.assertIn(words, errors)
        with FakeServer(lambda *_: answer_json(413, {"error": "the body is too large"})) as fake:
            self.world = self.client(fake.url)
            errors = self.fails("set", "var", "a", "b", exit=2)
            self.assertIn("E1123", self.world.errors)
            self.assertIn("refused: the body is too large", errors)

    def test_a_fault_of_the_server_is_not_the_users(self):
        for status in (500, 501, 503, 507):
            for body in (answer_json(status, {"error": "it broke"}), (status, b"<html>broken</html>", {})):
                with self.subTest(status=status, body=body), FakeServer(lambda *_: body) as fake:
                    for words in (("get", "runs"), ("get", "run", "last"), ("set", "var", "a", "b"),
                                  ("stop", "queued"), ("redeem", "code")):
                        self.fails(*words, world=self.client(fake.url), exit=3)
                    world = self.client(fake.url)
                    self.fails("check", world.suite(["hi"]), world=world, exit=3)

    def test_the_key_is_sent_and_never_shown(self):
        with FakeServer(lambda *_: answer_json(500, {"error": "it broke"})) as fake:
            errors = self.fails("get", "runs", "--limit", "5", world=self.client(fake.url + "/"))
            self.assertIn("failed: it broke [E1121]", errors)
            method, path, headers = fake.requests[0]
            self.assertEqual((method, path), ("GET", "/api/runs?limit=5&sort=-created_at"))
            self.assertEqual(headers["Authorization"], f"Bearer {self.key}")

    def test_the_flag_comes_before_the_variable(self):
        world = self.client("http://127.0.0.1:1")
        self.assertIn("default", world.vibe("get", "org", "--server", self.url + "//"))
        bare = self.url.removeprefix("http://")
        self.assertIn("default", world.vibe("get", "org", "--server", bare))
        world.vibe("get", "org", "--server", "", exit=2)
        self.assertIn("`--server` is empty", world.errors)

    def test_doctor(self):
        output = self.world.vibe("doctor")
        self.assertRegex(output, rf"ok   server: {self.url}, version \d+\.\d+")
        self.assertIn("ok   key: for default, role admin\n", output)
        output = self.client(key="vibe_abc_wrong").vibe("doctor", exit=3)
        self.assertIn(f"bad  key: the server `{self.url}` refuses the key", output)
        self.assertIn("bad  server: the server `http://127.0.0.1:1`", self.client("127.0.0.1:1").vibe("doctor", exit=3))


class Tools(RemoteTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.__exit__()
        cls.server = ServeWorld(cls.model, config="serve: {private_addresses: true}\n")
        cls.url, cls.key = f"http://127.0.0.1:{cls.server.port}", cls.server.key
        cls.tools = subprocess.Popen(["node", SOURCE / "tests/model/tool_server.mjs"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE)
        cls.tools_url = f"http://127.0.0.1:{int(cls.tools.stdout.readline().split()[1])}/token"

    @classmethod
    def tearDownClass(cls):
        cls.tools.communicate(timeout=PATIENCE)
        super().tearDownClass()

    def test_the_token_is_given_again(self):
        suite = self.world.suite(['call=add{"a":1,"b":2}', 'fail=400x1 call=add{"a":3,"b":4}'], checks='[match: "*"]')
        flags = ("--mcp-url", self.tools_url, "--mcp-name", "sums", "--mcp-token", "right-token")
        run = self.world.check(suite, *flags, exit=3)
        self.assertEqual((run["status"], run["results"][0]["tool_calls"][0]["result"]), ("partial_failure", "3"))
        self.world.vibe("check", "--retry-failed", run["id"], exit=3)  # the server has forgotten it
        self.assertIn("401", self.world.vibe("get", "run", run["id"]))
        run = self.world.check("--retry-failed", run["id"], "--mcp-token", "right-token")
        self.assertEqual((run["status"], run["results"][1]["tool_calls"][0]["result"]), ("completed", "7"))
        self.assertNotIn("right-token", json.dumps(run) + self.world.errors)


class Account(RemoteTest):
    def test_an_invitation_becomes_a_key(self):
        code = self.server.vibe("invites", "create", "--org", "default", "--role", "run").strip()
        world = self.client(key="")
        del world.environment["VIBECHECK_API_URL"]
        world.write(".vibecheck/.env", "# mine\nOPENAI_API_KEY=abc\nexport VIBECHECK_API_KEY = old\n"
                    "VIBECHECK_URL=https://elsewhere.invalid\n")
        output = world.vibe("redeem", code, "--server", self.url + "/")
        file = world.folder / ".vibecheck/.env"
        text = file.read_text()
        key = re.search(r"^VIBECHECK_API_KEY=(vibe_\S+)$", text, re.M)[1]
        # Under both names: a client that found the key and no address would send it to somebody else.
        self.assertEqual(text, f"# mine\nOPENAI_API_KEY=abc\nVIBECHECK_API_KEY={key}\n"
                         f"VIBECHECK_API_URL={self.url}\nVIBECHECK_URL={self.url}\n")
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.assertNotIn(key, output + world.errors)
        self.assertIn(f"The key replaced the one in `{file}`.\n", world.errors)
        self.assertIn("You have a key for default.", output)
        self.assertIn(f"commands use `{self.url}` from now on", output)
        self.assertIn("Your key: run\n", world.vibe("get", "org"))
        self.assertEqual(json.loads(world.vibe("get", "credits", "--json"))["role"], "run")
        world.vibe("redeem", code, exit=2)
        self.assertIn("already been used", world.errors)
        world.vibe("redeem", "nonsense", exit=2)
        self.assertIn("the server does not know this invitation", world.errors)
        self.assertEqual(file.read_text(), text)

    def test_the_address_by_either_name(self):
        for environment, env_file in (({"VIBECHECK_URL": self.url}, ""), ({}, f"VIBECHECK_URL={self.url}/\n"),
                                      ({"VIBECHECK_URL": self.url}, "VIBECHECK_API_URL=http://127.0.0.1:1\n"),
                                      ({"VIBECHECK_API_URL": self.url, "VIBECHECK_URL": "http://127.0.0.1:1"}, ""),
                                      ({}, f"VIBECHECK_URL=http://127.0.0.1:1\nVIBECHECK_API_URL={self.url}\n")):
            with self.subTest(environment=environment, env_file=env_file):
                world = self.client()
                del world.environment["VIBECHECK_API_URL"]
                world.environment.update(environment)
                world.write(".vibecheck/.env", env_file)
                self.assertIn("Organisation: default", world.vibe("get", "org"))

    def test_what_it_says_of_another_key(self):
        code = self.server.vibe("invites", "create", "--org", "default", "--role", "read").strip()
        self.assertIn("your environment has another `VIBECHECK_API_KEY`", self.world.vibe("redeem", code))

    def test_what_it_says_of_another_server(self):
        for environment, said in (({"VIBECHECK_API_URL": "http://127.0.0.1:1"}, "VIBECHECK_API_URL"),
                                  ({"VIBECHECK_URL": "http://127.0.0.1:1"}, "VIBECHECK_URL"),
                                  ({"VIBECHECK_API_URL": self.url + "/", "VIBECHECK_URL": "http://127.0.0.1:1"}, None),
                                  ({"VIBECHECK_URL": self.url}, None)):
            with self.subTest(environment=environment):
                code = self.server.vibe("invites", "create", "--org", "default", "--role", "read").strip()
                world = self.client(key="")
                del world.environment["VIBECHECK_API_URL"]
                world.environment.update(environment)
                output = world.vibe("redeem", code, "--server", self.url)
                self.assertIn("You have a key for default.", output)
                comes_first = f"But your environment sets `{said}`, which takes precedence.\n"
                self.assertEqual((comes_first in output, "from now on" in output), (said is not None, said is None))

    def test_the_folder_of_the_key_is_made_for_its_owner_alone(self):
        code = self.server.vibe("invites", "create", "--org", "default", "--role", "read").strip()
        world = self.client(key="")
        home = world.folder / "new/home"
        world.environment["VIBECHECK_HOME"] = str(home)
        world.vibe("redeem", code)
        self.assertNotIn("The key replaced", world.errors)
        self.assertEqual([one.stat().st_mode & 0o777 for one in (home.parent, home, home / ".env")],
                         [0o700, 0o700, 0o600])

    def test_an_invitation_is_kept_where_its_key_cannot_be(self):
        code = self.server.vibe("invites", "create", "--org", "default", "--role", "read").strip()
        world = self.client(key="")
        world.write("no-folder", "")
        before = len(self.server.log_lines())
        for home, said in (("/proc/nobody/home", "cannot create the folder"), ("/proc/self", "cannot write"),
                           (str(world.folder / "no-folder"), "no-folder")):
            with self.subTest(home=home):
                world.environment["VIBECHECK_HOME"] = home
                world.vibe("redeem", code, exit=3)
                self.assertIn(said, world.errors)
                self.assertIn(home, world.errors)
        self.assertEqual(len(self.server.log_lines()), before)  # nothing was sent
        home = world.folder / "home"
        world.environment["VIBECHECK_HOME"] = str(home)
        self.assertIn("You have a key for default.", world.vibe("redeem", code))
        self.assertEqual([one.name for one in home.iterdir()], [".env"])

    def test_a_key_that_was_lost_is_told(self):
        world = self.client(key="")
        world.write(".vibecheck/.env", "A=b\n")

        def answer(*_):
            (world.folder / ".vibecheck").rename(world.folder / "moved")  # meanwhile
            return answer_json(200, {"apiKey": "vibe_a_secret", "org": {"name": "acme"}})

        with FakeServer(answer) as fake:
            world.environment["VIBECHECK_API_URL"] = fake.url
            world.vibe("redeem", "invite_a_b", exit=3)
        self.assertIn("the invitation is used up, and its key is lost", world.errors)
        self.assertNotIn("vibe_a_secret", world.errors)
        self.assertEqual((world.folder / "moved/.env").read_text(), "A=b\n")


if __name__ == "__main__":
    unittest.main()
