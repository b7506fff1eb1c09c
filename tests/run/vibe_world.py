"""A world for end-to-end tests: a folder of its own as HOME, suites in it, `vibe` run in it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from model_server import ModelServer  # noqa: E402,F401  (for those who import this)

VIBE = os.path.abspath(os.environ["VIBE"])
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
KEPT = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")


def heed_interrupts():
    """A job in the background ignores them, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class World:
    def __init__(self, server=None, **environment):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder),
                            "LC_ALL": "C.UTF-8", "VIBECHECK_RETRY_SCALE": "0.01",
                            **{name: os.environ[name] for name in KEPT if name in os.environ},
                            **environment}
        if server:
            self.environment.update(OPENAI_API_KEY="key-openai", OPENAI_BASE_URL=server.url + "/v1",
                                    ANTHROPIC_API_KEY="key-anthropic", ANTHROPIC_BASE_URL=server.url,
                                    OPENROUTER_API_KEY="key-router",
                                    OPENROUTER_BASE_URL=server.url + "/api/v1",
                                    OLLAMA_HOST=server.url)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def suite(self, prompts, model="openai/gpt-4o-mini", name="suite.yaml", checks='[match: "*"]',
              **metadata):
        """A suite with one eval for each prompt: e0, e1, …"""
        lines = ["metadata:", "  name: s", f"  model: {json.dumps(model)}"]
        lines += [f"  {key}: {json.dumps(value)}" for key, value in metadata.items()]
        lines += ["evals:"]
        lines += [f"  - {{name: e{i}, prompt: {json.dumps(prompt)}, checks: {checks}}}"
                  for i, prompt in enumerate(prompts)]
        return self.write(name, "\n".join(lines) + "\n")

    def start(self, *words, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "preexec_fn": heed_interrupts, **options}
        return subprocess.Popen([VIBE, *words], env=self.environment, cwd=self.folder, **options)

    def vibe(self, *words, exit=0, stdin=b""):
        """Standard output as text; fails unless the exit code is as expected."""
        done = subprocess.run([VIBE, *words], env=self.environment, cwd=self.folder, input=stdin,
                              capture_output=True, timeout=300, check=False)
        self.errors = done.stderr.decode()
        output = done.stdout.decode()
        assert done.returncode == exit, (f"{words}: exit code {done.returncode}, not {exit}\n"
                                         f"{output}\n{self.errors}")
        return output

    def check(self, *words, exit=0):
        """The run as JSON."""
        return json.loads(self.vibe("check", *words, "--json", exit=exit))

    def run(self, run="last"):
        return json.loads(self.vibe("get", "run", run, "--json"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()
