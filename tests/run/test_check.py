#!/usr/bin/python3
"""`vibe check` from end to end, against the model server of the tests. Needs VIBE, VIBE_BUILD,
VIBE_SOURCE."""

import json
import os
import re
import signal
import sqlite3
import ssl
import socket
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from vibe_world import ModelServer, World  # noqa: E402

VARYING = {"id", "source", "created_at", "started_at", "completed_at", "duration_seconds", "paid"}


def steady(output):
    """The output of --json without ids, times, where the answers came from and what this run paid for them."""
    return re.sub(r'^ *"(%s)": .*\n' % "|".join(VARYING), "", output, flags=re.M)


def unpaid(run):
    """The results of a run without what it paid for them: a replay pays nothing."""
    return [{key: value for key, value in result.items() if key != "paid"} for result in run["results"]]


class WithServer(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.server = ModelServer(*cls.options).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.server.reset()
        self.world = World(self.server)
        self.addCleanup(self.world.__exit__)


class Providers(WithServer):
    MODELS = ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5", "ollama/llama3",
              "mistralai/mistral-nemo")

    def test_every_provider_answers(self):
        for model in self.MODELS:
            with self.subTest(model=model):
                self.world.suite(["What is 15 * 7?"], model=model, checks='[match: "*105*"]')
                run = self.world.check("suite.yaml")
                self.assertEqual(run["status"], "completed")
                self.assertEqual(run["model"], model)
                result = run["results"][0]
                self.assertGreater(result["prompt_tokens"], 0)
                self.assertGreater(result["completion_tokens"], 0)
                self.assertGreater(result["latency_seconds"], 0)
                if model.startswith("ollama/"):
                    self.assertEqual(result["cost"], 0)
                else:
                    self.assertGreater(result["cost"], 0)

    def test_keys_go_where_they_belong(self):
        for model, header in (("openai/gpt-4o-mini", "key-openai"),
                              ("anthropic/claude-haiku-4-5", "key-anthropic"),
                              ("mistralai/mistral-nemo", "key-router")):
            self.server.reset()
            self.world.suite(["hi"], model=model)
            self.world.vibe("check", "suite.yaml")
            seen = json.dumps(self.server.stats())
            self.assertIn(header, seen)
            for other in {"key-openai", "key-anthropic", "key-router"} - {header}:
                self.assertNotIn(other, seen)

    def test_a_missing_key_is_found_before_anything_runs(self):
        with World() as world:
            world.suite(["hi"])
            world.vibe("check", "suite.yaml", exit=2)
            self.assertIn("OPENAI_API_KEY", world.errors)
            self.assertIn("E0602", world.errors)
            self.assertIn("no runs", world.vibe("get", "runs").lower())

    def test_a_key_from_the_env_file(self):
        with World(OPENAI_BASE_URL=self.server.url + "/v1") as world:
            world.write(".vibecheck/.env", "OPENAI_API_KEY='from-the-file'\n")
            world.suite(["hi"])
            world.vibe("check", "suite.yaml")
            self.assertIn("from-the-file", json.dumps(self.server.stats()))

    def test_an_endpoint_of_ones_own(self):
        self.world.write(".vibecheck/config.yaml", f"""
http:
  mine:
    url: {self.server.url}/echo
    headers: {{x-token: "${{OPENAI_API_KEY}}"}}
    body: '{{"prompt": "{{{{prompt}}}}"}}'
    answer: /output
endpoints:
  local: {{base_url: "{self.server.url}/v1"}}
prices:
  local/tiny: {{input: 1, output: 2}}
""")
        self.world.suite(['say "quotes" and \\'], model="http:mine", checks='[match: "*quotes*"]')
        self.world.vibe("check", "suite.yaml")
        self.world.suite(["hi"], model="local/tiny")
        run = self.world.check("suite.yaml")
        self.assertGreater(run["results"][0]["cost"], 0)

    def test_a_program_as_the_model(self):
        self.world.suite(["ping"], model="exec:tr a-z A-Z", checks="[equals: PING]")
        run = self.world.check("suite.yaml")
        self.assertEqual(run["results"][0]["response"], "PING")
        self.assertIsNone(run["results"][0]["cost"])

    def test_parameters_are_passed_on(self):
        self.world.suite(["hi"], temperature=0.5, top_p=0.9, seed=7, max_output_tokens=33,
                         system_prompt="be brief")
        self.world.vibe("check", "suite.yaml")
        body = json.loads(self.server.stats()["recent"][-1]["body"])
        self.assertEqual(body["temperature"], 0.5)
        self.assertEqual(body["seed"], 7)
        self.assertEqual(body["max_tokens"], 33)
        self.assertEqual(body["messages"][0], {"role": "system", "content": "be brief"})


