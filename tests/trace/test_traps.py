#!/usr/bin/env python3
"""Traps of agents' logs: each log in tests/cases/logs is one, and says what must be read from it. Needs VIBE and
VIBE_SOURCE.

Beside `NAME.jsonl` (or `.json`, `.traj`, …) stands `NAME.want.json`:
    trap       what goes wrong with the naive way, in one sentence
    format     of all its sessions
    read_as    the format that it is read by, where that is another: our own output
    sessions   in their order, each with the keys of the output that matter; `calls` of its calls
    naive      what the naive way finds, of the first session, or as the number of `sessions`: ours must differ
    bad_lines  of the file
    notes      words that are in the notes of a session
What a folder `NAME` holds beside it are logs of its sub-agents.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
LOGS = pathlib.Path(os.environ["VIBE_SOURCE"]).resolve() / "tests" / "cases" / "logs"
KEYS = {"trap", "format", "read_as", "sessions", "naive", "bad_lines", "notes"}


def stem(path):
    return path.name.split(".")[0]


FIXTURES = sorted(path for path in LOGS.iterdir() if path.is_file() and not path.name.endswith(".want.json"))
WANTS = {stem(path): json.loads(path.read_text()) for path in LOGS.glob("*.want.json")}


SHOWN = {}  # what is printed of each, once it was


def has_sub_agents(path):
    return (LOGS / stem(path)).is_dir()


def for_each_log(check):
    def test(self):
        for path in FIXTURES:
            with self.subTest(log=path.name):
                check(self, path)
    return test


class WithHome(unittest.TestCase):
    maxDiff = None
    one_of_many = False  # processes that read one log each: looking for leaks takes half of their time

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "home").mkdir()

    def run_vibe(self, *words, stdin=b""):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8",
                       **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
        if self.one_of_many:
            environment["ASAN_OPTIONS"] = ":".join(filter(None, [environment.get("ASAN_OPTIONS"), "detect_leaks=0"]))
        return subprocess.run([VIBE, "fitness", "show", *words], cwd=LOGS, env=environment, input=stdin,
                              capture_output=True, timeout=120)

    def show(self, *words, stdin=b"", calls=True):
        """What is printed of logs that can be read."""
        done = self.run_vibe("--jsonl", *(["--calls"] if calls else []), *words, stdin=stdin)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr.decode()}")
        return done.stdout

    def shown(self, path):
        if path not in SHOWN:
            SHOWN[path] = self.show_one(path.name)
        return SHOWN[path]

    def show_one(self, *words, stdin=b""):
        """The same for one log of many. Leaks are looked for when all of them are read at once."""
        self.one_of_many = True
        try:
            return self.show(*words, stdin=stdin)
        finally:
            self.one_of_many = False

    def assert_same(self, got, want):
        """Compares what was read of all logs, each with the log's name in case they differ."""
        self.assertEqual(len(got), sum(len(sessions) for sessions in want.values()))
        for path, sessions in want.items():
            with self.subTest(log=path.name):
                ours, got = got[:len(sessions)], got[len(sessions):]
                self.assertEqual(without_file(ours), without_file(sessions))

    def read(self, *words, stdin=b""):
        return parsed(self.show(*words, stdin=stdin))


def parsed(lines):
    return [json.loads(line) for line in lines.splitlines()]


def without_file(sessions):
    return [{key: value for key, value in session.items() if key != "file"} for session in sessions]


