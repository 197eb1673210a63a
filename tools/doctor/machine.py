"""All that the doctor learns about the machine comes through a Machine, so that tests can put a recorded one here."""

import collections
import glob
import importlib.util
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

ABSENT, LATE = "absent", "late"
# code: the exit status, or None with `trouble` saying why there is none.
Output = collections.namedtuple("Output", "code out err trouble")
Disk = collections.namedtuple("Disk", "total free")


class Machine:
    def __init__(self, root):
        self.root = pathlib.Path(root)

    def run(self, command, seconds=10):
        """Runs a program to its end or for `seconds`; then it and all that it started is ended."""
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       start_new_session=True, env={**os.environ, "LC_ALL": "C"})
        except OSError:
            return Output(None, "", "", ABSENT)
        try:
            out, err = process.communicate(timeout=seconds)
            code, trouble = process.returncode, ""
        except subprocess.TimeoutExpired:
            out, err = self._end(process)
            code, trouble = None, LATE
        except BaseException:  # Ctrl-C: nothing that was started stays
            self._end(process)
            raise
        return Output(code, out.decode(errors="replace"), err.decode(errors="replace"), trouble)

    @staticmethod
    def _end(process):
        for number in (signal.SIGTERM, signal.SIGKILL):  # mpirun ends its ranks when it is asked to end
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                pass
            try:
                return process.communicate(timeout=3)
            except subprocess.TimeoutExpired:
                continue
        return b"", b""

    def read(self, path):
        """A file's text, or None."""
        try:
            return pathlib.Path(path).read_text(errors="replace")
        except OSError:
            return None

    def find(self, program):
        """The path of a program in PATH, or None."""
        return shutil.which(program)

    def variable(self, name):
        return os.environ.get(name, "")

    def exists(self, path):
        return os.path.exists(path)

    def glob(self, pattern):
        return sorted(glob.glob(str(pattern)))

    def disk(self, path):
        """Bytes of the file system that holds `path`, or None."""
        try:
            usage = shutil.disk_usage(path)
        except OSError:
            return None
        return Disk(usage.total, usage.free)

    def cores(self):
        """Those that this process may use."""
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def limit(self, name):
        """The soft limit of this process ("NPROC", "MEMLOCK"); None: no limit."""
        number = getattr(resource, f"RLIMIT_{name}", None)
        soft = resource.RLIM_INFINITY if number is None else resource.getrlimit(number)[0]
        return None if soft == resource.RLIM_INFINITY else soft

    def python(self):
        """The version of Python (a tuple), and whether it can make a virtual environment with pip in it."""
        return sys.version_info[:3], bool(importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"))
