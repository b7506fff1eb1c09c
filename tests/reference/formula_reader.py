"""Reads a scoring formula: the lexer and parser of the reference implementation.

It judges only what reading needs (syntax, names, functions, arguments); it does not look for
certain divisions by zero, warnings or limits.
"""

import math
import re

KEYWORDS = ("and", "or", "not")
COLUMNS = ("passed", "latency", "cost", "prompt_tokens", "completion_tokens", "total_tokens",
           "output_quality", "structure_score", "fitness")
RUN_WIDE = tuple(
    f"{how}_{what}" for what in ("latency", "cost") for how in ("max", "min", "avg", "total")
) + ("success_pct",)

# Scalar functions: least and greatest number of arguments.
SCALAR_ARITY = {
    "min": (1, 64), "max": (1, 64), "abs": (1, 1), "sqrt": (1, 1), "log": (1, 1), "log2": (1, 1),
    "log10": (1, 1), "exp": (1, 1), "floor": (1, 1), "ceil": (1, 1), "round": (1, 2),
    "pow": (2, 2), "clamp": (3, 3), "if": (3, 3), "default": (2, 2),
}
COLUMN_FUNCTIONS = ("mean", "sum", "median", "stddev", "percentile", "count")

WHITE = " \t\r\n"
RUN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
ARITHMETIC_NAME = re.compile(r"[0-9]+(?:[eE][0-9]+)?(?:-[0-9]+(?:[eE][0-9]+)?)+")
WORD_CHARACTER = re.compile(r"[A-Za-z0-9_]")
LETTER = re.compile(r"[A-Za-z_]")
OPERATORS = ("<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ",")


class SyntaxProblem(Exception):
    """The text is no formula over these names."""


class Names:
    """The names a formula may use. Braces reach every eval and metric, a bare word only some."""

    def __init__(self, evals, metrics):
        self.evals = set(evals)
        self.metrics = set(metrics)
        self.derived = {n + s: (n, s) for n in evals for s in ("_latency", "_cost")}
        plain = {n for n in self.evals | self.metrics
                 if not n.startswith("-") and not n.endswith("-")
                 and not ARITHMETIC_NAME.fullmatch(n)}
        self.bare = plain | set(self.derived) | set(RUN_WIDE) | set(KEYWORDS)

    def resolve(self, word):
        """The tree node of a known bare word that is no keyword."""
        if word in RUN_WIDE:
            return ("run_wide", word)
        if word in self.metrics:
            return ("metric", word)
        if word in self.evals:
            return ("eval", word, "")
        return ("eval",) + self.derived[word]


# --- lexer -------------------------------------------------------------------------------------

def tokenize(text, names):
    """A list of (kind, value); kinds: number word unknown function keyword string brace op end."""
    tokens = []
    at = 0
    while at < len(text):
        c = text[at]
        if c in WHITE:
            at += 1
        elif WORD_CHARACTER.match(c):
            token, at = read_word(text, at, names)
            tokens.append(token)
        elif c == "." and NUMBER.match(text, at):
            end = NUMBER.match(text, at).end()
            if LETTER.match(text, end):
                raise SyntaxProblem("malformed number")
            tokens.append(("number", number(text[at:end])))
            at = end
        elif c == '"':
            end = text.find('"', at + 1)
            if end < 0 or "\n" in text[at:end] or "\r" in text[at:end]:
                raise SyntaxProblem("unterminated string")
            tokens.append(("string", text[at + 1:end]))
            at = end + 1
        elif c == "{":
            token, at = read_brace(text, at, names)
            tokens.append(token)
        else:
            op = next((o for o in OPERATORS if text.startswith(o, at)), None)
            if op is None:
                raise SyntaxProblem(f"unexpected {c!r}")
            tokens.append(("op", op))
            at += len(op)
    tokens.append(("end", ""))
    return tokens


def number(text):
    value = float(text)
    if math.isinf(value):
        raise SyntaxProblem(f"number {text} overflows")
    return value


def read_word(text, at, names):
    """Applies the hyphen rule where a run starts; returns the token and where it ends."""
    run = RUN.match(text, at).group()
    rest = text[at + len(run):].lstrip(WHITE)
    if rest.startswith("("):
        before, hyphen, last = run.rpartition("-")
        if last not in KEYWORDS and not NUMBER.fullmatch(last):
            if not hyphen:
                return ("function", last), at + len(run)
            run = before.rstrip("-")

    candidates = []  # (end, token)
    literal = NUMBER.match(text, at)
    if literal and not LETTER.match(text, literal.end()):
        candidates.append((literal.end(), ("number", literal.group())))
    ends = [i for i, c in enumerate(run) if c == "-"] + [len(run)]
    for end in ends:
        word = run[:end]
        if word in names.bare and text[at + end:at + end + 1] != ".":
            kind = "keyword" if word in KEYWORDS else "word"
            candidates.append((at + end, (kind, word)))
    if not candidates:
        return ("unknown", run), at + len(run)
    end, (kind, value) = max(candidates)
    return (kind, number(value) if kind == "number" else value), end


def read_brace(text, at, names):
    close = text.find("}", at)
    name = text[at + 1:close]
    if close < 0 or name not in names.evals | names.metrics:
        raise SyntaxProblem("no eval or metric in braces")
    end = close + 1
    for suffix in ("_latency", "_cost"):
        if text.startswith(suffix, end) and not WORD_CHARACTER.match(text, end + len(suffix)):
            if name not in names.evals:
                raise SyntaxProblem(f"metric {name} has no {suffix}")
            return ("brace", ("eval", name, suffix)), end + len(suffix)
    node = ("eval", name, "") if name in names.evals else ("metric", name)
    return ("brace", node), end


# --- parser ------------------------------------------------------------------------------------
# Nodes: ("number", x) ("run_wide", name) ("eval", name, suffix) ("metric", name)
#        ("call", function, [nodes]) for operators and scalar functions alike
#        ("aggregate", function, column, p's node or None, glob or None)

class Parser:
    def __init__(self, text, names):
        self.names = names
        self.tokens = tokenize(text, names)
        self.at = 0
        self.computed_constant = False  # a constant argument that is more than a literal

    def parse(self):
        node = self.parse_or()
        self.expect("end", "")
        return node

    def peek(self, *ops):
        kind, value = self.tokens[self.at]
        return kind in ("op", "keyword") and value in ops

    def take(self):
        token = self.tokens[self.at]
        self.at += 1
        return token

    def expect(self, kind, value):
        if self.tokens[self.at] != (kind, value):
            raise SyntaxProblem(f"expected {value or kind}, got {self.tokens[self.at]}")
        self.at += 1

    def chain(self, operand, *ops):
        node = operand()
        while self.peek(*ops):
            op = self.take()[1]
            node = ("call", op, [node, operand()])
        return node

    def parse_or(self):
        return self.chain(self.parse_and, "or")

    def parse_and(self):
        return self.chain(self.parse_not, "and")

    def parse_not(self):
        if self.peek("not"):
            self.take()
            return ("call", "not", [self.parse_not()])
        return self.parse_comparison()

    def parse_comparison(self):
        comparisons = ("<", "<=", ">", ">=", "==", "!=")
        node = self.parse_sum()
        if self.peek(*comparisons):
            op = self.take()[1]
            node = ("call", op, [node, self.parse_sum()])
            if self.peek(*comparisons):
                raise SyntaxProblem("chained comparison")
        return node

    def parse_sum(self):
        return self.chain(self.parse_term, "+", "-")

    def parse_term(self):
        return self.chain(self.parse_unary, "*", "/")

    def parse_unary(self):
        if self.peek("-", "+"):
            op = self.take()[1]
            return ("call", "negate" if op == "-" else "plus", [self.parse_unary()])
        return self.parse_power()

    def parse_power(self):
        node = self.parse_atom()
        if self.peek("^"):
            self.take()
            return ("call", "^", [node, self.parse_unary()])
        return node

    def parse_atom(self):
        kind, value = self.take()
        if kind == "number":
            return ("number", value)
        if kind == "word":
            return self.names.resolve(value)
        if kind == "brace":
            return value
        if kind == "function":
            return self.parse_call(value)
        if (kind, value) == ("op", "("):
            node = self.parse_or()
            self.expect("op", ")")
            return node
        raise SyntaxProblem(f"expected a value, got {kind} {value!r}")

    def parse_call(self, function):
        self.expect("op", "(")
        if function in COLUMN_FUNCTIONS or function == "pass_rate" or self.column_form(function):
            return self.parse_aggregate(function)
        if function not in SCALAR_ARITY:
            raise SyntaxProblem(f"unknown function {function}")
        arguments = [self.parse_or()]
        while self.peek(","):
            self.take()
            arguments.append(self.parse_or())
        self.expect("op", ")")
        least, greatest = SCALAR_ARITY[function]
        if not least <= len(arguments) <= greatest:
            raise SyntaxProblem(f"{function} with {len(arguments)} arguments")
        if function == "round" and len(arguments) == 2:
            self.constant(arguments[1], 15, whole=True)
        return ("call", function, arguments)

    def column_form(self, function):
        """Whether a `min(` or `max(` just opened is the one over a column."""
        if function not in ("min", "max") or not self.at_column():
            return False
        following = self.tokens[self.at + 1]
        if following == ("op", ")"):
            return self.tokens[self.at][1] not in self.names.bare
        return following == ("op", ",") and self.tokens[self.at + 2][0] == "string"

    def at_column(self):
        kind, value = self.tokens[self.at]
        return kind in ("word", "unknown") and value in COLUMNS

    def parse_aggregate(self, function):
        column, p, glob = "passed", None, None
        if function == "pass_rate":
            glob = self.parse_string()
        else:
            if not self.at_column():
                raise SyntaxProblem(f"{function} needs a column")
            column = self.take()[1]
            if function == "percentile":
                self.expect("op", ",")
                p = self.constant(self.parse_or(), 100)
            if self.peek(","):
                self.take()
                glob = self.parse_string()
        self.expect("op", ")")
        return ("aggregate", "mean" if function == "pass_rate" else function, column, p, glob)

    def parse_string(self):
        kind, value = self.take()
        if kind != "string":
            raise SyntaxProblem(f"expected a string, got {value!r}")
        return value

    def constant(self, node, greatest, whole=False):
        """Accepts a literal from 0 to greatest, or a computation over numbers alone."""
        if node[0] == "number":
            if node[1] > greatest or (whole and node[1] != int(node[1])):
                raise SyntaxProblem(f"constant must lie in 0 to {greatest}")
            return node
        self.computed_constant = True
        if any(n[0] not in ("number", "call") for n in walk(node)):
            raise SyntaxProblem("not a constant")
        return node


def walk(node):
    """The node and every one below it."""
    yield node
    if node[0] == "call":
        for argument in node[2]:
            yield from walk(argument)
