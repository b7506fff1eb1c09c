#!/usr/bin/python3
"""Many who are connected, and slow ones: others are answered all the same. Needs VIBE, VIBE_BUILD, VIBE_SOURCE.

Usage: test_load.py [CONNECTIONS]   (200 that are idle; `make soak` takes 10000)
"""

import contextlib
import gzip
import json
import os
import resource
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld  # noqa: E402
from faulty_run import (allowed_memory, as_json, is_sanitized, memory_line, peak_memory, start_run,  # noqa: E402
                        sums_suite, unlimited, wait_until)

IDLE = int(sys.argv.pop()) if len(sys.argv) > 1 and sys.argv[-1].isdigit() else 200
SLOW = 500
ONE_ADDRESS = "serve: {connections_per_address: 0}\n"  # all of them may come from here
PATIENCE = 20  # seconds for an answer that takes milliseconds; after 30 the server ends what is slow


def more_files():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def connect(stack, port):
    return stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))


class Load(unittest.TestCase):
    def answered(self, world, path="/api/runs"):
        """How long a request takes; a new connection, as anybody's."""
        began = time.monotonic()
        self.assertEqual(world.ask("GET", path).status, 200)
        took = time.monotonic() - began
        self.assertLess(took, PATIENCE)
        return took

    def test_idle_connections(self):
        most = more_files()
        wanted = min(IDLE, most - 500, 9_900)
        with ServeWorld(config=ONE_ADDRESS) as world, contextlib.ExitStack() as stack:
            before = memory_line(world, "VmRSS")
            held = [connect(stack, world.port) for _ in range(wanted)]
            took = self.answered(world)
            each = (memory_line(world, "VmRSS") - before) * 1024 / wanted
            for connection in held[::max(1, wanted // 50)]:  # they are good for requests still
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200"))
            print(f"{wanted} idle connections: answered in {took * 1000:.0f} ms, {each:.1f} KiB each")
            self.assertLess(each, allowed_memory(64))

    def test_slow_heads(self):
        """A byte now and then, never a whole request (slowloris)."""
        more_files()
        line = b"GET /api/runs HTTP/1.1\r\nHost: a\r\nX-Slow: " + b"a" * 1000
        with ServeWorld() as world, contextlib.ExitStack() as stack:
            held = [connect(stack, world.port) for _ in range(SLOW)]
            worst = 0
            for at in range(40):
                for connection in held:
                    with contextlib.suppress(OSError):
                        connection.sendall(line[at:at + 1])
                worst = max(worst, self.answered(world))
            print(f"{SLOW} slow heads: others waited {worst * 1000:.0f} ms at most")

    def hold_half_sent(self, config, count):
        """More of them than there may be connections; others are answered all the same."""
        with ServeWorld(config=config) as world, contextlib.ExitStack() as stack:
            for number in range(count):
                connection = connect(stack, world.port)
                connection.sendall(b"GET /api/runs HTTP/1.1\r\nHost: a\r\nX-" if number % 2 else b"GET /api")
            took = []
            for _ in range(3):
                took.append(self.answered(world))  # with a key
                began = time.monotonic()
                self.assertEqual(world.ask("GET", "/healthz", key=None).status, 200)
                took.append(time.monotonic() - began)
            self.assertLess(max(took), PATIENCE)
            print(f"{count} half-sent requests ({config.strip()}): others waited {max(took) * 1000:.0f} ms at most")

    def test_half_sent_requests(self):
        count = min(max(SLOW, IDLE + 200), more_files() - 500)
        most = f"max_connections: {count * 4 // 5}"
        for config in (f"serve: {{{most}}}\n", f"serve: {{{most}, connections_per_address: 0}}\n"):
            with self.subTest(config=config):
                self.hold_half_sent(config, count)

    def test_slow_bodies(self):
        more_files()
        with ServeWorld() as world, contextlib.ExitStack() as stack:
            head = (f"POST /api/suite/save HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\n"
                    "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n").encode()
            unlimited(world)
            held = [connect(stack, world.port) for _ in range(SLOW)]
            for connection in held:
                connection.sendall(head)
            worst = 0
            for _ in range(10):
                for connection in held:
                    with contextlib.suppress(OSError):
                        connection.sendall(b"{")
                worst = max(worst, self.answered(world))
            self.assertLess(peak_memory(world), allowed_memory(200))
            print(f"{SLOW} slow bodies: others waited {worst * 1000:.0f} ms at most")

    def test_slow_readers(self):
        """They ask for much, and take none of it."""
        with ModelServer() as model, ServeWorld(model) as world, contextlib.ExitStack() as stack:
            unlimited(world)
            run = start_run(world, sums_suite(20, 4, prompt="huge=200000 {}"))
            world.ask("GET", f"/api/eval/status/{run}?wait=60")
            before = peak_memory(world)
            request = f"GET /api/runs/{run} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\n\r\n".encode()
            for _ in range(50):
                connection = socket.socket()
                stack.enter_context(connection)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", world.port))
                connection.sendall(request)
            took = [self.answered(world) for _ in range(20)]
            print(f"50 slow readers of 4 MB: others waited {max(took) * 1000:.0f} ms at most, "
                  f"{peak_memory(world) - before:.0f} MB more")
            self.assertLess(peak_memory(world) - before, allowed_memory(600))

    def test_memory_of_answers_is_given_back(self):
        """When those who took none of them are gone."""
        text = sums_suite(1, 1, prompt="x" * 6_000_000 + "{}", name="large")
        with ServeWorld() as world, contextlib.ExitStack() as stack:
            unlimited(world)
            saved = world.ask("POST", "/api/suite/save", {"evalSuite": as_json(text), "yamlContent": text})
            self.assertEqual(saved.status, 200, saved.body[:300])
            answer = world.ask("GET", "/api/suite/large")
            before = memory_line(world, "VmRSS")
            for _ in range(60):
                connection = stack.enter_context(socket.socket())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", world.port))
                connection.sendall(f"GET /api/suite/large HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\n\r\n".encode())
                self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200"))
            held = memory_line(world, "VmRSS") - before
            stack.close()
            if not is_sanitized():  # which keep what was freed
                wait_until(lambda: memory_line(world, "VmRSS") - before < held / 3 + 50, "the memory")
            after = memory_line(world, "VmRSS") - before
            print(f"60 answers of {len(answer.body) // 1_000_000} MB: {held:.0f} MB more, {after:.0f} MB after them")

    def test_large_answers(self):
        """They are made while they are sent: the same packed or not, in order, and with little memory."""
        count = 2000
        with ModelServer() as model, ServeWorld(model) as world:
            unlimited(world)
            run = start_run(world, sums_suite(count, 32, prompt="huge=5000 {}"))
            world.ask("GET", f"/api/eval/status/{run}?wait=60")
            shown, status = (world.ask("GET", path) for path in (f"/api/runs/{run}", f"/api/eval/status/{run}"))
            self.assertGreater(min(len(shown.body), len(status.body)), 10_000_000)
            names = [f"e{i}" for i in range(count)]
            self.assertEqual([one["eval_name"] for one in shown.json["run"]["results"]], names)
            arrived = [one["evalName"] for one in status.json["results"]]
            self.assertEqual(sorted(arrived), sorted(names))
            for path, plain in ((f"/api/runs/{run}", shown), (f"/api/eval/status/{run}", status)):
                packed = world.ask("GET", path, headers={"Accept-Encoding": "gzip"})
                self.assertEqual(packed.headers["Content-Encoding"], "gzip")
                self.assertEqual(json.loads(gzip.decompress(packed.body)), plain.json)
            world.stop()
            world.start()
            before = peak_memory(world)
            with contextlib.ExitStack() as stack:
                held = [connect(stack, world.port) for _ in range(20)]
                for number, connection in enumerate(held):  # nobody takes any of it yet
                    path = f"/api/runs/{run}" if number % 2 else f"/api/eval/status/{run}"
                    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\n\r\n".encode())
                for connection in held:
                    self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 200"))
                more = peak_memory(world) - before
            print(f"20 answers of {len(shown.body) // 1_000_000} MB: {more:.0f} MB more")
            self.assertLess(more, allowed_memory(80))

    def test_answers_with_gaps(self):
        """Results that were replaced come once, and leave no others out."""
        with ModelServer() as model, ServeWorld(model) as world:
            run = start_run(world, sums_suite(100, 8, prompt="fail=400 {}"))
            first = world.ask("GET", f"/api/eval/status/{run}?wait=60").json
            self.assertEqual(world.ask("POST", "/api/eval/run", {"retryFailed": run}).status, 200)
            status = world.ask("GET", f"/api/eval/status/{run}?wait=60").json
            names = [f"e{i}" for i in range(100)]
            for one in (first, status):
                self.assertEqual(sorted(result["evalName"] for result in one["results"]), sorted(names))
            shown = world.ask("GET", f"/api/runs/{run}").json["run"]
            self.assertEqual([result["eval_name"] for result in shown["results"]], names)

    def test_more_held_requests_than_may_wait_for_a_thread(self):
        """All are answered at the end, though at most 1,000 of them are looked at in one go."""
        count = min(1500, more_files() // 2)
        with ModelServer() as model, ServeWorld(model, config=ONE_ADDRESS) as world, contextlib.ExitStack() as stack:
            unlimited(world)
            run = start_run(world, sums_suite(1, 1, prompt="latency=120000 {}"))
            held = [connect(stack, world.port) for _ in range(count)]
            for connection in held:
                connection.sendall(f"GET /api/eval/status/{run} HTTP/1.1\r\nHost: a\r\n"
                                   f"X-API-KEY: {world.key}\r\n\r\n".encode())
            wait_until(lambda: model.stats()["in_flight"] == 1, "the run")
            self.answered(world)
            self.assertEqual(world.ask("POST", f"/api/runs/{run}/cancel").status, 200)
            for connection in held:
                self.assertTrue(connection.recv(1 << 16).startswith(b"HTTP/1.1 200"))

    def test_held_requests(self):
        """Long polls and streams cost no thread: there are more of them than threads anywhere."""
        more_files()
        with ModelServer() as model, ServeWorld(model) as world, contextlib.ExitStack() as stack:
            unlimited(world)
            run = start_run(world, sums_suite(1, 1, prompt="latency=120000 {}"))
            threads = memory_threads(world)
            held = []
            for number in range(150):
                path = f"/api/eval/status/{run}" if number % 3 else f"/api/runs/{run}/events"
                held.append(connect(stack, world.port))
                held[-1].sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {world.key}\r\n\r\n".encode())
            took = [self.answered(world) for _ in range(20)]
            wait_until(lambda: model.stats()["in_flight"] == 1, "the run")
            self.assertLess(memory_threads(world), threads + 20)
            self.assertEqual(world.ask("POST", f"/api/runs/{run}/cancel").status, 200)
            ended = [None] * len(held)

            def read(index):
                held[index].settimeout(60)
                ended[index] = held[index].recv(1 << 16)
            readers = [threading.Thread(target=read, args=(index,)) for index in range(len(held))]
            for one in readers:
                one.start()
            for one in readers:
                one.join(60)
            self.assertTrue(all(answer and answer.startswith(b"HTTP/1.1 200") for answer in ended))
            print(f"150 held requests: others waited {max(took) * 1000:.0f} ms at most")


def memory_threads(world):
    return len(os.listdir(f"/proc/{world.process.pid}/task"))


if __name__ == "__main__":
    unittest.main()
