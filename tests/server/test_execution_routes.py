#!/usr/bin/python3
"""Routes about agents: executions from their logs, fitness, decisions. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import gzip
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ServeWorld, wait_until  # noqa: E402
from route_case import NO_RUN, Case  # noqa: E402


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
        wait_until(lambda: not list((self.world.home / "spool").iterdir()), "the spool to be empty")
        with ServeWorld(config="serve: {max_upload_mib: 1}\n") as world:
            self.assertEqual(world.ask("POST", "/api/executions", log).status, 413)


if __name__ == "__main__":
    unittest.main()
