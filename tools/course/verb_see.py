"""./duet see: the last run on the student's units in the viewer, at the lesson's scene; without a display, the report at
the lesson's part."""

import os
import pathlib
import shutil
import subprocess

import state
from current import add_lesson_argument, lesson_at_hand
from place import Refused, build_folder, from_here


def add_arguments(parser):
    add_lesson_argument(parser)
    parser.add_argument("--print", action="store_true", help="print the address and open nothing")


def run(args):
    progress = state.load()
    lesson = lesson_at_hand(args.lesson, progress)
    told = progress.data.get("last_run", "")
    report = pathlib.Path(told) / "report.html"
    if not told or not report.exists():
        raise Refused("there is no run on your units yet" if not told else f"{from_here(report)} is not there",
                      "./duet compare --mine makes one")
    address = f"{report.resolve().as_uri()}#{lesson.see}"
    print(f"{lesson.slug}: {address}")
    has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    viewer = build_folder() / "duet_view"
    if has_display and viewer.exists() and not args.print:
        os.execv(viewer, [str(viewer), told, *(word for name, value in lesson.scene.items()
                                               for word in (f"--{name}", str(value)))])
    opener = shutil.which("xdg-open") or shutil.which("open")
    if args.print or not opener or not has_display:
        print("open it in a browser" if args.print or opener else "open it in a browser (here is none)")
        return 0
    subprocess.Popen([opener, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    return 0
