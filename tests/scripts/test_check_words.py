#!/usr/bin/python3
"""scripts/check_words.py finds each phrase in comments, strings and pages, and nothing in code."""

import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(SOURCE, "scripts", "check_words.py")

# name, file, its text, the complaints: line and phrase
CASES = [
    ("good_message", "a.cpp", 'fail("`x` is not a number", "there is no default");', []),
    ("is_no", "a.cpp", 'fail("`x` is no number");', [(1, "is no ")]),
    ("no_longer", "a.cpp", "// It is no longer there, and is no more than a hint.", []),
    ("comment", "a.h", "int x;\n// The dearest of them.", [(2, "dearest")]),
    ("split_string", "a.cpp", '"this goes on "\n  "with the rest"', [(1, "goes on with")]),
    ("split_comment", "a.cpp", "// One\n// run is told\n// by it.", [(2, "told by")]),
    ("code", "a.cpp", "int anew = mended(where);", []),
    ("character", "a.cpp", "char c = '\"'; int anew = '\"';", []),
    ("raw_string", "a.cpp", 'auto x = R"(one\nis no number)";', [(1, "is no ")]),
    ("where_clause", "a.h", "// Where it is unknown, it is left out.", [(1, "Where it is unknown,")]),
    ("where_in_sql", "a.cpp", 'query("SELECT 1 WHERE NOT EXISTS (SELECT 2)");', []),
    ("where_place", "a.h", "// Where to look: the folder, then its parents. It says where it is.", []),
    ("clause_first", "a.md", "That a file can be written is checked.", [(1, "That a")]),
    ("tools", "a.md", "The calls of tools are counted.", [(1, "calls of tools")]),
    ("too", "a.md", "It is read, too.", [(1, ", too")]),
    ("too_much", "a.md", "It is, too often, wrong.", []),
    ("code_block", "a.md", "```\nis no file\n```\nText with `is no file` in it.", []),
    ("heading", "a.md", "# One\n\nfine\nthat is told by it\n", [(4, "told by")]),
    ("own", "a.md", "The text of its own messages is in a folder of its own.", [(1, "of its own")]),
    ("say", "a.sh", "say 'Fine. It goes on\n  with the rest.'\necho 'is no x'\n# is no y",
     [(1, "goes on with"), (4, "is no ")]),
    ("yaml", "a.yaml", "a: is no number\n# is no number", [(2, "is no ")]),
    ("guide", "CONTRIBUTING.md", "| before | after |\n|---|---|\n| is no x | is not an x |\n\nnot \"is no z\"\nis no y",
     [(6, "is no ")]),
]


def run(name, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.replace(path, name)


class CheckWords(unittest.TestCase):
    def test_cases(self):
        for name, file, text, complaints in CASES:
            with self.subTest(name):
                code, output = run(file, text)
                self.assertEqual(code, 1 if complaints else 0, output)
                self.assertIn(f"{len(complaints)} phrases", output)
                for line, phrase in complaints:
                    self.assertRegex(output, rf"(?m)^{file}:{line}: .*{phrase.strip()}")

    def test_nothing_to_look_at_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
