#!/usr/bin/python3
"""Routes about what is kept besides runs: suites, formulas, variables, secrets, the organisation. Needs VIBE,
VIBE_BUILD, VIBE_SOURCE."""

import json
import os
import sqlite3
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from route_case import FILE, STRIPPED, Case, inline  # noqa: E402


class Suites(Case):
    def test_saved_listed_shown(self):
        saved = self.ask("POST", "/api/suite/save", {"evalSuite": STRIPPED, "yamlContent": FILE})
        self.assertEqual((saved["success"], saved["name"], saved["isUpdate"], saved["version"]), (True, "shop", False, 1))
        again = self.ask("POST", "/api/suite/save", {"evalSuite": STRIPPED, "yamlContent": FILE + "# more\n"})
        self.assertEqual((again["isUpdate"], again["changed"], again["version"]), (True, True, 2))
        listed = [one for one in self.ask("GET", "/api/suite/list")["suites"] if one["name"] == "shop"]
        self.assertEqual([(one["name"], one["lastRun"], one["evalCount"]) for one in listed], [("shop", None, 2)])
        self.assertIsInstance(listed[0]["lastEdit"], str)
        suite = self.ask("GET", "/api/suite/shop")["suite"]
        self.assertEqual((suite["name"], suite["yamlContent"]), ("shop", FILE + "# more\n"))
        self.assertEqual(self.ask("GET", "/api/suite/shop?version=1")["suite"]["yamlContent"], FILE)
        self.assertEqual([one["version"] for one in self.ask("GET", "/api/suite/shop?history=1")["versions"]], [2, 1])
        self.ask("GET", "/api/suite/shop?version=3", status=404)
        self.ask("GET", "/api/suite/shop?version=x", status=400)
        self.ask("GET", "/api/suite/none", status=404)

    def test_one_that_is_named_as_a_route(self):
        self.ask("POST", "/api/suite/save", {"evalSuite": inline("a", name="save")})
        self.assertEqual(self.ask("GET", "/api/suite/save")["suite"]["name"], "save")
        self.ask("POST", "/api/suite/save", {"evalSuite": inline("a", name="list")}, status=422)

    def test_names_with_spaces_and_letters(self):
        self.ask("POST", "/api/suite/save", {"evalSuite": inline("a", name="grüne Äpfel 100%")})
        suite = self.ask("GET", "/api/suite/gr%C3%BCne%20%C3%84pfel%20100%25")["suite"]
        self.assertEqual(suite["name"], "grüne Äpfel 100%")

    def test_wrong_ones(self):
        for body, status in (({}, 400), ({"evalSuite": {"metadata": {}}}, 422),
                             ({"evalSuite": inline("a", name="list")}, 422),
                             ({"evalSuite": inline("a", name="a/b")}, 422)):
            self.ask("POST", "/api/suite/save", body, status=status)


class Formulas(Case):
    def test_checks(self):
        found = self.ask("POST", "/api/formula/check", {"formula": "success_pct - 10 * avg_latency"})
        self.assertIs(found["valid"], True)
        self.assertEqual(found["variables"], ["success_pct", "avg_latency"])
        self.assertEqual((found["range"]["low"], found["range"]["high"]), (None, 100))
        found = self.ask("POST", "/api/formula/check", {"formula": "success_pct +"})
        self.assertIs(found["valid"], False)
        self.assertEqual(found["diagnostics"][0]["line"], 1)
        self.assertIsNone(found["range"])
        found = self.ask("POST", "/api/formula/check", {"formula": "100 * greets", "yamlContent": FILE})
        self.assertEqual((found["valid"], found["range"]["high"]), (True, 100))
        found = self.ask("POST", "/api/formula/check", {"formula": "nobody * 2", "yamlContent": FILE})
        self.assertIs(found["valid"], False)
        found = self.ask("POST", "/api/formula/check", {"yamlContent": FILE})
        self.assertEqual((found["valid"], found["variables"]), (True, ["greets", "success_pct"]))
        rubric = FILE.replace("score:\n", "score:\n  rubric: /etc/passwd\n")
        self.assertIs(self.ask("POST", "/api/formula/check", {"yamlContent": rubric})["valid"], False)
        for body in ({}, {"formula": 5}, {"formula": None, "yamlContent": None}):
            self.ask("POST", "/api/formula/check", body, status=400)


