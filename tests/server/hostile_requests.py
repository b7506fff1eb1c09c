"""Requests that nobody should send: a generator with a seed over bad lines, lengths, chunks, headers,
paths and bodies. Yields the bytes of one connection each."""

import json

VERBS = [b"GET", b"POST", b"PUT", b"DELETE", b"HEAD", b"OPTIONS", b"PATCH", b"TRACE", b"CONNECT", b"PRI", b"get",
         b"G\0T", b"GE T", b"\xff\xfe", b"", b"GET\t", b"A" * 300, b"A" * 70_000, b"{\"a\":1}", b"\x16\x03\x01\x02"]
VERSIONS = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/9.9", b"HTTP/1.", b"HTTP/11", b"http/1.1", b"",
            b"HTTP/1.1 HTTP/1.1", b"HTTP/-1.1", b"HTTP/1.1\0", b"FTP/1.1", b"HTTP/1.999999999999"]
LENGTHS = [b"-1", b"0x10", b"99999999999999999999", b"18446744073709551616", b"9223372036854775807", b"1, 2", b"+5",
           b"5 5", b"", b"five", b"\0", b"5\0", b"4294967297", b"16777217", b"1e3", b"0005"]
CHUNKS = [b"ffffffffffffffff\r\nx", b"-1\r\nx", b"g\r\nx", b"0x5\r\nhello\r\n0\r\n\r\n", b"10000000000000000\r\nx",
          b"5\nhello\n0\n\n", b"5\r\nhello0\r\n\r\n", b"5;" + b"a" * 3000 + b"\r\nhello\r\n0\r\n\r\n", b"\r\n\r\n",
          b"5;" + b"a" * 100_000 + b"\r\nhello\r\n0\r\n\r\n",
          b"5\r\nhel", b"0\r\nX-Trailer: 1\r\n\r\n", b"0\r\n" + b"X: 1\r\n" * 5000 + b"\r\n", b"2\r\n{}\r\n0\r\n\r\n",
          b"000000000000000000000002\r\n{}\r\n0\r\n\r\n", b"2 \r\n{}\r\n0\r\n\r\n"]
HEADERS = [b"NoColon", b": empty", b"Space : before", b"X: a\0b", b"X: a\rb", b"X: a\nX-Injected: b", b" folded: line",
           b"X: 1\r\n folded", b"X: " + b"a" * 40_000, b"X" * 40_000 + b": 1", b"X: \xff\xfe\xfd", b"\xc3\x28: 1",
           b"Host: a\r\nHost: b", b"Host:", b"Connection: \0", b"Connection: upgrade\r\nUpgrade: h2c",
           b"Expect: 200-maybe", b"Accept-Encoding: gzip;q=x, \xff", b"X-Request-Id: a\r\n\tb",
           b"Content-Encoding: gzip", b"Authorization: Basic ####", b"Authorization: Bearer \xff",
           b"Cookie: " + b"a=b; " * 2000, b"Range: bytes=-1-", b"\r\nX: after the end"] + [b"X: 1\r\n" * 3000 + b"Y: 1"]
PATHS = ["%", "%z", "%zz", "%00", "%0d%0aX-Injected:%201", "%ff%fe", "..", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", ".", "%2e",
         "a/../../../etc/passwd", "..%5c..%5c", "\\..\\", "//////", "%2f%2f", "a" * 8000, "a" * 100_000, "%c3%28",
         "%f0%9f%98%80", "%e2%80%ae", "list", "null", "0", "-1", "%7f", "%1b[31m", "'; DROP TABLE runs; --", "*",
         "%25%30%30", "a%2fb", "%", "\x7f", "\xff\xfe", "a b", "{}", ":id", "$(id)", "`id`"]
QUERIES = ["", "?", "?limit=-1", "?limit=99999999999999999999", "?limit=1e9", "?limit=%00", "?limit=1&limit=2",
           "?offset=-5", "?offset=9223372036854775808", "?sort=--", "?sort=id;drop", "?status=%ff", "?status=,,,",
           "?model__like=" + "%25" * 3000, "?model__like=" + "_%25" * 500, "?created_at__gte=yesterday", "?after=%00",
           "?after=" + "A" * 5000, "?score__gte=nan", "?score__lte=inf", "?total_cost__gte=1e999", "?%zz=1", "?=",
           "?&&&&", "?" + "a=1&" * 3000, "?wait=0", "?wait=-1", "?wait=nan&wait=0", "?x=" + "y" * 20_000,
           "?success_percentage__gte=%F0%9F%98%80", "?agent=%00&version=..", "?agent=../../x"]
WORDS = ["evalSuite", "yamlContent", "metadata", "name", "model", "evals", "prompt", "checks", "match", "formula",
         "value", "code", "threads", "system_prompt", "mcp_server", "url", "repeat", "score", "tags", "cases", "or",
         "llm_judge", "json", "exec", "file", "budget", "agent", "before", "after", "seed", "filter", "timeout",
         "min_score"]
TEXTS = ["", "a", "list", "\0", "\u202e", "\ud800", "é" * 50, "x" * 5000, "{{var('x')}}", "{{secret('k')}}", "{{",
         "*" * 60, "(a+)+$", "1 / 0", "((((((((((", "avg(latency", "../../etc/passwd", "a\r\nX-Injected: 1",
         "exec:sh -c id", "replay:/etc/passwd", "openai/gpt-4o-mini", "- a\n- b: [", "&a [*a, *a]", "!!python/object x",
         "\t- tab",
         "metadata: {name: x, model: exec:id}\nevals: [{prompt: a, checks: []}]"]
