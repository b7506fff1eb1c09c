#!/usr/bin/python3
"""Logs of very many sessions: what each of them takes, by the peak of the memory, and that all of them are shown, scored
and kept. In the optimised build, for sanitizers take memory of their own. Needs VIBE.

Usage: test_release_sessions.py [SESSIONS]"""

import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
MANY = int(sys.argv.pop()) if len(sys.argv) > 1 and sys.argv[-1].isdigit() else 120_000
FEW = MANY // 6


class Sessions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        for count in (FEW, MANY):
            with open(cls.folder / f"{count}.jsonl", "w", encoding="ascii") as log:
                for i in range(count):
                    log.write('{"ts":"2026-01-01T00:00:00Z","tool":"x","exit":0,"session":"session-%d"}\n' % i)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_vibe(self, *words):
        """The lines that it prints, and the most KiB that it took."""
        # One arena: how much malloc() leaves unused in those of other threads depends on the machine's load.
        environment = {"HOME": str(self.folder), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
        with open(self.folder / "out", "w+b") as out:
            process = subprocess.Popen([VIBE, *map(str, words)], stdout=out, stderr=subprocess.DEVNULL, env=environment,
                                       stdin=subprocess.DEVNULL,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0, words)
            out.seek(0)
            lines = sum(1 for _ in out)
        return lines, usage.ru_maxrss

    def bytes_of_each(self, *words, lines):
        few, least = self.run_vibe(*words, self.folder / f"{FEW}.jsonl")
        many, most = self.run_vibe(*words, self.folder / f"{MANY}.jsonl")
        self.assertGreaterEqual(few, FEW * lines)
        self.assertGreaterEqual(many, MANY * lines)
        return (most - least) * 1024 / (MANY - FEW)

    def test_shown(self):
        self.assertLess(self.bytes_of_each("fitness", "show", "--jsonl", lines=1), 1100)

    def test_scored(self):
        self.assertLess(self.bytes_of_each("fitness", "score", "--no-keep", "--jsonl", lines=1), 1100)

    def test_a_table(self):
        self.assertLess(self.bytes_of_each("fitness", "score", "--no-keep", lines=1), 1700)

    def test_kept(self):
        self.run_vibe("fitness", "score", "--jsonl", self.folder / f"{MANY}.jsonl")
        with sqlite3.connect(self.folder / ".vibecheck/vibecheck.db") as database:
            self.assertEqual(database.execute("SELECT count(*) FROM executions").fetchone()[0], MANY)


if __name__ == "__main__":
    unittest.main()
