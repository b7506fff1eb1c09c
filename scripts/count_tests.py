#!/usr/bin/python3
"""Sums up JUnit files of ctest in one line; exit 1 unless every test passed."""

import sys
import xml.etree.ElementTree as ElementTree


def main(paths):
    run = failed = skipped = 0
    for path in paths:
        try:
            suite = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            print(f"tests: {path} cannot be read: {error}")
            return 1
        left_out = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
        run += int(suite.get("tests", 0)) - left_out
        failed += int(suite.get("failures", 0))
        skipped += left_out
    print(f"tests: {run} run, {run - failed} passed, {failed} failed, {skipped} skipped")
    return 0 if run > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
