"""Fails on a file that clang-format would change.

usage: format.py ROOT

Ends with 77 (skipped) where only another version of clang-format is installed: versions disagree about details.
"""

import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "14"
FOLDERS = ("src", "tests", "viz", "lessons", "bench")
SUFFIXES = (".h", ".cpp", ".cu", ".cuh")


def find_formatter():
    """Returns (program, its major version); the program is None where there is none."""
    other = (None, None)
    for name in (f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(name)
        if program is None:
            continue
        said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
        major = re.search(r"version (\d+)", said).group(1)
        if major == VERSION:
            return program, major
        other = (program, major)
    return other


def main(root):
    program, major = find_formatter()
    if program is None:
        print(f"clang-format is not installed; install it: sudo apt-get install clang-format (version {VERSION})")
        return 1
    if major != VERSION:
        print(f"formatting is checked with clang-format {VERSION}, and here is {major}")
        return 77
    files = [str(path) for folder in FOLDERS for path in sorted((pathlib.Path(root) / folder).rglob("*"))
             if path.suffix in SUFFIXES]
    if files and subprocess.run([program, "--dry-run", "-Werror", "--style=file", *files], check=False).returncode:
        print("run: clang-format -i on the files above")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