class Faults(WithServer):
    def one(self, prompt, exit=0, **options):
        self.world.suite([prompt], **options)
        run = self.world.check("suite.yaml", exit=exit)
        return run, run["results"][0]

    def test_tries_again_what_may_pass(self):
        for fault in ("fail=429x2,retry-after-ms=1", "fail=500x3", "fail=408x1", "fail=409x1",
                      "reset=2"):
            with self.subTest(fault=fault):
                self.server.reset()
                _, result = self.one(f'{fault} say "done"')
                self.assertEqual(result["response"], "done")
                tries = int(re.search(r"[x=](\d)(,|$)", fault)[1]) + 1
                self.assertEqual((result["tries"], result["retries"]), (tries, tries - 1))
                self.assertEqual(self.server.stats()["requests"], tries)

    def test_gives_up_after_five_tries(self):
        run, result = self.one("fail=500x99", exit=3)
        self.assertEqual(self.server.stats()["requests"], 5)
        self.assertEqual(run["status"], "failed")
        self.assertEqual(result["status"], "error")
        self.assertIn("HTTP 500", result["error"])
        self.assertEqual(result["cost"], 0)

    def test_what_makes_no_sense_is_an_error_that_says_why(self):
        for fault, words in (("fail=401", "HTTP 401"), ("fail=400", "HTTP 400"),
                             ("truncate", "JSON"), ("type=text/html", "HTML|JSON|text/html"),
                             ("truncate=connection", "connection|body|transfer")):
            with self.subTest(fault=fault):
                run, result = self.one(f'{fault} say "x"', exit=3)
                self.assertEqual(result["status"], "error")
                self.assertRegex(result["error"], words)

    def test_a_slow_answer_ends_with_the_time_limit(self):
        _, result = self.one("latency=20000", exit=3, timeout=0.3)
        self.assertEqual(result["status"], "error")
        self.assertIn("0.3", result["error"])
        _, result = self.one('drip=200 say "a long and slow one"', exit=3, timeout=0.5)
        self.assertEqual(result["status"], "error")

    def test_odd_answers_are_kept_as_they_are(self):
        _, result = self.one('nul say "x"')
        self.assertIn("\0", result["response"])
        _, result = self.one("huge=10000000")
        self.assertEqual(len(result["response"]), 10_000_000)
        _, result = self.one("empty", checks='[equals: ""]')
        self.assertEqual(result["response"], "")
        _, result = self.one("thinking", checks="[min_tokens: 1]", exit=1)
        self.assertEqual(result["response"], "")
        self.world.suite(["badutf8"])
        run = json.loads(self.world.vibe("check", "suite.yaml", "--json", exit=3))
        self.assertEqual(run["results"][0]["status"], "error")

    def test_a_run_with_some_errors_is_a_partial_failure(self):
        self.world.suite(['say "a"', "fail=401"])
        run = self.world.check("suite.yaml", exit=3)
        self.assertEqual(run["status"], "partial_failure")
        self.assertEqual(run["results_count"], "2")

    def test_an_unreachable_server(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            port = closed.getsockname()[1]
        with World(OPENAI_API_KEY="k", OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1") as world:
            world.suite(["hi"])
            run = world.check("suite.yaml", exit=3)
            self.assertIn(f"127.0.0.1:{port}", run["results"][0]["error"])


class Tls(unittest.TestCase):
    def test_a_certificate_that_nobody_signed_is_refused(self):
        with World() as world:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                            "-keyout", world.folder / "key.pem", "-out", world.folder / "cert.pem"],
                           check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(world.folder / "cert.pem", world.folder / "key.pem")
            listener = socket.create_server(("127.0.0.1", 0))
            seen = []

            def serve():
                while True:
                    try:
                        connection, _ = listener.accept()
                    except OSError:
                        return
                    try:
                        with context.wrap_socket(connection, server_side=True) as secure:
                            seen.append(secure.recv(65536))
                            body = json.dumps({"choices": [{"message": {"content": "hi"}}]}).encode()
                            secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                           b"Content-Length: %d\r\nConnection: close\r\n\r\n%s"
                                           % (len(body), body))
                    except (ssl.SSLError, OSError):
                        connection.close()

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            world.environment.update(
                OPENAI_API_KEY="the-key",
                OPENAI_BASE_URL=f"https://localhost:{listener.getsockname()[1]}/v1")
            world.suite(["hi"])
            run = world.check("suite.yaml", exit=3)
            self.assertIn("certificate", run["results"][0]["error"])
            self.assertEqual(seen, [])  # nothing was sent, the key least of all
            world.environment["SSL_CERT_FILE"] = str(world.folder / "cert.pem")
            run = world.check("suite.yaml")
            self.assertEqual(run["results"][0]["response"], "hi")
            listener.close()


