"""Builds a program in which one file stands in for a unit, and says in plain words what the linker missed.

usage: swap_build.py [--cmake CMAKE] ROOT BUILD_FOLDER TARGET UNIT FILE

UNIT is moe/expert; FILE is what takes the place of src/moe/expert.cpp. Ends with the build's exit status.
"""

import argparse
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from symbols import mentions, words_of  # noqa: E402

# As GNU ld, gold, lld and mold word it.
UNDEFINED = re.compile(r"undefined (?:reference to|symbol:) [`']?(.+?)'?$", re.MULTILINE)
TWICE = re.compile(r"(?:multiple definition of [`']|duplicate symbol: )(.+?)(?:'.*)?$", re.MULTILINE)


def explain(output, unit, file, header):
    """Yields a message for each name that the file lacks, or takes from others."""
    where = f"  where   {file}, in place of src/{unit}.cpp"
    for symbol in dict.fromkeys(UNDEFINED.findall(output)):
        name = "::".join(words_of(symbol))
        if mentions(header, symbol):
            yield (f"error: your file does not define `{name}`, declared in src/{unit}.h\n{where}\n"
                   "  usually it is missing, or its parameters or namespace differ from the header's\n"
                   "  fix     copy the declaration from the header and give it a body")
        else:
            yield f"error: `{name}` is used but defined nowhere\n{where}\n  linker  {symbol}"
    for symbol in dict.fromkeys(TWICE.findall(output)):
        yield (f"error: your file defines `{'::'.join(words_of(symbol))}`, which another file defines too\n{where}\n"
               "  fix     put helpers of your own into an anonymous namespace: namespace { ... }")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", default="cmake")
    for name in ("root", "build", "target", "unit", "file"):
        parser.add_argument(name)
    args = parser.parse_args()
    run = subprocess.run(
        [args.cmake, "--build", args.build, "--target", args.target],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )
    if run.returncode == 0:
        return 0
    header = (pathlib.Path(args.root) / "src" / f"{args.unit}.h").read_text()
    messages = list(explain(run.stdout, args.unit, args.file, header))
    print("\n".join(messages) if messages else run.stdout)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
