"""Ranks that are processes: the program starts itself under mpirun, or is started by it; and every way to end it."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from program import DUET, SHORT, ProgramTest

# As root in a container, without a network, with more ranks than cores.
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe")


def processes_of(folder):
    """The ids of the processes that work in the folder; how each test knows that nothing is left behind."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.path.realpath(entry / "cwd") == str(folder.resolve()) and "Z" not in (entry / "stat").read_text():
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def ranks_of(folder):
    """{rank: process id} of the ranks that run in the folder."""
    ranks = {}
    for pid in processes_of(folder):
        try:
            for variable in pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                    ranks[int(variable.split(b"=")[1])] = pid
        except OSError:
            pass
    return ranks


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class MpiTest(ProgramTest):
    def start(self, *arguments):
        """Starts a run of many steps and waits until steps are in its trace."""
        run = subprocess.Popen([DUET, *arguments, "--transport", "mpi", "--out", "run"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        partial = self.folder / "run" / "trace.jsonl.partial"
        give_up = time.monotonic() + 60
        while not (partial.exists() and partial.read_bytes().count(b"\n") > 5):
            self.assertIsNone(run.poll(), run.stderr.read() if run.poll() is not None else "")
            self.assertLess(time.monotonic(), give_up, "no step in 60 s")
            time.sleep(0.05)
        return run

    def expect_end(self, run, seconds=30):
        out, error = run.communicate(timeout=seconds)
        give_up = time.monotonic() + 10
        while processes_of(self.folder) and time.monotonic() < give_up:
            time.sleep(0.05)
        self.assertEqual(processes_of(self.folder), [], "processes are left behind")
        return out, error

    def expect_readable_trace(self):
        said = self.succeed("trace", "report", "run", "-o", "report.html")
        self.assertGreater((self.folder / "report.html").stat().st_size, 1000, said.err)

    def test_compare_starts_itself_and_agrees_with_threads(self):
        for ranks in ("1", "2", "4"):
            with self.subTest(ranks=ranks):
                one = self.json("compare", *SHORT, "--ranks", ranks)
                other = self.json("compare", *SHORT, "--ranks", ranks, "--transport", "mpi")
                self.assertEqual((other["equal"], other["transport"]), (True, "mpi"))
                for mode in ("ep", "dp", "single"):
                    self.assertEqual(other[mode]["loss_last"], one[mode]["loss_last"], mode)

    def test_started_by_mpirun(self):
        done = subprocess.run([*MPIRUN, "-n", "4", DUET, "train", *SHORT, "--json", "--out", "run"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["steps"], 6)
        self.assertTrue((self.folder / "run" / "trace.jsonl").exists())

    def test_two_numbers_that_disagree_are_refused(self):
        done = subprocess.run([*MPIRUN, "-n", "3", DUET, "compare", *SHORT, "--transport", "mpi", "--ranks", "2"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--ranks 2, but Open MPI started 3 processes", done.stderr)

    def test_threads_under_a_launcher_are_refused(self):
        done = subprocess.run([*MPIRUN, "-n", "2", DUET, "compare", *SHORT, "--transport", "threads"],
                              cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Open MPI started 2 processes, and --transport is threads", done.stderr)
        self.assertFalse((self.folder / "runs").exists())

    def test_mpi_under_torchruns_variables_is_refused(self):
        torchrun = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2",
                    "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
        ran = self.run_duet("compare", *SHORT, "--transport", "mpi", **torchrun)
        self.assertEqual(ran.code, 2, ran.err)
        self.assertIn("torchrun started 2 processes, and --transport is mpi", ran.err)

    def test_a_rank_that_fails_gives_its_reason_first(self):
        ran = self.run_duet("train", "--transport", "mpi", "--lr", "1e30", "--steps", "50", "--out", "run")
        self.assertNotEqual(ran.code, 0)
        self.assertTrue(ran.err.startswith("error: "), ran.err)
        self.assertIn("NaN or infinite", ran.err.splitlines()[0])
        self.assertTrue(list((self.folder / "run").glob("rank_*.status")))
        self.assertEqual(processes_of(self.folder), [])

    def test_a_killed_rank_ends_the_run_with_its_name(self):
        run = self.start("train", "--steps", "0")
        os.kill(ranks_of(self.folder)[1], signal.SIGKILL)
        _, error = self.expect_end(run)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("rank 1", error.splitlines()[0])
        self.expect_readable_trace()

    def test_a_stopped_rank_ends_the_run_after_the_deadline(self):
        run = self.start("train", "--steps", "0", "--deadline", "2")
        os.kill(ranks_of(self.folder)[1], signal.SIGSTOP)
        _, error = self.expect_end(run)
        self.assertEqual(run.returncode, 3, error)
        self.assertIn("rank 1", error)
        self.expect_readable_trace()

    def test_ctrl_c_ends_the_run_by_itself_and_keeps_it(self):
        run = self.start("train", "--steps", "0")
        run.send_signal(signal.SIGINT)
        out, error = self.expect_end(run)
        self.assertEqual(run.returncode, 0, error)
        self.assertIn("steps", out)
        self.assertTrue((self.folder / "run" / "trace.jsonl").exists())

    def test_a_second_ctrl_c_ends_it_at_once(self):
        run = self.start("train", "--steps", "0")
        os.kill(ranks_of(self.folder)[1], signal.SIGSTOP)
        run.send_signal(signal.SIGINT)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        self.expect_end(run, seconds=15)
        self.assertNotEqual(run.returncode, 0)
        self.expect_readable_trace()


if __name__ == "__main__":
    unittest.main()
