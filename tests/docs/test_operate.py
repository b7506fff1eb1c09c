#!/usr/bin/env python3
"""docs/operate.md was followed: its commands, in order, on a machine that is a folder.

The commands run as they are written, but for the paths of that folder, the port, and what only root or systemd can
do, for which there are stand-ins: `systemctl` starts and stops what the unit says, as a process. Needs VIBE,
VIBE_BUILD and VIBE_SOURCE, and `sqlite3`, `curl` and `openssl`.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"]).resolve()
PAGE = (SOURCE / "docs" / "operate.md").read_text()
UNIT = SOURCE / "examples" / "serve" / "vibecheck.service"
KEPT = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")

STAND_INS = {
    "sudo": 'if [ "$1" = -u ]; then shift 2; fi; exec "$@"\n',
    "apt-get": "",
    "adduser": "",
    "nginx": "",
    # Without the owner, whom only root could set.
    "install": 'set -- $(printf "%s\\n" "$@" | sed "/^-[og]$/,+1d"); exec /usr/bin/install "$@"\n',
    "systemctl": """
unit=$ROOT/etc/systemd/system/vibecheck.service pid=$ROOT/pid
start() {
  while read -r line; do export "$line"; done <<END
$(sed -n 's/^Environment=//p' "$unit")
$(grep = "$ROOT/etc/vibecheck/environment" || echo NOTHING=)
END
  $(sed -n 's/^ExecStart=//p' "$unit") --port "$PORT" >"$ROOT/out" 2>"$ROOT/err" &
  echo $! >"$pid"
  until curl -sf "http://127.0.0.1:$PORT/readyz" >/dev/null; do
    kill -0 "$(cat "$pid")" || { cat "$ROOT/err"; exit 1; }
    sleep 0.05
  done
}
stop() {
  kill "$(cat "$pid")"
  while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.05; done
}
case "$*" in
  "enable --now vibecheck"|"start vibecheck") start ;;
  "stop vibecheck") stop ;;
  "status vibecheck") kill -0 "$(cat "$pid")" ;;
  "daemon-reload"|"reload nginx") ;;
  *) echo "systemctl $*?"; exit 1 ;;
