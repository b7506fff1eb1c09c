#!/usr/bin/python3
"""Checks the direction of includes in src/, and that each library stays in its one place.

Usage: check_layers.py [ROOT]            every include, and that nothing in the tables below is unused
       check_layers.py --includes ROOT   the includes alone
       check_layers.py --table [NAME]    prints the tables of ARCHITECTURE.md: folders, targets, libraries
       check_layers.py --update          writes them into ARCHITECTURE.md

ROOT holds src/ and ARCHITECTURE.md; by default the project itself. Prints what is wrong as file:line, and exits 1
if there is anything.
"""

import fnmatch
import os
import re
import sys
from typing import NamedTuple


class Folder(NamedTuple):
    job: str
    may_include: list  # the folders whose headers it may include, besides its own


# Each is below those that may include it.
FOLDERS = {
    "base": Folder(
        "diagnostics, text, files, processes, JSON, YAML with source positions, key tables, Markdown; "
        "knows nothing about evals", []),
    "formula": Folder("formula text → tokens → tree → checked program → value, explanation. Pure", ["base"]),
    "score": Folder("`Run`, `Result` and `Finding` as plain data; samples → metrics → score. Pure", ["base", "formula"]),
    "statistics": Folder(
        "samples and a formula → draws, intervals, tests of differences; the same bytes on every machine. Pure",
        ["base", "formula", "score"]),
    "price": Folder("model names → prices, token costs; `data/prices.csv` is embedded at build time", ["base"]),
    "tokens": Folder(
        "text → o200k_base tokens; the vocabulary is read-only data in the program. Pure", ["base"]),
    "embed": Folder(
        "text → embedding, by a small transformer; its weights are read-only data in the program. Pure", ["base"]),
    "model": Folder(
        "one file for each provider: prompt → answer, tokens, cost; embedders; the HTTP client; tool servers; "
        "recordings", ["base", "price", "embed"]),
    "check": Folder(
        "one file for each family of checks: validates their YAML, applies them to a response, builds the prompts "
        "for judge models. Pure; of `model/` it uses the data types", ["base", "score", "tokens", "model"]),
    "config": Folder(
        "the environment, `.env` and the configuration files → settings", ["base", "price", "model", "check"]),
    "suite": Folder("YAML text → `Suite`, all diagnostics at once", ["base", "formula", "check"]),
    "results": Folder(
        "one file for each results format, ours and those of other tools: bytes → samples", ["base", "formula", "score"]),
    "import": Folder("configs of other tools → the text of a suite", ["base", "formula", "check"]),
    "trace": Folder(
        "one file or folder for each agent log format: bytes of any size → `Execution`",
        ["base", "price"]),
    "fitness": Folder(
        "`Execution` → signals → score and grade, by a rubric; scores → trend, decision, fitted weights. Pure; "
        "`data/rubric.yaml` is embedded at build time", ["base", "formula", "score", "trace"]),
    "run": Folder(
        "suite × model → results: plan, requests in flight, budget, redaction; uses neither store nor terminal",
        ["base", "formula", "score", "price", "tokens", "model", "check", "suite", "fitness"]),
    "store": Folder(
        "stores suites, runs, results, variables, secrets, executions and the queue; organisations and their API "
        "keys. Narrow interfaces, SQLite behind them", ["base", "score", "fitness"]),
    "wire": Folder(
        "what programs read: the API's JSON, written and parsed, and CSV, from the field tables of the structs",
        ["base", "formula", "score", "statistics", "model", "trace", "fitness", "store"]),
    "report": Folder(
        "what people read: one file for each output (tables, HTML, JUnit, …); returns text",
        ["base", "formula", "score", "statistics", "model", "check", "suite", "trace", "fitness", "store", "wire"]),
    "remote": Folder(
        "client of a server: its archive and its runs, over HTTP",
        ["base", "score", "model", "store", "wire"]),
    "app": Folder(
        "one file for each use case, in folders for suites, runs, agents and the team; returns data, prints nothing",
        ["base", "formula", "score", "price", "model", "check", "config", "suite", "results", "import", "trace",
         "fitness", "statistics", "run", "store", "remote"]),
    "server": Folder(
        "HTTP → a use case, and back: routes, authorisation, limits, the access log",
        ["base", "score", "config", "fitness", "store", "wire", "app"]),
    "cli": Folder(
        "command line → a use case, and back; the only place that prints",
        ["base", "formula", "score", "statistics", "config", "store", "wire", "report", "app", "server"]),
}


