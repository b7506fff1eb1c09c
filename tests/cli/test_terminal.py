#!/usr/bin/env python3
"""Colours and width depend on the terminal. Needs VIBE."""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
FORMULA = "success_pct + " * 20 + "sqroot(total_cost)"


def on_terminal(columns=80, words=("formula", "check", FORMULA), **environment):
    """What `vibe` writes to a terminal of that width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    done = subprocess.Popen([VIBE, *words], stdin=subprocess.DEVNULL, stdout=follower,
                            stderr=follower, env={"TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
    os.close(follower)
    output = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        output += part
    os.close(leader)
    done.wait()
    return output.decode()


class Terminal(unittest.TestCase):
    def test_colours_on_a_terminal(self):
        self.assertIn("\x1b[1;31merror:\x1b[0m", on_terminal())

    def test_no_colours_where_they_are_not_wanted(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(environment=environment):
                self.assertNotIn("\x1b", on_terminal(**environment))

    def test_an_empty_NO_COLOR_is_none(self):
        self.assertIn("\x1b", on_terminal(NO_COLOR=""))

    def test_no_colours_in_a_pipe(self):
        done = subprocess.run([VIBE, "formula", "check", FORMULA], capture_output=True, text=True,
                              env={"TERM": "xterm"})
        self.assertNotIn("\x1b", done.stderr)

    def test_long_lines_are_clipped_to_the_width(self):
        for columns in (60, 120):
            lines = on_terminal(columns, NO_COLOR="1").splitlines()
            with self.subTest(columns=columns):
                self.assertIn("…", lines[1])
                self.assertLessEqual(len(lines[1]), columns)
                self.assertEqual(lines[2].index("^"), lines[1].index("sqroot"))


# A title, a cleared screen, a colour, a hidden text, an overprinted line, C1, text turned round.
EVIL = "\x1b]0;owned\x07 \x1b[2J \x1b[31mred \x1b[8mhidden over\rprinted \x9b31m \u202etxet \x7f\x00"


class Data(unittest.TestCase):
    """What users and models wrote reaches a file as it is, and a terminal without its control characters."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"HOME": folder.name, "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
        evil = EVIL.replace("\0", "")
        agent = self.folder / "agent"
        agent.write_text("#!/bin/sh\ncat %s/answer\n" % folder.name)
        agent.chmod(0o755)
        (self.folder / "answer").write_text(evil)
        escaped = "".join("\\u%04x" % ord(c) if ord(c) < 32 or ord(c) > 126 else c for c in evil)
        (self.folder / "suite.yaml").write_text(
            'metadata: {name: s, model: "exec:%s"}\nevals:\n'
            '  - {name: one, prompt: "hi %s", checks: [match: "nothing %s"]}\n' % (agent, escaped, escaped))
        self.suite = str(self.folder / "suite.yaml")
        self.vibe("set", "var", "evil", evil)
        self.vibe("check", self.suite, exit=1)
        (self.folder / "log.jsonl").write_text(json.dumps(
            {"ts": "2026-01-01T00:00:00Z", "tool": evil, "session": evil, "exit": 1, "command": evil}) + "\n")
        self.evil = evil

    def vibe(self, *words, exit=0):
        done = subprocess.run([VIBE, *words], env=self.environment, cwd=self.folder, capture_output=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, exit, done.stderr)
        return done.stdout

    def test_a_pipe_gets_every_byte(self):
        self.assertEqual(self.vibe("get", "var", "evil").decode(), self.evil + "\n")
        self.assertIn(b"\x1b]0;owned\x07", self.vibe("get", "run", "last", "--csv"))

    def test_a_terminal_gets_no_control_characters(self):
        log = str(self.folder / "log.jsonl")
        for words in (("get", "var", "evil"), ("get", "vars"), ("get", "run", "last", "--csv"), ("get", "run", "last"),
                      ("get", "run", "last", "--json"), ("get", "runs"), ("get", "runs", "--csv"), ("get", "suite", "s"),
                      ("check", self.suite), ("check", self.suite, "--only", self.evil), ("get", "run", self.evil),
                      ("fitness", "show", log), ("fitness", "show", log, "--calls"), ("fitness", "show", log, "--jsonl"),
                      ("fitness", "score", log, "--explain"), ("get", "executions", "--csv"), (self.evil,),
                      ("validate", self.evil), ("get", "runs", "--" + self.evil)):
            with self.subTest(words=words):
                shown = on_terminal(words=words, **self.environment)
                shown = re.sub("\r+\n", "\n", shown)  # a table has its own, and the terminal adds one
                if "--csv" not in words and "--json" not in words and "var" not in words and "suite" not in words:
                    shown = re.sub("\x1b\\[([012]|3[123]|1;3[136])m|\x1b\\[K|(?<![^\n])\r|\r(?=[^\r]*\x1b\\[K)", "", shown)
                self.assertNotRegex(shown, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
        self.assertIn("owned", on_terminal(words=("get", "var", "evil"), **self.environment))

    def test_colours_of_its_own_stay(self):
        self.assertIn("\x1b[31mFAIL\x1b[0m", on_terminal(words=("get", "run", "last"), **self.environment))


if __name__ == "__main__":
    unittest.main()
