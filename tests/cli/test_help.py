#!/usr/bin/env python3
"""Every command has its help in a transcript, with an example that works. Needs VIBE and VIBE_SOURCE."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])


def vibe(*words):
    return subprocess.run([VIBE, *words], capture_output=True, text=True, check=True).stdout


def commands():
    """The names in the overview, such as `formula check`: lower-case words before two spaces or an argument."""
    names = []
    for line in vibe("help").split("Start with")[0].splitlines():
        if match := re.match(r"  vibe ([a-z]+)((?: [a-z]+)?)(?= |$)", line):
            names.append(match[1] + match[2])
    return [name for name in names if name != "help"]


class Help(unittest.TestCase):
    def test_every_command_has_a_transcript(self):
        transcript = (SOURCE / "tests/cli/help.txt").read_text()
        self.assertIn("formula check", commands())
        self.assertIn("completion", commands())
        for name in commands():
            self.assertIn(f"$ vibe help {name}\n", transcript)

    def test_groups_list_their_commands(self):
        for group in ("get", "set", "delete", "var", "secret", "formula"):
            with self.subTest(group=group):
                shown = vibe(group)
                self.assertIn(f"\n  vibe {group} ", shown)
                self.assertEqual(shown, vibe("help", group))
                self.assertEqual(shown, vibe(group, "--help"))

    def test_the_examples_work(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = {"PATH": f"{VIBE.parent}:/usr/bin:/bin", "HOME": folder.name}
        os.symlink(SOURCE / "examples", pathlib.Path(folder.name) / "examples")
        # what they speak of
        for words in ("check examples/support.yaml", "set var team blue", "set secret api-key s3cret",
                      "orgs create default", "keys create --role read"):
            done = subprocess.run([VIBE, *words.split()], cwd=folder.name, check=True, capture_output=True,
                                  text=True, env=environment)
        key_id = done.stdout.split("_")[1]
        transcript = (SOURCE / "tests/cli/help.txt").read_text()
        examples = re.findall(r"^Example:\n  (.*)", transcript, re.M)
        self.assertGreaterEqual(len(examples), 6)
        for example in examples:
            command = example.split(" > ")[0].replace("7k2m9x4qwz", key_id)
            if command.startswith(("vibe serve", "vibe get org", "vibe redeem")):
                continue
            with self.subTest(example=example):
                subprocess.run(["bash", "-c", command], cwd=folder.name, check=True, capture_output=True,
                               env=environment)
        served = {words[1]: example for example in examples if (words := example.split())[1] in ("serve", "redeem")}
        self.serve(served, folder.name, environment)

    def serve(self, examples, folder, environment):
        """A server runs until it is stopped; its port may be in use here. Clients have their own HOME."""
        code = subprocess.run([VIBE, "invites", "create", "--org", "default", "--role", "read"], check=True,
                              capture_output=True, text=True, env=environment).stdout.strip()
        command = re.sub(r"--port \d+", "--port 0", examples["serve"])
        with subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env=environment) as server:
            listening = next(line for line in server.stdout if line.startswith("listening on "))
            url = listening.split()[-1]
            redeem = re.sub(r"https://\S+", url, re.sub(r"redeem \S+", f"redeem {code}", examples["redeem"]))
            with tempfile.TemporaryDirectory() as home:
                for command in (redeem, f"vibe get org --server {url}"):
                    with self.subTest(example=command):
                        subprocess.run(["bash", "-c", command], cwd=folder, check=True, capture_output=True,
                                       env={**environment, "HOME": home})
            server.terminate()
            self.assertEqual(server.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
