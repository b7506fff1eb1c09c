#!/usr/bin/python3
"""Measures `vibe serve` as a process on loopback: lists of runs, requests beside held ones, samples through the queue.

Usage: bench_serve.py BUILD_FOLDER

Prints a line for each figure: name, figure, target, ok or missed; exits 1 if a target was missed. Clients (`wrk`, and
this program) and the model server share the processors with the server.
"""

import argparse
import asyncio
import http.client
import json
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from bench_run import Server as ModelServer
from targets import Targets

RUNS = 1_000_000
CONNECTIONS = 32
SECONDS = 10  # of load
LONG_POLLS, STREAMS, RATE = 1000, 200, 500
SAMPLES = 20_000
ROUNDS = 3

# Runs of 1,000 suites, written by SQL, with the texts of a real run. Indexes and triggers are recreated
# afterwards, which takes half the time.
FILL = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO runs (id, suite, model, source, status, error, created_at, started_at, completed_at, planned, results,
    passed, errors, duration, total_cost, input_cost, output_cost, judge_cost, prompt_tokens, completion_tokens,
    thinking_tokens, score, version, suite_path, suite_hash, score_formula, score_error, score_metrics, metrics,
    parameters, system_prompt)
SELECT printf('%08x-%04x-7000-8000-%012x', 420000000 + i / 65536, i % 65536, i), 'suite-' || (i % 1000),
    'provider/model-' || (i % 97), x'',
    CASE i % 100 WHEN 0 THEN 'failed' WHEN 1 THEN 'cancelled' ELSE 'completed' END, x'',
    1700000000000 + i * 1000, 1700000000000 + i * 1000, 1700000000000 + i * 1000 + 5000, 100, 100, i * 7919 % 101, 0,
    i * 104729 % 10007 / 10.0, i * 1299709 % 100003 / 1000.0, 0.001, 0.002, 0, 1000, 2000, 0,
    i * 15485863 % 1000003 / 100.0, '0.1.0', x'', 'hash', ?, x'', ?, ?, ?, ? FROM n
