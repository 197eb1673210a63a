"""The real torchrun starts ranks on this machine; and what is left and said when one of them dies, stands still or is
interrupted.

usage: torchrun_test.py [Case.test ...]
"""

import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import unittest

import light_torch
from processes import DUET, Marked

ROOT = pathlib.Path(__file__).resolve().parents[2]
TORCHRUN = {}


def setUpModule():  # noqa: N802, unittest's name
    folder = tempfile.TemporaryDirectory(prefix="duet-torchrun-")
    unittest.addModuleCleanup(folder.cleanup)
    whole = ROOT / ".venv-dev"
    if (whole / "duet.stamp").exists():
        TORCHRUN.update(command=[str(whole / "bin/python"), "-m", "torch.distributed.run"], environment=dict(os.environ))
        return
    command, environment = light_torch.torchrun(pathlib.Path(os.environ["DUET_TORCH"]), pathlib.Path(folder.name))
    TORCHRUN.update(command=command, environment=environment)


class TorchrunTest(unittest.TestCase):
    def setUp(self):
        self.marked = Marked()
        self.addCleanup(self.marked.end)

    def start(self, *duet, ranks=2, flags=(), program=(DUET,), **variables):
        """torchrun, on a port of its own, of `duet ranks` and these flags."""
        environment = {**TORCHRUN["environment"], "OMP_NUM_THREADS": "1", **variables}
        return self.marked.start([*TORCHRUN["command"], "--standalone", "--no-python", f"--nproc-per-node={ranks}", *flags,
                                  *program, "ranks", *duet], environment)

    def end_of(self, process, seconds=60):
        """(exit status, stdout, stderr), and that nothing is left."""
        out, err = process.communicate(timeout=seconds)
        self.assertEqual(self.marked.left(), [], err)
        return process.returncode, out, err


class Meeting(TorchrunTest):
    def check(self, ranks, **how):
        status, out, err = self.end_of(self.start("--json", ranks=ranks, **how))
        self.assertEqual(status, 0, err)
        met = json.loads(out)
        self.assertEqual([rank["rank"] for rank in met["ranks"]], list(range(ranks)))
        for rank in met["ranks"]:
            self.assertEqual((rank["launcher"], rank["world_size"], rank["local_rank"], rank["local_world_size"]),
                             ("torchrun", ranks, rank["rank"], ranks))
        self.assertEqual(len({rank["process"] for rank in met["ranks"]}), ranks)
        return met

    def test_two_ranks_meet_at_the_agents_store(self):
        self.check(2)

    def test_four_ranks_meet_where_rank_0_is_the_host(self):
        self.check(4, TORCH_DISABLE_SHARE_RDZV_TCP_STORE="1")

    def test_the_table_has_a_line_for_each_rank(self):
        status, out, err = self.end_of(self.start("--ranks", "2"))
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"(?m)^0 +2 +0 of 2 +torchrun .*cpu$\n^1 +2 +1 of 2 +torchrun .*cpu$")
        self.assertIn("hold the same id, through the store at localhost:", out)

    def test_another_number_of_ranks_is_refused(self):
        status, out, err = self.end_of(self.start("--ranks", "3"))
        self.assertNotEqual(status, 0)
        self.assertEqual(out, "")
        self.assertIn("--ranks 3, but torchrun started 2 processes", err)

    def test_a_second_attempt_does_not_meet_the_first(self):
        fails_first = 'if [ "$TORCHELASTIC_RESTART_COUNT$RANK" = 01 ]; then sleep 1; exit 7; fi; exec "$@"'
        status, out, err = self.end_of(self.start("--json", flags=["--max-restarts=1"],
                                                  program=["bash", "-c", fails_first, "bash", DUET]))
        self.assertEqual(status, 0, err)
        self.assertEqual(len(json.loads(out)["ranks"]), 2)


class Ending(TorchrunTest):
    def start_waiting(self, *flags):
        """Rank 0 waits for rank 1, which does not come."""
        process = self.start("--hold-rank", "1", *flags)
        self.marked.rank(0)
        held = self.marked.rank(1)
        time.sleep(1)
        return process, held

    def test_a_killed_rank_ends_the_run_and_is_named(self):
        process, held = self.start_waiting()
        os.kill(held, signal.SIGKILL)
        status, out, err = self.end_of(process)
        self.assertEqual((status, out), (1, ""), err)
        self.assertRegex(err, r"rank +: 1 ")
        self.assertIn("SIGKILL", err)

    def test_ctrl_c_leaves_nothing(self):
        process, _ = self.start_waiting()
        os.killpg(process.pid, signal.SIGINT)
        status, out, _ = self.end_of(process)
        self.assertNotEqual(status, 0)
        self.assertEqual(out, "")

    def test_torchrun_that_is_terminated_leaves_nothing(self):
        process, _ = self.start_waiting()
        process.terminate()
        self.assertNotEqual(self.end_of(process)[0], 0)

    def test_a_rank_that_does_not_come_is_named_with_its_process(self):
        process, held = self.start_waiting("--deadline", "2")
        status, _, err = self.end_of(process)
        self.assertEqual(status, 1, err)
        self.assertRegex(err, rf"error: rank 1 \(process {held} on \S+\) did not come within 2 s")


class StandingStill(TorchrunTest):
    """Slow: torchrun gives a rank that stands still 30 s before it kills it."""

    def test_a_stopped_rank_is_named_and_ended(self):
        process = self.start("--hold-rank", "1", "--deadline", "3")
        held = self.marked.rank(1)
        time.sleep(1)
        os.kill(held, signal.SIGSTOP)
        status, _, err = self.end_of(process, seconds=120)
        self.assertEqual(status, 1, err)
        self.assertRegex(err, rf"error: rank 1 \(process {held} on \S+\) did not come within 3 s")


if __name__ == "__main__":
    try:
        unittest.main()
    except light_torch.NoTorch as reason:
        print(reason)
        sys.exit(77)
