#!/usr/bin/env python3
"""The documentation says what the program does.

Tables between `<!-- table: NAME -->` and `<!-- end -->` are what docgen prints (`--update`
writes them, and adds a section to docs/checks.md for each check that has none), each of its tables stands somewhere, and every YAML block that is a whole suite
validates. Needs VIBE, VIBE_BUILD and VIBE_SOURCE.
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
DOCGEN = pathlib.Path(os.environ["VIBE_BUILD"]) / "tests" / "tools" / "docgen"
MARKER = re.compile(r"(<!-- table: (\S+) -->\n)(.*?)(<!-- end -->)", re.S)
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.S | re.M)


def documents():
    return [*sorted((SOURCE / "docs").glob("*.md")), SOURCE / "README.md"]


def docgen(*arguments):
    return subprocess.run([DOCGEN, *arguments], capture_output=True, text=True, check=True).stdout


def with_tables(text):
    return MARKER.sub(lambda match: match[1] + docgen(match[2]) + match[4], text)


def with_checks(text):
    """docs/checks.md with a section for every kind of check."""
    for name in docgen().split():
        if name.startswith("check:") and f"<!-- table: {name} -->" not in text:
            text += f"\n## `{name.removeprefix('check:')}`\n\n<!-- table: {name} -->\n<!-- end -->\n"
    return text


class Tables(unittest.TestCase):
    def test_they_are_what_docgen_prints(self):
        for path in documents():
            with self.subTest(path=path.name):
                text = path.read_text()
                self.assertEqual(text, with_tables(text), "run tests/suite/test_docs.py --update")

    def test_each_stands_somewhere(self):
        shown = {match[2] for path in documents() for match in MARKER.finditer(path.read_text())}
        self.assertEqual(set(docgen().split()) - shown, set(), "run tests/suite/test_docs.py --update")

    def test_markers_are_closed(self):
        for path in documents():
            text = path.read_text()
            self.assertEqual(text.count("<!-- table:"), len(MARKER.findall(text)), path.name)


class Suites(unittest.TestCase):
    def test_whole_suites_validate(self):
        count = 0
        for path in documents():
            for block in BLOCK.findall(path.read_text()):
                if not re.search(r"^evals:", block, re.M):
                    continue
                count += 1
                with self.subTest(path=path.name, block=block):
                    result = subprocess.run([os.environ["VIBE"], "validate", "-"], input=block, capture_output=True,
                                            text=True, cwd=SOURCE / "examples")
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                    self.assertNotIn("warning:", result.stdout + result.stderr)
        self.assertGreater(count, 0)


if __name__ == "__main__":
    if "--update" in sys.argv:
        page = SOURCE / "docs" / "checks.md"
        page.write_text(with_checks(page.read_text()))
        for path in documents():
            path.write_text(with_tables(path.read_text()))
    else:
        unittest.main()
