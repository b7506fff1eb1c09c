#!/usr/bin/python3
"""scripts/check_layers.py accepts what its tables allow, and names every breach and everything unused."""

import os
import re
import runpy
import shutil
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
    ("core_needs_core", "src/score/a.cpp", '#include "base/text.h"', None),
    ("agents_need_core", "src/base/yaml_a.cpp", '#include "base/text.h"', None),
    ("core_not_agents", "src/score/a.cpp", '#include "base/yaml.h"',
     "src/score/a.cpp:1: `base/yaml.h` is in `vibe_agents`, which `vibe_core` must not need"),
    ("core_of_base_not_rest", "src/base/text.cpp", '#include "base/crypto.h"',
     "`base/crypto.h` is in `vibecheck`, which `vibe_core` must not need"),
    ("agents_not_rest", "src/fitness/a.cpp", '#include "base/process.h"',
     "`base/process.h` is in `vibecheck`, which `vibe_agents` must not need"),
    ("angle_brackets", "src/base/a.cpp", "#include <base/text.h>", "`<base/text.h>` is ours"),
    ("no_folder", "src/base/a.cpp", '#include "text.h"', 'write `"base/text.h"`'),
    ("parent", "src/base/a.cpp", '#include "../cli/a.h"', "is not a path from src/"),
    ("yaml_elsewhere", "src/suite/a.cpp", "#include <yaml.h>",
     "`yaml.h` may be included only in src/base/yaml.cpp"),
    ("yaml_in_header", "src/base/yaml.h", "#include <yaml.h>", "src/base/yaml.h:1: `yaml.h`"),
    ("utf8proc_elsewhere", "src/base/a.cpp", "#include <utf8proc.h>",
     "`utf8proc.h` may be included only in src/base/text.cpp"),
    ("simdjson_elsewhere", "src/base/a.cpp", "#include <simdjson.h>", "`simdjson.h` may be included only in"),
    ("re2_elsewhere", "src/base/a.cpp", "#include <re2/re2.h>",
     "`re2/re2.h` may be included only in src/check/pattern.cpp"),
    ("unknown_library", "src/base/a.cpp", "#include <boost/json.hpp>",
     "`boost/json.hpp` is of a library without a row"),
    ("version_elsewhere", "src/cli/a.cpp", '#include "vibe_version.h"',
     "`vibe_version.h` may be included only in src/cli/version.cpp"),
    ("unknown_folder", "src/helpers/a.cpp", "", "src/helpers/a.cpp:1: `helpers` has no row"),
    ("no_folder_of_src", "src/a.cpp", "", "src/a.cpp:1: is in no folder of src/"),
]


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def write(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


class CheckLayers(unittest.TestCase):
    def test_cases(self):
        for name, path, text, complaint in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as root:
                write(root, path, text)
                code, output = run("--includes", root)
                if complaint is None:
                    self.assertEqual((code, output), (0, "layers: 1 files, 0 wrong\n"))
                else:
                    self.assertEqual(code, 1, output)
                    self.assertIn(complaint, output)
                    self.assertIn("layers: 1 files, 1 wrong\n", output)

    def test_reports_all(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, "src/base/a.h", '#include "app/a.h"\n#include "cli/a.h"')
            write(root, "src/score/b.h", '#include "report/b.h"')
            code, output = run("--includes", root)
        self.assertEqual(code, 1)
        for place in ("src/base/a.h:1:", "src/base/a.h:2:", "src/score/b.h:1:"):
            self.assertIn(place, output)

    def test_an_empty_tree_is_not_a_pass(self):
        with tempfile.TemporaryDirectory() as root:
            code, output = run(root)
        self.assertEqual((code, output), (1, "layers: no sources found\n"))


class Unused(unittest.TestCase):
    """Each on a copy of the project from which something is gone."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        shutil.copytree(os.path.join(SOURCE, "src"), os.path.join(self.root, "src"))
        shutil.copy(os.path.join(SOURCE, "ARCHITECTURE.md"), self.root)

    def without_lines(self, folder, part):
        """Removes the lines of src/folder/ that contain `part`."""
        for directory, _, names in os.walk(os.path.join(self.root, "src", folder)):
            for name in names:
                path = os.path.join(directory, name)
                lines = read(self.root, path).splitlines()
                write(self.root, path, "\n".join(line for line in lines if part not in line))

    def complaint(self):
        code, output = run(self.root)
        self.assertEqual(code, 1, output)
        return output

    def test_the_project_passes(self):
        code, output = run(self.root)
        self.assertEqual(code, 0, output)

    def test_an_edge(self):
        self.without_lines("trace", '#include "price/')
        self.assertRegex(self.complaint(),
                         r"^scripts/check_layers.py:\d+: no file of src/trace/ includes `price`; remove it from the row\n")

    def test_a_place_of_a_library(self):
        self.without_lines("base", "#include <zstd")
        output = self.complaint()
        self.assertIn("zstd is not included in `src/base/unpacker.cpp`; remove it from the row\n", output)
        self.assertIn("no file of `vibe_agents` includes `zstd`; remove it from the row\n", output)

    def test_a_file_of_a_target(self):
        os.remove(os.path.join(self.root, "src/base/zip.cpp"))
        os.remove(os.path.join(self.root, "src/base/zip.h"))
        self.assertIn("src/ has no file `base/zip`; remove it here and from CMakeLists.txt\n", self.complaint())

    def test_a_map_of_another_day(self):
        text = read(self.root, "ARCHITECTURE.md")
        write(self.root, "ARCHITECTURE.md", text.replace("| `src/trace/` |", "| `src/traces/` |"))
        self.assertIn("run `scripts/check_layers.py --update`\n", self.complaint())


class Tables(unittest.TestCase):
    def setUp(self):
        self.script = runpy.run_path(SCRIPT)

    def test_the_map_has_them(self):
        text = read(SOURCE, "ARCHITECTURE.md")
        self.assertEqual(text, self.script["with_tables"](text), "run scripts/check_layers.py --update")
        _, printed = run("--table", "folders")
        self.assertIn(printed, text)

    def test_each_folder_is_below_those_that_include_it(self):
        seen = []
        for name, folder in self.script["FOLDERS"].items():
            self.assertEqual([other for other in folder.may_include if other not in seen], [], name)
            seen.append(name)

    def test_cmake_has_the_same_files(self):
        text = read(SOURCE, "CMakeLists.txt")
        targets = dict(self.script["TARGETS"])
        self.assertEqual(targets.pop("vibecheck").files, ["*"])
        lists = {name: files.split() for name, files in re.findall(r"^set\((\w+)_files\s+([^)]*)\)", text, re.M)}
        self.assertEqual(lists, {name: target.files for name, target in targets.items()})


if __name__ == "__main__":
    unittest.main()
