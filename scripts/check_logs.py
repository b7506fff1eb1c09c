#!/usr/bin/python3
"""Compares what `vibe fitness show` reads from a folder of logs with the known truth.

Usage: check_logs.py VIBE DIR [--allow N]

DIR holds logs and `truth.jsonl`: one object per session, with `file` (a path in DIR), `session`
(its id, a list of ids, or null), `tool_calls`, `failed` (which also counts `user_rejected` calls),
`input_tokens`, `output_tokens`, `duration_s`, `cost_usd`, `has_headers`, `has_lists`,
`has_code_blocks`; null or absent values are not compared. An execution that the truth does not name
is a difference if the truth names its file, else it is only counted. Prints every difference, and
exits with 1 if there are more than N (0) of them, or if a log cannot be read.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

STRUCTURE = ("has_headers", "has_lists", "has_code_blocks")


def read(vibe, paths):
    """Executions by file, and the errors if some could not be read."""
    result = subprocess.run([vibe, "fitness", "show", "--jsonl", *paths],
                            capture_output=True, text=True, check=False)
    by_file = collections.defaultdict(list)
    for line in result.stdout.splitlines():
        execution = json.loads(line)
        by_file[os.path.normpath(execution["file"])].append(execution)
    return by_file, result.stderr if result.returncode != 0 else ""


def ids_of(truth):
    session = truth.get("session")
    if session is None or session == "-":
        return [None]
    return [str(one) for one in session] if isinstance(session, list) else [str(session)]


def find(executions, truth):
    """The execution of a session in the truth; None if there is none."""
    if len(executions) == 1:
        return executions[0]
    wanted = ids_of(truth)
    for execution in executions:
        if execution["id"] in wanted:
            return execution
    return None


def unnamed(executions, truths):
    """The executions without a session in the truth about their file."""
    found = [find(executions, truth) for truth in truths]
    ids = {id_ for truth in truths for id_ in ids_of(truth)}
    return [one for one in executions if one["id"] not in ids and not any(one is other for other in found)]


def differences(truth, ours):
    failed = truth.get("failed")
    if failed is not None:
        failed -= truth.get("user_rejected") or 0
    pairs = [("tool_calls", truth.get("tool_calls"), ours["tool_calls"]),
             ("failed_calls", failed, ours["failed_calls"])]
    for name in ("input_tokens", "output_tokens"):
        pairs.append((name, truth.get(name), ours[name] or 0))
    pairs += [(name, truth.get(name), ours[name]) for name in STRUCTURE]
    for name, want, got in pairs:
        if want is not None and want != got:
            yield name, want, got
    close = [("duration_seconds", truth.get("duration_s"), ours["duration_seconds"], 0.0021),
             ("cost", truth.get("cost_usd"), ours["cost"], 5e-7)]
    for name, want, got, tolerance in close:
        if want is not None and (got is None or abs(want - got) > tolerance):
            yield name, want, got


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("vibe")
    parser.add_argument("folder")
    parser.add_argument("--allow", type=int, default=0)
    arguments = parser.parse_args()
    truth_file = os.path.join(arguments.folder, "truth.jsonl")
    truths = collections.defaultdict(list)  # by file
    with open(truth_file, encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            truth = json.loads(line)
            truths[os.path.normpath(os.path.join(arguments.folder, truth["file"]))].append(truth)
    by_file, problems = read(arguments.vibe, list(truths))
    sys.stderr.write(problems)
    found = 0
    formats = collections.Counter()
    for path, about in truths.items():
        name = os.path.relpath(path, arguments.folder)
        for truth in about:
            ours = find(by_file[path], truth)
            if ours is None:
                if truth.get("tool_calls") == 0 and not truth.get("input_tokens"):
                    continue  # a session without any figures does not count
                found += 1
                print(f"{name}: session {truth.get('session')} was not found")
                continue
            formats[ours["format"]] += 1
            for field, want, got in differences(truth, ours):
                found += 1
                print(f"{name} ({ours['id']}): {field} is {want} in the truth, {got} here")
        for ours in unnamed(by_file[path], about):
            found += 1
            print(f"{name} ({ours['id']}): not in the truth, {ours['tool_calls']} calls here")
    # Other files there may be anything: only the executions in them count.
    others, _ = read(arguments.vibe, [arguments.folder])
    others = [(path, one) for path, executions in others.items()
              for one in executions if path not in truths and path != os.path.normpath(truth_file)]
    for path, ours in others:
        name = os.path.relpath(path, arguments.folder)
        print(f"{name} ({ours['id']}): the truth does not name the file, {ours['tool_calls']} calls here")
    read_as = ", ".join(f"{count} {name}" for name, count in sorted(formats.items()))
    print(f"check-logs: {sum(map(len, truths.values()))} sessions in {len(truths)} files ({read_as}), "
          f"{found} differences; {len(others)} sessions in other files")
    sys.exit(0 if not problems and found <= arguments.allow else 1)


if __name__ == "__main__":
    main()
