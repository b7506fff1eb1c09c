#!/usr/bin/python3
"""The clock of the machine is set while a server works: back, and forward. By libfaketime, which does not get along
with sanitizers: hence in the optimised build. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import glob
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld, wait_until  # noqa: E402
from faulty_run import finished, results_now, start_run, sums_suite, unlimited  # noqa: E402

SAMPLES = 200


class Clock(unittest.TestCase):
    def setUp(self):
        found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        self.assertTrue(found, "the package `faketime` is missing")
        self.model = ModelServer("--latency", "20").start()
        self.addCleanup(self.model.stop)
        self.world = ServeWorld(self.model, "--lease", "1", is_started=False)
        self.offset = self.world.folder / "offset"
        self.set_clock(0)
        # The time since the start of the machine is no clock that can be set.
        self.world.environment.update(LD_PRELOAD=found[0], FAKETIME_TIMESTAMP_FILE=str(self.offset),
                                      FAKETIME_NO_CACHE="1", FAKETIME_DONT_FAKE_MONOTONIC="1",
                                      FAKETIME_DONT_RESET="1")
        self.addCleanup(self.world.__exit__, None, None, None)
        unlimited(self.world.start())

    def set_clock(self, seconds):
        written = self.offset.with_suffix(".new")
        written.write_text(f"{seconds:+d}\n")
        written.rename(self.offset)

    def started(self, name="sums"):
        run = start_run(self.world, sums_suite(SAMPLES, 4, name=name))
        wait_until(lambda: len(results_now(self.world, run)) >= 20, "results")
        return run

    def check(self, run):
        found = finished(self.world, run, 120)
        self.assertEqual(found["status"], "completed", found)
        names = [one["eval_name"] for one in found["results"]]
        self.assertEqual(sorted(names), sorted(f"e{i}" for i in range(SAMPLES)))
        self.assertGreaterEqual(float(found["duration_seconds"]), 0)
        self.assertLess(float(found["duration_seconds"]), 600)
        return found

    def test_runs_and_those_who_wait_do_not_notice(self):
        for jump in (-3600, 7200):
            with self.subTest(jump=jump):
                self.model.reset()
                self.set_clock(0)
                run = self.started()
                held = []
                waiting = threading.Thread(
                    target=lambda: held.append(self.world.ask("GET", f"/api/eval/status/{run}?wait=100")))
                waiting.start()
                self.set_clock(jump)
                waiting.join(120)
                self.assertEqual(held[0].json["status"], "completed")
                self.check(run)
                self.assertEqual(self.model.stats()["requests"], SAMPLES)

    def test_a_lease_of_the_future_keeps_nobody_out(self):
        """Killed after the clock was set back: the run is not left alone until the lease is over by the clock."""
        run = self.started()
        before = results_now(self.world, run)
        self.set_clock(-3600)
        self.world.kill()
        self.world.start()
        self.assertEqual(results_now(self.world, run)[:len(before)], before)
        self.check(run)

    def test_ids_and_lists(self):
        first = self.started("first")
        self.set_clock(-3600)
        second = self.started("second")
        for run in (first, second):
            self.check(run)
        self.assertNotEqual(first, second)
        listed = self.world.ask("GET", "/api/runs").json
        self.assertEqual(sorted(one["id"] for one in listed["runs"]), sorted([first, second]))
        self.assertEqual(listed["pagination"]["total"], 2)
        page = self.world.ask("GET", "/api/runs?limit=1").json
        rest = self.world.ask("GET", "/api/runs?limit=1&after=" + page["pagination"]["next"]).json
        self.assertEqual([one["id"] for one in page["runs"] + rest["runs"]], [one["id"] for one in listed["runs"]])

    def test_keys_and_invites(self):
        key = self.world.vibe("keys", "create", "--org", "default", "--role", "read", "--expires", "1").strip()
        self.assertEqual(self.world.ask("GET", "/api/runs", key=key).status, 200)
        self.set_clock(2 * 86400)
        self.assertEqual(self.world.ask("GET", "/api/runs", key=key).status, 401)
        self.set_clock(-3600)
        self.assertEqual(self.world.ask("GET", "/api/runs", key=key).status, 200)
        self.assertEqual(self.world.ask("GET", "/api/runs").status, 200)


if __name__ == "__main__":
    unittest.main()
