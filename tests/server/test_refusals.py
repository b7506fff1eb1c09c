#!/usr/bin/env python3
"""What the command line says where a server refuses: each has its code and its exit code. Needs VIBE, VIBE_BUILD and
VIBE_SOURCE."""
import http.server
import pathlib
import socket
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from serve_world import ModelServer, ServeWorld, World  # noqa: E402


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = ModelServer().start()
        cls.addClassCleanup(cls.model.stop)
        cls.server = ServeWorld(cls.model)
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self):
        self.world = World(VIBECHECK_API_URL=f"http://127.0.0.1:{self.server.port}", VIBECHECK_API_KEY=self.server.key)
        self.addCleanup(self.world.__exit__)

    def key(self, name, *limits, role="run"):
        """Of an organisation of its own."""
        self.server.vibe("orgs", "create", name, *limits)
        return self.server.vibe("keys", "create", "--org", name, "--role", role).strip()

    def test_a_program_that_suites_may_not_run(self):
        self.world.vibe("check", self.world.suite(["hello"], model="exec:cat"), exit=2)
        self.assertIn("E0622", self.world.errors)

    def test_a_check_that_runs_a_program(self):
        self.world.vibe("check", self.world.suite(["hello"], checks="[exec: {command: [cat]}]"), exit=2)
        self.assertIn("E0622", self.world.errors)

    def test_a_limit(self):
        self.world.environment["VIBECHECK_API_KEY"] = self.key("full", "--max-queued", "0")
        self.world.vibe("check", self.world.suite(["hello"]), exit=3)
        self.assertIn("E1103", self.world.errors)

    def test_no_credit(self):
        self.world.environment["VIBECHECK_API_KEY"] = self.key("poor", "--credits", "0")
        self.world.vibe("check", self.world.suite(["hello"]), exit=3)
        self.assertIn("E1104", self.world.errors)

    def test_a_server_that_is_not_there(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))  # and nobody listens
            self.world.environment["VIBECHECK_API_URL"] = f"http://127.0.0.1:{one.getsockname()[1]}"
            self.world.vibe("get", "runs", exit=3)
        self.assertIn("E1121", self.world.errors)

    def test_a_wrong_key(self):
        self.world.environment["VIBECHECK_API_KEY"] = "vibe_guess_guess"
        self.world.vibe("get", "runs", exit=2)
        self.assertIn("E1122", self.world.errors)
        self.assertNotIn("guess", self.world.errors)

    def test_a_role_that_is_not_enough(self):
        self.world.environment["VIBECHECK_API_KEY"] = self.key("readers", role="read")
        self.world.vibe("get", "runs")
        self.world.vibe("check", self.world.suite(["hello"]), exit=2)
        self.assertIn("E1122", self.world.errors)

    def test_an_invitation_that_was_used(self):
        code = self.server.vibe("invites", "create", "--org", "default", "--role", "read").strip()
        self.world.vibe("redeem", code)
        self.world.vibe("redeem", code, exit=2)
        self.assertIn("E1123", self.world.errors)
        self.assertIn("already been used", self.world.errors)

    def test_something_else_that_answers(self):
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<html>hello</html>")

            def log_message(self, *_):
                pass

        page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=page.serve_forever, daemon=True).start()
        self.addCleanup(page.server_close)
        self.addCleanup(page.shutdown)
        self.world.environment["VIBECHECK_API_URL"] = f"http://127.0.0.1:{page.server_address[1]}"
        self.world.vibe("get", "runs", exit=3)
        self.assertIn("E1124", self.world.errors)


if __name__ == "__main__":
    unittest.main()
