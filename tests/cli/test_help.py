#!/usr/bin/env python3
"""Every command has its help in a transcript, with an example that works. Needs VIBE and VIBE_SOURCE."""
import os
import pathlib
import re
import subprocess
import tempfile
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

    def test_groups_list_their_commands(self):
        for group in ("get", "set", "delete", "var", "secret", "formula"):
            with self.subTest(group=group):
                shown = vibe(group)
                self.assertIn(f"\n  vibe {group} ", shown)
                self.assertEqual(shown, vibe("help", group))
                self.assertEqual(shown, vibe(group, "--help"))

    def test_the_examples_work(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = {"PATH": f"{VIBE.parent}:/usr/bin:/bin", "HOME": folder.name}
        os.symlink(SOURCE / "examples", pathlib.Path(folder.name) / "examples")
        # what they speak of
        for words in ("check examples/support.yaml", "set var team blue", "set secret api-key s3cret"):
            subprocess.run([VIBE, *words.split()], cwd=folder.name, check=True, capture_output=True, env=environment)
        transcript = (SOURCE / "tests/cli/help.txt").read_text()
        examples = re.findall(r"^Example:\n  (.*)", transcript, re.M)
        self.assertGreaterEqual(len(examples), 6)
        for example in examples:
            command = example.split(" > ")[0]
            with self.subTest(example=example):
                subprocess.run(["bash", "-c", command], cwd=folder.name, check=True, capture_output=True,
                               env=environment)


if __name__ == "__main__":
    unittest.main()
