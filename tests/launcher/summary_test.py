"""The closing line of `./duet test`, from reports as CTest and GoogleTest leave them."""

import contextlib
import importlib.util
import io
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "launcher" / "summary.py"
spec = importlib.util.spec_from_file_location("summary", TOOL)
summary = importlib.util.module_from_spec(spec)
spec.loader.exec_module(summary)

PASSED = '<testcase classname="Suite" name="Passes" status="run" result="completed"/>'
FAILED = '<testcase classname="Suite" name="Fails" status="run"><failure message="no"/></testcase>'
SKIPPED = '<testcase classname="Suite" name="Skips" status="run"><skipped message="a.cpp:3&#x0A;no GPU here"/></testcase>'
DISABLED = '<testcase classname="Suite" name="DISABLED_Rests" status="notrun" result="suppressed"/>'


class Summary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "results").mkdir()
        self.entries = []

    def entry(self, name, status="run", inner=""):
        self.entries.append(f'<testcase name="{name}" status="{status}">{inner}</testcase>')

    def cases(self, name, *cases):
        report = f'<testsuites><testsuite name="Suite">{"".join(cases)}</testsuite></testsuites>'
        (self.folder / "results" / f"{name}.xml").write_text(report)

    def closing(self):
        """Returns (exit status, the lines printed)."""
        report = f'<testsuite>{"".join(self.entries)}</testsuite>'
        (self.folder / "ctest.xml").write_text(report)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            status = summary.main([str(self.folder)])
        return status, printed.getvalue().splitlines()

    def test_programs_count_by_their_cases_and_other_entries_as_one(self):
        self.entry("moe")
        self.cases("moe", PASSED, PASSED)
        self.entry("check.format")
        self.assertEqual(self.closing(), (0, ["3 passed, 0 failed, 0 skipped"]))

    def test_a_failed_case_counts_once_and_ends_with_one(self):
        self.entry("moe", "fail")
        self.cases("moe", PASSED, FAILED)
        self.assertEqual(self.closing(), (1, ["failed: Suite.Fails", "1 passed, 1 failed, 0 skipped"]))

    def test_a_crash_after_the_last_case_counts(self):
        self.entry("moe", "fail")
        self.cases("moe", PASSED)
        self.assertEqual(self.closing(), (1, ["failed: moe", "1 passed, 1 failed, 0 skipped"]))

    def test_a_crash_before_the_report_counts(self):
        self.entry("moe", "fail")
        self.assertEqual(self.closing(), (1, ["failed: moe", "0 passed, 1 failed, 0 skipped"]))

    def test_every_skip_is_printed_with_its_reason(self):
        self.entry("moe")
        self.cases("moe", PASSED, SKIPPED, DISABLED)
        self.entry("check.format", "notrun", '<skipped message="SKIP_RETURN_CODE=77"/>'
                                             "<system-out>formatting is checked with clang-format 14</system-out>")
        status, lines = self.closing()
        self.assertEqual(status, 0)
        self.assertEqual(lines[-1], "1 passed, 0 failed, 3 skipped")
        self.assertIn("skipped: Suite.Skips (no GPU here)", lines)
        self.assertIn("skipped: Suite.DISABLED_Rests (disabled in the source)", lines)
        self.assertIn("skipped: check.format (formatting is checked with clang-format 14)", lines)

    def test_a_program_that_could_not_be_started_counts_as_failed(self):
        self.entry("moe", "notrun")
        self.assertEqual(self.closing()[0], 1)

    def test_nothing_run_is_no_success(self):
        self.assertEqual(self.closing(), (1, ["0 passed, 0 failed, 0 skipped"]))


if __name__ == "__main__":
    unittest.main()
