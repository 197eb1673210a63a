"""./duet hint: a question, then the idea, then the shape of the code; one more at each call."""

import state
import text
from current import add_lesson_argument, lesson_at_hand

TIERS = 3


def add_arguments(parser):
    add_lesson_argument(parser)


def run(args):
    lesson = lesson_at_hand(args.lesson, state.load())
    with state.editing() as progress:
        mine = progress.of(lesson.slug)
        before = mine.get("hints", 0)
        mine["hints"] = min(before + 1, TIERS)
    tiers = range(1, TIERS + 1) if before == TIERS else [mine["hints"]]
    for tier in tiers:
        print(f"Hint {tier} of {TIERS}, {lesson.slug}\n")
        print(text.plain(text.section(lesson.read_text("hints.md"), str(tier))))
    if before == TIERS:
        print("These are all. ./duet solution shows Duet's own unit.")
    return 0
