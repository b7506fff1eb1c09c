#!/usr/bin/env python3
"""JSON Schema's official test suite (draft 2020-12), as Debian's libtest-json-schema-acceptance-perl has it.

Every required case comes out as it should, but those of the files below, where a schema that is
not supported has to be refused, never judged wrongly. docs/checks.md shows the same list. Of the optional
cases, those of formats and regular expressions are held to the same. Needs VIBE_BUILD and VIBE_SOURCE.
"""
import json
import os
import pathlib
import re
import subprocess
import unittest

SUITE = pathlib.Path("/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12")
TOOL = pathlib.Path(os.environ["VIBE_BUILD"]) / "tests" / "tools" / "schema_cases"
PAGE = pathlib.Path(os.environ["VIBE_SOURCE"]) / "docs" / "checks.md"

# File -> what those of its schemas do that are refused, and how many cases these have.
UNSUPPORTED = {
    "dynamicRef": ("refer to other documents", 11),
    "refRemote": ("refer to other documents", 29),
    "unknownKeyword": ("have unknown keywords", 3),
    "vocabulary": ("have their own metaschema", 5),
}
OPTIONAL_UNSUPPORTED = {
    "format/idn-hostname": ("this format is not supported", 51),
    "format/unknown": ("has a format that there is not", 7),
}
OPTIONAL = ["bignum", "ecmascript-regex", "float-overflow", "non-bmp-regex"]
# RE2 takes `\\a` for the bell.
KNOWN_WRONG = [("ecmascript-regex", "\\a is not an ECMA 262 control escape")]


def run(files, *options):
    """The number of cases, and those that failed, by file."""
    lines = subprocess.run([TOOL, *options, *files], capture_output=True, text=True, check=True).stdout.splitlines()
    *failed, summary = [json.loads(line) for line in lines]
    by_file = {}
    for case in failed:
        by_file.setdefault(pathlib.Path(case["file"]).stem, []).append(case)
    assert summary["failed"] == len(failed)
    return summary["cases"], by_file


class Official(unittest.TestCase):
    def check(self, failed, unsupported):
        for file, cases in failed.items():
            for case in cases:
                if (file, case["schema"]) in KNOWN_WRONG:
                    continue
                with self.subTest(file=file, schema=case["schema"], test=case["test"]):
                    self.assertIn(file, unsupported, case["message"])
                    self.assertTrue(case["message"].startswith("not compiled: "), case["message"])
        self.assertEqual({name: len(failed.get(name, [])) for name in unsupported},
                         {name: count for name, (_, count) in unsupported.items()})

    def test_required(self):
        cases, failed = run(sorted(SUITE.glob("*.json")))
        self.assertGreaterEqual(cases, 1176)
        self.check(failed, UNSUPPORTED)

    def test_formats(self):
        cases, failed = run(sorted((SUITE / "optional" / "format").glob("*.json")), "--formats")
        self.assertGreater(cases, 400)
        self.check(failed, {name.removeprefix("format/"): row for name, row in OPTIONAL_UNSUPPORTED.items()})

    def test_other_optional_ones(self):
        cases, failed = run([SUITE / "optional" / f"{name}.json" for name in OPTIONAL], "--formats")
        self.assertGreater(cases, 80)
        self.check(failed, {})

    def test_the_page_has_the_list(self):
        section = PAGE.read_text().partition("<!-- unsupported -->")[2].partition("<!-- end -->")[0]
        rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (\d+) \|$", section, re.M)
        self.assertEqual({name: (why, int(count)) for name, why, count in rows}, UNSUPPORTED)


if __name__ == "__main__":
    unittest.main()
