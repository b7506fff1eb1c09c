#!/usr/bin/python3
"""Encodes answers of 20 and of 100 words with ours and with npm's `@energetic-ai/embeddings`, each
in its own process; in turn, three times; the least time of each answer counts. The time to load
is that until the first vector.

Usage: compare_embeddings.py FOLDER     FOLDER/bench holds the program embed_time
"""

import glob
import os
import random
import subprocess
import sys
import tempfile

from targets import Targets

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANSWERS = 10
RUNS = 3
ROUNDS = 5  # in each run
LEAST_RATIO = 3
MOST_LOAD = 250  # ms


def answers(words_each):
    """Words from the documentation, drawn at random."""
    rng = random.Random(words_each)
    text = "\n".join(open(path, encoding="utf-8").read()
                     for path in sorted(glob.glob(os.path.join(SOURCE, "docs", "*.md"))))
    words = [word for word in text.split() if word.isalpha()]
    return [" ".join(rng.choices(words, k=words_each)).capitalize() + "." for _ in range(ANSWERS)]


def measure(command, path):
    done = subprocess.run([*command, path, str(ROUNDS)], stdout=subprocess.PIPE, check=True,
                          cwd=SOURCE)
    load, seconds = done.stdout.split()
    return float(load), float(seconds)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    ours = [os.path.abspath(os.path.join(arguments[0], "bench", "embed_time"))]
    theirs = ["node", os.path.join(SOURCE, "bench", "embed_time.cjs")]
    targets, loads = Targets(), []
    for words in (20, 100):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write("\n".join(answers(words)) + "\n")
            file.flush()
            runs = [(measure(ours, file.name), measure(theirs, file.name)) for _ in range(RUNS)]
        loads += [mine[0] for mine, _ in runs]
        mine = min(mine[1] for mine, _ in runs)
        other = min(other[1] for _, other in runs)
        print(f"{words} words: ours {mine * 1e3:.2f} ms, energetic-ai {other * 1e3:.2f} ms")
        targets.at_least(f"{words} words: time of energetic-ai / ours", other / mine, LEAST_RATIO, "x")
    targets.at_most("load and first vector, the longest", max(loads) * 1e3, MOST_LOAD, "ms")
    return targets.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