class Recordings(WithServer):
    def test_a_replayed_run_is_identical(self):
        self.world.suite(["What is 15 * 7?", 'cost=0.5 say "x"', "fail=500x99", "nul", "tool"],
                         repeat=3, threads=8, system_prompt="be brief", name="suite.yaml")
        first = self.world.vibe("check", "suite.yaml", "--json", "--record", "r.jsonl", exit=3)
        self.server.reset()
        second = self.world.vibe("check", "suite.yaml", "--json", "-m", "replay:r.jsonl", exit=3)
        self.assertEqual(steady(first), steady(second))
        self.assertIn('"tries": 5', second)
        self.assertEqual(self.server.stats()["requests"], 0)

    def test_a_recording_without_the_answer_names_the_prompt(self):
        self.world.suite(['say "a"'])
        self.world.vibe("check", "suite.yaml", "--record", "r.jsonl")
        self.world.suite(['say "a"', "Where is the moon?"])
        self.world.vibe("check", "suite.yaml", "-m", "replay:r.jsonl", exit=2)
        self.assertIn("Where is the moon?", self.world.errors)
        self.assertIn("E0607", self.world.errors)

    def test_only_recordings_are_replaced(self):
        suite = self.world.suite(['say "a"'])
        self.world.vibe("check", "suite.yaml")
        os.symlink(suite, self.world.folder / "link")
        for name in ("suite.yaml", "link", ".vibecheck/vibecheck.db"):
            path = self.world.folder / name
            before = path.read_bytes()
            self.world.vibe("check", "suite.yaml", "--record", str(path), exit=2)
            self.assertIn("is not a recording", self.world.errors)
            self.assertEqual(path.read_bytes()[:16], before[:16])
        self.world.vibe("check", "suite.yaml", "--record", "r.jsonl")
        self.world.vibe("check", "suite.yaml", "--record", "r.jsonl")

    def test_a_resumed_recording_is_whole(self):
        self.world.suite(['say "a"', "fail=503x5 say \"b\"", 'say "c"'], threads=1)
        self.world.environment["VIBECHECK_RETRY_SCALE"] = "1000"
        process = self.world.start("check", "suite.yaml", "--record", "r.jsonl")
        deadline = time.monotonic() + 60
        while self.server.stats()["requests"] < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.world.environment["VIBECHECK_RETRY_SCALE"] = "0"
        self.world.vibe("check", "--retry-failed", "last", "--record", "r.jsonl", exit=2)
        first = self.world.check("--resume", "last", "--record", "r.jsonl")
        second = self.world.check("suite.yaml", "-m", "replay:r.jsonl")
        self.assertEqual(unpaid(first), unpaid(second))
        self.assertEqual({result["paid"] for result in second["results"]}, {0})

    def test_cached_answers_are_recorded(self):
        self.world.suite(['say "a"'])
        self.world.vibe("check", "suite.yaml", "--cache")
        self.world.vibe("check", "suite.yaml", "--cache", "--record", "r.jsonl")
        self.world.vibe("check", "suite.yaml", "-m", "replay:r.jsonl")

    def test_a_secret_in_an_answer_is_judged_alike_when_replayed(self):
        self.world.vibe("set", "secret", "token", "s3cr3t-value")
        self.world.suite(["say \"it is {{secret('token')}}\""],
                         checks="[match: \"*{{secret('token')}}*\", max_tokens: 12]")
        first = self.world.vibe("check", "suite.yaml", "--json", "--record", "r.jsonl")
        second = self.world.vibe("check", "suite.yaml", "--json", "-m", "replay:r.jsonl")
        self.assertEqual(steady(first), steady(second))

    def test_secrets_are_not_recorded_and_replay_works_without_them(self):
        self.world.vibe("set", "secret", "token", "s3cr3t-value")
        self.world.suite(["say \"{{secret('token')}} is it\""], checks='[match: "*is it*"]')
        first = self.world.vibe("check", "suite.yaml", "--json", "--record", "r.jsonl")
        self.assertNotIn("s3cr3t-value", first)
        self.assertNotIn("s3cr3t-value", (self.world.folder / "r.jsonl").read_text())
        self.world.vibe("set", "secret", "token", "another")
        second = self.world.vibe("check", "suite.yaml", "--json", "-m", "replay:r.jsonl")
        self.assertEqual(steady(first), steady(second))


