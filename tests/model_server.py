"""ModelServer: the model server (tests/model_server/) as a child process.

    with ModelServer("--latency", "100") as server:
        ... server.url + "/v1" ... server.stats()["requests"]

The program is $VIBE_BUILD/tests/tools/model_server.
"""

import json
import os
import subprocess
import urllib.request


class ModelServer:
    def __init__(self, *options):
        self.options = list(options)
        self.process = None
        self.url = None  # http://127.0.0.1:PORT

    def start(self):
        program = os.path.join(os.environ["VIBE_BUILD"], "tests", "tools", "model_server")
        self.process = subprocess.Popen([program, *self.options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        first = self.process.stdout.readline().split()
        if len(first) != 2 or first[0] != "PORT":
            raise RuntimeError(f"{program} did not start")
        self.url = f"http://127.0.0.1:{first[1]}"
        return self

    def stats(self):
        return json.loads(self._ask("GET", "/stats"))

    def reset(self):
        self._ask("POST", "/reset")

    def stop(self):
        """Ends it; returns its exit code."""
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=60)

    def _ask(self, method, path):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(self.url + path, method=method)
        with opener.open(request, timeout=60) as answer:
            return answer.read()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()
