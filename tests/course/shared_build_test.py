"""Building with a shared install: what runs, what is kept, and that the shared folder stays as it is.

The compiler is a fake: it writes its words and its source into the object, and a dependency file beside it.
"""

import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "course"))
import shared_build  # noqa: E402
from place import Refused  # noqa: E402

COMPILER = r'''#!/usr/bin/env bash
echo "$*" >>"$CALLS"
while [[ $# -gt 0 ]]; do
  case $1 in -o) out=$2; shift ;; -c) source=$2; shift ;; -MF) depends=$2; shift ;; -MT) shift ;; *.o) objects+=" $1" ;; esac
  shift
done
included=$(sed -n 's/#include "\(.*\)"/\1/p' ${source:-/dev/null})
if grep -q wrong $included /dev/null; then echo "$included:1:1: error: wrong" >&2; exit 1; fi
[[ $depends ]] && printf '%s: \\\n %s \\\n %s\n' "$out" "${source// /\\ }" "${included// /\\ }" >"$depends"
cat $included $objects >"$out"
'''


class SharedBuild(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.build, self.own = self.folder / "shared" / "build" / "default", self.folder / "ada" / ".duet"
        (self.build / "shared_commands").mkdir(parents=True)
        self.compiler = self.folder / "c++"
        self.compiler.write_text(COMPILER)
        self.compiler.chmod(0o755)
        self.stamp("Monday")
        for unit in ("expert", "router"):
            (self.build / f"{unit}.o").write_text(f"Duet's {unit}\n")
        (self.build / "other.o").write_text("the rest\n")
        lines = [f"{self.compiler} -o other.o -c {self.build}/other.cpp"]
        lines += [f"{self.compiler} -MD -MT {unit}.o -MF {unit}.o.d -o {unit}.o -c {self.slot(unit, self.build)}"
                  for unit in ("expert", "router")]
        lines += [f": && {self.compiler} expert.o router.o other.o -o lessons/duet_mine && :"]
        (self.build / "shared_commands" / "duet_mine.txt").write_text("\n".join(lines) + "\n")
        self.mine = self.folder / "ada" / "expert.cpp"
        self.before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(self.before)))
        os.environ.update(DUET_BUILD=str(self.build), DUET_OWN=str(self.own), CALLS=str(self.folder / "calls"))

    def stamp(self, text):
        (self.build.parent / "shared.stamp").write_text(text)

    def slot(self, unit, below):
        return below / "lessons" / unit / "duet.cpp"

    def write(self, text):
        self.mine.parent.mkdir(exist_ok=True)
        self.mine.write_text(text)
        slot = self.slot("expert", self.own)
        slot.parent.mkdir(parents=True, exist_ok=True)
        if not slot.exists():
            slot.write_text(f'#include "{self.mine}"\n')

    def calls(self):
        """How often the compiler ran since the last question."""
        file = self.folder / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return len(lines)

    def built(self):
        worked, said = shared_build.build(["duet_mine"], 2)
        self.assertTrue(worked, said)
        return (self.own / "lessons" / "duet_mine").read_text()

    def test_the_students_unit_stands_among_the_shared_objects(self):
        before = {path: path.stat().st_mtime_ns for path in self.build.rglob("*")}
        self.write("ada's expert\n")
        self.assertEqual(self.built(), "ada's expert\nDuet's router\nthe rest\n")
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.build.rglob("*")}, before)

    def test_nothing_runs_where_nothing_changed(self):
        self.write("ada's expert\n")
        self.built()
        self.assertEqual(self.calls(), 2)
        self.built()
        self.assertEqual(self.calls(), 0)

    def test_an_edit_an_update_and_a_lost_file_each_build_again(self):
        self.write("first\n")
        self.built()
        self.write("second\n")
        self.assertIn("second", self.built())
        self.calls()
        self.stamp("Tuesday")
        self.built()
        self.assertEqual(self.calls(), 2)
        (self.own / "lessons" / "duet_mine").unlink()
        self.built()
        self.assertEqual(self.calls(), 1)

    def test_a_unit_that_is_given_back_is_the_shared_one_again(self):
        self.write("ada's expert\n")
        self.built()
        self.slot("expert", self.own).unlink()
        self.assertTrue(self.built().startswith("Duet's expert"))

    def test_what_the_compiler_says_comes_back_and_nothing_is_linked(self):
        self.write("wrong\n")
        worked, said = shared_build.build(["duet_mine"], 2)
        self.assertFalse(worked)
        self.assertIn(f"{self.mine}:1:1: error: wrong", said)
        self.assertEqual(self.calls(), 1)
        self.write("right\n")
        self.assertIn("right", self.built())

    def test_an_update_under_way_is_told(self):
        self.write("ada's expert\n")
        (self.build.parent / "shared.stamp").unlink()
        with self.assertRaisesRegex(Refused, "is being updated"):
            self.built()

    def test_a_program_that_was_not_kept_is_told(self):
        with self.assertRaisesRegex(Refused, "cannot build lesson_x_mine"):
            shared_build.build(["lesson_x_mine"], 1)

    def test_a_name_with_a_space_is_found_in_the_dependencies(self):
        file = self.folder / "depends.d"
        file.write_text("a\\ b.o: /x/my\\ file.cpp \\\n /y/z$$.h\n")
        self.assertEqual(shared_build.inputs_of(["c++", "-MF", str(file)]), ["/x/my file.cpp", "/y/z$.h"])


if __name__ == "__main__":
    unittest.main()