class Target(NamedTuple):
    job: str
    files: list  # in src/, without `.h` and `.cpp`; a file is in the first target that names it
    uses: list  # the targets below it, whose headers and libraries it may include
    libraries: list  # that it may include besides


# The libraries that CMakeLists.txt makes; it has the same lists of files.
TARGETS = {
    "vibe_core": Target(
        "formulas and scores, for other programs to embed",
        ["base/codes", "base/decimal", "base/diagnostic", "base/json", "base/random", "base/shape", "base/sort",
         "base/source", "base/text", "formula/*", "score/*", "statistics/*"],
        [], ["fmt", "tl::expected", "utf8proc"]),
    "vibe_agents": Target(
        "agent logs → executions → fitness",
        ["base/fields", "base/file", "base/first_failure", "base/json_*", "base/known", "base/lines", "base/markdown",
         "base/shape_json", "base/time", "base/unpack", "base/unpacker", "base/workers", "base/yaml*", "base/zip",
         "price/*", "trace/*", "fitness/*"],
        ["vibe_core"], ["libyaml", "md4c", "simdjson", "tree-sitter", "zlib", "zstd"]),
    "vibecheck": Target(
        "everything else", ["*"],
        ["vibe_core", "vibe_agents"], ["libcurl", "libmicrohttpd", "libsodium", "RE2", "SQLite"]),
}


class Library(NamedTuple):
    headers: list  # a folder ends in `/`
    places: list  # the files, or folders, that may include them


LIBRARIES = {
    "fmt": Library(["fmt/"], ["src/"]),
    "tl::expected": Library(["tl/"], ["src/"]),
    "libyaml": Library(["yaml.h"], ["src/base/yaml.cpp"]),
    "utf8proc": Library(["utf8proc.h"], ["src/base/text.cpp"]),
    "simdjson": Library(["simdjson.h"], ["src/base/json_dom.cpp", "src/suite/cases_jsonl.cpp",
                                         "src/trace/hook/event.cpp"]),
    "libsodium": Library(["sodium.h"], ["src/base/crypto.cpp"]),
    "libcurl": Library(["curl/"], ["src/model/curl.h"]),
    "SQLite": Library(["sqlite3.h"], ["src/store/"]),
    "RE2": Library(["re2/"], ["src/check/pattern.cpp"]),
    "libmicrohttpd": Library(["microhttpd.h"], ["src/server/mhd.h"]),
    "zlib": Library(["zlib.h"], ["src/base/gzip.cpp", "src/base/unpacker.cpp", "src/base/zip.cpp"]),
    "zstd": Library(["zstd.h", "zstd_errors.h"], ["src/base/unpacker.cpp"]),
    "md4c": Library(["md4c.h"], ["src/base/markdown.cpp"]),
    "tree-sitter": Library(["tree_sitter/"], ["src/fitness/syntax.cpp"]),
}

# Made by the build.
GENERATED = {"vibe_version.h": "src/cli/version.cpp"}

# The C library and POSIX, which come with the system.
SYSTEM = re.compile(r"(sys|net|netinet|arpa)/\w+\.h|linux/\w+\.h"
                    r"|(dirent|dlfcn|emmintrin|immintrin|errno|fcntl|fenv|glob|limits|math|netdb|poll|pthread|pwd|signal|spawn"
                    r"|malloc|stdint|stdio|stdlib|string|termios|time|unistd|wchar|locale|langinfo)\.h")

SOURCE = (".h", ".hpp", ".cpp", ".cc", ".inc")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def listed(names):
    return ", ".join(f"`{name}`" for name in names)


