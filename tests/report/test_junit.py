#!/usr/bin/env python3
"""JUnit XML, read back by a parser of it that is not ours."""
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import junitparser

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
DRIVER = pathlib.Path(os.environ["VIBE_BUILD"]) / "tests" / "tools" / "report_driver"


def properties(suite):
    return {one.name: one.value for one in suite.properties()}


class Junit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "report.xml"

    def check(self, *words, code=0):
        done = subprocess.run([VIBE, *words, "--junit", self.file], cwd=SOURCE, capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        return list(junitparser.JUnitXml.fromfile(str(self.file)))

    def test_demo(self):
        (suite,) = self.check("check", "examples/support.yaml", "-q")
        self.assertEqual((suite.name, suite.tests, suite.failures, suite.errors), ("support-bot", 8, 2, 0))
        cases = {case.name: case for case in suite}
        self.assertEqual(list(cases)[:3], ["critical-math", "translation", "sizes[nine]"])
        self.assertIn("returns (repeat 3)", cases)
        self.assertTrue(cases["critical-math"].is_passed)
        self.assertEqual(cases["critical-math"].classname, "support-bot")
        self.assertAlmostEqual(cases["critical-math"].time, 0.61, places=2)
        failed = cases["sizes[twelve]"]
        (failure,) = failed.result
        self.assertIsInstance(failure, junitparser.Failure)
        self.assertEqual((failure.message, failure.type), ('match: Pattern "*46*" not found in response', "match"))
        self.assertIn('- match: Pattern "*46*" not found', failure.text)
        self.assertEqual(failed.system_out, "US 12 for men is EU 45.")
        seen = properties(suite)
        self.assertEqual(seen["model"], "example/small")
        self.assertEqual(seen["formula"], "100 * quality - 20000 * total_cost - 2 * avg_latency")
        self.assertAlmostEqual(float(seen["score"]), 80.17, places=2)
        self.assertAlmostEqual(float(seen["success"]), 75)
        self.assertGreater(float(seen["cost"]), 0)
        self.assertEqual(seen["gate"], "gate passed")

    def test_models_are_suites(self):
        suites = self.check("check", "examples/support.yaml", "-q", "-m",
                            "replay:examples/recordings/small.jsonl,replay:examples/recordings/large.jsonl")
        self.assertEqual([suite.name for suite in suites],
                         ["support-bot (example/small)", "support-bot (example/large)"])
        self.assertEqual([suite.tests for suite in suites], [8, 8])
        self.assertEqual({case.classname for case in suites[1]}, {"support-bot (example/large)"})

    def test_stored_run(self):
        first = self.check("check", "examples/support.yaml", "-q")
        text = self.file.read_text()
        self.check("get", "run", "last")
        self.assertEqual(self.file.read_text(), text)
        self.assertEqual(len(first), 1)

    def test_errors(self):
        (suite,) = self.check("check", "examples/agent.yaml", "-q", "-m", "exec:false", "--only", "sum", code=3)
        self.assertEqual((suite.tests, suite.errors), (1, 1))
        (error,) = next(iter(suite)).result
        self.assertIsInstance(error, junitparser.Error)
        self.assertIn("exited with code 1", error.message)

    def test_half_a_run_is_not_green(self):
        (suite,) = self.check("check", "examples/agent.yaml", "-q", "-m", "exec:sleep 60",
                              "--run-timeout", "0.2", code=3)
        cases = {case.name: case for case in suite}
        self.assertEqual(suite.errors, 1)
        (error,) = cases["(the run)"].result
        self.assertIn("timed out", error.message)

    def test_any_bytes(self):
        text = subprocess.run([DRIVER, "hostile", "junit"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=True, timeout=60).stdout
        xml.etree.ElementTree.fromstring(text)  # well-formed, to a second parser as well
        (suite,) = junitparser.JUnitXml.fromstring(text)
        cases = {case.name: case for case in suite}
        self.assertEqual(suite.name, '<b>suite</b> & "quotes"')
        self.assertEqual(cases["bytes"].system_out,
                         "nul ␀ bell ␇ escape ␛[31m carriage \r\n" + "\ufffd" * 5 + " \ufffd \ufffd \ufffd end\t|")
        self.assertIn("<img src=x onerror=", cases["breakout"].system_out)
        self.assertIn("--- turn 2 of 2: passed ---", cases["conversation"].system_out)
        self.assertIn("[judge openai/gpt-4o, $0.0023]", cases["judged"].result[0].text)


if __name__ == "__main__":
    unittest.main()