class NothingButErrors(WithServer):
    SAID = "every sample ended in an error: HTTP 401"

    def run_it(self, *more, exit=3):
        self.world.suite(["fail=401x99 a", "fail=401x99 b"])
        with open(self.world.folder / "suite.yaml", "a", encoding="utf-8") as file:
            file.write("score: {formula: 10 + success_pct / total_cost, on_undefined: 7}\n")
        return self.world.vibe("check", "suite.yaml", *more, exit=exit)

    def test_there_is_no_score(self):
        self.assertIn(f"Score: N/A ({self.SAID}", self.run_it("--min-success", "0"))
        self.assertIn("Gate: failed, every sample ended in an error", self.run_it("--min-success", "0"))
        run = json.loads(self.run_it("--json"))
        self.assertIsNone(run["score"])
        self.assertTrue(run["score_error"].startswith(self.SAID), run["score_error"])
        self.assertEqual((run["success_percentage"], run["metrics"]["success_pct"]), ("0", 0))
        self.assertIn(f"Score: N/A ({self.SAID}", self.world.vibe("get", "run", "last"))
        self.assertIn(f"Score: N/A ({self.SAID}", self.world.vibe("get", "run", "last", "--explain").split("\n\n")[-1])
        self.assertIsNone(self.world.run()["score"])

    def test_in_the_files_about_it(self):
        self.run_it("--junit", "r.xml", "--markdown", "r.md", "--html", "r.html")
        for name, no_score in (("r.xml", None), ("r.md", "no score"), ("r.html", None)):
            text = (self.world.folder / name).read_text()
            self.assertIn("every sample ended in an error", text, name)
            self.assertNotIn("0.00</", text, name)
            if no_score:
                self.assertIn(no_score, text)

    def test_trends_leave_it_out(self):
        self.world.suite(["a"])
        self.world.check("suite.yaml")
        self.run_it()
        self.world.suite(["a"])
        self.world.check("suite.yaml")
        last = self.world.vibe("get", "runs").splitlines()[-1]
        self.assertRegex(last, r"^s openai/gpt-4o-mini  ▅▅  100.00 → 100.00$")

    def test_some_errors_are_a_note(self):
        self.world.suite(["fail=401x99 a", "b", "c"])
        shown = self.world.vibe("check", "suite.yaml", exit=3)
        self.assertIn("Score: 66.67", shown)
        self.assertIn("Note: 1 of 3 samples ended in an error and count as not passed\n", shown)
        self.assertIn("Note: 1 of 3 samples", self.world.vibe("get", "run", "last"))


class AtWork(WithServer):
    def test_a_list_counts_the_results_so_far(self):
        self.world.suite(['say "a"', 'say "b"', "latency=60000 c"], threads=1)
        process = self.world.start("check", "suite.yaml")
        try:
            end = time.monotonic() + 60
            while True:
                runs = json.loads(self.world.vibe("get", "runs", "--json"))["runs"]
                if runs and runs[0]["results_count"] == "2":
                    break
                self.assertLess(time.monotonic(), end, runs)
            self.assertEqual((runs[0]["status"], runs[0]["evals_passed"]), ("running", "2"))
            self.assertIn("100.0%", self.world.vibe("get", "runs"))
        finally:
            process.kill()
            process.communicate()


