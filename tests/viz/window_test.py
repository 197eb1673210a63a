"""./duet view in a real window, as a person uses it. Without Xvfb, xdotool or import it is skipped."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from x_display import Display, missing_packages, wait_for  # noqa: E402

VIEW, DUET = os.environ["DUET_VIEW"], os.environ["DUET_PROGRAM"]
TITLE = "Duet: "


def changed_share(before, after):
    """Which share of two pictures' bytes differs."""
    if len(before) != len(after):
        return 1.0
    return sum(a != b for a, b in zip(before, after)) / max(1, len(before))


def processor_s(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class WindowTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="duet window ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([DUET, "compare", "--steps", "12", "--record-tokens", "on", "--experts", "4", "--top-k", "2",
                        "--capacity-factor", "1.0", "--out", "run"], cwd=cls.folder, check=True, timeout=300,
                       stdout=subprocess.DEVNULL)
        cls.display = Display()
        cls.addClassCleanup(cls.display.close)

    def open(self, trace, *flags):
        errors = tempfile.TemporaryFile(dir=self.folder)
        self.addCleanup(errors.close)
        process = subprocess.Popen([VIEW, str(trace), *flags], env=self.display.environment, stdin=subprocess.DEVNULL,
                                   stderr=errors)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def window():
            if process.poll() is not None:
                errors.seek(0)
                raise AssertionError(f"it ended with {process.returncode}: {errors.read().decode()}")
            return self.display.window(TITLE)

        number = wait_for("a window", window)
        self.display.hand("windowfocus", number)
        self.display.hand("mousemove", "--window", number, "1", "1")
        return process, number

    def close(self, process, window):
        self.display.ask_to_close(window)
        self.assertEqual(process.wait(timeout=60), 0)


class Person(WindowTest):
    def test_looks_through_a_trace(self):
        process, window = self.open(self.folder / "run", "--panel", "routing", "--step", "3")
        before = self.display.still_picture(window)
        self.assertGreater(len(set(before)), 20, "the window is empty")
        before = self.pin_a_ribbon(window, before)
        for key, what in (("Right", "the next step"), ("Left", "the step before"), ("l", "dark"), ("question", "the keys"),
                          ("question", "no keys"), ("Home", "the first step")):
            self.display.hand("key", key)
            after = wait_for(f"{key} changes the picture: {what}", lambda: self.other(window, before))
            before = self.display.still_picture(window) or after
        self.display.hand("key", "space")
        wait_for("Space plays", lambda: self.other(window, before))
        self.display.hand("key", "space")
        before = self.display.still_picture(window)  # it would come to rest at the last step too
        self.display.hand("key", "Right")
        wait_for("there are steps left after the pause", lambda: self.other(window, before))
        self.close(process, window)

    def other(self, window, before):
        picture = self.display.picture(window)
        return picture if picture != before else None

    # Where a ribbon lies is the layout's business: the first place on the left that stays pinned is one.
    def pin_a_ribbon(self, window, before):
        for y in range(150, 600, 25):
            self.display.hand("mousemove", "--window", window, "420", str(y))
            self.display.still_picture(window)
            self.display.hand("click", "1")
            self.display.still_picture(window)
            self.display.hand("mousemove", "--window", window, "1", "1")
            after = self.display.still_picture(window)
            if changed_share(before, after) > 0.01:
                return after
        raise AssertionError("no click pinned anything")


    def test_trains_a_run_and_closes_it(self):
        """Without a trace: it trains meanwhile; pause, one step, other colours, and the folder is whole at the end."""
        process, window = self.open("--pace=20", "--out", str(self.folder / "live"))
        partial = self.folder / "live" / "trace.jsonl.partial"
        wait_for("steps are written", lambda: partial.exists() and partial.stat().st_size > 20_000)
        self.display.hand("key", "space")
        self.display.still_picture(window)
        size = partial.stat().st_size
        time.sleep(0.5)
        self.assertEqual(partial.stat().st_size, size, "it went on after the pause")
        self.display.hand("key", "n")
        wait_for("one step more", lambda: partial.stat().st_size > size)
        self.display.hand("key", "space")
        size = partial.stat().st_size
        wait_for("it goes on", lambda: partial.stat().st_size > 2 * size)
        self.close(process, window)
        last = (self.folder / "live" / "trace.jsonl").read_text().splitlines()[-1]
        self.assertIn("footer", last)
        self.assertTrue((self.folder / "live" / "report.html").exists())


class Window(WindowTest):
    def test_uses_no_processor_while_nothing_happens(self):
        process, window = self.open(self.folder / "run")
        self.display.still_picture(window)
        start, used = time.monotonic(), processor_s(process)
        time.sleep(2)
        share = (processor_s(process) - used) / (time.monotonic() - start)
        self.assertLess(share, 0.05)
        self.close(process, window)

    def test_follows_a_file_that_is_being_written(self):
        whole = (self.folder / "run/trace.jsonl").read_bytes()
        growing = self.folder / "growing.jsonl"
        first_torn = whole.index(b'{"step":5') + 100
        growing.write_bytes(whole[:first_torn])
        process, window = self.open(growing)
        before = self.display.still_picture(window)
        with growing.open("ab") as file:
            file.write(whole[first_torn:])
        wait_for("the new steps are shown", lambda: self.display.picture(window) != before)
        self.close(process, window)

    def test_is_larger_on_a_monitor_of_many_dots(self):
        process, window = self.open(self.folder / "run")
        usual = self.display.still_picture(window)
        self.close(process, window)
        keeps = self.display.set_dots_per_inch(192)
        self.addCleanup(keeps.close)
        self.addCleanup(keeps.set_resources, "")
        process, window = self.open(self.folder / "run", "--size", "640x400")
        fine = self.display.still_picture(window)
        self.close(process, window)
        self.assertEqual(len(fine), 3 * 1280 * 800)
        self.assertEqual(len(usual), 3 * 1280 * 720)


class NoDisplay(WindowTest):
    def test_is_said_with_what_helps(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        done = subprocess.run([VIEW, str(self.folder / "run")], env=environment, capture_output=True, text=True, check=False,
                              timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for word in ("error: no window can be opened", "--screenshot", "report.html"):
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    packages = missing_packages()
    if packages:
        print(f"the window is not tested here: sudo apt-get install {' '.join(packages)}")
        sys.exit(77)
    unittest.main(verbosity=2)
