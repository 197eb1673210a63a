"""Asks the judge about a unit, and prints its verdict as a student reads it."""

import json
import os
import re
import subprocess

import text
from place import Refused, build_folder

LIMIT_S = 600  # far beyond the judge's own limits: it was stopped
MOST_PRINTED = 8  # lines

HEAD = {
    "wrong": "",
    "not_written": "",
    "threw": "",
    "deadlock": "deadlock",
    "crashed": "crash",
    "exited": "the program was ended",
    "endless": "endless loop",
    "memory": "out of memory",
    "silent": "no answer",
    "printed": "too much output",
    "forged": "no answer",
}


def judge(lesson, program, asan=False):
    """The verdict as a dict; `kind` is "passed" or says how it failed."""
    environment = dict(os.environ)
    if asan:
        environment["ASAN_OPTIONS"] = "detect_leaks=0:hard_rss_limit_mb=3000:exitcode=86"
        environment["UBSAN_OPTIONS"] = "halt_on_error=1:exitcode=86:print_stacktrace=1"
    command = [str(build_folder() / "lessons" / "duet_judge"), "check", lesson.key, str(program)]
    try:
        run = subprocess.run(command + (["--asan"] if asan else []), capture_output=True, text=True, check=False,
                             env=environment, encoding="utf-8", errors="replace", timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        raise Refused(f"the judge did not end in {LIMIT_S} s", "look whether your code stops other programs") from None
    if run.returncode < 0:
        raise Refused(f"the judge was ended from outside (signal {-run.returncode})",
                      "look whether your code ends other programs or writes to a file that it had not opened")
    if run.returncode != 0:
        raise Refused(f"the judge failed: {run.stderr.strip() or run.returncode}", "./duet setup builds it anew")
    try:
        verdict = json.loads(run.stdout)
    except ValueError:
        raise Refused("somebody else wrote among the judge's words", "your code must not write to others' files") from None
    for part in ("text", "printed"):
        verdict[part] = text.visible(verdict[part])
    return named_by_sanitizer(verdict) if asan else verdict


def named_by_sanitizer(verdict):
    """With a sanitizer's report, the verdict says what it found and the student's line; the report itself is long."""
    report = verdict["printed"]
    found = re.search(r"ERROR: AddressSanitizer: (.+?) on | runtime error: (.+)", report)
    if verdict["kind"] == "passed" or not found:
        return verdict
    before = re.search(r"^(/.+\.cpp:\d+):\d+: runtime error", report, re.MULTILINE)  # UBSan's form
    frame = re.search(r"^\s+#\d+ .*? (/.*\.cpp:\d+)", report, re.MULTILINE)  # the innermost one in a .cpp
    place = before or frame
    verdict.update(kind="crashed", printed="", text=f"The sanitizer found: {found[1] or found[2]}\n"
                   f"  where   {place[1] if place else 'it names no line'}")
    return verdict


def measure(lesson):
    """The measured answers to the lesson's questions, by id."""
    command = [str(build_folder() / "lessons" / "duet_judge"), "measure", lesson.key]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if run.returncode != 0:
        raise Refused(f"the judge could not measure: {run.stderr.strip()}", "./duet setup builds it anew")
    return json.loads(run.stdout)


def render(verdict):
    """The text of a verdict that is not `passed`: where, the case in a picture, and what is wrong."""
    head = HEAD[verdict["kind"]]
    lines = [f"case {verdict['number']} of {verdict['cases']}: {verdict['title']}" + (f" ({head})" if head else ""), ""]
    if verdict["kind"] != "not_written" and verdict["picture"]:
        lines += [verdict["picture"].rstrip("\n"), ""]
    lines.append(verdict["text"].rstrip("\n"))
    printed = verdict["printed"].strip("\n")
    if printed:
        printed = printed.splitlines()
        cut = f" (the last {MOST_PRINTED} lines)" if len(printed) > MOST_PRINTED else ""
        lines += ["", f"your code printed{cut}:", *(f"  | {line[:76]}" for line in printed[-MOST_PRINTED:])]
    return "\n".join(lines) + "\n"
