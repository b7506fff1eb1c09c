#!/usr/bin/env python3
"""Files that are no logs, damaged ones, folders, and the newest session: what is said of them, and how `vibe fitness
show` ends. Needs VIBE.
"""
import gzip
import io
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zipfile

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
HOOK = '{"ts": "2026-03-02T10:00:01Z", "tool": "Bash", "exit": 0}\n'
FAILED = '{"ts": "2026-03-02T10:00:02Z", "tool": "Bash", "exit": 1}\n'
MB = 1 << 20


def claude(kind, session, content, at="10:00:00", **more):
    return json.dumps({"type": kind, "sessionId": session, "timestamp": f"2026-03-02T{at}.000Z",
                       "message": {"role": kind, "content": content}, **more}) + "\n"


def claude_call(session, call, **more):
    return claude("assistant", session, [{"type": "tool_use", "id": call, "name": "Bash", "input": {}}], **more)


def transcript(session):
    return claude("user", session, "Go.") + claude_call(session, f"{session}-call", at="10:00:09")


def rollout(session):
    return "".join(json.dumps({"timestamp": "2026-03-02T10:00:00Z", "type": kind, "payload": payload}) + "\n"
                   for kind, payload in (("session_meta", {"id": session}), ("event_msg", {"type": "user_message"})))


class WithFolder(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "home").mkdir()

    def write(self, name, content=HOOK):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def run_vibe(self, *words, stdin=b"", before=()):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8",
                       **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
        return subprocess.run([*before, VIBE, "fitness", "show", "--json", *words], cwd=self.folder, env=environment,
                              input=stdin, capture_output=True, timeout=120)

    def show(self, *words, code=0, **more):
        """The sessions and standard error of a command that ends with that code: JSON is printed in any case."""
        done = self.run_vibe(*words, **more)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return json.loads(done.stdout), done.stderr.decode()

    def refused(self, *words, code=2, **more):
        """Standard error of a command that reads nothing."""
        sessions, errors = self.show(*words, code=code, **more)
        self.assertEqual(sessions, [])
        return errors


class NoLogs(WithFolder):
    def test_empty(self):
        self.assertRegex(self.refused(self.write("a.jsonl", "")), r"^a\.jsonl:1:1: error: .*\[E0803\]")

    def test_white_space(self):
        self.assertRegex(self.refused(self.write("a.jsonl", " \n\t\r\n\n")), r"^a\.jsonl:.*\[E080[13]\]")

    def test_unknown_kind(self):
        listed = re.findall(r"`([a-z-]+)`", self.refused("--format", "nonsense", "x").split("known formats")[1])
        self.assertGreater(len(listed), 10)
        for content in ('{"colour": "red"}\n', "Hello.\n", "1\n2\n", "{", "\0" * 5000, b"\xff\xfe\x80", "[]", "[[[["):
            with self.subTest(content=content[:20]):
                errors = self.refused(self.write("a.txt", content))
                self.assertIn("[E0801]", errors)
                for name in listed:
                    self.assertIn(name, errors)

    def test_unknown_format(self):
        errors = self.refused("--format", "claud", self.write("a.jsonl"))
        self.assertIn("there is no format `claud`", errors)
        self.assertIn("`claude`", errors)

    def test_two_formats(self):
        both = '{"hook_event_name": "PostToolUse", "tool_name": "Bash", "format": "hook", "tool_calls": 1, ' \
               '"failed_calls": 0, "corrections": 0}\n'
        self.write("a.jsonl", both)
        errors = self.refused("a.jsonl")
        self.assertIn("[E0802]", errors)
        self.assertIn("`hook`, `vibecheck`", errors)
        self.assertIn("--format", errors)
        sessions, errors = self.show("--format", "hook", "a.jsonl")
        self.assertEqual((sessions[0]["format"], sessions[0]["tool_calls"], errors), ("hook", 1, ""))

    def test_another_format_than_it_is(self):
        self.assertIn("[E0803]", self.refused("--format", "vibecheck", self.write("a.jsonl")))

    def test_no_event(self):
        self.write("a.jsonl", '{"type": "summary", "summary": "x", "leafUuid": "u"}\n{"type": \n')
        self.assertIn("[E0803]", self.refused("a.jsonl"))

    def test_missing(self):
        self.assertRegex(self.refused("a.jsonl"), r"^a\.jsonl:.*no such file.*\[E0504\]")
        self.assertIn("[E0504]", self.refused(self.write("file") + "/a.jsonl"))

    def test_unreadable(self):
        if os.geteuid() != 0:
            (self.folder / self.write("a.jsonl")).chmod(0)
            self.assertRegex(self.refused("a.jsonl"), r"^a\.jsonl:.*permission denied.*\[E0504\]")
        if os.path.exists("/proc/self/mem"):
            self.assertRegex(self.refused("/proc/self/mem"), r"^/proc/self/mem:.*\[E0504\]")

    def test_what_can_be_read_is_printed(self):
        self.write("a.jsonl")
        self.write("b.jsonl", FAILED)
        self.write("c.txt", "Hello.")
        sessions, errors = self.show("a.jsonl", "missing.jsonl", "c.txt", "b.jsonl", code=2)
        self.assertEqual([(one["file"], one["failed_calls"]) for one in sessions], [("a.jsonl", 0), ("b.jsonl", 1)])
        self.assertIn("missing.jsonl:", errors)
        self.assertIn("c.txt:", errors)

    def test_without_end(self):
        self.assertIn("[E0801]", self.refused("/dev/zero"))
        endless = ("/bin/bash", "-c", 'yes | exec "$0" "$@"')
        self.assertIn("[E0801]", self.refused("-", before=endless))

    def test_standard_input(self):
        self.assertIn("[E0803]", self.refused("-"))
        closed = ("/bin/sh", "-c", 'exec "$0" "$@" <&-')
        self.assertIn("[E0504]", self.refused("-", before=closed))
        sessions, _ = self.show("-", stdin=HOOK.encode())
        self.assertEqual(sessions[0]["file"], "<stdin>")


