"""./duet lesson: the map; ./duet lesson SLUG: start one."""

import textwrap

import catalogue
import state
import text
from place import ROOT, from_here, write_whole

NAMES = {"new": "-", "started": "started", "passed": "passed", "changed": "changed since it passed"}


def add_arguments(parser):
    parser.add_argument("lesson", nargs="?", help="a slug or a number; without it, the map of all lessons")


def run(args):
    lessons = catalogue.load()
    if args.lesson is None:
        show_map(lessons, state.load())
        return 0
    start(catalogue.find(lessons, args.lesson))
    return 0


def show_map(lessons, progress):
    if progress.note:
        print(textwrap.fill(progress.note, 79, break_long_words=False) + "\n")
    statuses = {lesson.slug: progress.status(lesson) for lesson in lessons}
    done = sum(status == "passed" for status in statuses.values())
    print(f"The course: {done} of {len(lessons)} lessons passed\n")
    for lesson in lessons:
        mark = ">" if lesson.slug == progress.current else " "
        print(f"{mark} {lesson.number} {lesson.slug:<12} {NAMES[statuses[lesson.slug]]:<24}"
              f"{lesson.minutes:>3} min  {lesson.title}")
    following = next_lesson(lessons, progress)
    print()
    if following is None:
        print("All passed. ./duet compare --mine runs the whole system on your code.")
    else:
        print(f"next: ./duet lesson {following.slug}     (any order is allowed)")


def next_lesson(lessons, progress):
    """The one at hand unless it is passed, else the first that is not."""
    open_ones = [lesson for lesson in lessons if progress.status(lesson) not in ("passed", "changed")]
    for lesson in open_ones:
        if lesson.slug == progress.current:
            return lesson
    return open_ones[0] if open_ones else None


def start(lesson):
    stub = lesson.folder / "stub.cpp"
    with state.editing() as progress:
        mine = progress.of(lesson.slug)
        progress.data["current"] = lesson.slug
        fresh = not lesson.my_file.exists()
        if fresh:
            write_whole(lesson.my_file, stub.read_text(encoding="utf-8"))
            mine["stub"] = state.fingerprint(stub)
            mine.setdefault("started", state.today())
        changed = mine.get("stub", "") not in ("", state.fingerprint(stub))
    print(f"Lesson {lesson.number}, {lesson.title}: about {lesson.minutes} minutes\n")
    print(text.plain(text.section(lesson.read_text("README.md"), "Your task")))
    print(f"your file   {from_here(lesson.my_file)}" + ("" if fresh else "   (as you left it)"))
    print(f"the idea    {from_here(lesson.folder / 'README.md')}")
    print(f"at hand     {from_here(lesson.folder.parent / 'card.md')}")
    for header in lesson.read:
        print(f"            {from_here(ROOT / header)}")
    if changed:
        print(f"\nDuet has a newer stub for this lesson:\n  {from_here(stub)}\n"
              "Yours is kept. Look whether the signature still fits, or take the new one with\n"
              "./duet reset, which keeps a copy of yours.")
    print("\nFirst ./duet predict, then write, then ./duet check (or ./duet watch).\nStuck? ./duet hint")
