"""Writes Claude Code transcripts: for bench_logs.py. The same seed gives the same transcripts."""

import json
import pathlib
import random

LINES = [
    "src/server/handler.ts:118:  return respond(request, \"ok\");",
    "tests/test_parser.py::test_empty PASSED                                  [ 41%]",
    "   Compiling serde_json v1.0.128",
    "     7→\tconst std::size_t end = text.find('\\n');",
    "-rw-r--r-- 1 dev dev  4096 Mar  1 08:14 Makefile",
    "def read(path: pathlib.Path) -> dict[str, object]:",
    "    \"\"\"The text of a file, or an empty one.\"\"\"",
    "in café 😀, naïve text — as it is",
    "warning: unused variable: `count`",
    "{\"status\": \"done\", \"items\": [1, 2, 3]}",
    "",
]
WORDS = ("the parser now keeps what it has read so that a line which breaks off does not take the next "
         "one with it and the tests show `values_test.cpp` that this holds for every format").split()
TOOLS = ["Bash", "Read", "Edit", "Grep"]
MODEL = "claude-sonnet-4-5-20250929"


class Transcript:
    """One session: prompts, each with some calls and an answer."""

    def __init__(self, number, results, answers):
        self.random = random.Random(number)
        self.results, self.answers = results, answers
        self.session = self.uuid()
        self.parent = "null"
        self.millis = 0
        self.calls = self.failed = 0
        self.lines, self.size = [], 0

    def uuid(self):
        text = f"{self.random.getrandbits(128):032x}"
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"

    def add(self, kind, rest):
        self.millis += self.random.randrange(200, 4000)
        seconds = self.millis // 1000
        time = f"2026-03-01T{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        uuid = self.uuid()
        self.lines.append(
            f'{{"parentUuid":{self.parent},"isSidechain":false,"userType":"external","cwd":"/home/dev/project",'
            f'"sessionId":"{self.session}","version":"2.1.17","gitBranch":"main","type":"{kind}",{rest},'
            f'"uuid":"{uuid}","timestamp":"{time}.{self.millis % 1000:03}Z"}}\n')
        self.size += len(self.lines[-1])
        self.parent = f'"{uuid}"'

    def say(self, message, block):
        spent = self.random.randrange(1, 4000)
        self.add("assistant",
                 f'"message":{{"model":"{MODEL}","id":"{message}","type":"message","role":"assistant",'
                 f'"content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":10,'
                 f'"cache_creation_input_tokens":{spent},"cache_read_input_tokens":{spent * 7},'
                 f'"cache_creation":{{"ephemeral_5m_input_tokens":{spent},"ephemeral_1h_input_tokens":0}},'
                 f'"output_tokens":{spent % 500},"service_tier":"standard"}}}},"requestId":"req_{spent}"')

    def call(self, message):
        call = f"toolu_{self.random.getrandbits(96):024x}"
        self.say(message,
                 f'{{"type":"tool_use","id":"{call}","name":"{self.random.choice(TOOLS)}",'
                 f'"input":{{"command":"rg -n \\"parse\\" src | head -{self.calls}","description":"look for it"}}}}')
        result = self.random.choice(self.results)
        failed = self.random.random() < 0.04
        flag = ',"is_error":true' if failed else ""
        self.add("user",
                 f'"message":{{"role":"user","content":[{{"tool_use_id":"{call}","type":"tool_result",'
                 f'"content":"{result}"{flag}}}]}},'
                 f'"toolUseResult":{{"stdout":"{result}","stderr":"","interrupted":false,"isImage":false}}')
        self.calls += 1
        self.failed += failed

    def turn(self):
        self.add("user", f'"message":{{"role":"user","content":"{self.random.choice(self.answers)}"}}')
        for _ in range(self.random.randrange(1, 8)):
            message = f"msg_{self.random.getrandbits(96):024x}"
            self.say(message, f'{{"type":"text","text":"{self.random.choice(self.answers)}"}}')
            for _ in range(self.random.randrange(1, 4)):
                self.call(message)
        self.say(f"msg_{self.random.getrandbits(96):024x}",
                 f'{{"type":"text","text":"{self.random.choice(self.answers)}"}}')

    def write(self, folder, size):
        while self.size < size:
            self.turn()
        data = "".join(self.lines).encode()
        (folder / f"{self.session}.jsonl").write_bytes(data)
        return len(data)


def escaped(text):
    return json.dumps(text, ensure_ascii=False)[1:-1]


def make_transcripts(folder, count, size):
    """The number of bytes, calls and failed calls."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    rng = random.Random(5)
    results = [escaped("\n".join(rng.choices(LINES, k=rng.randrange(5, 80)))) for _ in range(200)]
    answers = [escaped(" ".join(rng.choices(WORDS, k=rng.randrange(10, 120)))) for _ in range(200)]
    total = calls = failed = 0
    for number in range(count):
        one = Transcript(number, results, answers)
        total += one.write(folder, size)
        calls += one.calls
        failed += one.failed
    return total, calls, failed