class Secrets(WithServer):
    def test_a_secret_of_one_letter(self):
        self.world.vibe("set", "secret", "shorty", "e")
        self.world.suite(["say \"see {{secret('shorty')}}\"", "fail=400x99 {{secret('shorty')}}"],
                         checks='[max_tokens: 1, equals: "x"]')
        run = self.world.check("suite.yaml", exit=3)
        answered, failed = run["results"]
        self.assertEqual(answered["eval_name"], "e0")
        self.assertEqual(answered["response"], "s[shorty][shorty] [shorty]")
        self.assertRegex(answered["check_results"][0]["message"], r"^Token count: \d tokens \(max: 1\)$")
        self.assertEqual(answered["check_results"][1]["message"],
                         'Response is "s[shorty][shorty] [shorty]", not "x"')
        self.assertRegex(failed["error"], "^HTTP 400")
        # the address came in by a template, the words around it did not
        self.world.suite(["hi"])
        text = (self.world.folder / "suite.yaml").read_text()
        self.world.write("suite.yaml", text.replace("metadata:\n", "metadata:\n  mcp_server: {url: \"http://127.0.0.1:1/"
                                                    "{{secret('shorty')}}\", name: \"th{{secret('shorty')}}m\"}\n"))
        self.world.vibe("check", "suite.yaml", exit=2)
        self.assertIn("the tool server `th[shorty]m` cannot be used: no connection: cannot connect to 127.0.0.1:1: "
                      "connection refused", self.world.errors.lower())

    def test_a_secret_in_an_answer_is_nowhere(self):
        self.world.vibe("set", "secret", "token", "s3cr3t-value")
        self.world.vibe("set", "var", "who", "Ada")
        self.world.suite(["say \"{{var('who')}}: {{secret('token')}}\""], checks='[equals: "x"]')
        shown = self.world.vibe("check", "suite.yaml", exit=1) + self.world.errors
        shown += self.world.vibe("get", "run", "last", "--responses")
        self.assertIn("Ada: [token]", shown)
        self.assertNotIn("s3cr3t-value", shown)
        for path in (self.world.folder / ".vibecheck").rglob("*"):
            if path.is_file():
                self.assertNotIn(b"s3cr3t-value", path.read_bytes(), path)
        self.assertIn("s3cr3t-value", json.dumps(self.server.stats()))  # the model did get it

    def test_an_unknown_name_fails_before_anything_is_sent(self):
        self.world.suite(["{{var('who')}}", "{{secret('token')}}"])
        self.world.vibe("check", "suite.yaml", exit=2)
        self.assertIn("there is no variable `who`", self.world.errors)
        self.assertIn("there is no secret `token`", self.world.errors)
        self.assertEqual(self.server.stats()["requests"], 0)

    def test_a_prompt_that_would_be_too_large_is_refused(self):
        self.world.vibe("set", "var", "long", "x" * 60_000)
        self.world.suite(["hi", "{{var('long')}}" * 80_000])
        self.world.vibe("check", "suite.yaml", exit=2)  # 5 GB were it filled
        self.assertIn("`e1` would be 4.5 GiB when its templates are filled, more than the limit of 4 MiB",
                      self.world.errors)
        self.assertEqual(self.server.stats()["requests"], 0)
        self.world.suite(["{{var('long')}}" * 85])
        self.world.write(".vibecheck/config.yaml", "max_prompt_mib: 5\nmax_plan_mib: 4\n")
        self.world.vibe("check", "suite.yaml", exit=2)
        self.assertIn("this run, 1 sample, would be 4.9 MiB", self.world.errors)
        self.world.environment["VIBECHECK_MAX_PLAN_MIB"] = "10"
        self.world.vibe("check", "suite.yaml", "--dry-run")

    def test_templates_of_a_given_system_prompt_are_filled(self):
        self.world.vibe("set", "secret", "token", "s3cr3t-value")
        self.world.suite(['say "a"', "fail=401"])
        self.world.vibe("check", "suite.yaml", "-s", "{{var('no')}}", exit=2)
        run = self.world.check("suite.yaml", "-s", "key {{secret('token')}}", exit=3)
        self.assertEqual(run["system_prompt"], "key [token]")
        self.server.reset()
        self.world.check("--retry-failed", run["id"], exit=3)
        self.assertIn("key s3cr3t-value", json.dumps(self.server.stats()))

    def test_a_model_cannot_hold_a_secret(self):
        self.world.suite(["hi"], model="exec:echo {{secret('token')}}")
        self.world.vibe("check", "suite.yaml", exit=2)
        self.assertIn("E0314", self.world.errors)

    def test_the_cache_holds_no_secret(self):
        self.world.vibe("set", "secret", "token", "s3cr3t-value")
        self.world.suite(["say \"{{secret('token')}}\""])
        self.world.check("suite.yaml", "--cache")
        for path in (self.world.folder / ".vibecheck").rglob("*"):
            self.assertNotIn(b"s3cr3t-value", path.read_bytes() if path.is_file() else b"", path)

    def test_a_key_that_an_error_repeats_is_redacted(self):
        self.world.environment["OPENAI_API_KEY"] = "sk-very-secret"
        self.world.suite(["fail=401"])
        shown = self.world.vibe("check", "suite.yaml", exit=3) + self.world.errors
        self.assertNotIn("sk-very-secret", shown)


