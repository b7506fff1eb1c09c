#!/usr/bin/python3
"""Fitness inside suites, from end to end: the columns `output_quality`, `structure_score` and
`fitness`, and the logs that programs write to `VIBECHECK_TRACE`. Needs VIBE, VIBE_BUILD,
VIBE_SOURCE."""

import json
import os
import signal
import sqlite3
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from vibe_world import World  # noqa: E402

# What the program writes is told by the prompt.
AGENT = r"""
import json, os, sys
prompt = sys.stdin.read()
log = os.environ["VIBECHECK_TRACE"]
calls = [0, 0, 0, 1]


def write(text):
    with open(log, "w", encoding="utf-8") as file:
        file.write(text)


def hook_line(session, code):
    return json.dumps({"session": session, "tool": "Bash", "exit": code}) + "\n"


if "hooks" in prompt:
    write("".join(hook_line("s", code) for code in calls))
if "several" in prompt:
    write("".join(hook_line(f"s{i}", code) for i, code in enumerate(calls)))
if "claude" in prompt:
    lines = []
    for i, code in enumerate(calls):
        call = {"type": "tool_use", "id": f"t{i}", "name": "Bash", "input": {"command": f"c{i}"}}
        lines.append({"type": "assistant", "sessionId": "s", "uuid": f"a{i}",
                      "message": {"role": "assistant", "id": f"m{i}", "content": [call]}})
        result = {"type": "tool_result", "tool_use_id": f"t{i}", "content": "x",
                  "is_error": code != 0}
        lines.append({"type": "user", "sessionId": "s", "uuid": f"u{i}",
                      "message": {"role": "user", "content": [result]}})
    write("".join(json.dumps(line) + "\n" for line in lines))
if "broken" in prompt:
    write("this is no log\n")
if "empty" in prompt:
    write("")
if "huge" in prompt:
    with open(log, "wb") as file:
        file.truncate(10 << 30)  # takes no room
if "fifo" in prompt:
    os.mkfifo(log)
if "link" in prompt:
    os.symlink("/dev/zero", log)
if "folder" in prompt:
    os.makedirs(log + "/a/b")
if "slow" in prompt:
    import time
    write(hook_line("s", 0))
    if os.path.exists("wait"):
        time.sleep(600)
if "fails" in prompt:
    write(hook_line("s", 0))
    sys.exit(3)
print("# Done\n\nIt is **done** now, and here is what I did.\n\n- one\n- two")
"""


