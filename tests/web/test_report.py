#!/usr/bin/env python3
"""The HTML report in a browser: nothing scrolls sideways, runs, loads or is out of reach for those
who do not see it, at a desk and on a telephone, by day and by night.

Needs Chromium, playwright-core and axe-core (`scripts/setup.sh test`). VIBE_SCREENSHOTS names a
folder that gets the pictures.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
DRIVER = pathlib.Path(os.environ["VIBE_BUILD"]) / "tests" / "tools" / "report_driver"
RECORDINGS = "replay:examples/recordings/small.jsonl,replay:examples/recordings/large.jsonl"


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "report.html"

    def check(self, *options):
        """The report of the demo's suite."""
        done = subprocess.run([VIBE, "check", "examples/support.yaml", "-q", "--html", self.page, *options],
                              cwd=SOURCE, env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)},
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def drive(self, *words):
        with open(self.page, "wb") as file:
            subprocess.run([DRIVER, *words], stdout=file, stderr=subprocess.DEVNULL, check=True, timeout=60)

    def browse(self, name, *options):
        pictures = os.environ.get("VIBE_SCREENSHOTS")
        if pictures:
            pictures = pathlib.Path(pictures) / name
            pictures.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["node", SOURCE / "tests" / "web" / "browse.mjs", self.page, *options,
                               *([pictures] if pictures else [])],
                              env={**os.environ, "HOME": str(self.folder)}, capture_output=True, text=True,
                              timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        views = json.loads(done.stdout)
        self.assertEqual(len(views), 5)
        for view in views:
            with self.subTest(report=name, view=view["view"]):
                self.assertEqual(view["problems"], [])
        return views[-1]["counts"]

    def test_demo(self):
        self.check()
        self.assertEqual(self.browse("demo"), {"only-all": 8, "only-others": 2, "only-passed": 6})

    def test_two_models(self):
        self.check("-m", RECORDINGS)
        self.browse("models")

    def test_hostile_answers(self):
        self.drive("hostile", "html")
        self.browse("hostile")

    def test_large_run(self):
        self.drive("large", "html", "5000")
        self.assertLess(self.page.stat().st_size, 16 << 20)
        self.assertEqual(self.browse("large", "--as-it-is"),
                         {"only-all": 5000, "only-others": 547, "only-passed": 4453})

    def test_executions(self):
        self.drive("executions", "html", "24")
        self.assertEqual(self.browse("executions"), {"executions": 24})

    def test_hostile_executions(self):
        self.drive("hostile-executions", "html")
        self.assertEqual(self.browse("hostile-executions"), {"executions": 6})

    def test_many_executions(self):
        self.drive("executions", "html", "1000")
        self.assertEqual(self.browse("many-executions", "--as-it-is"), {"executions": 1000})


if __name__ == "__main__":
    unittest.main()
