"""What a lesson's folder must hold (docs/adding-a-lesson.md)."""

import json
import re

import judging
import refresh
import text
from place import Refused

FILES = ("lesson.json", "README.md", "stub.cpp", "cases.cpp", "host.cpp", "hints.md", "questions.json", "explain.md",
         "picture.py", "picture.svg")
HEADINGS = {
    "README.md": ("The idea", "Your task", "What to look for", "In real systems"),
    "explain.md": ("What just happened", "In real systems", "Bugs that people met", "Exercises"),
    "hints.md": ("1", "2", "3"),
}
# Where ./duet see may open the report: the sections that src/trace/report.cpp writes.
SECTIONS = ("where-the-time-of-a-step-goes", "loss", "tokens-per-expert", "routing", "drops", "balance", "the-table")
PANELS = ("all", "routing", "timeline", "curves", "load", "traffic", "flow")  # of viz/app/main.cpp
WIDTH = 80
MOST_TASK_LINES = 10


def problems(lesson):
    missing = [name for name in FILES if not (lesson.folder / name).exists()]
    yield from (f"{name} is missing" for name in missing)
    if missing:
        return
    for folder in ("mutants", "accepted"):
        if not list((lesson.folder / folder).glob("*.cpp")):
            yield f"{folder}/ holds no file"
    if lesson.see not in SECTIONS:
        yield f"lesson.json: see is '{lesson.see}', which is none of " + ", ".join(SECTIONS)
    if lesson.scene.get("panel") not in PANELS or not lesson.scene.get("caption"):
        yield "lesson.json: the scene needs a panel (" + ", ".join(PANELS) + ") and a caption"
    unknown = set(lesson.scene) - {"panel", "step", "select", "stage", "caption"}
    if unknown:
        yield "lesson.json: a scene has panel, step, select, stage and caption, not " + ", ".join(sorted(unknown))
    yield from text_problems(lesson)
    yield from question_problems(lesson)
    try:
        yield from (f"{file.name} is out of date; ./duet verify --refresh" for file, _ in refresh.drift(lesson))
    except Refused as refused:
        yield refused.what


def text_problems(lesson):
    for name, headings in HEADINGS.items():
        markdown = lesson.read_text(name)
        for heading in headings:
            if not text.section(markdown, heading):
                yield f"{name} has nothing under '## {heading}'"
        own = refresh.BLOCK.sub(lambda block: "\n" * block.group(0).count("\n"), markdown)  # what is included is as wide as it is
        for number, line in enumerate(own.splitlines(), start=1):
            if len(line) > WIDTH and not line.startswith("|") and "http" not in line:
                yield f"{name}:{number} is {len(line)} columns wide"
    readme = lesson.read_text("README.md")
    task = text.plain(text.section(readme, "Your task")).splitlines()
    if len(task) > MOST_TASK_LINES:
        yield f"the task has {len(task)} lines on a terminal, {MOST_TASK_LINES} at most"
    if "picture.svg" not in readme:
        yield "README.md does not show picture.svg"
    exercises = re.findall(r"^\d+\. ", text.section(lesson.read_text("explain.md"), "Exercises"), re.MULTILINE)
    if len(exercises) < 2:
        yield "explain.md has fewer than two exercises (1. and 2.)"


def question_problems(lesson):
    try:
        questions = lesson.questions()
    except json.JSONDecodeError as error:
        yield f"questions.json: {error}"
        return
    if not 1 <= len(questions) <= 3:
        yield f"{len(questions)} questions; one to three"
    measured = judging.measure(lesson)
    for question in questions:
        lacking = [part for part in ("id", "ask", "kind", "after") if not question.get(part)]
        if lacking:
            yield f"a question lacks {', '.join(lacking)}"
        elif question["id"] not in measured:
            yield f"question {question['id']} has no measure in cases.cpp"
        elif question["kind"] == "choice" and not 0 <= measured[question["id"]] < len(question["choices"]):
            yield f"question {question['id']}: the measure is none of its choices"