class Options(WithServer):
    def test_cache_keeps_the_first_answer(self):
        self.world.suite(["latency=30", 'say "b"'], repeat=2)
        first = self.world.check("suite.yaml", "--cache")
        self.assertEqual(self.server.stats()["requests"], 4)
        second = self.world.check("suite.yaml", "--cache")
        self.assertEqual(self.server.stats()["requests"], 4)
        for a, b in zip(first["results"], second["results"]):
            self.assertEqual(b.pop("cached"), True)
            self.assertGreater(a.pop("paid"), 0)
            self.assertEqual(b.pop("paid"), 0)
            self.assertEqual(a, b)
        self.world.check("suite.yaml")  # off by default
        self.assertEqual(self.server.stats()["requests"], 8)

    def test_budget_stops_before_it_is_exceeded(self):
        # Much dearer than its price, which the first answer would tell when many are in flight.
        self.world.suite([f"latency={200 if i else 1} cost=0.0005 {i}" for i in range(40)],
                         model="mistralai/mistral-nemo", max_output_tokens=1000, threads=20)
        run = self.world.check("suite.yaml", "--budget", "0.003", exit=3)
        self.assertLessEqual(float(run["total_cost"]), 0.003)
        self.assertLess(int(run["results_count"]), 40)
        self.assertRegex(run["error"], r"the budget of \$0\.0030 was used up after \d+ of 40 samples")
        # What does not even fit the first sample was not used up; what is said to be enough is.
        run = self.world.check("suite.yaml", "--budget", "0.000001", exit=3)
        said = re.fullmatch(r"the budget of \$0\.0000010 is not enough for the first sample, which may cost up to "
                            r"\$([\d.e-]+)", run["error"])
        self.assertTrue(said, run["error"])
        self.assertEqual(run["results_count"], "0")
        run = self.world.check("suite.yaml", "--budget", said[1], "-t", "1", exit=3)
        self.assertEqual(run["results_count"], "1")
        self.world.suite(["hi"], model="mistralai/unheard-of")
        self.world.vibe("check", "suite.yaml", "--budget", "1", exit=2)
        self.assertIn("E0609", self.world.errors)

    def test_dry_run_sends_nothing(self):
        self.world.suite(["What is 1 + 1?"] * 5)
        shown = self.world.vibe("check", "suite.yaml", "--dry-run")
        self.assertIn("5 requests", shown)
        self.assertRegex(shown, r"about \$0\.\d+")
        self.assertEqual(self.server.stats()["requests"], 0)
        self.assertIn("no runs", self.world.vibe("get", "runs").lower())

    def test_dry_run_leaves_a_recording_alone(self):
        self.world.write("r.jsonl", "precious")
        self.world.suite(["hi"])
        self.world.vibe("check", "suite.yaml", "--dry-run", "--record", "r.jsonl")
        self.assertEqual((self.world.folder / "r.jsonl").read_text(), "precious")

    def test_threads_from_the_configuration(self):
        self.world.write(".vibecheck.yaml", "threads: 9\n")
        self.world.suite(["hi"])
        self.assertIn("9 in flight", self.world.vibe("check", "suite.yaml", "--dry-run"))
        self.world.suite(["hi"], threads=2)
        self.assertIn("2 in flight", self.world.vibe("check", "suite.yaml", "--dry-run"))
        self.assertIn("3 in flight", self.world.vibe("check", "suite.yaml", "--dry-run", "-t", "3"))

    def test_several_models_end_in_a_comparison(self):
        self.world.suite(["What is 15 * 7?", 'say "b"'])
        shown = self.world.vibe("check", "suite.yaml", "-m", "openai/gpt-4o-mini,ollama/llama3")
        self.assertIn("* best in its column", shown)
        self.assertRegex(shown, r"ollama/llama3 .*\$0\.0000\*")
        runs = json.loads(self.world.vibe("check", "suite.yaml", "--json", "-m",
                                          "openai/gpt-4o-mini,ollama/llama3"))
        self.assertEqual([run["model"] for run in runs], ["openai/gpt-4o-mini", "ollama/llama3"])

    def test_a_pattern_of_models(self):
        self.world.suite(["hi"])
        self.world.vibe("check", "suite.yaml", "-m", "openai/gpt-4o-mini*", "--dry-run")
        self.world.vibe("check", "suite.yaml", "-m", "nobody/*", exit=2)
        self.assertIn("E0601", self.world.errors)

    def test_only_a_part(self):
        self.world.suite(["a", "b", "c"])
        run = self.world.check("suite.yaml", "--only", "e1")
        self.assertEqual([one["eval_name"] for one in run["results"]], ["e1"])

    def test_gates(self):
        self.world.suite(['say "a"', 'say "b"'], checks='[match: "a"]')
        self.world.vibe("check", "suite.yaml")
        self.world.vibe("check", "suite.yaml", "--min-success", "60", exit=1)
        self.world.vibe("check", "suite.yaml", "--min-score", "50.1", exit=1)
        self.world.vibe("check", "suite.yaml", "--min-score", "50")

    def test_a_stored_suite_by_its_name(self):
        self.world.suite(['say "a"'])
        self.world.vibe("check", "suite.yaml")
        os.remove(self.world.folder / "suite.yaml")
        self.world.vibe("check", "s")
        self.world.vibe("check", "sss", exit=2)

    def test_run_timeout(self):
        self.world.suite(["latency=600000", "latency=600000"])
        run = self.world.check("suite.yaml", "--run-timeout", "0.2", exit=3)
        self.assertEqual(run["status"], "timed_out")
        self.assertEqual(run["results_count"], "0")

    def test_retry_failed_asks_only_what_errored(self):
        self.world.suite(['say "a"', 'fail=500x5 say "b"', 'say "c"'])
        run = self.world.check("suite.yaml", exit=3)
        asked = self.server.stats()["requests"]
        again = self.world.check("--retry-failed", run["id"])
        self.assertEqual(again["id"], run["id"])
        self.assertEqual(again["status"], "completed")
        self.assertEqual([one["response"] for one in again["results"]], ["a", "b", "c"])
        self.assertEqual(self.server.stats()["requests"], asked + 1)
        self.world.vibe("check", "--retry-failed", run["id"], exit=2)


