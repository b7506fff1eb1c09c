#!/usr/bin/python3
"""Runs on a server, followed by the command line: live progress over connections that break, Ctrl-C, keys that are
refused meanwhile, runs that go on. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from remote_case import PATIENCE, Cutter, FakeServer, RemoteTest, answer_json  # noqa: E402
from serve_world import ServeWorld  # noqa: E402


class Following(RemoteTest):
    def lines(self, errors):
        return [line.split()[0] for line in errors.splitlines() if re.match(r"\d+/\d+ ", line)]

    def test_no_line_is_lost_and_none_comes_twice(self):
        for after in (700, 2500, 6000):
            cutter = Cutter(self.server.port, after, cuts=25)
            world = self.client(f"http://127.0.0.1:{cutter.port}")
            world.environment["VIBECHECK_RETRY_SCALE"] = "1"
            suite = self.slow_suite(20, latency=40, world=world)
            run = world.check(suite)
            cutter.close()
            self.assertEqual(run["results_count"], "20")
            self.assertEqual(self.lines(world.errors), [f"{i}/20" for i in range(1, 21)])
            self.assertGreater(cutter.made, 0)

    def test_a_server_that_starts_again(self):
        with ServeWorld(self.model, "--lease", "1") as server:
            world = self.client(f"http://127.0.0.1:{server.port}", server.key)
            world.environment["VIBECHECK_RETRY_SCALE"] = "1"
            process = world.start("check", self.slow_suite(20, world=world), "--json")
            seen = self.read_until(process, "4/20")
            server.kill()
            server.serve("--port", str(server.port))
            output, errors = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(self.lines(seen + errors.decode()), [f"{i}/20" for i in range(1, 21)])
            self.assertEqual(json.loads(output)["evals_passed"], "20")

    def test_a_server_that_is_gone_for_good(self):
        with ServeWorld(self.model) as server:
            self.world = self.client(f"http://127.0.0.1:{server.port}", server.key)
            process = self.world.start("check", self.slow_suite(50, world=self.world))
            self.read_until(process, "3/50")
            server.kill()
            _, errors = process.communicate(timeout=PATIENCE)
            self.world.errors = errors.decode()
            self.assertEqual(process.returncode, 3, self.world.errors)
            self.assertIn("E1121", self.world.errors)
            self.assertRegex(self.world.errors, r"has not answered for 3\.00 s: cannot connect to")
            self.assertRegex(self.world.errors, r"run `[0-9a-f-]{36}` is still running on the server")
            self.assertRegex(self.world.errors, r"`vibe get run [0-9a-f-]{36}` shows it\n")

    def test_ctrl_c_cancels_on_the_server_and_shows_what_there_is(self):
        process = self.world.start("check", self.slow_suite(100))
        self.read_until(process, "5/100")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("Status: cancelled", output.decode())
        run = self.world.run()
        self.assertEqual(run["status"], "cancelled")
        self.assertLess(int(run["results_count"]), 100)
        self.assertIn(f"`vibe check --resume {run['id']}`", errors.decode())

    def refused_meanwhile(self, refuse, *, org="default", prompts=None, interrupt=False):
        """What is said to who follows a run when `refuse(key)` makes the key worthless; and the run's id."""
        key = self.server.vibe("keys", "create", "--org", org, "--role", "run").strip()
        world = self.client(key=key)
        prompts = prompts or [f"latency=100 {i}" for i in range(300)]
        process = world.start("check", world.suite(prompts, threads=2))
        self.read_until(process, f"/{len(prompts)} ")
        run = json.loads(world.vibe("get", "runs", "--json"))["runs"][0]["id"]
        refuse(key)
        if interrupt:
            process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=PATIENCE)
        errors = errors.decode()
        self.assertEqual((process.returncode, output), (3, b""), errors)
        self.assertIn(f"the server `{self.url}` refuses the key", errors)
        self.assertIn(f"`vibe get run {run}` shows it, with a valid key", errors)
        self.assertNotIn(key, errors)
        return run, errors

    def stop_at_work(self, run):
        """It was: else there would be nothing to cancel."""
        self.assertEqual(self.server.ask("POST", f"/api/runs/{run}/cancel").status, 200)

    def revoke(self, key):
        self.server.vibe("keys", "revoke", key.split("_")[1])

    def expire(self, key):
        with sqlite3.connect(self.server.home / "server.db") as database:
            database.execute("UPDATE keys SET expires_at = 1000 WHERE id = ?", [key.split("_")[1]])
        database.close()

    def test_a_key_that_is_refused_meanwhile(self):
        for refuse in (self.revoke, self.expire):
            with self.subTest(refuse=refuse.__name__):
                run, errors = self.refused_meanwhile(refuse)
                self.assertIn(f"error: run `{run}` is still running on the server [E1122]\n", errors)
                self.stop_at_work(run)

    def test_an_organisation_that_is_suspended_meanwhile(self):
        self.server.vibe("orgs", "create", "Gone")
        run, errors = self.refused_meanwhile(lambda _: self.server.vibe("orgs", "set", "gone", "--suspend"), org="gone")
        self.assertIn("or its organisation is suspended [E1122]\n", errors)
        self.assertIn(f"error: run `{run}` is still running on the server [E1122]\n", errors)

    def test_ctrl_c_with_a_key_that_is_refused_cancels_nothing_and_says_so(self):
        run, errors = self.refused_meanwhile(self.revoke, prompts=["hi", "latency=60000 a", "latency=60000 b"],
                                             interrupt=True)
        self.assertIn(f"error: run `{run}` could not be cancelled: it is still running on the server [E1122]\n", errors)
        self.stop_at_work(run)

    def test_a_key_that_is_refused_before_the_results_are_fetched(self):
        run = self.world.check(self.world.suite(["hi"]))["id"]

        def answer(method, path):
            if method == "POST":
                return answer_json(200, {"runId": run, "after": 0})
            if path.endswith("/events"):
                return 200, b'event: status\ndata: {"status": "completed"}\n\n', {"Content-Type": "text/event-stream"}
            return answer_json(401, {"error": "no"})

        with FakeServer(answer) as fake:
            world = self.client(fake.url)
            world.vibe("check", world.suite(["hi"]), exit=3)
            self.assertIn(f"run `{run}` has ended, but its results could not be fetched [E1122]", world.errors)
            self.assertIn(f"`vibe get run {run}` shows it", world.errors)

    def test_a_server_that_does_not_say_which_run_it_started(self):
        for body in ({}, {"runId": ""}, {"runId": 7}):
            with FakeServer(lambda *_, body=body: answer_json(200, body)) as fake:
                world = self.client(fake.url)
                world.vibe("check", world.suite(["hi"]), exit=3)
                self.assertIn(f"the server `{fake.url}` started a run but did not return its id", world.errors)
                self.assertEqual([path for _, path, _ in fake.requests], ["/api/eval/run"])

    def test_a_run_goes_on(self):
        process = self.world.start("check", self.slow_suite(20, latency=100), "--json")
        self.read_until(process, "4/20")
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=PATIENCE)
        run = json.loads(output)
        done = int(run["results_count"])
        whole = self.world.check("--resume", run["id"])
        self.assertEqual((whole["id"], whole["status"], whole["results_count"]), (run["id"], "completed", "20"))
        left = 20 - done
        self.assertEqual(self.lines(self.world.errors), [f"{i}/{left}" for i in range(1, left + 1)])
        before = len(self.server.log_lines())
        self.world.vibe("check", "--resume", run["id"], exit=2)
        self.assertIn("has all its 20 results", self.world.errors)
        self.world.vibe("check", "--retry-failed", run["id"], exit=2)
        self.assertIn("no sample of run", self.world.errors)
        self.assertEqual({line["method"] for line in self.server.log_lines()[before:]}, {"GET"})
        self.world.vibe("check", "--resume", "0000", exit=2)
        self.assertIn("there is no run `0000`", self.world.errors)

    def test_earlier_runs_are_asked_again(self):
        checks = '[match: "*4*"]'
        good = self.world.suite([f'say "4 of {i}"' for i in range(7)], name="good.yaml", checks=checks)
        bad = self.world.suite([f'say "no {i if i != 4 else 9}"' for i in range(7)], name="bad.yaml", checks=checks)
        base = self.world.check(good)["id"]
        both = json.loads(self.world.vibe("check", bad, "--min-success", "0", "--against", base, "--rerun-base",
                                          "--json", exit=1))
        self.assertNotEqual(both["base"]["id"], base)
        self.assertEqual(both["base"]["results_count"], "7")
        self.assertEqual(both["comparisons"][0]["base"], both["base"]["id"])
        candidate = both["runs"][0]["id"]
        seen = json.loads(self.world.vibe("compare", base, candidate, "--gate", "--confirm", "--json", exit=1))
        first, second = seen["comparisons"][0], seen["confirmation"][0]
        self.assertEqual((first["base"], first["candidate"]), (base, candidate))
        self.assertEqual((first["verdict"], second["verdict"]), ("worse", "worse"))
        self.assertTrue({second["base"], second["candidate"]}.isdisjoint({base, candidate, both["base"]["id"]}))
        self.assertIn("14/14", self.world.errors)
        self.world.vibe("check", bad, "--against", base, "--rerun-base", "--dry-run", exit=2)

    def test_errors_are_asked_again(self):
        suite = self.world.suite(["hi", "fail=400x1 again"], name="again.yaml")
        run = self.world.check(suite, exit=3)
        self.assertEqual((run["status"], run["errors"]), ("partial_failure", 1))
        run = self.world.check("--retry-failed", run["id"])
        self.assertEqual((run["status"], run["errors"]), ("completed", 0))
        self.assertEqual(self.lines(self.world.errors), ["1/1"])

    def test_what_a_run_that_goes_on_takes_along(self):
        """The body, and that a server takes it: to change anything else would be a 400."""
        run = self.world.check(self.world.suite(["hi", "fail=400x9 no"], name="along.yaml"), exit=3)
        whole = self.server.ask("GET", f"/api/runs/{run['id']}").json

        def answer(method, path):
            return answer_json(200, whole) if method == "GET" else answer_json(402, {"error": "enough"})

        with FakeServer(answer) as fake:
            world = self.client(fake.url)
            world.vibe("check", "--retry-failed", run["id"], "-t", "7", "--mcp-token", "t0ken", "--budget", "2",
                       "--run-timeout", "9", "--cache", exit=3)
            self.assertNotIn("t0ken", world.errors)
            self.assertEqual(json.loads(fake.bodies[-1]),
                             {"retryFailed": run["id"],
                              "options": {"budget": 2, "run_timeout": 9, "cache": True, "threads": 7,
                                          "mcp_server": {"authorization_token": "t0ken"}}})
            world.vibe("check", "--retry-failed", run["id"], exit=3)
            self.assertEqual(json.loads(fake.bodies[-1]), {"retryFailed": run["id"], "options": {}})
        again = self.world.check("--retry-failed", run["id"], "-t", "7", "--budget", "2", "--run-timeout", "9",
                                 "--cache", exit=3)
        self.assertEqual(again["status"], "partial_failure")
        for options in ({"mcp_server": []}, {"mcp_server": {"authorization_token": 7}}, {"threads": "many"}):
            answer = self.server.ask("POST", "/api/eval/run", {"retryFailed": run["id"], "options": options})
            self.assertEqual(answer.status, 400, options)
        self.world.vibe("check", "--retry-failed", run["id"], "--mcp-token", "t0ken", exit=2)
        self.assertIn("`--mcp-name` and `--mcp-token` need a tool server", self.world.errors)

    def test_as_many_at_a_time_as_is_said(self):
        run = self.world.check(self.slow_suite(6, latency=300, threads=1), "--run-timeout", "0.4", exit=3)
        self.assertLess(int(run["results_count"]), 6)
        self.model.reset()
        self.world.check("--resume", run["id"], "-t", "6")
        self.assertGreater(self.model.stats()["most_in_flight"], 1)

    def test_a_run_that_nobody_waits_for(self):
        suite = self.slow_suite(3)
        started = json.loads(self.world.vibe("check", suite, "--async", "--json"))["runs"]
        self.assertEqual([one["model"] for one in started], ["openai/gpt-4o-mini"])
        status = self.server.ask("GET", f"/api/eval/status/{started[0]['runId']}").json
        self.assertEqual(status["status"], "completed")
        text = self.world.vibe("check", suite, "-a", "-m", "openai/gpt-4o,openai/gpt-4o-mini")
        self.assertEqual(len(re.findall(r"Started run [0-9a-f-]{36} of s on openai/", text)), 2)

    def test_stop(self):
        started = json.loads(self.world.vibe("check", self.slow_suite(200), "-a", "--json"))["runs"][0]["runId"]
        self.assertIn(started, self.world.vibe("stop", started))
        status = self.server.ask("GET", f"/api/eval/status/{started}").json
        self.assertEqual(status["error"], "Run was cancelled")

    def test_a_terminal_has_its_bar(self):
        program = [os.environ["VIBE"], "check", self.slow_suite(4)]
        done = subprocess.run(["script", "-qec", " ".join(program), "/dev/null"], env=self.world.environment,
                              cwd=self.world.folder, capture_output=True, timeout=PATIENCE, check=False)
        self.assertIn(b"4/4", done.stdout)
        self.assertIn(b"[###", done.stdout)


if __name__ == "__main__":
    unittest.main()
