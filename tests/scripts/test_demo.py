#!/usr/bin/python3
"""The demo runs to its end, shows what it says, and leaves nothing behind. Needs VIBE and VIBE_SOURCE."""

import os
import subprocess
import tempfile
import unittest

SOURCE = os.environ["VIBE_SOURCE"]


class Demo(unittest.TestCase):
    def test_it_shows_what_it_says(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([os.path.join(SOURCE, "scripts/demo.sh")], capture_output=True, text=True,
                                  env={**os.environ, "HOME": folder, "TMPDIR": folder}, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stderr, "")
            self.assertEqual(os.listdir(folder), [])
        lines = done.stdout.splitlines()
        for shown in ("Score: 80.17 (formula: 100 * quality - 20000 * total_cost - 2 * avg_latency)",
                      "  hint: did you mean `critical-math`?", "(exit code 2)", "* best in its column",
                      "Score: 77.65, grade B: Good - room for improvement"):
            with self.subTest(shown):
                self.assertIn(shown, lines)


if __name__ == "__main__":
    unittest.main()
