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


def trace_of(trace):
    """Arguments: one trace, two, or none for a run of the viewer's own."""
    return [str(one) for one in (trace if isinstance(trace, tuple) else (trace,))]


class OddInputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="duet odd ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([DUET, "compare", "--steps", "6", "--out", "run"], cwd=cls.folder, check=True, timeout=300,
                       stdout=subprocess.DEVNULL)
        subprocess.run([DUET, "compare", "--steps", "3", "--layers", "2", "--experts", "4", "--record-tokens", "on",
                        "--out", "tokens"], cwd=cls.folder, check=True, timeout=300, stdout=subprocess.DEVNULL)
        cls.whole = (cls.folder / "run/trace.jsonl").read_bytes()
        cls.header = cls.whole[:cls.whole.index(b"\n") + 1]
        cls.lines = cls.whole.splitlines(keepends=True)[1:-1]

    def view(self, trace, *flags, **options):
        self.picture = self.folder / f"{self.id()}.png"
        self.picture.unlink(missing_ok=True)
        options.setdefault("stdin", subprocess.DEVNULL)
        size = () if "--size" in flags else ("--size", "640x400")
        return subprocess.run([VIEW, *trace_of(trace), "--screenshot", str(self.picture), *size, *flags],
                              capture_output=True, check=False, timeout=120, cwd=self.folder, **options)

    def shows(self, trace, *flags, **options):
        done = self.view(trace, *flags, **options)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        self.assertTrue(self.picture.read_bytes().startswith(b"\x89PNG"))

    def refuses(self, trace, *words, flags=(), **options):
        done = self.view(trace, *flags, **options)
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
        writer = threading.Thread(target=pipe.write_bytes, args=(self.whole,), daemon=True)
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

    def test_what_is_selected(self):
        tokens = self.folder / "tokens"
        for one in ("rank:1", "expert:3", "token:0:17", "token:1:64"):
            with self.subTest(one):
                self.shows(tokens)
                plain = self.picture.read_bytes()
                self.shows(tokens, "--select", one)
                self.assertNotEqual(self.picture.read_bytes(), plain)

    def test_what_cannot_be_selected(self):
        tokens = self.folder / "tokens"
        for one, words in {"rank:2": ("2 ranks", "rank:1"), "rank:-1": ("2 ranks",),
                           "expert:4": ("4 experts", "expert:3"), "token:0:64": ("token:1:64",),
                           "token:1:128": ("64 to 127",), "token:2:0": ("2 ranks",), "expert": ("rank:1",),
                           "rank:1x": ("rank:1",), "token:5": ("token:0:17",),
                           "phase:1": ("rank:1",)}.items():
            with self.subTest(one):
                self.refuses(tokens, "--select is", one, *words, flags=("--select", one))
        self.refuses(self.folder / "run", "--record-tokens on", flags=("--select", "token:0:17"))

    def test_layers(self):
        tokens = self.folder / "tokens"
        pictures = set()
        for layer in ("0", "1"):
            self.shows(tokens, "--panel", "routing", "--layer", layer)
            pictures.add(self.picture.read_bytes())
        self.assertEqual(len(pictures), 2)
        self.refuses(tokens, "--layer is 2", "has 2", flags=("--layer", "2"))

    def test_a_panel_that_there_is_not(self):
        for panel in ("inspector", "Routing", ""):
            self.refuses(self.folder / "run", "--panel is", *PANELS, flags=("--panel", panel))

    def test_sizes(self):
        for size in ("12", "1280", "1280x", "x720", "1280x720x3", "199x300", "300x149", "99999x720", "-640x400", ""):
            with self.subTest(size):
                self.refuses(self.folder / "run", "--size is", "1280x720", flags=("--size", size))
        self.shows(self.folder / "run", "--size", "200x150")

    def test_two_traces_begin_at_the_last_step_of_both(self):
        traces = (self.folder / "run", self.folder / "tokens")
        self.shows(traces)
        first = self.picture.read_bytes()
        self.shows(traces, "--step", "2")
        self.assertEqual(self.picture.read_bytes(), first)
        self.shows(traces, "--step", "5")
        self.assertNotEqual(self.picture.read_bytes(), first)

    def test_a_run_of_its_own(self):
        self.shows((), "--steps", "2", "--out", "own")
        self.shows(self.folder / "own")

    def test_a_run_of_its_own_that_ends_in_an_error(self):
        done = self.view((), "--lr", "1e30", "--steps", "20", "--out", "too fast")
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 2, said)
        self.assertTrue(said.startswith("error: "), said)
        for word in ("NaN or infinite", "step", "rank", "usually", "lower --lr"):
            self.assertIn(word, said)
        files = {path.name for path in (self.folder / "too fast").iterdir()}
        self.assertEqual(files, {"config.toml", "trace.jsonl", "table.txt", "report.html"})
        for name in files:
            self.assertIn(name, done.stdout.decode())
        self.assertTrue(self.picture.exists())  # of the steps that there were
        self.shows(self.folder / "too fast")

    def test_a_run_that_cannot_begin(self):
        for flags in (("--experts", "3"), ("--top-k", "9"), ("--ranks", "0")):
            with self.subTest(flags):
                self.refuses_run(*flags)

    def refuses_run(self, *flags):
        done = self.view((), *flags, "--steps", "2", "--out", "none")
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        self.assertFalse(self.picture.exists())
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
