"""./duet watch: ./duet check at every save."""

import time

import state
import verb_check
from current import add_lesson_argument, lesson_at_hand, need_file
from place import from_here

PAUSE_S = 0.2


def add_arguments(parser):
    add_lesson_argument(parser)


def run(args):
    lesson = lesson_at_hand(args.lesson, state.load())
    need_file(lesson)
    print(f"watching {from_here(lesson.my_file)}; Ctrl-C ends\n", flush=True)
    seen = None
    try:
        while True:
            now = saved(lesson.my_file)
            if now is not None and now != seen:
                seen = now
                verb_check.check(lesson)
                print("-" * 79, flush=True)
            time.sleep(PAUSE_S)
    except KeyboardInterrupt:
        print()
        return 0


def saved(file):
    """What changes when a file is saved; None while an editor replaces it."""
    try:
        status = file.stat()
        return status.st_mtime_ns, status.st_size, status.st_ino
    except FileNotFoundError:
        return None
