"""./duet train --resume: a run that was ended goes on, and ends as if it never had been.

With DUET_KILLS=50 (the test cli.resume_slow) it is killed at fifty random moments instead of a few.
"""

import json
import os
import random
import signal
import struct
import subprocess
import time

from program import DUET, ProgramTest, main

KILLS = int(os.environ.get("DUET_KILLS", "4"))
RUN = ("--dim", "8", "--hidden", "16", "--experts", "4", "--tokens", "16", "--bias-rate", "0.001", "--weight-decay",
       "0.01", "--seed", "7")


def read_safetensors(path):
    """Metadata, and each tensor's type, shape and bytes, as the public layout has them."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__")
    body = data[8 + length:]
    return metadata, {name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])])
                      for name, entry in header.items()}


def doubles(tensor):
    dtype, _, data = tensor
    assert dtype == "F64", dtype
    return struct.unpack(f"<{len(data) // 8}d", data)


class Resume(ProgramTest):
    def train(self, *arguments):
        """Returns the JSON; notes may stand on stderr."""
        return json.loads(self.succeed("train", *arguments, "--json").out)

    def tensors(self, told):
        return read_safetensors(self.folder / told["checkpoint"])[1]

    def expect_same(self, told, reference):
        self.assertEqual(told["steps"], reference["steps"])
        self.assertEqual(told["loss_first"], reference["loss_first"])
        self.assertEqual(told["loss_last"], reference["loss_last"])
        mine, theirs = self.tensors(told), self.tensors(reference)
        self.assertEqual(mine.keys(), theirs.keys())
        for name, tensor in mine.items():
            self.assertEqual(tensor, theirs[name], name)

    def trace_steps(self, run):
        lines = [json.loads(line) for line in (self.folder / run / "trace.jsonl").read_text().splitlines()]
        return [line["step"] for line in lines if "step" in line]


class Killed(Resume):
    STEPS = 200 if KILLS < 10 else 2000

    def start(self, *arguments):
        return subprocess.Popen([DUET, "train", *arguments, "--json"], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def test_at_random_moments_ends_as_one_never_killed(self):
        seed = random.SystemRandom().randrange(2**32)
        print(f"\nkilled {KILLS} times, seed {seed}", flush=True)
        chance = random.Random(seed)
        settings = (*RUN, "--steps", str(self.STEPS), "--checkpoint-every", "3")
        began = time.monotonic()
        reference = self.train(*settings, "--out", "whole")
        whole = time.monotonic() - began
        process = self.start(*settings, "--out", "killed")
        while not (self.folder / "killed" / "config.toml").exists():
            self.assertIsNone(process.poll(), "ended before it began")
            time.sleep(0.001)
        kills = 0
        for _ in range(KILLS):
            time.sleep(chance.uniform(0, 1.5 * whole / KILLS))
            if process.poll() is None:
                process.kill()
                kills += 1
            out, err = process.communicate(timeout=60)
            self.assertIn(process.returncode, (0, -signal.SIGKILL), err)
            process = self.start("--resume", "killed")
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        print(f"{kills} of them under way", flush=True)
        self.expect_same(json.loads(out), reference)
        self.assertEqual(self.trace_steps("killed"), list(range(self.STEPS)))
        left = sorted(path.name for path in (self.folder / "killed").rglob("*") if "partial" in path.name)
        self.assertEqual(left, [])
        self.assertEqual(len(list((self.folder / "killed" / "checkpoints").iterdir())), 3)

    def test_before_its_first_checkpoint_starts_from_the_beginning_in_its_mode(self):
        reference = self.train(*RUN, "--mode", "dp", "--steps", "8", "--out", "whole")
        process = self.start(*RUN, "--mode", "dp", "--steps", "0", "--checkpoint-every", "0", "--out", "killed")
        while not (self.folder / "killed" / "config.toml").exists():
            self.assertIsNone(process.poll(), "ended before it began")
            time.sleep(0.001)
        process.kill()
        process.communicate()
        ran = self.succeed("train", "--resume", "killed", "--steps", "8", "--json")
        self.assertIn("no checkpoint yet: starting from the first step", ran.err)
        told = json.loads(ran.out)
        self.assertEqual((told["mode"], told["resumed_from_step"]), ("dp", 0))
        self.expect_same(told, reference)

    def test_ctrl_c_leaves_a_checkpoint_to_go_on_from(self):
        process = self.start(*RUN, "--steps", "0", "--checkpoint-every", "0", "--out", "run")
        while not (self.folder / "run" / "config.toml").exists():
            self.assertIsNone(process.poll(), "ended before it began")
            time.sleep(0.001)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        stopped = json.loads(out)
        total = stopped["steps"] + 5
        told = self.train("--resume", "run", "--steps", str(total))
        self.assertEqual(told["resumed_from_step"], stopped["steps"])
        self.expect_same(told, self.train(*RUN, "--steps", str(total), "--out", "whole"))
        self.assertEqual(self.trace_steps("run"), list(range(total)))

    def test_while_it_runs_no_other_writes_to_its_folder(self):
        process = self.start(*RUN, "--steps", "0", "--out", "run")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        while not (self.folder / "run" / "config.toml").exists():
            self.assertIsNone(process.poll(), "ended before it began")
            time.sleep(0.001)
        self.assertIn("another process is writing to this run", self.run_duet("train", "--resume", "run").err)


class Layouts(Resume):
    def test_any_other_goes_on_to_the_same_parameters(self):
        settings = (*RUN, "--float64", "--accumulate", "2")
        reference = self.tensors(self.train(*settings, "--steps", "12", "--out", "whole"))
        self.train(*settings, "--steps", "3", "--mode", "single", "--out", "run")
        self.train("--resume", "run", "--steps", "6", "--mode", "dp", "--accumulate", "1")
        self.train("--resume", "run", "--steps", "9", "--mode", "single")
        told = self.train("--resume", "run", "--steps", "12", "--mode", "ep", "--ranks", "4")
        self.assertEqual((told["resumed_from_step"], told["steps"]), (9, 12))
        for name, tensor in self.tensors(told).items():
            expected = doubles(reference[name])
            largest = max(map(abs, expected))
            apart = max(abs(a - b) for a, b in zip(doubles(tensor), expected, strict=True))
            self.assertLessEqual(apart, 1e-12 * largest, name)
        self.assertEqual(self.trace_steps("run"), list(range(12)))

    def test_the_metadata_says_what_was_trained(self):
        told = self.train(*RUN, "--steps", "4", "--mode", "ep", "--out", "run")
        metadata, tensors = read_safetensors(self.folder / told["checkpoint"])
        expected = {"format": "duet-checkpoint", "version": "1", "step": "4", "adam_steps": "4", "mode": "ep",
                    "ranks": "2", "ep": "2", "dp": "1", "shard_tokens": "16,16", "seed": "7"}
        self.assertEqual({key: metadata[key] for key in expected}, expected)
        self.assertEqual(metadata["config"], (self.folder / "run" / "config.toml").read_text())
        self.assertEqual(tensors["layer.0.expert.3.w1"][:2], ("F32", [16, 8]))
        for name in ("adam.mean.layer.0.expert.3.w1", "adam.variance.layer.0.router.weight",
                     "layer.0.router.choice_bias"):
            self.assertIn(name, tensors)


class Flags(Resume):
    def test_a_run_of_compare_is_refused_and_left_alone(self):
        self.succeed("compare", "--steps", "4", "--out", "other")
        before = (self.folder / "other" / "trace.jsonl").read_text()
        self.assertIn("run of compare", self.refuse("train", "--resume", "other"))
        self.assertEqual((self.folder / "other" / "trace.jsonl").read_text(), before)

    def test_a_trace_whose_checkpoints_are_gone_is_kept(self):
        self.succeed("train", "--steps", "4", "--out", "other")
        before = (self.folder / "other" / "trace.jsonl").read_text()
        for checkpoint in (self.folder / "other" / "checkpoints").iterdir():
            checkpoint.unlink()
        self.succeed("train", "--resume", "other", "--steps", "2")
        self.assertEqual((self.folder / "other" / "trace.jsonl.unread").read_text(), before)

    def setUp(self):
        super().setUp()
        self.told = self.train(*RUN, "--steps", "6", "--checkpoint-every", "2", "--keep-checkpoints", "2", "--out",
                               "run")

    def test_the_last_checkpoints_are_kept(self):
        names = sorted(path.name for path in (self.folder / "run" / "checkpoints").iterdir())
        self.assertEqual(names, ["step-000004.safetensors", "step-000006.safetensors"])

    def test_what_parameters_stand_on_is_refused_by_name(self):
        for flag, value in (("dim", "16"), ("hidden", "32"), ("experts", "8"), ("tokens", "32"), ("shards", "4"),
                            ("seed", "8"), ("layers", "2"), ("expert", "swiglu"), ("dataset", "random"),
                            ("router-bias", "off"), ("float64", "on")):
            self.assertIn(f"--{flag} {value} does not fit the run",
                          self.refuse("train", "--resume", "run", f"--{flag}", value))
        self.train("--resume", "run", "--dim", "8", "--steps", "7")  # the same value is no change

    def test_steps_are_those_in_all(self):
        self.assertIn("--steps 5, and the run has done 6", self.refuse("train", "--resume", "run", "--steps", "5"))
        told = self.train("--resume", "run")
        self.assertEqual((told["steps"], told["resumed_from_step"]), (6, 6))
        self.expect_same(told, self.told)

    def test_out_leaves_the_old_folder_as_it_is(self):
        before = {path: path.read_bytes() for path in (self.folder / "run").rglob("*") if path.is_file()}
        told = self.train("--resume", "run", "--steps", "9", "--out", "other")
        self.assertEqual(told["run"], "other")
        self.assertEqual(self.trace_steps("other"), list(range(9)))
        self.assertEqual(before, {path: path.read_bytes() for path in (self.folder / "run").rglob("*")
                                  if path.is_file()})

    def test_a_damaged_checkpoint_is_told_and_the_previous_one_taken(self):
        newest = self.folder / "run" / "checkpoints" / "step-000006.safetensors"
        newest.write_bytes(newest.read_bytes()[:-100])
        ran = self.succeed("train", "--resume", "run", "--json")
        self.assertIn("cut off", ran.err)
        self.assertIn("step-000006.safetensors", ran.err)
        told = json.loads(ran.out)
        self.assertEqual(told["resumed_from_step"], 4)
        self.assertEqual((told["steps"], told["loss_last"]), (6, self.told["loss_last"]))
        self.assertEqual(self.trace_steps("run"), list(range(6)))

    def test_a_torn_trace_is_read_up_to_the_tear(self):
        trace = self.folder / "run" / "trace.jsonl"
        trace.rename(trace.with_suffix(".jsonl.partial"))
        partial = self.folder / "run" / "trace.jsonl.partial"
        lines = partial.read_bytes().splitlines(keepends=True)
        partial.write_bytes(b"".join(lines[:-2]) + lines[-2][:50])
        self.train("--resume", "run", "--steps", "8")
        self.assertEqual(self.trace_steps("run"), [0, 1, 2, 3, 4, 6, 7])

    def test_a_trace_that_does_not_read_is_kept_under_another_name(self):
        trace = self.folder / "run" / "trace.jsonl"
        lines = trace.read_text().splitlines(keepends=True)
        damaged = "".join([lines[0], "no step\n", *lines[2:]])
        trace.write_text(damaged)
        ran = self.succeed("train", "--resume", "run", "--steps", "8", "--json")
        self.assertIn("line 2", ran.err)
        self.assertEqual(json.loads(ran.out)["resumed_from_step"], 6)
        self.assertEqual(self.trace_steps("run"), [6, 7])
        self.assertEqual((self.folder / "run" / "trace.jsonl.unread").read_text(), damaged)

    def test_a_folder_that_is_no_run_is_refused(self):
        (self.folder / "empty").mkdir()
        self.assertIn("not the folder of a run", self.refuse("train", "--resume", "empty"))
        self.assertIn("not the folder of a run", self.refuse("train", "--resume", "not there"))
        self.assertIn("--config with --resume", self.refuse("train", "--resume", "run", "--config", "run/config.toml"))


if __name__ == "__main__":
    main()
