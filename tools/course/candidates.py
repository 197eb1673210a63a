"""The files that can stand in a unit's place, and what the judge must say to each."""

import dataclasses
import pathlib
import re


@dataclasses.dataclass(frozen=True)
class Candidate:
    kind: str  # stub, product, mutant, accepted or refused
    name: str  # as in the target lesson_SLUG_name
    file: pathlib.Path | None = None

    def complaint(self, lesson, verdict):
        """What is wrong with the verdict; empty when it is as it must be."""
        kind, said = verdict["kind"], packed(verdict["text"])
        if self.kind in ("product", "accepted"):
            return "" if kind == "passed" else f"does not pass: {kind} in '{verdict['title']}': {said}"
        if self.kind == "stub":
            good = kind == "not_written" and said == f"not written yet: {lesson.function}"
            return "" if good else f"should say 'not written yet: {lesson.function}', and is {kind}: {said}"
        if self.kind == "refused":
            return "" if kind == "exited" else f"a file that ends the program should be told so, and is {kind}"
        wanted = packed(header(self.file, "Says"))
        if not wanted or not header(self.file, "Misconception"):
            return "lacks a comment `// Misconception: ...` or `// Says: ...`"
        if kind == "passed":
            return "passes, and should not"
        return "" if wanted in said else f"should be told '{wanted}', and is told ({kind}): {said}"


def packed(text):
    return re.sub(r"\s+", " ", text).strip()


def header(file, name):
    """`// Name: text`, which may go on in further comment lines."""
    found = re.search(rf"^// {name}: (.*(?:\n//   .*)*)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1).replace("\n//  ", "") if found else ""


def candidates_of(lesson):
    found = [Candidate("stub", "stub"), Candidate("product", "product")]
    for kind, folder in (("mutant", "mutants"), ("accepted", "accepted")):
        for file in sorted((lesson.folder / folder).glob("*.cpp")):
            found.append(Candidate(kind, f"{kind}_{file.stem}", file))
    return found + [Candidate("refused", "prints_passed")]
