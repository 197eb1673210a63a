"""What the program says to wrong flags, files and values, and how it ends."""

import json
import subprocess

from program import DUET, SHORT, ProgramTest, main


class Flags(ProgramTest):
    def test_the_nearest_flag_verb_or_word_is_named(self):
        for arguments, meant in ((("compare", "--tokns", "4"), "--tokens"), (("comprae",), "compare"),
                                 (("compare", "--aux", "sdt=0.1"), "std"), (("compare", "--dataset", "randm"), "random"),
                                 (("trace", "exprot"), "export"), (("train", "--mode", "sngle"), "single")):
            with self.subTest(arguments):
                self.assertIn(f"did you mean {meant}?", self.refuse(*arguments))

    def test_values_out_of_range_name_the_flag_and_what_it_takes(self):
        for flag, value in (("--tokens", "-1"), ("--tokens", "1.5"), ("--tokens", "64,x"), ("--ranks", "0"), ("--dim", "0"),
                            ("--steps", "many"), ("--lr", "nan"), ("--seed", "-1"), ("--top-k", "0"), ("--experts", ""),
                            ("--deadline", "-2"), ("--tokens", "99999999999999999999")):
            with self.subTest(flag=flag, value=value):
                error = self.refuse("compare", f"{flag}={value}")
                self.assertIn(flag.removeprefix("--"), error)

    def test_what_does_not_fit_together_is_said_with_the_way_out(self):
        for arguments, words in ((("--experts", "3"), "3 experts"), (("--top-k", "3"), "--top-k 3"),
                                 (("--renormalize",), "never learns"), (("--dp", "3"), "dp 3"),
                                 (("--tokens", "1,2,3"), "3 token counts"),
                                 (("--capacity-factor", "much"), "capacity factor")):
            with self.subTest(arguments):
                error = self.refuse("compare", *arguments)
                self.assertIn(words, error)
                self.assertIn("  fix ", error)

    def test_nccl_in_a_build_without_it_is_said_with_the_way_out(self):
        if self.run_duet("compare", "--device", "cuda", *SHORT).code == 0:
            self.skipTest("this machine has a GPU")
        error = self.refuse("compare", "--transport", "nccl")
        self.assertTrue(error.startswith("error: --transport nccl: "), error)
        self.assertRegex(error, "this build of Duet has no CUDA|driver")
        self.assertRegex(error, "DUET_PRESET=cuda|--device auto")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_gpu_that_is_not_there_is_said_with_the_way_out(self):
        if self.run_duet("compare", "--device", "cuda", *SHORT).code == 0:
            self.skipTest("this machine has a GPU")
        for verb in ("compare", "train"):
            error = self.refuse(verb, "--device", "cuda")
            self.assertRegex(error, "this build of Duet has no CUDA|driver")
            self.assertRegex(error, "DUET_PRESET=cuda|--device auto")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_auto_takes_the_cpu_where_there_is_no_gpu_and_says_so_in_one_line(self):
        ran = self.succeed("compare", "--device", "auto", *SHORT, "--json")
        device = json.loads(ran.out)["device"]
        if device == "cuda":
            self.skipTest("this machine has a GPU")
        self.assertEqual(device, "cpu")
        self.assertRegex(ran.err, r"\A--device auto: on the CPU, since [^\n]+\n\Z")
        self.assertIn('device = "cpu"', (self.only_run() / "config.toml").read_text())

    def test_a_sweep_says_it_once(self):
        ran = self.succeed("compare", "--device", "auto", "--sweep", "tokens=8,16", *SHORT)
        self.assertLessEqual(ran.err.count("--device auto"), 1)

    def test_more_memory_than_there_is_is_refused_before_it_is_taken(self):
        self.assertIn("GB", self.refuse("compare", "--tokens", "1000000000"))

    def test_help_and_version_need_no_run(self):
        self.assertIn("--capacity-factor", self.succeed("compare", "--help").out)
        self.assertIn("compare", self.succeed("--help").out)
        self.assertRegex(self.succeed("--version").out, r"duet \d+\.\d+")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_wrong_flag_leaves_no_run(self):
        self.refuse("compare", "--experts", "3")
        self.assertEqual(list(self.folder.iterdir()), [])


