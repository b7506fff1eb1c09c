#!/usr/bin/python3
"""Routes about agents: executions from their logs, fitness, decisions. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import gzip
import io
import json
import os
import random
import socket
import sys
import time
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ServeWorld, wait_until  # noqa: E402
from route_case import NO_RUN, Case  # noqa: E402


def works(world):
    """Whether a thread of the server was busy for most of the last moment."""
    def ticks():
        with open(f"/proc/{world.process.pid}/stat", encoding="ascii") as file:
            return sum(int(word) for word in file.read().rpartition(")")[2].split()[11:13])
    before = ticks()
    time.sleep(0.5)
    return ticks() - before > 10  # hundredths of a second


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

    def test_a_record_names_no_file_of_the_server(self):
        record = "execution:\n  actual_time: 1\n  output_file: other\n"
        said = json.dumps(self.add(record, status=422))
        self.assertIn("`output_file` does not work in a log sent to a server", said)
        self.assertNotIn("spool", said)

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

    def test_a_log_that_unpacks_to_more(self):
        lines = log_of("packed").encode() + b"".join(
            json.dumps({"type": "system", "sessionId": "packed", "content": random.Random(i).randbytes(500).hex()}).encode()
            + b"\n" for i in range(1_800))
        packed = {"gzip": gzip.compress(lines), "zip": io.BytesIO()}
        with zipfile.ZipFile(packed["zip"], "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", json.dumps({"version": 2, "eval": {"task": "t"}}))
            archive.writestr("samples/1_epoch_1.json", json.dumps({"id": 1, "x": lines.decode()}))
        with ServeWorld(config="serve: {max_unpacked_mib: 1}\n") as world:
            for name, body in (("gzip", packed["gzip"]), ("zip", packed["zip"].getvalue())):
                with self.subTest(name=name):
                    self.assertLess(len(body), 1_100_000)
                    answer = world.ask("POST", "/api/executions?agent=a", body, type="application/octet-stream")
                    self.assertEqual(answer.status, 413, answer.body)
                    self.assertIn("unpacks to more than 1048576 bytes", answer.json["error"])
                    self.assertNotIn(str(world.home), answer.json["error"])
            self.assertEqual(world.ask("GET", "/api/executions").json["executions"], [])
        self.assertEqual(len(self.add(packed["gzip"], "agent=packed")["executions"]), 1)

    def test_nobody_works_for_a_client_that_is_gone(self):
        """A small body that takes a minute to unpack: when its client is gone, so is the work."""
        line = json.dumps({"type": "system", "sessionId": "s", "content": "x" * 4_000}).encode() + b"\n"
        noise = "".join(chr(33 + random.Random(1).randrange(90)) for _ in range(60)).replace("\\", "").replace('"', "")
        block = (line * 40 + json.dumps({"type": "system", "sessionId": "s", "content": noise}).encode() + b"\n") * 100
        body = gzip.compress(log_of("s").encode()) + gzip.compress(block) * 3_000  # 48 GB
        with ServeWorld(config="serve: {max_unpacked_mib: 1000000}\n") as world:
            with socket.create_connection(("127.0.0.1", world.port), timeout=60) as client:
                client.sendall(f"POST /api/executions?agent=a HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\n"
                               f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                wait_until(lambda: works(world), "the log to be read")
                self.assertTrue(works(world))
            wait_until(lambda: not works(world), "the work to end", seconds=20)
            self.assertEqual(world.ask("GET", "/api/executions").json["executions"], [])

    def test_a_small_log_of_very_many_sessions(self):
        """They take far more memory than the log does: so many are refused, before any is scored or kept."""
        log = "".join('{"ts":"2026-01-01T00:00:00Z","tool":"x","exit":0,"session":"%d"}\n' % i for i in range(200_000))
        answer = self.add(gzip.compress(log.encode()), "agent=many", status=413)
        self.assertEqual(answer["error"], "the log has more than 10000 sessions")
        self.assertEqual(self.ask("GET", "/api/executions?agent=many")["pagination"]["total"], 0)
        with open(f"/proc/{self.world.process.pid}/status", encoding="ascii") as status:
            most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
        if "ASAN_OPTIONS" not in os.environ:
            self.assertLess(most, 300_000)  # KiB; all of them took 1.8 GB
        with ServeWorld(config="serve: {max_upload_sessions: 2}\n") as world:
            for sessions, code in ((2, 200), (3, 413)):
                log = "".join(log_of(f"s{i}") for i in range(sessions))
                self.assertEqual(world.ask("POST", "/api/executions", log).status, code)


if __name__ == "__main__":
    unittest.main()
