"""What a lesson's texts take from elsewhere: declarations, verdicts, measured numbers, and the picture.

Between <!-- include ... -->, <!-- output ... --> or <!-- measured ... --> and <!-- end --> stands what this writes.
"""

import importlib.util
import re

import judging
import predictions
from place import ROOT, Refused, build_folder

TEXTS = ("README.md", "explain.md", "hints.md")
BLOCK = re.compile(r"(<!-- (include|output|measured) ([^>]*?) -->)(.*?)(<!-- end -->)", re.DOTALL)


def refreshed(lesson, name):
    """A text of the lesson as it should stand now."""
    measured = {}

    def content(match):
        opening, kind, what, _, closing = match.groups()
        if kind == "include":
            return f"{opening}\n```cpp\n{declaration(what)}\n```\n{closing}"
        if kind == "output":
            return f"{opening}\n```\n{verdict_of(lesson, what)}```\n{closing}"
        if not measured:
            measured.update(judging.measure(lesson))
        question = next((q for q in lesson.questions() if q["id"] == what), None)
        if question is None:
            raise Refused(f"{lesson.folder.name}/{name}: no question is called {what}")
        return f"{opening}{predictions.answer_text(dict(question, unit=''), measured[what])}{closing}"

    return BLOCK.sub(content, lesson.read_text(name))


def declaration(what):
    """`src/moe/expert.h struct ExpertWeights`: from the comment above the line with that text to the end of it."""
    path, text = what.split(" ", 1)
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    first = next((i for i, line in enumerate(lines) if text in line and not line.lstrip().startswith("//")), None)
    if first is None:
        raise Refused(f"{path} has no line with `{text}`", "correct the marker, or the text that explains it")
    last, depth = first, 0
    while True:
        code = lines[last].split("//")[0].rstrip()
        depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
        if depth == 0 and code.endswith((";", "}")):
            break
        last += 1
    while first > 0 and lines[first - 1].startswith("///"):
        first -= 1
    return "\n".join(lines[first:last + 1])


def verdict_of(lesson, candidate):
    verdict = judging.judge(lesson, build_folder() / "lessons" / f"lesson_{lesson.key}_{candidate}")
    return judging.render(verdict) if verdict["kind"] != "passed" else f"passed, all {verdict['cases']} cases\n"


def picture(lesson):
    """picture.svg as picture.py draws it."""
    spec = importlib.util.spec_from_file_location(f"picture_{lesson.key}", lesson.folder / "picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.draw().svg()


def drift(lesson):
    """Yields (file, what it should hold) for each that is out of date."""
    for name in TEXTS:
        now = refreshed(lesson, name)
        if now != lesson.read_text(name):
            yield lesson.folder / name, now
    drawn = picture(lesson)
    file = lesson.folder / "picture.svg"
    if not file.exists() or file.read_text(encoding="utf-8") != drawn:
        yield file, drawn
