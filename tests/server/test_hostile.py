#!/usr/bin/python3
"""What nobody should send to a server: malformed requests, keys that are none, ids of others, names that
are paths. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import contextlib
import json
import os
import random
import re
import select
import socket
import sqlite3
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld  # noqa: E402
from faulty_run import (allowed_memory, as_json, finished, peak_memory, routes_of, start_run, sums_suite,  # noqa: E402
                        unlimited)
from hostile_requests import hostile  # noqa: E402

OPEN = {("GET", "/api/version"), ("POST", "/api/invites/redeem"), ("GET", "/healthz"), ("GET", "/readyz")}
MALFORMED = 10_000
MARK = "known-to-one-alone"  # in everything that the one organisation keeps
ANY_ID = "01900000-0000-7000-8000-000000000000"


def is_whole(answer):
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
    return bool(end and length) and len(body) >= int(length[1])


def exchange(port, sent, to_the_end=False):
    """What comes back: one answer, or all until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=90) as connection:
        answer = b""
        with contextlib.suppress(OSError):  # it may have closed: what it said can still be there
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
        try:
            while (to_the_end or not is_whole(answer)) and (part := connection.recv(1 << 16)):
                answer += part
        except ConnectionResetError:
            pass
        except TimeoutError:
            raise AssertionError(f"no end of the connection after {sent[:3000]!r}\n{answer[:3000]!r}") from None
    return answer


def is_unread(sent, answer):
    """The page with which libmicrohttpd itself ends a connection where the extension of a chunk is larger than its
    buffer. No code of the server hears of it, so it cannot say something better."""
    head, _, page = answer.partition(b"\r\n\r\n")
    return (b"\r\n\r\n5;aaa" in sent and head.startswith(b"HTTP/1.1 500 ") and b"\r\nConnection: close" in head and
            page.startswith(b"<html><head><title>Internal server error</title>"))


