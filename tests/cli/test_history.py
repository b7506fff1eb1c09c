#!/usr/bin/env python3
"""Runs that were kept: listed, filtered, shown, explained, stopped; suites, variables, secrets. Needs VIBE.

The runs are real ones, of models that are programs.
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"

SUITE = """\
metadata:
  name: {name}
  model: "exec:{model}"
evals:
  - name: first
    tags: fruit
    prompt: one apple
    checks:
      - match: "*apple*"
  - name: second
    prompt: two pears
    checks:
      - match: "*{second}*"
score:
  formula: 10 * first + 20 * second
"""


class WithHome(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"PATH": f"{VIBE.parent}:/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}

    def run_vibe(self, *words, stdin=""):
        return subprocess.run([VIBE, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              input=stdin, timeout=60)

    def vibe(self, *words, code=0, stdin=""):
        """Standard output of a command that ends with that code."""
        done = self.run_vibe(*words, stdin=stdin)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def refused(self, *words, code=2, stdin=""):
        """Standard error of a command that must fail and print nothing."""
        done = self.run_vibe(*words, stdin=stdin)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr

    def suite(self, name, model="cat", second="pear"):
        path = self.folder / f"{name}.yaml"
        path.write_text(SUITE.format(name=name, model=model, second=second))
        return path.name

    def check(self, file, code=0, *words):
        """Runs a suite; the run as `vibe check --json` prints it."""
        return json.loads(self.vibe("check", file, "--json", *words, code=code))


class Runs(WithHome):
    def setUp(self):
        super().setUp()
        self.good = self.check(self.suite("good"))
        self.poor = self.check(self.suite("poor", second="plum"))
        self.bad = self.check(self.suite("bad", model="false"), 3)

    def ids(self, *words):
        return [run["id"] for run in json.loads(self.vibe("get", "runs", "--json", *words))["runs"]]

    def test_the_table_shows_the_newest_first(self):
        lines = self.vibe("get", "runs").splitlines()
        self.assertRegex(lines[0], r"^Run +Suite +Model +Status +Score +95 % +Success +Cost +Time +Started$")
        self.assertRegex(lines[1], r"^[0-9a-f-]{13,} +bad +exec:false +failed +")
        self.assertRegex(lines[2], r"^[0-9a-f-]{13,} +poor +exec:cat +completed +10\.00 .* 50\.0% ")
        self.assertRegex(lines[3], r"^[0-9a-f-]{13,} +good +exec:cat +completed +30\.00 .* 100\.0% ")

    def test_the_last_scores_of_each_suite_and_model_stand_below(self):
        self.suite("good", second="plum")
        self.check("good.yaml")
        text = self.vibe("get", "runs")
        self.assertIn("Last scores, oldest first:\n", text)
        self.assertRegex(text, r"\ngood exec:cat +█▁  30.00 → 10.00\n")
        self.assertRegex(text, r"\npoor exec:cat +▅  10.00\n")

    def test_filters(self):
        good, poor, bad = self.good["id"], self.poor["id"], self.bad["id"]
        today = self.good["created_at"][:10]
        for words, wanted in [
            ((), [bad, poor, good]),
            (("--limit", "1"), [bad]),
            (("-l", "2", "-o", "1"), [poor, good]),
            (("--status", "completed"), [poor, good]),
            (("-s", "failed,cancelled"), [bad]),
            (("--status-ne", "failed"), [poor, good]),
            (("--model", "exec:cat"), [poor, good]),
            (("--model-like", "exec:f%"), [bad]),
            (("--model-like", "EXEC:C_T"), [poor, good]),
            (("-e", "good"), [good]),
            (("--suite", "nothing"), []),
            (("--tag", "fruit"), [bad, poor, good]),
            (("--tag", "frui"), []),
            (("--min-score", "20"), [good]),
            (("--max-score", "20", "--status", "completed"), [poor]),
            (("--min-success", "50"), [poor, good]),
            (("--max-success", "50", "--status", "completed"), [poor]),
            (("--max-duration", "3600"), [bad, poor, good]),
            (("--min-duration", "3600"), []),
            (("--min-cost", "1"), []),
            (("--date-from", today), [bad, poor, good]),
            (("--date-to", today), [bad, poor, good]),
            (("--date-to", "2020-01-01"), []),
            (("--date-from", "2100-01-01T00:00"), []),
            (("--ascending",), [good, poor, bad]),
            (("--sort-by", "score", "--status", "completed"), [good, poor]),
            (("--sort-by", "score", "--ascending", "--status", "completed"), [poor, good]),
            (("--sort-by", "success", "--status", "completed"), [good, poor]),
        ]:
            with self.subTest(words=words):
                self.assertEqual(self.ids(*words), wanted)
        for figure in ("created", "cost", "time", "price-performance"):
            with self.subTest(figure=figure):
                self.assertEqual(sorted(self.ids("--sort-by", figure)), sorted([good, poor, bad]))

    def test_pages(self):
        first = json.loads(self.vibe("get", "runs", "--json", "--limit", "2"))
        self.assertEqual(first["pagination"]["total"], 3)
        self.assertTrue(first["pagination"]["hasMore"])
        second = json.loads(self.vibe("get", "runs", "--json", "--limit", "2", "--after", first["pagination"]["next"]))
        self.assertEqual([run["id"] for run in second["runs"]], [self.good["id"]])
        self.assertEqual(second["pagination"], {"total": 3, "hasMore": False})
        text = self.vibe("get", "runs", "--limit", "2")
        self.assertIn(f"\n2 of 3 runs; for the next page, add `--after {first['pagination']['next']}`\n",
                      text)
        self.assertIn("hint", self.refused("get", "runs", "--after", "nonsense"))

    def test_a_run_of_the_list_is_that_of_the_check_without_its_results(self):
        listed = json.loads(self.vibe("get", "runs", "--json", "-e", "good"))["runs"][0]
        for key in ("results", "yaml_content", "explanation"):
            self.assertNotIn(key, listed)
            self.assertIn(key, self.good)
        self.assertEqual(listed, {key: self.good[key] for key in listed})

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.vibe("get", "runs", "--csv", "-s", "completed"))))
        self.assertEqual([(row["suite_name"], row["score"], row["evals_passed"]) for row in rows],
                         [("poor", "10", "1"), ("good", "30", "2")])

    def test_bad_values_are_named_with_what_is_allowed(self):
        for words, message in [
            (("--status", "done"), "`--status`: unknown status `done`"),
            (("--status-ne", "done"), "`--status-ne`: unknown status `done`"),
            (("--status", ""), "`--status` is empty"),
            (("--sort-by", "price"), "runs cannot be sorted by `price`"),
            (("--limit", "0"), "`--limit` takes a whole number from 1 to 1000, not `0`"),
            (("--limit", "1001"), "`--limit` takes"),
            (("--offset", "-1"), "`--offset` takes"),
            (("--min-success", "101"), "`--min-success` takes 0 to 100, not `101`"),
            (("--max-cost", "cheap"), "`--max-cost` takes a number, not `cheap`"),
            (("--min-cost", "2", "--max-cost", "1"), "`--min-cost` is above `--max-cost`"),
            (("--date-from", "yesterday"), "`--date-from` takes a date, not `yesterday`"),
            (("--json", "--csv"), "cannot be combined"),
        ]:
            with self.subTest(words=words):
                self.assertIn(message, self.refused("get", "runs", *words))
        self.assertIn("`queued`, `running`, `completed`, `partial_failure`, `failed`, `timed_out`, `cancelled`",
                      self.refused("get", "runs", "--status", "done"))
        self.assertIn("`created`, `success`, `cost`, `time`, `score`, `price-performance`",
                      self.refused("get", "runs", "--sort-by", "price"))

    def test_one_run_by_id_prefix_or_last(self):
        whole = self.vibe("get", "run", self.poor["id"])
        self.assertIn("FAIL  second", whole)
        self.assertIn("PASS  first", whole)
        self.assertIn("=== Run Summary ===\nScore: 10.00 (formula: 10 * first + 20 * second)\n"
                      "Success Rate: 50.0%\n", whole)
        self.assertTrue(whole.endswith(f"Run: {self.poor['id']}\n"), whole)
        self.assertIn("Suite: bad\n", self.vibe("get", "run", "last"))
        ids = [self.good["id"], self.poor["id"], self.bad["id"]]
        telling = next(n for n in range(4, 37) if len({one[:n] for one in ids}) == 3)
        self.assertEqual(self.vibe("get", "run", self.poor["id"][:telling]), whole)
        self.assertIn("several runs begin with", self.refused("get", "run", os.path.commonprefix(ids)))

    def test_a_run_that_is_not_there(self):
        self.assertEqual(self.refused("get", "run", "00000000"),
                         "vibe: error: there is no run `00000000` [E0610]\n"
                         "  hint: `vibe get runs` lists them; `last` is the newest\n")

    def test_quiet_shows_failures_alone(self):
        text = self.vibe("get", "run", self.poor["id"], "--quiet")
        self.assertNotIn("PASS", text)
        self.assertIn("FAIL  second", text)

    def test_responses(self):
        text = self.vibe("get", "run", self.poor["id"], "--responses")
        self.assertIn("--- first ---\nprompt:\n    one apple\nresponse:\n    one apple\n", text)
        text = self.vibe("get", "run", self.poor["id"], "--responses", "--quiet")
        self.assertNotIn("one apple", text)
        self.assertIn("    two pears\n", text)

    def test_explain_equals_that_of_the_check(self):
        shown = self.vibe("check", "good.yaml", "--explain")
        again = self.vibe("get", "run", "last", "--explain")
        self.assertIn("\nScore: 30.00 (formula: 10 * first + 20 * second)\n  = 10 + 20\n", again)
        self.assertEqual(again[again.index("=== Run"):], shown[shown.index("=== Run"):])

    def test_explain_goes_by_the_suite_as_it_was(self):
        self.suite("good", second="plum")
        text = self.vibe("get", "run", self.good["id"], "--explain")
        self.assertIn("Score: 30.00", text)

    def test_explain_needs_neither_the_suite_nor_its_cases(self):
        (self.folder / "fruit.csv").write_text("fruit\napple\npear\n")
        (self.folder / "cases.yaml").write_text("""\
