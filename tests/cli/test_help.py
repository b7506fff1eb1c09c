#!/usr/bin/env python3
"""Every command has its help in a transcript, with an example that works. Needs VIBE and VIBE_SOURCE."""
import os
import pathlib
import re
import subprocess
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])


def vibe(*words):
    return subprocess.run([VIBE, *words], capture_output=True, text=True, check=True).stdout


def commands():
    """The names in the overview, such as `formula check`: lower-case words before two spaces or an argument."""
    names = []
    for line in vibe("help").split("Start with")[0].splitlines():
        if match := re.match(r"  vibe ([a-z]+)((?: [a-z]+)?)(?= |$)", line):
            names.append(match[1] + match[2])
    return [name for name in names if name != "help"]


class Help(unittest.TestCase):
    def test_every_command_has_a_transcript(self):
        transcript = (SOURCE / "tests/cli/help.txt").read_text()
        self.assertIn("formula check", commands())
        self.assertIn("completion", commands())
        for name in commands():
            self.assertIn(f"$ vibe help {name}\n", transcript)

    def test_the_examples_work(self):
        transcript = (SOURCE / "tests/cli/help.txt").read_text()
        examples = re.findall(r"^Example:\n  (.*)", transcript, re.M)
        self.assertGreaterEqual(len(examples), 6)
        for example in examples:
            command = example.split(" > ")[0]
            with self.subTest(example=example):
                subprocess.run(["bash", "-c", command], cwd=SOURCE, check=True, capture_output=True,
                               env={"PATH": f"{VIBE.parent}:/usr/bin:/bin"})


if __name__ == "__main__":
    unittest.main()