class Traps(WithHome):
    def compare(self, want, got, where):
        for key, value in want.items():
            if key == "calls":
                self.assertGreaterEqual(len(got["calls"]), len(value), where)
                for number, (call, ours) in enumerate(zip(value, got["calls"])):
                    self.compare(call, ours, f"{where}, call {number}")
                continue
            self.assertIn(key, got, where)
            if isinstance(value, float) and got[key] is not None:
                self.assertAlmostEqual(got[key], value, places=7, msg=f"{where}: {key}")
            else:
                self.assertEqual(got[key], value, f"{where}: {key}")

    @for_each_log
    def test_what_is_read(self, path):
        want, got = WANTS[stem(path)], parsed(self.shown(path))
        self.assertEqual(len(got), len(want["sessions"]), f"sessions: {[one['id'] for one in got]}")
        for number, (session, ours) in enumerate(zip(want["sessions"], got)):
            self.compare(session, ours, f"session {number}")
            self.assertEqual(ours["format"], want["format"])
            self.assertEqual(ours["bad_lines"], want.get("bad_lines", ours["bad_lines"]))
        for words in want.get("notes", []):
            self.assertTrue(any(words in note for one in got for note in one["notes"]),
                            f"{words}: {[one['notes'] for one in got]}")

    @for_each_log
    def test_naive_ways_differ(self, path):
        got = parsed(self.shown(path))
        for key, value in WANTS[stem(path)].get("naive", {}).items():
            self.assertNotEqual(len(got) if key == "sessions" else got[0][key], value, key)

    @for_each_log
    def test_figures_agree(self, path):
        for one in parsed(self.shown(path)):
            self.assertEqual(one["tool_calls"], one["successful_calls"] + one["failed_calls"] +
                             one["refused_calls"] + one["unknown_calls"])
            self.assertEqual(one["retries"], one["repeats"] + one["api_retries"])
            if not one["calls"]:
                continue
            by_call = {"tool_calls": len(one["calls"]),
                       "successful_calls": sum(call["outcome"] == "success" for call in one["calls"]),
                       "failed_calls": sum(call["outcome"] == "failure" for call in one["calls"]),
                       "refused_calls": sum(call["refused"] for call in one["calls"]),
                       "unanswered_calls": sum(not call["answered"] for call in one["calls"])}
            self.assertEqual(by_call, {key: one[key] for key in by_call})

    def test_without_calls_the_rest_is_the_same(self):
        full = {path: parsed(self.shown(path)) for path in FIXTURES}
        for sessions in full.values():
            for one in sessions:
                del one["calls"]
        self.assert_same(parsed(self.show(*(path.name for path in FIXTURES), calls=False)), full)


class Fixtures(WithHome):
    def test_each_has_its_expectation(self):
        names = [stem(path) for path in FIXTURES]
        self.assertEqual(sorted(names), sorted(WANTS))
        for folder in (path for path in LOGS.iterdir() if path.is_dir()):
            self.assertIn(folder.name, names)
        for name, want in WANTS.items():
            with self.subTest(log=name):
                self.assertEqual(set(want) - KEYS, set())
                self.assertGreater(len(want["trap"]), 20)
                self.assertTrue(want["sessions"])
        self.assertEqual(len({want["trap"] for want in WANTS.values()}), len(WANTS))

    def test_every_format_has_one(self):
        done = self.run_vibe("--format", "nonsense", "x")
        self.assertEqual(done.returncode, 2)
        listed = done.stderr.decode().split("known formats:")[1]
        names = set(re.findall(r"`([a-z-]+)`", listed))
        self.assertIn("claude", names)
        self.assertEqual(names, {want.get("read_as", want["format"]) for want in WANTS.values()})

    def test_one_format_fits_and_naming_it_changes_nothing(self):
        by_format = collections.defaultdict(list)
        for path in FIXTURES:
            want = WANTS[stem(path)]
            by_format[want.get("read_as", want["format"])].append(path)
        for name, paths in by_format.items():
            with self.subTest(format=name):
                self.assertEqual(self.show("--format", name, *(path.name for path in paths)),
                                 b"".join(self.shown(path) for path in paths))


