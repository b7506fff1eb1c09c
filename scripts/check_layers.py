#!/usr/bin/python3
"""Checks the direction of includes in src/, and that each library stays in its one place.

Usage: check_layers.py [ROOT]     ROOT holds src/; by default the project itself

Prints every include against the tables below, as file:line, and exits 1 if there is one.
"""

import os
import re
import sys

# Folder of src/ -> the folders whose headers it may include, besides its own.
LAYERS = {
    "base": [],
    "formula": ["base"],
    "price": ["base"],
    "tokens": ["base"],
    "embed": ["base"],
    "model": ["base", "price", "embed"],
    "check": ["base", "price", "tokens", "model"],
    "config": ["base", "price", "model", "check"],
    "suite": ["base", "formula", "check"],
    "score": ["base", "formula", "check", "suite"],
    "results": ["base", "formula", "score"],
    "import": ["base", "formula", "check"],
    "trace": ["base", "price"],
    "fitness": ["base", "formula", "score", "trace"],
    "run": ["base", "formula", "price", "tokens", "model", "check", "suite", "score", "trace", "fitness"],
    "store": ["base", "check", "formula", "score", "trace", "fitness"],
    "wire": ["base", "formula", "model", "check", "score", "trace", "fitness", "store"],
    "report": ["base", "formula", "model", "check", "suite", "score", "trace", "fitness", "store", "wire"],
    "app": ["base", "formula", "price", "tokens", "model", "check", "config", "suite", "score",
            "results", "import", "run", "trace", "fitness", "store", "remote"],
    "remote": ["base", "formula", "model", "check", "score", "trace", "fitness", "store", "wire"],
    "server": ["base", "formula", "config", "score", "fitness", "store", "wire", "report", "app"],
    "cli": ["base", "formula", "config", "score", "fitness", "store", "wire", "report", "app", "server"],
}

# Header of a library (a folder if it ends in `/`) -> the files or folders that may know it.
LIBRARIES = {
    "fmt/": ["src/"],
    "tl/": ["src/"],
    "yaml.h": ["src/base/yaml.cpp"],
    "utf8proc.h": ["src/base/text.cpp"],
    "simdjson.h": ["src/trace/json.cpp", "src/trace/hook/event.cpp", "src/base/json_value.cpp", "src/results/lines.cpp", "src/suite/cases_jsonl.cpp"],
    "sodium.h": ["src/base/crypto.cpp"],
    "curl/": ["src/model/curl.h"],
    "sqlite3.h": ["src/store/"],
    "re2/": ["src/check/pattern.cpp"],
    "microhttpd.h": ["src/server/mhd.h"],
    "zlib.h": ["src/base/gzip.cpp", "src/base/unpacker.cpp", "src/base/zip.cpp"],
    "zstd.h": ["src/base/unpacker.cpp"],
    "zstd_errors.h": ["src/base/unpacker.cpp"],
    "md4c.h": ["src/base/markdown.cpp"],
    "tree_sitter/": ["src/fitness/syntax.cpp"],
}

# Made by the build.
GENERATED = {"vibe_version.h": "src/cli/version.cpp"}

# The C library and POSIX, which come with the system.
SYSTEM = re.compile(r"(sys|net|netinet|arpa)/\w+\.h|linux/\w+\.h"
                    r"|(dirent|dlfcn|emmintrin|immintrin|errno|fcntl|fenv|glob|limits|math|netdb|poll|pthread|pwd|signal|spawn"
                    r"|malloc|stdint|stdio|stdlib|string|termios|time|unistd|wchar|locale|langinfo)\.h")

SOURCE = (".h", ".hpp", ".cpp", ".cc", ".inc")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def may_know(path, places):
    return any(path == place or (place.endswith("/") and path.startswith(place))
               for place in places)


def library_of(header):
    for name in LIBRARIES:
        if header == name or (name.endswith("/") and header.startswith(name)):
            return name
    return None


def wrong_include(path, folder, quote, header):
    """What is wrong with an include of `header` in the file `path`; None if nothing is."""
    target = header.split("/")[0] if "/" in header else None
    if target in LAYERS:
        if quote == "<":
            return f'`<{header}>` is ours; write `#include "{header}"`'
        if target != folder and target not in LAYERS[folder]:
            allowed = ", ".join(f"`{name}`" for name in LAYERS[folder]) or "nothing else"
            return f"`{folder}` includes `{header}`; it may include {allowed}"
        return None
    if header in GENERATED:
        if path != GENERATED[header]:
            return f"`{header}` is for {GENERATED[header]} alone"
        return None
    library = library_of(header)
    if quote == '"' and library is None:
        return f'`"{header}"` is not a path from src/; write `"{folder}/{header}"`'
    if library is not None:
        if not may_know(path, LIBRARIES[library]):
            return f"`{header}` is known to {' and '.join(LIBRARIES[library])} alone"
        return None
    is_standard = re.fullmatch(r"[a-z_0-9]+", header) is not None
    if not is_standard and not SYSTEM.fullmatch(header):
        return f"`{header}` is of a library without a row in scripts/check_layers.py"
    return None


def check_file(root, path, folder):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                problem = wrong_include(path, folder, match[1], match[2])
                if problem:
                    yield f"{path}:{number}: {problem}"


def check_tree(root):
    """Returns the number of files looked at, and what is wrong in them."""
    files, problems = 0, []
    for directory, folders, names in os.walk(os.path.join(root, "src")):
        folders.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(directory, name), root)
            if not name.endswith(SOURCE):
                continue
            files += 1
            parts = path.split(os.sep)
            folder = parts[1] if len(parts) > 2 else None
            if folder is None:
                problems.append(f"{path}:1: lies in no folder of src/")
            elif folder not in LAYERS:
                problems.append(f"{path}:1: `{folder}` has no row in scripts/check_layers.py")
            else:
                problems.extend(check_file(root, path, folder))
    return files, problems


def main(arguments):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    files, problems = check_tree(arguments[0] if arguments else here)
    for problem in problems:
        print(problem)
    if files == 0:
        problems.append("no sources")
        print("layers: no sources found")
    else:
        print(f"layers: {files} files, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
