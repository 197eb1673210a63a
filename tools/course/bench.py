"""./duet bench lesson [SLUG...] [--rounds N]: how long from a save to the verdict, as a student feels it.

Each round edits the file (a comment, so that it is built anew), then times the whole of `./duet check`. The parts are
the build and the judge, taken in the same round. Runs in a folder of its own; nobody's my/ is touched.
"""

import argparse
import contextlib
import io
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT_S = 5.0


def rounds_of(lesson, rounds):
    """Yields (all, build, judge) in seconds; the first, which builds everything else, is not counted."""
    import building
    import judging
    from place import ROOT
    source = lesson.source.read_text(encoding="utf-8")
    lesson.my_file.parent.mkdir(parents=True, exist_ok=True)
    for number in range(rounds + 1):
        lesson.my_file.write_text(f"{source}// {number}\n", encoding="utf-8")
        start = time.perf_counter()
        run = subprocess.run([str(ROOT / "duet"), "check", lesson.slug], stdout=subprocess.DEVNULL, check=False)
        whole = time.perf_counter() - start
        if run.returncode != 0:
            raise SystemExit(f"error: {lesson.slug} does not pass with Duet's own unit")
        lesson.my_file.write_text(f"{source}// {number} again\n", encoding="utf-8")
        start = time.perf_counter()
        program = building.build_mine(lesson, lesson.my_file)
        built = time.perf_counter()
        judging.judge(lesson, program)
        if number > 0:
            yield whole, built - start, time.perf_counter() - built


def main():
    parser = argparse.ArgumentParser(prog="./duet bench lesson", description=__doc__.splitlines()[0])
    parser.add_argument("lesson", nargs="*", help="slugs or numbers; all without")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="duet bench ") as folder:
        os.environ["DUET_MY"] = str(pathlib.Path(folder) / "my")
        import catalogue
        lessons = catalogue.load()
        chosen = [catalogue.find(lessons, name) for name in args.lesson] or lessons
        print(f"from a save to the verdict, s ({args.rounds} rounds; the limit is {LIMIT_S:.0f})\n")
        print(f"{'lesson':<14}{'min':>7}{'median':>8}{'max':>7}   {'build':>6}{'judge':>7}")
        for lesson in chosen:
            with contextlib.redirect_stderr(io.StringIO()):
                times = list(rounds_of(lesson, args.rounds))
            whole, build, judge = (sorted(part) for part in zip(*times))
            print(f"{lesson.slug:<14}{whole[0]:>7.2f}{statistics.median(whole):>8.2f}{whole[-1]:>7.2f}   "
                  f"{statistics.median(build):>6.2f}{statistics.median(judge):>7.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