BODIES = [b"", b"\xef\xbb\xbf{}", b"nul", b'{"a": NaN}', b'{"a": 1,}', b"'a'", b"\0\0", b"{} {}", b"\xff\xfe",
          b'{"a": "\xff"}', b'{"a": 01}', b'"\\ud800"', b"--", b'{"name": "a\\u0000b", "value": "c"}']
ENCODINGS = [b"chunked", b"chunked\r\nContent-Length: 5", b"gzip, chunked", b"\xff", b"chunked, chunked"]
TYPES = [b"application/json"] * 9 + [b"text/plain", b"\xff", b"application/x-ndjson"]
NUMBERS = [0, -1, 1, 2**31, 2**53 + 1, 2**64, -2**63, 1e308, 1e-320, 0.1, 10**400]


def value(chance, depth=0):
    """Anything that JSON can say."""
    kind = chance.randrange(9 if depth < 5 else 6)
    if kind == 0:
        return None
    if kind == 1:
        return chance.choice([True, False])
    if kind == 2:
        return chance.choice(NUMBERS)
    if kind < 6:
        return chance.choice(TEXTS)
    if kind == 6:
        return [value(chance, depth + 1) for _ in range(chance.randrange(5))]
    return {chance.choice(WORDS): value(chance, depth + 1) for _ in range(chance.randrange(6))}


def suite(chance):
    """Nearly one: what is wrong with it is deep inside."""
    def perhaps(good):
        return value(chance, 3) if chance.random() < 0.15 else good
    one = {"prompt": perhaps("What?"), "checks": perhaps([{chance.choice(["match"] * 9 + WORDS): perhaps("*")}])}
    for key in chance.sample(WORDS, 2):
        one[key] = value(chance, 2)
    return {"metadata": perhaps({"name": perhaps("n"), "model": perhaps("openai/gpt-4o-mini"),
                                 "threads": perhaps(2)}), "evals": perhaps([one] * chance.randrange(3))}


def body(chance):
    """JSON, or nearly."""
    kind = chance.randrange(12)
    if kind == 0:
        return b"[" * chance.choice([10, 1000, 50_000])
    if kind == 1:
        return b"{\"a\":" * chance.choice([10, 1000, 50_000])
    if kind == 2:
        return chance.choice(BODIES)
    if kind == 3:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(2000)))
    if kind < 7:
        made = {"evalSuite": suite(chance)}
        if chance.random() < 0.5:
            made["yamlContent"] = chance.choice([json.dumps(made["evalSuite"]), chance.choice(TEXTS), 5])
        text = json.dumps(made)
    elif kind == 7:
        text = json.dumps({"name": chance.choice(TEXTS), "value": value(chance)})
    else:
        text = json.dumps(value(chance))
    raw = text.encode("utf-8", "surrogatepass")
    if kind == 11 and raw:  # a byte that is wrong
        at = chance.randrange(len(raw))
        raw = raw[:at] + bytes([chance.randrange(256)]) + raw[at + 1:]
    return raw


def path(chance, routes):
    """A route with something in the place of its parameters, or no route at all."""
    if chance.random() < 0.1:
        return "/" + chance.choice(PATHS)
    words = chance.choice(routes)[1].split("/")
    words = [chance.choice(PATHS + TEXTS[:4]) if word.startswith("{") else word for word in words]
    return ("/" if chance.random() < 0.1 else "") + "/".join(words) + chance.choice(QUERIES + [""] * 20)


def hostile(chance, routes, key):
    """The bytes of one connection. `routes` are pairs of a method and a path with `{names}`."""
    keyed = f"X-API-KEY: {key}\r\n".encode()
    target = path(chance, routes).encode("utf-8", "surrogatepass")
    kind = chance.randrange(10)
    if kind == 0:  # noise
        return bytes(chance.randrange(256) for _ in range(chance.randrange(1, 3000)))
    verb, version = b"GET", b"HTTP/1.1"
    if kind == 1:
        verb = chance.choice(VERBS)
    if kind == 2:
        version = chance.choice(VERSIONS)
    head = b"Host: a\r\n" + keyed
    if kind == 3:
        head += chance.choice(HEADERS) + b"\r\n"
    if kind == 4:
        length = chance.choice(LENGTHS)
        head += b"Content-Length: " + length + b"\r\n"
        if chance.random() < 0.3:
            head += b"Content-Length: 2\r\n"
        return b"POST " + target + b" HTTP/1.1\r\n" + head + b"\r\n{}"
    if kind == 5:
        head += b"Transfer-Encoding: " + chance.choice(ENCODINGS) + b"\r\n"
        return b"POST " + target + b" HTTP/1.1\r\n" + head + b"\r\n" + chance.choice(CHUNKS)
    if kind >= 6:  # a body that a route has to read
        method, where = chance.choice([route for route in routes if route[0] in ("POST", "PUT")])
        target = where.replace("{", "").replace("}", "").encode() if chance.random() < 0.7 else target
        sent = body(chance)
        head += b"Content-Type: " + chance.choice(TYPES) + b"\r\nContent-Length: %d\r\n" % len(sent)
        return method.encode() + b" " + target + b" HTTP/1.1\r\n" + head + b"\r\n" + sent
    whole = verb + b" " + target + b" " + version + b"\r\n" + head + b"\r\n"
    if chance.random() < 0.1:  # cut off anywhere
        whole = whole[:chance.randrange(1, len(whole))]
    return whole
