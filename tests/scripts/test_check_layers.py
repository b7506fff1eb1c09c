#!/usr/bin/python3
"""scripts/check_layers.py accepts what the tables allow and names every breach."""

import os
import re
import runpy
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(SOURCE, "scripts", "check_layers.py")

# name, file, its text, what the complaint must say (None: there is none)
CASES = [
    ("own_folder", "src/formula/a.cpp", '#include "formula/a.h"', None),
    ("downwards", "src/formula/a.cpp", '#include "base/text.h"', None),
    ("standard", "src/base/a.cpp", "#include <vector>", None),
    ("posix", "src/base/a.cpp", "#include <sys/stat.h>", None),
    ("fmt_anywhere", "src/report/a.cpp", "#include <fmt/format.h>", None),
    ("yaml_at_home", "src/base/yaml.cpp", "#include <yaml.h>", None),
    ("re2_at_home", "src/check/pattern.cpp", "#include <re2/re2.h>", None),
    ("version_at_home", "src/cli/version.cpp", '#include "vibe_version.h"', None),
    ("comment", "src/base/a.cpp", '// #include "cli/a.h"', None),
    ("upwards", "src/base/a.h", '\n#include "formula/tree.h"',
     "src/base/a.h:2: `base` includes `formula/tree.h`; it may include nothing else"),
    ("sideways", "src/formula/a.cpp", '#include "check/a.h"',
     "src/formula/a.cpp:1: `formula` includes `check/a.h`; it may include `base`"),
    ("spaces", "src/suite/a.cpp", '  #  include   "cli/a.h"', "`suite` includes `cli/a.h`"),
    ("app_not_cli", "src/app/a.cpp", '#include "cli/a.h"', "`app` includes `cli/a.h`"),
    ("cli_not_check", "src/cli/a.cpp", '#include "check/a.h"', "`cli` includes `check/a.h`"),
    ("angle_brackets", "src/base/a.cpp", "#include <base/text.h>", "`<base/text.h>` is ours"),
    ("no_folder", "src/base/a.cpp", '#include "text.h"', 'write `"base/text.h"`'),
    ("parent", "src/base/a.cpp", '#include "../cli/a.h"', "is not a path from src/"),
    ("yaml_elsewhere", "src/suite/a.cpp", "#include <yaml.h>",
     "`yaml.h` is known to src/base/yaml.cpp alone"),
    ("yaml_in_header", "src/base/yaml.h", "#include <yaml.h>", "src/base/yaml.h:1: `yaml.h`"),
    ("utf8proc_elsewhere", "src/base/a.cpp", "#include <utf8proc.h>",
     "`utf8proc.h` is known to src/base/text.cpp alone"),
    ("simdjson_elsewhere", "src/base/a.cpp", "#include <simdjson.h>", "`simdjson.h` is known to"),
    ("re2_elsewhere", "src/base/a.cpp", "#include <re2/re2.h>",
     "`re2/re2.h` is known to src/check/pattern.cpp alone"),
    ("unknown_library", "src/base/a.cpp", "#include <boost/json.hpp>",
     "`boost/json.hpp` is of a library without a row"),
    ("version_elsewhere", "src/cli/a.cpp", '#include "vibe_version.h"',
     "`vibe_version.h` is for src/cli/version.cpp alone"),
    ("unknown_folder", "src/helpers/a.cpp", "", "src/helpers/a.cpp:1: `helpers` has no row"),
    ("no_folder_of_src", "src/a.cpp", "", "src/a.cpp:1: lies in no folder of src/"),
]


def run(root, *files):
    for path, text in files:
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout


class CheckLayers(unittest.TestCase):
    def test_cases(self):
        for name, path, text, complaint in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as root:
                code, output = run(root, (path, text))
                if complaint is None:
                    self.assertEqual((code, output), (0, "layers: 1 files, 0 wrong\n"))
                else:
                    self.assertEqual(code, 1, output)
                    self.assertIn(complaint, output)
                    self.assertIn("layers: 1 files, 1 wrong\n", output)

    def test_reports_all(self):
        with tempfile.TemporaryDirectory() as root:
            code, output = run(root, ("src/base/a.h", '#include "app/a.h"\n#include "cli/a.h"'),
                               ("src/score/b.h", '#include "report/b.h"'))
        self.assertEqual(code, 1)
        for place in ("src/base/a.h:1:", "src/base/a.h:2:", "src/score/b.h:1:"):
            self.assertIn(place, output)

    def test_the_map_has_the_same_table(self):
        with open(os.path.join(SOURCE, "ARCHITECTURE.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `src/(\w+)/` \|.*\| (.*?) \|$", file.read(), re.MULTILINE)
        written = {folder: set() if allowed == "–" else set(allowed.split(", ")) for folder, allowed in rows}
        layers = runpy.run_path(SCRIPT)["LAYERS"]
        self.assertEqual(written, {folder: set(allowed) for folder, allowed in layers.items()})

    def test_an_empty_tree_is_not_a_pass(self):
        with tempfile.TemporaryDirectory() as root:
            code, output = run(root)
        self.assertEqual((code, output), (1, "layers: no sources found\n"))


if __name__ == "__main__":
    unittest.main()