esac
""",
}


def sections():
    """Title -> text, in order."""
    parts = re.split(r"^## (.*)\n", PAGE, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def blocks(text, language="sh"):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.S | re.M)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Machine:
    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self._folder.name)
        self.port = free_port()
        for folder in ("bin", "etc/systemd/system", "etc/nginx/sites-available", "etc/nginx/sites-enabled",
                       "var/lib/vibecheck", "var/backups", "home"):
            (self.root / folder).mkdir(parents=True)
        for name, text in STAND_INS.items():
            (self.root / "bin" / name).write_text("#!/bin/bash\n" + text)
            (self.root / "bin" / name).chmod(0o755)
        self.environment = {"PATH": f"{self.root}/bin:{VIBE.parent}:/usr/bin:/bin", "HOME": f"{self.root}/home",
                            "LC_ALL": "C.UTF-8", "ROOT": str(self.root), "PORT": str(self.port),
                            **{name: os.environ[name] for name in KEPT if name in os.environ}}
        self.said = ""

    def here(self, text):
        for path in ("/var/", "/etc/"):
            text = text.replace(path, f"{self.root}{path}")
        text = text.replace("/usr/share/doc/vibecheck/", f"{SOURCE}/").replace("/usr/bin/vibe ", f"{VIBE} ")
        return text.replace(":8080", f":{self.port}")

    def run(self, commands, **environment):
        """Output of all of them; each has to succeed."""
        done = subprocess.run(["bash", "-ec", self.here(commands)], cwd=self.root / "home", capture_output=True,
                              text=True, env={**self.environment, **environment}, timeout=300, check=False)
        self.said += done.stdout + done.stderr
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode}\n{commands}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def unit_is_there(self):
        """Its paths are those of this machine once it was copied."""
        unit = self.root / "etc/systemd/system/vibecheck.service"
        unit.write_text(self.here(unit.read_text()))

    def ask(self, path, key=None):
        words = ["-H", f"X-API-KEY: {key}"] if key else []
        return subprocess.run(["curl", "-sS", *words, f"http://127.0.0.1:{self.port}{path}"], capture_output=True,
                              text=True, check=True, timeout=60).stdout

    def end(self):
        try:
            os.kill(int((self.root / "pid").read_text()), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass
        self._folder.cleanup()


class Followed(unittest.TestCase):
    maxDiff = None

    def test_try_it(self):
        machine = Machine()
        self.addCleanup(machine.end)
        serve, clients = blocks(sections()["Try it"])
        self.assertEqual(serve, "vibe serve\n")
        server = subprocess.Popen([VIBE, "serve", "--port", str(machine.port)], env=machine.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        shown = blocks(sections()["Try it"], "text")[0]
        said = "".join(server.stdout.readline() for _ in shown.splitlines())
        key = re.search(r"vibe_\w+", said)[0]
        self.assertEqual(machine.here(shown), said.replace(key, "vibe_…"))
        seen = machine.run(clients.replace("vibe_…", key))
        self.assertIn('"slug"', seen)
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=60), 0)

    def test_the_rest(self):
        machine = Machine()
        self.addCleanup(machine.end)
        parts = sections()
        packages, function, first, service = blocks(parts["Install it"])
        machine.run(packages)
        key = re.search(r"vibe_\w+", machine.run(function + first))[0]
        self.assertNotIn("vibe_", machine.run(function + "as_server vibe keys list"))
        copy, rest = service.split("\n", 1)
        machine.run(copy)
        machine.unit_is_there()
        seen = machine.run(rest)
        self.assertIn('"ready"', seen)
        self.assertEqual(json.loads(machine.ask("/api/orginfo", key))["slug"], "default")

        commands, invites = blocks(parts["Organisations, keys and invitations"])
        made = machine.run(function + commands)
        other = re.search(r"^vibe_\w+$", made, re.M)[0]
        self.assertEqual(json.loads(machine.ask("/api/orginfo", other))["slug"], "search-team")
        self.assertIn("search-team", machine.run(function + invites))

        self.look_at_metrics(machine, key, parts)
        self.look_at_log(machine, parts)
        self.back_up_and_restore(machine, function, key, parts)
        machine.run(function + blocks(parts["Upgrade"])[0])
        self.assertEqual(json.loads(machine.ask("/api/orginfo", other))["slug"], "search-team")
        machine.run(blocks(parts["Behind nginx"])[0])
        machine.run("systemctl stop vibecheck")

    def look_at_metrics(self, machine, key, parts):
        seen = machine.ask("/metrics", key)
        names = re.findall(r"`(vibecheck_\w+)", re.search(r"^\| metric.*?\n\n", parts["Metrics"], re.S | re.M)[0])
        self.assertGreater(len(names), 5)
        shown = set(re.findall(r"^# TYPE (\S+)", seen, re.M))
        self.assertEqual(set(names), shown)

    def look_at_log(self, machine, parts):
        shown = json.loads(blocks(parts["The access log"], "json")[0])
        lines = [json.loads(line) for line in (machine.root / "err").read_text().splitlines() if line.startswith("{")]
        self.assertEqual(list(shown), list(lines[-1]))

    def back_up_and_restore(self, machine, function, key, parts):
        backup, copy, restore = blocks(parts["Backup and restore"])
        home = machine.root / "var/lib/vibecheck"
        machine.run(function + "echo s3cret | as_server vibe set secret api-key -")
        machine.run(function + backup)
        machine.run(function + "as_server vibe set var after backup")
        machine.run(function + copy)
        with sqlite3.connect(machine.root / "var/backups/vibecheck/copy.db") as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        database.close()
        saved = next((machine.root / "var/backups/vibecheck").glob("20*"))
        self.assertEqual((saved / "secret.key").read_bytes(), (home / "secret.key").read_bytes())
        self.assertEqual(len(list((saved / "organisations").glob("*/vibecheck.db"))), 1)
        for file in saved.rglob("*"):
            self.assertEqual(file.stat().st_mode & 0o077, 0, file)
        machine.run(function + restore)
        self.assertEqual(json.loads(machine.ask("/api/orginfo", key))["slug"], "default")
        self.assertEqual(json.loads(machine.ask("/api/runtime/secrets", key))["secrets"], [{"name": "api-key"}])
        self.assertEqual(json.loads(machine.ask("/api/runtime/vars", key))["vars"], [])
        # Without the key, the copy does not start.
        shutil.copytree(saved, machine.root / "lost")
        (machine.root / "lost" / "secret.key").unlink()
        done = subprocess.run([VIBE, "serve", "--port", "0"], capture_output=True, text=True, timeout=60, check=False,
                              env={**machine.environment, "VIBECHECK_HOME": str(machine.root / "lost")})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("E0704", done.stderr)


class Unit(unittest.TestCase):
    def test_systemd_takes_it(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("there is no systemd-analyze")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "vibecheck.service"
            unit.write_text(UNIT.read_text().replace("/usr/bin/vibe", str(VIBE)))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            rated = subprocess.run(["systemd-analyze", "security", "--offline=true", str(unit)], capture_output=True,
                                   text=True, check=True).stdout
        level = re.search(r"exposure level for vibecheck.service: (\S+)", rated)[1]
        self.assertIn(f"rates it at {level} of 10", " ".join(PAGE.split()))


class Texts(unittest.TestCase):
    def test_the_pages_name_each_other_and_what_is_there(self):
        for page in ("operate.md", "security.md"):
            text = (SOURCE / "docs" / page).read_text()
            for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
                with self.subTest(page=page, target=target, anchor=anchor):
                    if target.startswith("https://"):
                        continue
                    path = SOURCE / "docs" / (target or page)
                    self.assertTrue(path.exists())
                    if anchor:
                        titles = re.findall(r"^#+ (.*)", path.read_text(), re.M)
                        made = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
                        self.assertIn(anchor, made)

    def test_every_code_that_is_named_is_one(self):
        codes = set(re.findall(r"`([EWN]\d{4})`", (SOURCE / "docs" / "diagnostics.md").read_text()))
        for page in ("operate.md", "security.md"):
            named = set(re.findall(r"`([EWN]\d{4})`", (SOURCE / "docs" / page).read_text()))
            self.assertEqual(named - codes, set(), page)


if __name__ == "__main__":
    unittest.main()
