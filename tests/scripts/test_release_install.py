#!/usr/bin/python3
"""An install holds the program, its completions and its licence, and the program runs."""

import os
import subprocess
import tempfile
import unittest

BUILD = os.environ["VIBE_BUILD"]


class Install(unittest.TestCase):
    def test_contents(self):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr", "--strip"], check=True,
                           stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": root})
            for path in ("bin/vibe", "share/bash-completion/completions/vibe",
                         "share/zsh/site-functions/_vibe", "share/fish/vendor_completions.d/vibe.fish",
                         "share/doc/vibecheck/LICENSE"):
                with self.subTest(path):
                    self.assertGreater(os.path.getsize(os.path.join(root, "usr", path)), 0)
            done = subprocess.run([os.path.join(root, "usr/bin/vibe"), "--version"], check=True,
                                  capture_output=True, text=True)
            self.assertIn("0.", done.stdout)


if __name__ == "__main__":
    unittest.main()
