"""Builds the student's unit: into the judge's student process, or into the whole program."""

import contextlib
import fcntl
import os
import re
import subprocess
import sys

import shared_build
import state
from place import ROOT, Refused, build_folder, from_here, is_shared, own_build, write_whole

sys.path.insert(0, str(ROOT / "tools"))
import compile_errors  # noqa: E402
import swap_build  # noqa: E402

MOST_ERRORS = 3


class DoesNotBuild(Exception):
    """The short text for the student, and all that the compiler said."""

    def __init__(self, short, full):
        super().__init__(short)
        self.short, self.full = short, full


def set_slot(lesson, name, file):
    """Lets the slot's file in the build folder include `file`; see cmake/DuetLesson.cmake."""
    if not re.fullmatch(r'[^"\n\udc80-\udcff]+', str(file)):  # #include has no way to say it
        raise Refused(f"a folder's name has a quote, a line break or a byte that is no UTF-8: {ascii(str(file))}",
                      "DUET_MY=/another/folder lets your code lie elsewhere")
    slot = own_build() / "lessons" / lesson.key / f"{name}.cpp"
    if is_shared() and file == lesson.source:  # its object is in the shared build folder
        slot.unlink(missing_ok=True)
        return
    text = f'#include "{file}"  // {state.fingerprint(file)}\n'  # a file that was moved here may be older than its object
    if not slot.exists() or slot.read_text(encoding="utf-8") != text:
        write_whole(slot, text)


turns = 0


@contextlib.contextmanager
def turn():
    """One ./duet at a time, from filling a slot until what was built from it is no longer needed: the next may bring
    another student's file. The launcher's lock (tools/launcher/say.sh), or with a shared install one in the student's own
    folder; a turn within a turn is the same one."""
    global turns
    with open((own_build() if is_shared() else build_folder().parent) / ".lock", "a", encoding="utf-8") as lock:
        if turns == 0:
            wait_for(lock)
        turns += 1
        try:
            yield
        finally:
            turns -= 1


def wait_for(lock):
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another ./duet builds in this folder; waiting for it", file=sys.stderr, flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)


def configure():
    """Looks again which files there are; seconds."""
    with turn():
        subprocess.run(["cmake", str(build_folder())], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def run_build(targets, keep_going=False):
    """Returns (whether it worked, what was said)."""
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 2)
    if is_shared():
        with turn():
            return shared_build.build(targets, int(jobs))
    command = ["cmake", "--build", str(build_folder()), "--target", *targets, "--parallel", jobs]
    if keep_going:
        command += ["--", "-k", "0"]
    environment = dict(os.environ, LC_ALL="C")  # the messages below are matched in English
    with turn():
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                             env=environment, errors="replace")
    return run.returncode == 0, run.stdout


def build_mine(lesson, file, name="mine"):
    """Builds lesson_SLUG_mine on the student's file and returns the program's path.

    @raises DoesNotBuild with the student's own lines first
    """
    target = f"lesson_{lesson.key}_{name}"
    with turn():
        set_slot(lesson, "mine", file)
        worked, said = run_build([target])
    if not worked:
        raise DoesNotBuild(explain(lesson, file, said), said)
    return own_build() / "lessons" / target


def explain(lesson, file, said):
    """The compiler's or linker's complaint, as short as it can be."""
    if "No space left on device" in said:
        raise Refused("the disk is full: the build needs some MB", "free some space and run the same command again")
    errors = compile_errors.own_errors(file, said)
    if errors:
        shown = "\n".join(errors[:MOST_ERRORS])
        more = f"\n  .. and {len(errors) - MOST_ERRORS} more in your file" if len(errors) > MOST_ERRORS else ""
        return f"Your file does not compile.\n\n{shown}{more}\n"
    header = (ROOT / "src" / f"{lesson.unit}.h").read_text(encoding="utf-8")
    messages = list(swap_build.explain(said, lesson.unit, from_here(file), header))
    if messages:
        return "Your file compiles, but does not fit into the program.\n\n" + "\n".join(messages) + "\n"
    lines = [line for line in said.splitlines() if line.strip()]
    other = [line for line in lines if "error" in line][:MOST_ERRORS] or lines[-MOST_ERRORS:]
    return "The build failed, and not in your file:\n\n" + "\n".join(f"  {line[:300]}" for line in other) + "\n"
