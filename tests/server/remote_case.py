"""What the tests of the command line against a server share: clients, connections that break, fake servers."""

import json
import os
import socket
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld, World  # noqa: E402

PATIENCE = 60  # seconds


class Client(World):
    """Somebody who has the address of a server and a key."""

    def __init__(self, url, key, **environment):
        super().__init__(**environment)
        self.environment["VIBECHECK_API_URL"] = url
        if key:
            self.environment["VIBECHECK_API_KEY"] = key


class Cutter:
    """Hands bytes between clients and a server; of each answer about events it cuts the connection
    after so many bytes, `cuts` times."""

    def __init__(self, port, after, cuts):
        self.target, self.after, self.left, self.made = port, after, cuts, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.target))
        is_stream = threading.Event()

        def upwards():
            try:
                while data := client.recv(65536):
                    is_stream.set() if b"/events" in data else is_stream.clear()
                    server.sendall(data)
            except OSError:
                pass

        threading.Thread(target=upwards, daemon=True).start()
        sent = 0
        try:
            while data := server.recv(1 << 16):
                is_cut = is_stream.is_set() and self.left > 0
                sent = sent if is_cut else 0
                if is_cut:
                    data = data[:self.after - sent]
                    sent += len(data)
                client.sendall(data)
                if is_cut and sent >= self.after:
                    self.left -= 1
                    self.made += 1
                    break
        except OSError:
            pass
        for one in (client, server):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def close(self):
        self.listener.close()


class FakeServer:
    """Answers as `answer(method, path)` says: a status, a body, headers."""

    def __init__(self, answer):
        outer = self
        self.requests, self.bodies = [], []

        class Handler(BaseHTTPRequestHandler):
            def reply(self):
                outer.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                outer.requests.append((self.command, self.path, dict(self.headers)))
                status, body, headers = answer(self.command, self.path)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = do_PUT = reply  # noqa: N815

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def answer_json(status, body, **headers):
    return status, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}


class RemoteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = ModelServer().start()
        cls.server = ServeWorld(cls.model)
        cls.url = f"http://127.0.0.1:{cls.server.port}"
        cls.key = cls.server.key

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.model.stop()

    def setUp(self):
        self.world = Client(self.url, self.key)
        self.addCleanup(self.world.__exit__)

    def client(self, url=None, key=None, **environment):
        world = Client(url or self.url, self.key if key is None else key, **environment)
        self.addCleanup(world.__exit__)
        return world

    def slow_suite(self, count, latency=100, threads=2, name="slow", world=None):
        return (world or self.world).suite([f"latency={latency} say \"{i}\"" for i in range(count)],
                                           threads=threads, name=f"{name}.yaml")

    def read_until(self, process, text):
        """Standard error, up to and with a line that has the text."""
        seen = ""
        while text not in seen:
            line = process.stderr.readline().decode()
            self.assertTrue(line, f"no {text!r} in {seen!r}")
            seen += line
        return seen
