#!/usr/bin/python3
"""Routes for those who run the server, and about itself: models, the API, figures, health. Needs VIBE,
VIBE_BUILD, VIBE_SOURCE."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from route_case import MODEL, NO_RUN, Case, inline  # noqa: E402


class Operation(Case):
    def test_models_and_version(self):
        models = self.ask("GET", "/api/models?all=true")["models"]
        mini = next(one for one in models if one["id"] == MODEL)
        self.assertLessEqual({"id", "name", "description", "supported_parameters", "pricing"}, set(mini))
        self.assertEqual(mini["pricing"], {"prompt": "0.00000015", "completion": "0.0000006"})
        tuned = next(one for one in models if one["id"] == "openai/ft:gpt-4o-mini")
        self.assertEqual((tuned["name"], tuned["description"]),
                         ("ft:gpt-4o-mini", "ft:gpt-4o-mini, answered by openai"))
        self.assertEqual([one["id"] for one in models if not one["name"]], [])
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
        self.finished({"evalSuite": inline("a", "fail=400 b")})
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


if __name__ == "__main__":
    unittest.main()
