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


def words_of(symbol):
    """What the header must mention: the function's own name, and its class's where it has one.

    >>> words_of("duet::Recorder::open(std::span<int const, 2ul>)")
    ['Recorder', 'open']
    """
    symbol = re.sub(r"^(vtable|typeinfo|typeinfo name|VTT|guard variable) for ", "", symbol)
    symbol = re.sub(r"\[abi:\w+\]", "", symbol)
    operator = re.search(r"operator\s*(\(\)|[^\s\w(]+|\w+)", symbol)
    if operator:
        return [re.sub(r"\s", "", operator.group(0))]
    name = symbol.split("(")[0]
    while "<" in name:  # template arguments, from the inside out
        shorter = re.sub(r"<[^<>]*>", "", name)
        if shorter == name:
            break
        name = shorter
    parts = name.split(" ")[-1].split("::")
    return [part for part in parts[-2:] if part not in ("duet", "trace", "comm")]


def declarations(root, unit):
    """The text that must declare what a unit defines: its header's, or, where it has none (a file that two units
    share), that of the headers it includes."""
    source = root / "src" / unit
    if source.with_suffix(".h").exists():
        return source.with_suffix(".h").read_text()
    included = re.findall(r'#include "([^"]+)"', source.with_suffix(".cpp").read_text())
    return "\n".join((root / "src" / header).read_text() for header in included)


def undeclared(text, object_file):
    packed = re.sub(r"\s", "", text)
    for symbol in defined(object_file):
        for word in words_of(symbol):
            known = word in packed if word.startswith("operator") else re.search(rf"(?<!\w){re.escape(word)}\b", text)
            if not known:
                yield symbol
                break


def main(root, units):
    found = 0
    lines = pathlib.Path(units).read_text().splitlines()
    for unit, object_file in (line.split("\t") for line in lines if line):
        for symbol in undeclared(declarations(pathlib.Path(root), unit), object_file):
            print(f"src/{unit}.cpp exports {symbol}, which src/{unit}.h does not declare; use an anonymous namespace")
            found += 1
    if not lines:
        print(f"{units} lists no unit")
    return 1 if found or not lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
