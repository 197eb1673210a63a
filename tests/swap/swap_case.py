"""Puts a file in a unit's place and judges what happens.

usage: swap_case.py EXPECTED TEXT PROGRAM BUILD_COMMAND...

EXPECTED is `passes` (the unit's test passes with it), `does_not_link` (the build's message has TEXT in it) or `fails`
(it builds, and the test named TEXT fails). BUILD_COMMAND builds PROGRAM.
"""

import subprocess
import sys

PASSED = "[  PASSED  ] 0 tests"


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout)
    return done


def verdict(expected, text, program, build_command):
    """Returns what is wrong, or nothing."""
    built = run(build_command)
    if expected == "does_not_link":
        if built.returncode == 0:
            return "it linked"
        return None if text in built.stdout else f"the message does not say: {text}"
    if built.returncode != 0:
        return "it did not build"
    tested = run([program])
    if expected == "passes":
        return "its test fails" if tested.returncode or PASSED in tested.stdout else None
    if tested.returncode == 0:
        return "the wrong file passes the unit's test"
    return None if f"[  FAILED  ] {text}" in tested.stdout else f"it failed, but not at {text}"


def main(expected, text, program, *build_command):
    wrong = verdict(expected, text, program, list(build_command))
    if wrong:
        print(f"swap: expected that it {expected}; {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
