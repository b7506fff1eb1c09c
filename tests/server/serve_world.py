"""A world with a server in it: `vibe serve` as a process with a HOME of its own, a model server beside it.

    with ModelServer() as model, ServeWorld(model, "--lease", "1") as world:
        run = world.ask("POST", "/api/eval/run", {"yamlContent": text}).json["runId"]
"""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "run"))
from vibe_world import ModelServer, World  # noqa: E402,F401  (for those who import this)

OWN = object()  # the admin key of the server
PATIENCE = 120  # seconds


def wait_until(holds, what, seconds=60):
    """Looks again and again until it is so; returns what it was then."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)
    return found


class Answer:
    def __init__(self, answer):
        self.status = answer.status
        self.headers = answer.headers
        self.body = answer.read()

    @property
    def json(self):
        return json.loads(self.body)


class ServeWorld(World):
    """Started, unless told otherwise; its port and its admin key are read from what it prints."""

    def __init__(self, model=None, *options, config=None, is_started=True, preexec_fn=None, **environment):
        super().__init__(model, **environment)
        self.options = options
        self.preexec_fn = preexec_fn
        self.home = self.folder / ".vibecheck"
        self.log = self.folder / "access.log"
        self.process, self.host, self.port, self.key = None, None, 0, None
        self.lines = []  # that it printed since it was started
        if config is not None:
            self.write(".vibecheck/config.yaml", config)
        if is_started:
            self.serve()

    def serve(self, *options, port="0", is_logged=True):
        """Starts it, once more if it was stopped; the key is that of the first start."""
        extra = {"preexec_fn": self.preexec_fn} if self.preexec_fn else {}
        words = ["serve", *(["--port", port] if port else []),
                 *(["--access-log", str(self.log)] if is_logged else []), *self.options, *options]
        self._problems = open(self.folder / "serve.err", "ab")  # noqa: SIM115
        self.process = super().start(*words, stderr=self._problems, **extra)
        self.lines = []
        while True:
            line = self.process.stdout.readline().decode()
            if not line:
                code = self.process.wait(timeout=PATIENCE)
                raise RuntimeError(f"the server ended with {code}: {self.problems()}")
            self.lines.append(line.rstrip("\n"))
            if line.startswith("admin key: "):
                self.key = line.split()[2]
            if found := re.fullmatch(r"listening on https?://(.+):(\d+)\n", line):
                self.host, self.port = found[1], int(found[2])
                return self

    def refused(self, *options, exit):
        """What it says instead of starting."""
        self.vibe("serve", *options, exit=exit)
        return self.errors

    def start(self, *words, **options):
        """Without words, the server."""
        return super().start(*words, **options) if words else self.serve()

    def stop(self, number=signal.SIGTERM):
        """As an operator does; returns its exit code."""
        self.process.send_signal(number)
        return self.wait()

    def kill(self):
        self.process.kill()
        self.wait()

    def wait(self):
        """Its exit code, when it has ended."""
        code = self.process.wait(timeout=PATIENCE)
        self.lines += self.process.stdout.read().decode().splitlines()
        self.process.stdout.close()
        self._problems.close()
        self.process = None
        return code

    def problems(self):
        """What it printed to standard error."""
        return (self.folder / "serve.err").read_text(errors="replace")

    def log_lines(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def connect(self, seconds=PATIENCE):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)

    def headers(self, key=OWN, body=None, type=None, **headers):
        out = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is OWN:
            key = self.key
        if key is not None:
            out["X-API-KEY"] = key
        if type or body is not None:
            out["Content-Type"] = type or "application/json"
        return out

    def ask(self, method, path, body=None, *, key=OWN, type=None, headers=None):
        """The answer; `body` is bytes, a text, or what is sent as JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        connection = self.connect()
        try:
            connection.request(method, path, body, {**self.headers(key, body, type), **(headers or {})})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.process:
            self.wait()
        super().__exit__()
