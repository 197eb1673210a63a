"""Runs the whole program in a folder of its own."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from on_terminal import run_on_terminal  # noqa: E402, F401

DUET = os.environ["DUET_PROGRAM"]
SHORT = ("--steps", "6")


class Ran:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="duet cli ")  # with a space
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_duet(self, *arguments, timeout=120, **variables):
        done = subprocess.run([DUET, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=timeout,
                              check=False, env={**os.environ, **variables})
        return Ran(done)

    def succeed(self, *arguments, **variables):
        ran = self.run_duet(*arguments, **variables)
        self.assertEqual(ran.code, 0, ran.err)
        return ran

    def refuse(self, *arguments, code=2):
        """Expects an error message of Duet's form and nothing on stdout; returns it."""
        ran = self.run_duet(*arguments)
        self.assertEqual((ran.code, ran.out), (code, ""), ran.err)
        self.assertTrue(ran.err.startswith("error: "), ran.err)
        return ran.err

    def json(self, *arguments):
        ran = self.succeed(*arguments, "--json")
        self.assertEqual(ran.err, "")
        return json.loads(ran.out)

    def only_run(self):
        (run,) = (self.folder / "runs").iterdir()
        return run


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
