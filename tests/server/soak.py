#!/usr/bin/python3
"""A server for a while, for `make soak`: runs of two organisations, lists, streams, cancels, kills and stops at the
same time. In the end every run that was accepted has come to its end, and memory has not grown. Needs VIBE, VIBE_BUILD,
VIBE_SOURCE."""

import os
import random
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld  # noqa: E402
from faulty_run import finished, memory_line, start_run, sums_suite, unlimited  # noqa: E402

SECONDS = 60
CLIENTS = 8


class Client(threading.Thread):
    """Starts runs, looks at them, cancels some. What fails because the server is away is tried again."""

    def __init__(self, world, key, seed, until):
        super().__init__()
        self.world, self.key, self.until = world, key, until
        self.chance = random.Random(seed)
        self.accepted, self.cancelled, self.wrong = [], set(), []

    def run(self):
        while time.monotonic() < self.until:
            try:
                self.step()
            except (OSError, AssertionError) as problem:
                if not isinstance(problem, OSError) and " 50" not in f" {problem}" and "429" not in str(problem):
                    self.wrong.append(repr(problem))
                time.sleep(0.05)
            except Exception as problem:  # half an answer
                if "IncompleteRead" not in repr(problem) and "BadStatusLine" not in repr(problem):
                    self.wrong.append(repr(problem))

    def step(self):
        kind = self.chance.randrange(6)
        if kind == 0 or not self.accepted:
            text = sums_suite(self.chance.randrange(1, 40), 4, name=f"s{self.chance.randrange(5)}")
            self.accepted.append(start_run(self.world, text, key=self.key))
            return
        run = self.chance.choice(self.accepted)
        if kind == 1:
            if self.world.ask("POST", f"/api/runs/{run}/cancel", key=self.key).status == 200:
                self.cancelled.add(run)
            return
        path = [f"/api/runs/{run}", "/api/runs?limit=20", f"/api/eval/status/{run}?wait=1",
                f"/api/runs/{run}/events"][kind - 2]
        answer = self.world.ask("GET", path, key=self.key)
        if answer.status not in (200, 503):
            self.wrong.append(f"{path}: {answer.status} {answer.body[:200]}")


class Soak(unittest.TestCase):
    def test_everything_at_once(self):
        seed = int(os.environ.get("VIBE_SEED", "1"))
        chance = random.Random(seed)
        with ModelServer("--latency", "5") as model, ServeWorld(model, "--lease", "1") as world:
            unlimited(world)
            world.vibe("orgs", "create", "others", "--requests-per-minute", "1000000")
            other = world.vibe("keys", "create", "--org", "others", "--role", "run").strip()
            until = time.monotonic() + SECONDS
            clients = [Client(world, [world.key, other][i % 2], seed * 100 + i, until) for i in range(CLIENTS)]
            for client in clients:
                client.start()
            kills = stops = 0
            while time.monotonic() < until:
                time.sleep(chance.uniform(1, 6))
                if chance.random() < 0.5:
                    world.kill()
                    kills += 1
                else:
                    self.assertEqual(world.stop(), 0)
                    stops += 1
                world.start()
            for client in clients:
                client.join()
                self.assertEqual(client.wrong, [], f"seed {seed}")
            accepted = sum(len(client.accepted) for client in clients)
            for client in clients:
                for run in client.accepted:
                    found = finished(world, run, key=client.key)
                    wanted = ("cancelled", "completed") if run in client.cancelled else ("completed",)
                    self.assertIn(found["status"], wanted, f"seed {seed}: {found}")
            print(f"{accepted} runs, {kills} kills, {stops} stops, {memory_line(world, 'VmRSS'):.0f} MB (seed {seed})")
            self.assertGreater(accepted, 10)

    def test_memory_does_not_grow(self):
        with ModelServer() as model, ServeWorld(model) as world:
            unlimited(world)
            text = sums_suite(50, 8)
            sizes = []
            for _ in range(4):
                for _ in range(40):
                    finished(world, start_run(world, text))
                    world.ask("GET", "/api/runs?limit=50")
                sizes.append(memory_line(world, "VmRSS"))
            print("memory after 40, 80, 120, 160 runs: " + ", ".join(f"{size:.0f}" for size in sizes) + " MB")
            self.assertLess(sizes[-1], sizes[0] * 1.25 + 8)


if __name__ == "__main__":
    unittest.main()
