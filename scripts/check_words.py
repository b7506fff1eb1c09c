#!/usr/bin/python3
"""Finds phrases that CONTRIBUTING's section on wording advises against.

Usage: check_words.py [FILE...]     by default the sources, scripts and pages of the project

Looks at the comments and string literals of C++, at the comments of YAML, CMake and shell scripts, at what the scripts
print with `say '…'`, and at the running text of Markdown (not at its code blocks or quoted code). Prints every phrase
as file:line with what to write instead, and exits 1 if there is one. Examples of bad wording in CONTRIBUTING.md are
skipped.
"""

import os
import re
import sys

# Pattern -> what to write instead. All ignore case.
PHRASES = [
    (r"(?<!there )(?<!or )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|better\b|worse\b|matter\b|different\b)",
     "is not a"),
    (r"\bnames no\b", "does not name a"),
    (r"\b(?:server|servers|call|calls|result|results) of (?:a |the )?tools?\b", "tool server, tool call, tool result"),
    (r"\blogs? of (?:an? |the )?agents?\b", "agent log"),
    (r"\b(?:config|configurations?|results?|logs?) of (?:promptfoo|inspect)\b", "a promptfoo config"),
    (r"(?:^|[.!?:] )That (?:an?|the|it|no|there)\b", "the subject first: vibe checks that …"),
    (r"(?:^|[.!?;] )(?-i:Where) (?!to\b|it comes from\b)[^?.:]*,", "if, when"),
    (r"\b(?-i:[Ww]here) (?:there (?:is|are|was|were)|it (?:has|can|does)|none|nothing|neither|not)\b", "if, when"),
    (r"\bso many\b", "N"),
    (r"\b(?:is|are|was|be) told (?:by|from)\b", "is recognised by"),
    (r"\b(?:stands?|stood|lies?|lay) (?:in|beside|there|behind|between|before|at|under|below|above)\b", "is, is in"),
    (r"\b(?:go|goes|going|gone|went) on with\b", "continues, resumes"),
    (r"\b(?:dearest|dearer|reckon(?:s|ed|ing)?|anew|whoever|whomever|mend(?:s|ed|ing)?)\b",
     "most expensive, estimate, again, the operator, fix"),
    (r"\bwill do\b", "is enough"),
    (r"\bof (?:yours|your own)\b", "your, your own"),
    (r"\bof (?:one's|its|their) own(?=$|[.,;:)])", "custom, its own, their own"),
    (r"\bit is (?:waited|looked|asked|gone|begun|ended|said)\b", "vibe waits"),
    (r", too(?=$|[.,;:)])", "also, before the verb"),
    (r"\bfor the \d+\. time\b", "a second time"),
    (r"\bany sum\b", "unlimited"),
    (r"\bfor want of\b|\bdo not suffice\b|\bdoes not suffice\b", "without, not enough"),
]
PHRASES = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in PHRASES]

CPP = re.compile(r'R"(?P<mark>[^(\s]*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<text>(?:[^"\\\n]|\\.)*)"'
                 r"|'(?:[^'\\\n]|\\.)+'|//(?P<comment>[^\n]*)", re.DOTALL)
MOST_SHOWN = 40
# Files whose bytes must stay as they are.
FROZEN = {
    "data/rubric.yaml": "scores are stored with the hash of its text",
    "src/check/opinion.cpp": "recorded answers are found by the text of the judge's prompt",
}
ROOTS = ["src", "docs", "examples", "scripts", "cmake", "data", "bench", "fuzz", "simulation", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
         "CHANGELOG.md", "CMakeLists.txt", "Makefile"]


def cpp_texts(source):
    """(line, text) of each comment and string; what continues on the next line is one text."""
    out = []
    for match in CPP.finditer(source):
        kind = "comment" if match["comment"] is not None else "text"
        text = match["comment"] if kind == "comment" else match["raw"] if match["raw"] is not None else match["text"]
        if text is None:
            continue
        begin = source.count("\n", 0, match.start()) + 1
        if out:
            last_kind, pieces, end = out[-1]
            between = source[end:match.start()]
            if kind == last_kind and between.strip() == "" and between.count("\n") <= 1:
                pieces.append((begin, text.strip() if kind == "comment" else text))
                out[-1] = (kind, pieces, match.end())
                continue
        out.append((kind, [(begin, text.strip() if kind == "comment" else text)], match.end()))
    return [(pieces, " " if kind == "comment" else "") for kind, pieces, _ in out]


def markdown_texts(source, is_guide):
    """Paragraphs, list items and cells; without code."""
    out, pieces, in_code, in_table = [], [], False, False
    for number, line in enumerate(source.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("```"):
            in_code = not in_code
        in_table = bare.startswith("|") and (in_table or bool(re.match(r"\|\s*before\s*\|", bare)) and is_guide)
        is_break = not bare or bare.startswith(("#", "|", "- ", "* ", "```", "1. ", ">")) or in_code
        if is_break and pieces:
            out.append((pieces, " "))
            pieces = []
        if bare and not in_code and not in_table and not bare.startswith("```"):
            text = re.sub(r"`[^`]*`", "`x`", bare)
            pieces.append((number, re.sub(r'"[^"]*"', '"x"', text) if is_guide else text))
            if bare.startswith("|"):
                out.append((pieces, " "))
                pieces = []
    return out + ([(pieces, " ")] if pieces else [])


def hash_texts(source):
    out = []
    for number, line in enumerate(source.split("\n"), 1):
        match = re.search(r"(?:^|\s)#\s?(.*)", line)
        if match:
            out.append(([(number, match[1])], " "))
    return out


def shell_texts(source):
    """The comments, and the texts that scripts print with `say`."""
    out = hash_texts(source)
    for match in re.finditer(r"^\s*say '([^']*)'", source, re.MULTILINE):
        begin = source.count("\n", 0, match.start(1)) + 1
        out.append(([(begin + i, line.strip()) for i, line in enumerate(match[1].split("\n"))], " "))
    return out


def texts_of(path, source):
    if path.endswith((".h", ".cpp", ".c")):
        return cpp_texts(source)
    if path.endswith(".md"):
        return markdown_texts(source, os.path.basename(path) == "CONTRIBUTING.md")
    return shell_texts(source) if path.endswith(".sh") else hash_texts(source)


def place(pieces, joint, offset):
    for line, text in pieces:
        if offset <= len(text):
            return line
        offset -= len(text) + len(joint)
    return pieces[-1][0]


def problems_of(path, source):
    for pieces, joint in texts_of(path, source):
        text = joint.join(piece for _, piece in pieces)
        for pattern, instead in PHRASES:
            for match in pattern.finditer(text):
                found = " ".join(match[0].split())
                shown = found if len(found) <= MOST_SHOWN else found[:MOST_SHOWN] + "…"
                yield place(pieces, joint, match.start()), f"`{shown}`: write `{instead}`"


def files_below(root):
    if os.path.isfile(root):
        yield root
    for directory, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in ("corpus", "__pycache__"))
        for name in sorted(names):
            if name.endswith((".h", ".cpp", ".c", ".md", ".yaml", ".cmake", ".sh")) or name == "CMakeLists.txt":
                yield os.path.join(directory, name)


def main(arguments):
    if not arguments:
        os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    files = [file for root in arguments or ROOTS for file in files_below(root) if file not in FROZEN]
    count = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            for line, problem in sorted(problems_of(path, file.read())):
                print(f"{path}:{line}: {problem}")
                count += 1
    print(f"words: {len(files)} files, {count} phrases to change")
    return 1 if count or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
