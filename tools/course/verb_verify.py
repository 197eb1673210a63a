"""./duet verify: the course itself. Every stub fails with its own message, every product unit and accepted variant
passes, every mutant is told its misconception, and the texts are whole and current."""

import concurrent.futures
import os
import time

import building
import catalogue
import folder_checks
import judging
import refresh
from candidates import candidates_of
from place import from_here, write_whole


def add_arguments(parser):
    parser.add_argument("lesson", nargs="*", help="slugs or numbers; all without")
    parser.add_argument("--quick", action="store_true", help="leave out what must be built anew each time")
    parser.add_argument("--refresh", action="store_true", help="write what is out of date in the texts and pictures")


def run(args):
    started = time.monotonic()
    lessons = catalogue.load()
    chosen = [catalogue.find(lessons, name) for name in args.lesson] or lessons
    problems = []
    build(chosen, problems)
    if args.refresh:
        for lesson in chosen:
            for file, now in list(refresh.drift(lesson)):
                write_whole(file, now)
                print(f"written: {from_here(file)}")
    for lesson in chosen:
        judged = judge_all(lesson, problems)
        if not args.quick:
            problems += refused(lesson)
        found = list(folder_checks.problems(lesson))
        problems += [f"{lesson.folder.name}: {problem}" for problem in found]
        print(f"{lesson.number} {lesson.slug:<12} {judged}", flush=True)
    print(f"\n{len(problems)} problems in {len(chosen)} lessons, {time.monotonic() - started:.0f} s")
    for problem in problems:
        print(f"- {problem}")
    return 1 if problems else 0


def build(lessons, problems):
    targets = ["duet_judge"] + [f"lesson_{lesson.key}_{one.name}" for lesson in lessons for one in candidates_of(lesson)]
    print("building every candidate (a few minutes from nothing)", flush=True)
    building.configure()  # a new mutant is a new target
    worked, said = building.run_build(targets, keep_going=True)
    if not worked:
        problems.append("something does not build:\n" + "\n".join(
            line for line in said.splitlines() if "error" in line or line.startswith("FAILED"))[:3000])


def judge_all(lesson, problems):
    """One line of what the judge said to all candidates."""
    candidates = candidates_of(lesson)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        verdicts = list(pool.map(lambda one: verdict_of(lesson, one), candidates))
    good = {}
    for one, verdict in zip(candidates, verdicts):
        complaint = one.complaint(lesson, verdict)
        if complaint:
            problems.append(f"{lesson.folder.name}, {one.name}: {complaint}")
        right, of = good.get(one.kind, (0, 0))
        good[one.kind] = (right + (not complaint), of + 1)
    return "   ".join(f"{kind} {right}/{of}" for kind, (right, of) in good.items())


def verdict_of(lesson, one):
    program = building.build_folder() / "lessons" / f"lesson_{lesson.key}_{one.name}"
    if not program.exists():
        return {"kind": "not built", "text": "", "title": "", "number": 0}
    return judging.judge(lesson, program)


def refused(lesson):
    """A file without the function must not link, and the message must name the function."""
    worked, said = building.run_build([f"lesson_{lesson.key}_empty"])
    if worked:
        yield f"{lesson.folder.name}: an empty file links: something else defines {lesson.function}"
    elif lesson.function not in building.explain(lesson, lesson.my_file, said):
        yield f"{lesson.folder.name}: the message for an empty file does not name {lesson.function}"
