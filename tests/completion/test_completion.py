#!/usr/bin/env python3
"""The completion scripts, run by the shells they are for. Needs VIBE."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()

BASH = r"""
source <(vibe completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_vibe vibe "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
"""

# Types a line and the Tab key into an interactive zsh; `compadd` tells what it would offer.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1= PROMPT= RPS1=; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D'
zpty -w shell 'compadd() {
  local -a found; local -i have=0; local word
  for word in "$@"; do [[ $word == -[AOD] ]] && have=1; done
  if ((have)); then builtin compadd "$@"; return; fi
  builtin compadd -O found "$@"
  print -rl -- $found >> offered
  builtin compadd "$@"
}'
zpty -w shell 'touch ready'
repeat 200; do [[ -e ready ]] && break; sleep 0.05; done
zpty -n -w shell "$1"$'\t'
sleep 0.2
zpty -n -w shell $'\x15'
zpty -w shell 'touch finished'
repeat 200; do [[ -e finished ]] && break; sleep 0.05; done
zpty -d shell
"""

FIRST = ["check", "compare", "completion", "delete", "doctor", "fitness", "formula", "get", "help", "import", "init", "invites",
         "keys", "orgs", "redeem", "rescore", "schema", "score", "secret", "serve", "set", "stop", "validate", "var", "version"]
FITNESS = ["calibrate", "collect", "decide", "rubric", "score", "show", "trend"]
GET = ["credits", "decisions", "execution", "executions", "models", "org", "run", "runs", "secrets", "suite", "suites", "var", "vars"]

# What is typed -> what is offered; the last word may be a part.
CASES = [
    ("vibe ", FIRST),
    ("vibe va", ["validate", "var"]),
    ("vibe ve", ["version"]),
    ("vibe formula ", ["check", "functions"]),
    ("vibe formula fu", ["functions"]),
    ("vibe fitness ", FITNESS),
    ("vibe fitness s", ["score", "show"]),
    ("vibe fitness show --ca", ["--calls"]),
    ("vibe fitness show tw", ["two.yaml"]),
    ("vibe fitness score --rubric tw", ["two.yaml"]),
    ("vibe fitness decide --se", ["--seed", "--server"]),
    ("vibe fitness decide tw", ["two.yaml"]),
    ("vibe fitness collect --un", ["--uninstall"]),
    ("vibe help s", ["schema", "score", "secret", "serve", "set", "stop"]),
    ("vibe help get ", GET),
    ("vibe get ", GET),
    ("vibe get run", ["run", "runs"]),
    ("vibe get exec", ["execution", "executions"]),
    ("vibe get executions --gr", ["--grade"]),
    ("vibe get runs --status", ["--status", "--status-ne"]),
    ("vibe get run --re", ["--responses"]),
    ("vibe get runs tw", []),
    ("vibe get runs --limit tw", []),
    ("vibe get runs -l tw", []),
    ("vibe set ", ["secret", "suite", "var"]),
    ("vibe set suite --f", ["--file"]),
    ("vibe set suite -f tw", ["two.yaml"]),
    ("vibe set --fi", ["--file"]),
    ("vibe set -f tw", ["two.yaml"]),
    ("vibe set var --j", ["--json"]),
    ("vibe var ", ["delete", "get", "list", "set"]),
    ("vibe var set --j", ["--json"]),
    ("vibe secret ", ["delete", "list", "set"]),
    ("vibe delete ", ["secret", "var"]),
    ("vibe check tw", ["two.yaml"]),
    ("vibe check --file tw", ["two.yaml"]),
    ("vibe serve --tls", ["--tls-cert", "--tls-key"]),
    ("vibe serve --tls-cert tw", ["two.yaml"]),
    ("vibe serve tw", []),
    ("vibe keys ", ["create", "list", "revoke"]),
    ("vibe completion ", ["bash", "fish", "zsh"]),
    ("vibe completion z", ["zsh"]),
    ("vibe validate --s", ["--strict"]),
    ("vibe score --min", ["--min-score", "--min-success"]),
    ("vibe formula check --su", ["--suite"]),
    ("vibe score a.jsonl --h", ["--help"]),
    ("vibe validate tw", ["two.yaml"]),
    ("vibe validate sub/", ["sub/three.yaml"]),
    ("vibe score --suite tw", ["two.yaml"]),
    ("vibe formula check --suite tw", ["two.yaml"]),
    ("vibe score --suite=tw", ["two.yaml"]),
    ("vibe formula check tw", []),
    ("vibe score --formula tw", []),
    ("vibe score --min-score tw", []),
]


class Completion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("a.jsonl", "two.yaml", "sub/three.yaml"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text("")
        self.environment = {"PATH": f"{VIBE.parent}:/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                            "TERM": "dumb"}

    def run_shell(self, *command):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout.splitlines()

    def test_bash(self):
        for line, wanted in CASES:
            words = line.replace("=", " = ").split(" ")  # as readline splits them
            with self.subTest(line=line):
                self.assertEqual(sorted(self.run_shell("bash", "-c", BASH, "bash", *words)), sorted(wanted))

    def test_bash_keeps_file_names_with_spaces_whole(self):
        (self.folder / "my suite.yaml").write_text("")
        self.assertEqual(self.run_shell("bash", "-c", BASH, "bash", "vibe", "validate", "my"), ["my suite.yaml"])

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        (self.folder / "vibe.fish").write_text("\n".join(self.run_shell(VIBE, "completion", "fish")))
        self.run_shell("fish", "--no-execute", "vibe.fish")
        for line, wanted in CASES:
            with self.subTest(line=line):
                seen = self.run_shell("fish", "--no-config", "-c", "source vibe.fish; complete -C $argv[1]", line)
                seen = [entry.split("\t")[0].removeprefix("--suite=") for entry in seen]
                self.assertEqual(sorted(seen), sorted(wanted))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        (self.folder / "functions").mkdir()
        script = self.folder / "functions" / "_vibe"
        script.write_text("\n".join(self.run_shell(VIBE, "completion", "zsh")) + "\n")
        self.run_shell("zsh", "-f", "-n", str(script))
        for line, wanted in CASES:
            for name in ("offered", "ready", "finished"):
                (self.folder / name).unlink(missing_ok=True)
            with self.subTest(line=line):
                self.run_shell("zsh", "-f", "-c", ZSH, "zsh", line)
                offered = self.folder / "offered"
                seen = {entry for entry in offered.read_text().splitlines() if entry} if offered.exists() else set()
                self.assertEqual(seen, {entry.removeprefix("sub/") for entry in wanted})

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_can_be_sourced(self):
        self.assertEqual(self.run_shell("zsh", "-f", "-c", "autoload -Uz compinit; compinit -u -D; "
                                        "source <(vibe completion zsh); print $_comps[vibe]"), ["_vibe"])


if __name__ == "__main__":
    unittest.main()
