#!/usr/bin/python3
"""Runs command-line transcripts and compares their output, byte by byte.

Usage: run_transcripts.py --vibe PATH [--update] FOLDER|FILE.txt ...

A transcript is a sequence of blocks, with one empty line between them:

    # what this shows (comment lines directly above the command)
    $ vibe validate bad.yaml
    > continued lines of the command, for example of a here-document
    the exact output, standard output and standard error as they come
    [exit 2]

`[exit N]` ends the block where the exit code is not 0; `[no newline]` comes before it
where the output does not end in a newline. A line `...` matches any lines, or none.

Each transcript runs in its own empty folder, which its commands share. It holds what is
in files/ beside the transcripts, and `examples`, a link to the project's. Standard input
is empty, nothing is a terminal, HOME is that folder and the environment is clean.
--update writes the output seen into the transcript; read the difference before you keep it.
"""

import argparse
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEPT_VARIABLES = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH")
TIMEOUT_SECONDS = 120


class Block:
    def __init__(self, line):
        self.line = line  # of its `$ `, from 1
        self.head = []  # comments and command, as written
        self.command = ""
        self.expected = []


def is_comment(line):
    return line == "#" or line.startswith("# ")


def parse(lines):
    """Splits a transcript into the lines before its first block, and its blocks."""
    starts = []  # (first line of the head, line of the command)
    for number, line in enumerate(lines):
        if not line.startswith("$ ") or (number > 0 and lines[number - 1] != ""
                                         and not is_comment(lines[number - 1])):
            continue
        first = number
        while first > 0 and is_comment(lines[first - 1]):
            first -= 1
        if first == 0 or lines[first - 1] == "":
            starts.append((first, number))
    blocks = []
    for index, (first, number) in enumerate(starts):
        block = Block(number + 1)
        after = number + 1
        while after < len(lines) and lines[after].startswith("> "):
            after += 1
        block.head = lines[first:after]
        block.command = "\n".join(line[2:] for line in lines[number:after])
        last = index + 1 == len(starts)
        # The empty line between blocks is not output.
        block.expected = lines[after:] if last else lines[after:starts[index + 1][0] - 1]
        blocks.append(block)
    return lines[:starts[0][0]] if starts else lines, blocks


def unparse(preface, blocks):
    lines = list(preface)
    for index, block in enumerate(blocks):
        lines += ([""] if index else []) + block.head + block.expected
    return lines


def run(command, folder, environment):
    """The lines that a block shows for this command."""
    try:
        done = subprocess.run(["/bin/bash", "-c", command], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS, check=False)
        output, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        output, code = (error.stdout or b"") + b"\n[timed out]\n", 124
    text = output.decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines.append("[no newline]")
    if code != 0:
        lines.append(f"[exit {code}]")
    return lines


def matches(expected, actual):
    """Whether they are the same, where `...` stands for any number of lines."""
    parts = [[]]
    for line in expected:
        if line == "...":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) == 1:
        return expected == actual
    first, *middle, last = parts
    if len(first) + len(last) > len(actual) or actual[:len(first)] != first:
        return False
    end = len(actual) - len(last)
    if actual[end:] != last:
        return False
    at = len(first)
    for part in middle:
        while at + len(part) <= end and actual[at:at + len(part)] != part:
            at += 1
        if at + len(part) > end:
            return False
        at += len(part)
    return True


def prepare(folder, transcript):
    files = os.path.join(os.path.dirname(os.path.abspath(transcript)), "files")
    if os.path.isdir(files):
        shutil.copytree(files, folder, symlinks=True, dirs_exist_ok=True)
    os.symlink(os.path.join(SOURCE, "examples"), os.path.join(folder, "examples"))


def run_transcript(path, vibe, update):
    """Returns how many commands ran, and how many were not as expected."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    preface, blocks = parse(lines)
    if not blocks:
        print(f"{path}: no command in it")
        return 0, 1
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="transcript-") as folder:
        prepare(folder, path)
        environment = {"PATH": f"{os.path.dirname(vibe)}:/usr/bin:/bin", "HOME": folder,
                       "LC_ALL": "C.UTF-8"}
        environment.update((name, os.environ[name]) for name in KEPT_VARIABLES
                           if name in os.environ)
        for block in blocks:
            actual = run(block.command, folder, environment)
            if matches(block.expected, actual):
                continue
            if update:
                block.expected = actual
                continue
            wrong += 1
            print(f"{path}:{block.line}: $ {block.command}")
            print("\n".join(difflib.unified_diff(block.expected, actual, "expected", "actual",
                                                 lineterm="")))
    if update:
        new_lines = unparse(preface, blocks)
        reread = parse(new_lines)[1]
        for block, again in zip(blocks, reread):
            if (block.head, block.expected) != (again.head, again.expected):
                print(f"{path}:{block.line}: this output reads as a part of a transcript; "
                      "pipe it through sed")
                return len(blocks), wrong + 1
        if len(blocks) != len(reread):
            print(f"{path}: some output reads as a command; pipe it through sed")
            return len(blocks), wrong + 1
        if new_lines != lines:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write("\n".join(new_lines) + "\n")
            print(f"{path}: updated")
    return len(blocks), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vibe", required=True, help="the program under test")
    parser.add_argument("--update", action="store_true", help="write the output that is seen")
    parser.add_argument("paths", nargs="+", metavar="FOLDER|FILE.txt")
    arguments = parser.parse_args()
    vibe = os.path.abspath(arguments.vibe)
    if os.path.basename(vibe) != "vibe" or not os.access(vibe, os.X_OK):
        print(f"transcripts: `{vibe}` is not a program named `vibe`")
        return 1
    transcripts = []
    for path in arguments.paths:
        if os.path.isdir(path):
            transcripts += sorted(os.path.join(path, name) for name in os.listdir(path)
                                  if name.endswith(".txt"))
        else:
            transcripts.append(path)
    commands = wrong = 0
    for path in transcripts:
        ran, failed = run_transcript(path, vibe, arguments.update)
        commands += ran
        wrong += failed
    print(f"transcripts: {commands} commands in {len(transcripts)} files, {wrong} not as expected")
    return 1 if wrong or commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
