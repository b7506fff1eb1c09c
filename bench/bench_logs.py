#!/usr/bin/python3
"""Measures how fast `vibe fitness show` reads agent logs, compared with other tools.

Usage: bench_logs.py BUILD_FOLDER [--size MB]

Hook logs are read by ours, by a bare loop of simdjson, by DuckDB and by jq; the largest has MB
(1,000) megabytes. All do the same job, and their results are compared: for each session its calls,
those that failed, those that repeat a call that has just failed, and the first and the last time.
Then 1,000 transcripts are read and scored by ours. Prints one line per figure: name, figure, target,
ok or missed; exits 1 if a target was missed.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from make_transcripts import make_transcripts
from process import peak_memory, timed
from targets import Targets

BENCH = pathlib.Path(__file__).resolve().parent
SESSIONS = 4000
ROUNDS = 5
DUCKDB_ROUNDS = 3
TRANSCRIPTS, TRANSCRIPT_BYTES = 1000, 500_000

# Which calls have an exit code, and what such a log is. Without one, the output has to be searched
# for errors.
CODES = {
    "shell": "a hook log with the exit codes of shell commands; other tools have none",
    "most": "a hook log with 96 % of the exit codes, whatever the tool",
    "none": "a hook log without exit codes",
}

# As in data/rubric.yaml.
AT_LINE_START = [r"traceback \(most recent call last\)", "error:", "fatal:", "panic:", "fatal error:",
                 "exception in thread", "unhandled exception", "uncaught exception",
                 "segmentation fault"]
ANYWHERE = ["command not found", "no such file or directory", "permission denied"]
PATTERN = (r"(?i)(?:^|\n)(?:[ \t\r]|\x1b\[[0-9;]*m)*(?:" + "|".join(AT_LINE_START) + ")|" +
           "|".join(ANYWHERE))

# In place: `.[$call.session] |= …` would copy all sessions for every line.
JQ = r"""
reduce inputs as $call ({};
  .[$call.session] as $before
  | (if $call.exit == "" then $call.output | test($pattern)
     else $call.exit != 0 and $call.exit != "0" end) as $failed
  | setpath([$call.session];
      if $before == null then [1, (if $failed then 1 else 0 end), 0, $call.ts, $call.ts, $call.tool, $call.command, $failed]
      else [$before[0] + 1, $before[1] + (if $failed then 1 else 0 end),
            (if $before[7] and $before[5] == $call.tool and $before[6] == $call.command
             then $before[2] + 1 else $before[2] end),
            $before[3], $call.ts, $call.tool, $call.command, $failed] end))
