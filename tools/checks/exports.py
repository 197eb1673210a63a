"""Fails on a symbol that a unit defines for others although its header does not declare it.

usage: exports.py ROOT LIST

LIST has a line for each unit: its name (moe/expert), a tab, its object file. A helper that is not in the header
belongs in an anonymous namespace; otherwise a lesson's file that defines its own would clash with it, or replace it
unseen. Weak symbols (inline functions, templates) are not looked at.
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from symbols import mentions  # noqa: E402

STRONG = "TDBRGSC"


def defined(object_file):
    """The demangled names of the strong symbols that an object file defines."""
    listing = subprocess.run(
        ["nm", "-C", "--defined-only", "--extern-only", object_file], check=True, capture_output=True, text=True
    ).stdout
    for line in listing.splitlines():
        kind, name = re.match(r"\S* +(\S) (.*)", line).groups()
        if kind in STRONG:
            yield name


def declarations(root, unit):
    """The text that must declare what a unit defines: its header's, or, where it has none (a file that two units
    share), that of the headers it includes."""
    source = root / "src" / unit
    if source.with_suffix(".h").exists():
        return source.with_suffix(".h").read_text()
    file = next(source.with_suffix(ending) for ending in (".cpp", ".cu") if source.with_suffix(ending).exists())
    included = re.findall(r'#include "([^"]+)"', file.read_text())
    return "\n".join((root / "src" / header).read_text() for header in included)


def is_of_hidden_part(header, symbol):
    """Whether the symbol belongs to a class within a class that the header names and leaves to the source file."""
    owners = symbol.partition("(")[0].split("::")[:-1]
    return any(re.search(rf"^ +(struct|class) {re.escape(owner)};", header, re.MULTILINE) for owner in owners)


def main(root, units):
    found = 0
    lines = pathlib.Path(units).read_text().splitlines()
    for unit, object_file in (line.split("\t") for line in lines if line):
        header = declarations(pathlib.Path(root), unit)
        for symbol in defined(object_file):
            if not mentions(header, symbol) and not is_of_hidden_part(header, symbol):
                print(f"src/{unit}.cpp exports {symbol}, which src/{unit}.h does not declare; use an anonymous namespace")
                found += 1
    if not lines:
        print(f"{units} lists no unit")
    return 1 if found or not lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
