#!/usr/bin/python3
"""Too many open files: wherever that is met, what is said about it is what to do. In the optimised build, for sanitizers
open files of their own. Needs VIBE, VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from vibe_world import VIBE, ModelServer, World  # noqa: E402

REASON = "too many open files"
HINT = "allow more open files with `ulimit -n NUMBER`, or lower `--threads`"


class TooManyFiles(unittest.TestCase):
    def setUp(self):
        self.server = ModelServer().start()
        self.addCleanup(self.server.stop)
        self.world = World(self.server)
        self.addCleanup(self.world.__exit__)

    def vibe(self, files, *words):
        """With so many open files at most. What a program needs before it begins is another matter."""
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        done = subprocess.run([VIBE, *words], env=self.world.environment, cwd=self.world.folder, preexec_fn=few,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_every_number_of_files(self):
        """From those that do not suffice for the configuration to those that suffice for everything: what cannot be
        opened is another file each time."""
        self.world.suite(["hi"] * 8, threads=8)
        self.world.vibe("check", "suite.yaml")
        met, exit = set(), None
        for files in range(4, 80):
            exit, output, errors = self.vibe(files, "check", "suite.yaml", "--json", "--record", "recorded.jsonl")
            if exit == 0:
                break
            if exit == 127:
                continue  # the program itself could not be loaded
            said = errors + "".join(str(one["error"]) for one in json.loads(output)["results"]) if output else errors
            self.assertIn(REASON, said.lower(), f"{files} files: {exit}")
            self.assertIn(HINT, said, f"{files} files: {exit}")
            self.assertNotIn("VIBECHECK_HOME", errors)  # that helps nobody
            met.add("results" if output else errors.split("`")[1].rsplit("/", 1)[-1] if "`" in errors else errors)
        self.assertEqual(exit, 0)
        self.assertGreater(len(met), 2, met)

    def test_programs(self):
        self.world.suite(["hi"] * 8, model="exec:cat", threads=8)
        self.world.vibe("check", "suite.yaml")
        for files in range(4, 80):
            exit, output, errors = self.vibe(files, "check", "suite.yaml", "--json")
            if not output:
                continue
            said = [str(one["error"]) for one in json.loads(output)["results"] if one["error"]]
            if said:
                self.assertIn(f"{REASON} ({HINT})", said[0])
                return
            self.assertEqual(exit, 0, errors)
        self.fail("there were always enough")


if __name__ == "__main__":
    unittest.main()
