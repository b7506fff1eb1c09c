#!/usr/bin/python3
"""The program behind `make coverage-table`: it writes its tables into a document, and docs/statistics.md has them all.
Needs VIBE_BUILD and VIBE_SOURCE.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(os.environ["VIBE_BUILD"]) / "simulation" / "coverage_table"
DOCUMENT = pathlib.Path(os.environ["VIBE_SOURCE"]) / "docs" / "statistics.md"
PLACE = re.compile(r"<!-- simulated: (\S+) -->\n(.*?)<!-- end -->", re.S)
FIELD = re.compile(r"–|\d+(\.\d)?(–\d+(\.\d)?)?")


def simulate(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


class Tables(unittest.TestCase):
    def check_table(self, text):
        header, rule, *rows = [line.strip("|").split("|") for line in text.splitlines()]
        self.assertEqual(set(rule), {"---"})
        self.assertGreater(len(rows), 0)
        for row in rows:
            self.assertEqual(len(row), len(header), row)
            for field in row[1:]:
                self.assertRegex(field.strip(), FIELD)

    def test_writes_the_tables_that_it_simulates(self):
        before = DOCUMENT.read_text()
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "statistics.md")
            copy.write_text(before)
            done = simulate("--experiments", "2", "--only", "1 eval with 50 cases\t50 questions\t1 answer", copy)
            after = copy.read_text()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tables = dict(PLACE.findall(after))
        self.check_table(tables["other-suites"])
        self.assertIn("| 1 eval with 50 cases: `success_pct` | ", tables["other-suites"])
        self.assertEqual({**dict(PLACE.findall(before)), "other-suites": tables["other-suites"]}, tables)
        self.assertEqual(PLACE.sub("", before), PLACE.sub("", after))

    def test_does_not_depend_on_threads(self):
        for cells in ("plain\t5 questions\t2 answers\tworld 1", "pairs\t3 questions\t3 answers"):
            one, two = (simulate("--experiments", "3", "--threads", threads, "--only", cells) for threads in "12")
            self.assertEqual((one.returncode, one.stdout), (0, two.stdout))
            self.assertGreater(len(one.stdout), 100)

    def test_the_documentation_has_every_table(self):
        tables = PLACE.findall(DOCUMENT.read_text())
        self.assertGreater(len(tables), 0)
        for name, table in tables:
            with self.subTest(name):
                self.check_table(table)

    def test_says_what_is_wrong_before_it_simulates(self):
        with tempfile.NamedTemporaryFile() as empty:
            done = simulate(empty.name)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("has no place for a table", done.stderr)
        for wrong in (["--experiments", "0"], ["--experiments"], ["--fast", "1"], ["/nonexistent"]):
            done = simulate(*wrong)
            self.assertEqual((done.returncode, done.stdout), (2, ""), wrong)


if __name__ == "__main__":
    unittest.main()
