"""Processes that a test starts, found again by a mark in their environment wherever their parents put them."""

import os
import pathlib
import signal
import subprocess
import time
import uuid

DUET = os.environ["DUET_PROGRAM"]


class Marked:
    """Starts commands; `end` ends all that came of them."""

    def __init__(self):
        self.mark = f"DUET_TEST_MARK={uuid.uuid4()}"

    def start(self, command, environment=None):
        name, value = self.mark.split("=")
        return subprocess.Popen(command, env={**(environment or os.environ), name: value}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def processes(self, **variables):
        """The ids of those that run still, of the ones with these variables in their environment."""
        wanted = {self.mark, *(f"{name}={value}" for name, value in variables.items())}
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                there = set((folder / "environ").read_bytes().decode(errors="replace").split("\0"))
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, PermissionError, ProcessLookupError):
                continue
            if wanted <= there and state != "Z":
                found.append(int(folder.name))
        return found

    def rank(self, rank, seconds=60):
        """The process id of a rank, once it runs Duet (and no longer the launcher's fork of itself)."""
        def running():
            return [process for process in self.processes(RANK=rank)
                    if os.path.realpath(f"/proc/{process}/exe") == os.path.realpath(DUET)]
        return wait_for(running, seconds, f"rank {rank} did not start")[0]

    def left(self, seconds=10):
        """Those that are still there after a while; an empty list as soon as there is none."""
        latest = time.monotonic() + seconds
        while (there := self.processes()) and time.monotonic() < latest:
            time.sleep(0.05)
        return there

    def end(self):
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


def wait_for(condition, seconds, complaint):
    latest = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > latest:
            raise TimeoutError(complaint)
        time.sleep(0.05)
    return found
