#!/usr/bin/python3
"""Very many records without an id, which a server tells apart by their order in one log: none takes the place of
another. In the optimised build, for their number. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import os
import sqlite3
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ServeWorld  # noqa: E402
from remote_case import Client  # noqa: E402

RECORDS = 10_050  # more than are sent together


def count_executions(path):
    with sqlite3.connect(path) as database:
        return database.execute("SELECT count(*) FROM executions").fetchone()[0]


class Records(unittest.TestCase):
    def kept(self, most_sessions, exit):
        config = f"serve: {{max_upload_sessions: {most_sessions}}}\n"
        with ServeWorld(config=config) as server, Client(f"http://127.0.0.1:{server.port}", server.key) as client:
            client.write("records.yaml", "---\n".join(f"execution: {{actual_time: {i}}}\n" for i in range(RECORDS)))
            client.vibe("fitness", "score", "records.yaml", "--agent", "many", "--jsonl", exit=exit)
            return sum(map(count_executions, server.home.rglob("vibecheck.db"))), client.errors

    def test_all_are_kept(self):
        self.assertEqual(self.kept(20_000, exit=0)[0], RECORDS)

    def test_more_than_a_server_takes_are_refused(self):
        kept, errors = self.kept(10_000, exit=2)
        self.assertEqual(kept, 0)
        self.assertIn("more than 10000 sessions", errors)


if __name__ == "__main__":
    unittest.main()