def statuses(answer):
    return [int(found) for found in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


class Malformed(unittest.TestCase):
    def test_malformed_requests(self):
        seed = int(os.environ.get("VIBE_SEED", "1"))
        chance = random.Random(seed)
        with ServeWorld() as world:
            unlimited(world)
            routes = routes_of(world)
            self.assertGreater(len(routes), 20)
            seen = {}
            for number in range(MALFORMED):
                sent = hostile(chance, routes, world.key)
                answer = exchange(world.port, sent)
                for status in statuses(answer) or [0]:
                    seen[status] = seen.get(status, 0) + 1
                    # 501 and 505 are what HTTP has for encodings and versions that are not known.
                    self.assertTrue(status < 500 or status in (501, 505) or is_unread(sent, answer),
                                    f"seed {seed}, request {number}: {sent[:2000]!r}\n{answer[:2000]!r}")
                self.assertNotIn(b"\r\nx-injected", answer.lower(), f"seed {seed}: {sent[:2000]!r}")
            self.assertEqual(world.ask("GET", "/healthz").status, 200)
            memory = peak_memory(world)
            print(f"{MALFORMED} requests (seed {seed}): {dict(sorted(seen.items()))}, {memory:.0f} MB")
            self.assertLess(memory, allowed_memory(300))
            self.assertGreater(seen.get(400, 0), 100)
            self.assertGreater(seen.get(422, 0), 100)
            self.check_log(world)

    def check_log(self, world):
        """Whatever was asked for: a line of JSON each, and no key."""
        self.assertEqual(world.stop(), 0)
        self.assertGreater(len(world.log_lines()), MALFORMED / 2)
        self.assertNotIn(world.key, world.log.read_text() + world.problems())

    def test_lines_in_pieces(self):
        """A good request is one, however it comes."""
        with ServeWorld() as world:
            whole = f"GET /api/orginfo HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\nConnection: close\r\n\r\n"
            with socket.create_connection(("127.0.0.1", world.port), timeout=60) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for byte in whole.encode():
                    connection.sendall(bytes([byte]))
                answer = b""
                while part := connection.recv(1 << 16):
                    answer += part
            self.assertEqual(statuses(answer), [200])

    def test_requests_in_one_go(self):
        with ServeWorld() as world:
            one = f"GET /api/orginfo HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\n\r\n".encode()
            last = one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
            self.assertEqual(statuses(exchange(world.port, one * 20 + last, to_the_end=True)), [200] * 21)

    def test_smuggling(self):
        """Two lengths, or a length and chunks: no second request hides in the body."""
        hidden = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
        with ServeWorld() as world:
            for lengths in (b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(hidden),
                            b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n" % (len(hidden) + 5),
                            b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                            b"Transfer-Encoding: xchunked\r\nContent-Length: 0\r\n",
                            b"Transfer-Encoding : chunked\r\n"):
                sent = (b"POST /api/suite/save HTTP/1.1\r\nHost: a\r\nX-API-KEY: " + world.key.encode() + b"\r\n" +
                        lengths + b"\r\n0\r\n\r\n" + hidden)
                with self.subTest(lengths=lengths):
                    self.assertNotIn(200, statuses(exchange(world.port, sent, to_the_end=True)))


class Bodies(unittest.TestCase):
    SIZE = 100 << 20

    def head(self, world, path, lines, key=True):
        keyed = f"X-API-KEY: {world.key}\r\n" if key else ""
        return f"POST {path} HTTP/1.1\r\nHost: a\r\n{keyed}Content-Type: application/json\r\n{lines}\r\n".encode()

    def send(self, world, head, part):
        """How much was sent until the server answered, and what."""
        sent, answer = 0, b""
        with socket.create_connection(("127.0.0.1", world.port), timeout=60) as connection:
            connection.sendall(head)
            with contextlib.suppress(OSError):
                while sent < self.SIZE and not select.select([connection], [], [], 0)[0]:
                    connection.sendall(part)
                    sent += len(part)
            with contextlib.suppress(OSError):
                answer = connection.recv(1 << 16)
        return sent, answer

    def test_huge_bodies_are_refused_early(self):
        with ServeWorld() as world:
            before = peak_memory(world)
            for path in ("/api/suite/save", "/api/eval/run", "/api/runtime/vars"):
                with self.subTest(path=path):
                    head = self.head(world, path, f"Content-Length: {self.SIZE}\r\n")
                    with socket.create_connection(("127.0.0.1", world.port), timeout=60) as connection:
                        connection.sendall(head)  # and nothing of the body
                        answer = connection.recv(1 << 16)
                    self.assertEqual(statuses(answer), [413], answer)
                    sent, answer = self.send(world, head, b"x" * (1 << 16))  # by one who does not wait
                    self.assertEqual(statuses(answer), [413], answer)
                    self.assertLess(sent, 60 << 20)
            self.assertEqual(world.ask("GET", "/healthz").status, 200)
            self.assertLess(peak_memory(world) - before, allowed_memory(40))

    def test_chunks_without_end(self):
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        with ServeWorld() as world:
            head = self.head(world, "/api/suite/save", "Transfer-Encoding: chunked\r\n")
            sent, answer = self.send(world, head, chunk)
            self.assertLess(sent, 60 << 20)
            self.assertEqual(statuses(answer), [413])
            self.assertLess(peak_memory(world), allowed_memory(200))
            self.assertEqual(world.ask("GET", "/healthz").status, 200)

    def test_nobody_is_told_to_send_it(self):
        """Without a key, not even the head of a large body is accepted."""
        with ServeWorld() as world:
            head = self.head(world, "/api/suite/save", f"Content-Length: {self.SIZE}\r\n", key=False)
            with socket.create_connection(("127.0.0.1", world.port), timeout=60) as connection:
                connection.sendall(head)
                self.assertEqual(statuses(connection.recv(1 << 16)), [401])

    def test_logs_have_a_limit_of_their_own(self):
        with ServeWorld() as world:
            head = self.head(world, "/api/executions?agent=a", f"Content-Length: {10 << 30}\r\n")
            with socket.create_connection(("127.0.0.1", world.port), timeout=60) as connection:
                connection.sendall(head)
                self.assertEqual(statuses(connection.recv(1 << 16)), [413])


class Keys(unittest.TestCase):
    def routes(self, world):
        for method, path in routes_of(world):
            yield method, re.sub(r"\{\w+\}", ANY_ID, path), (method, path) in OPEN

    def create(self, world, *words, what="keys"):
        return world.vibe(what, "create", "--org", "default", *words).strip()

    def test_every_route_wants_a_key(self):
        with ServeWorld() as world:
            revoked = self.create(world, "--role", "admin")
            world.vibe("keys", "revoke", revoked.split("_")[1])
            expired = self.create(world, "--role", "admin", "--expires", "1")
            with sqlite3.connect(world.home / "server.db") as directory:
                directory.execute("UPDATE keys SET expires_at = 1 WHERE id = ?", (expired.split("_")[1],))
            right = world.key
            wrong = right[:-1] + ("a" if right[-1] != "a" else "b")
            sent = [None, "", "x", "vibe_", "vibe_a_b", right.split("_")[1], wrong, right + "x", right.upper(), revoked,
                    expired, "é" * 20, "x" * 10_000]
            for method, path, is_open in self.routes(world):
                if is_open:
                    continue
                # More would be refused for their number.
                for key in random.Random(path).sample(sent, 3):
                    with self.subTest(method=method, path=path, key=key):
                        answer = world.ask(method, path, {} if method in ("POST", "PUT") else None, key=key)
                        self.assertIn(answer.status, (401, 429), answer.body[:300])
                        self.assertIsInstance(answer.json["error"], str)
            for key in sent:
                with self.subTest(key=key):
                    self.assertIn(world.ask("GET", "/api/runs", key=key).status, (401, 429, 431))

    def test_keys_that_end_end_at_once(self):
        with ServeWorld() as world:
            key = self.create(world, "--role", "run")
            self.assertEqual(world.ask("GET", "/api/runs", key=key).status, 200)
            world.vibe("keys", "revoke", key.split("_")[1])
            self.assertEqual(world.ask("GET", "/api/runs", key=key).status, 401)
            world.vibe("orgs", "set", "default", "--suspend")
            self.assertEqual(world.ask("GET", "/api/runs").status, 401)
            world.vibe("orgs", "set", "default", "--activate")
            self.assertEqual(world.ask("GET", "/api/runs").status, 200)

    def test_roles(self):
        """Who may read changes nothing."""
        reading = {("POST", "/api/formula/check"), ("POST", "/api/rescore")}
        with ServeWorld() as world:
            key = self.create(world, "--role", "read")
            unlimited(world)
            for method, path in routes_of(world):
                if (method, path) in OPEN or (method, path) in reading:
                    continue
                sent = re.sub(r"\{\w+\}", ANY_ID, path)
                if path == "/api/compare":
                    sent += f"?base={ANY_ID}&candidate={ANY_ID}"
                with self.subTest(method=method, path=path):
                    answer = world.ask(method, sent, {} if method in ("POST", "PUT") else None, key=key)
                    if method != "GET" or path == "/metrics":
                        self.assertEqual(answer.status, 403, answer.body[:300])
                        self.assertIn("read", answer.json["error"])
                    else:
                        self.assertIn(answer.status, (200, 404))

    def test_invites(self):
        def redeem(code):
            answer = world.ask("POST", "/api/invites/redeem", {"code": code}, key=None)
            return answer.status, answer.json.get("error", ""), answer.json.get("apiKey")
        with ServeWorld() as world:
            code = self.create(world, "--role", "run", what="invites")
            status, _, key = redeem(code)
            self.assertEqual(status, 200)
            self.assertEqual(world.ask("GET", "/api/runs", key=key).status, 200)
            status, error, none = redeem(code)
            self.assertEqual((status, none), (400, None))
            self.assertIn("already been used", error)
            late = self.create(world, "--role", "run", what="invites")
            with sqlite3.connect(world.home / "server.db") as directory:
                directory.execute("UPDATE invites SET expires_at = 1 WHERE used_at IS NULL")
            status, error, none = redeem(late)
            self.assertEqual((status, none), (400, None))
            self.assertIn("expired", error)
            for other in ("none", code[:-1], code + "x", key, "../" + code, "' OR 1=1 --", "\0"):
                with self.subTest(code=other):
                    status, _, none = redeem(other)
                    self.assertEqual((status, none), (404, None))
            for body in ({}, {"code": 5}, {"code": None}, {"code": [code]}):
                self.assertEqual(world.ask("POST", "/api/invites/redeem", body, key=None).status, 400)

    def test_an_invite_gives_one_key_to_a_crowd(self):
        with ServeWorld() as world:
            code = self.create(world, "--role", "run", what="invites")
            found = []
            crowd = [threading.Thread(target=lambda: found.append(
                world.ask("POST", "/api/invites/redeem", {"code": code}, key=None).status)) for _ in range(20)]
            for one in crowd:
                one.start()
            for one in crowd:
                one.join()
            self.assertEqual(sorted(found), [200] + [400] * 19)


class Foreign(unittest.TestCase):
    """Two organisations: nothing of the one is seen or changed by the other, on any route."""

    def fill(self, world, key):
        """Something of everything; gives the words by which it can be asked for."""
        def post(path, body, **options):
            answer = world.ask("POST", path, body, key=key, **options)
            self.assertIn(answer.status, (200, 201), answer.body[:300])
            return answer.json
        run = start_run(world, sums_suite(3, 1, prompt=MARK + " {}", name="theirs"), key=key)
        finished(world, run, key=key)
        post("/api/runtime/vars", {"name": "their_var", "value": MARK})
        post("/api/runtime/secrets", {"name": "their_secret", "value": MARK})
        log = "".join(json.dumps(line) + "\n" for line in (
            {"type": "user", "message": {"role": "user", "content": MARK}, "uuid": "u1", "sessionId": "s1",
             "timestamp": "2026-01-01T00:00:00Z"},
            {"type": "assistant", "uuid": "u2", "sessionId": "s1", "timestamp": "2026-01-01T00:00:05Z",
             "message": {"role": "assistant", "id": "m1", "model": "claude-sonnet-4-5",
                         "content": [{"type": "text", "text": MARK}],
                         "usage": {"input_tokens": 5, "output_tokens": 5}}}))
        kept = post("/api/executions?agent=their_agent&version=1", log, type="application/x-ndjson")
        decision = post("/api/decisions", {"old": 0.5, "new": 0.625})
        return {"run": run, "suite": "theirs", "var": "their_var", "secret": "their_secret",
                "execution": kept["executions"][0]["execution_id"], "agent": "their_agent",
                "decision": decision["decision_id"]}

    def everything(self, world, key, words):
        """All that the organisation has, as it sees it."""
        paths = ["/api/runs", "/api/suite/list", "/api/runtime/vars", "/api/runtime/secrets", "/api/executions",
                 f"/api/runs/{words['run']}", f"/api/suite/{words['suite']}", f"/api/executions/{words['execution']}",
                 f"/api/agents/{words['agent']}/fitness"]
        found = [world.ask("GET", path, key=key) for path in paths]
        for path, answer in zip(paths, found):
            self.assertEqual(answer.status, 200, path)
        return [answer.json for answer in found]

    def test_nothing_of_another_organisation(self):
        with ModelServer() as model, ServeWorld(model) as world:
            unlimited(world)
            world.vibe("orgs", "create", "others", "--requests-per-minute", "1000000")
            other = world.vibe("keys", "create", "--org", "others", "--role", "admin").strip()
            words = self.fill(world, world.key)
            before = self.everything(world, world.key, words)
            routes = [route for route in routes_of(world) if route not in OPEN]
            for method in ("GET", "DELETE", "POST", "PUT"):  # first while it has nothing of these names itself
                for path in (path for known, path in routes if known == method):
                    self.ask_for_all(world, other, method, path, words)
            for method, path in routes:
                if method == "DELETE":  # what it has now
                    for word in words.values():
                        world.ask(method, re.sub(r"\{\w+\}", word, path), key=other)
            self.assertEqual(self.everything(world, world.key, words), before)

    def ask_for_all(self, world, other, method, path, words):
        is_list = "{" not in path
        for what, word in [("none", "")] if is_list else words.items():
            with self.subTest(method=method, path=path, what=what):
                body = {"name": word or "mine", "value": "overwritten"} if method in ("POST", "PUT") else None
                answer = world.ask(method, re.sub(r"\{\w+\}", word, path), body, key=other)
                text = answer.body.decode(errors="replace")
                self.assertNotIn(MARK, text)
                if is_list and method == "GET":
                    for kept in words.values():
                        self.assertNotIn(kept, text)
                elif not is_list and not (method == "PUT" and "runtime" in path):
                    self.assertEqual(answer.status, 404, text[:300])


class Names(unittest.TestCase):
    TRICKS = ["..", ".", "../../etc/passwd", "/etc/passwd", "a/../b", "..\\..\\x", "C:\\x", "a\0b", "a\nb",
              "a\r\nX-Injected: 1", "\x1b[31m", "\u202e", "'; DROP TABLE suites; --", "%2e%2e", "%00", "list",
              "a" * 5000, "", " ", "{{secret('x')}}", "$(id)", "`id`", "~", "CON", "é", "\ud7ff", "\U0001f600"]

    def test_names_are_names(self):
        """Whatever a name looks like: it is kept as it is, or refused; files are out of its reach."""
        from urllib.parse import quote
        with ServeWorld() as world:
            unlimited(world)
            files = self.files(world)
            for name in self.TRICKS:
                with self.subTest(name=name):
                    text = sums_suite(1, 1, name=name)
                    saved = world.ask("POST", "/api/suite/save", {"evalSuite": as_json(text), "yamlContent": text})
                    self.assertIn(saved.status, (200, 400, 422), saved.body[:300])
                    asked = world.ask("GET", "/api/suite/" + quote(name, safe=""))
                    if saved.status == 200 and name != "list":
                        self.assertEqual(asked.status, 200)
                        self.assertEqual(asked.json["suite"]["yamlContent"], text)
                    else:
                        self.assertIn(asked.status, (200, 400, 404, 405))
                    for path in ("/api/runtime/vars", "/api/runtime/secrets"):
                        kept = world.ask("POST", path, {"name": name, "value": "v"})
                        self.assertIn(kept.status, (200, 201, 400, 422), kept.body[:300])
                        self.assertIn(world.ask("DELETE", f"{path}/" + quote(name, safe="")).status,
                                      (200, 400, 404, 405))
                    for path in ("/api/runs/", "/api/executions/", "/api/agents/"):
                        answer = world.ask("GET", path + quote(name, safe=""))
                        self.assertIn(answer.status, (200, 400, 404))
                        self.assertIsNone(answer.headers.get("X-Injected"))
            self.assertEqual(self.files(world), files)

    def files(self, world):
        passing = ("-wal", "-shm", "-journal")
        return sorted(str(path) for path in world.folder.rglob("*") if not path.name.endswith(passing))

    def test_files_and_programs_of_the_server(self):
        """Suites of clients name files of cases, rubrics, programs: none of them is touched."""
        with ModelServer() as model, ServeWorld(model) as world:
            witness = world.folder / "witness"
            world.write("cases.csv", f"a\n{MARK}\n")
            plain, usual = "{prompt: a, checks: [match: '*']}", "openai/gpt-4o-mini"
            for model_name, one in ((f"exec:touch {witness}", plain), ("replay:/etc/passwd", plain),
                                    (usual, f"{{prompt: a, checks: [exec: {{command: 'touch {witness}'}}]}}"),
                                    (usual, f"{{prompt: a, cases: {world.folder}/cases.csv, checks: [match: '*']}}"),
                                    (usual, "{prompt: a, cases: /etc/passwd, checks: [match: '*']}")):
                wrong = f"metadata: {{name: x, model: '{model_name}'}}\nevals: [{one}]\n"
                stripped = {"metadata": {"name": "x", "model": model_name},
                            "evals": [{"prompt": "a", "checks": [{"match": "*"}]}]}
                with self.subTest(suite=wrong):
                    answer = world.ask("POST", "/api/eval/run", {"evalSuite": stripped, "yamlContent": wrong})
                    self.assertEqual(answer.status, 422, answer.body[:500])
                    self.assertNotIn("root:", answer.body.decode())
                    self.assertNotIn(MARK, answer.body.decode())
            self.assertFalse(witness.exists())
            self.assertEqual(model.stats()["requests"], 0)


if __name__ == "__main__":
    unittest.main()