class Fitness(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.__exit__)
        self.temporary = self.world.folder / "tmp"
        self.temporary.mkdir()
        self.world.environment["TMPDIR"] = str(self.temporary)
        self.world.write("agent.py", AGENT)

    def suite(self, prompts, formula, model="exec:python3 agent.py", rubric=None, **metadata):
        self.world.suite(prompts, model=model, **metadata)
        path = self.world.folder / "suite.yaml"
        path.write_text(path.read_text() + f"score:\n  formula: {json.dumps(formula)}\n" +
                        (f"  rubric: {rubric}\n" if rubric else ""))

    def results(self, run):
        return {result["eval_name"]: result for result in run["results"]}

    def assert_nothing_is_left(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

    def scored(self, log, answer):
        """What `vibe fitness score` says of the same log and answer."""
        self.world.write("log.jsonl", log)
        self.world.write("answer.md", answer)
        return json.loads(self.world.vibe("fitness", "score", "log.jsonl", "--output", "answer.md",
                                          "--json"))[0]

    def test_logs_of_two_formats_and_of_several_sessions_score_the_same(self):
        self.suite(["hooks", "claude", "several"], "mean(fitness)")
        run = self.world.check("suite.yaml")
        each = [result["fitness"] for result in run["results"]]
        # Three of four calls were good; the same answer; no times.
        self.assertEqual(each, [each[0]] * 3)
        self.assertGreater(each[0], 0)
        self.assertLess(each[0], 100)
        self.assertAlmostEqual(run["score"], each[0])
        log = "".join(json.dumps({"session": "s", "tool": "Bash", "exit": code}) + "\n"
                      for code in (0, 0, 0, 1))
        self.assertEqual(self.scored(log, run["results"][0]["response"])["score"], each[0])
        self.assert_nothing_is_left()

    def test_what_is_no_log_leaves_the_sample_and_says_why(self):
        bad = {"broken": "not a log in a known format", "empty": "is empty",
               "huge": "10240 MB; the limit is 256", "fifo": "not a regular file", "link": "not a regular file",
               "folder": "not a regular file"}
        self.suite(["hooks", "none", *bad], "mean(fitness)")
        run = self.world.check("suite.yaml")
        results = [self.results(run)[f"e{i}"] for i in range(len(bad) + 2)]
        self.assertTrue(all(result["passed"] for result in results))
        self.assertEqual(run["score"], results[0]["fitness"])
        self.assertNotIn("fitness", results[1])
        self.assertNotIn("fitness_error", results[1])  # it wrote none
        for result, why in zip(results[2:], bad.values()):
            self.assertNotIn("fitness", result)
            self.assertIn(why, result["fitness_error"])
        self.assertEqual(self.world.run()["results"], run["results"])  # as they are stored
        self.assert_nothing_is_left()
        text = self.world.vibe("check", "suite.yaml", "--html", "report.html")
        html = (self.world.folder / "report.html").read_text()
        self.assertIn(f"<dt>Fitness</dt><dd>{results[0]['fitness']:.2f}</dd>", html)
        self.assertIn("<dt>Fitness</dt><dd>N/A (the execution log is not a regular file)</dd>", html)
        self.assertRegex(text, rf"PASS +e0 .*  fitness {results[0]['fitness']:.2f}\n")
        self.assertIn("      no fitness: the execution log is not a regular file\n", text)

    def test_without_any_log_the_score_is_undefined_and_says_why(self):
        self.suite(["none", "broken"], "0.7 * success_pct + 0.3 * mean(fitness)")
        run = self.world.check("suite.yaml")
        self.assertIsNone(run["score"])
        self.assertEqual(run["score_error"],
                         'no execution log: mean(fitness) is undefined in "0.3 * mean(fitness)"')

    def test_a_failure_and_a_timeout_leave_nothing_behind(self):
        self.world.write("wait", "")
        self.suite(["fails", "slow"], "mean(fitness)", timeout=1)
        run = self.world.check("suite.yaml", exit=3)
        self.assertEqual([result["status"] for result in run["results"]], ["error", "error"])
        self.assertNotIn("fitness", run["results"][0])
        self.assert_nothing_is_left()

    def test_a_run_that_was_stopped_goes_on(self):
        self.world.write("wait", "")
        self.suite(["hooks", "slow", "claude"], "mean(fitness) + 0 * mean(output_quality)",
                   threads=1)
        process = self.world.start("check", "suite.yaml")
        while not list(self.temporary.glob("*/trace")) or self.kept() < 1:
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assert_nothing_is_left()
        (self.world.folder / "wait").unlink()
        run = json.loads(self.world.vibe("check", "--resume", "last", "--json"))
        self.assertEqual(len(run["results"]), 3)
        for result in run["results"]:
            self.assertIn("fitness", result)
            self.assertIn("output_quality", result)
        self.assertAlmostEqual(run["score"],
                               sum(result["fitness"] for result in run["results"]) / 3)

    def kept(self):
        path = self.world.folder / ".vibecheck" / "vibecheck.db"
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                return database.execute("SELECT count(*) FROM results").fetchone()[0]
        except sqlite3.OperationalError:  # not there yet
            return 0

    def test_a_recording_has_the_fitness_whatever_the_formula_was(self):
        self.suite(["hooks", "broken", "none"], "success_pct")
        first = self.world.check("suite.yaml", "--record", "kept.jsonl")
        self.assertIn("fitness", first["results"][0])
        self.assertNotIn("output_quality", first["results"][0])  # nobody asked for it
        (self.world.folder / "agent.py").unlink()
        self.suite(["hooks", "broken", "none"], "mean(fitness) + 0 * mean(output_quality)")
        again = self.world.check("suite.yaml", "--model", "replay:kept.jsonl")
        self.assertEqual(again["score"], first["results"][0]["fitness"])
        self.assertIn("not a log", again["results"][1]["fitness_error"])
        self.assertIn("output_quality", again["results"][0])

    def test_the_cache_has_the_fitness(self):
        self.suite(["hooks"], "mean(fitness)")
        first = self.world.check("suite.yaml", "--cache")
        (self.world.folder / "agent.py").write_text("raise SystemExit(1)")
        again = self.world.check("suite.yaml", "--cache")
        self.assertTrue(again["results"][0]["cached"])
        self.assertEqual(again["score"], first["score"])

    def test_the_cache_has_no_fitness_by_another_rubric(self):
        self.suite(["hooks"], "mean(fitness)", rubric="mine.yaml")
        for formula, score in (("100 * tool_success_rate", 75), ("50 * tool_success_rate", 37.5)):
            self.world.write("mine.yaml", f"name: mine\nformula: {formula}\n")
            first = self.world.check("suite.yaml", "--cache")
            self.assertNotIn("cached", first["results"][0])
            self.assertEqual(first["score"], score)
            self.assertTrue(self.world.check("suite.yaml", "--cache")["results"][0]["cached"])

    def test_a_run_does_not_go_on_by_another_rubric(self):
        for formula, exit in (("mean(fitness)", 2), ("mean(output_quality)", 2),
                              ("mean(structure_score)", 2), ("success_pct", 0)):
            with self.subTest(formula=formula):
                self.world.write("agent.py", AGENT)
                self.world.write("mine.yaml", "name: mine\nformula: 100 * tool_success_rate\n")
                self.suite(["hooks", "hooks fails"], formula, rubric="mine.yaml")
                self.world.check("suite.yaml", exit=3)
                self.world.write("agent.py", AGENT.replace("sys.exit(3)", "pass"))
                self.world.write("mine.yaml", "name: mine\nformula: 50 * tool_success_rate\n")
                self.world.vibe("check", "--retry-failed", "last", exit=exit)
                if exit == 0:
                    continue
                self.assertIn("E0611", self.world.errors)
                self.assertIn("a different rubric", self.world.errors)
                self.world.write("mine.yaml", "name: mine\nformula: 100 * tool_success_rate\n")
                self.world.vibe("check", "--retry-failed", "last")

    def test_no_room_for_a_log_is_said_where_a_formula_is_about_it(self):
        self.temporary.rmdir()
        self.suite(["hooks"], "success_pct")
        self.world.write("agent.py", "print('done')")
        self.assertNotIn("fitness_error", self.world.check("suite.yaml")["results"][0])
        self.suite(["hooks"], "mean(fitness)")
        self.assertIn("cannot create a temporary folder",
                      self.world.check("suite.yaml")["results"][0]["fitness_error"])

    def test_a_model_that_writes_no_log_is_warned_of(self):
        self.world.write("kept.jsonl", '{"vibecheck_recording": 1, "model": "x/y"}\n'
                                       '{"prompt": "a", "answer": "b"}\n')
        self.suite(["a"], "mean(fitness)", model="replay:kept.jsonl")
        self.world.vibe("check", "suite.yaml")
        self.assertIn("W0652", self.world.errors)
        self.assertIn("none of the recorded answers has a `fitness`", self.world.errors)
        self.world.vibe("check", "suite.yaml", "--strict", exit=2)
        self.suite(["a"], "mean(fitness)", model="ollama/llama3")
        self.world.vibe("check", "suite.yaml", "--dry-run")
        self.assertIn("`ollama/llama3` does not log what it does", self.world.errors)
        self.suite(["hooks"], "mean(fitness)")
        self.world.vibe("check", "suite.yaml", "--dry-run")
        self.assertNotIn("W0652", self.world.errors)

    def test_answers_are_looked_at(self):
        self.world.write("kept.jsonl", "\n".join(map(json.dumps, [
            {"vibecheck_recording": 1, "model": "x/y"},
            {"prompt": "good", "answer": "# Title\n\nThe answer is here. It has two sentences.\n\n"
                                         "- a list\n\n```python\nprint(1)\n```\n\n"
                                         "Next steps: run it.\n"},
            {"prompt": "bad", "answer": "```python\nprint(1\n"},
            {"prompt": "none", "answer": ""},
            {"prompt": "lost", "failure": {"kind": "timed_out", "message": "slow"}}])) + "\n")
        self.suite(["good", "bad", "none", "lost"],
                   'mean(output_quality, "e0") + 0 * mean(structure_score)',
                   model="replay:kept.jsonl")
        run = self.world.check("suite.yaml", exit=3)
        good, bad, none, lost = run["results"]
        self.assertEqual(good["structure_score"], 1)
        self.assertEqual(good["output_quality"], 1)
        self.assertEqual(run["score"], 1)
        self.assertLess(bad["output_quality"], 0.5)
        for result in (none, lost):  # undefined, not 0
            self.assertNotIn("output_quality", result)
            self.assertNotIn("structure_score", result)
        self.assertEqual(self.world.run()["results"], run["results"])
        explained = self.world.vibe("get", "run", "last", "--explain")
        self.assertIn("mean(output_quality", explained)

    def test_the_prompt_says_what_the_answer_should_be(self):
        self.world.write("kept.jsonl", "\n".join(map(json.dumps, [
            {"vibecheck_recording": 1, "model": "x/y"},
            {"prompt": "Answer in JSON.", "answer": "It is forty-two, as everybody knows."},
            {"prompt": "Answer.", "answer": "It is forty-two, as everybody knows."}])) + "\n")
        self.suite(["Answer in JSON.", "Answer."], "mean(output_quality)",
                   model="replay:kept.jsonl")
        asked, free = self.world.check("suite.yaml")["results"]
        self.assertLess(asked["output_quality"], free["output_quality"])

    def test_the_suites_own_rubric(self):
        self.suite(["hooks"], "mean(fitness)", rubric="rubrics/mine.yaml")
        self.world.vibe("check", "suite.yaml", exit=2)
        self.assertIn("rubrics/mine.yaml", self.world.errors)
        self.assertIn("suite.yaml:", self.world.errors)
        self.world.write("rubrics/mine.yaml",
                         "name: mine\nformula: 100 * tool_success_rate\n")
        self.assertEqual(self.world.check("suite.yaml")["score"], 75)
        self.world.write("rubrics/mine.yaml", "name: mine\nformula: 100 * tool_succes_rate\n")
        self.world.vibe("validate", "suite.yaml", exit=2)
        self.assertIn("did you mean `tool_success_rate`?", self.world.errors)
        self.world.write("rubrics/mine.yaml",
                         "name: mine\nformula: 1000 * tool_success_rate\n")
        run = self.world.check("suite.yaml")
        self.assertIn("is not between 0 and 100", run["results"][0]["fitness_error"])

    def test_results_of_other_harnesses_have_the_columns(self):
        self.world.write("results.jsonl",
                         '{"passed": true, "output_quality": 0.5, "fitness": 80}\n'
                         '{"passed": false, "structure_score": 0.3}\n')
        out = json.loads(self.world.vibe("score", "results.jsonl", "--json", "--formula",
                                         "mean(fitness) + mean(output_quality) + "
                                         "mean(structure_score)"))
        self.assertAlmostEqual(out["score"], 80.8)


if __name__ == "__main__":
    unittest.main()
