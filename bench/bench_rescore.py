#!/usr/bin/python3
"""Rescores a million stored runs of 20 evals with `vibe rescore`, from process start to exit; and 50,000 runs, compared
with SQL that computes the same metrics from the table of results.

Usage: bench_rescore.py BUILD_FOLDER

Prints a line for each figure: name, figure, target, ok or missed; exits 1 if a target was missed.
"""

import json
import math
import os
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from targets import Targets

FORMULA = "(accuracy-test * 0.6 + speed-test * 0.4) * success_pct / (avg_latency * total_cost)"
EVALS = ["accuracy-test", "speed-test", *(f"eval-{i}" for i in range(18))]
RUNS, COMPARED_RUNS = 1_000_000, 50_000
ROUNDS, SQL_ROUNDS = 5, 3
BLOCK = 10_000  # runs in one transaction

# What a script does that has only the results.
SQL = """
SELECT count(score), avg(score) FROM (
  SELECT (accuracy * 0.6 + speed * 0.4) * success / (latency * cost) AS score FROM (
    SELECT avg(CASE WHEN eval = CAST('accuracy-test' AS BLOB) THEN status = 'passed' END) AS accuracy,
      avg(CASE WHEN eval = CAST('speed-test' AS BLOB) THEN status = 'passed' END) AS speed,
      100.0 * avg(status = 'passed') AS success, avg(latency) AS latency, sum(cost) AS cost
    FROM results GROUP BY place >> 32))
"""


class Store:
    def __init__(self, vibe):
        self.vibe = vibe
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}
        self.file = self.folder / ".vibecheck" / "vibecheck.db"
        self.run_once()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def call(self, *words):
        return subprocess.run([self.vibe, *words], env=self.environment, cwd=self.folder, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def run_once(self):
        """One real run, of which the others are copies."""
        suite = ["metadata: {name: bench, model: 'replay:answers.jsonl'}", "evals:"]
        answers = ['{"vibecheck_recording": 1, "model": "bench/model"}']
        for i, name in enumerate(EVALS):
            suite.append(f"  - {{name: {name}, prompt: '{'p' * 300} {i}', checks: [match: '*']}}")
            answers.append(json.dumps({"prompt": f"{'p' * 300} {i}", "answer": {
                "text": "r" * 300, "latency": 1.5, "cost": 0.01}}))
        (self.folder / "suite.yaml").write_text("\n".join(suite) + "\n")
        (self.folder / "answers.jsonl").write_text("\n".join(answers) + "\n")
        self.call("check", "suite.yaml", "--quiet")

    def fill(self, runs, with_results):
        """Copies the run; each copy has samples of its own, by a generator with a fixed seed."""
        database = sqlite3.connect(self.file, isolation_level=None)
        for pragma in ("synchronous = OFF", "cache_size = -400000", "foreign_keys = OFF"):
            database.execute(f"PRAGMA {pragma}")
        again = database.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND "
                                 "tbl_name IN ('runs', 'results') AND type IN ('index', 'trigger')").fetchall()
        for kind, name, _ in again:
            database.execute(f"DROP {kind} {name}")
        columns = self.columns(database, "runs", ("number", "id", "created_at", "score"))
        results = self.columns(database, "results", ("place", "status", "latency", "cost"))
        layout = database.execute("SELECT layout FROM run_inputs").fetchone()[0]
        rng = random.Random(1)
        for begin in range(2, runs + 1, BLOCK):
            numbers = range(begin, min(begin + BLOCK, runs + 1))
            samples = [[(rng.random() < 0.7, 0.5 + rng.random(), 0.001 + 0.01 * rng.random()) for _ in EVALS]
                       for _ in numbers]
            database.execute("BEGIN")
            database.executemany(
                f"INSERT INTO runs (number, id, created_at, score, {columns}) "
                f"SELECT ?1, printf('%08x-0000-7000-8000-%012x', ?1, ?1), 1700000000000 + ?1, ?2, {columns} "
                "FROM runs WHERE number = 1", ((n, rng.random() * 100) for n in numbers))
            database.executemany("INSERT INTO run_inputs VALUES (?, ?, ?, 50, ?)", (
                (n, layout, rng.random() * 100, inputs_of(run)) for n, run in zip(numbers, samples)))
            if with_results:
                database.executemany(
                    f"INSERT INTO results (place, status, latency, cost, {results}) "
                    f"SELECT ?1, ?2, ?3, ?4, {results} FROM results WHERE place = (1 << 32) + ?5",
                    (((n << 32) + i, "passed" if passed else "failed", latency, cost, i)
                     for n, run in zip(numbers, samples) for i, (passed, latency, cost) in enumerate(run)))
            database.execute("COMMIT")
        for _, _, sql in again:
            database.execute(sql)
        database.execute("DELETE FROM run_counts")
        database.execute("INSERT INTO run_counts SELECT status, count(*) FROM runs GROUP BY status")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()

    @staticmethod
    def columns(database, table, but):
        names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]  # without generated ones
        return ", ".join(name for name in names if name not in but)

    def rescore(self):
        begin = time.perf_counter()
        out = self.call("rescore", "--formula", FORMULA, "--json", "--limit", "0")
        return time.perf_counter() - begin, json.loads(out)

    def by_sql(self):
        database = sqlite3.connect(self.file)
        begin = time.perf_counter()
        row = database.execute(SQL).fetchone()
        seconds = time.perf_counter() - begin
        database.close()
        return seconds, row


def inputs_of(run):
    """The values that the store has of a run, in its layout: run-wide metrics, then those of each eval."""
    passed, latencies, costs = zip(*run)
    count = len(run)
    values = [max(latencies), min(latencies), sum(latencies) / count, sum(latencies),
              max(costs), min(costs), sum(costs) / count, sum(costs), 100 * sum(passed) / count]
    for sample in run:
        values += map(float, sample)
    return struct.pack(f"<{len(values)}d", *values)


def best(rounds, work):
    seen = [work() for _ in range(rounds + 1)][1:]  # the first one warms the page cache
    return min(seconds for seconds, _ in seen), seen[-1][1]


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    vibe = os.path.abspath(os.path.join(arguments[0], "vibe"))
    targets = Targets()
    with Store(vibe) as store:
        store.fill(COMPARED_RUNS, with_results=True)
        ours, summary = best(ROUNDS, store.rescore)
        sql, (scored, mean) = best(SQL_ROUNDS, store.by_sql)
        assert summary["scored"] == scored == COMPARED_RUNS, (summary["scored"], scored)
        assert math.isclose(summary["after"]["mean"], mean, rel_tol=1e-9), (summary["after"], mean)
        targets.note("50,000 runs of 20 evals", 1e3 * ours, "ms")
        targets.note("the same by SQL over the results", 1e3 * sql, "ms")
        targets.at_least("time of SQL / ours", sql / ours, 20, "x")
    with Store(vibe) as store:
        store.fill(RUNS, with_results=False)
        ours, summary = best(ROUNDS, store.rescore)
        assert summary["scored"] == RUNS, summary["scored"]
        targets.at_most("1,000,000 runs of 20 evals", ours, 1.5, "s")
    return targets.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
