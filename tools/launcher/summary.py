"""Adds up what a test run left behind, prints why each skipped case was skipped, and closes with the one line
`N passed, N failed, N skipped`.

usage: summary.py BUILD_FOLDER...

Each folder holds results/ctest.xml (CTest's own report) and, for each GoogleTest program, results/NAME.json. A
program counts by its cases; any other CTest entry counts as one. A program that ended badly although no case failed
(a crash, a leak) counts as one failure.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def cases_of(report):
    """Yields (name, outcome, reason) for each case of a GoogleTest report."""
    for suite in json.loads(report.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            name = f'{suite["name"]}.{case["name"]}'
            if case.get("result") == "SKIPPED":
                skipped = case.get("skipped", [])
                yield name, "skipped", " ".join(part["message"] for part in skipped) or "no reason given"
            elif case.get("status") == "NOTRUN":
                yield name, "skipped", "disabled in the source"
            else:
                yield name, "failed" if case.get("failures") else "passed", ""


def outcome_of(entry):
    status = entry.get("status")
    if status == "run":
        return "passed", ""
    skipped = entry.find("skipped")
    if status in ("disabled", "notrun") and skipped is not None:
        return "skipped", skipped.get("message", "")
    return "failed", ""


def counted(folder):
    results = folder / "results"
    for entry in ElementTree.parse(results / "ctest.xml").getroot().iter("testcase"):
        outcome, reason = outcome_of(entry)
        report = results / f'{entry.get("name")}.json'
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