class Interrupted(WithServer):
    def wait_for_results(self, count):
        path = self.world.folder / ".vibecheck/vibecheck.db"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                    if database.execute("SELECT count(*) FROM results").fetchone()[0] >= count:
                        return
            except sqlite3.OperationalError:
                pass
            time.sleep(0.01)
        self.fail("no results came")

    def test_ctrl_c_keeps_the_results_so_far(self):
        self.world.suite(['say "a"', 'say "b"'] + ["latency=60000"] * 10, threads=4)
        process = self.world.start("check", "suite.yaml")
        self.wait_for_results(2)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, output + errors)
        self.assertIn(b"--resume", errors)
        run = self.world.run()
        self.assertEqual(run["status"], "cancelled")
        self.assertEqual(len(run["results"]), 2)

    def test_resume_asks_what_is_missing(self):
        # The server keeps the last two waiting until it is told to forget them.
        self.world.suite(['say "a"', 'say "b"'] + [f"fail=503x99 {i}" for i in range(2)], threads=2)
        self.world.environment["VIBECHECK_RETRY_SCALE"] = "1000"
        process = self.world.start("check", "suite.yaml")
        self.wait_for_results(2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(len(self.world.run()["results"]), 2)
        asked = self.server.stats()["requests"]
        self.world.environment["VIBECHECK_RETRY_SCALE"] = "0"
        run = self.world.check("--resume", "last", exit=3)
        self.assertEqual(self.server.stats()["requests"] - asked, 2 * 5)
        self.assertEqual(run["status"], "partial_failure")
        self.assertEqual(run["results_count"], "4")
        self.world.vibe("check", "--resume", run["id"], exit=2)

    def test_an_interrupted_retry_keeps_every_result(self):
        self.world.suite(['say "a"', "fail=503x99 1", "fail=503x99 2"], threads=1)
        run = self.world.check("suite.yaml", exit=3)
        self.world.environment["VIBECHECK_RETRY_SCALE"] = "1000"
        asked = self.server.stats()["requests"]
        process = self.world.start("check", "--retry-failed", run["id"])
        deadline = time.monotonic() + 60
        while self.server.stats()["requests"] == asked and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        after = self.world.run(run["id"])
        self.assertEqual(after["status"], "cancelled")
        self.assertEqual(after["results_count"], "3")
        self.assertEqual(len(after["results"]), 3)

    def test_going_on_does_not_store_the_old_suite_again(self):
        self.world.suite(['say "a"', "fail=401"])
        run = self.world.check("suite.yaml", exit=3)
        self.world.suite(['say "new"'])
        self.world.vibe("set", "suite", "-f", "suite.yaml")
        self.world.vibe("check", "--retry-failed", run["id"], exit=3)
        self.assertIn("new", self.world.vibe("get", "suite", "s"))

    def test_a_changed_check_is_another_plan(self):
        self.world.vibe("set", "var", "wanted", "a")
        self.world.suite(['say "a"', "fail=401"], checks="[match: \"{{var('wanted')}}\"]")
        run = self.world.check("suite.yaml", exit=3)
        self.world.vibe("set", "var", "wanted", "b")
        self.world.vibe("check", "--retry-failed", run["id"], exit=2)
        self.assertIn("E0611", self.world.errors)

    def test_a_second_run_leaves_the_first_alone(self):
        self.world.suite(['say "a"', "latency=60000"], threads=2)
        process = self.world.start("check", "suite.yaml")
        self.wait_for_results(1)
        self.world.suite(['say "b"'], name="other.yaml")
        self.world.vibe("check", "other.yaml")
        runs = json.loads(self.world.vibe("get", "runs", "--json"))["runs"]
        self.assertEqual([run["status"] for run in runs], ["completed", "running"])
        self.world.vibe("check", "--resume", runs[1]["id"], exit=3)  # held by the first
        self.assertIn("E0705", self.world.errors)
        self.world.vibe("stop", runs[1]["id"])
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_a_second_ctrl_c_kills(self):
        self.world.suite(["latency=60000"])
        process = self.world.start("check", "suite.yaml")
        deadline = time.monotonic() + 60
        while self.server.stats()["requests"] == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)  # both arrive before it can react to the first
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (-signal.SIGINT, -signal.SIGTERM))


