"""./duet solution: the product's unit beside the student's, as a diff."""

import difflib

import state
import text
from current import add_lesson_argument, lesson_at_hand
from place import ask_yes, from_here


def add_arguments(parser):
    add_lesson_argument(parser)
    parser.add_argument("--yes", action="store_true", help="show it though the lesson is not passed")


def run(args):
    progress = state.load()
    lesson = lesson_at_hand(args.lesson, progress)
    if not progress.of(lesson.slug).get("passed"):
        if not ask_yes(f"{lesson.slug} is not passed yet. Show Duet's unit all the same? [y/N] ", args.yes):
            return 0
    theirs = lesson.source.read_text(encoding="utf-8")
    if not lesson.my_file.exists():
        print(theirs)
        return 0
    mine = lesson.my_file.read_text(encoding="utf-8", errors="replace")
    lines = list(difflib.unified_diff(mine.splitlines(), theirs.splitlines(), f"yours  {from_here(lesson.my_file)}",
                                      f"Duet's {from_here(lesson.source)}", n=1000, lineterm=""))
    if not lines:
        print("Yours is Duet's, letter by letter.")
    for line in lines:
        colour = {"+": "green", "-": "red"}.get(line[:1])
        print(text.paint(line, colour) if colour else line)
    return 0
