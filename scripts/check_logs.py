#!/usr/bin/python3
"""Compares what `vibe fitness show` reads from a folder of logs with what is known about them.

Usage: check_logs.py VIBE DIR [--allow N]

DIR holds logs and `truth.jsonl`: one object for each session, with `file` (a path in DIR), `session`
(its id, a list of ids, or null), `tool_calls`, `failed` (which counts `user_rejected` calls too),
`input_tokens`, `output_tokens`, `duration_s`, `cost_usd`, `has_headers`, `has_lists`,
`has_code_blocks`; what is null or absent there is not compared. Prints every difference, and exits
with 1 if there are more than N (0) of them, or if a log cannot be read.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

STRUCTURE = ("has_headers", "has_lists", "has_code_blocks")


def read(vibe, paths):
    """Executions by file, and whether all could be read."""
    result = subprocess.run([vibe, "fitness", "show", "--jsonl", *paths],
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.stderr.write(result.stderr)
    by_file = collections.defaultdict(list)
    for line in result.stdout.splitlines():
        execution = json.loads(line)
        by_file[execution["file"]].append(execution)
    return by_file, result.returncode == 0


def ids_of(truth):
    session = truth.get("session")
    if session is None or session == "-":
        return [None]
    return [str(one) for one in session] if isinstance(session, list) else [str(session)]


def find(executions, truth):
    """The execution that a session of the truth is about; None: there is none."""
    if len(executions) == 1:
        return executions[0]
    wanted = ids_of(truth)
    for execution in executions:
        if execution["id"] in wanted:
            return execution
    return None


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
    with open(truth_file, encoding="utf-8") as lines:
        truths = [json.loads(line) for line in lines if line.strip()]
    paths = list(dict.fromkeys(os.path.join(arguments.folder, one["file"]) for one in truths))
    by_file, all_read = read(arguments.vibe, paths)
    found = 0
    formats = collections.Counter()
    for truth in truths:
        path = os.path.join(arguments.folder, truth["file"])
        ours = find(by_file[path], truth)
        if ours is None:
            if truth.get("tool_calls") == 0 and not truth.get("input_tokens"):
                continue  # a session of which nothing is known is none
            found += 1
            print(f"{truth['file']}: session {truth.get('session')} was not found")
            continue
        formats[ours["format"]] += 1
        for name, want, got in differences(truth, ours):
            found += 1
            print(f"{truth['file']} ({ours['id']}): {name} is {want} in the truth, {got} here")
    read_as = ", ".join(f"{count} {name}" for name, count in sorted(formats.items()))
    print(f"check-logs: {len(truths)} sessions in {len(paths)} files ({read_as}), {found} differences")
    sys.exit(0 if all_read and found <= arguments.allow else 1)


if __name__ == "__main__":
    main()
