"""./duet explain: after the pass, what just happened and what real systems do."""

import state
import text
from current import add_lesson_argument, lesson_at_hand
from place import ask_yes


def add_arguments(parser):
    add_lesson_argument(parser)
    parser.add_argument("--yes", action="store_true", help="read it though the lesson is not passed")


def run(args):
    progress = state.load()
    lesson = lesson_at_hand(args.lesson, progress)
    if not progress.of(lesson.slug).get("passed"):
        if not ask_yes(f"{lesson.slug} is not passed yet, and this tells the answer. Read on? [y/N] ", args.yes):
            return 0
    print(text.plain(lesson.read_text("explain.md")))
    return 0
