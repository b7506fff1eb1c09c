#!/usr/bin/python3
"""Sums up the JUnit files of ctest and of the unit tests in one line; exits 1 unless all passed.

For ctest, a unit test process is one test: its own file counts its tests.
"""

import sys
import xml.etree.ElementTree as ElementTree

UNIT_TESTS = "unit_tests_"


def main(paths):
    run = failed = skipped = 0
    processes = files = 0  # for unit tests
    for path in paths:
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError) as error:
            print(f"tests: {path} cannot be read: {error}")
            return 1
        files += UNIT_TESTS in path
        for case in root.iter("testcase"):
            if case.get("name").startswith(UNIT_TESTS):
                processes += 1
            elif case.get("status") in ("disabled", "notrun") or case.find("skipped") is not None:
                skipped += 1
            else:
                run += 1
                failed += case.find("failure") is not None
    if files != processes:  # a process that crashes writes no file
        print(f"tests: {processes} processes ran unit tests, but only {files} wrote results")
        return 1
    print(f"tests: {run} run, {run - failed} passed, {failed} failed, {skipped} skipped")
    return 0 if run > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
