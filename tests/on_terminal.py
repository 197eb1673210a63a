"""Runs a program on a terminal of its own, as a person would, and returns what it showed."""

import os
import pty
import select
import subprocess
import time


def run_on_terminal(command, *, answer="", deadline=120, whole=True, **options):
    """stderr is a terminal, and with `whole` stdin and stdout are too; `answer` is typed. Returns (status, text)."""
    ours, theirs = pty.openpty()
    try:
        streams = {"stdin": theirs, "stdout": theirs} if whole else {"stdout": subprocess.DEVNULL}
        with subprocess.Popen(command, stderr=theirs, start_new_session=True, **streams, **options) as process:
            os.write(ours, answer.encode())
            try:
                shown = read_until_it_ends(ours, process, deadline)
            finally:
                process.kill()
            return process.returncode, shown
    finally:
        os.close(ours)
        os.close(theirs)


def read_until_it_ends(ours, process, deadline):
    """The terminal's other end stays open in the caller: a kernel may throw away what is unread when the last user
    closes it, and the program's last words were then missing, once in some hundred runs."""
    shown, latest = b"", time.monotonic() + deadline
    while True:
        ended = process.poll() is not None  # asked first: all that it wrote can then be read
        if select.select([ours], [], [], 0 if ended else 0.05)[0]:
            shown += os.read(ours, 65536)
        elif ended:
            return shown.decode()
        elif time.monotonic() > latest:
            raise TimeoutError(f"{process.args} did not end in {deadline} s; it showed: {shown.decode()}")