class Stores(WithServer):
    def test_a_store_of_a_newer_version(self):
        self.world.suite(['say "a"'])
        self.world.vibe("check", "suite.yaml")
        path = self.world.folder / ".vibecheck/vibecheck.db"
        with sqlite3.connect(path) as database:
            database.execute("INSERT INTO schema_versions SELECT max(number) + 1000, what, "
                             "applied_at FROM schema_versions")
        self.world.vibe("check", "suite.yaml", exit=3)
        self.assertIn("E0702", self.world.errors)

    def test_secrets_without_their_key(self):
        self.world.vibe("set", "secret", "token", "value")
        self.world.suite(["{{secret('token')}}"])
        os.remove(self.world.folder / ".vibecheck/secret.key")
        self.world.vibe("check", "suite.yaml", exit=3)
        self.assertIn("E0704", self.world.errors)
        self.assertEqual(self.server.stats()["requests"], 0)

    def test_without_the_http_library(self):
        self.world.write("libcurl.so.4", "no library")
        self.world.environment["LD_LIBRARY_PATH"] = str(self.world.folder)
        self.world.suite(["hi"])
        self.world.vibe("check", "suite.yaml", exit=2)
        self.assertIn("E0612", self.world.errors)
        self.world.suite(["hi"], model="exec:cat")  # needs none
        self.world.vibe("check", "suite.yaml")

    def test_a_store_that_cannot_be_used_is_found_before_anything_is_sent(self):
        self.world.suite(["hi"])
        home = self.world.folder / ".vibecheck"
        home.mkdir()
        database = home / "vibecheck.db"
        for content in (b"this is not a database" * 100, os.urandom(8192)):
            database.write_bytes(content)
            self.world.vibe("check", "suite.yaml", exit=3)
            self.assertIn("E0703", self.world.errors)
            self.assertEqual(database.read_bytes(), content)  # nothing was overwritten
        self.assertEqual(self.server.stats()["requests"], 0)

    def test_a_home_that_cannot_be_made(self):
        self.world.write("file", "")
        self.world.environment["VIBECHECK_HOME"] = str(self.world.folder / "file" / "home")
        self.world.suite(["hi"])
        self.world.vibe("check", "suite.yaml", exit=3)
        self.assertIn("E0701", self.world.errors)

    def test_a_full_disk_is_said_and_loses_nothing(self):
        self.world.suite([f"huge=20000 {i}" for i in range(60)], threads=1)
        done = subprocess.run(["bash", "-c", f"ulimit -f 400; exec '{os.environ['VIBE']}' check "
                               "suite.yaml"], env=self.world.environment, cwd=self.world.folder,
                              capture_output=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn(b"E0701", done.stderr)
        kept = len(self.world.run()["results"])
        self.assertGreater(kept, 0)
        self.assertLess(kept, 60)
        run = self.world.check("--resume", "last")
        self.assertEqual(run["results_count"], "60")

    def test_two_runs_at_once(self):
        self.world.suite([f"What is {i} + 1?" for i in range(200)], threads=16)
        processes = [self.world.start("check", "suite.yaml", "--json") for _ in range(4)]
        for process in processes:
            output, errors = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(json.loads(output)["evals_passed"], "200")
        self.assertEqual(len(json.loads(self.world.vibe("get", "runs", "--json"))["runs"]), 4)


if __name__ == "__main__":
    unittest.main()
