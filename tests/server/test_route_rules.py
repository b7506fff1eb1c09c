#!/usr/bin/python3
"""What holds for every route: keys, bodies, methods, limits, the access log. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import gzip
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import Answer, ModelServer, ServeWorld, wait_until  # noqa: E402
from route_case import NO_RUN, Case, inline, new_key  # noqa: E402


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
        wait_until(lambda: any(line["id"] == "mine-7" for line in self.world.log_lines()), "its line")
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
        """Of an address: 30 at once, then 2 a second. Right ones are not refused for them."""
        with ServeWorld() as world:
            seen = [world.ask("GET", "/api/runs", key=f"vibe_{i}_guess").status for i in range(30)]
            self.assertEqual(seen, [401] * 30)
            while (answer := world.ask("GET", "/api/runs", key="vibe_a_b")).status != 429:
                self.assertEqual(answer.status, 401)
            self.check_refusal(answer, "too many wrong keys")
            self.assertEqual(world.ask("GET", "/api/runs").status, 200)
            self.assertEqual(world.ask("GET", "/healthz").status, 200)
            self.assertEqual(world.ask("GET", "/api/version", key=None).status, 200)
            wait_until(lambda: world.ask("GET", "/api/runs", key="vibe_a_b").status == 401, "another try to be allowed")

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


if __name__ == "__main__":
    unittest.main()
