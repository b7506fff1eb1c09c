#!/usr/bin/python3
"""Server-Sent Events of runs: nothing is lost, nothing comes twice, whatever happens to the connection. Needs VIBE,
VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import sqlite3
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from route_case import NO_RUN, Case  # noqa: E402
from serve_world import OWN, Answer, ModelServer, ServeWorld  # noqa: E402

REFUSED = "the key is unknown, expired or revoked, or its organisation is suspended"


def suite(*prompts, threads=1):
    return {"evalSuite": {"metadata": {"name": "followed", "model": "openai/gpt-4o-mini", "threads": threads},
                          "evals": [{"prompt": prompt, "checks": [{"match": "*"}]} for prompt in prompts]}}


def events_of(text):
    """Those that came whole: (type, id, data); comments and `retry` are none."""
    found = []
    for block in text.split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in fields:
            found.append((fields["event"], fields.get("id"), json.loads(fields["data"])))
    return found


class Followed:
    """A connection that follows a run."""

    def __init__(self, world, run, last=None, query="", key=OWN):
        self.connection = world.connect()
        headers = {**world.headers(key), **({"Last-Event-ID": last} if last else {})}
        self.connection.request("GET", f"/api/runs/{run}/events{query}", headers=headers)
        self.answer = self.connection.getresponse()
        self.text = ""

    def read_until(self, holds):
        """Reads on until what came fits; all of it."""
        while not holds(self.text):
            part = self.answer.read1(1 << 16)
            assert part, f"it ended: {self.text}"
            self.text += part.decode()
        return events_of(self.text)

    def read_all(self):
        self.text += self.answer.read().decode()
        self.connection.close()
        return events_of(self.text)

    def close(self):
        self.connection.close()


class Events(Case):
    def start(self, *prompts, **options):
        return super().start(suite(*prompts, **options))

    def check_whole(self, events, prompts):
        """Each result once, in order; the last event is the run's end."""
        results = [event for event in events if event[0] == "result"]
        numbers = [int(number) for _, number, _ in results]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(sorted(data["prompt"] for _, _, data in results), sorted(prompts))
        ended = [i for i, (kind, _, data) in enumerate(events) if kind == "status" and data["completed_at"]]
        self.assertEqual(ended, [len(events) - 1])
        kind, number, run = events[-1]
        self.assertEqual((kind, number, run["status"]), ("status", None, "completed"))
        self.assertNotIn("results", run)
        progress = [data for kind, _, data in events if kind == "progress"]
        self.assertEqual(progress[-1], {"done": len(prompts), "total": len(prompts), "passed": len(prompts)})
        self.assertEqual([one["done"] for one in progress], sorted(one["done"] for one in progress))

    def test_live(self):
        prompts = [f"latency=50 {i}" for i in range(10)]
        followed = Followed(self.world, self.start(*prompts))
        self.assertEqual(followed.answer.status, 200)
        self.assertTrue(followed.answer.headers["Content-Type"].startswith("text/event-stream"))
        self.assertIsNone(followed.answer.headers["Content-Encoding"])
        events = followed.read_all()
        self.check_whole(events, prompts)
        self.assertTrue(followed.text.startswith("retry: 1000\n\n"))
        statuses = [data["status"] for kind, _, data in events if kind == "status"]
        self.assertEqual(statuses[-1], "completed")
        self.assertIn("running", statuses)
        # It was told as it went: there was progress in between.
        self.assertGreater(len([1 for kind, _, _ in events if kind == "progress"]), 2)

    def test_results_are_those_of_the_run(self):
        run = self.start("a", "fail=400 b")
        events = Followed(self.world, run).read_all()
        results = [data for kind, _, data in events if kind == "result"]
        shown = self.world.ask("GET", f"/api/runs/{run}").json["run"]
        self.assertEqual(sorted(results, key=lambda one: one["sample"]), shown["results"])
        last = events[-1][2]
        self.assertEqual({key: shown[key] for key in last}, last)

    def test_a_run_that_is_finished(self):
        prompts = ["a", "b", "c"]
        run = self.start(*prompts)
        first = Followed(self.world, run).read_all()
        self.check_whole(first, prompts)
        again = Followed(self.world, run).read_all()
        self.check_whole(again, prompts)
        numbers = [number for kind, number, _ in again if kind == "result"]
        for rest in (Followed(self.world, run, last=numbers[1]), Followed(self.world, run, query=f"?after={numbers[1]}")):
            found = rest.read_all()
            self.assertEqual([number for kind, number, _ in found if kind == "result"], numbers[2:])
            self.assertEqual([data["done"] for kind, _, data in found if kind == "progress"], [3])
            self.assertEqual(found[-1][2]["status"], "completed")

    def test_a_connection_that_breaks_often(self):
        prompts = [f"latency=5 {i}" for i in range(200)]
        run = self.start(*prompts, threads=4)
        events, last, connections = [], None, 0
        while not events or events[-1][0] != "status" or events[-1][2]["status"] != "completed":
            followed = Followed(self.world, run, last)
            connections += 1
            # It breaks in the middle of an event, too.
            found = followed.read_until(lambda text: text.count("event: result") > 7 or '"completed"' in text)
            followed.close()
            events += found
            last = next((number for kind, number, _ in reversed(events) if kind == "result"), last)
        self.assertGreater(connections, 10)
        self.check_whole(events, prompts)

    def test_the_server_is_killed(self):
        prompts = [f"latency=20 {i}" for i in range(60)]
        with ModelServer() as model, ServeWorld(model, "--lease", "1") as world:
            run = world.ask("POST", "/api/eval/run", suite(*prompts, threads=2)).json["runId"]
            followed = Followed(world, run)
            followed.read_until(lambda text: text.count("event: result") > 10)
            world.kill()
            try:
                events = followed.read_all()
            except Exception:  # cut off, in the middle of a chunk
                events = events_of(followed.text)
            last = [number for kind, number, _ in events if kind == "result"][-1]
            world.start()
            events += Followed(world, run, last).read_all()
            self.check_whole(events, prompts)

    def test_the_server_stops(self):
        with ModelServer() as model, ServeWorld(model) as world:
            run = world.ask("POST", "/api/eval/run", suite("a", "latency=1500 b")).json["runId"]
            followed = Followed(world, run)
            followed.read_until(lambda text: "event: result" in text)
            threading.Timer(0, lambda: world.process.terminate()).start()
            events = followed.read_all()  # it ends, and is whole
            self.assertTrue(followed.text.endswith("\n\n"))
            self.assertEqual(world.process.wait(60), 0)
            world.start()
            last = [number for kind, number, _ in events if kind == "result"][-1]
            events += Followed(world, run, last).read_all()
            self.check_whole(events, ["a", "latency=1500 b"])

    def test_a_run_that_is_cancelled(self):
        run = self.start("latency=60000 a")
        followed = Followed(self.world, run)
        followed.read_until(lambda text: '"running"' in text)
        self.assertEqual(self.world.ask("POST", f"/api/runs/{run}/cancel").status, 200)
        self.assertEqual(followed.read_all()[-1][2]["status"], "cancelled")

    def test_a_run_that_is_gone_on_with(self):
        """Results of the second attempt come after those of the first."""
        run = self.start("fail=500 a", "b")
        first = Followed(self.world, run).read_all()
        last = [number for kind, number, _ in first if kind == "result"][-1]
        self.world.ask("POST", "/api/eval/run", {"retryFailed": run})
        again = Followed(self.world, run, last).read_all()
        self.assertEqual([data["prompt"] for kind, _, data in again if kind == "result"], ["fail=500 a"])
        self.assertEqual(again[-1][2]["status"], "partial_failure")

    def test_many_follow_and_others_are_answered(self):
        run = self.start("latency=60000 a")
        followers = [Followed(self.world, run) for _ in range(60)]
        for _ in range(20):
            self.assertEqual(self.world.ask("GET", "/api/runs").status, 200)
        self.world.ask("POST", f"/api/runs/{run}/cancel")
        for followed in followers:
            self.assertEqual(followed.read_all()[-1][2]["status"], "cancelled")

    def test_a_sign_of_life(self):
        run = self.start("latency=60000 a")
        followed = Followed(self.world, run)
        followed.read_until(lambda text: '"running"' in text)
        began = time.monotonic()
        followed.read_until(lambda text: "\n\n: " in text)
        self.assertGreater(time.monotonic() - began, 5)
        followed.close()
        self.world.ask("POST", f"/api/runs/{run}/cancel")

    def test_wrong_ones(self):
        self.assertEqual(self.world.ask("GET", f"/api/runs/{NO_RUN}/events").status, 404)
        run = self.start("a")
        path = f"/api/runs/{run}/events"
        for last in ("x", "-1", "1.5"):
            for name, answer in (("after", self.world.ask("GET", f"{path}?after={last}")),
                                 ("Last-Event-ID", self.world.ask("GET", path, headers={"Last-Event-ID": last}))):
                self.assertEqual((answer.status, answer.json["error"]),
                                 (400, f"`{name}` is not an event number of this run"))
        self.assertEqual(self.world.ask("GET", f"/api/runs/{run}/events", key=None).status, 401)


