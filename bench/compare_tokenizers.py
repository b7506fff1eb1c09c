#!/usr/bin/python3
"""Counts the tokens of 10 MB of English and code with ours and with npm's `gpt-tokenizer`, each
in its own process, on its first pass; in turn, five times; the least time of each counts.

Usage: compare_tokenizers.py FOLDER     FOLDER/bench holds the program tokens_time
"""

import glob
import os
import random
import subprocess
import sys
import tempfile

from targets import Targets

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZE = 10_000_000
ROUNDS = 5
LEAST_RATIO = 5


def read(*patterns):
    paths = [path for pattern in patterns for path in glob.glob(os.path.join(SOURCE, pattern))]
    return "\n".join(open(path, encoding="utf-8").read() for path in sorted(paths))


def english_and_code():
    """Sentences of the documentation's words and lines of the sources, drawn at random, so that
    neither side benefits from repeated text."""
    rng = random.Random(7)
    words = read("*.md", "docs/*.md", "LICENSE").split()
    lines = read("src/*/*.cpp", "src/*/*.h", "scripts/*.py", "scripts/*.sh").splitlines()
    out, size = [], 0
    while size < SIZE:
        sentence = " ".join(rng.choices(words, k=rng.randint(5, 25))).capitalize() + ". "
        block = "\n".join(rng.choices(lines, k=rng.randint(2, 6))) + f"  // {rng.random()}\n"
        part = sentence + block
        out.append(part)
        size += len(part.encode())
    return "".join(out)


def measure(command, path):
    done = subprocess.run([*command, path], stdout=subprocess.PIPE, check=True, cwd=SOURCE)
    count, seconds = done.stdout.split()
    return int(count), float(seconds)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    ours = [os.path.abspath(os.path.join(arguments[0], "bench", "tokens_time"))]
    theirs = ["node", os.path.join(SOURCE, "bench", "tokens_time.cjs")]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(english_and_code())
        file.flush()
        size = os.path.getsize(file.name)
        times = [(measure(ours, file.name), measure(theirs, file.name)) for _ in range(ROUNDS)]
    if any(one[0] != other[0] for one, other in times):
        print("the two do not count the same tokens")
        return 1
    mine = min(one[1] for one, _ in times)
    other = min(one[1] for _, one in times)
    targets = Targets()
    print(f"tokens, {size / 1e6:.0f} MB: ours {size / mine / 1e6:.1f} MB/s, "
          f"gpt-tokenizer {size / other / 1e6:.1f} MB/s")
    targets.at_least("time of gpt-tokenizer / ours", other / mine, LEAST_RATIO, "x")
    return targets.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
