#!/usr/bin/python3
"""Long runs, for `make soak`: many connections, big answers. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import resource
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from vibe_world import ModelServer, World  # noqa: E402


def facts(world):
    """The run as JSON, without its results."""
    return json.loads(world.vibe("get", "runs", "--json"))["runs"][0]


class Soak(unittest.TestCase):
    def test_many_connections(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
        with ModelServer("--latency", "50") as server, World(server) as world:
            world.suite([f"What is {i} * 7?" for i in range(20_000)], threads=1024)
            world.vibe("check", "suite.yaml", "--quiet")
            self.assertEqual(facts(world)["evals_passed"], "20000")
            self.assertGreaterEqual(server.stats()["most_in_flight"], 1000)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_many_faults(self):
        with ModelServer() as server, World(server) as world:
            world.suite([f"{fault} {i}" for i in range(500)
                         for fault in ("fail=429x2,retry-after-ms=1", "fail=500x9", "reset=1",
                                       "truncate", "type=text/html", "nul", "empty")], threads=256)
            world.vibe("check", "suite.yaml", "--quiet", exit=3)
            run = facts(world)
            self.assertEqual((run["status"], run["results_count"]), ("partial_failure", "3500"))

    def test_big_answers(self):
        with ModelServer() as server, World(server) as world:
            world.suite([f"huge=10000000 {i}" for i in range(60)], threads=4)
            world.vibe("check", "suite.yaml", "--quiet")
            self.assertEqual(facts(world)["evals_passed"], "60")


if __name__ == "__main__":
    unittest.main()
