"""./duet compare --mine (and train --mine): the whole program on every unit that the student passed."""

import os
import sys
import textwrap

import building
import catalogue
import state
from place import Refused, my_folder, own_build

# Lessons whose unit runs only where a flag chooses it.
CHOSEN_BY = {"ranks": ("--all-reduce", "naive"), "all-to-all": ("--all-to-all", "pairwise")}


def run(verb, arguments):
    arguments = [argument for argument in arguments if argument != "--mine"]
    lessons = catalogue.load()
    progress = state.load()
    statuses = {lesson.slug: progress.status(lesson) for lesson in lessons}
    mine = [lesson for lesson in lessons if statuses[lesson.slug] == "passed"]
    changed = [lesson.slug for lesson in lessons if statuses[lesson.slug] == "changed"]
    if not mine:
        raise Refused("no unit of yours has passed yet" + (f" ({', '.join(changed)} changed since)" if changed else ""),
                      "./duet check first")
    tell(mine, changed, lessons)
    if not arguments and verb == "compare":
        arguments = flags_of_lesson(progress, mine)
    program = build(lessons, mine)
    for lesson in mine:
        flag, value = CHOSEN_BY.get(lesson.slug, (None, None))
        if flag and not any(argument.split("=")[0] == flag for argument in arguments):
            arguments += [flag, value]
    if verb == "compare" and not {"--help", "-h", "--sweep"} & {argument.split("=")[0] for argument in arguments}:
        arguments = with_folder(arguments)
    sys.stdout.flush()
    os.execv(program, [str(program), verb, *arguments])


def flags_of_lesson(progress, mine):
    """Those that make the unit at hand matter, where the person gave none."""
    at_hand = [lesson for lesson in mine if lesson.slug == progress.current] or mine[-1:]
    flags = list(at_hand[0].compare)
    print(f"flags:      {' '.join(flags)}   (of lesson {at_hand[0].slug}; give your own to change them)", file=sys.stderr)
    return flags


def with_folder(arguments):
    """Names the run's folder, so that ./duet see finds it."""
    for i, argument in enumerate(arguments):
        if argument == "--out" and i + 1 < len(arguments):
            keep_run(arguments[i + 1])
            return arguments
        if argument.startswith("--out="):
            keep_run(argument.partition("=")[2])
            return arguments
    number = 1
    while (folder := my_folder() / "runs" / f"{number:03}").exists():
        number += 1
    keep_run(folder)
    return [*arguments, "--out", str(folder)]


def keep_run(folder):
    with state.editing() as progress:
        progress.data["last_run"] = os.path.abspath(folder)


def tell(mine, changed, lessons):
    say = lambda line: print(line, file=sys.stderr)  # noqa: E731  stdout is the program's
    say(textwrap.fill("your code:  " + ", ".join(f"{lesson.slug} ({lesson.unit})" for lesson in mine), 79,
                      subsequent_indent=" " * 12, break_on_hyphens=False))
    say(f"Duet's:     the other {len(lessons) - len(mine)} lessons' units, and the rest of the program")
    if changed:
        say(f"left out:   {', '.join(changed)}: changed since it passed; ./duet check {changed[0]} first")


def build(lessons, mine):
    print("duet: linking your units into the program (seconds; half a minute the first time)", file=sys.stderr)
    with building.turn():
        for lesson in lessons:
            building.set_slot(lesson, "duet", lesson.my_file if lesson in mine else lesson.source)
        worked, said = building.run_build(["duet_mine"])
    if not worked:
        raise Refused("your units do not build into the program:\n" + said[-2000:], "./duet check each of them")
    return own_build() / "lessons" / "duet_mine"
