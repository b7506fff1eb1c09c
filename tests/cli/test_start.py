#!/usr/bin/env python3
"""First steps: `vibe init` writes suites that validate, `vibe doctor` reports what is wrong. Needs VIBE."""
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()


class Start(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}

    def vibe(self, *words, code=0, **environment):
        """Standard output and error of a command that ends with that code."""
        done = subprocess.run([VIBE, *words], cwd=self.folder, env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_a_suite_of_any_name_validates(self):
        names = ["plain", "a b", "a: b", "a #b", "it's", 'say "hi"', "back\\slash", "- list", "*star", "&anchor",
                 "!tag", "{map}", "{{column}}", "[list]", "%percent", "@at", "`tick`", "yes", "null", "true", "1.5",
                 "0x10", "1e3", "~", " blank ", " ", "größe", "日本", "\N{GRINNING FACE}", "new\nline", "tab\tbed",
                 "\x07bell", "\x7f", "\u0085next", "\u2028line", "\u202eright", "trailing:"]
        for name in names:
            with self.subTest(name=name):
                self.vibe("init", f"./{name}.yaml")
                self.assertIn(": valid, 2 evals", self.vibe("validate", "--strict", f"./{name}.yaml"))

    def test_a_suite_is_called_as_its_file(self):
        self.vibe("init", "it's: \u2028mine.yaml")
        text = (self.folder / "it's: \u2028mine.yaml").read_text()
        self.assertIn('  name: "it\'s: \\U00002028mine"\n', text)
        self.vibe("set", "suite", "-f", "it's: \u2028mine.yaml")
        suites = json.loads(self.vibe("get", "suites", "--json"))["suites"]
        self.assertEqual([suite["name"] for suite in suites], ["it's: \u2028mine"])
        self.vibe("init", "plain-1.yaml")
        self.assertIn("  name: plain-1\n", (self.folder / "plain-1.yaml").read_text())

    def test_the_comment_names_the_path(self):
        (self.folder / "my suites").mkdir()
        out = self.vibe("init", "my suites/first.yml")
        text = (self.folder / "my suites/first.yml").read_text()
        self.assertIn("# `vibe validate 'my suites/first.yml'` checks it", text)
        self.assertIn("  vibe check 'my suites/first.yml'\n", out)

    def test_a_model_of_any_name_validates(self):
        for model in ("openai/gpt-4o-mini", "exec:cat", "exec:sh -c 'cat; : #'", 'exec:echo "a: b"'):
            with self.subTest(model=model):
                self.vibe("init", "--force", VIBECHECK_MODEL=model)
                self.assertIn(": valid, 2 evals", self.vibe("validate", "--strict", "suite.yaml"))

    def test_a_file_that_is_there_is_left_alone(self):
        self.vibe("init")
        (self.folder / "suite.yaml").write_text("mine\n")
        self.assertIn("error: `suite.yaml` already exists [E0503]", self.vibe("init", code=2))
        self.assertEqual((self.folder / "suite.yaml").read_text(), "mine\n")
        self.vibe("init", "--force")
        self.vibe("validate", "suite.yaml")

    def test_what_cannot_be_written_is_no_misuse(self):
        self.assertIn("error: cannot write `missing/suite.yaml`: ", self.vibe("init", "missing/suite.yaml", code=3))

    def test_doctor_uses_the_master_key_of_the_environment(self):
        key = {"VIBECHECK_MASTER_KEY": "ab" * 32}
        self.vibe("set", "secret", "key", "s3cret", **key)
        self.assertIn("ok   secrets: 1 stored", self.vibe("doctor", "--offline", **key))
        self.assertIn("bad  secrets: ", self.vibe("doctor", "--offline", code=3))
        self.assertIn("`VIBECHECK_MASTER_KEY` is not a valid key",
                      self.vibe("doctor", "--offline", code=3, VIBECHECK_MASTER_KEY="short"))

    def test_doctor_reports_secrets_that_cannot_be_read(self):
        self.vibe("set", "secret", "key", "s3cret")
        self.assertIn("ok   secrets: 1 stored", self.vibe("doctor", "--offline"))
        store = sqlite3.connect(self.folder / ".vibecheck" / "vibecheck.db")
        store.execute("DROP TABLE secrets")
        store.close()
        out = self.vibe("doctor", "--offline", code=3)
        self.assertIn("bad  secrets: cannot be read", out)
        self.assertIn("secrets", out.split("Something is wrong")[1])


if __name__ == "__main__":
    unittest.main()
