"""Runs for the tests of faults: a suite whose score depends on nothing but the answers, started on a
server over HTTP, and watched."""

import functools
import json
import os
import time

from serve_world import wait_until  # noqa: F401  (for those who import this)


def sums_suite(samples, threads, prompt="What is {} * 7?", name="sums", **metadata):
    """YAML with an eval for each sample; every third does not pass."""
    head = {"name": name, "model": "openai/gpt-4o-mini", "threads": threads, **metadata}
    lines = [f"metadata: {json.dumps(head)}", "score: {formula: success_pct / total_cost}", "evals:"]
    for i in range(samples):
        wanted = i * 7 if i % 3 else "never"
        lines.append(f"  - {{name: e{i}, prompt: {json.dumps(prompt.format(i))}, "
                     f"checks: [match: '*{wanted}*']}}")
    return "\n".join(lines) + "\n"


def unlimited(world):
    """As many requests as a test likes."""
    world.vibe("orgs", "set", "default", "--requests-per-minute", "1000000")
    return world


def as_json(yaml_text):
    """What a client sends beside the text: the metadata and the evals that it knows."""
    lines = yaml_text.splitlines()
    evals = []
    for line in lines[3:]:
        name, rest = line.removeprefix("  - {name: ").split(", prompt: ", 1)
        prompt, checks = rest.rsplit(", checks: ", 1)
        pattern = checks.removeprefix("[match: '").removesuffix("']}")
        evals.append({"prompt": json.loads(prompt), "checks": [{"match": pattern}], "name": name})
    return {"metadata": json.loads(lines[0].removeprefix("metadata: ")), "evals": evals}


def start_run(world, text, **options):
    """The id of a run that the server has accepted."""
    answer = world.ask("POST", "/api/eval/run", {"evalSuite": as_json(text), "yamlContent": text},
                       **options)
    assert answer.status == 200, f"{answer.status}: {answer.body[:500]}"
    return answer.json["runId"]


def status_now(world, run, **options):
    answer = world.ask("GET", f"/api/eval/status/{run}?wait=0", **options)
    assert answer.status == 200, f"{answer.status}: {answer.body[:500]}"
    return answer.json


def results_now(world, run):
    """The names of evals with a result, in the order in which they came."""
    return [one["evalName"] for one in status_now(world, run)["results"]]


def finished(world, run, seconds=300, **options):
    """The run with its results, when it has come to its end."""
    end = time.monotonic() + seconds
    while True:
        answer = world.ask("GET", f"/api/runs/{run}", **options)
        assert answer.status == 200, f"{answer.status}: {answer.body[:500]}"
        if answer.json["run"]["status"] not in ("queued", "running"):
            return answer.json["run"]
        assert time.monotonic() < end, f"still {answer.json['run']['status']} after {seconds} s"
        world.ask("GET", f"/api/eval/status/{run}?wait=5", **options)


def routes_of(world):
    """Pairs of a method and a path with `{names}`, as the server itself lists them."""
    answer = world.ask("GET", "/api/openapi.json")
    assert answer.status == 200, f"{answer.status}: {answer.body[:500]}"
    return [(method.upper(), path) for path, methods in answer.json["paths"].items() for method in methods]


def memory_line(world, name):
    with open(f"/proc/{world.process.pid}/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name + ":"))


def peak_memory(world):
    """In MB, since the server was started."""
    return memory_line(world, "VmHWM")


@functools.cache
def is_sanitized():
    with open(os.environ["VIBE"], "rb") as program:
        return b"__asan_init" in program.read()


def allowed_memory(megabytes):
    """What a limit on memory is in a build whose sanitizers keep what was freed."""
    return megabytes * 3 + 300 if is_sanitized() else megabytes
