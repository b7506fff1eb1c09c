#!/usr/bin/env python3
"""`vibe serve` as a process: what it says, where it listens, how it ends. Needs VIBE, VIBE_BUILD and VIBE_SOURCE."""
import ctypes
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import Answer, ModelServer, ServeWorld, wait_until  # noqa: E402
from faulty_run import start_run, sums_suite  # noqa: E402


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


def is_running(group):
    """Whether a process of this group is left that does anything."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                state, _, its_group = file.read().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == group and state != "Z":
            return True
    return False


class ServeTest(unittest.TestCase):
    def setUp(self):
        self.world = self.enterContext(ServeWorld(is_started=False))

    def health(self):
        return self.world.ask("GET", "/healthz").status


class Starting(ServeTest):
    def test_the_first_start_makes_an_organisation_and_says_its_key_once(self):
        world = self.world.serve()
        key, lines = world.key, world.lines
        self.assertIsNotNone(key)
        self.assertEqual(self.health(), 200)
        self.assertEqual(world.ask("GET", "/readyz").status, 200)
        self.assertEqual(world.ask("GET", "/api/orginfo", key="vibe_wrong").status, 401)
        first = world.ask("GET", "/api/orginfo")
        self.assertEqual((first.status, first.json["slug"]), (200, "default"))
        self.assertEqual(world.stop(), 0)
        self.assertEqual(sum(key in line for line in lines), 1)
        self.assertNotIn(key, world.problems())
        world.serve()
        again = world.ask("GET", "/api/orginfo")
        self.assertEqual((again.status, again.json), (200, first.json))
        self.assertEqual(world.stop(), 0)
        self.assertEqual(len(world.lines), 1, world.lines)

    def test_what_was_run_before_is_served(self):
        self.world.write("answer.sh", "echo 4\n")
        self.world.suite(["2 + 2"], model="exec:sh answer.sh")
        self.world.vibe("check", "suite.yaml")
        answer = self.world.serve().ask("GET", "/api/runs")
        self.assertEqual((answer.status, len(answer.json["runs"])), (200, 1))
        self.assertEqual(self.world.stop(), 0)

    def test_flags_come_before_the_configuration(self):
        world = self.world
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            world.write(".vibecheck/config.yaml", f"serve: {{port: {port}, access_log: access.jsonl}}\n")
            said = world.refused(exit=3)
            self.assertIn("E1101", said)
            self.assertIn(str(port), said)
            world.serve("--access-log", "other.jsonl", is_logged=False)
            self.assertEqual(self.health(), 200)
            self.assertEqual(world.stop(), 0)
        self.assertIn("/healthz", (world.folder / "other.jsonl").read_text())
        access = world.home / "access.jsonl"
        self.assertFalse(access.exists() and access.read_text())
        world.serve(port=None, is_logged=False)
        self.assertEqual(world.port, port)
        self.assertEqual(self.health(), 200)
        self.assertEqual(world.stop(), 0)
        self.assertIn("/healthz", access.read_text())

    def test_a_project_says_nothing_about_serving(self):
        self.world.write(".vibecheck.yaml", "serve: {exec_checks: true}\n")
        self.assertIn("E0603", self.world.refused(exit=2))

    def test_bad_usage(self):
        for words in (["--port", "65536"], ["--port", "http"], ["--workers", "0"], ["--lease", "0"], ["--host", ""],
                      ["--tls-cert", "a.pem"], ["--tls-key", "a.pem"], ["here"]):
            with self.subTest(words=words):
                self.assertIn("E0503", self.world.refused(*words, exit=2))

    def test_a_log_that_cannot_be_written(self):
        self.assertIn("E0505", self.world.refused("--port", "0", "--access-log", "none/access.jsonl", exit=3))

    def test_without_a_home_that_can_be_written(self):
        self.world.write("file", "")
        self.world.environment["VIBECHECK_HOME"] = str(self.world.folder / "file")
        self.assertIn("E0701", self.world.refused("--port", "0", exit=3))

    def test_a_port_that_is_taken(self):
        with ServeWorld() as other:
            self.assertIn(str(other.port), self.world.refused("--port", str(other.port), exit=3))


class Addresses(ServeTest):
    def test_public_ones_need_tls(self):
        for host in ("0.0.0.0", "::", "[::]", "0", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "169.254.1.1", "10.0.0.1"):
            with self.subTest(host=host):
                said = self.world.refused("--host", host, "--port", "0", exit=2)
                self.assertIn("E1102", said)
                self.assertIn("--insecure", said)

    def test_names_may_resolve_to_one(self):
        self.assertIn("E1102", self.world.refused("--host", socket.gethostname(), "--port", "0", exit=2))

    def test_loopback_needs_none(self):
        for host, shown in (("127.0.0.1", "127.0.0.1"), ("127.0.0.2", "127.0.0.2"), ("[::1]", "[::1]"), ("localhost", "localhost")):
            with self.subTest(host=host):
                if ":" in host and not has_ipv6():
                    self.skipTest("there is no IPv6")
                self.assertEqual(self.world.serve("--host", host).host, shown)
                self.assertEqual(self.world.stop(), 0)

    def test_insecure_is_said_aloud(self):
        self.world.serve("--host", "0.0.0.0", "--insecure")
        self.assertEqual(self.health(), 200)
        self.assertEqual(self.world.stop(), 0)

    def test_every_address_of_a_name(self):
        """Two servers cannot share a port by taking an address each."""
        if subprocess.run(["unshare", "-Urm", "true"], check=False, capture_output=True).returncode:
            self.skipTest("this machine gives nobody a namespace")
        hosts = self.world.write("hosts", "127.0.0.1 localhost\n127.0.0.2 localhost\n127.0.0.1 localhost\n")

        def with_own_hosts():
            libc, private, bind, names, users = ctypes.CDLL(None, use_errno=True), 0x44000, 0x1000, 0x20000, 0x10000000
            assert libc.unshare(names if os.geteuid() == 0 else names | users) == 0
            assert libc.mount(None, b"/", None, private, None) == 0
            assert libc.mount(hosts.encode(), b"/etc/hosts", None, bind, None) == 0

        self.world.preexec_fn = with_own_hosts
        self.world.serve("--host", "localhost")
        port = self.world.port
        for host in ("127.0.0.1", "127.0.0.2"):
            connection = http.client.HTTPConnection(host, port, timeout=60)
            connection.request("GET", "/healthz")
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
        with ServeWorld(is_started=False, preexec_fn=with_own_hosts) as other:
            for host in ("localhost", "127.0.0.2"):
                with self.assertRaisesRegex(RuntimeError, "E1101"):
                    other.serve("--host", host, port=str(port))
            with socket.create_server(("127.0.0.2", 0)) as taken:
                with self.assertRaisesRegex(RuntimeError, "E1101"):
                    other.serve("--host", "localhost", port=str(taken.getsockname()[1]))
        self.assertEqual(self.world.stop(), 0)

    def test_names_that_are_none(self):
        self.assertIn("E1102", self.world.refused("--host", "no-such-host.invalid", "--port", "0", exit=2))
        self.assertIn("E1101", self.world.refused("--host", "no-such-host.invalid", "--port", "0", "--insecure", exit=3))


class Ending(ServeTest):
    def setUp(self):
        self.model = self.enterContext(ModelServer())
        self.world = self.enterContext(ServeWorld(self.model, is_started=False))

    def start_run(self, prompt, samples=1):
        return start_run(self.world, sums_suite(samples, 1, prompt=prompt))

    def wait_for_the_model(self):
        wait_until(lambda: self.model.stats()["requests"] >= 1, "the model to be asked")

    def test_either_signal_ends_it(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.world.serve()
            self.assertEqual(self.health(), 200)
            self.assertEqual(self.world.stop(number), 0)

    def test_a_terminal_that_is_gone_ends_it_where_there_is_no_log(self):
        self.world.serve(is_logged=False)
        self.assertEqual(self.world.stop(signal.SIGHUP), 0)

    def test_a_second_signal_ends_it_at_once(self):
        self.world.serve()
        self.start_run("latency=600000 {}")
        self.wait_for_the_model()
        self.world.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "second signal" in self.world.problems(), "the word that it is stopping")
        self.assertEqual(self.world.stop(), -signal.SIGTERM)

    def test_a_second_signal_ends_programs_as_well(self):
        program = self.world.write("wait", f"#!/bin/sh\necho $$ > {self.world.folder}/pid\nsleep 1000 &\nwait\n")
        os.chmod(program, 0o755)
        self.world.write(".vibecheck/config.yaml", f'serve: {{local_models: ["exec:{program}"]}}\n')
        self.world.serve()
        suite = f"metadata: {{name: s, model: 'exec:{program}'}}\nevals: [{{prompt: p, checks: [match: '*']}}]\n"
        started = self.world.ask("POST", "/api/eval/run", {"evalSuite": None, "yamlContent": suite})
        self.assertEqual(started.status, 200, started.body)
        pid = self.world.folder / "pid"
        wait_until(lambda: pid.exists() and pid.read_text().strip(), "the program")
        group = int(pid.read_text())
        self.world.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "second signal" in self.world.problems(), "the word that it is stopping")
        self.assertEqual(self.world.stop(), -signal.SIGTERM)
        wait_until(lambda: not is_running(group), "the program and what it started to end")

    def test_what_is_left_goes_on_at_the_next_start(self):
        self.world.serve("--lease", "1")
        run = self.start_run("latency=1500 {}", samples=2)
        self.wait_for_the_model()
        self.assertEqual(self.world.stop(), 0)
        answer = self.world.serve().ask("GET", f"/api/eval/status/{run}?wait=60")
        self.assertEqual((answer.json["status"], len(answer.json["results"])), ("completed", 2), answer.body)
        self.assertEqual(self.world.stop(), 0)

    def test_a_held_request_is_answered_before_it_ends(self):
        self.world.serve()
        run = self.start_run("latency=600000 {}")
        connection = self.world.connect()
        self.addCleanup(connection.close)
        connection.request("GET", f"/api/eval/status/{run}", headers=self.world.headers())
        self.wait_for_the_model()
        self.world.process.send_signal(signal.SIGTERM)
        answer = Answer(connection.getresponse())
        self.assertEqual(answer.status, 503)
        self.assertIn("the server is stopping", answer.json["error"])
        self.assertEqual(self.world.wait(), 0)

    def test_clients_that_are_gone_do_not_end_it(self):
        self.world.serve()
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", self.world.port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                client.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: a\r\nX-API-KEY: " + self.world.key.encode() +
                               b"\r\n\r\n")
        self.assertEqual(self.health(), 200)
        self.assertEqual(self.world.stop(), 0)


class Log(ServeTest):
    def test_lines_of_json_without_a_key(self):
        world = self.world.serve()
        self.assertEqual(world.ask("GET", f"/api/runs?limit=7&model={world.key}").status, 200)
        self.assertEqual(world.ask("GET", "/api/runs", key="vibe_guess_0123456789").status, 401)
        self.assertEqual(world.stop(), 0)
        self.assertEqual(sorted((line["path"], line["status"]) for line in world.log_lines()),
                         [("/api/runs", 200), ("/api/runs", 401)])
        text = world.log.read_text()
        self.assertNotIn(world.key, text)
        self.assertNotIn("guess", text)
        self.assertNotIn("limit=7", text)
        self.assertEqual(oct(world.log.stat().st_mode & 0o777), "0o600")

    def test_it_is_opened_again_on_sighup(self):
        log = self.world.serve().log
        self.assertEqual(self.health(), 200)
        wait_until(lambda: "/healthz" in log.read_text(), "the line")
        old = log.rename(log.with_suffix(".old"))
        self.world.process.send_signal(signal.SIGHUP)
        wait_until(log.exists, "the new log")
        self.assertEqual(self.world.ask("GET", "/readyz").status, 200)
        wait_until(lambda: "/readyz" in log.read_text(), "the line")
        self.assertNotIn("/readyz", old.read_text())
        self.assertEqual(self.world.stop(), 0)

    def serve_into_a_pipe(self):
        """The end of a log that nobody reads, unless the caller does."""
        ours, its = os.pipe()
        self.addCleanup(os.close, ours)
        process = super(ServeWorld, self.world).start("serve", "--port", "0", stderr=its)
        os.close(its)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        while not (line := process.stdout.readline().decode()).startswith("listening"):
            self.assertTrue(line)
        self.world.port = int(line.rsplit(":", 1)[1])
        return process, ours

    def ask_often(self, count):
        connection = self.world.connect(60)
        for _ in range(count):
            connection.request("GET", "/healthz/" + "x" * 500)
            self.assertEqual(Answer(connection.getresponse()).status, 404)
        connection.close()

    def test_a_pipe_that_nobody_reads(self):
        """Requests are answered all the same, and it ends when it is told to."""
        process, _ = self.serve_into_a_pipe()
        self.ask_often(3_000)
        self.assertEqual(self.health(), 200)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 0)

    def test_a_pipe_that_is_read_late_says_what_is_missing(self):
        process, log = self.serve_into_a_pipe()
        self.ask_often(3_000)
        process.send_signal(signal.SIGTERM)
        with os.fdopen(os.dup(log), "rb") as file:
            lines = [json.loads(line) for line in file if line.startswith(b"{")]
        self.assertEqual(process.wait(timeout=60), 0)
        kept = sum("path" in line for line in lines)
        dropped = [int(line["problem"].split()[0]) for line in lines if "could not be written" in line.get("problem", "")]
        self.assertEqual((len(dropped), kept + sum(dropped)), (1, 3_000))


if __name__ == "__main__":
    unittest.main()