class Config(ProgramTest):
    def refuse_file(self, text):
        (self.folder / "c.toml").write_text(text)
        return self.refuse("compare", "--config", "c.toml")

    def test_an_unknown_setting_names_the_nearest_and_the_file(self):
        error = self.refuse_file("tokns = 4\n")
        self.assertIn("did you mean tokens?", error)
        self.assertIn("c.toml", error)

    def test_values_are_checked_as_flags_are(self):
        self.assertIn("--tokens", self.refuse_file('tokens = "x"\n'))
        self.assertIn("--tokens", self.refuse_file("tokens = \n"))

    def test_no_file_no_toml_and_no_sense(self):
        self.assertIn("nope.toml", self.refuse("compare", "--config", "nope.toml"))
        self.assertIn("cannot be read", self.refuse("compare", "--config", "."))
        for text in ("[[[\0\x01", "[model]\ntokens = 4\n", "= 3\n"):
            self.refuse_file(text)

    def test_an_empty_file_is_the_defaults(self):
        (self.folder / "c.toml").write_text("")
        self.succeed("compare", *SHORT, "--config", "c.toml")


class Numbers(ProgramTest):
    def test_a_logit_that_is_not_finite_names_step_rank_and_token(self):
        error = self.refuse("train", "--lr", "1e38", *SHORT)
        for words in ("NaN or infinite", "step ", "rank ", "token ", "--lr"):
            self.assertIn(words, error)


class Trace(ProgramTest):
    def test_exports_and_report_come_from_a_run(self):
        run = self.json("compare", *SHORT)["run"]
        self.succeed("trace", "export", "--chrome", run, "-o", "trace.json")
        self.assertIn("traceEvents", (self.folder / "trace.json").read_text())
        self.assertIn("dispatch", self.succeed("trace", "export", "--csv", run).out)
        self.succeed("trace", "report", run, "-o", "again.html")
        self.assertIn("<svg", (self.folder / "again.html").read_text())
        self.assertIn("expert parallel", self.succeed("trace", "show", run).out)

    def test_what_is_no_trace_is_said(self):
        (self.folder / "x.jsonl").write_text("{}\n")
        self.refuse("trace", "show", "x.jsonl")
        self.refuse("trace", "show", "nowhere")
        self.refuse("trace", "show", ".")
        self.assertIn("--chrome", self.refuse("trace", "export", "x.jsonl"))


class ClosedStreams(ProgramTest):
    def run_without(self, *closed):
        """Starts with these streams closed, as a shell's >&- does."""
        command = 'exec "$0" compare --steps 2 --out run ' + " ".join(closed)
        return subprocess.run(["bash", "-c", command, DUET], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)

    def test_results_that_go_nowhere_are_an_error_even_when_it_cannot_be_told(self):
        self.assertEqual(self.run_without(">&-", "2>&-").returncode, 2)

    def test_no_message_gets_into_the_files_of_the_run(self):
        self.assertEqual(self.run_without("<&-", "2>&-").returncode, 0)
        for line in (self.folder / "run" / "trace.jsonl").read_text().splitlines():
            json.loads(line)


class Train(ProgramTest):
    def test_each_mode_trains_to_the_same_loss(self):
        losses = {mode: self.json("train", "--mode", mode, "--steps", "30", "--float64")["loss_last"]
                  for mode in ("ep", "dp", "single")}
        for mode in ("ep", "dp"):
            self.assertAlmostEqual(losses[mode], losses["single"], places=12)

    def test_experts_specialise_with_the_default_settings(self):
        result = self.json("train")
        self.assertGreaterEqual(result["specialisation"], 0.95)
        self.assertLess(result["loss_last"], 0.05 * result["loss_first"])


if __name__ == "__main__":
    main()
