"""A scripted student: starts, predicts, fails, takes hints, passes, breaks it again, resets, and gets an update of Duet.

usage: student_test.py ROOT BUILD_FOLDER      drives tools/course from outside, in a folder of its own
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(sys.argv[1])
BUILD = pathlib.Path(sys.argv[2])
EXPERT = ROOT / "lessons" / "01_expert"

UNIT = """#include "moe/expert.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
namespace duet {
at::Tensor expert_forward(const at::Tensor& rows, const ExpertWeights& weights) {
  static_cast<void>(weights);
  BODY
}
}  // namespace duet
"""


class Student(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="duet student ")
        self.my = pathlib.Path(self.folder.name) / "my"
        self.lessons = ROOT / "lessons"

    def tearDown(self):
        self.folder.cleanup()

    def environment(self):
        return dict(os.environ, DUET_MY=str(self.my), DUET_BUILD=str(BUILD), DUET_LESSONS=str(self.lessons),
                    NO_COLOR="1")

    def duet(self, *arguments, code=0, typed=""):
        run = subprocess.run([sys.executable, str(ROOT / "tools" / "course"), *arguments], capture_output=True, text=True,
                             env=self.environment(), input=typed, check=False, timeout=300)
        self.assertEqual(run.returncode, code, f"{arguments}:\n{run.stdout}\n{run.stderr}")
        for line in run.stdout.splitlines():
            if re.match(r"[-+ ]|duet:|.*file:", line) or arguments[0] == "compare":  # code and tables are as wide as they are
                continue
            self.assertLessEqual(len(line.replace(str(self.my), "my").replace(str(ROOT), "").replace(self.folder.name, "")), 80, line)
        return run.stdout + run.stderr

    @property
    def mine(self):
        return self.my / "expert" / "expert.cpp"

    def write(self, body):
        self.mine.write_text(UNIT.replace("BODY", body))

    def write_solution(self):
        shutil.copy(ROOT / "src" / "moe" / "expert.cpp", self.mine)

    def state(self):
        return json.loads((self.my / "progress.json").read_text())

    def test_goes_through_a_lesson(self):
        self.assertIn("0 of", self.duet("lesson"))
        self.assertIn("no lesson is started", self.duet("check", code=2))
        started = self.duet("lesson", "expert")
        self.assertIn("linear", started)
        self.assertTrue(self.mine.exists())
        self.assertIn("not written yet: expert_forward", self.duet("check", code=1))

        self.duet("predict", "--answer", "parameters=4000")
        self.assertIn("is no number", self.duet("predict", "--answer", "parameters=many", code=2))
        self.assertIn("is no number", self.duet("predict", "--answer", "parameters=nan", code=2))
        self.assertIn("is no number", self.duet("predict", "--answer", "parameters=" + "9" * 10_000, code=2))
        self.assertIn("none of the choices", self.duet("predict", "--answer", "halves=²", code=2))
        self.assertIn("answers no question", self.duet("predict", "--answer", "size=1", code=2))
        self.assertEqual(self.state()["lessons"]["expert"]["predictions"], {"parameters": "4000"})

        shutil.copy(EXPERT / "mutants" / "relu_last.cpp", self.mine)
        self.assertIn("The ReLU stands after the second layer", self.duet("check", code=1))
        for tier in (1, 2, 3):
            self.assertIn(f"Hint {tier} of 3", self.duet("hint"))
        self.assertIn("These are all", self.duet("hint"))
        self.assertIn("not passed yet", self.duet("solution", code=2))
        self.assertIn("not passed yet", self.duet("explain", code=2))
        self.assertIn("expert_forward", self.duet("solution", "--yes"))

        self.write_solution()
        passed = self.duet("check", "expert")
        self.assertIn("passed", passed)
        self.assertRegex(passed, r"you +4000\n +measured +4192")
        self.assertIn("1 of", self.duet("lesson"))
        self.assertIn("letter by letter", self.duet("solution"))
        self.assertIn("WHAT JUST HAPPENED", self.duet("explain"))

        earlier = self.my / "expert" / "earlier.cpp"  # older than what was built
        shutil.copy(EXPERT / "mutants" / "relu_last.cpp", earlier)
        os.utime(earlier, (1e9, 1e9))
        os.replace(earlier, self.mine)
        self.assertIn("The ReLU stands after", self.duet("check", code=1))
        self.write_solution()
        self.duet("check")

        self.mine.write_text(self.mine.read_text().replace("at::relu", ""))
        self.assertIn("changed since", self.duet("lesson"))
        self.assertIn("changed since", self.duet("compare", "--mine", code=2))
        self.assertIn("The ReLU is missing", self.duet("check", code=1))
        self.assertIn("is now", self.duet("reset", "--yes"))
        self.assertTrue((self.my / "expert" / "expert.1.cpp").exists())
        self.assertIn("not written yet", self.duet("check", code=1))

    def test_trains_with_the_students_code(self):
        self.duet("lesson", "expert")
        self.write_solution()
        self.mine.write_text(self.mine.read_text().replace(
            "  const auto hidden", '  static const bool said = std::fputs("MINE RUNS\\n", stderr) >= 0;\n'
            "  static_cast<void>(said);\n  const auto hidden").replace("#include", "#include <cstdio>\n#include", 1))
        self.duet("check")
        said = self.duet("compare", "--mine", "--steps", "20", "--quiet")
        self.assertIn("your code:  expert", said)
        self.assertIn("MINE RUNS", said)
        self.assertIn("#", self.duet("see", "--print"))
        # The next run is Duet's own again where the unit no longer stands as it passed.
        self.mine.write_text(self.mine.read_text() + "\n// edited\n")
        self.assertIn("changed since", self.duet("compare", "--mine", code=2))

    def test_each_way_to_fail_has_its_verdict(self):
        self.duet("lesson", "expert")
        for body, words in {
            'std::puts("{\\"kind\\": \\"passed\\"}"); std::exit(0);': "ended the whole program (exit code 0)",
            "volatile int* nowhere = nullptr; *nowhere = 1; return rows;": "segmentation fault",
            "return expert_forward(rows, weights).add(1);": "calls itself for ever",
            "std::abort();": "It was aborted",
            "volatile int zero = 0; return rows + 7 / zero;": "divided a whole number by zero",
            "for (volatile int i = 0;; i = i + 1) {}": "an endless loop",
            "std::vector<double> v(1); while (true) v.resize(v.size() * 2, 1);": "more memory than it may have",
            "for (int i = 3; i < 30; ++i) if (::write(i, \"abc\", 3) < 0) {}  while (true) sleep(9);": "No answer came",
            "if (fork() == 0) while (true) sleep(9);  std::_Exit(4);": "ended the whole program (exit code 4)",
            'throw std::runtime_error("\\033[31mred");': "An error stopped it: ?[31mred",
            'while (true) std::puts("again and again and again and again");': "printed more than 16 MB",
            "for (int i = 3; i < 30; ++i) close(i);  return rows;": "closed, a file that it had not opened",
            'for (int i = 3; i < 30; ++i) if (::write(i, "garbage that is no message", 26) < 0) {}  return rows;':
                "closed, a file that it had not opened",
            'std::printf("a clue"); return rows;': "| a clue",
            'std::printf("a clue\\n"); std::abort();': "| a clue",
            "return {};": "nothing was assigned to it",
            "rows.add_(1); return rows;": "changed the rows",
            "throw 7;": "no std::exception",
            "return rows.to(at::kFloat);": "has the type Float and should have Double",
            "return rows.t();": "has the shape [2, 1] and should have [1, 2]",
            "return rows.mm(weights.w9);": "line 8: 'const struct duet::ExpertWeights' has no member named 'w9'",
            "return rows": "expected ';'",
        }.items():
            with self.subTest(body):
                self.write(body)
                self.assertIn(words, " ".join(self.duet("check", code=1).split()))
        self.mine.write_text("// nothing\n")
        self.assertIn("does not define `expert_forward`", self.duet("check", code=1))
        self.mine.unlink()
        self.assertIn("is not there", self.duet("check", code=2))

    def test_names_the_line_of_a_crash(self):
        self.duet("lesson", "expert")
        self.write("std::vector<int> three(3); return rows + three[3 + rows.size(0)];")
        said = self.duet("check", "--asan", code=1)
        self.assertIn("heap-buffer-overflow", said)
        self.assertIn("expert.cpp:8", said)

    def test_watches(self):
        self.duet("lesson", "expert")
        watch = subprocess.Popen([sys.executable, str(ROOT / "tools" / "course"), "watch"], stdout=subprocess.PIPE,
                                 text=True, env=self.environment())
        try:
            self.read_until(watch, "not written yet")
            self.write_solution()
            self.read_until(watch, "passed")
        finally:
            watch.send_signal(signal.SIGINT)
        self.assertEqual(watch.wait(timeout=60), 0)
        watch.stdout.close()

    def read_until(self, process, words):
        until = time.monotonic() + 120
        for line in process.stdout:
            if words in line:
                return
            self.assertLess(time.monotonic(), until, f"no '{words}'")
        self.fail(f"ended without '{words}'")

    def test_loses_no_code_with_its_state(self):
        self.duet("lesson", "expert")
        self.write_solution()
        code = self.mine.read_text()
        self.duet("check")
        for damage in ("{", "[]", '{"lessons": {"expert": 3}}', "\0\0", "", "[" * 100_000, '{"lessons": {}, "current": 3}',
                       '{"lessons": {"expert": {"failures": "3"}}}', '{"lessons": {"expert": {"predictions": []}}}'):
            with self.subTest(damage):
                (self.my / "progress.json").write_text(damage)
                self.assertIn("cannot be read", self.duet("lesson"))
                self.assertIn("(as you left it)", self.duet("lesson", "expert"))
                self.assertEqual(self.mine.read_text(), code)
                self.assertIn("passed", self.duet("check"))
        self.assertTrue(list(self.my.glob("progress.damaged-*.json")))
        (self.my / "progress.json").unlink()
        self.assertIn("started", self.duet("lesson"))

    def test_an_update_keeps_progress(self):
        self.duet("lesson", "expert")
        self.write_solution()
        self.duet("check")
        newer = pathlib.Path(self.folder.name) / "lessons"
        shutil.copytree(ROOT / "lessons", newer)
        (newer / "01_expert").rename(newer / "07_one_expert")
        (newer / "renamed.json").write_text('{"expert": "one-expert"}')
        stub = newer / "07_one_expert" / "stub.cpp"
        stub.write_text(stub.read_text() + "// a newer stub\n")
        self.lessons = newer
        self.assertRegex(self.duet("lesson"), r"07 one-expert +passed")
        self.assertIn("a newer stub for", self.duet("lesson", "expert"))  # by its old name
        self.assertTrue((self.my / "one-expert" / "expert.cpp").exists())

    def test_refuses_what_it_does_not_know(self):
        self.assertIn("did you mean expert?", self.duet("lesson", "exprt", code=2))
        self.assertIn("unrecognized arguments", self.duet("lesson", "expert", "--fast", code=2))
        self.my.mkdir()
        (self.my / "expert").write_text("a file where a folder should be")
        self.assertIn("cannot be written", self.duet("lesson", "expert", code=2))
        (self.my / "expert").unlink()
        self.mine.mkdir(parents=True)
        self.assertIn("is no file", self.duet("check", "expert", code=2))
        self.my = pathlib.Path(self.folder.name) / 'a "quoted" folder'
        self.duet("lesson", "expert")
        self.assertIn("has a quote", self.duet("check", code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