class Damaged(WithFolder):
    def archive(self, *samples):
        bytes_ = io.BytesIO()
        with zipfile.ZipFile(bytes_, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("header.json", json.dumps({"version": 2, "eval": {"task": "t", "model": "m"}}))
            for number, sample in enumerate(samples):
                out.writestr(f"samples/{number}_epoch_1.json", sample)
        return bytes_.getvalue()

    def sample(self, id_, padding=0):
        return json.dumps({"id": id_, "epoch": 1, "messages": [], "output": {"completion": "Done."}}) + " " * padding

    def test_zip(self):
        whole = self.archive(self.sample("a"))
        self.assertEqual(len(self.show(self.write("a.eval", whole))[0]), 1)
        for length in (4, 30, len(whole) // 2, len(whole) - 30, len(whole) - 1):
            with self.subTest(length=length):
                self.assertRegex(self.refused(self.write("b.eval", whole[:length])), r"^b\.eval:.*\[E0404\]")

    def test_zip_of_something_else(self):
        bytes_ = io.BytesIO()
        with zipfile.ZipFile(bytes_, "w") as out:
            out.writestr("photo.jpg", "x")
        self.assertIn("error", self.refused(self.write("a.zip", bytes_.getvalue())))

    def test_zip_with_a_damaged_sample(self):
        whole = bytearray(self.archive(self.sample("a"), self.sample("b")))
        at = whole.index(b"samples/0_epoch_1.json") + 40
        whole[at] ^= 0xFF
        sessions, errors = self.show(self.write("a.eval", bytes(whole)), code=2)
        self.assertIn("b/1", [one["id"] for one in sessions])
        self.assertIn("a.eval", errors)

    def test_zip_with_broken_samples(self):
        cut = self.sample("b")[:-1]
        sessions, errors = self.show(self.write("a.eval", self.archive("no JSON", cut, self.sample("c"))), code=2)
        self.assertEqual([(one["id"], one["bad_lines"], one["notes"]) for one in sessions], [
            ("b/1", 1, ["1 line is broken: 1 (in `samples/1_epoch_1.json`)"]), ("c/1", 0, [])])
        self.assertRegex(errors, r"^a\.eval:.*`samples/0_epoch_1\.json`")

    def test_damaged_step(self):
        steps = [{"action": "ls", "observation": text, "thought": ""} for text in ("a@b", "fine")]
        document = json.dumps({"environment": "e", "trajectory": steps, "info": {}}).encode()
        for damage, calls in ((rb"\q", 1), (b"\xff", 2)):
            with self.subTest(damage=damage):
                sessions, _ = self.show(self.write("a.traj", document.replace(b"@", damage)))
                self.assertEqual([(one["tool_calls"], one["bad_lines"]) for one in sessions], [(calls, 1)])

    def test_torn_line(self):
        torn = FAILED[:-2] + ', "response": {"calls": [' + FAILED.rstrip() + '], "x": "torn\n'
        sessions, _ = self.show(self.write("a.jsonl", HOOK + torn))
        self.assertEqual([(one["tool_calls"], one["bad_lines"]) for one in sessions], [(1, 1)])

    def test_long_line_of_small_objects(self):
        for name, between, around in (("array.json", b",", b"[]"), ("glued.jsonl", b"", b"  ")):
            with self.subTest(name=name):
                objects = between.join([HOOK.strip().encode() + b" " * 900_000] * 80)
                sessions, errors = self.show(self.write(name, around[:1] + objects + around[1:]))
                self.assertEqual([(one["tool_calls"], one["bad_lines"]) for one in sessions], [(80, 0)])
                self.assertEqual(errors, "")

    def test_zip_bomb(self):
        bomb = self.archive(self.sample("a", padding=60 * MB))
        self.assertLess(len(bomb), MB)
        self.assertRegex(self.refused(self.write("a.eval", bomb)), r"^a\.eval:.*\[E0207\]")

    def test_gzip(self):
        content = "".join(HOOK.replace(":01Z", f":{number % 60:02}Z") for number in range(20_000)).encode()
        whole = gzip.compress(content)
        self.assertEqual(self.show(self.write("a.gz", whole))[0][0]["tool_calls"], 20_000)
        sessions, errors = self.show(self.write("b.gz", whole[:-100]), code=2)
        self.assertGreater(sessions[0]["tool_calls"], 10_000)
        self.assertRegex(errors, r"^b\.gz:.*\[E0404\]")
        wrong_sum = whole[:-8] + bytes(4) + whole[-4:]
        self.assertRegex(self.show(self.write("c.gz", wrong_sum), code=2)[1], r"^c\.gz:.*\[E0404\]")

    def test_gzip_cut_at_its_beginning(self):
        whole = gzip.compress(HOOK.encode())
        for length in (10, 12, len(whole) // 2):
            with self.subTest(length=length):
                self.assertRegex(self.refused(self.write("a.gz", whole[:length])), r"(?m)^a\.gz:.*\[E0404\]")

    def test_gzip_bomb(self):
        with gzip.open(self.folder / "a.gz", "wb", 9) as out:
            out.write(HOOK.encode())
            for _ in range(100):
                out.write(b"\n" * MB)
        self.assertLess((self.folder / "a.gz").stat().st_size, MB)
        sessions, errors = self.show("a.gz", code=2)
        self.assertEqual(sessions[0]["tool_calls"], 1)
        self.assertRegex(errors, r"^a\.gz:.*\[E0207\]")

    def long_line(self, first, begin, end, last):
        """A file with a second line of 70 MB, which takes hardly any disk."""
        with open(self.folder / "a.jsonl", "wb") as out:
            out.write(first.encode() + begin.encode())
            out.seek(70 * MB, os.SEEK_CUR)
            out.write(end.encode() + b"\n" + last.encode())
        done = self.run_vibe("a.jsonl")
        sessions, errors = json.loads(done.stdout), done.stderr.decode()
        self.assertIn(done.returncode, (0, 2))
        self.assertEqual(len(sessions), 1)
        told = [line for line in errors.splitlines() if "a.jsonl" in line] + sessions[0]["notes"]
        self.assertTrue(any(re.search(r"line 2\b|read: 2$", text) for text in told), (errors, sessions[0]["notes"]))
        return sessions[0]

    def test_long_line_of_a_hook_log(self):
        session = self.long_line(HOOK, FAILED[:-2] + ', "output": "', '"}', HOOK)
        self.assertGreaterEqual(session["tool_calls"], 1)

    def test_long_line_of_a_transcript(self):
        end = claude("user", "s1", "@")
        session = self.long_line(claude_call("s1", "toolu_1"), *end.rstrip().split("@"), claude_call("s1", "toolu_2"))
        self.assertGreaterEqual(session["tool_calls"], 1)


class Folders(WithFolder):
    def test_logs_and_other_files(self):
        for name in ("d/b/2.jsonl", "d/a/1.jsonl", "d/c.jsonl.gz"):
            self.write(name, gzip.compress(FAILED.encode()) if name.endswith("gz") else HOOK)
        others = [self.write(name, content) for name, content in (
            ("d/README.md", "# Logs\n"), ("d/a/settings.json", '{"theme": "dark"}'), ("d/empty.jsonl", ""),
            ("d/x.png", b"\x89PNG\r\n\x1a\n\0"))]
        self.write("d/.hidden.jsonl")
        self.write("d/.git/log.jsonl")
        sessions, errors = self.show("d")
        self.assertEqual([one["file"] for one in sessions], ["d/a/1.jsonl", "d/b/2.jsonl", "d/c.jsonl.gz"])
        for name in others:
            self.assertRegex(errors, rf"(?m)^{re.escape(name)}:.*warning: .*\[W0851\]")
        self.assertEqual(errors.count("W0851"), len(others))

    def test_without_logs(self):
        (self.folder / "d").mkdir()
        self.assertIn("[E0803]", self.refused("d"))
        self.write("d/a.txt", "Hello.")
        errors = self.refused("d")
        self.assertIn("[W0851]", errors)
        self.assertIn("[E0803]", errors)

    def test_links_in_a_circle(self):
        self.write("d/e/a.jsonl")
        os.symlink("..", self.folder / "d/e/up")
        os.symlink("e", self.folder / "d/same")
        os.symlink("a.jsonl", self.folder / "d/e/b.jsonl")
        os.symlink("self", self.folder / "d/self")
        os.symlink("nowhere", self.folder / "d/broken")
        sessions, errors = self.show("d")
        self.assertEqual([one["file"] for one in sessions], ["d/e/a.jsonl"])
        self.assertEqual(errors, "")

    def test_a_pipe_is_not_read(self):
        self.write("d/a.jsonl")
        os.mkfifo(self.folder / "d/b.jsonl")
        sessions, _ = self.show("d")
        self.assertEqual([one["file"] for one in sessions], ["d/a.jsonl"])

    def sub_agent(self, session, call):
        return claude_call(session, call, at="10:00:05", isSidechain=True, agentId="1")

    def test_sub_agents(self):
        self.write("d/s1.jsonl", transcript("s1"))
        self.write("d/s1/subagents/agent-1.jsonl", self.sub_agent("s1", "toolu_a"))
        self.write("d/s1/subagents/agent-2.jsonl", self.sub_agent("s1", "toolu_b"))
        self.write("d/s1/subagents/notes.txt", "Hello.")
        self.write("d/s2.jsonl", transcript("s2"))
        expected = [("s1", 3, "d/s1.jsonl"), ("s2", 1, "d/s2.jsonl")]
        for words in (["d"], ["d/s1.jsonl", "d/s2.jsonl"], ["d/"], ["d/s1.jsonl", "d/s2.jsonl", "--threads", "4"]):
            with self.subTest(words=words):
                sessions, _ = self.show(*words)
                got = [(one["id"], one["tool_calls"], one["file"].replace("//", "/")) for one in sessions]
                self.assertEqual(got, expected)
        sessions, _ = self.show("d/s1/subagents/agent-1.jsonl")
        self.assertEqual([(one["id"], one["tool_calls"]) for one in sessions], [("s1", 1)])

    def test_a_damaged_sub_agent(self):
        self.write("d/s1.jsonl", transcript("s1"))
        self.write("d/s1/subagents/agent-1.jsonl", self.sub_agent("s1", "toolu_a") + '{"type": "assist')
        self.write("d/s1/subagents/agent-2.jsonl", "")
        sessions = json.loads(self.run_vibe("d/s1.jsonl").stdout)
        self.assertEqual([(one["id"], one["tool_calls"], one["bad_lines"]) for one in sessions], [("s1", 2, 1)])


class Newest(WithFolder):
    def put(self, name, content, age):
        path = self.folder / "home" / self.write(f"home/{name}", content).removeprefix("home/")
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
        return path

    def test_none(self):
        self.assertIn("[E0804]", self.refused())

    def test_newest(self):
        self.put(".claude/projects/p/old.jsonl", transcript("old"), 300)
        newest = self.put(".claude/projects/p/new.jsonl", transcript("new"), 200)
        self.put(".claude/projects/p/agent-1.jsonl", transcript("sub"), 0)
        self.put(".claude/projects/p/new/subagents/agent-2.jsonl", claude_call("new", "toolu_a", isSidechain=True), 0)
        self.put(".claude/projects/p/notes.txt", "Hello.", 0)
        self.put(".claude/projects/p/empty.jsonl", "", 0)
        (self.folder / "home/.claude/projects/p/folder.jsonl").mkdir()
        sessions, errors = self.show()
        self.assertEqual([(one["id"], one["tool_calls"]) for one in sessions], [("new", 2)])
        self.assertIn(f"~/{newest.relative_to(self.folder / 'home')}", errors)
        rolled = self.put(".codex/sessions/2026/03/02/rollout-y.jsonl", rollout("rolled"), 100)
        sessions, errors = self.show()
        self.assertEqual([(one["id"], one["format"]) for one in sessions], [("rolled", "codex")])
        self.assertIn(f"~/{rolled.relative_to(self.folder / 'home')}", errors)


class Packed(WithFolder):
    def test_something_follows_the_end(self):
        for name, whole in (("a.gz", gzip.compress(HOOK.encode())), ("a.zst", self.zstd(HOOK.encode()))):
            with self.subTest(name=name):
                sessions, errors = self.show(self.write(name, whole + b"more"), code=2)
                self.assertEqual(sessions[0]["tool_calls"], 1)
                self.assertRegex(errors, rf"^{name}:.*other data follows it \[E0404\]")

    def zstd(self, content):
        return subprocess.run(["zstd", "-qc"], input=content, capture_output=True, check=True).stdout


class Own(WithFolder):
    def own(self, *logs):
        done = self.run_vibe("--calls", *logs)
        return "".join(json.dumps(one) + "\n" for one in json.loads(done.stdout))

    def test_torn(self):
        whole = self.own(self.write("a.jsonl"), self.write("b.jsonl", FAILED))
        sessions, _ = self.show(self.write("own.jsonl", whole))
        self.assertEqual([(one["bad_lines"], one["notes"]) for one in sessions], [(0, [])] * 2)
        sessions, _ = self.show(self.write("own.jsonl", whole + whole[:50]))
        self.assertEqual([(one["bad_lines"], one["notes"]) for one in sessions],
                         [(1, ["1 line of `own.jsonl` is broken: 3"])] * 2)


class Names(WithFolder):
    def test_empty(self):
        self.assertEqual(self.refused(""), "vibe: error: a log name is empty [E0503]\n")
        self.assertEqual(self.refused(self.write("a.jsonl"), ""),
                         "vibe: error: a log name is empty [E0503]\n")

    def test_standard_input_twice(self):
        sessions, errors = self.show("-", self.write("a.jsonl"), "-", stdin=HOOK.encode())
        self.assertEqual(([one["file"] for one in sessions], errors), (["<stdin>", "a.jsonl"], ""))


class Truth(WithFolder):
    def check(self, *words):
        script = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_logs.py"
        done = subprocess.run([script, VIBE, self.folder, *words], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout.splitlines()

    def test_sessions_that_the_truth_does_not_name(self):
        self.write("a.jsonl", HOOK.replace("{", '{"session": "s1", '))
        self.write("b.jsonl", FAILED.replace("{", '{"session": "s3", '))
        self.write("truth.jsonl", '{"file": "a.jsonl", "session": "s1", "tool_calls": 1}\n')
        other = "b.jsonl (s3): the truth does not name the file, 1 calls here"
        self.assertEqual(self.check(), (0, [
            other, "check-logs: 1 sessions in 1 files (1 hook), 0 differences; 1 sessions in other files"]))
        self.write("a.jsonl", HOOK.replace("{", '{"session": "s1", ') + HOOK.replace("{", '{"session": "s2", '))
        code, lines = self.check()
        self.assertEqual((code, lines[:2]), (1, ["a.jsonl (s2): not in the truth, 1 calls here", other]))
        self.assertEqual(self.check("--allow", "1")[0], 0)


if __name__ == "__main__":
    unittest.main()
