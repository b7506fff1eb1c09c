#!/usr/bin/python3
"""vibe_core by itself: a program that links nothing else, in this build and in another project."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["VIBE_BUILD"])
PROGRAM = BUILD / "tests" / "tools" / "score_samples"

FORMULA = "100 * math - total_cost"
SCORED = """\
score 49
  = 50 - 1
  ├─ 100 * math = 50
  │    math = 0.5
  └─ total_cost = $1
"""
WRONG = """\
formula:1:12: error: no eval name matches `größe*` [E0116]
  mean(cost, "größe*") + mat
             ^^^^^^^^
  hint: a glob matches the whole name, and is case-sensitive
formula:1:24: error: unknown variable `mat` [E0101]
  mean(cost, "größe*") + mat
                         ^^^
  hint: did you mean `math`?
"""


def run(program, formula):
    done = subprocess.run([program, formula], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Core(unittest.TestCase):
    def test_scores_and_explains(self):
        self.assertEqual(run(PROGRAM, FORMULA), (0, SCORED))

    def test_says_why_there_is_no_score(self):
        code, output = run(PROGRAM, "1 / (math - 0.5)")
        self.assertEqual((code, output.splitlines()[-1]), (
            0, 'no score: division by zero: math - 0.5 is 0 (math is 0.5) in "1 / (math - 0.5)"'))

    def test_says_what_is_wrong_with_a_formula(self):
        self.assertEqual(run(PROGRAM, 'mean(cost, "größe*") + mat'), (1, WRONG))

    def test_links_fmt_and_utf8proc_alone(self):
        rules = (BUILD / "build.ninja").read_text()
        link = re.search(r"^build tests/tools/score_samples:.*?^  LINK_LIBRARIES = (.*?)$", rules, re.M | re.S)
        names = {pathlib.Path(word).name.split(".")[0] for word in link[1].split() if not word.startswith("-Wl,")}
        self.assertEqual(names, {"libvibe_core", "libfmt", "libutf8proc"})

    def test_another_project_embeds_it(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in (["cmake", "-G", "Ninja", "-S", HERE, "-B", folder, "-DVIBE_UNITY=ON"],
                            ["cmake", "--build", folder]):
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(run(os.path.join(folder, "score_samples"), FORMULA), (0, SCORED))


if __name__ == "__main__":
    unittest.main()
