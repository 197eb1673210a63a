"""./duet doctor: what Duet finds on this machine, what is not well, and what to do about it.

usage: ./duet doctor [--json]

It needs Python 3.7 and nothing else: it runs before anything is set up. Exit status: 0 when Duet can work here (ranks
as threads on the CPU are enough), 1 when something that it needs is broken, 2 for flags it does not know.
"""

import itertools
import json
import pathlib
import sys

import builders
import driver
import exchange
import gpus
import host
import libraries
import links
import network
from finding import BAD
from machine import Machine
from nvidia import Nvidia
from place import Place
from show import Table

HELP = __doc__.partition("\n\n")[2]


def groups(machine, place):
    """Yields what each group found, as an iterable; they are drawn from one by one, for the last takes seconds."""
    nvidia = Nvidia(machine)
    yield driver.look(machine, nvidia)
    yield itertools.chain(gpus.look(nvidia), links.look(machine, nvidia), network.look(machine, nvidia))
    yield itertools.chain(builders.look(machine, place, nvidia), libraries.look(machine, nvidia))
    yield host.look(machine, place)
    yield exchange.look(machine, place, nvidia)


def verdict(findings):
    """The closing line."""
    if not works(findings):
        return "Duet does not work here yet: do what stands under the lines marked bad."
    broken = [finding.what for finding in findings if finding.mark == BAD]
    return "Duet works here" + (f", on the CPU; not well: {', '.join(broken)}." if broken else ".")


def works(findings):
    return not any(finding.needed and finding.mark == BAD for finding in findings)


def examine(machine, stream, as_json=False):
    """Prints everything; returns the exit status."""
    findings = []
    table, place = Table(stream, machine.variable), Place(machine)
    for group in groups(machine, place):
        if findings and not as_json:
            table.line()
        for finding in group:
            place.adapt(finding)
            findings.append(finding)
            if not as_json:
                table.show(finding)
    if not as_json:
        table.line()
        table.line(verdict(findings))
    else:
        lines = [finding.as_json() for finding in findings]
        print(json.dumps({"works": works(findings), "verdict": verdict(findings), "lines": lines}, indent=2), file=stream)
    return 0 if works(findings) else 1


def main(arguments):
    if arguments in (["--help"], ["-h"]):
        print(HELP, end="")
        return 0
    unknown = [argument for argument in arguments if argument != "--json"]
    if unknown:
        print(f"error: ./duet doctor does not know '{unknown[0]}'\n"
              "  fix     ./duet doctor for people, ./duet doctor --json for programs", file=sys.stderr)
        return 2
    return examine(Machine(pathlib.Path(__file__).resolve().parents[2]), sys.stdout, bool(arguments))


if __name__ == "__main__":
    for each in (sys.stdout, sys.stderr):
        each.reconfigure(errors="replace")
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
