"""./duet install --shared for real, and two students who share it: another user, no network, no right to write there.

usage: shared_test.py      DUET_LIBTORCH is the LibTorch to build with. It takes as long as building Duet; with
DUET_SHARED_TEST=DIR an earlier shared install is updated instead of a new one made.
"""

import atexit
import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBTORCH = pathlib.Path(os.environ["DUET_LIBTORCH"]).resolve()
SKIPPED = 77
IS_ROOT = os.geteuid() == 0
# Without a network of its own kind there is none: not even this machine's.
NO_NETWORK = ["unshare", "--net"] if IS_ROOT and subprocess.run(
    ["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0 else []
AS_ANOTHER = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if IS_ROOT else []


def as_student(*command):
    return [*NO_NETWORK, *AS_ANOTHER, *map(str, command)]


def snapshot(folder):
    return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}


class Student:
    """Somebody in a folder of their own; root lends them the user nobody."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        if IS_ROOT:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DUET_") and name != "DISPLAY"}
        return {**kept, "HOME": str(self.folder), "NO_COLOR": "1"}

    def start(self, *arguments, cwd=None):
        return subprocess.Popen(as_student(*arguments), cwd=cwd or self.folder, env=self.environment(), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def write(self, lesson, name, text):
        subprocess.run(as_student("tee", self.folder / "my" / lesson / name), input=text, text=True, check=True,
                       stdout=subprocess.DEVNULL)


class SharedInstall(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="duet shared "))
        atexit.register(shutil.rmtree, cls.base, ignore_errors=True)
        cls.base.chmod(0o755)
        cls.dir = pathlib.Path(os.environ.get("DUET_SHARED_TEST") or cls.base / "duet")
        tools = str(pathlib.Path(os.environ.get("DUET_CMAKE") or shutil.which("cmake")).parent)
        done = subprocess.run(
            [ROOT / "duet", "install", "--shared", cls.dir], check=False, text=True, capture_output=True,
            env={**os.environ, "DUET_LIBTORCH": str(LIBTORCH), "DUET_SKIP_PACKAGES": "1", "DUET_PRESET": "",
                 "PATH": f"{tools}:{os.environ['PATH']}"})
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        if not IS_ROOT:  # the same user as the students: take the right away
            subprocess.run(["chmod", "-R", "a-w", cls.dir], check=True)
            atexit.register(subprocess.run, ["chmod", "-R", "u+w", cls.dir], check=False)
        cls.before = snapshot(cls.dir)

    def setUp(self):
        self.ada = Student(self.base / f"ada {self._testMethodName}"[:40])
        self.expert = (ROOT / "src" / "moe" / "expert.cpp").read_text()

    def tearDown(self):
        self.assertEqual(snapshot(self.dir), self.before, "something was written in the shared folder")

    def told(self, *arguments, code=0, student=None, cwd=None):
        """What `./duet ARGUMENTS` says to the student; DIR/duet where there is none yet."""
        student = student or self.ada
        duet = student.folder / "duet"
        run = student.start(duet if duet.exists() else self.dir / "duet", *arguments, cwd=cwd)
        said, _ = run.communicate(timeout=600)
        self.assertEqual(run.returncode, code, f"{arguments}:\n{said}")
        return said

    def test_the_comparison_runs_without_a_network_and_leaves_its_run_with_the_student(self):
        self.assertIn("equal", self.told("compare", "--steps", "4"))
        (run,) = (self.ada.folder / "runs").iterdir()
        self.assertIn("expert parallelism", self.told("trace", "show", str(run)).lower())
        self.told("train", "--steps", "2", "--mode", "ep")

    def test_a_lesson_from_the_stub_to_the_system(self):
        self.assertIn("0 of", self.told("lesson"))
        self.assertIn(f"{self.dir}/src/moe/expert.h", self.told("lesson", "expert"))
        self.assertIn("not written yet: expert_forward", self.told("check", code=1))
        self.told("predict", "--answer", "parameters=4000")
        self.assertIn("Hint 1 of 3", self.told("hint"))

        self.ada.write("expert", "expert.cpp", self.expert.replace("at::relu", "at::rilu"))
        said = self.told("check", code=1)
        line = 1 + next(i for i, text in enumerate(self.expert.splitlines()) if "at::relu" in text)
        self.assertIn(f"line {line}: 'rilu' is not a member of 'at'", said)
        self.ada.write("expert", "expert.cpp", '#include "moe/expert.h"\n')
        self.assertIn("does not define `expert_forward`", self.told("check", code=1))

        self.ada.write("expert", "expert.cpp", self.expert)
        self.assertIn("passed", self.told("check"))
        self.assertIn("passed", self.told("check", "--asan"))
        self.assertIn("letter by letter", self.told("solution"))
        self.assertIn("WHAT JUST HAPPENED", self.told("explain"))

        said = self.told("compare", "--mine", "--steps", "4")
        self.assertIn("your code:  expert", said)
        self.assertTrue((self.ada.folder / "my" / "runs" / "001" / "report.html").exists())
        self.assertIn("runs/001/report.html#", self.told("see", "--print"))
        self.assertIn("is now", self.told("reset", "--yes"))
        self.assertIn("not written yet", self.told("check", code=1))

    def test_the_whole_program_runs_on_the_students_unit(self):
        self.told("lesson", "expert")
        self.ada.write("expert", "loud.h", '#pragma once\n#include <cstdio>\ninline bool loud() '
                       '{ return std::fputs("MINE RUNS\\n", stderr) >= 0; }\n')
        self.ada.write("expert", "expert.cpp", '#include "loud.h"\n' + self.expert.replace(
            "  const auto hidden", "  static const bool said = loud();\n  static_cast<void>(said);\n  const auto hidden"))
        self.told("check")
        self.assertIn("MINE RUNS", self.told("compare", "--mine", "--steps", "4", "--quiet"))
        self.ada.write("expert", "loud.h", "inline bool loud() { return wrong; }\n")  # a file beside the unit
        self.assertIn("not built", self.told("check", code=1))

    def test_two_students_at_once_do_not_meet(self):
        bob = Student(self.base / "bob")
        for student in (self.ada, bob):
            self.told("lesson", "expert", student=student)
        self.ada.write("expert", "expert.cpp", self.expert)
        bob.write("expert", "expert.cpp", (ROOT / "lessons/01_expert/mutants/relu_last.cpp").read_text())
        for _ in range(2):
            runs = [student.start(student.folder / "duet", "check") for student in (self.ada, bob)]
            (passed, _), (failed, _) = [run.communicate(timeout=600) for run in runs]
            self.assertIn("passed", passed)
            self.assertIn("The ReLU stands after", failed)
            self.assertNotIn("waiting", passed + failed)

    def test_one_student_twice_takes_turns(self):
        self.told("lesson", "expert")
        self.ada.write("expert", "expert.cpp", self.expert)
        runs = [self.ada.start(self.ada.folder / "duet", "check") for _ in range(2)]
        said = [run.communicate(timeout=600)[0] for run in runs]
        for text in said:
            self.assertIn("passed", text)
        self.assertIn("waiting for it", "".join(said))

    def test_a_save_is_watched(self):
        self.told("lesson", "expert")
        watch = self.ada.start(self.ada.folder / "duet", "watch")
        with contextlib.ExitStack() as stack:
            stack.callback(watch.kill)
            text = ""
            while "not written yet" not in text:
                text = watch.stdout.readline()
                self.assertTrue(text, "watch ended")
            self.ada.write("expert", "expert.cpp", self.expert)
            while "passed" not in text:
                text = watch.stdout.readline()
                self.assertTrue(text, "watch ended")
        watch.wait()
        watch.stdout.close()

    def test_what_needs_a_clone_and_who_stands_in_the_shared_folder_are_told(self):
        for verb in ("test", "verify", "bench", "setup"):
            self.assertIn("git clone", self.told(verb, code=2))
        self.assertIn("nobody works", self.told("lesson", code=2, cwd=self.dir))


def main():
    another = as_student("test", "-r", LIBTORCH / "lib" / "libtorch_cpu.so")
    if subprocess.run(another, check=False).returncode != 0:
        print(f"skipped: another user cannot read {LIBTORCH}, so no shared install with it works")
        return SKIPPED
    return 0 if unittest.main(verbosity=2, exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
