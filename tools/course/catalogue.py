"""The lessons that there are, read from lessons/NN_slug/lesson.json."""

import dataclasses
import difflib
import json
import pathlib

from place import ROOT, Refused, lessons_folder, my_folder


@dataclasses.dataclass(frozen=True)
class Lesson:
    slug: str  # "all-to-all", as people write it
    number: str  # "05"
    folder: pathlib.Path
    title: str
    question: str
    unit: str  # "moe/expert": src/moe/expert.{h,cpp}
    function: str
    minutes: int
    read: tuple  # headers that a student should open
    compare: tuple  # flags for compare --mine that make the unit matter
    see: str  # where the report shows it
    scene: dict  # where the viewer shows it: flags of ./duet view by name

    @property
    def key(self):
        """The slug as file names and CMake targets have it."""
        return self.slug.replace("-", "_")

    @property
    def file_name(self):
        return self.unit.split("/")[-1] + ".cpp"

    @property
    def my_file(self):
        return my_folder() / self.slug / self.file_name

    @property
    def source(self):
        return ROOT / "src" / f"{self.unit}.cpp"

    def read_text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def questions(self):
        return json.loads(self.read_text("questions.json"))


def load():
    """All lessons in the order of their numbers."""
    lessons = []
    for file in sorted(lessons_folder().glob("[0-9][0-9]_*/lesson.json")):
        number, key = file.parent.name.split("_", 1)
        facts = json.loads(file.read_text(encoding="utf-8"))
        lessons.append(Lesson(
            slug=key.replace("_", "-"), number=number, folder=file.parent, title=facts["title"],
            question=facts["question"], unit=facts["unit"], function=facts["function"], minutes=facts["minutes"],
            read=tuple(facts["read"]), compare=tuple(facts["compare"]), see=facts["see"],
            scene=facts["scene"]))
    return lessons


def renamed():
    """Earlier slugs and what they are called now."""
    file = lessons_folder() / "renamed.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def find(lessons, name):
    """The lesson that a person means by a slug, a number or a file's name."""
    wanted = name.lower().replace("_", "-")
    wanted = renamed().get(wanted, wanted)
    for lesson in lessons:
        if wanted in (lesson.slug, lesson.number, str(int(lesson.number)), f"{lesson.number}-{lesson.slug}"):
            return lesson
    close = difflib.get_close_matches(wanted, [lesson.slug for lesson in lessons], n=1)
    raise Refused(f"there is no lesson '{name}'",
                  f"did you mean {close[0]}?" if close else "./duet lesson shows them all")
