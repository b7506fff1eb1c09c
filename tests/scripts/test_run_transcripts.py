#!/usr/bin/python3
"""tests/run_transcripts.py tells right from wrong output, and updates a transcript."""

import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(SOURCE, "tests", "run_transcripts.py")

# A program that prints its arguments, one a line; `fail N` exits with N.
PROGRAM = """#!/bin/bash
[[ $1 == fail ]] && { echo "error: $1" >&2; exit "$2"; }
printf '%b' "$1"
"""

# name, transcript, whether it is as expected, the transcript after --update (None: the same)
CASES = [
    ("one", "$ vibe 'a\\n'\na\n", True, None),
    ("two", "# first\n$ vibe 'a\\n'\na\n\n# second\n# more\n$ vibe 'b\\n'\nb\n", True, None),
    ("preface", "# about\n\n$ vibe 'a\\n'\na\n", True, None),
    ("no_output", "$ vibe ''\n\n$ vibe 'b\\n'\nb\n", True, None),
    ("empty_lines", "$ vibe '\\na\\n\\n'\n\na\n\n\n$ vibe 'b\\n\\n'\nb\n\n", True, None),
    ("output_like_comment", "$ vibe 'a\\n\\n# b\\n'\na\n\n# b\n\n$ vibe 'b\\n'\nb\n", True, None),
    ("no_newline", "$ vibe 'a'\na\n[no newline]\n", True, None),
    ("exit", "$ vibe fail 3\nerror: fail\n[exit 3]\n", True, None),
    ("shared_folder", "$ echo x > f\n\n$ cat f\nx\n", True, None),
    ("files", "$ cat given\ngiven\n", True, None),
    ("continued", "$ cat <<E\n> a\n> E\na\n", True, None),
    ("environment", "$ echo $HOME | grep -c /; echo $LC_ALL; echo \"[$NO_COLOR]\"\n1\nC.UTF-8\n[]\n",
     True, None),
    ("any_lines", "$ vibe '1\\n2\\n3\\n4\\n'\n1\n...\n4\n", True, None),
    ("any_no_lines", "$ vibe '1\\n'\n...\n1\n...\n", True, None),
    ("any_middle", "$ vibe '1\\n2\\n3\\n4\\n'\n...\n2\n...\n4\n", True, None),
    ("any_lacking", "$ vibe '1\\n2\\n'\n...\n3\n...\n", False, "$ vibe '1\\n2\\n'\n1\n2\n"),
    ("any_end", "$ vibe '1\\n2\\n'\n...\n1\n", False, "$ vibe '1\\n2\\n'\n1\n2\n"),
    ("any_not_twice", "$ vibe '1\\n'\n1\n...\n1\n", False, "$ vibe '1\\n'\n1\n"),
    ("wrong", "# why\n$ vibe 'a\\n'\nb\n\n$ vibe 'c\\n'\nc\n", False,
     "# why\n$ vibe 'a\\n'\na\n\n$ vibe 'c\\n'\nc\n"),
    ("lacking", "$ vibe 'a\\nb\\n'\na\n", False, "$ vibe 'a\\nb\\n'\na\nb\n"),
    ("too_much", "$ vibe 'a\\n'\na\nb\n", False, "$ vibe 'a\\n'\na\n"),
    ("wrong_exit", "$ vibe fail 2\nerror: fail\n[exit 1]\n", False,
     "$ vibe fail 2\nerror: fail\n[exit 2]\n"),
    ("exit_not_expected", "$ vibe fail 2\nerror: fail\n", False,
     "$ vibe fail 2\nerror: fail\n[exit 2]\n"),
    ("space_at_end", "$ vibe 'a \\n'\na\n", False, "$ vibe 'a \\n'\na \n"),
]


class RunTranscripts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = temporary.name
        self.write("bin/vibe", PROGRAM)
        os.chmod(os.path.join(self.root, "bin/vibe"), 0o755)
        self.write("cli/files/given", "given\n")

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def run_script(self, *options):
        done = subprocess.run(
            [sys.executable, SCRIPT, "--vibe", os.path.join(self.root, "bin/vibe"), *options,
             os.path.join(self.root, "cli")],
            capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})
        return done.returncode, done.stdout + done.stderr

    def test_cases(self):
        for name, transcript, right, updated in CASES:
            with self.subTest(name):
                self.write("cli/a.txt", transcript)
                code, output = self.run_script()
                self.assertEqual(code, 0 if right else 1, output)
                self.assertEqual(self.read("cli/a.txt"), transcript)
                code, output = self.run_script("--update")
                self.assertEqual(code, 0, output)
                self.assertEqual(self.read("cli/a.txt"), transcript if updated is None else updated)
                code, output = self.run_script()
                self.assertEqual(code, 0, output)

    def test_shows_the_difference(self):
        self.write("cli/a.txt", "# x\n$ vibe 'a\\n'\nb\n")
        code, output = self.run_script()
        self.assertEqual(code, 1)
        for part in ("a.txt:2: $ vibe", "\n-b\n", "\n+a\n", "1 commands in 1 files, 1 not as"):
            self.assertIn(part, output)

    def test_refuses_output_that_would_not_read_back(self):
        transcript = "$ vibe 'a\\n\\n$ b\\n'\n"
        self.write("cli/a.txt", transcript)
        code, _ = self.run_script("--update")
        self.assertEqual(code, 1)
        self.assertEqual(self.read("cli/a.txt"), transcript)

    def test_no_transcripts_is_not_a_pass(self):
        code, output = self.run_script()
        self.assertEqual(code, 1, output)

    def test_a_transcript_without_commands_is_not_a_pass(self):
        self.write("cli/a.txt", "# nothing\n")
        code, output = self.run_script()
        self.assertEqual(code, 1, output)


if __name__ == "__main__":
    unittest.main()
