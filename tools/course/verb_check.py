"""./duet check: builds the student's unit and lets the judge try it, from the smallest case up."""

import time

import building
import judging
import predictions
import state
import text
from current import add_lesson_argument, lesson_at_hand, need_file


def add_arguments(parser):
    add_lesson_argument(parser)
    parser.add_argument("--full", action="store_true", help="show all that the compiler says")
    parser.add_argument("--asan", action="store_true",
                        help="run it with AddressSanitizer, which names the line of a crash (about 20 s more)")


def run(args):
    lesson = lesson_at_hand(args.lesson, state.load())
    need_file(lesson)
    passed = check(lesson, full=args.full, asan=args.asan)
    current = state.load().current
    if args.lesson and current not in ("", lesson.slug):
        print(f"(the lesson at hand is still {current}; ./duet lesson {lesson.slug} changes to this one)")
    return 0 if passed else 1


def check(lesson, full=False, asan=False):
    """Prints the verdict and keeps it; True when all cases passed."""
    started = time.monotonic()
    tried = state.fingerprint(lesson.my_file)  # before the build: an edit during it was not judged
    try:
        with building.turn():  # to the end of judging: another student's check builds the same program
            program = building.build_mine(lesson, lesson.my_file, "mine_asan" if asan else "mine")
            verdict = judging.judge(lesson, program, asan)
    except building.DoesNotBuild as error:
        remember_failure(lesson)
        print(f"{lesson.slug}: {text.paint('not built', 'red')}\n")
        print(error.full if full else error.short + "\n./duet check --full shows all that the compiler said")
        return False
    seconds = time.monotonic() - started
    if verdict["kind"] == "passed":
        remember_pass(lesson, tried)
        print(f"{lesson.slug}: {text.paint('passed', 'green')}, all {verdict['cases']} cases ({seconds:.1f} s)\n")
        after_the_pass(lesson)
        return True
    failures = remember_failure(lesson)
    word = "not written yet" if verdict["kind"] == "not_written" else "not yet"
    print(f"{lesson.slug}: {text.paint(word, 'red')} ({seconds:.1f} s)\n")
    print(judging.render(verdict))
    if failures >= 3:
        print("./duet hint gives a hint")
    return False


def remember_pass(lesson, tried):
    with state.editing() as progress:
        mine = progress.of(lesson.slug)
        mine.update(passed=tried, passed_on=state.today())


def remember_failure(lesson):
    with state.editing() as progress:
        mine = progress.of(lesson.slug)
        mine["failures"] = mine.get("failures", 0) + 1
        return mine["failures"]


def after_the_pass(lesson):
    predictions.show_beside_measured(lesson, state.load())
    print("next: ./duet explain          what just happened, and what real systems do\n"
          "      ./duet solution         Duet's own unit beside yours\n"
          f"      ./duet compare --mine {' '.join(lesson.compare)}\n"
          "                              train with your code, and see what it does there\n"
          "      ./duet lesson           the map")
