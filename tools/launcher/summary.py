"""Adds up what a test run left behind, prints why each skipped case was skipped, and closes with the one line
`N passed, N failed, N skipped`.

usage: summary.py BUILD_FOLDER...

Each folder holds ctest.xml (CTest's own report) and, for each GoogleTest program, results/NAME.xml. A program counts
by its cases; any other CTest entry counts as one. A program that ended badly although no case failed (a crash, a
leak) counts as one failure.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def cases_of(report):
    """Yields (name, outcome, reason) for each case of a GoogleTest report."""
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f'{case.get("classname")}.{case.get("name")}'
        skipped = case.find("skipped")
        if skipped is not None:  # the message's first line is the place in the source
            yield name, "skipped", skipped.get("message", "").partition("\n")[2] or "no reason given"
        elif case.get("status") == "notrun":
            yield name, "skipped", "disabled in the source"
        else:
            yield name, "passed" if case.find("failure") is None else "failed", ""


def outcome_of(entry):
    """Returns (outcome, reason) of an entry of CTest's report."""
    if entry.get("status") == "run":
        return "passed", ""
    skipped = entry.find("skipped")
    if skipped is not None:  # by its exit code: the last thing that the program said is the reason
        said = (entry.findtext("system-out") or "").strip().splitlines()
        return "skipped", said[-1] if said else skipped.get("message", "")
    return "failed", ""


def counted(folder):
    for entry in ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"):
        outcome, reason = outcome_of(entry)
        report = folder / "results" / f'{entry.get("name")}.xml'
        cases = list(cases_of(report)) if report.exists() else []
        yield from cases
        if not cases or (outcome == "failed" and all(case[1] != "failed" for case in cases)):
            yield entry.get("name"), outcome, reason


def main(folders):
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    for folder in map(pathlib.Path, folders):
        for name, outcome, reason in counted(folder):
            totals[outcome] += 1
            if outcome != "passed":
                print(f"{outcome}: {name}" + (f" ({' '.join(reason.split())})" if reason else ""))
    print(", ".join(f"{count} {outcome}" for outcome, count in totals.items()))
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
