#!/usr/bin/python3
"""Addresses in suites: `mcp_server.url` may not lead to servers that only this one can reach, whatever it looks like,
whatever a name resolves to by then. Needs VIBE, VIBE_BUILD, VIBE_SOURCE.

Where a name resolves to is decided by a file of hosts, in a namespace of its own with addresses of its own: the part
`inside` runs there.
"""

import fcntl
import http.server
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld  # noqa: E402
from faulty_run import as_json, finished, sums_suite  # noqa: E402

PUBLIC = "8.8.8.8"  # in the namespace it is this machine
NAME = "tools.example.org"


def error_of(world, url):
    """Why a run with the tools of this address did not pass; empty: it did."""
    text = sums_suite(1, 1, mcp_server={"url": url, "name": "tools"})
    answer = world.ask("POST", "/api/eval/run", {"evalSuite": as_json(text), "yamlContent": text})
    if answer.status != 200:
        assert answer.status == 422, answer.body[:300]
        return answer.json["error"]
    run = finished(world, answer.json["runId"])
    if run["status"] == "completed":
        return ""
    return world.ask("GET", f"/api/eval/status/{run['id']}").json["error"]


class Addresses(unittest.TestCase):
    """`mcp_server.url` leads to no server that only this one can reach."""
    HOSTS = ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0177.0.0.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]",
             "127.0.0.1.", "me@127.0.0.1", "127.9.9.9"]
    NO_HOSTS = ["127.0.0.1.", "me@127.0.0.1"]  # refused before anybody looks where they are

    def test_private_addresses(self):
        with ModelServer() as model, ModelServer() as victim, ServeWorld(model) as world:
            port = victim.url.rsplit(":", 1)[1]
            for host in self.HOSTS:
                with self.subTest(host=host):
                    said = error_of(world, f"http://{host}:{port}/mcp")
                    if host not in self.NO_HOSTS:
                        self.assertIn("only this server can reach", said)
                    self.assertNotEqual(said, "")
            for url in ("file:///etc/passwd", "gopher://127.0.0.1:1/", f"HTTP://127.0.0.1:{port}/mcp",
                        "http://169.254.169.254/latest/meta-data/", f"http://127.0.0.1:{port}\r\nX: 1/"):
                with self.subTest(url=url):
                    self.assertNotEqual(error_of(world, url), "")
            self.assertEqual((victim.stats()["requests"], model.stats()["requests"]), (0, 0))

    def test_who_runs_the_server_may_allow_them(self):
        with ModelServer() as model, ModelServer() as tools:
            with ServeWorld(model, config="serve: {private_addresses: true}\n") as world:
                error_of(world, tools.url + "/mcp")  # it serves no tools, but it was asked
                self.assertGreater(tools.stats()["requests"], 0)


class ToolServer:
    """Speaks the Model Context Protocol, or sends everybody elsewhere."""

    def __init__(self, host, port=0, redirect=None):
        requests = self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                requests.append(body["method"])
                if redirect:
                    return self.reply(307, b"", ("Location", redirect))
                results = {"initialize": {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                                          "serverInfo": {"name": "t", "version": "1"}},
                           "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}}
                if "id" not in body:
                    return self.reply(202, b"")
                answer = {"jsonrpc": "2.0", "id": body["id"], "result": results[body["method"]]}
                return self.reply(200, json.dumps(answer).encode(), ("Content-Type", "application/json"))

            def reply(self, status, body, *headers):
                self.send_response(status)
                for name, value in (*headers, ("Content-Length", str(len(body)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer((host, port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def set_up_network():
    """Of the namespace: its loopback, with the public address as a second one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        set_address, set_flags, is_up = 0x8916, 0x8914, 0x41  # SIOCSIFADDR, SIOCSIFFLAGS, IFF_UP | IFF_RUNNING
        for name, address in ((b"lo", "127.0.0.1"), (b"lo:1", PUBLIC)):
            wanted = struct.pack("16sHH4s16x", name, socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, set_address, wanted)
            fcntl.ioctl(control, set_flags, struct.pack("16sH22x", name, is_up))


def inside(hosts):
    """In the namespace. Fails by an assertion."""
    set_up_network()
    with ModelServer() as model, ServeWorld(model) as world:
        hosts.write_text(f"{PUBLIC} {NAME}\n127.0.0.1 localhost\n")
        public = ToolServer(PUBLIC)
        private = ToolServer("127.0.0.1", public.port)
        url = f"http://{NAME}:{public.port}/mcp"
        said = error_of(world, url)
        assert said == "" and len(public.requests) > 1, f"a public address is refused: {said}"

        known = len(public.requests)
        hosts.write_text(f"127.0.0.1 {NAME}\n127.0.0.1 localhost\n")  # as who owns the name could have it
        said = error_of(world, url)
        assert f"{NAME} is an address that only this server can reach" in said, said
        assert (private.requests, len(public.requests)) == ([], known)

        hosts.write_text(f"{PUBLIC} {NAME}\n127.0.0.1 localhost\n")
        elsewhere = ToolServer(PUBLIC, redirect=f"http://127.0.0.1:{private.port}/mcp")
        said = error_of(world, f"http://{NAME}:{elsewhere.port}/mcp")
        assert "307" in said and elsewhere.requests, said
        assert private.requests == [], private.requests


class Rebinding(unittest.TestCase):
    def test_names_that_change_and_redirects(self):
        with tempfile.NamedTemporaryFile() as hosts:
            script = (f"mount --bind {hosts.name} /etc/hosts && "
                      f"exec {sys.executable} {os.path.abspath(__file__)} inside {hosts.name}")
            try:
                subprocess.run(["unshare", "-Urmn", "true"], check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("this machine gives nobody a namespace")
            done = subprocess.run(["unshare", "-Urmn", "sh", "-c", script], capture_output=True, text=True, timeout=300,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(pathlib.Path(sys.argv[2]))
    else:
        unittest.main()
