#!/usr/bin/python3
"""ARCHITECTURE.md names files and functions that exist."""

import os
import re
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILE = r"(?:[a-z_]+/)+[a-z_]+\.(?:h|cpp|c|py|mjs|yaml|csv|cmake|md|txt)"


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def real_path(path):
    """The path from the root of the project; None if there is no such file."""
    for root in ("", "src"):
        if os.path.isfile(os.path.join(SOURCE, root, path)):
            return os.path.join(root, path)
    return None


class Architecture(unittest.TestCase):
    def setUp(self):
        self.text = read("ARCHITECTURE.md")

    def test_every_file_exists(self):
        paths = sorted(set(re.findall(rf"`({FILE})`", self.text)))
        self.assertGreater(len(paths), 40)
        for path in paths:
            with self.subTest(path):
                self.assertIsNotNone(real_path(path))

    def test_every_step_of_a_trace_is_in_its_file(self):
        steps = re.findall(rf"^\| `({FILE})` \| ([^|]*) \| [^|]* \|$", self.text, re.MULTILINE)
        self.assertGreater(len(steps), 20)
        for path, names in steps:
            for name in re.findall(r"`([\w:]+)(?:\(\))?`", names):
                with self.subTest(path=path, name=name):
                    self.assertTrue(re.search(rf"\b{name.split('::')[-1]}\b", read(real_path(path))))

    def test_every_function_with_a_namespace_exists(self):
        names = sorted(set(re.findall(r"`((?:app|base|fitness|formula|score|store|trace|run|server)"
                                      r"(?:::\w+)+)(?:\(\))?`", self.text)))
        self.assertGreater(len(names), 10)
        for name in names:
            folder, *rest = name.split("::")
            sources = [read(os.path.join(directory, file))
                       for directory, _, files in os.walk(os.path.join(SOURCE, "src", folder))
                       for file in files if file.endswith((".h", ".cpp"))]
            for part in rest:
                with self.subTest(name=name, part=part):
                    self.assertTrue(any(re.search(rf"\b{part}\b", source) for source in sources))

    def test_every_other_function_exists(self):
        names = sorted(set(re.findall(r"`([a-z_]+)\(\)`", self.text)))
        self.assertGreater(len(names), 10)
        sources = [read(os.path.join(directory, file))
                   for directory, _, files in os.walk(os.path.join(SOURCE, "src"))
                   for file in files if file.endswith((".h", ".cpp"))]
        for name in names:
            with self.subTest(name=name):
                self.assertTrue(any(re.search(rf"\b{name}\(", source) for source in sources))


if __name__ == "__main__":
    unittest.main()
