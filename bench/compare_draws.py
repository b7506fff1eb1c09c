#!/usr/bin/python3
"""Redraws a run of 200 evals, five answers each, 10,000 times, by the formula with two named evals: ours (which also
smooths and redraws the answers to the named evals), numpy with all indices at once, and plain Python; in turn, three
times, the least time of each counts. Also times shuffles, Shapley values and large runs.

Usage: compare_draws.py FOLDER     FOLDER/bench holds the program statistics_time
"""

import os
import random
import subprocess
import sys
import time

from targets import Targets

EVALS, REPEATS, DRAWS, PLAIN_DRAWS, ROUNDS = 200, 5, 10_000, 500, 3


def make_run():
    """By eval, by answer: passed, latency, cost."""
    rng = random.Random(1)
    run = []
    for _ in range(EVALS):
        chance = rng.random()
        run.append([(float(rng.random() < chance), 0.5 + rng.random(), 0.001 * (1 + rng.random()))
                    for _ in range(REPEATS)])
    return run


def rate(answers):
    return sum(passed for passed, _, _ in answers) / len(answers)


def with_numpy(run):
    import numpy
    columns = [numpy.array([[answer[i] for answer in answers] for answers in run]) for i in range(3)]
    rng = numpy.random.default_rng(1)
    begin = time.perf_counter()
    picked = rng.integers(0, EVALS, (DRAWS, EVALS))
    passed, latency, cost = (column[picked].sum(axis=(1, 2)) for column in columns)
    samples = EVALS * REPEATS
    scores = ((rate(run[0]) * 0.6 + rate(run[1]) * 0.4) * (100 * passed / samples)
              / (latency / samples * cost))
    numpy.quantile(scores, [0.025, 0.975])
    return time.perf_counter() - begin


def plainly(run):
    """Scaled from fewer draws: each takes as long."""
    rng = random.Random(1)
    begin = time.perf_counter()
    scores = []
    samples = EVALS * REPEATS
    named = rate(run[0]) * 0.6 + rate(run[1]) * 0.4
    for _ in range(PLAIN_DRAWS):
        passed = latency = cost = 0
        for _ in range(EVALS):
            for p, t, c in run[rng.randrange(EVALS)]:
                passed += p
                latency += t
                cost += c
        scores.append(named * (100 * passed / samples) / (latency / samples * cost))
    scores.sort()
    return (time.perf_counter() - begin) * DRAWS / PLAIN_DRAWS


def ours(program):
    lines = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout.split("\n")
    return {name: float(figure) for name, figure in (line.split() for line in lines if line)}


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    program = os.path.abspath(os.path.join(arguments[0], "bench", "statistics_time"))
    run = make_run()
    rounds = [(ours(program), with_numpy(run), plainly(run)) for _ in range(ROUNDS)]
    mine = {name: min(one[0][name] for one in rounds) for name in rounds[0][0]}
    numpy, plain = (1e3 * min(one[i] for one in rounds) for i in (1, 2))
    targets = Targets()
    targets.note("10,000 draws of 200 evals, ours", mine["draws"], "ms")
    targets.note("the same, numpy", numpy, "ms")
    targets.note("the same, plain Python", plain, "ms")
    targets.at_least("time of numpy / ours", numpy / mine["draws"], 10, "x")
    targets.at_least("time of plain Python / ours", plain / mine["draws"], 500, "x")
    targets.at_least("one thread / two", mine["draws"] / mine["draws_two_threads"], 1.6, "x")
    targets.note("both intervals of that run", mine["both_intervals"], "ms")
    targets.at_most("9,999 label shuffles of 200 evals x 5", mine["label_shuffles"], 60, "ms")
    targets.note("9,999 swaps of the same", mine["swaps"], "ms")
    targets.at_most("Shapley values of 200 evals, 500 pairs of orders", mine["shapley"], 50, "ms")
    targets.note("the whole comparison, one thread", mine["compare"], "ms")
    targets.at_most("intervals of a run of 10,000 samples, two threads", mine["intervals_of_10000"], 100, "ms")
    return targets.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
