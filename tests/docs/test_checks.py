#!/usr/bin/env python3
"""The example of every check does what docs/checks.md says: a run judges by it, and it can both pass and fail.

The page's sections are made from the table of checks, so that a check that is added there is found
here, too. Needs VIBE and VIBE_SOURCE.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
PAGE = SOURCE / "docs" / "checks.md"
SECTION = re.compile(r"<!-- table: check:(\w+) -->\n(.*?)<!-- end -->", re.S)
NOT_YET = "a run cannot judge by it yet"

# Kind -> an answer that its example passes, and one that it fails. An answer is a text, or a
# text with the fields of a recorded answer.
ANSWERS = {
    "equals": (" 42\n", "43"),
    "glob": ("model [0-9]", "5"),
    "json": ('```json\n{"city": "Paris"}\n```', '{"country": "France"}'),
    "match": ("It is 105.", "It is 106."),
    "max_cost": ({"text": "a", "cost": {"total": 0.001}}, {"text": "a", "cost": {"total": 0.003}}),
    "max_latency": ({"text": "a", "latency": 1.5}, {"text": "a", "latency": 3}),
    "max_tokens": ("few words", "many " * 60),
    "min_tokens": ("one two three four five six", "one"),
    "not_match": ("Gladly.", "SORRY, no."),
    "or": ("an azure sky", "a grey sky"),
    "regex": ("see prj-17", "see prj-x"),
}


def sections():
    return dict(SECTION.findall(PAGE.read_text()))


def example(section):
    return re.search(r"^```yaml\nchecks:\n(.*?)^```$", section, re.S | re.M)[1]


class Checks(unittest.TestCase):
    def test_each_judged_kind_has_answers(self):
        judged = {name for name, section in sections().items() if NOT_YET not in section}
        self.assertEqual(judged - set(ANSWERS), set(), "give an answer that passes and one that fails")

    def test_examples_pass_and_fail(self):
        found = sections()
        self.assertGreater(len(found), 10)
        for name in sorted(set(found) & set(ANSWERS)):
            with self.subTest(check=name):
                self.assertEqual(self.verdicts(name, example(found[name])), ["pass", "fail"])

    def verdicts(self, name, checks):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            lines = [{"vibecheck_recording": 1, "model": "example/any"}]
            suite = "metadata: {name: example, model: 'replay:answers.jsonl'}\nevals:\n"
            for prompt, answer in zip(("passes", "fails"), ANSWERS[name]):
                lines.append({"prompt": prompt, "answer": answer if isinstance(answer, dict) else {"text": answer}})
                suite += f"  - name: {prompt}\n    prompt: {prompt}\n    checks:\n"
                suite += "".join(f"    {line}\n" for line in checks.splitlines())
            (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            (folder / "suite.yaml").write_text(suite)
            done = subprocess.run([VIBE, "check", "suite.yaml", "--json"], cwd=folder, capture_output=True, text=True,
                                  env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8"})
            self.assertIn(done.returncode, (0, 1), done.stderr)
            statuses = {result["eval_name"]: [check["status"] for check in result["check_results"]]
                        for result in json.loads(done.stdout)["results"]}
            return [*statuses["passes"], *statuses["fails"]]


if __name__ == "__main__":
    unittest.main()
