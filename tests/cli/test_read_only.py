#!/usr/bin/python3
"""Commands that only read work with any readable store: on a read-only disk, on a full disk, in another user's folder.
Commands that write report what is wrong. Needs VIBE, VIBE_SOURCE; mounts in its own namespace."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "run"))
from vibe_world import SOURCE, VIBE, World  # noqa: E402

UNSHARE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
# A small disk with the same files, filled to the last byte.
FULL = ('cp -a "$0" "$0.copy" && mount -t tmpfs -o size=2M none "$0" && cp -a "$0.copy/." "$0" && '
        '{ dd if=/dev/zero of="$0/filler" bs=4k 2>/dev/null; ! echo x >>"$0/filler"; } 2>/dev/null && exec "$@"')

READING = [("get", "runs"), ("get", "runs", "--json"), ("get", "run", "last"), ("get", "run", "last", "--json"),
           ("get", "run", "last", "--explain"), ("get", "suites"), ("get", "suite", "s"), ("get", "vars"),
           ("get", "var", "who"), ("get", "secrets"), ("get", "executions"), ("get", "execution", "last"),
           ("get", "decisions"), ("fitness", "trend", "--agent", "me"), ("check", "suite.yaml", "--dry-run")]
WRITING = [("check", "suite.yaml"), ("set", "var", "who", "you"), ("delete", "var", "who")]


class ReadOnly(unittest.TestCase):
    def setUp(self):
        self.world = World(VIBECHECK_HOME="")
        self.addCleanup(self.world.__exit__)
        self.home = self.world.folder / "home"
        self.world.environment["VIBECHECK_HOME"] = str(self.home)
        self.world.suite(["hello {{var('who')}}"], model="exec:cat")
        self.world.vibe("set", "var", "who", "me")
        self.world.vibe("set", "secret", "token", "s3cret")
        self.world.vibe("check", "suite.yaml")
        self.world.vibe("fitness", "score", str(SOURCE / "examples/logs/claude.jsonl"), "--agent", "me")
        self.world.vibe("fitness", "decide", "50", "60", "--seed", "1")

    def run_in(self, prepare, words, user=()):
        command = [*UNSHARE, "bash", "-c", prepare, str(self.home), *user, VIBE, *words]
        done = subprocess.run(command, env=self.world.environment, cwd=self.world.folder, capture_output=True,
                              timeout=300, check=False)
        shutil.rmtree(str(self.home) + ".copy", ignore_errors=True)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def expect_the_same(self, prepare, user=()):
        """The output is the same as with a writable store."""
        for words in READING:
            with self.subTest(words=words):
                said = self.world.vibe(*words)
                self.assertEqual(self.run_in(prepare, words, user), (0, said, self.world.errors))
        for words in WRITING:
            with self.subTest(words=words):
                exit, _, errors = self.run_in(prepare, words, user)
                self.assertEqual(exit, 3, errors)
                self.assertIn("E0701", errors)

    def leave_a_log(self):
        """A run whose last results are in the log alone: its process was killed."""
        self.world.suite(["hello", "there"], model="exec:cat", name="killed.yaml",
                         checks='[exec: {command: [sh, -c, "test -e go || kill -9 $PPID"]}]')
        process = self.world.start("check", "killed.yaml", "-t", "1")
        process.communicate(timeout=300)
        self.assertTrue((self.home / "vibecheck.db-wal").stat().st_size > 0)

    def test_a_read_only_disk(self):
        self.assertFalse((self.home / "vibecheck.db-wal").exists())
        self.expect_the_same(READ_ONLY)
        self.assertFalse((self.home / "vibecheck.db-wal").exists())

    def test_a_full_disk(self):
        for words in READING:
            with self.subTest(words=words):
                said = self.world.vibe(*words)
                self.assertEqual(self.run_in(FULL, words), (0, said, self.world.errors))

    def test_what_is_in_the_log_alone_is_read(self):
        self.leave_a_log()
        for left in ("with its shared memory", "without it"):
            with self.subTest(left):
                if left == "without it":
                    os.remove(self.home / "vibecheck.db-shm")
                before = {path.name: path.read_bytes() for path in self.home.iterdir()}
                for disk in (READ_ONLY, FULL):
                    exit, output, errors = self.run_in(disk, ("get", "runs", "--json"))
                    self.assertEqual((exit, errors), (0, ""))
                    runs = json.loads(output)["runs"]
                    self.assertEqual([run["status"] for run in runs], ["running", "completed"])
                self.assertEqual({path.name: path.read_bytes() for path in self.home.iterdir()}, before)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody else")
    def test_a_folder_of_somebody_else(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        os.chmod(place.name, 0o755)
        moved = pathlib.Path(place.name) / "home"
        shutil.copytree(self.home, moved)
        for path in (moved, *moved.iterdir()):
            os.chmod(path, 0o755 if path.is_dir() else 0o644)
        os.remove(moved / "secret.key")
        program = pathlib.Path(place.name) / "vibe"
        shutil.copy(VIBE, program)
        somebody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(program)]
        for words in READING[:-1]:
            with self.subTest(words=words):
                said = self.world.vibe(*words)
                done = subprocess.run([*somebody, *words], cwd="/", capture_output=True, timeout=300, check=False,
                                      env={**self.world.environment, "VIBECHECK_HOME": str(moved), "HOME": "/"})
                self.assertEqual((done.returncode, done.stdout.decode()), (0, said), done.stderr.decode())

    def test_where_there_is_no_store(self):
        shutil.rmtree(self.home)
        self.home.mkdir()
        exit, _, errors = self.run_in(READ_ONLY, ("get", "runs"))
        self.assertEqual(exit, 3)
        self.assertIn("there is no store", errors)


if __name__ == "__main__":
    unittest.main()
