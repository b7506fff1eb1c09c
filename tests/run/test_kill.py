#!/usr/bin/python3
"""kill -9 at any moment of a run: the store opens again and holds every result that was shown.

Usage: test_kill.py [ROUNDS]   (5; `make soak` takes 50). Needs VIBE, VIBE_BUILD, VIBE_SOURCE.
"""

import json
import os
import random
import re
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from vibe_world import ModelServer, World  # noqa: E402

ROUNDS = int(sys.argv.pop()) if len(sys.argv) > 1 and sys.argv[-1].isdigit() else 5
EVALS = 400


class Kill(unittest.TestCase):
    def test_kill(self):
        seed = int(os.environ.get("VIBE_SEED", "1"))
        chance = random.Random(seed)
        interrupted = 0
        with ModelServer("--latency", "2") as server:
            for number in range(ROUNDS):
                with World(server) as world:
                    interrupted += self.kill_once(world, chance, number)
        self.assertGreater(interrupted, 0)
        print(f"{ROUNDS} runs killed, {interrupted} of them in the middle (seed {seed})")

    def kill_once(self, world, chance, number):
        world.suite([f"What is {i} * 7?" for i in range(EVALS)], threads=8)
        process = world.start("check", "suite.yaml")
        # After so many lines of progress (none: at the start), and a little while.
        errors = b"".join(process.stderr.readline() for _ in range(chance.randrange(0, 20)))
        time.sleep(chance.uniform(0, 0.05))
        process.kill()
        errors += process.communicate(timeout=60)[1]
        # The lines of progress say how many results there were at least: the last one counts.
        shown = [int(one) for one in re.findall(r"^(\d+)/%d " % EVALS, errors.decode(), re.M)]
        runs = json.loads(world.vibe("get", "runs", "--json"))["runs"]
        if not runs:
            self.assertEqual(shown, [], f"round {number}: a run that was shown is not there")
            return 0
        run = world.run()
        self.assertGreaterEqual(len(run["results"]), max(shown, default=0), f"round {number}")
        if run["status"] == "completed":
            self.assertEqual(len(run["results"]), EVALS)
            return 0
        self.assertEqual(run["status"], "failed", f"round {number}")
        self.assertIn("interrupted", run["error"])
        again = world.check("--resume", run["id"])
        self.assertEqual(len(again["results"]), EVALS, f"round {number}")
        self.assertIsNotNone(again["score"], f"round {number}")
        return 1


if __name__ == "__main__":
    unittest.main()
