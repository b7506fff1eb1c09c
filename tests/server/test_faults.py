#!/usr/bin/python3
"""What goes wrong around a server: the disk is full, a run is cancelled, the server is stopped in the middle of
one. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import contextlib
import os
import resource
import signal
import sqlite3
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld, wait_until  # noqa: E402
from faulty_run import finished, results_now, start_run, status_now, sums_suite, unlimited  # noqa: E402


def ignore_file_size_signal():
    """A full disk is an error of write(); a limit on files would be a signal as well."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


class DiskFull(unittest.TestCase):
    def fill(self, world):
        """From now on no file of the server can be written to, as on a disk that is full."""
        resource.prlimit(world.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def make_space(self, world):
        resource.prlimit(world.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)

    def is_lease_over(self, world):
        with contextlib.closing(sqlite3.connect(world.home / "vibecheck.db")) as database:
            return all(until < time.time() * 1000 for until, in database.execute("SELECT lease_until FROM jobs"))

    def values(self, world):
        return {one["name"]: one["value"] for one in world.ask("GET", "/api/runtime/vars").json["vars"]}

    def test_requests(self):
        suite = {"metadata": {"name": "x", "model": "openai/gpt-4o-mini"},
                 "evals": [{"prompt": "a", "checks": [{"match": "*"}]}]}
        writes = [("/api/runtime/vars", {"name": "d", "value": "lost"}), ("/api/suite/save", {"evalSuite": suite}),
                  ("/api/runtime/secrets", {"name": "d", "value": "lost"}), ("/api/eval/run", {"evalSuite": suite})]
        with ModelServer() as model, ServeWorld(model, preexec_fn=ignore_file_size_signal) as world:
            kept = {}
            for name in ("a", "b", "c"):
                self.assertIn(world.ask("POST", "/api/runtime/vars", {"name": name, "value": name}).status, (200, 201))
                kept[name] = name
            self.fill(world)
            for _ in range(3):
                for path, body in writes:
                    with self.subTest(path=path):
                        answer = world.ask("POST", path, body)
                        self.assertIn(answer.status, (500, 503), answer.body[:300])
                        self.assertIsInstance(answer.json["error"], str)
                self.assertEqual(self.values(world), kept)  # what is there can be read
                self.assertEqual(world.ask("GET", "/healthz").status, 200)
            self.make_space(world)
            for path, body in writes:
                self.assertIn(world.ask("POST", path, body).status, (200, 201), path)
            kept["d"] = "lost"
            self.assertEqual(self.values(world), kept)
            self.assertEqual(world.stop(), 0)
            world.start()
            self.assertEqual(self.values(world), kept)

    def test_a_run_goes_on_when_there_is_space(self):
        with ModelServer("--latency", "20") as model:
            with ServeWorld(model, "--lease", "1", preexec_fn=ignore_file_size_signal) as world:
                run = start_run(unlimited(world), sums_suite(200, 4))
                wait_until(lambda: len(results_now(world, run)) >= 20, "results")
                self.fill(world)
                refused = world.ask("POST", "/api/runtime/vars", {"name": "d", "value": "lost"})
                self.assertIn(refused.status, (500, 503))
                before = results_now(world, run)
                wait_until(lambda: self.is_lease_over(world), "the end of the lease, which cannot be renewed")
                self.assertEqual(results_now(world, run)[:len(before)], before)
                self.make_space(world)
                found = finished(world, run)
                self.assertEqual(found["status"], "completed", found)
                names = [one["eval_name"] for one in found["results"]]
                self.assertEqual(sorted(names), sorted(f"e{i}" for i in range(200)))
                self.assertEqual(results_now(world, run)[:len(before)], before)


class Cancel(unittest.TestCase):
    def test_what_is_in_flight_ends_soon(self):
        with ModelServer() as model, ServeWorld(model) as world:
            run = start_run(world, sums_suite(40, 8, prompt="latency=120000 {}"))
            wait_until(lambda: model.stats()["in_flight"] == 8, "requests in flight")
            began = time.monotonic()
            answer = world.ask("POST", f"/api/runs/{run}/cancel")
            self.assertEqual((answer.status, answer.json), (200, {"success": True, "cancelled": True}))
            wait_until(lambda: model.stats()["in_flight"] == 0, "the requests to end", 10)
            took = time.monotonic() - began
            found = finished(world, run, 10)
            self.assertEqual(found["status"], "cancelled")
            status = status_now(world, run)
            self.assertEqual((status["status"], status["error"]), ("failed", "Run was cancelled"))
            self.assertEqual(world.ask("POST", f"/api/runs/{run}/cancel").status, 409)
            self.assertEqual(model.stats()["requests"], 8)
            print(f"requests in flight were cancelled within {took:.3f} s")

    def test_a_run_that_waits(self):
        with ModelServer() as model, ServeWorld(model, "--workers", "1") as world:
            first = start_run(world, sums_suite(1, 1, prompt="latency=120000 {}"))
            wait_until(lambda: model.stats()["in_flight"] == 1, "the first run")
            second = start_run(world, sums_suite(1, 1, name="second"))
            self.assertEqual(world.ask("POST", f"/api/runs/{second}/cancel").status, 200)
            self.assertEqual(finished(world, second, 10)["status"], "cancelled")
            self.assertEqual(world.ask("POST", f"/api/runs/{first}/cancel").status, 200)
            self.assertEqual(finished(world, first, 10)["status"], "cancelled")
            self.assertEqual(model.stats()["requests"], 1)

    def test_those_who_wait_hear_of_it(self):
        with ModelServer() as model, ServeWorld(model) as world:
            run = start_run(world, sums_suite(1, 1, prompt="latency=120000 {}"))
            wait_until(lambda: model.stats()["in_flight"] == 1, "the run")
            held = []
            waiting = threading.Thread(target=lambda: held.append(world.ask("GET", f"/api/eval/status/{run}")))
            waiting.start()
            self.assertEqual(world.ask("POST", f"/api/runs/{run}/cancel").status, 200)
            waiting.join(30)
            self.assertEqual(held[0].json["status"], "failed")


class Stop(unittest.TestCase):
    def test_nothing_is_asked_twice(self):
        samples = 300
        with ModelServer("--latency", "50") as model, ServeWorld(model) as world:
            run = start_run(unlimited(world), sums_suite(samples, 8))
            seen = []
            for number in range(1, 4):
                wait_until(lambda: len(results_now(world, run)) >= number * 30, "results")
                seen = results_now(world, run)
                self.assertEqual(world.stop(), 0)
                world.start()
                self.assertEqual(results_now(world, run)[:len(seen)], seen)
            found = finished(world, run)
            self.assertEqual(found["status"], "completed")
            self.assertEqual(found["results_count"], str(samples))
            self.assertEqual(model.stats()["requests"], samples)

    def test_what_is_queued_is_done_after_the_start(self):
        with ModelServer() as model, ServeWorld(model, "--workers", "1") as world:
            slow = start_run(world, sums_suite(1, 1, prompt="latency=3000 {}"))
            waiting = [start_run(world, sums_suite(3, 1, name=f"s{i}")) for i in range(5)]
            wait_until(lambda: model.stats()["in_flight"] == 1, "the first run")
            self.assertEqual(world.stop(), 0)
            world.start()
            for run in (slow, *waiting):
                self.assertEqual(finished(world, run)["status"], "completed")


if __name__ == "__main__":
    unittest.main()
