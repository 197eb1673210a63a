"""./duet view on files that are no good trace: words or an error that teaches, never a crash."""

import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

VIEW, DUET = os.environ["DUET_VIEW"], os.environ["DUET_PROGRAM"]
HELP = subprocess.run([VIEW, "--help"], capture_output=True, text=True, check=True).stdout
PANELS = re.search(r"--panel NAME\s+(.*)", HELP).group(1).split(", ")


class OddInputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="duet odd ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([DUET, "compare", "--steps", "6", "--out", "run"], cwd=cls.folder, check=True, timeout=300,
                       stdout=subprocess.DEVNULL)
        cls.whole = (cls.folder / "run/trace.jsonl").read_bytes()
        cls.header = cls.whole[:cls.whole.index(b"\n") + 1]
        cls.lines = cls.whole.splitlines(keepends=True)[1:-1]

    def view(self, trace, *flags, **options):
        self.picture = self.folder / f"{self.id()}.png"
        self.picture.unlink(missing_ok=True)
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([VIEW, str(trace), "--screenshot", str(self.picture), "--size", "640x400", *flags],
                              capture_output=True, check=False, timeout=120, cwd=self.folder, **options)

    def shows(self, trace, *flags, **options):
        done = self.view(trace, *flags, **options)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        self.assertTrue(self.picture.read_bytes().startswith(b"\x89PNG"))

    def refuses(self, trace, *words, **options):
        done = self.view(trace, **options)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 2, said)
        self.assertFalse(self.picture.exists())
        self.assertTrue(said.startswith("error: "), said)
        for word in words:
            self.assertIn(word, said)

    def file(self, content):
        path = self.folder / f"{self.id()}.jsonl"
        path.write_bytes(content)
        return path

    def test_an_empty_file(self):
        self.refuses(self.file(b""), "empty")

    def test_a_header_alone(self):
        self.shows(self.file(self.header))

    def test_half_a_header(self):
        self.refuses(self.file(self.header[:30]), "trace")

    def test_one_step(self):
        self.shows(self.file(self.header + self.lines[0]))

    def test_a_last_line_that_was_cut_off(self):
        self.shows(self.file(self.header + b"".join(self.lines)[:-100]))

    def test_ten_thousand_steps(self):
        many = b"".join(self.lines[0].replace(b'{"step":0', b'{"step":%d' % i) for i in range(10_000))
        self.shows(self.file(self.header + many), "--step", "7000")

    def test_what_is_no_trace(self):
        for content in (b"hello\n", b"{}\n", b"[]\n", b"\x00" * 5000, os.urandom(5000), b"[" * 200_000, b"\n\n\n"):
            with self.subTest(content[:10]):
                self.refuses(self.file(content), "trace")

    def test_a_line_without_an_end(self):
        self.refuses(self.file(b"a" * 50_000_000), "trace")
        self.shows(self.file(self.header + self.lines[0] + b'{"step":1,"mode":"ep","loss":' + b"1" * 50_000_000))

    def test_a_step_that_cannot_be_read(self):
        for bad in (b'{"step":1,"mode":"ep"}\n', b'{"step":1,"mode":"ep",' + b"[" * 200_000 + b"\n",
                    b'{"step":1,"mode":"ep","x":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n"):
            self.shows(self.file(self.header + self.lines[0] + bad))

    def test_lines_that_are_no_steps(self):
        odd = [b"\n", b"{}\n", b"null\n", b'{"step":"x","mode":"ep"}\n', b'{"step":-5,"mode":"ep"}\n',
               b'{"step":9223372036854775807,"mode":"ep"}\n', b'{"step":-9223372036854775808,"mode":"ep"}\n']
        self.shows(self.file(self.header + self.lines[0] + b"".join(odd)))

    def test_a_folder_without_a_trace(self):
        empty = self.folder / "empty folder"
        empty.mkdir()
        self.refuses(empty, "trace")

    def test_nothing_of_that_name(self):
        self.refuses(self.folder / "nothing", "nothing")

    def test_devices(self):
        self.refuses("/dev/null", "/dev/null")
        self.refuses("/dev/zero", "/dev/zero")

    def test_a_file_that_may_not_be_read(self):
        path = self.file(self.whole)
        path.chmod(0)
        if os.geteuid() != 0:  # root reads everything
            self.refuses(path, "denied")

    def test_a_named_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(self.whole,))
        writer.start()
        self.shows(pipe)
        writer.join()

    def test_standard_input(self):
        with (self.folder / "run/trace.jsonl").open("rb") as trace:
            self.shows("-", stdin=trace)
        self.refuses("-", "standard input", "empty")

    def test_standard_input_that_is_closed(self):
        self.refuses("-", "standard input", preexec_fn=lambda: os.close(0))

    def test_every_panel_draws_a_trace_without_tokens_and_one_without_steps(self):
        for trace in (self.folder / "run", self.file(self.header)):
            for panel in PANELS:
                with self.subTest(panel):
                    self.shows(trace, "--panel", panel)


if __name__ == "__main__":
    unittest.main(verbosity=2)
