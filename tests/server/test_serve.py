#!/usr/bin/env python3
"""`vibe serve` as a process: what it says, where it listens, how it ends. Needs VIBE, VIBE_BUILD and VIBE_SOURCE."""
import http.client
import json
import pathlib
import re
import signal
import socket
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from vibe_world import ModelServer, World  # noqa: E402

SLOW = "latency=600000"  # a model that does not answer while a test lasts


def wait_for(holds, what, seconds=60):
    end = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.02)
    return found


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


class Server:
    """A server on a port of the kernel's choice, and what it said."""

    def __init__(self, world, *words):
        self.process = world.start("serve", *words)
        self.key, self.lines = None, []
        while not (found := re.fullmatch(r"listening on (https?)://(.+):(\d+)", (self.lines or [""])[-1])):
            line = self.process.stdout.readline().decode()
            if not line:
                raise AssertionError(f"{self.lines}\n{self.process.communicate()[1].decode()}")
            self.lines.append(line.rstrip("\n"))
            if key := re.fullmatch(r"admin key: (vibe_\w+)", self.lines[-1]):
                self.key = key[1]
        self.host, self.port = found[2], int(found[3])

    def ask(self, method, path, body=None, key=None):
        """The status and the body, as JSON where it is that."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"X-API-KEY": key or self.key} if key or self.key else {}
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {**headers, "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        is_json = (answer.getheader("Content-Type") or "").startswith("application/json")
        return answer.status, json.loads(text) if is_json else text

    def start_run(self, prompts):
        evals = [{"name": f"e{i}", "prompt": prompt, "checks": [{"match": "*"}]} for i, prompt in enumerate(prompts)]
        suite = {"metadata": {"name": "s", "model": "openai/gpt-4o-mini"}, "evals": evals}
        status, body = self.ask("POST", "/api/eval/run", {"evalSuite": suite})
        assert status in (200, 201, 202), (status, body)
        return body["runId"]

    def end(self, number=signal.SIGTERM):
        """The exit code, with all that it said."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=120)
        self.lines += out.decode().splitlines()
        self.errors = err.decode()
        return self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()


class ServeTest(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.__exit__)

    def serve(self, *words, port="0"):
        server = Server(self.world, *words, *(["--port", port] if port else []))
        self.addCleanup(server.kill)
        return server

    def refused(self, *words, exit):
        """What it says instead of starting."""
        self.world.vibe("serve", *words, exit=exit)
        return self.world.errors