"""


def fill(path, runs):
    database = sqlite3.connect(path, isolation_level=None)
    for sql in ("PRAGMA synchronous = OFF", "PRAGMA cache_size = -400000", "BEGIN"):
        database.execute(sql)
    again = database.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name = 'runs' "
                             "AND type IN ('index', 'trigger') ORDER BY type").fetchall()
    for kind, name, _ in again:
        database.execute(f"DROP {kind} {name}")
    texts = database.execute(
        "SELECT score_formula, score_metrics, metrics, parameters, system_prompt FROM runs").fetchone()
    database.execute(FILL, (runs - 1, *texts))
    for _, _, sql in again:
        database.execute(sql)
    database.execute("DELETE FROM run_counts")
    database.execute("INSERT INTO run_counts SELECT status, count(*) FROM runs GROUP BY status")
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


class Server:
    """`vibe serve` in a separate folder, with a key without a rate limit."""

    def __init__(self, build, model=None):
        self.vibe = build / "vibe"
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}
        if model:
            self.environment.update(OPENAI_API_KEY="sk-bench-0123456789", OPENAI_BASE_URL=model.url + "/v1")
        self.log = open(self.folder / "log", "wb")
        self.key = None
        self.start()
        subprocess.run([self.vibe, "orgs", "set", "default", "--requests-per-minute", "1000000"], env=self.environment,
                       check=True, capture_output=True)

    def start(self):
        self.process = subprocess.Popen(
            [self.vibe, "serve", "--port", "0", "--access-log", self.folder / "access.jsonl"], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        while not (line := self.process.stdout.readline()).startswith("listening on "):
            if not line:
                sys.exit(f"bench_serve: the server does not start: {(self.folder / 'log').read_text()}")
            self.key = line.split()[2]  # `admin key: …`, the first time
        self.port = int(line.rsplit(":", 1)[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"X-API-KEY": self.key, "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            sys.exit(f"bench_serve: {method} {path}: {answer.status} {text[:500]!r}")
        return json.loads(text)

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        self.log.close()
        shutil.rmtree(self.folder)


def wrk(server, path, connections=CONNECTIONS, seconds=SECONDS):
    """Requests per second, and the 99th percentile of their latency in milliseconds."""
    done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-H",
                           f"X-API-KEY: {server.key}", f"http://127.0.0.1:{server.port}{path}"],
                          capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in done or "Socket errors" in done:
        sys.exit(f"bench_serve: {path}: {done}")
    figure, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done).groups()
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1]),
            float(figure) * {"us": 0.001, "ms": 1, "s": 1000}[unit])


def suite(samples, threads, prompt="What is {} * 7?"):
    evals = [{"name": f"e{i}", "prompt": prompt.format(i), "checks": [{"match": f"*{i * 7}*"}]} for i in range(samples)]
    return {"metadata": {"name": "bench", "model": "openai/gpt-4o-mini", "threads": threads}, "evals": evals,
            "score": {"formula": "success_pct / total_cost"}}


class Held:
    """Connections, each with a request that is not answered for a long time."""

    def __init__(self, server):
        self.server = server
        self.open = []

    async def hold(self, path):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        writer.write(self.request(path))
        await writer.drain()
        self.open.append(asyncio.create_task(self.drain(reader, writer)))

    def request(self, path):
        return f"GET {path} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {self.server.key}\r\n\r\n".encode()

    @staticmethod
    async def drain(reader, writer):
        while await reader.read(1 << 16):
            pass
        writer.close()

    async def ask_at_rate(self, path, rate, seconds):
        """The latencies of requests sent at fixed times, whether or not earlier ones are answered."""
        free, latencies = asyncio.Queue(), []
        for _ in range(CONNECTIONS):
            free.put_nowait(await asyncio.open_connection("127.0.0.1", self.server.port))
        request = self.request(path)

        async def one(due):
            reader, writer = await free.get()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                sys.exit(f"bench_serve: {path}: {head!r}")
            await reader.readexactly(int(re.search(rb"(?i)content-length: (\d+)", head)[1]))
            latencies.append(time.perf_counter() - due)
            free.put_nowait((reader, writer))

        began, tasks = time.perf_counter(), []
        for number in range(int(rate * seconds)):
            due = began + number / rate
            if (rest := due - time.perf_counter()) > 0:
                await asyncio.sleep(rest)
            tasks.append(asyncio.create_task(one(due)))
        await asyncio.gather(*tasks)
        took = time.perf_counter() - began
        return sorted(latencies), len(latencies) / took


class Bench:
    def __init__(self, build, runs):
        self.build = build
        self.runs = runs
        self.targets = Targets()

    def lists(self):
        targets, runs = self.targets, self.runs
        with ModelServer(self.build, 0) as model, Server(self.build, model) as server:
            real = server.ask("POST", "/api/eval/run", {"evalSuite": suite(20, 4)})["runId"]
            server.ask("GET", f"/api/eval/status/{real}")
            server.stop()
            began = time.perf_counter()
            fill(server.folder / ".vibecheck/vibecheck.db", runs)
            targets.note(f"{runs:,} runs made", time.perf_counter() - began, "s")
            server.start()
            first = server.ask("GET", "/api/runs?limit=50")
            if (len(first["runs"]), first["pagination"]["total"]) != (50, runs):
                sys.exit(f"bench_serve: {len(first['runs'])} runs, {first['pagination']}")
            depth = runs * 9 // 10
            deep = server.ask("GET", f"/api/runs?limit=50&offset={depth}")["pagination"]["next"]
            wrk(server, "/api/runs?limit=50", seconds=2)
            for name, path in (("at the start", "/api/runs?limit=50"),
                               (f"after {depth:,}", f"/api/runs?limit=50&after={deep}")):
                rate, slow = wrk(server, path)
                targets.at_least(f"50 of {runs:,} runs, {name}: requests a second", rate, 10000, "1/s")
                targets.at_most("  99 of 100 within", slow, 20, "ms")
            for name, path in (("by suite", "/api/runs?limit=50&suite_name=suite-7"),
                               ("by model", "/api/runs?limit=50&model=provider/model-7"),
                               ("one run of 20 samples", f"/api/runs/{real}")):
                rate, slow = wrk(server, path, seconds=3)
                targets.note(f"  {name}: requests a second", rate, "1/s")
                targets.note("  99 of 100 within", slow, "ms")
            targets.memory_at_most("  peak memory of the server", server.memory(), 200, "MB")

    def held(self):
        with ModelServer(self.build, 500) as model, Server(self.build, model) as server:
            for number in range(60):  # something to list
                server.ask("POST", "/api/eval/run", {"evalSuite": suite(1, 1, f"{number} latency=0 " + "{}")})
            run = server.ask("POST", "/api/eval/run", {"evalSuite": suite(4000, 2)})["runId"]
            latencies, rate = asyncio.run(self.beside(server, run))
            name = f"{LONG_POLLS} long polls, {STREAMS} streams: {RATE} others a second"
            self.targets.at_least(name, rate, RATE * 0.98, "1/s")
            self.targets.at_most("  99 of 100 within", latencies[int(len(latencies) * 0.99)] * 1000, 50, "ms")
            self.targets.note("  half of them within", latencies[len(latencies) // 2] * 1000, "ms")
            self.targets.note("  peak memory of the server", server.memory(), "MB")
            server.ask("POST", f"/api/runs/{run}/cancel")

    @staticmethod
    async def beside(server, run):
        held = Held(server)
        for _ in range(LONG_POLLS):
            await held.hold(f"/api/eval/status/{run}")
        for _ in range(STREAMS):
            await held.hold(f"/api/runs/{run}/events")
        await held.ask_at_rate("/api/runs?limit=50", RATE, 1)
        found = await held.ask_at_rate("/api/runs?limit=50", RATE, SECONDS)
        ended = sum(task.done() for task in held.open)
        if ended:
            sys.exit(f"bench_serve: {ended} of the held requests have ended")
        for task in held.open:
            task.cancel()
        return found

    def queue(self):
        best = 0
        with ModelServer(self.build, 0) as model, Server(self.build, model) as server:
            for _ in range(ROUNDS):
                body = {"evalSuite": suite(SAMPLES, 64)}
                began = time.perf_counter()
                run = server.ask("POST", "/api/eval/run", body)["runId"]
                accepted = time.perf_counter() - began
                while (found := server.ask("GET", "/api/runs?limit=1")["runs"][0])["status"] in ("queued", "running"):
                    time.sleep(0.01)
                seconds = time.perf_counter() - began - accepted
                facts = (found["id"], found["status"], found["results_count"], found["evals_passed"])
                if facts != (run, "completed", str(SAMPLES), str(SAMPLES)) or found["score"] is None:
                    sys.exit(f"bench_serve: the run went wrong: {found}")
                best = max(best, SAMPLES / seconds)
            self.targets.at_least(f"{SAMPLES:,} samples through the queue, 0 ms each: samples a second", best, 15000,
                                  "1/s")
            self.targets.note("  until the run was accepted", accepted * 1000, "ms")
            self.targets.note("  peak memory of the server", server.memory(), "MB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=RUNS, help="number of runs in the store that is listed")
    arguments = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, limit[1]), limit[1]))
    bench = Bench(arguments.build.resolve(), arguments.runs)
    bench.lists()
    bench.held()
    bench.queue()
    return bench.targets.exit_code()


if __name__ == "__main__":
    sys.exit(main())
