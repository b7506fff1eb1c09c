#!/usr/bin/python3
"""Runs of a server that go wrong: tools that take long, or do not answer, runs that are damaged in the store; and what
those who follow many or large runs get to see. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import concurrent.futures
import contextlib
import http.server
import json
import os
import sqlite3
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld, wait_until  # noqa: E402
from faulty_run import (allowed_memory, finished, peak_memory, start_run, status_now, sums_suite,  # noqa: E402
                        unlimited)
from test_events import events_of  # noqa: E402

PRIVATE = "serve: {private_addresses: true}\n"  # the tools are on this machine


class SlowTools:
    """A server of tools that answers its first greeting when it is let go."""

    def __init__(self):
        self.asked, self.gate = [], threading.Event()
        tools = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                tools.asked.append(body["method"])
                tools.gate.wait(120)
                with contextlib.suppress(OSError):  # nobody is there any more
                    self.answer(body)

            def answer(self, body):
                results = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                          "serverInfo": {"name": "slow", "version": "1"}},
                           "tools/list": {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}}
                if body["method"] not in results:
                    return self.send(202, b"")
                reply = {"jsonrpc": "2.0", "id": body["id"], "result": results[body["method"]]}
                return self.send(200, json.dumps(reply).encode())

            def send(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/mcp"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.gate.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Tools(unittest.TestCase):
    def start(self, world, tools):
        """A run whose tools are being opened."""
        run = start_run(world, sums_suite(3, 1, name="tools", mcp_server={"url": tools.url, "name": "tools"}))
        wait_until(lambda: tools.asked, "the tools to be asked")
        return run

    def test_to_open_them_takes_longer_than_the_lease(self):
        with ModelServer() as model, SlowTools() as tools:
            with ServeWorld(model, "--lease", "1", config=PRIVATE) as world:
                run = self.start(unlimited(world), tools)
                began = time.monotonic()
                others = 0
                while time.monotonic() - began < 3:  # the worker that ends one of these looks for the next
                    other = start_run(world, sums_suite(1, 1, name="other"))
                    self.assertEqual(finished(world, other)["status"], "completed")
                    others += 1
                tools.gate.set()
                found = finished(world, run)
                self.assertEqual((found["status"], found["results_count"]), ("completed", "3"), found)
                self.assertEqual(tools.asked.count("initialize"), 1)  # one worker had it, all the time
                self.assertEqual(model.stats()["requests"], 3 + others)

    def test_a_run_is_cancelled_while_they_are_opened(self):
        with ModelServer() as model, SlowTools() as tools, ServeWorld(model, config=PRIVATE) as world:
            run = self.start(world, tools)
            self.assertEqual(world.ask("POST", f"/api/runs/{run}/cancel").status, 200)
            self.assertEqual(finished(world, run, 10)["status"], "cancelled")
            self.assertEqual(status_now(world, run)["error"], "Run was cancelled")
            self.assertEqual(model.stats()["requests"], 0)


class Damage(unittest.TestCase):
    def change(self, world, sql, run):
        with contextlib.closing(sqlite3.connect(world.home / "vibecheck.db", timeout=60)) as database, database:
            self.assertEqual(database.execute(sql, (run,)).rowcount, 1)

    def test_a_run_whose_suite_cannot_be_read(self):
        with ModelServer() as model, ServeWorld(model, "--workers", "1") as world:
            busy = start_run(unlimited(world), sums_suite(1, 1, prompt="latency=120000 {}"))
            wait_until(lambda: model.stats()["in_flight"] == 1, "the run")
            damaged, other = (start_run(world, sums_suite(2, 1, name=name)) for name in ("damaged", "other"))
            self.change(world, "UPDATE texts SET text = x'00ff' WHERE number = (SELECT suite_text FROM run_texts "
                               "JOIN runs ON number = run WHERE id = ?)", damaged)
            self.assertEqual(world.ask("POST", f"/api/runs/{busy}/cancel").status, 200)
            self.assertEqual(finished(world, damaged)["status"], "failed")
            said = status_now(world, damaged)["error"]
            self.assertRegex(said, r"^[^\n]+$")
            self.assertEqual(finished(world, other)["status"], "completed")
            self.assertEqual(model.stats()["requests"], 3)


class Following(unittest.TestCase):
    """What comes of `GET /api/runs/:id/events`."""

    def events(self, world, run):
        answer = world.ask("GET", f"/api/runs/{run}/events")
        self.assertEqual(answer.status, 200, answer.body[:300])
        return events_of(answer.body.decode())

    def check(self, events, wanted):
        """All results, and only then the end."""
        kinds = [kind for kind, _, _ in events]
        self.assertEqual(kinds.count("result"), wanted, kinds)
        ended = [i for i, (kind, _, data) in enumerate(events) if kind == "status" and data["completed_at"]]
        self.assertEqual(ended, [len(events) - 1], kinds)
        numbers = [int(number) for kind, number, _ in events if kind == "result"]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_many_small_runs(self):
        runs, followers = 120, 8
        with ModelServer() as model, ServeWorld(model, "--workers", "8") as world:
            unlimited(world).vibe("orgs", "set", "default", "--max-running", "8")

            def follow(number):
                run = start_run(world, sums_suite(1 + number % 3, 4))
                return run, self.events(world, run)

            with concurrent.futures.ThreadPoolExecutor(followers) as pool:
                for run, events in pool.map(follow, range(runs)):
                    found = world.ask("GET", f"/api/runs/{run}").json["run"]
                    self.assertEqual(found["status"], "completed")
                    self.check(events, len(found["results"]))

    def test_results_larger_than_a_part(self):
        """Each comes whole, in a part of its own: what is sent is not made of all of them at once."""
        size, samples = 2 << 20, 24
        with ModelServer() as model, ServeWorld(model) as world:
            run = start_run(world, sums_suite(samples, 4, prompt=f"huge={size} {{}}"))
            self.assertEqual(finished(world, run)["status"], "completed")
            self.assertEqual(world.stop(), 0)
            world.start()
            before = peak_memory(world)
            events = self.events(world, run)
            self.check(events, samples)
            for kind, _, data in events:
                if kind == "result":
                    self.assertGreaterEqual(len(data["response"]), size)
            took = peak_memory(world) - before
            self.assertLess(took, allowed_memory(samples * (size >> 20)))
            print(f"{samples} results of {size >> 20} MB took {took:.0f} MB")


if __name__ == "__main__":
    unittest.main()
