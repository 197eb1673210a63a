"""./duet reset: begin a lesson again; what was written is kept beside it."""

import state
from current import add_lesson_argument, lesson_at_hand
from place import Refused, ask_yes, from_here, write_whole


def add_arguments(parser):
    add_lesson_argument(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args):
    lesson = lesson_at_hand(args.lesson, state.load())
    file = lesson.my_file
    if not ask_yes(f"Begin {lesson.slug} again? Your file is kept under another name. [y/N] ", args.yes):
        return 0
    kept = keep(file) if file.exists() else None
    stub = lesson.folder / "stub.cpp"
    try:
        write_whole(file, stub.read_text(encoding="utf-8"))
    except Refused:
        if kept:
            kept.rename(file)  # a full disk: what was there stays where it was
        raise
    with state.editing() as progress:
        mine = progress.of(lesson.slug)
        mine.update(stub=state.fingerprint(stub), hints=0, failures=0)
        progress.data["current"] = lesson.slug
    print(f"{from_here(file)} is the stub again" + (f"; yours is now {from_here(kept)}" if kept else ""))
    return 0


def keep(file):
    """Renames the file to the first free name.1.cpp, name.2.cpp ..."""
    number = 1
    while (aside := file.with_name(f"{file.stem}.{number}{file.suffix}")).exists():
        number += 1
    file.rename(aside)
    return aside
