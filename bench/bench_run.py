#!/usr/bin/python3
"""Measures whole runs of `vibe check` against the model server of the tests, on loopback.

Usage: bench_run.py BUILD_FOLDER [--promptfoo BIN]

Prints one line per figure: name, figure, target, ok or missed; exits 1 if a target was missed.
With --promptfoo, promptfoo does the same work once (BIN is its `promptfoo` program), compared with
the worst of our five runs.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import urllib.request

from process import timed
from targets import Targets

EVALS = 5000
ROUNDS = 5


class Server:
    def __init__(self, build, latency):
        self.process = subprocess.Popen(
            [build / "tests/tools/model_server", "--latency", str(latency)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.url = "http://127.0.0.1:" + self.process.stdout.readline().split()[1]

    def stats(self):
        with urllib.request.urlopen(self.url + "/stats") as answer:
            return json.load(answer)

    def reset(self):
        urllib.request.urlopen(urllib.request.Request(self.url + "/reset", method="POST")).read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def write_suite(path, evals, threads):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"metadata: {{name: bench, model: openai/gpt-4o-mini, threads: {threads}}}\n"
                   "score: {formula: success_pct / total_cost}\nevals:\n")
        for i in range(evals):
            file.write(f"  - {{name: e{i}, prompt: What is {i} * 7?, "
                       f"checks: [match: '*{i * 7}*', max_tokens: 100]}}\n")


class Bench:
    def __init__(self, build):
        self.build = build
        self.vibe = build / "vibe"
        self.targets = Targets()

    def check(self, server, evals, threads):
        """One whole run in a separate store."""
        folder = pathlib.Path(tempfile.mkdtemp())
        try:
            write_suite(folder / "suite.yaml", evals, threads)
            server.reset()
            environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "OPENAI_API_KEY": "sk-bench-0123456789",
                           "OPENAI_BASE_URL": server.url + "/v1"}
            seconds, cpu, memory, status, text = timed([self.vibe, "check", "suite.yaml", "--quiet"],
                                                       environment, folder)
            stats = server.stats()
            listed = subprocess.run([self.vibe, "get", "runs", "--json"], env=environment,
                                    capture_output=True, check=True).stdout
            run = json.loads(listed)["runs"][0]
            if status != 0 or run["results_count"] != str(evals) or run["evals_passed"] != str(evals):
                sys.exit(f"bench_run: the run went wrong: {text}")
            return seconds, cpu, memory, run, stats
        finally:
            shutil.rmtree(folder)

    def best(self, server, evals, threads):
        runs = [self.check(server, evals, threads) for _ in range(ROUNDS)]
        return min(runs, key=lambda one: one[0]), max(one[2] for one in runs)

    def many_slow(self):
        targets = self.targets
        with Server(self.build, 100) as server:
            (seconds, cpu, _, run, stats), memory = self.best(server, EVALS, 500)
            targets.at_most("5,000 evals, 500 in flight, 100 ms each: wall time", seconds, 1.2, "s")
            targets.note("  processor time", cpu, "s")
            targets.memory_at_most("  peak memory, most of five", memory, 100, "MB")
            gap = abs(run["metrics"]["avg_latency"] * 1000 - stats["mean_latency"] * 1000)
            targets.at_most("  mean latency: reported - what the server measured", gap, 10, "ms")
            (_, _, _, run, stats), _ = self.best(server, 40, 4)
            gap = abs(run["metrics"]["avg_latency"] * 1000 - stats["mean_latency"] * 1000)
            targets.at_most("  the same with 4 in flight", gap, 10, "ms")

    def many_fast(self):
        with Server(self.build, 0) as server:
            (seconds, cpu, memory, _, _), _ = self.best(server, EVALS * 4, 64)
            self.targets.at_least("20,000 evals, 64 in flight, 0 ms each: evals a second",
                                  EVALS * 4 / seconds, 16000, "1/s")
            self.targets.note("  processor time", cpu, "s")
            (seconds, _, _, _, _), _ = self.best(server, 1, 1)
            self.targets.at_most("one eval, 0 ms, from start to exit", seconds * 1000, 20, "ms")

    def promptfoo(self, program):
        for latency in (0, 100):
            with Server(self.build, latency) as server, tempfile.TemporaryDirectory() as folder:
                config = {"prompts": ["What is {{a}} * 7?"],
                          "providers": [{"id": "openai:chat:gpt-4o-mini",
                                         "config": {"apiBaseUrl": server.url + "/v1", "apiKey": "k"}}],
                          "tests": [{"vars": {"a": i},
                                     "assert": [{"type": "icontains", "value": str(i * 7)}]}
                                    for i in range(EVALS)]}
                path = pathlib.Path(folder) / "promptfooconfig.json"
                path.write_text(json.dumps(config))
                environment = {**os.environ, "HOME": folder, "PROMPTFOO_DISABLE_TELEMETRY": "1",
                               "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": folder}
                seconds, cpu, memory, status, text = timed(
                    [program, "eval", "-c", path, "--no-cache", "-j", "500", "--no-progress-bar",
                     "--no-table", "-o", str(pathlib.Path(folder) / "out.json")], environment, folder)
                if status != 0:
                    sys.exit(f"bench_run: promptfoo failed: {text}")
                runs = [self.check(server, EVALS, 500) for _ in range(ROUNDS)]
            ours, our_cpu, our_memory = (max(one[i] for one in runs) for i in range(3))
            name = f"5,000 evals, {latency} ms: promptfoo"
            self.targets.note(f"{name}, wall time", seconds, "s")
            self.targets.note(f"{name}, processor time", cpu, "s")
            self.targets.note(f"{name}, peak memory", memory, "MB")
            self.targets.at_least(f"{name} / vibe, wall time", seconds / ours, 30, "")
            self.targets.at_least(f"{name} / vibe, processor time", cpu / our_cpu, 1, "")
            self.targets.at_least(f"{name} / vibe, memory", memory / our_memory, 5, "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--promptfoo", help="the promptfoo program, to compare with")
    arguments = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, limit[1]), limit[1]))
    bench = Bench(arguments.build.resolve())
    bench.many_slow()
    bench.many_fast()
    if arguments.promptfoo:
        bench.promptfoo(arguments.promptfoo)
    return bench.targets.exit_code()


if __name__ == "__main__":
    sys.exit(main())
