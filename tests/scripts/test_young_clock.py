#!/usr/bin/python3
"""Unit tests that wait, with a steady clock that has just begun, as on a machine that has just booted: in a time
namespace of their own. Code that takes the clock's beginning for "never" fails here."""

import os
import subprocess
import time
import unittest

UNIT_TESTS = os.path.join(os.environ["VIBE_BUILD"], "tests", "vibe_tests")
WAITING = ["RunWatch", "WorkQueue", "QueueFaults", "Timer", "RateLimit", "HttpServer"]


def young(*command):
    """The command line that runs another one second after the clocks began."""
    monotonic = 1 - int(time.clock_gettime(time.CLOCK_MONOTONIC))
    boot = 1 - int(time.clock_gettime(time.CLOCK_BOOTTIME))
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--fork", "--kill-child", "--time", f"--monotonic={monotonic}", f"--boottime={boot}", *command]


class YoungClock(unittest.TestCase):
    def setUp(self):
        tried = subprocess.run(young("cat", "/proc/uptime"), capture_output=True, text=True)
        if tried.returncode != 0:
            self.skipTest(f"no time namespace here: {tried.stderr.strip()}")
        self.assertLess(float(tried.stdout.split()[0]), 60)

    def test_unit_tests_that_wait(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GTEST_")}
        done = subprocess.run(young(UNIT_TESTS, "--gtest_brief=1",
                                    "--gtest_filter=" + ":".join(f"{name}*" for name in WAITING)),
                              env=environment, cwd=os.environ["VIBE_SOURCE"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-5000:])


if __name__ == "__main__":
    unittest.main()
