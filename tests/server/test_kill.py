#!/usr/bin/python3
"""kill -9 of the server in the middle of a run: afterwards each sample has one result, and the score
is that of a run that nobody disturbed.

Usage: test_kill.py [KILLS]   (5; `make soak` takes 20). Needs VIBE, VIBE_BUILD, VIBE_SOURCE.
"""

import contextlib
import os
import random
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld, wait_until  # noqa: E402
from faulty_run import finished, results_now, start_run, sums_suite, unlimited  # noqa: E402

KILLS = int(sys.argv.pop()) if len(sys.argv) > 1 and sys.argv[-1].isdigit() else 5
SAMPLES = 2000
THREADS = 16


class Kill(unittest.TestCase):
    def test_kill(self):
        seed = int(os.environ.get("VIBE_SEED", "1"))
        chance = random.Random(seed)
        with ModelServer("--latency", "20") as model:
            with ServeWorld(model, "--lease", "1") as world:
                undisturbed = finished(world, start_run(world, sums_suite(SAMPLES, THREADS)))
            self.assertEqual(undisturbed["status"], "completed")
            self.assertEqual(model.stats()["requests"], SAMPLES)
            model.reset()
            with ServeWorld(model, "--lease", "1") as world:
                run = start_run(unlimited(world), sums_suite(SAMPLES, THREADS))
                self.kill_often(world, run, chance)
                disturbed = finished(world, run)
                listed = world.ask("GET", "/api/runs").json["runs"]
                spent = world.ask("GET", "/api/orginfo").json["spent"]
            requests = model.stats()["requests"]
        self.compare(disturbed, undisturbed)
        self.assertEqual([one["status"] for one in listed], ["completed"])
        self.assertAlmostEqual(spent, float(disturbed["total_cost"]))  # each result was charged for once
        # What was in flight at a kill is asked again, what was answered and not stored yet, and nothing else: the next are
        # sent before those that came are looked at.
        self.assertLessEqual(requests, SAMPLES + KILLS * 2 * THREADS, f"seed {seed}")
        print(f"killed {KILLS} times in the middle, {requests - SAMPLES} samples asked again "
              f"(seed {seed})")

    def kill_often(self, world, run, chance):
        """Each time after some more results, so that all of it is in the middle of the run."""
        most = SAMPLES // (KILLS + 1)
        before = []
        for number in range(KILLS):
            wanted = len(before) + chance.randrange(1, most)
            while len(seen := results_now(world, run)) < wanted:
                time.sleep(0.01)
            self.assertEqual(seen[:len(before)], before, f"kill {number}: what was shown is gone")
            time.sleep(chance.uniform(0, 0.05))
            world.kill()
            before = seen
            world.start()

    def test_bodies_that_are_left(self):
        """They go with the next start that finds them old; what is not a body stays."""
        with ServeWorld() as world:
            spool = world.home / "spool"
            with contextlib.closing(world.connect()) as connection:
                connection.putrequest("POST", "/api/executions?agent=a")
                for name, text in {**world.headers(), "Content-Length": "100000"}.items():
                    connection.putheader(name, text)
                connection.endheaders(b"half of it")
                wait_until(lambda: list(spool.iterdir()), "a body")
                world.kill()
            left, = spool.iterdir()
            world.start()
            self.assertTrue(left.exists())  # perhaps another server is at it
            world.stop()
            others = [spool / "notes", spool / "body-of-a-letter"]
            for path in others:
                path.write_text("kept")
            (spool / "body-aaaaaa").symlink_to(others[0])
            for path in (left, *others):
                os.utime(path, (0, 0))
            world.start()
            self.assertFalse(left.exists())
            self.assertEqual(sorted(path.name for path in spool.iterdir()), ["body-aaaaaa", "body-of-a-letter", "notes"])

    def compare(self, disturbed, undisturbed):
        for run in (disturbed, undisturbed):
            self.assertEqual(run["status"], "completed", run["error"])
            names = [one["eval_name"] for one in run["results"]]
            self.assertEqual(sorted(names), sorted(f"e{i}" for i in range(SAMPLES)))
        self.assertIsNotNone(undisturbed["score"])
        self.assertEqual(disturbed["score"], undisturbed["score"])
        for figure in ("results_count", "evals_passed", "total_cost", "total_tokens"):
            self.assertEqual(disturbed[figure], undisturbed[figure], figure)


if __name__ == "__main__":
    unittest.main()