metadata: {name: cases, model: "exec:cat"}
evals:
  - {name: fruits, tags: [sweet], prompt: "{{fruit}}", cases: fruit.csv, checks: [{match: "*p*"}]}
  - {name: last, prompt: last, checks: [{match: "*no*"}]}
score:
  metrics: {sweet: 'pass_rate("tag:sweet")', half: sweet / 2}
  formula: half / last
  on_undefined: -1
""")
        shown = self.vibe("check", "cases.yaml", "--explain")
        self.assertIn("Score: -1.00", shown)
        for name in ("cases.yaml", "fruit.csv"):
            (self.folder / name).unlink()
        again = self.vibe("get", "run", "last", "--explain")
        self.assertEqual(again[again.index("=== Run"):], shown[shown.index("=== Run"):])

    def test_json_is_that_of_the_check(self):
        for run in (self.good, self.poor, self.bad):
            self.assertEqual(json.loads(self.vibe("get", "run", run["id"], "--json")), run)

    def test_results_as_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.vibe("get", "run", self.poor["id"], "--csv"))))
        self.assertEqual([(row["eval_name"], row["status"], row["response"]) for row in rows],
                         [("first", "passed", "one apple"), ("second", "failed", "two pears")])


class Several(WithHome):
    def test_runs_of_several_models_can_be_told_apart(self):
        runs = json.loads(self.vibe("check", self.suite("both"), "-m", "exec:cat,exec:tac", "--json"))
        shown = re.findall(rf"^({UUID[:-1]}|[0-9a-f-]+) +both ", self.vibe("get", "runs"), re.M)
        self.assertEqual(len(shown), 2)
        for prefix in shown:
            found = json.loads(self.vibe("get", "run", prefix, "--json"))
            self.assertIn(found["id"], [run["id"] for run in runs])


class FirstUse(WithHome):
    def test_several_may_make_the_store_at_once(self):
        for round_ in range(4):
            environment = {**self.environment, "VIBECHECK_HOME": str(self.folder / f"home-{round_}")}
            started = [subprocess.Popen([VIBE, "get", "runs", "--json"], cwd=self.folder, env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(12)]
            for process in started:
                _, errors = process.communicate(timeout=60)
                self.assertEqual((process.returncode, errors), (0, ""))


class Stopping(WithHome):
    def start(self):
        """A run that does not end by itself before the test does."""
        os.mkfifo(self.folder / "gate")
        file = self.suite("slow", model="cat gate")
        process = subprocess.Popen([VIBE, "check", file], cwd=self.folder, env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            runs = json.loads(self.vibe("get", "runs", "--json", "-s", "running"))["runs"]
            if runs:
                return process, runs[0]["id"]
            self.assertIsNone(process.poll(), "it ended at once")
            time.sleep(0.05)
        self.fail("it did not begin")

    def test_a_running_run_is_stopped(self):
        process, run = self.start()
        self.assertIn("Score: N/A (the run is not finished)\n", self.vibe("get", "run", run))
        self.assertIn("the figures of run", self.run_vibe("get", "run", run, "--explain").stderr)
        self.assertEqual(self.vibe("stop", run), f"Asked run {run} of slow to stop. Its results so far are kept.\n")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertEqual(json.loads(self.vibe("get", "run", run, "--json"))["status"], "cancelled")
        self.assertIn(f"run `{run}` is not running: it is `cancelled`", self.refused("stop", run))

    def test_a_finished_run_cannot_be_stopped(self):
        run = self.check(self.suite("good"))
        self.assertIn("is not running: it is `completed`", self.refused("stop", run["id"]))
        self.assertIn("there is no run `12345`", self.refused("stop", "12345"))

    def test_nothing_is_queued(self):
        self.assertEqual(self.vibe("stop", "queued"), "No run is queued.\n")
        self.assertEqual(json.loads(self.vibe("stop", "queued", "--json")), {"stopped": []})

    def test_a_run_whose_process_is_gone_has_failed(self):
        process, run = self.start()
        process.kill()
        process.wait()
        shown = json.loads(self.vibe("get", "run", run, "--json"))
        self.assertEqual(shown["status"], "failed")
        self.assertIn("is not running", self.refused("stop", run))


class Suites(WithHome):
    def test_every_edit_is_a_version(self):
        file = self.suite("fruit")
        first = (self.folder / file).read_text()
        self.assertEqual(self.vibe("set", "suite", "-f", file),
                         "Suite fruit saved as version 1. `vibe check fruit` runs it.\n")
        self.assertEqual(self.vibe("set", "-f", file),
                         "Suite fruit is unchanged: it is still version 1. `vibe check fruit` runs it.\n")
        self.suite("fruit", second="plum")
        self.assertEqual(json.loads(self.vibe("set", "suite", "--file", file, "--json")),
                         {"name": "fruit", "version": 2, "changed": True})
        self.assertEqual(self.vibe("get", "suite", "fruit"), (self.folder / file).read_text())
        self.assertEqual(self.vibe("get", "suite", "fruit", "--version", "1"), first)
        history = self.vibe("get", "suite", "fruit", "--history").splitlines()
        self.assertRegex(history[0], r"^Version +Edited +Evals +File$")
        self.assertRegex(history[1], r"^ +2 +\d{4}-\d\d-\d\dT[\d:.]+Z +2 +\S*/fruit.yaml$")
        self.assertRegex(history[2], r"^ +1 +\d{4}-")
        versions = json.loads(self.vibe("get", "suite", "fruit", "--history", "--json"))["versions"]
        self.assertEqual([one["version"] for one in versions], [2, 1])
        self.assertEqual(versions[1]["yamlContent"], first)
        self.assertIn("its versions are 1 to 2", self.refused("get", "suite", "fruit", "--version", "3"))
        self.assertIn("cannot be combined", self.refused("get", "suite", "fruit", "--version", "1", "--history"))

    def test_a_stored_suite_runs_by_its_name(self):
        self.vibe("set", "-f", self.suite("fruit"))
        self.assertIn("fruit      2        1  just now  never", self.vibe("get", "suites"))
        self.assertEqual(self.check("fruit")["suite_name"], "fruit")
        self.assertIn("fruit      2        1  just now  just now", self.vibe("get", "suites"))
        listed = json.loads(self.vibe("get", "suites", "--json"))["suites"]
        self.assertEqual([(one["name"], one["evalCount"]) for one in listed], [("fruit", 2)])
        self.assertIsNotNone(listed[0]["lastRun"])
        self.assertEqual(json.loads(self.vibe("get", "suite", "fruit", "--json"))["suite"]["yamlContent"],
                         (self.folder / "fruit.yaml").read_text())

    def test_a_suite_that_is_not_valid_is_not_stored(self):
        (self.folder / "bad.yaml").write_text("metadata: {name: bad}\n")
        self.assertIn("bad.yaml:1:", self.refused("set", "suite", "-f", "bad.yaml"))
        self.assertIn("there is no suite `bad`", self.refused("get", "suite", "bad"))

    def test_from_standard_input(self):
        text = SUITE.format(name="piped", model="cat", second="pear")
        self.assertIn("version 1", self.vibe("set", "suite", "-f", "-", stdin=text))
        self.assertEqual(self.vibe("get", "suite", "piped"), text)

    def test_a_name_that_is_known_only_when_it_runs(self):
        self.suite("fruit")
        (self.folder / "named.yaml").write_text(
            (self.folder / "fruit.yaml").read_text().replace("name: fruit", "name: \"{{var('name')}}\""))
        self.assertIn("is known only at run time", self.refused("set", "-f", "named.yaml"))


class Values(WithHome):
    def test_variables(self):
        self.assertEqual(self.vibe("set", "var", "team", "blue"),
                         "Variable team set. Suites read it as {{var('team')}}.\n")
        self.assertEqual(self.vibe("var", "set", "team", "red"),
                         "Variable team changed. Suites read it as {{var('team')}}.\n")
        self.assertEqual(self.vibe("get", "var", "team"), "red\n")
        self.assertEqual(self.vibe("var", "get", "team"), "red\n")
        self.vibe("set", "var", "text", "-", stdin="two\nlines\n")
        self.assertEqual(self.vibe("get", "var", "text"), "two\nlines\n")
        for words in (("get", "vars"), ("var", "list")):
            self.assertEqual(self.vibe(*words), "Name  Value\nteam  red\ntext  two lines\n")
        self.assertEqual(json.loads(self.vibe("get", "vars", "--json")),
                         {"vars": [{"name": "team", "value": "red"}, {"name": "text", "value": "two\nlines"}]})
        self.assertEqual(json.loads(self.vibe("get", "var", "team", "--json")), {"name": "team", "value": "red"})
        self.assertEqual(self.vibe("delete", "var", "team"), "Variable team deleted.\n")
        self.assertEqual(self.vibe("var", "delete", "text"), "Variable text deleted.\n")
        self.assertIn("there is no variable `team`", self.refused("var", "get", "team"))

    def test_a_run_takes_them(self):
        self.vibe("set", "var", "fruit", "apple")
        file = self.suite("good")
        path = self.folder / file
        path.write_text(path.read_text().replace("one apple", "one {{var('fruit')}}"))
        self.assertEqual(self.check(file)["results"][0]["prompt"], "one apple")

    def test_a_secret_is_never_shown(self):
        self.assertEqual(self.vibe("set", "secret", "key", "-", stdin="s3cr3t-value\n"),
                         "Secret key set. Suites read it as {{secret('key')}}.\n")
        for words in (("get", "secrets"), ("secret", "list")):
            self.assertEqual(self.vibe(*words), "key\n")
        self.assertEqual(json.loads(self.vibe("get", "secrets", "--json")), {"secrets": [{"name": "key"}]})
        file = self.suite("good")
        path = self.folder / file
        path.write_text(path.read_text().replace("one apple", "one apple {{secret('key')}}"))
        self.vibe("check", file)
        for words in (("--json",), ("--csv",), ("--responses",), ("--explain",)):
            shown = self.vibe("get", "run", "last", *words)
            self.assertNotIn("s3cr3t-value", shown)
        for kept in (self.folder / ".vibecheck").iterdir():
            self.assertNotIn(b"s3cr3t-value", kept.read_bytes(), kept)
        self.assertEqual(self.vibe("secret", "delete", "key"), "Secret key deleted.\n")
        self.assertEqual(self.vibe("get", "secrets"),
                         "There are no secrets yet. `vibe set secret NAME -` reads one.\n")

    def test_what_cannot_be_set(self):
        for words, message in [
            (("set", "var", "a b", "x"), "`a b` cannot be a name"),
            (("set", "var", "", "x"), "`` cannot be a name"),
            (("set", "secret", "key", ""), "the value of a secret cannot be empty"),
            (("set", "secret", "key", " "), "the value of a secret cannot be empty"),
            (("set", "var", "name", "x" * 100_000), "the value of `name` is 100000 bytes long [E0503]\n"
                                                    "  hint: the limit is 65536"),
            (("set", "var", "name"), "`vibe set var` needs NAME VALUE"),
            (("delete", "secret", "key"), "there is no secret `key`"),
        ]:
            with self.subTest(words=words):
                self.assertIn(message, self.refused(*words))

    def test_the_largest_value_can_be_read(self):
        self.vibe("set", "var", "name", "-", stdin="x" * 65536 + "\n")
        self.assertEqual(self.vibe("get", "var", "name"), "x" * 65536 + "\n")


class Models(WithHome):
    def test_the_key_that_is_missing_is_named(self):
        text = self.vibe("get", "models", "openai/gpt-4o-mini")
        self.assertRegex(text, r"(?m)^openai/gpt-4o-mini +\$0\.15 +\$0\.60 +128k +OPENAI_API_KEY \(not set\)$")
        self.environment["OPENAI_API_KEY"] = "sk-test"
        text = self.vibe("get", "models", "openai/gpt-4o-mini")
        self.assertRegex(text, r"(?m)^openai/gpt-4o-mini .*OPENAI_API_KEY \(set\)$")
        self.assertNotIn("sk-test", text)

    def test_a_part_of_the_name_or_a_glob(self):
        def ids(*words):
            return [one["id"] for one in json.loads(self.vibe("get", "models", "--json", *words))["models"]]
        self.assertGreater(len(ids()), 100)
        self.assertEqual(ids(), sorted(ids()))
        self.assertTrue(ids("HAIKU"))
        self.assertTrue(all("haiku" in one.lower() for one in ids("HAIKU")))
        self.assertTrue(all(one.startswith("openai/") for one in ids("openai/*mini")))
        self.assertEqual(ids("no-such-model"), [])
        self.assertIn("No model with a known price matches `no-such-model`.\n", self.vibe("get", "models", "no-such-model"))

    def test_prices_per_token_as_texts(self):
        models = json.loads(self.vibe("get", "models", "--json", "openai/gpt-4o-mini"))["models"]
        mini = next(one for one in models if one["id"] == "openai/gpt-4o-mini")
        self.assertEqual(mini["pricing"], {"prompt": "0.00000015", "completion": "0.0000006"})
        self.assertEqual(set(mini), {"id", "name", "description", "supported_parameters", "pricing", "context_length",
                                     "provider", "key_variable", "key_set", "runnable"})

    def test_what_else_can_be_named(self):
        (self.folder / ".vibecheck").mkdir()
        (self.folder / ".vibecheck" / "config.yaml").write_text(
            "endpoints:\n  lab:\n    base_url: http://127.0.0.1:9/v1\n    key_variable: LAB_KEY\n")
        text = self.vibe("get", "models", "haiku")
        self.assertRegex(text, r"(?m)^lab/NAME +your endpoint http://127.0.0.1:9/v1 +LAB_KEY \(not set\)$")
        self.assertRegex(text, r"(?m)^ollama/NAME +.* +none needed$")
        self.assertRegex(text.splitlines()[-1], r"^Prices in US dollars per million tokens, as of 20\d\d-\d\d-\d\d, from ")


class Store(WithHome):
    def commands(self):
        return [("get", "runs"), ("get", "run", "last"), ("get", "suites"), ("get", "suite", "a"), ("get", "vars"),
                ("get", "var", "a"), ("get", "secrets"), ("set", "var", "a", "b"), ("delete", "var", "a"),
                ("set", "-f", "good.yaml"), ("stop", "queued"), ("check", "good.yaml")]

    def test_a_damaged_store(self):
        self.suite("good")
        home = self.folder / ".vibecheck"
        home.mkdir()
        (home / "vibecheck.db").write_bytes(b"this is no database" * 1000)
        for words in self.commands():
            with self.subTest(words=words):
                self.assertIn("[E0703]", self.refused(*words, code=3))

    def test_a_store_that_cannot_be_made(self):
        self.suite("good")
        (self.folder / "file").write_text("")
        self.environment["VIBECHECK_HOME"] = str(self.folder / "file" / "home")
        for words in self.commands():
            with self.subTest(words=words):
                self.assertIn("[E0701]", self.refused(*words, code=3))

    def test_its_place(self):
        self.environment["VIBECHECK_HOME"] = str(self.folder / "elsewhere")
        self.vibe("set", "var", "a", "b")
        self.assertTrue((self.folder / "elsewhere" / "vibecheck.db").exists())
        self.assertFalse((self.folder / ".vibecheck").exists())


if __name__ == "__main__":
    unittest.main()
