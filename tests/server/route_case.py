"""What the tests of routes share: a server for each class of tests, asked as the `vibecheck` command-line client 0.4.0
(github.com/hev/vibecheck) asks."""

import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ModelServer, ServeWorld  # noqa: E402

NO_RUN = "01900000-0000-7000-8000-000000000000"
MODEL = "openai/gpt-4o-mini"

FILE = """# what the client reads
metadata:
  name: shop
  model: openai/gpt-4o-mini
  system_prompt: be short
score:
  formula: 2 * greets + success_pct
evals:
  - name: greets
    tags: [polite]
    prompt: say "hello 4 you"
    checks:
      - match: "*4*"
      - min_tokens: 1
  - prompt: say "bye"
    repeat: 2
    checks:
      - or: [{match: "*nope*"}, {match: "*bye*"}]
      - semantic: {expected: bye, threshold: 0.5}
"""
# As the client sends it: without what it does not know.
STRIPPED = {"metadata": {"name": "shop", "model": MODEL, "system_prompt": "be short"},
            "evals": [{"prompt": 'say "hello 4 you"', "checks": [{"match": "*4*"}, {"min_tokens": 1}]},
                      {"prompt": 'say "bye"', "checks": [{"or": [{"match": "*nope*"}, {"match": "*bye*"}]},
                                                         {"semantic": {"expected": "bye", "threshold": 0.5}}]}]}


def inline(*prompts, name="inline", **metadata):
    return {"metadata": {"name": name, "model": MODEL, **metadata},
            "evals": [{"prompt": prompt, "checks": [{"match": "*"}]} for prompt in prompts]}


def new_key(world, role):
    return re.search(r"vibe_\w+", world.vibe("keys", "create", "--org", "default", "--role", role))[0]


class Case(unittest.TestCase):
    """One server for the tests of a class."""
    @classmethod
    def setUpClass(cls):
        cls.model = ModelServer().start()
        cls.addClassCleanup(cls.model.stop)
        cls.world = ServeWorld(cls.model)
        cls.addClassCleanup(cls.world.__exit__)
        cls.world.vibe("orgs", "set", "default", "--requests-per-minute", "1000000")

    def ask(self, method, path, body=None, *, status=200, **options):
        answer = self.world.ask(method, path, body, **options)
        self.assertEqual(answer.status, status, answer.body[:500])
        if status < 300:
            return answer.json
        self.assertIsInstance(answer.json["error"], str)
        self.assertNotEqual(answer.json["error"], "")
        return answer.json

    def start(self, body, **options):
        return self.ask("POST", "/api/eval/run", body, **options)["runId"]

    def finished(self, body):
        run = self.start(body)
        return run, self.ask("GET", f"/api/eval/status/{run}")
