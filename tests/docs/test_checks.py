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

# Kind -> an answer that its example passes, and one that it fails. An answer is a text, or a
# text with the fields of a recorded answer.
ANSWERS = {
    "equals": (" 42\n", "43"),
    "exec": ("It is Paris.", "It is Lyon."),
    "glob": ("model [0-9]", "5"),
    "json": ('```json\n{"city": "Paris"}\n```', '{"country": "France"}'),
    "llm_judge": ("How can I help?", "Go away."),
    "match": ("It is 105.", "It is 106."),
    "max_cost": ({"text": "a", "cost": {"total": 0.001}}, {"text": "a", "cost": {"total": 0.003}}),
    "max_latency": ({"text": "a", "latency": 1.5}, {"text": "a", "latency": 3}),
    "max_tokens": ("few words", "many " * 60),
    "min_tokens": ("one two three four five six", "one"),
    "not_match": ("Gladly.", "SORRY, no."),
    "or": ("an azure sky", "a grey sky"),
    "regex": ("see prj-17", "see prj-x"),
    "semantic": ("The sky is blue.", "I had fish for lunch."),
    "tool_called": ({"text": "", "tool_calls": [{"name": "search", "arguments": '{"query": "weather"}'}]},
                    {"text": "", "tool_calls": [{"name": "search", "arguments": '{"query": "news"}'}]}),
}

# What a judge says of an answer, in place of a model.
JUDGE = """
import json, sys
answer = json.loads(json.load(sys.stdin)["messages"][1]["content"])["response"]
print(json.dumps({"reason": answer, "verdict": "pass" if "help" in answer else "fail"}))
"""


def sections():
    return dict(SECTION.findall(PAGE.read_text()))


def example(section):
    return re.search(r"^```yaml\nchecks:\n(.*?)^```$", section, re.S | re.M)[1]


class Checks(unittest.TestCase):
    def test_each_kind_has_answers(self):
        self.assertEqual(set(sections()) - set(ANSWERS), set(), "give an answer that passes and one that fails")

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
            # A recording holds what judges said, too: here the judge is asked, and the prompt is the answer.
            echoes = name == "llm_judge"
            model = "exec:cat" if echoes else "replay:answers.jsonl"
            suite = f"metadata: {{name: example, model: '{model}', judge_model: 'exec:python3 judge.py'}}\nevals:\n"
            (folder / "judge.py").write_text(JUDGE)
            for prompt, answer in zip(("passes", "fails"), ANSWERS[name]):
                lines.append({"prompt": prompt, "answer": answer if isinstance(answer, dict) else {"text": answer}})
                suite += f"  - name: {prompt}\n    prompt: {answer if echoes else prompt}\n    checks:\n"
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
