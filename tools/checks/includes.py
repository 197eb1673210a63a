"""Fails on an include that climbs: a folder may include only the folders below it.

usage: includes.py ROOT

The order is design.md's: core <- trace <- comm <- moe <- parallel <- train <- cli, with model and viz beside it.
"""

import pathlib
import re
import sys

MAY_INCLUDE = {
    "core": [],
    "trace": ["core"],
    "comm": ["core", "trace"],
    "moe": ["core", "trace", "comm"],
    "parallel": ["core", "trace", "comm", "moe"],
    "model": ["core", "trace"],
    "train": ["core", "trace", "comm", "moe", "parallel", "model"],
    "cli": ["core", "trace", "comm", "moe", "parallel", "model", "train"],
    "viz": ["core", "trace"],
    "viz/app": ["core", "trace", "moe", "parallel", "train", "cli"],  # live mode trains, and takes the flags of ./duet train
}
# One file wraps the exchanges for autograd; everything else runs with gradient recording off.
ONLY_IN = {"custom_function.h": "src/moe/exchange_function.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SOURCES = (".h", ".cpp", ".cu", ".cuh")


def folder_of(file):
    """The folder that a file counts to: moe for src/moe/x.h, viz/app for viz/app/x.cpp."""
    parts = file.parts[1:] if file.parts[0] == "src" else file.parts
    if len(parts) > 2 and "/".join(parts[:2]) in MAY_INCLUDE:
        return "/".join(parts[:2])
    return parts[0]


def complaints(root):
    for top in ("src", "viz"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            file = path.relative_to(root)
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                match = INCLUDE.match(line)
                if match and (complaint := complain(file, match.group(1))):
                    yield f"{file}:{number}: {complaint}"


def complain(file, included):
    name = included.rsplit("/", 1)[-1]
    if name in ONLY_IN and file.as_posix() != ONLY_IN[name]:
        return f"includes {included}, which belongs to {ONLY_IN[name]} alone"
    source, target = folder_of(file), included.split("/")[0]
    if source not in MAY_INCLUDE:
        return f"the folder {source} has no place in the order yet; give it one in tools/checks/includes.py"
    if target not in MAY_INCLUDE or target == source.split("/")[0] or target in MAY_INCLUDE[source]:
        return None
    return f"includes {included}, but {source} may include only {', '.join(MAY_INCLUDE[source]) or 'itself'}"


def main(root):
    found = list(complaints(pathlib.Path(root)))
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