class Starting(ServeTest):
    def test_the_first_start_makes_an_organisation_and_says_its_key_once(self):
        first = self.serve()
        key = first.key
        self.assertIsNotNone(key)
        self.assertEqual(first.ask("GET", "/healthz")[0], 200)
        self.assertEqual(first.ask("GET", "/readyz")[0], 200)
        self.assertEqual(first.ask("GET", "/api/orginfo", key="vibe_wrong")[0], 401)
        status, organisation = first.ask("GET", "/api/orginfo")
        self.assertEqual(status, 200)
        self.assertEqual(first.end(), 0)
        self.assertEqual(sum(key in line for line in first.lines), 1)
        self.assertEqual(organisation["slug"], "default")
        self.assertNotIn(key, first.errors)
        again = self.serve()
        again.key = key
        self.assertEqual(again.ask("GET", "/api/orginfo"), (200, organisation))
        self.assertEqual(again.end(), 0)
        self.assertEqual(len(again.lines), 1, again.lines)

    def test_what_was_run_before_is_served(self):
        self.world.write("answer.sh", "echo 4\n")
        self.world.suite(["2 + 2"], model="exec:sh answer.sh")
        self.world.vibe("check", "suite.yaml")
        server = self.serve()
        status, body = server.ask("GET", "/api/runs")
        self.assertEqual((status, len(body["runs"])), (200, 1))
        self.assertEqual(server.end(), 0)

    def test_flags_come_before_the_configuration(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.world.write(".vibecheck/config.yaml",
                             f"serve: {{port: {port}, access_log: access.jsonl}}\n")
            said = self.refused(exit=3)
            self.assertIn("E1101", said)
            self.assertIn(str(port), said)
            server = self.serve("--access-log", "other.jsonl")
            self.assertEqual(server.ask("GET", "/healthz")[0], 200)
            self.assertEqual(server.end(), 0)
        self.assertIn("/healthz", (self.world.folder / "other.jsonl").read_text())
        access = self.world.folder / ".vibecheck" / "access.jsonl"
        self.assertFalse(access.exists() and access.read_text())
        free = self.serve(port=None)
        self.assertEqual(free.port, port)
        self.assertEqual(free.ask("GET", "/healthz")[0], 200)
        self.assertEqual(free.end(), 0)
        self.assertIn("/healthz", access.read_text())

    def test_a_project_says_nothing_about_serving(self):
        self.world.write(".vibecheck.yaml", "serve: {exec_checks: true}\n")
        self.assertIn("E0603", self.refused(exit=2))

    def test_bad_usage(self):
        for words in (["--port", "65536"], ["--port", "http"], ["--workers", "0"], ["--lease", "0"], ["--host", ""],
                      ["--tls-cert", "a.pem"], ["--tls-key", "a.pem"], ["here"]):
            with self.subTest(words=words):
                self.assertIn("E0503", self.refused(*words, exit=2))

    def test_a_log_that_cannot_be_written(self):
        self.assertIn("E0505", self.refused("--port", "0", "--access-log", "none/access.jsonl", exit=3))

    def test_without_a_home_that_can_be_written(self):
        self.world.write("file", "")
        self.world.environment["VIBECHECK_HOME"] = str(self.world.folder / "file")
        self.assertIn("E0701", self.refused("--port", "0", exit=3))


class Addresses(ServeTest):
    def test_public_ones_need_tls(self):
        for host in ("0.0.0.0", "::", "[::]", "0", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "169.254.1.1", "10.0.0.1"):
            with self.subTest(host=host):
                said = self.refused("--host", host, "--port", "0", exit=2)
                self.assertIn("E1102", said)
                self.assertIn("--insecure", said)

    def test_names_may_resolve_to_one(self):
        self.assertIn("E1102", self.refused("--host", socket.gethostname(), "--port", "0", exit=2))

    def test_loopback_needs_none(self):
        for host, shown in (("127.0.0.1", "127.0.0.1"), ("127.0.0.2", "127.0.0.2"), ("[::1]", "[::1]"), ("localhost", "localhost")):
            with self.subTest(host=host):
                if ":" in host and not has_ipv6():
                    self.skipTest("there is no IPv6")
                server = self.serve("--host", host)
                self.assertEqual(server.host, shown)
                self.assertEqual(server.end(), 0)

    def test_insecure_is_said_aloud(self):
        server = self.serve("--host", "0.0.0.0", "--insecure")
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        self.assertEqual(server.end(), 0)

    def test_names_that_are_none(self):
        self.assertIn("E1102", self.refused("--host", "no-such-host.invalid", "--port", "0", exit=2))
        self.assertIn("E1101", self.refused("--host", "no-such-host.invalid", "--port", "0", "--insecure", exit=3))


class Ending(ServeTest):
    def setUp(self):
        self.model = ModelServer().start()
        self.addCleanup(self.model.stop)
        self.world = World(self.model)
        self.addCleanup(self.world.__exit__)

    def test_either_signal_ends_it(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.serve()
            self.assertEqual(server.ask("GET", "/healthz")[0], 200)
            self.assertEqual(server.end(number), 0)

    def test_a_terminal_that_is_gone_ends_it_where_there_is_no_log(self):
        server = self.serve()
        self.assertEqual(server.end(signal.SIGHUP), 0)

    def test_a_second_signal_ends_it_at_once(self):
        server = self.serve()
        server.start_run([SLOW])
        wait_for(lambda: self.model.stats()["requests"] >= 1, "the model to be asked")
        server.process.send_signal(signal.SIGTERM)
        self.assertIn(b"second signal", self.read_error_line(server, b"stopping"))
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(timeout=120), -signal.SIGTERM)

    def read_error_line(self, server, begins):
        for line in server.process.stderr:
            if line.startswith(begins):
                return line
        raise AssertionError("standard error has ended")

    def test_what_is_left_goes_on_at_the_next_start(self):
        server = self.serve("--lease", "1")
        run = server.start_run(["latency=1500 first", "second"])
        wait_for(lambda: self.model.stats()["requests"] >= 1, "the model to be asked")
        self.assertEqual(server.end(), 0)
        again = self.serve()
        again.key = server.key
        status, body = again.ask("GET", f"/api/eval/status/{run}?wait=60")
        self.assertEqual(status, 200)
        self.assertEqual((body["status"], len(body["results"])), ("completed", 2), body)
        self.assertEqual(again.end(), 0)

    def test_a_held_request_is_answered_before_it_ends(self):
        server = self.serve()
        run = server.start_run([SLOW])
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", f"/api/eval/status/{run}", headers={"X-API-KEY": server.key})
        wait_for(lambda: self.model.stats()["requests"] >= 1, "the model to be asked")
        server.process.send_signal(signal.SIGTERM)
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        self.assertNotEqual(json.loads(answer.read())["status"], "completed")
        connection.close()
        self.assertEqual(server.process.wait(timeout=120), 0)

    def test_clients_that_are_gone_do_not_end_it(self):
        server = self.serve()
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                client.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: a\r\nX-API-KEY: " + server.key.encode() +
                               b"\r\n\r\n")
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        self.assertEqual(server.end(), 0)


class Log(ServeTest):
    def test_lines_of_json_without_a_key(self):
        server = self.serve("--access-log", "access.jsonl")
        key = server.key
        self.assertEqual(server.ask("GET", f"/api/runs?limit=7&model={key}")[0], 200)
        self.assertEqual(server.ask("GET", "/api/runs", key="vibe_guess_0123456789")[0], 401)
        self.assertEqual(server.end(), 0)
        text = (self.world.folder / "access.jsonl").read_text()
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(sorted((line["path"], line["status"]) for line in lines),
                         [("/api/runs", 200), ("/api/runs", 401)])
        self.assertNotIn(key, text)
        self.assertNotIn("guess", text)
        self.assertNotIn("limit=7", text)
        self.assertEqual(oct((self.world.folder / "access.jsonl").stat().st_mode & 0o777), "0o600")

    def test_it_is_opened_again_on_sighup(self):
        server = self.serve("--access-log", "access.jsonl")
        log = self.world.folder / "access.jsonl"
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        wait_for(lambda: "/healthz" in log.read_text(), "the line")
        log.rename(self.world.folder / "access.jsonl.1")
        server.process.send_signal(signal.SIGHUP)
        wait_for(log.exists, "the log to be begun anew")
        self.assertEqual(server.ask("GET", "/readyz")[0], 200)
        wait_for(lambda: "/readyz" in log.read_text(), "the line")
        self.assertNotIn("/readyz", (self.world.folder / "access.jsonl.1").read_text())
        self.assertEqual(server.end(), 0)


if __name__ == "__main__":
    unittest.main()
