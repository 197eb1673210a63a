"""Fails on what clang-tidy finds in a source file of ours (tests excepted: GoogleTest's macros are not ours).

usage: tidy.py ROOT COMPILE_COMMANDS [FILE...]

Without FILE, all of them. clang-tidy cannot read g++'s precompiled header, so the compile commands are taken without
it. Ends with 77 (skipped) where only another version of clang-tidy is installed: each version knows other checks.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

VERSION = "14"
FOLDERS = ("src", "viz", "lessons", "bench")
# Files of lessons that are wrong, unfinished or another's style on purpose.
EXAMPLES = ("/mutants/", "/accepted/", "/refused/", "/stub.cpp")


def find_tidy():
    """Returns (program, its major version); the program is None where there is none."""
    other = (None, None)
    for name in (f"clang-tidy-{VERSION}", "clang-tidy"):
        program = shutil.which(name)
        if program is None:
            continue
        said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
        major = re.search(r"version (\d+)", said).group(1)
        if major == VERSION:
            return program, major
        other = (program, major)
    return other


def without_precompiled_header(command):
    """The words of the command, less the precompiled header (its path may hold spaces)."""
    words = [word for word in shlex.split(command) if word != "-Winvalid-pch"]
    pairs = zip(["", *words], words, [*words[1:], ""])
    return [word for before, word, after in pairs
            if not (word == "-include" and after.endswith("cmake_pch.hxx"))
            and not (before == "-include" and word.endswith("cmake_pch.hxx"))]


def ours(root, commands):
    tops = tuple(f"{root / folder}/" for folder in FOLDERS)
    for entry in commands:
        if entry["file"].startswith(tops) and not any(part in entry["file"] for part in EXAMPLES):
            # g++ has warnings that clang does not know
            arguments = [*without_precompiled_header(entry["command"]), "-Wno-unknown-warning-option"]
            yield {"directory": entry["directory"], "file": entry["file"], "arguments": arguments}


def findings(program, database, file):
    run = subprocess.run([program, "--quiet", "-p", database, file], capture_output=True, text=True, check=False)
    return run.stdout + (run.stderr if run.returncode and not run.stdout else "") if run.returncode else ""


def main(root, compile_commands, *wanted):
    program, major = find_tidy()
    if program is None:
        print(f"clang-tidy is not installed; install it: sudo apt-get install clang-tidy (version {VERSION})")
        return 1
    if major != VERSION:
        print(f"the code is checked with clang-tidy {VERSION}, and here is {major}")
        return 77
    root = pathlib.Path(root).resolve()
    entries = list(ours(root, json.loads(pathlib.Path(compile_commands).read_text())))
    files = [str(pathlib.Path(file).resolve()) for file in wanted] or sorted({entry["file"] for entry in entries})
    with tempfile.TemporaryDirectory() as database, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        (pathlib.Path(database) / "compile_commands.json").write_text(json.dumps(entries))
        found = [said for said in pool.map(lambda file: findings(program, database, file), files) if said]
    print("\n".join(found))
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
