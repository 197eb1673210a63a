"""Fails on a source file over 250 lines. Tests, documents and generated files may be longer.

usage: file_length.py ROOT
"""

import pathlib
import sys

LIMIT = 250
FOLDERS = ("src", "viz", "lessons", "bench", "cmake", "tools")
SUFFIXES = (".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake")


def sources(root):
    yield root / "duet"
    for folder in FOLDERS:
        yield from sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)


def main(root):
    root = pathlib.Path(root)
    too_long = 0
    for path in filter(pathlib.Path.is_file, sources(root)):
        lines = len(path.read_text().splitlines())
        if lines > LIMIT:
            print(f"{path.relative_to(root)}: {lines} lines, {LIMIT} at most; move one idea into a file of its own")
            too_long += 1
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