class KeysThatEnd(unittest.TestCase):
    """What is open with a key ends with it."""

    def setUp(self):
        self.model = self.enterContext(ModelServer())
        self.world = self.enterContext(ServeWorld(self.model))
        self.world.vibe("orgs", "create", "team")

    def key(self):
        return self.world.vibe("keys", "create", "--org", "team", "--role", "run").strip()

    def start(self, key, *prompts):
        answer = self.world.ask("POST", "/api/eval/run", suite(*prompts), key=key)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json["runId"]

    def revoke(self, key):
        self.world.vibe("keys", "revoke", key.split("_")[1])

    def expire(self, key):
        with sqlite3.connect(self.world.home / "server.db") as directory:
            directory.execute("UPDATE keys SET expires_at = 1000 WHERE id = ?", (key.split("_")[1],))
        directory.close()

    def poll(self, run, key):
        connection = self.world.connect()
        self.addCleanup(connection.close)
        connection.request("GET", f"/api/eval/status/{run}", headers=self.world.headers(key))
        return connection

    def test_with_nothing_to_say(self):
        """A stream ends at its next sign of life, a held request is refused."""
        revoked, expired, good = self.key(), self.key(), self.key()
        run = self.start(good, "latency=60000 a")
        followed = {key: Followed(self.world, run, key=key) for key in (revoked, expired, good)}
        polls = {key: self.poll(run, key) for key in (revoked, expired, good)}
        for one in followed.values():
            one.read_until(lambda text: '"running"' in text)
        self.revoke(revoked)
        self.expire(expired)
        for key in (revoked, expired):
            followed[key].read_all()
            self.assertTrue(followed[key].text.endswith(f": {REFUSED}\n\n"), followed[key].text)
        followed[good].read_until(lambda text: "still here" in text)
        self.world.ask("POST", f"/api/runs/{run}/cancel", key=good)
        self.assertEqual(followed[good].read_all()[-1][2]["status"], "cancelled")
        for key in (revoked, expired):
            answer = Answer(polls[key].getresponse())
            self.assertEqual((answer.status, answer.json), (401, {"error": REFUSED}))
            self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
        self.assertEqual(Answer(polls[good].getresponse()).json["status"], "failed")

    def test_with_much_to_say(self):
        prompts = [f"latency=50 {i}" for i in range(1000)]
        for end in (self.revoke, lambda _: self.world.vibe("orgs", "set", "team", "--suspend")):
            key = self.key()
            followed = Followed(self.world, self.start(key, *prompts), key=key)
            followed.read_until(lambda text: "event: result" in text)
            end(key)
            events = followed.read_all()
            self.assertTrue(followed.text.endswith(f": {REFUSED}\n\n"), followed.text[-500:])
            self.assertLess(len([1 for kind, _, _ in events if kind == "result"]), len(prompts))


if __name__ == "__main__":
    unittest.main()
