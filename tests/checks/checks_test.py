"""The repository's checks on made-up trees: each must fail on what it is there for, and pass beside it."""

import contextlib
import importlib.util
import io
import os
import pathlib
import subprocess
import tempfile
import unittest

CHECKS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "checks"


def load(name):
    spec = importlib.util.spec_from_file_location(f"check_{name}", CHECKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def verdict(self, check, *arguments):
        """Runs a check; returns its exit status and what it printed."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = load(check).main(str(self.root), *arguments)
        return status, printed.getvalue()


class Includes(Check):
    def test_a_folder_may_include_itself_and_those_below(self):
        self.write("src/moe/a.cpp", '#include "moe/a.h"\n#include "comm/c.h"\n#include <ATen/ops/mm.h>\n')
        self.assertEqual(self.verdict("includes"), (0, ""))

    def test_an_include_that_climbs_fails_and_is_named(self):
        self.write("src/comm/a.h", '#pragma once\n#include "moe/plan.h"\n')
        status, printed = self.verdict("includes")
        self.assertEqual(status, 1)
        self.assertIn("src/comm/a.h:2: includes moe/plan.h, but comm may include only core, trace", printed)

    def test_the_model_stands_beside_the_training_code(self):
        self.write("src/train/a.cpp", '#include "model/traffic.h"\n')
        self.assertEqual(self.verdict("includes")[0], 0)
        self.write("src/model/a.cpp", '#include "comm/communicator.h"\n')
        self.assertEqual(self.verdict("includes")[0], 1)

    def test_only_the_viewers_application_may_include_the_trainer(self):
        self.write("viz/app/a.cpp", '#include "train/step.h"\n#include "viz/panels/b.h"\n')
        self.assertEqual(self.verdict("includes")[0], 0)
        self.write("viz/panels/a.cpp", '#include "train/step.h"\n')
        self.assertEqual(self.verdict("includes")[0], 1)

    def test_a_second_wrapper_for_autograd_fails(self):
        self.write("src/moe/exchange_function.cpp", "#include <torch/csrc/autograd/custom_function.h>\n")
        self.assertEqual(self.verdict("includes")[0], 0)
        self.write("src/moe/other.cpp", "#include <torch/csrc/autograd/custom_function.h>\n")
        self.assertEqual(self.verdict("includes")[0], 1)

    def test_a_folder_without_a_place_in_the_order_fails(self):
        self.write("src/extra/a.cpp", '#include "core/error.h"\n')
        self.assertIn("has no place in the order", self.verdict("includes")[1])


class FileLength(Check):
    def test_250_lines_pass_and_251_fail(self):
        self.write("src/core/a.cpp", "\n" * 250)
        self.assertEqual(self.verdict("file_length"), (0, ""))
        self.write("src/core/a.cpp", "\n" * 251)
        status, printed = self.verdict("file_length")
        self.assertEqual(status, 1)
        self.assertIn("src/core/a.cpp: 251 lines, 250 at most", printed)

    def test_tests_and_documents_may_be_longer(self):
        self.write("tests/core/a_test.cpp", "\n" * 900)
        self.write("src/README.md", "\n" * 900)
        self.assertEqual(self.verdict("file_length")[0], 0)


class Exports(Check):
    HEADER = """#pragma once
namespace duet {
struct Plan { Plan(); int rows() const; bool operator==(const Plan&) const; };
int declared(const char* text);
}
"""
    SOURCE = """#include "unit.h"
namespace duet {
namespace { int helper() { return 1; } }
Plan::Plan() = default;
int Plan::rows() const { return helper(); }
bool Plan::operator==(const Plan&) const { return true; }
int declared(const char*) { return helper(); }
inline int shared() { return 2; }
int (*use)() = nullptr;
}
"""

    def verdict_on(self, source):
        self.write("src/core/unit.h", self.HEADER)
        file = self.write("src/core/unit.cpp", source)
        compiler = os.environ.get("CXX", "c++")
        subprocess.run([compiler, "-std=c++20", "-c", file, "-o", self.root / "unit.o"], check=True)
        units = self.write("units.txt", f"core/unit\t{self.root / 'unit.o'}\n")
        return self.verdict("exports", str(units))

    def test_what_the_header_declares_passes(self):
        self.assertEqual(self.verdict_on(self.SOURCE.replace("int (*use)() = nullptr;\n", "")), (0, ""))

    def test_a_variable_beyond_the_header_fails(self):
        status, printed = self.verdict_on(self.SOURCE)
        self.assertEqual(status, 1)
        self.assertIn("src/core/unit.cpp exports duet::use, which src/core/unit.h does not declare", printed)

    def test_a_helper_outside_an_anonymous_namespace_fails(self):
        status, printed = self.verdict_on('#include "unit.h"\nnamespace duet { int helper(int x) { return x; } }\n')
        self.assertEqual(status, 1)
        self.assertIn("exports duet::helper(int)", printed)

    def test_a_class_beyond_the_header_fails(self):
        self.assertEqual(self.verdict_on("struct Other { int rows(); };\nint Other::rows() { return 1; }\n")[0], 1)

    def test_a_file_that_two_units_share_defines_what_the_headers_it_includes_declare(self):
        self.verdict_on('#include "unit.h"\n')
        source = '#include "core/unit.h"\nnamespace duet { int declared(const char*) { return 1; } }\n'
        file = self.write("src/core/shared.cpp", source)
        units = self.write("units.txt", f"core/shared\t{self.root / 'shared.o'}\n")
        for text, expected in ((source, 0), (source.replace("declared", "other"), 1)):
            file.write_text(text)
            subprocess.run(["c++", "-I", self.root / "src", "-c", file, "-o", self.root / "shared.o"], check=True)
            self.assertEqual(self.verdict("exports", str(units))[0], expected)

    def test_a_list_without_units_fails(self):
        self.assertEqual(self.verdict("exports", str(self.write("units.txt", "")))[0], 1)


class Format(Check):
    def setUp(self):
        super().setUp()
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", self.path)

    def fake_formatter(self, version, status):
        tool = self.write("bin/clang-format", f"#!/bin/sh\n[ $1 = --version ] && echo clang-format version {version} "
                                              f"&& exit 0\nexit {status}\n")
        tool.chmod(0o755)
        os.environ["PATH"] = f"{self.root / 'bin'}:/nowhere"

    def test_a_file_that_would_change_fails(self):
        self.write("src/core/a.cpp", "int  a ;\n")
        self.fake_formatter("14.0.6", 1)
        self.assertEqual(self.verdict("format")[0], 1)

    def test_a_tidy_file_passes(self):
        self.write("src/core/a.cpp", "int a;\n")
        self.fake_formatter("14.0.6", 0)
        self.assertEqual(self.verdict("format"), (0, ""))

    def test_the_real_formatter_sees_the_difference(self):
        program, major = load("format").find_formatter()
        tidy, untidy = (0, 1) if major == "14" else (77, 77) if program else (1, 1)
        self.write("src/core/a.cpp", "int a;\n")
        self.assertEqual(self.verdict("format")[0], tidy)
        self.write("src/core/a.cpp", "int  a ;\n")
        self.assertEqual(self.verdict("format")[0], untidy)

    def test_a_missing_formatter_fails_and_says_how_to_install_it(self):
        os.environ["PATH"] = "/nowhere"
        status, printed = self.verdict("format")
        self.assertEqual(status, 1)
        self.assertIn("sudo apt-get install clang-format", printed)

    def test_another_version_is_skipped_with_the_reason(self):
        self.fake_formatter("18.1.3", 1)
        status, printed = self.verdict("format")
        self.assertEqual(status, 77)
        self.assertIn("here is 18", printed)


class TidyCommand(unittest.TestCase):
    def test_leaves_out_the_precompiled_header_even_below_a_folder_with_a_space(self):
        command = 'c++ -Winvalid-pch -include "/a b/cmake_pch.hxx" -include own.h -c "/a b/x.cpp"'
        words = load("tidy").without_precompiled_header(command)
        self.assertEqual(words, ["c++", "-include", "own.h", "-c", "/a b/x.cpp"])


if __name__ == "__main__":
    unittest.main()
