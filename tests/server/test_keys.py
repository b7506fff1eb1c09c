#!/usr/bin/env python3
"""Organisations, keys and invitations: made by commands while a server runs, used over HTTP."""

import concurrent.futures
import json
import os
import pathlib
import sqlite3
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_world import ServeWorld  # noqa: E402


class Keys(unittest.TestCase):
    def setUp(self):
        self.world = self.enterContext(ServeWorld())

    def make_key(self, org="default", role="run", *words):
        return self.world.vibe("keys", "create", "--org", org, "--role", role, *words).strip()

    def make_org(self, name, *words):
        return json.loads(self.world.vibe("orgs", "create", name, *words, "--json"))

    def make_invite(self, org="default", role="run"):
        return self.world.vibe("invites", "create", "--org", org, "--role", role).strip()

    def status(self, key, path="/api/orginfo", method="GET", body=None):
        return self.world.ask(method, path, body, key=key).status

    def redeem(self, code):
        return self.world.ask("POST", "/api/invites/redeem", {"code": code}, key=None)

    def change(self, sql, *values):
        with sqlite3.connect(self.world.home / "server.db") as database:
            self.assertEqual(database.execute(sql, values).rowcount, 1)
        database.close()

    def test_the_first_start_makes_one_admin_key(self):
        world = self.world
        key = world.key
        self.assertRegex(key, r"^vibe_[0-9a-z]{10}_[0-9a-z]{52}$")
        info = world.ask("GET", "/api/orginfo").json
        self.assertEqual((info["name"], info["slug"], info["status"]), ("default", "default", "active"))
        self.assertEqual(info["credits"], 999999999)
        listed = json.loads(world.vibe("keys", "list", "--json"))["keys"]
        self.assertEqual([(one["role"], one["organisation"]) for one in listed], [("admin", "default")])
        self.assertEqual(world.stop(), 0)
        world.key = None
        world.serve()
        self.assertIsNone(world.key)  # not shown again
        self.assertEqual(self.status(key), 200)

    def test_a_key_works_at_once_until_it_is_revoked(self):
        key = self.make_key(role="read")
        self.assertEqual(self.world.errors.count("shown only once"), 1)
        self.assertEqual(self.status(key), 200)
        self.world.vibe("keys", "revoke", key.split("_")[1])
        self.assertEqual(self.status(key), 401)
        self.assertEqual(self.status(self.world.key), 200)

    def test_small_amounts_are_shown(self):
        self.make_org("Small", "--credits", "0.003")
        self.change("UPDATE organisations SET spent = 0.00002 WHERE slug = 'small'")
        self.assertRegex(self.world.vibe("orgs", "list"), r"small .* \$0\.0030  +\$0\.000020\n")

    def test_what_is_said_of_a_refused_key(self):
        key = self.make_key()
        self.world.vibe("orgs", "set", "default", "--suspend")
        self.assertEqual(self.world.ask("GET", "/api/orginfo", key=key).json["error"],
                         "the key is unknown, expired or revoked, or its organisation is suspended")

    def test_an_expired_key_is_refused(self):
        key = self.make_key("default", "run", "--expires", "1")
        self.assertEqual(self.status(key), 200)
        self.change("UPDATE keys SET expires_at = 1000 WHERE id = ?", key.split("_")[1])
        self.assertEqual(self.status(key), 401)
        self.assertIn("expired", self.world.vibe("keys", "list"))

    def test_a_wrong_key_is_refused(self):
        key = self.world.key
        for wrong in (None, "x", "", key[:-1], key + "x", key.upper(), key[:-1] + ("y" if key[-1] == "x" else "x"),
                      key.replace("vibe_", "invite_"), self.make_invite()):
            self.assertEqual(self.status(wrong), 401, wrong)

    def test_roles_are_steps(self):
        variable = {"name": "team", "value": "blue"}
        wanted = {"read": (200, 403), "run": (200, None), "admin": (200, None)}
        for role, (reading, writing) in wanted.items():
            key = self.make_key(role=role)
            self.assertEqual(self.status(key, "/api/runs"), reading, role)
            suite = self.status(key, "/api/suite/save", "POST", {"evalSuite": {}})
            if writing:
                self.assertEqual(suite, writing, role)
            else:
                self.assertNotIn(suite, (401, 403), role)
        self.assertEqual(self.status(self.make_key(role="read"), "/api/runtime/vars", "POST", variable), 403)
        self.assertIn(self.status(self.world.key, "/api/runtime/vars", "POST", variable), (200, 201))

    def test_a_suspended_organisation_is_refused(self):
        self.make_org("Search team")
        key = self.make_key("search-team")
        self.assertEqual(self.status(key), 200)
        self.world.vibe("orgs", "set", "search-team", "--suspend")
        self.assertEqual(self.status(key), 401)
        self.assertEqual(self.status(self.world.key), 200)
        self.world.vibe("orgs", "set", "search-team", "--activate")
        self.assertEqual(self.status(key), 200)

    def test_organisations_do_not_see_each_other(self):
        other = self.make_org("Other")
        key = self.make_key("other", "admin")
        self.world.ask("POST", "/api/runtime/vars", {"name": "team", "value": "blue"})
        self.assertEqual(self.status(self.world.key, "/api/runtime/vars/team"), 200)
        self.assertEqual(self.status(key, "/api/runtime/vars/team"), 404)
        self.assertEqual(self.world.ask("GET", "/api/runtime/vars", key=key).json, {"vars": []})
        self.assertEqual(self.world.vibe("get", "var", "team"), "blue\n")  # the first has the folder's store
        folder = self.world.home / "organisations" / other["id"]
        self.assertTrue((folder / "vibecheck.db").is_file())
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)

    def test_an_invitation_gives_one_key(self):
        code = self.make_invite(role="read")
        answer = self.redeem(code)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["org"]["slug"], "default")
        key = answer.json["apiKey"]
        self.assertEqual(self.status(key), 200)
        self.assertEqual(self.status(key, "/api/runtime/vars", "POST", {"name": "a", "value": "b"}), 403)
        again = self.redeem(code)
        self.assertEqual(again.status, 400)
        self.assertIn("already been used", again.json["error"])
        self.assertIn(" used ", self.world.vibe("invites", "list"))

    def test_an_invitation_that_is_none_is_refused(self):
        code = self.make_invite()
        self.change("UPDATE invites SET expires_at = 1000 WHERE id = ?", code.split("_")[1])
        expired = self.redeem(code)
        self.assertEqual(expired.status, 400)
        self.assertIn("expired", expired.json["error"])
        for unknown in (code[:-1] + ("y" if code[-1] == "x" else "x"), "nonsense", self.world.key, "../../etc/passwd"):
            self.assertEqual(self.redeem(unknown).status, 404, unknown)

    def test_one_of_many_gets_an_invitation(self):
        code = self.make_invite()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = sorted(answer.status for answer in pool.map(self.redeem, [code] * 8))
        self.assertEqual(statuses, [200] + [400] * 7)
        self.assertEqual(len(json.loads(self.world.vibe("keys", "list", "--json"))["keys"]), 2)

    def test_a_key_may_ask_so_often_and_no_more(self):
        self.make_org("Few", "--requests-per-minute", "1")
        key, other = self.make_key("few"), self.make_key("few")
        answers = [self.world.ask("GET", "/api/orginfo", key=key) for _ in range(14)]
        statuses = [answer.status for answer in answers]
        self.assertEqual(statuses[:10], [200] * 10)
        self.assertIn(429, statuses[10:])  # one more may come back in a slow minute
        refused = next(answer for answer in answers if answer.status == 429)
        self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
        self.assertIsInstance(refused.json["error"], str)
        self.assertEqual(self.status(other), 200)
        self.assertEqual(self.status(self.world.key), 200)

    def test_keys_are_written_nowhere(self):
        key, code = self.make_key(), self.make_invite()
        self.assertEqual(self.status(key), 200)
        self.assertEqual(self.status(key + "x"), 401)
        self.world.ask("GET", f"/api/runs?key={key}", key=None, headers={"Authorization": f"Bearer {key}"})
        redeemed = self.redeem(code).json["apiKey"]
        self.world.stop()
        texts = [(path, path.read_bytes()) for path in pathlib.Path(self.world.folder).rglob("*") if path.is_file()]
        self.assertIn("server.db", [path.name for path, _ in texts])
        for secret in (key, code, redeemed, self.world.key):
            for path, text in texts:
                self.assertNotIn(secret.split("_")[2].encode(), text, path)