class Ways(WithHome):
    """However a log comes, the same is read from it."""

    def test_all_at_once(self):
        self.assertEqual(self.show(*(path.name for path in FIXTURES)),
                         b"".join(self.shown(path) for path in FIXTURES))

    def test_as_a_folder(self):
        done = self.run_vibe("--jsonl", "--calls", ".")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        got = sorted(done.stdout.replace(b'"file":"./', b'"file":"').splitlines())
        self.assertEqual(got, sorted(self.show(*(path.name for path in FIXTURES)).splitlines()))
        self.assertEqual(done.stderr.count(b"W0851"), len(WANTS))

    def test_packed(self):
        for path in FIXTURES:
            if has_sub_agents(path):
                shutil.copytree(LOGS / stem(path), self.folder / stem(path))
            (self.folder / path.name).write_bytes(gzip.compress(path.read_bytes()))
        self.assert_same(self.read(*(self.folder / path.name for path in FIXTURES)),
                         {path: parsed(self.shown(path)) for path in FIXTURES})

    @for_each_log
    def test_sub_agents_however_they_are_named(self, path):
        if not has_sub_agents(path):
            return
        want = without_file(parsed(self.shown(path)))
        named = self.read(path.name, f"./{stem(path)}/../{stem(path)}/subagents")
        self.assertEqual(without_file(named), want)
        shutil.copytree(LOGS / stem(path), self.folder / stem(path))
        (self.folder / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        self.assertEqual(without_file(self.read(self.folder / f"{path.name}.gz")), want)
        (self.folder / f"{path.name}.gz").rename(self.folder / "log.jsonl.gz")
        self.assertNotEqual(without_file(self.read(self.folder / "log.jsonl.gz")), want)

    @for_each_log
    def test_standard_input(self, path):
        if not has_sub_agents(path):  # of which a stream tells nothing
            got = parsed(self.show_one("-", stdin=path.read_bytes()))
            self.assertEqual(without_file(got), without_file(parsed(self.shown(path))))

    def test_threads_for_several(self):
        names = [path.name for path in FIXTURES]
        self.assertEqual(self.show("--threads", "1", *names), self.show("--threads", "4", *names))

    def test_own_output_of_several(self):
        together = self.show(*(path.name for path in FIXTURES))
        self.assertEqual(self.show("-", stdin=together), together)
        array = self.run_vibe("--json", *(path.name for path in FIXTURES)).stdout
        self.assertEqual(self.run_vibe("--json", "-", stdin=array).stdout, array)

    @for_each_log
    def test_ends_without_a_break(self, path):
        if path.suffix == ".jsonl" and not has_sub_agents(path):
            got = parsed(self.show_one("-", stdin=path.read_bytes().rstrip(b"\r\n")))
            self.assertEqual(without_file(got), without_file(parsed(self.shown(path))))


class LongLines(WithHome):
    """Lines of 1.5 MB, as images make them."""
    LONG = "QUJD" * 384_000

    def claude(self, **more):
        return {"sessionId": "s1", "timestamp": "2026-03-02T10:00:00.000Z", **more}

    def check(self, lines, calls, failed):
        log = "".join(json.dumps(line) + "\n" for line in lines).encode()
        for words in ([], ["--threads", "1"]):
            got = self.read(*words, "-", stdin=log)
            self.assertEqual([(one["tool_calls"], one["failed_calls"], one["bad_lines"]) for one in got],
                             [(calls, failed, 0)])
            for call in got[0]["calls"]:
                self.assertLess(len(call["input"] or "") + len(call["error"] or ""), 5000)

    def test_claude(self):
        image = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": self.LONG}}]
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": self.LONG, "is_error": True}
        call = {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": {"content": self.LONG}}
        self.check([self.claude(type="user", message={"role": "user", "content": image}),
                    self.claude(type="assistant", message={"role": "assistant", "content": [call]}),
                    self.claude(type="user", message={"role": "user", "content": [result]})], 1, 1)

    def test_claude_with_its_names_at_the_end(self):
        image = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": self.LONG}}]
        call = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
        self.check([{"message": {"role": "user", "content": image}, **self.claude(type="user")},
                    self.claude(type="assistant", message={"role": "assistant", "content": [call]})], 1, 0)

    def test_hook(self):
        self.check([{"ts": "2026-03-02T10:00:00Z", "tool": "Read", "exit": 0, "output": self.LONG},
                    {"ts": "2026-03-02T10:00:01Z", "tool": "Bash", "exit": 1, "output": self.LONG},
                    {"ts": "2026-03-02T10:00:02Z", "tool": "Bash", "exit": 0}], 3, 1)

    def test_codex(self):
        self.check([{"timestamp": "2026-03-02T10:00:00Z", "type": "session_meta",
                     "payload": {"id": "x1", "instructions": self.LONG}},
                    {"timestamp": "2026-03-02T10:00:01Z", "type": "response_item",
                     "payload": {"type": "function_call", "name": "shell", "arguments": self.LONG, "call_id": "c1"}},
                    {"timestamp": "2026-03-02T10:00:02Z", "type": "response_item",
                     "payload": {"type": "function_call_output", "call_id": "c1",
                                 "output": "Exit code: 1\nOutput:\n" + self.LONG}}], 1, 1)

    def test_swe_agent(self):
        step = {"action": "cat x", "observation": self.LONG, "response": self.LONG}
        self.check([{"trajectory": [step, step], "info": {"exit_status": "submitted"}}], 2, 0)


if __name__ == "__main__":
    unittest.main()
