#!/usr/bin/env python3
"""`vibe fitness collect`: hook events are kept whole, whatever happens, and the agent never waits. Needs VIBE."""
import json
import os
import pathlib
import pty
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop"]


def event(name, session="s", **members):
    return json.dumps({"session_id": session, "hook_event_name": name, **members})


class Collect(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "home"
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                            "VIBECHECK_HOME": str(self.home),
                            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}

    def start(self, *words, program=VIBE, **more):
        return subprocess.Popen([program, "fitness", "collect", *words], cwd=self.folder, env=self.environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def collect(self, text, *words, **more):
        """Gives one event to the hook, which says nothing."""
        process = self.start(*words, **more)
        out, err = process.communicate(text.encode() if isinstance(text, str) else text, timeout=60)
        self.assertEqual((process.returncode, out, err), (0, b"", b""))

    def lines(self, session="s"):
        text = (self.home / "executions" / f"{session}.jsonl").read_text()
        self.assertTrue(text.endswith("\n"))
        return text.splitlines()

    def problems(self):
        path = self.home / "collect.log"
        return path.read_text() if path.exists() else ""

    def show(self, session="s"):
        """What `vibe fitness show` reads from what was collected."""
        done = subprocess.run([VIBE, "fitness", "show", "--jsonl", self.home / "executions" / f"{session}.jsonl"],
                              env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]


class Events(Collect):
    def test_a_session_is_read_as_it_happened(self):
        self.collect(event("UserPromptSubmit", prompt="fix it"))
        self.collect(event("PreToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="1"))
        self.collect(event("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="1",
                           error="Exit code 2\nno rule"))
        self.collect(event("PreToolUse", tool_name="Edit", tool_input={"file": "a"}, tool_use_id="2"))
        self.collect(event("PostToolUse", tool_name="Edit", tool_input={"file": "a"}, tool_use_id="2",
                           tool_response={"ok": "x" * 100_000}))
        self.collect(event("Stop", last_assistant_message="Fixed.", transcript_path=str(self.folder / "none.jsonl")))
        (one,) = self.show()
        self.assertEqual((one["tool_calls"], one["successful_calls"], one["failed_calls"], one["bad_lines"]),
                         (2, 1, 1, 0))
        self.assertEqual((one["prompt"], one["output"], one["writes_files"]), ("fix it", "Fixed.", True))
        self.assertGreater(one["active_seconds"], 0)
        self.assertLess((self.home / "executions" / "s.jsonl").stat().st_size, 30_000)
        self.assertEqual(stat.S_IMODE((self.home / "executions").stat().st_mode), 0o700)

    def test_what_is_no_event_is_noted(self):
        for text in ("", "no", "{", "[]", "{}", b"\0" * 1000, b"\xff\xfe", event("Stop")[:-5]):
            with self.subTest(text=text):
                before = len(self.problems().splitlines())
                self.collect(text)
                self.assertEqual(len(self.problems().splitlines()), before + 1)
        self.assertFalse((self.home / "executions").exists())
        self.assertRegex(self.problems().splitlines()[1],
                         r"^20\d\d-\d\d-\d\dT\S+Z expected a hook event, got 2 bytes: `no`$")

    def test_an_event_of_any_size_is_taken(self):
        self.collect(b'{"session_id":"s","hook_event_name":"PostToolUse","tool_response":"'
                     + b"x" * (100 << 20) + b'"}')
        self.assertIn("the event is larger than 64 MiB", self.problems())
        self.collect(event("PostToolUse", tool_name="Read", tool_response="x" * (20 << 20)))
        self.assertEqual(len(self.lines()), 1)

    def test_an_id_cannot_leave_the_folder(self):
        self.collect(event("PreToolUse", session="../../evil", tool_name="Bash"))
        (name,) = os.listdir(self.home / "executions")
        self.assertTrue(name.startswith("______evil."), name)

    def test_problems_are_bounded(self):
        self.home.mkdir()
        (self.home / "collect.log").write_text("x\n" * (1 << 19))
        self.collect("no")
        self.assertEqual(len(self.problems().splitlines()), 1)
        self.assertEqual((self.home / "collect.log.1").stat().st_size, 1 << 20)


class Misuse(Collect):
    """An agent takes an exit code of 2 for a reason not to use its tool."""

    def test_of_a_hook_is_noted(self):
        for words, why in ((["--wrong"], "unknown option `--wrong`"), (["--agent"], "`--agent` needs a value"),
                           (["--agent", ""], "`--agent` takes a name"), (["x"], "does not take `x`"),
                           (["--project"], "`--project` needs `--install`")):
            with self.subTest(words=words):
                before = self.problems()
                process = self.start(*words)
                out, err = process.communicate(event("PreToolUse").encode(), timeout=60)
                self.assertEqual((process.returncode, out), (0, b""))
                self.assertIn(why, err.decode())
                (line,) = self.problems()[len(before):].splitlines()
                self.assertRegex(line, r"^20\d\d-\S+Z the hook command: ")
                self.assertIn(why, line)
        self.assertFalse((self.home / "executions").exists())

    def test_of_a_person_is_misuse(self):
        for words in (["--install", "--wrong"], ["--uninstall", "x"], ["--install=x"], ["--install", "--uninstall"]):
            process = self.start(*words)
            process.communicate(b"", timeout=60)
            self.assertEqual(process.returncode, 2, words)
        terminal, other = pty.openpty()
        self.addCleanup(os.close, terminal)
        for words in (["--instal"], ["--agent", ""], []):
            done = subprocess.run([VIBE, "fitness", "collect", *words], env=self.environment, stdin=other,
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 2, words)
        os.close(other)
        self.assertEqual(self.problems(), "")


class Damage(Collect):
    def test_a_torn_line_stays_alone(self):
        self.collect(event("UserPromptSubmit", prompt="one"))
        path = self.home / "executions" / "s.jsonl"
        path.write_bytes(path.read_bytes()[:-20])
        self.collect(event("UserPromptSubmit", prompt="two"))
        (one,) = self.show()
        self.assertEqual((one["prompt"], one["bad_lines"]), ("two", 1))

    def test_a_full_disk_leaves_whole_lines(self):
        self.collect(event("UserPromptSubmit", prompt="one"))
        before = self.lines()
        limit = (self.home / "executions" / "s.jsonl").stat().st_size + 5000

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        self.collect(event("UserPromptSubmit", prompt="x" * 100_000), preexec_fn=no_room)
        self.assertEqual(self.lines(), before)
        self.assertIn("file too large", self.problems())
        self.collect(event("UserPromptSubmit", prompt="two"))
        self.assertEqual(len(self.lines()), 2)

    def test_a_home_that_cannot_be_written(self):
        self.home.write_text("no folder")
        self.collect(event("UserPromptSubmit", prompt="one"))
        self.collect("no")
        self.assertEqual(self.home.read_text(), "no folder")
        self.environment["VIBECHECK_HOME"] = "/proc/nothing"
        self.collect(event("UserPromptSubmit", prompt="one"))

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_home_that_is_read_only(self):
        self.home.mkdir()
        self.home.chmod(0o500)
        self.collect(event("UserPromptSubmit", prompt="one"))
        self.home.chmod(0o700)
        self.assertEqual(os.listdir(self.home), [])

    def test_a_killed_process_harms_no_line(self):
        text = event("UserPromptSubmit", prompt="x" * (4 << 20)).encode()
        for pause in range(12):
            process = self.start()
            process.stdin.write(text)
            process.stdin.close()
            time.sleep(pause * 0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            process.stderr.close()
            self.collect(event("PreToolUse", tool_name="Bash", tool_use_id=str(pause)))
        calls = 0
        for line in self.lines():
            try:
                calls += json.loads(line)["hook_event_name"] == "PreToolUse"
            except ValueError:
                pass
        self.assertEqual(calls, 12)


class Many(Collect):
    def test_200_processes_at_once(self):
        """Several sessions; lines of up to 1 MB."""
        sizes = [10, 1000, 60_000, 1_000_000]
        processes = []
        for number in range(200):
            prompt = f"{number} " + "y" * sizes[number % len(sizes)]
            process = self.start()
            processes.append((process, event("UserPromptSubmit", session=f"s{number % 3}", prompt=prompt).encode()))
        for process, text in processes:  # all of them run, and wait for their input
            process.stdin.write(text)
            process.stdin.close()
        for process, _ in processes:
            self.assertEqual(process.wait(timeout=120), 0)
            self.assertEqual((process.stdout.read(), process.stderr.read()), (b"", b""))
            process.stdout.close()
            process.stderr.close()
        self.assertEqual(self.problems(), "")
        seen = set()
        for session in ("s0", "s1", "s2"):
            for line in self.lines(session):
                found = json.loads(line)
                self.assertEqual(found["session_id"], session)
                number, text = found["prompt"].split(" ")
                self.assertEqual(len(text), sizes[int(number) % len(sizes)])
                seen.add(int(number))
            self.assertEqual(self.show(session)[0]["bad_lines"], 0)
        self.assertEqual(seen, set(range(200)))


class Stop(Collect):
    def wait_for(self, holds):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline, self.problems())
            time.sleep(0.05)

    def executions(self):
        done = subprocess.run([VIBE, "get", "executions", "--json"], env=self.environment, capture_output=True,
                              text=True, timeout=60)
        return json.loads(done.stdout)["executions"] if done.returncode == 0 else []

    def test_the_transcript_is_scored_and_kept(self):
        transcript = self.folder / "claude.jsonl"
        text = (SOURCE / "examples" / "logs" / "claude.jsonl").read_text()
        transcript.write_text(text)
        self.collect(event("Stop", transcript_path=str(transcript)), "--agent", "reviewer@v2")
        self.wait_for(self.executions)
        (first,) = self.executions()
        self.assertEqual((first["agent"], first["version"]), ("reviewer", "v2"))
        self.assertEqual(first["file"], str(transcript))
        # A session stops after every turn.
        turn = {"type": "assistant", "sessionId": first["id"], "uuid": "more", "timestamp": "2026-11-02T09:50:00.000Z",
                "message": {"role": "assistant", "id": "more", "content": [
                    {"type": "tool_use", "id": "more", "name": "Bash", "input": {"command": "make"}}]}}
        transcript.write_text(text + json.dumps(turn) + "\n")
        self.collect(event("Stop", transcript_path=str(transcript)), "--agent", "reviewer@v2")
        self.wait_for(lambda: self.executions()[0]["tool_calls"] > first["tool_calls"])
        (second,) = self.executions()
        self.assertEqual(second["execution_id"], first["execution_id"])
        self.assertEqual(second["tool_calls"], first["tool_calls"] + 1)
        self.assertEqual(self.problems(), "")

    def test_what_it_says_is_bounded(self):
        """It writes to the end of the file, whatever its size."""
        self.home.mkdir()
        (self.home / "collect.log").write_text("x\n" * (1 << 19))
        self.collect(event("Stop", transcript_path=str(self.folder / "none.jsonl")))
        self.wait_for(lambda: "error:" in self.problems())
        self.assertNotIn("x\n", self.problems())
        self.assertEqual((self.home / "collect.log.1").stat().st_size, 1 << 20)

    def test_another_process_is_given_the_transcript(self):
        """It names the transcript that it cannot read."""
        missing = self.folder / "a missing one.jsonl"
        self.collect(event("Stop", transcript_path=str(missing)), "--agent", "reviewer@v2")
        self.assertEqual(len(self.lines()), 1)
        self.wait_for(lambda: "error:" in self.problems())

    def test_a_transcript_that_is_no_plain_file_is_noted(self):
        pipe = self.folder / "pipe.jsonl"
        os.mkfifo(pipe)
        for path in (pipe, "/dev/zero", self.folder, "-"):
            with self.subTest(path=path):
                before = self.problems()
                self.collect(event("Stop", transcript_path=str(path)))
                self.assertIn(f"the transcript `{path}` is not a regular file", self.problems()[len(before):])
        time.sleep(0.5)
        with self.assertRaises(OSError):  # nobody waits at the pipe
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))

    def test_it_is_not_waited_for(self):
        """Its settings are a pipe that nobody writes to."""
        transcript = self.folder / "transcript.jsonl"
        transcript.write_text("{}\n")
        self.home.mkdir()
        pipe = self.home / "config.yaml"
        os.mkfifo(pipe)
        begin = time.monotonic()
        self.collect(event("Stop", transcript_path=str(transcript)))
        self.assertLess(time.monotonic() - begin, 20)  # the other one would wait for ever
        # What waits at the pipe ends with it.
        self.wait_for(lambda: self.is_opened(pipe))

    def is_opened(self, pipe):
        try:
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
            return True
        except OSError:
            return "error:" in self.problems()

    def test_a_stop_without_a_transcript_is_noted(self):
        self.collect(event("Stop"))
        self.assertIn("the `Stop` event has no transcript path", self.problems())
        self.assertEqual(len(self.lines()), 1)

    def test_other_events_start_nothing(self):
        for name in EVENTS[:-1] + ["SubagentStop"]:
            self.collect(event(name, transcript_path=str(self.folder / "none")))
        time.sleep(0.5)
        self.assertEqual(self.problems(), "")


class Install(Collect):
    def setUp(self):
        super().setUp()
        self.settings = self.folder / ".claude" / "settings.json"

    def vibe(self, *words, code=0, **environment):
        done = subprocess.run([VIBE, "fitness", "collect", *words], cwd=self.folder,
                              env={**self.environment, **environment}, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_what_is_installed_is_what_runs(self):
        self.vibe("--install", "--agent", "it's mine@v 1")
        hooks = json.loads(self.settings.read_text())["hooks"]
        self.assertEqual(list(hooks), EVENTS)
        for name in EVENTS[:-1]:
            (group,) = hooks[name]
            self.assertEqual(group.get("matcher"), "*" if "Tool" in name else None)
            (hook,) = group["hooks"]
            self.assertEqual(hook["type"], "command")
            done = subprocess.run(["sh", "-c", hook["command"]], env=self.environment, input=event(name, n=name),
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual([json.loads(line)["n"] for line in self.lines()], EVENTS[:-1])
        self.assertEqual(self.problems(), "")

    def test_a_program_of_another_name_knows_its_hooks(self):
        other = self.folder / "vibe-1.2"
        shutil.copy2(VIBE, other)
        for words, said in ((["--install"], "added hooks for 5 events"), (["--install"], "already"),
                            (["--uninstall"], "removed the hooks for 5 events")):
            done = subprocess.run([other, "fitness", "collect", *words], env=self.environment, capture_output=True,
                                  text=True, timeout=60)
            self.assertIn(said, done.stdout, done.stderr)
        self.assertEqual(json.loads(self.settings.read_text()), {})

    def test_other_settings_stay(self):
        self.settings.parent.mkdir()
        text = '{\n    "model" : "opus",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}\n}'
        self.settings.write_text(text)
        self.settings.chmod(0o640)
        self.vibe("--install")
        self.assertEqual(stat.S_IMODE(self.settings.stat().st_mode), 0o640)
        with_hooks = self.settings.read_text()
        self.assertIn('"model" : "opus"', with_hooks)
        self.assertIn("already", self.vibe("--install"))
        self.assertEqual(self.settings.read_text(), with_hooks)
        self.vibe("--uninstall")
        self.assertEqual(self.settings.read_text(), text)
        self.assertIn("it has no `vibe` hooks", self.vibe("--uninstall"))
        self.assertEqual(self.settings.read_text(), text)

    def test_a_project_and_another_folder_have_their_own(self):
        self.vibe("--install", "--project", CLAUDE_CONFIG_DIR=str(self.folder / "other"))
        self.assertTrue(self.settings.exists())
        self.assertFalse((self.folder / "other").exists())
        self.vibe("--install", CLAUDE_CONFIG_DIR=str(self.folder / "other"))
        self.assertTrue((self.folder / "other" / "settings.json").exists())

    def test_a_link_is_followed(self):
        self.settings.parent.mkdir()
        (self.folder / "real.json").write_text("{}\n")
        self.settings.symlink_to(self.folder / "real.json")
        self.vibe("--install")
        self.assertTrue(self.settings.is_symlink())
        self.assertIn("fitness collect", (self.folder / "real.json").read_text())

    def test_a_link_to_nothing_is_left_alone(self):
        self.settings.parent.mkdir()
        self.settings.symlink_to(self.folder / "real.json")
        self.assertIn("is a link to a missing file", self.vibe("--install", code=2))
        self.assertTrue(self.settings.is_symlink())
        self.assertFalse((self.folder / "real.json").exists())

    def test_what_is_no_plain_file_is_left_alone(self):
        self.settings.parent.mkdir()
        os.mkfifo(self.settings)
        for word in ("--install", "--uninstall"):
            self.assertIn("is not a regular file", self.vibe(word, code=2))
        self.assertTrue(self.settings.is_fifo())

    def test_a_broken_file_is_left_alone(self):
        self.settings.parent.mkdir()
        for text in ("{", "// a comment\n{}", '{"hooks": []}', '{"hooks": {"Stop": 5}}', "\x00", "[]"):
            self.settings.write_text(text)
            with self.subTest(text=text):
                self.assertIn("error:", self.vibe("--install", code=2))
                self.assertIn("error:", self.vibe("--uninstall", code=2))
                self.assertEqual(self.settings.read_text(), text)

    def test_json(self):
        done = json.loads(self.vibe("--install", "--json"))
        self.assertEqual(done, {"file": str(self.settings), "changed_events": 5, "events": EVENTS,
                                "command": f"{VIBE} fitness collect"})
        self.assertEqual(json.loads(self.vibe("--uninstall", "--json")),
                         {"file": str(self.settings), "changed_events": 5, "events": [], "command": None})

    def test_a_full_disk_leaves_the_settings(self):
        self.settings.parent.mkdir()
        self.settings.write_text("{}\n")

        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        done = subprocess.run([VIBE, "fitness", "collect", "--install"], env=self.environment, capture_output=True,
                              text=True, timeout=60, preexec_fn=no_room)
        self.assertEqual(done.returncode, 3)  # no misuse
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(self.settings.read_text(), "{}\n")
        self.assertEqual(os.listdir(self.settings.parent), ["settings.json"])

    def test_a_folder_that_is_none(self):
        self.settings.parent.write_text("a file")
        self.assertIn("cannot read", self.vibe("--install", code=2))


if __name__ == "__main__":
    unittest.main()
