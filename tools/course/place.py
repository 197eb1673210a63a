"""Where things are, and the one kind of error that a person gets to read."""

import contextlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Refused(Exception):
    """What happened, and what to do; ends the program with exit code 2."""

    def __init__(self, what, fix="", code=2):
        super().__init__(what)
        self.what, self.fix, self.code = what, fix, code


def my_folder():
    """The student's own; git ignores it, so no update of Duet touches it."""
    return pathlib.Path(os.environ.get("DUET_MY") or ROOT / "my").absolute()  # the compiler runs in another folder


def lessons_folder():
    return pathlib.Path(os.environ.get("DUET_LESSONS") or ROOT / "lessons")


def build_folder():
    return pathlib.Path(os.environ.get("DUET_BUILD") or ROOT / "build" / "default")


def is_shared():
    """Whether Duet is a shared install, in which nobody writes; the launcher says so (tools/launcher/shared.sh)."""
    return bool(os.environ.get("DUET_OWN"))


def own_build():
    """Where slots are, and what is built from the student's code: the build folder, or one of the student's own."""
    return pathlib.Path(os.environ.get("DUET_OWN") or build_folder()).absolute()


def from_here(path):
    """A path as short as it can be told."""
    for base in (pathlib.Path.cwd(),) if is_shared() else (pathlib.Path.cwd(), ROOT):
        try:
            return str(pathlib.Path(path).relative_to(base))
        except ValueError:
            pass
    return str(path)


def on_terminal():
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask_yes(question, yes_flag):
    """Asks on a terminal; elsewhere only --yes is a yes."""
    if yes_flag:
        return True
    if not on_terminal():
        raise Refused(question.replace(" [y/N] ", ""), "add --yes to go on")
    return input(question).strip().lower() in ("y", "yes")


def write_whole(path, text):
    """Writes a file that is there whole or not at all."""
    part = path.with_name(path.name + ".tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise Refused(f"{from_here(path)} cannot be written: {error.strerror}",
                      "free some space, or look at who owns the folder; your code is untouched") from error
