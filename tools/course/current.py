"""Which lesson a verb means when none is named: the one at hand."""

import catalogue
from place import Refused, from_here


def lesson_at_hand(name, progress):
    lessons = catalogue.load()
    if name:
        return catalogue.find(lessons, name)
    if progress.current:
        return catalogue.find(lessons, progress.current)
    raise Refused("no lesson is started", f"./duet lesson {lessons[0].slug} starts the first")


def need_file(lesson):
    if lesson.my_file.exists() and not lesson.my_file.is_file():  # a pipe would be waited for
        raise Refused(f"{from_here(lesson.my_file)} is no file", "./duet reset puts it aside and begins again")
    if not lesson.my_file.exists():
        raise Refused(f"{from_here(lesson.my_file)} is not there", f"./duet lesson {lesson.slug} makes it")


def add_lesson_argument(parser):
    parser.add_argument("lesson", nargs="?", help="a slug or a number; without it, the lesson at hand")