| map_values(.[:5])
"""


def stop(message):
    sys.exit(f"bench_logs: {message}")


def megabytes(path):
    return path.stat().st_size / 1e6


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.targets = Targets()
        self.codes = None  # of the current log
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}

    def make_log(self, size, codes):
        path = self.folder / f"hook-{size}-{codes}.jsonl"
        with open(path, "wb") as file:
            subprocess.run([self.build / "bench/make_hook_log", str(size), str(SESSIONS), codes],
                           stdout=file, check=True)
        return path

    def ratio(self, name, value, least):
        """The targets apply to logs as hooks write them; for the others the ratios are only shown."""
        if self.codes == "shell":
            self.targets.at_least(name, value, least, "")
        else:
            self.targets.note(name, value, "")

    def ours(self, threads, logs):
        return [self.build / "vibe", "fitness", "show", "--jsonl",
                *(["--threads", str(threads)] if threads else []), logs]

    def bare(self, log):
        return [self.build / "bench/bare_log", log]

    def seconds(self, command, output=os.devnull):
        """Wall time of the whole process."""
        to_output = ["/bin/sh", "-c", 'exec "$@" >"$0"', output]
        seconds, _, _, status, text = timed([*to_output, *command], self.environment, self.folder)
        if status != 0:
            stop(f"`{' '.join(map(str, command))}` failed: {text}")
        return seconds

    def best(self, commands):
        """The shortest time of each, run in turn."""
        rounds = [[self.seconds(command) for command in commands] for _ in range(ROUNDS)]
        return [min(times) for times in zip(*rounds)]

    def by_ours(self, log):
        """Our results, in the format of the others."""
        output = self.folder / "ours.jsonl"
        self.seconds(self.ours(1, log), output)
        found = {}
        with open(output, encoding="utf-8") as lines:
            for one in map(json.loads, lines):
                times = (one[end][:-4] + "Z" for end in ("started", "ended"))  # milliseconds
                found[one["id"]] = [one["tool_calls"], one["failed_calls"], one["repeats"], *times]
        return found

    def by_duckdb(self, log):
        done = subprocess.run(["node", BENCH / "duckdb_log.cjs", log, PATTERN], check=True,
                              stdout=subprocess.PIPE, text=True)
        seconds, *rows = done.stdout.splitlines()
        return float(seconds), {row[0]: row[1:] for row in map(json.loads, rows)}

    def by_jq(self, log):
        output = self.folder / "jq.json"
        seconds = self.seconds(["jq", "-n", "--arg", "pattern", PATTERN, JQ, log], output)
        return seconds, json.loads(output.read_text())

    def memory(self, small, large):
        of_small, of_large = (max(peak_memory(self.ours(1, log), self.environment) for _ in range(3))
                              for log in (small, large))
        self.targets.memory_at_most(f"{megabytes(large):,.0f} MB: peak memory, one thread", of_large,
                             32 + SESSIONS * 4096 / 2**20, "MB")
        self.targets.note(f"  of {megabytes(small):,.0f} MB with the same sessions", of_small, "MB")
        self.targets.memory_at_most("  the one - the other", of_large - of_small, 4, "MB")

    def against_simdjson(self, log):
        counted = subprocess.run(self.bare(log), check=True, stdout=subprocess.PIPE).stdout.split()[0]
        if sum(calls for calls, *_ in self.by_ours(log).values()) != int(counted):
            stop("ours and the bare loop do not find the same lines")
        one, two, bare = self.best([self.ours(1, log), self.ours(2, log), self.bare(log)])
        self.targets.note(f"{megabytes(log):,.0f} MB: ours, one thread", megabytes(log) / one, "MB/s")
        self.targets.note("  a bare loop of simdjson", megabytes(log) / bare, "MB/s")
        self.ratio("  speed of ours / the bare loop", bare / one, 0.5)
        self.targets.note("  ours, two threads", megabytes(log) / two, "MB/s")
        self.ratio("  two threads / one", one / two, 1.6)

    def against_duckdb(self, log):
        expected = self.by_ours(log)
        ours = theirs = float("inf")
        for _ in range(DUCKDB_ROUNDS):
            seconds, found = self.by_duckdb(log)
            if found != expected:
                stop("ours and DuckDB do not find the same")
            theirs = min(theirs, seconds)
            ours = min(ours, self.seconds(self.ours(1, log)))
        self.targets.note(f"{megabytes(log):,.0f} MB: ours, one thread", megabytes(log) / ours, "MB/s")
        self.targets.note("  DuckDB, one thread", megabytes(log) / theirs, "MB/s")
        self.ratio("  time of DuckDB / ours", theirs / ours, 4)

    def against_jq(self, log):
        theirs, found = self.by_jq(log)
        if found != self.by_ours(log):
            stop("ours and jq do not find the same")
        ours, = self.best([self.ours(1, log)])
        self.targets.note(f"{megabytes(log):,.0f} MB: ours, one thread", megabytes(log) / ours, "MB/s")
        self.targets.note("  jq", megabytes(log) / theirs, "MB/s")
        self.ratio("  time of jq / ours", theirs / ours, 100)

    def transcripts(self):
        folder = self.folder / "transcripts"
        size, calls, failed = make_transcripts(folder, TRANSCRIPTS, TRANSCRIPT_BYTES)
        output = self.folder / "transcripts.jsonl"
        self.seconds(self.ours(None, folder), output)
        with open(output, encoding="utf-8") as lines:
            found = [(one["tool_calls"], one["failed_calls"]) for one in map(json.loads, lines)]
        if len(found) != TRANSCRIPTS or tuple(map(sum, zip(*found))) != (calls, failed):
            stop("ours does not find what was written to the transcripts")
        every, one = self.best([self.ours(None, folder), self.ours(1, folder)])
        self.targets.at_least(f"{TRANSCRIPTS:,} transcripts, {size / 1e6:,.0f} MB: ours, all threads",
                              size / 1e6 / every, 300, "MB/s")
        self.targets.note("  one thread", size / 1e6 / one, "MB/s")
        self.scores(folder, size)

    def scores(self, folder, size):
        command = [self.build / "vibe", "fitness", "score", "--jsonl", folder]
        output = self.folder / "scores.jsonl"
        self.seconds(command, output)
        with open(output, encoding="utf-8") as lines:
            scores = [json.loads(line)["score"] for line in lines]
        if len(scores) != TRANSCRIPTS or None in scores:
            stop("some of the transcripts have no score")
        every, = self.best([command])
        self.targets.at_least("  also scored", size / 1e6 / every, 200, "MB/s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=1000, help="size of the largest log, in MB")
    arguments = parser.parse_args()
    needed = arguments.size + 1000
    free = shutil.disk_usage(tempfile.gettempdir()).free / 1e6
    if free < needed:
        stop(f"`{tempfile.gettempdir()}` has {free:,.0f} MB left, and {needed:,.0f} MB are needed")
    with tempfile.TemporaryDirectory(prefix="vibe-bench-") as folder:
        bench = Bench(arguments.build.resolve(), pathlib.Path(folder))
        for codes, of_log in CODES.items():
            print(of_log, flush=True)
            bench.codes = codes
            large, small = bench.make_log(arguments.size, codes), bench.make_log(100, codes)
            if codes == "shell":
                bench.memory(small, large)
            bench.against_simdjson(large)
            bench.against_duckdb(large)
            bench.against_jq(small)
            large.unlink()
            small.unlink()
        bench.transcripts()
    return bench.targets.exit_code()


if __name__ == "__main__":
    sys.exit(main())
