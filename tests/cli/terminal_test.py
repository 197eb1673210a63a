"""What a terminal is shown that a pipe is not: colours and the progress line; and what a second Ctrl-C does."""

import os
import signal
import subprocess
import time

from program import DUET, SHORT, ProgramTest, main, run_on_terminal


class Terminal(ProgramTest):
    def on_terminal(self, *arguments, **variables):
        """stdout goes to a pipe, stderr to a terminal; returns what the terminal was sent."""
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        return run_on_terminal([DUET, *arguments], whole=False, cwd=self.folder, env={**environment, **variables})[1]

    def test_errors_are_red(self):
        self.assertIn("\033[31merror:\033[0m", self.on_terminal("compare", "--ranks", "0"))

    def test_no_color_is_heeded(self):
        error = self.on_terminal("compare", "--ranks", "0", NO_COLOR="1")
        self.assertIn("error: ", error)
        self.assertNotIn("\033", error)

    def test_a_long_run_shows_how_far_it_is_and_wipes_that_away(self):
        shown = self.on_terminal("train", "--steps", "1500")
        self.assertIn("of 1500", shown)
        self.assertTrue(shown.endswith("\r\033[K"), shown[-80:])

    def test_quiet_and_json_show_nothing(self):
        for flag in ("--quiet", "--json"):
            self.assertEqual(self.on_terminal("train", "--steps", "1500", flag), "")


class Output(ProgramTest):
    def test_results_that_cannot_be_written_are_no_success(self):
        for arguments in (("--version",), ("compare", "--help"), ("compare", *SHORT, "--json")):
            with self.subTest(arguments), open("/dev/full", "w", encoding="utf-8") as full:
                ran = subprocess.run([DUET, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                     timeout=60, check=False)
                self.assertEqual(ran.returncode, 2)
                self.assertIn("standard output", ran.stderr)

    def test_a_second_ctrl_c_ends_at_once(self):
        # One step takes long, so that the first Ctrl-C cannot end the run before the second comes.
        process = subprocess.Popen([DUET, "train", "--tokens", "300000", "--steps", "100"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while not list(self.folder.glob("runs/*/trace.jsonl.partial")):
            self.assertIsNone(process.poll(), "ended before it began")
            time.sleep(0.01)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertIn("\n", process.stderr.readline())  # its empty line, so the first has arrived
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)


if __name__ == "__main__":
    main()