def is_in(path, places):
    return any(path == place or (place.endswith("/") and path.startswith(place)) for place in places)


def library_of(header):
    return next((name for name, library in LIBRARIES.items() if is_in(header, library.headers)), None)


def target_of(path):
    """The target of a path from src/."""
    stem = os.path.splitext(path)[0]
    return next(name for name, target in TARGETS.items()
                if any(fnmatch.fnmatchcase(stem, pattern) for pattern in target.files))


class Include(NamedTuple):
    path: str  # of the file that has it, from the root
    number: int  # of its line
    is_quoted: bool
    header: str

    @property
    def folder(self):
        return self.path.split("/")[1]

    @property
    def target(self):
        return target_of(self.path.removeprefix("src/"))

    @property
    def included_folder(self):
        """A folder of src/, or None."""
        first = self.header.split("/")[0]
        return first if "/" in self.header and first in FOLDERS else None


def find_sources(root):
    found = []
    for directory, _, names in os.walk(os.path.join(root, "src")):
        found += [os.path.relpath(os.path.join(directory, name), root) for name in names if name.endswith(SOURCE)]
    return sorted(found)


def read_includes(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield Include(path, number, match[1] == '"', match[2])


def problem_of_ours(include):
    """What is wrong with an include of a header in src/, or None."""
    folder, header, target = include.folder, include.header, include.target
    if not include.is_quoted:
        return f'`<{header}>` is ours; write `#include "{header}"`'
    allowed = FOLDERS[folder].may_include
    if include.included_folder not in [folder, *allowed]:
        return f"`{folder}` includes `{header}`; it may include {listed(allowed) or 'nothing else'}"
    if target_of(header) not in [target, *TARGETS[target].uses]:
        return (f"`{header}` is in `{target_of(header)}`, which `{target}` must not need; "
                "include something else, or change the lists of files in scripts/check_layers.py and CMakeLists.txt")
    return None


def problem_of_library(include, library):
    """What is wrong with an include of a library's header, or None."""
    places = LIBRARIES[library].places
    if not is_in(include.path, places):
        return f"`{include.header}` may be included only in {' and '.join(places)}"
    target = TARGETS[include.target]
    if not any(library in TARGETS[name].libraries for name in [include.target, *target.uses]):
        return f"`{include.target}` must not need {library}"
    return None


def problem_of(include):
    """What is wrong with an include, or None."""
    if include.included_folder:
        return problem_of_ours(include)
    header = include.header
    if header in GENERATED:
        return None if include.path == GENERATED[header] else f"`{header}` may be included only in {GENERATED[header]}"
    library = library_of(header)
    if library:
        return problem_of_library(include, library)
    if include.is_quoted:
        return f'`"{header}"` is not a path from src/; write `"{include.folder}/{header}"`'
    is_standard = re.fullmatch(r"[a-z_0-9]+", header) is not None
    if not is_standard and not SYSTEM.fullmatch(header):
        return f"`{header}` is of a library without a row in scripts/check_layers.py"
    return None


def check_includes(root, paths):
    """Returns all includes, and what is wrong with files and includes."""
    includes, problems = [], []
    for path in paths:
        parts = path.split("/")
        if len(parts) == 2:
            problems.append(f"{path}:1: is in no folder of src/")
        elif parts[1] not in FOLDERS:
            problems.append(f"{path}:1: `{parts[1]}` has no row in scripts/check_layers.py")
        else:
            for include in read_includes(root, path):
                includes.append(include)
                problem = problem_of(include)
                if problem:
                    problems.append(f"{path}:{include.number}: {problem}")
    return includes, problems


def row_place(key):
    """Where the row of a table is in this file."""
    with open(__file__, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith(f'    "{key}": '):
                return f"scripts/check_layers.py:{number}"
    return "scripts/check_layers.py"


def unused_rows(paths, includes):
    """What the tables allow and nothing uses."""
    pairs = {(include.folder, include.included_folder) for include in includes}
    for name, folder in FOLDERS.items():
        unused = [other for other in folder.may_include if (name, other) not in pairs]
        if unused:
            yield f"{row_place(name)}: no file of src/{name}/ includes {listed(unused)}; remove it from the row"
    of_libraries = [(include, library_of(include.header)) for include in includes]
    for name, library in LIBRARIES.items():
        users = [include.path for include, used in of_libraries if used == name]
        unused = [place for place in library.places if not any(is_in(path, [place]) for path in users)]
        if unused:
            yield f"{row_place(name)}: {name} is not included in {listed(unused)}; remove it from the row"
    stems = [os.path.splitext(path.removeprefix("src/"))[0] for path in paths]
    for name, target in TARGETS.items():
        unused = [pattern for pattern in target.files if not fnmatch.filter(stems, pattern)]
        if unused:
            yield f"{row_place(name)}: src/ has no file {listed(unused)}; remove it here and from CMakeLists.txt"
        used = {library for include, library in of_libraries if include.target == name}
        unused = [library for library in target.libraries if library not in used]
        if unused:
            yield f"{row_place(name)}: no file of `{name}` includes {listed(unused)}; remove it from the row"


def folder_table():
    yield from ("| folder | its one job | may include |", "|---|---|---|")
    for name, folder in FOLDERS.items():
        yield f"| `src/{name}/` | {folder.job} | {', '.join(folder.may_include) or '–'} |"


def target_table():
    yield from ("| target | contents | files of `src/` | needs |", "|---|---|---|---|")
    for name, target in TARGETS.items():
        folders = dict.fromkeys(f"part of `{folder}/`" if rest != "*" else f"`{folder}/`"
                                for folder, _, rest in (pattern.partition("/") for pattern in target.files) if rest)
        yield (f"| `{name}` | {target.job} | {', '.join(folders) or 'all others'} | "
               f"{', '.join([*target.uses, *target.libraries])} |")


def library_table():
    yield from ("| library | included only by |", "|---|---|")
    for name, library in LIBRARIES.items():
        yield f"| {name} | {listed(place.removeprefix('src/') or 'src/' for place in library.places)} |"


TABLES = {"folders": folder_table, "targets": target_table, "libraries": library_table}
MARKED = re.compile(rf"(<!-- table: ({'|'.join(TABLES)}) -->\n)(.*?)(<!-- end -->)", re.S)


def with_tables(text):
    """The text with each table between its marks."""
    return MARKED.sub(lambda match: match[1] + "\n".join(TABLES[match[2]]()) + "\n" + match[4], text)


def read_map(root):
    path = os.path.join(root, "ARCHITECTURE.md")
    with open(path, encoding="utf-8") as file:
        return path, file.read()


def problems_of_map(root):
    _, text = read_map(root)
    for name in TABLES:
        if f"<!-- table: {name} -->\n" not in text:
            yield f"ARCHITECTURE.md:1: has no table `{name}`; add `<!-- table: {name} -->` and `<!-- end -->`"
    if with_tables(text) != text:
        yield "ARCHITECTURE.md:1: its tables are out of date; run `scripts/check_layers.py --update`"


def check(root, includes_alone):
    paths = find_sources(root)
    if not paths:
        print("layers: no sources found")
        return 1
    includes, problems = check_includes(root, paths)
    if not includes_alone:
        problems += [*unused_rows(paths, includes), *problems_of_map(root)]
    for problem in problems:
        print(problem)
    print(f"layers: {len(paths)} files, {len(problems)} wrong")
    return 1 if problems else 0


def main(arguments):
    if arguments[:1] == ["--table"]:
        for name in arguments[1:] or TABLES:
            print("\n".join(TABLES[name]()))
        return 0
    if arguments == ["--update"]:
        path, text = read_map(PROJECT)
        with open(path, "w", encoding="utf-8") as file:
            file.write(with_tables(text))
        return 0
    if arguments[:1] == ["--includes"]:
        return check(arguments[1], includes_alone=True)
    return check(arguments[0] if arguments else PROJECT, includes_alone=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
