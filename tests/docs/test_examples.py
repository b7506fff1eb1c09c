#!/usr/bin/env python3
"""The examples in README.md and docs/ are true.

- ```console blocks are transcripts: each `$ ` command gives the output below it, byte by
  byte. They run in a folder that holds `examples` and, as `results.jsonl`, the document's
  ```jsonl block.
- ```formula blocks hold lines `expression => value` over that file; `undefined` is a value.

--update writes the output seen into the console blocks; read the difference before you keep
it. Needs VIBE and VIBE_SOURCE.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests"))
import run_transcripts  # noqa: E402

ENVIRONMENT = {"PATH": f"{VIBE.parent}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
               **{name: os.environ[name] for name in run_transcripts.KEPT_VARIABLES if name in os.environ}}


def documents():
    return sorted((SOURCE / "docs").glob("*.md")) + [SOURCE / "README.md", SOURCE / "ARCHITECTURE.md"]


def blocks(text, language):
    return re.compile(rf"(?<=^```{language}\n).*?(?=^```$)", re.S | re.M).finditer(text)


def prepare(folder, text):
    os.symlink(SOURCE / "examples", folder / "examples")
    for block in blocks(text, "jsonl"):
        (folder / "results.jsonl").write_text(block[0])
        break


def run_block(text, folder):
    """What a console block should be, as far as `...` does not say."""
    preface, commands = run_transcripts.parse(text.removesuffix("\n").split("\n"))
    for command in commands:
        seen = run_transcripts.run(command.command, folder, {**ENVIRONMENT, "HOME": str(folder)})
        if not run_transcripts.matches(command.expected, seen):
            command.expected = seen
    return "\n".join(run_transcripts.unparse(preface, commands)) + "\n", len(commands)


def checked(path):
    """The document with the output seen, and how many commands it has."""
    text, count = path.read_text(), 0
    with tempfile.TemporaryDirectory() as name:
        prepare(pathlib.Path(name), text)
        out, end = "", 0
        for block in blocks(text, "console"):
            shown, ran = run_block(block[0], pathlib.Path(name))
            out += text[end:block.start()] + shown
            end, count = block.end(), count + ran
        return out + text[end:], count


class Examples(unittest.TestCase):
    maxDiff = None

    def test_consoles(self):
        total = 0
        for path in documents():
            with self.subTest(path=path.name):
                seen, count = checked(path)
                self.assertEqual(path.read_text(), seen, "run tests/docs/test_examples.py --update")
                total += count
        self.assertGreater(total, 10)

    def test_formulas(self):
        total = 0
        for path in documents():
            text = path.read_text()
            with tempfile.TemporaryDirectory() as name:
                prepare(pathlib.Path(name), text)
                for block in blocks(text, "formula"):
                    for line in block[0].splitlines():
                        expression, arrow, value = line.partition(" => ")
                        if not arrow:
                            self.assertEqual(line.strip(), "", f"{path.name}: not a line of formula => value")
                            continue
                        total += 1
                        with self.subTest(path=path.name, line=line):
                            self.check_formula(name, expression.strip(), value.strip())
        self.assertGreater(total, 40)

    def check_formula(self, folder, expression, value):
        done = subprocess.run([VIBE, "score", "results.jsonl", "--json", f"--formula={expression}"], cwd=folder,
                              env=ENVIRONMENT, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 2, done.stderr)
        score = json.loads(done.stdout)["score"]
        if value == "undefined":
            self.assertIsNone(score)
        else:
            self.assertIsNotNone(score)
            self.assertAlmostEqual(score, float(value), places=9)


if __name__ == "__main__":
    if "--update" in sys.argv:
        for document in documents():
            document.write_text(checked(document)[0])
    else:
        unittest.main()