class Values(Case):
    def test_variables(self):
        self.assertEqual(self.ask("GET", "/api/runtime/vars"), {"vars": []})
        self.assertIs(self.ask("POST", "/api/runtime/vars", {"name": "city", "value": "Paris"})["created"], True)
        self.assertIs(self.ask("POST", "/api/runtime/vars", {"name": "city", "value": "Rome"})["created"], False)
        self.assertEqual(self.ask("GET", "/api/runtime/vars"), {"vars": [{"name": "city", "value": "Rome"}]})
        self.assertEqual(self.ask("GET", "/api/runtime/vars/city"), {"name": "city", "value": "Rome"})
        self.ask("PUT", "/api/runtime/vars/city", {"value": "Oslo"})
        self.assertEqual(self.ask("GET", "/api/runtime/vars/city")["value"], "Oslo")
        self.assertEqual(self.ask("DELETE", "/api/runtime/vars/city"), {"success": True})
        self.ask("DELETE", "/api/runtime/vars/city", status=404)
        self.ask("GET", "/api/runtime/vars/city", status=404)
        for body in ({}, {"name": "a"}, {"name": "a", "value": 5}, {"name": "a b", "value": "x"}, {"value": "x"},
                     {"name": "a", "value": "x" * 70_000}):
            self.ask("POST", "/api/runtime/vars", body, status=400)

    def test_writing_holds_nobody_up(self):
        with sqlite3.connect(self.world.home / "vibecheck.db", isolation_level=None) as database:
            database.execute("BEGIN IMMEDIATE")
            waiting = []
            for i in range(6):  # more than there are threads for HTTP on a small machine
                connection = self.world.connect()
                body = json.dumps({"value": "x"})
                connection.request("PUT", f"/api/runtime/vars/held{i}", body, self.world.headers(body=body))
                waiting.append(connection)
            for _ in range(4):
                connection = self.world.connect(seconds=4)  # less than a store waits for another
                connection.request("GET", "/healthz")
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()
            database.execute("ROLLBACK")
        database.close()
        for connection in waiting:
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()

    def test_secrets(self):
        self.ask("POST", "/api/runtime/secrets", {"name": "token", "value": "swordfish"})
        self.ask("PUT", "/api/runtime/secrets/other", {"value": "swordfish"})
        self.assertEqual(self.ask("GET", "/api/runtime/secrets"), {"secrets": [{"name": "other"}, {"name": "token"}]})
        self.ask("GET", "/api/runtime/secrets/token", status=405)
        suite = inline('say "{{secret(\'token\')}}"', name="secretive")
        _, state = self.finished({"evalSuite": suite})
        self.assertEqual(state["status"], "completed")
        run = self.ask("GET", "/api/runs/last")
        self.assertNotIn("swordfish", json.dumps(state) + json.dumps(run))
        self.ask("DELETE", "/api/runtime/secrets/token")
        self.ask("DELETE", "/api/runtime/secrets/token", status=404)
        self.ask("POST", "/api/runtime/secrets", {"name": "blank", "value": " "}, status=400)


class Organisations(Case):
    def test_org(self):
        org = self.ask("GET", "/api/orginfo")
        self.assertEqual((org["name"], org["slug"], org["status"]), ("default", "default", "active"))
        self.assertIsInstance(org["credits"], int)
        self.assertIsInstance(org["created_at"], str)

    def test_invites(self):
        self.world.vibe("orgs", "create", "acme", "--credits", "25")
        code = json.loads(self.world.vibe("invites", "create", "--org", "acme", "--role", "run", "--json"))["code"]
        found = self.ask("POST", "/api/invites/redeem", {"code": code}, key=None)
        self.assertEqual({key: found["org"][key] for key in ("slug", "name", "credits")},
                         {"slug": "acme", "name": "acme", "credits": 25})
        self.assertEqual(self.ask("GET", "/api/orginfo", key=found["apiKey"])["id"], found["org"]["id"])
        self.assertIn("already been used",
                      self.ask("POST", "/api/invites/redeem", {"code": code}, key=None, status=400)["error"])
        self.ask("POST", "/api/invites/redeem", {"code": "none"}, key=None, status=404)
        for body in ({}, {"code": 5}, {"code": ""}):
            self.ask("POST", "/api/invites/redeem", body, key=None, status=400)


if __name__ == "__main__":
    unittest.main()