class MasterKey(unittest.TestCase):
    """The server refuses to start with secrets but no key."""

    def refusal(self, world, **environment):
        world.environment.update(environment)
        world.vibe("serve", "--port", "0", exit=3)
        for name in environment:
            del world.environment[name]
        return world.errors

    def test_secrets_without_their_key(self):
        with ServeWorld(is_started=False) as world:
            world.vibe("set", "secret", "s", "value")
            key_file = world.home / "secret.key"
            key = key_file.read_bytes()
            self.assertIn("cannot decrypt the secrets", self.refusal(world, VIBECHECK_MASTER_KEY="ab" * 32))
            key_file.unlink()
            self.assertIn("there is no master key", self.refusal(world))
            self.assertFalse(key_file.exists())
            world.environment["VIBECHECK_MASTER_KEY"] = key.hex()
            world.serve()
            self.assertEqual(world.ask("GET", "/api/runtime/secrets").json, {"secrets": [{"name": "s"}]})
            self.assertFalse(key_file.exists())

    def test_another_key_than_before(self):
        with ServeWorld(VIBECHECK_MASTER_KEY="ab" * 32) as world:
            world.ask("POST", "/api/runtime/secrets", {"name": "s", "value": "a-secret-value"})
            world.vibe("set", "secret", "t", "of the command line")  # goes by the same key
            self.assertFalse((world.home / "secret.key").exists())
            world.stop()
            del world.environment["VIBECHECK_MASTER_KEY"]
            self.assertIn("there is no master key", self.refusal(world))
            self.assertIn("E0704", self.refusal(world, VIBECHECK_MASTER_KEY="cd" * 32))
            self.assertIn("is not a valid key", self.refusal(world, VIBECHECK_MASTER_KEY="abc"))
            world.environment["VIBECHECK_MASTER_KEY"] = "ab" * 32
            world.serve()
            self.assertEqual(world.ask("GET", "/api/orginfo").status, 200)

    def test_programs_of_suites_do_not_get_it(self):
        with ServeWorld(config='serve:\n  local_models: ["exec:env"]\n', VIBECHECK_MASTER_KEY="ab" * 32) as world:
            suite = "metadata: {name: s, model: 'exec:env'}\nevals: [{prompt: p, checks: [not_match: '*MASTER*']}]\n"
            started = world.ask("POST", "/api/eval/run", {"evalSuite": None, "yamlContent": suite})
            self.assertEqual(started.status, 200, started.body)
            result = world.ask("GET", f"/api/eval/status/{started.json['runId']}").json["results"][0]
            self.assertIn("HOME=", result["response"])
            self.assertTrue(result["passed"])

    def test_programs_of_suites_cannot_look_it_up(self):
        """Neither where the system shows the server's environment, which is root's alone, nor in its memory."""
        key, master = "sk-of-the-operator", "ab12" * 16
        with ServeWorld(is_started=False, VIBECHECK_MASTER_KEY=master, OPENAI_API_KEY=key, HARMLESS="seen") as world:
            program = world.folder / "look"
            world.write("look", "#!/usr/bin/env python3\nimport os, sys\n"
                        "try:\n    out = open(f'/proc/{os.getppid()}/environ', 'rb').read()\n"
                        "except OSError:\n    out = b''\n"
                        f"open('{world.folder}/seen', 'wb').write(out)\n"
                        "print(os.environ['OPENAI_API_KEY'], os.stat(f'/proc/{os.getppid()}/mem').st_uid)\n")
            program.chmod(0o755)
            world.write(".vibecheck/config.yaml", f'serve: {{local_models: ["exec:{program}"]}}\n')
            world.serve()
            suite = f"metadata: {{name: s, model: 'exec:{program}'}}\nevals: [{{prompt: p, checks: [match: '*']}}]\n"
            started = world.ask("POST", "/api/eval/run", {"evalSuite": None, "yamlContent": suite})
            self.assertEqual(started.status, 200, started.body)
            result = world.ask("GET", f"/api/eval/status/{started.json['runId']}").json["results"][0]
            # What it needs for its work it has, in its own environment; the memory is root's.
            self.assertEqual(result["response"].split(), [key, "0"])
            seen = (world.folder / "seen").read_bytes()
            if seen:
                self.assertIn(b"HARMLESS=seen", seen)
            self.assertNotIn(master.encode(), seen)


if __name__ == "__main__":
    unittest.main()
