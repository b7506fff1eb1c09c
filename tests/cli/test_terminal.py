#!/usr/bin/env python3
"""Colours and width depend on the terminal. Needs VIBE."""
import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import termios
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
FORMULA = "success_pct + " * 20 + "sqroot(total_cost)"


def on_terminal(columns=80, **environment):
    """What `vibe formula check` writes to a terminal of that width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    done = subprocess.Popen([VIBE, "formula", "check", FORMULA], stdin=subprocess.DEVNULL, stdout=follower,
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


if __name__ == "__main__":
    unittest.main()
