"""./duet compare: what it prints, what it leaves, what the figures say."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from program import DUET, SHORT, ProgramTest, main

NUMBERS = """ep.step_us.median ep.step_us.min dp.step_us.median dp.step_us.min single.step_us.median ep.bytes_per_step
    ep.bytes_formula dp.bytes_per_step dp.bytes_formula ep.params_per_rank dp.params_per_rank ep.loss_first ep.loss_last
    dp.loss_last std_tokens_per_expert dropped_share max_param_diff max_param_diff_f64 world_size""".split()


def look_up(result, key):
    for part in key.split("."):
        result = result[part]
    return result


class Json(ProgramTest):
    def test_it_has_every_key_that_checks_use(self):
        result = self.json("compare", *SHORT)
        for key in NUMBERS:
            self.assertIsInstance(look_up(result, key), (int, float), key)
        self.assertEqual((result["equal"], result["transport"], result["device"]), (True, "threads", "cpu"))
        self.assertEqual(sum(result["tokens_per_expert"]), 128)

    def test_the_figures_fit_the_sizes(self):
        result = self.json("compare", *SHORT)
        expert, router = 32 * 64 + 64 + 64 * 32 + 32, 32 * 2 + 2
        self.assertEqual(result["ep"]["params_per_rank"], router + expert)
        self.assertEqual(result["dp"]["params_per_rank"], router + 2 * expert)
        self.assertEqual(result["dp"]["bytes_per_step"], (router + 2 * expert) * 4)  # 2 (W - 1) / W of it, W = 2
        self.assertAlmostEqual(result["ep"]["bytes_per_step"], result["ep"]["bytes_formula"])
        self.assertLessEqual(result["max_param_diff_f64"], 1e-12)
        self.assertEqual(result["ep"]["loss_first"], result["dp"]["loss_first"])
        self.assertLess(result["ep"]["loss_last"], result["ep"]["loss_first"])

    def test_the_same_seed_gives_the_same_numbers(self):
        first, second = self.json("compare", *SHORT), self.json("compare", *SHORT)
        for key in ("ep.loss_last", "dp.loss_last", "single.loss_last", "max_param_diff", "tokens_per_expert"):
            self.assertEqual(look_up(first, key), look_up(second, key), key)
        other = self.json("compare", *SHORT, "--seed", "2")
        self.assertNotEqual(first["ep"]["loss_last"], other["ep"]["loss_last"])


class Table(ProgramTest):
    def test_it_tells_time_bytes_memory_loss_routing_and_the_proof(self):
        out = self.succeed("compare", *SHORT).out
        for words in ("expert parallel", "data parallel", "one device", "p10 to p90", "wait", "transfer", "measured",
                      "by formula", "optimizer", "first step", "tokens of each expert", "dropped", "in float64", "equal"):
            self.assertIn(words, out)

    def test_it_is_no_wider_than_a_hundred_columns(self):
        self.succeed("compare", *SHORT, "--ranks", "4", "--experts", "8", "--dp", "2")
        table = (self.only_run() / "table.txt").read_text()
        self.assertLessEqual(max(map(len, table.splitlines())), 100)

    def test_piped_it_has_no_colour_and_no_progress(self):
        ran = self.succeed("compare", *SHORT)
        self.assertNotIn("\033", ran.out + ran.err)
        self.assertEqual(ran.err, "")

    def test_the_sentences_say_which_was_faster_by_the_figures(self):
        result = self.json("compare", "--steps", "60")
        ep, dp = result["ep"]["step_us"]["median"], result["dp"]["step_us"]["median"]
        first = result["conclusions"][0]
        if abs(ep / dp - 1) < 0.05:
            self.assertIn("about as long", first)
        else:
            self.assertTrue(first.startswith("Expert" if ep < dp else "Data"), (ep, dp, first))


class Shapes(ProgramTest):
    def equal(self, *flags):
        result = self.json("compare", *SHORT, *flags)
        self.assertTrue(result["equal"], flags)
        return result

    def test_no_tokens_anywhere(self):
        self.assertEqual(self.equal("--tokens", "0")["tokens_per_expert"], [0, 0])

    def test_no_tokens_on_one_rank(self):
        self.assertEqual(sum(self.equal("--tokens", "64,0")["tokens_per_expert"]), 64)

    def test_one_expert_on_one_rank(self):
        self.equal("--ranks", "1", "--experts", "1")

    def test_many_experts_two_choices_and_drops(self):
        result = self.equal("--experts", "8", "--top-k", "2", "--capacity-factor", "1.0", "--aux", "switch=0.01")
        self.assertGreater(result["dropped_share"], 0)

    def test_a_hybrid_of_both(self):
        self.equal("--ranks", "4", "--experts", "4", "--dp", "2")

    def test_more_ranks_than_experts_repeat_them_unless_told_otherwise(self):
        table = self.succeed("compare", *SHORT, "--ranks", "4").out
        self.assertIn("2 groups of 2 ranks", table)
        self.equal("--ranks", "4")
        self.assertIn("cannot be shared equally", self.refuse("compare", *SHORT, "--ranks", "4", "--ep", "4"))
        self.assertIn("cannot be shared equally", self.refuse("compare", *SHORT, "--ranks", "3"))

    def test_the_lessons_algorithms(self):
        self.equal("--ranks", "3", "--experts", "3", "--all-reduce", "ring", "--all-to-all", "pairwise")

    def test_capacity_one_huge_and_none(self):
        for factor in ("1", "999999999", "none"):
            self.equal("--capacity-factor", factor)


class Folder(ProgramTest):
    def test_every_run_leaves_config_trace_table_and_report(self):
        out = self.succeed("compare", *SHORT).out
        run = self.only_run()
        self.assertIn(run.name, out)
        self.assertEqual(sorted(p.name for p in run.iterdir()), ["config.toml", "report.html", "table.txt", "trace.jsonl"])
        self.assertIn((run / "table.txt").read_text(), out)
        lines = [json.loads(line) for line in (run / "trace.jsonl").read_text().splitlines()]
        self.assertEqual(len(lines), 1 + 3 * 6 + 1)
        report = (run / "report.html").read_text()
        self.assertNotRegex(report, r'(src|href)="https?:')

    def test_the_config_it_leaves_makes_the_same_run(self):
        first = self.json("compare", *SHORT, "--tokens", "30,20", "--lr", "0.01", "--aux", "cv=0.02", "--float64",
                          "--capacity-factor", "1.25", "--dataset", "random", "--input-grad", "off")
        again = self.json("compare", "--config", f"{first['run']}/config.toml")
        self.assertEqual(first["config"], again["config"])
        self.assertEqual(first["ep"]["loss_last"], again["ep"]["loss_last"])

    def test_flags_go_before_the_config(self):
        first = self.json("compare", *SHORT, "--hidden", "16")
        again = self.json("compare", "--config", f"{first['run']}/config.toml", "--hidden", "8")
        self.assertEqual(again["config"]["hidden"], "8")

    def test_nothing_overwrites_a_run(self):
        self.succeed("compare", *SHORT, "--out", "mine")
        before = (self.folder / "mine/trace.jsonl").read_bytes()
        self.assertIn("mine has something in it", self.refuse("compare", *SHORT, "--out", "mine"))
        self.assertEqual((self.folder / "mine/trace.jsonl").read_bytes(), before)

    def test_runs_of_the_same_second_have_folders_of_their_own(self):
        started = [subprocess.Popen([DUET, "compare", *SHORT, "--json"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
                   for _ in range(3)]
        runs = {json.loads(one.communicate()[0])["run"] for one in started}
        self.assertEqual(len(runs), 3)

    def test_a_folder_that_cannot_be_made_is_said(self):
        self.assertIn("/dev/full/x", self.refuse("compare", *SHORT, "--out", "/dev/full/x"))

    @unittest.skipUnless(os.geteuid() == 0, "mounting a small disk needs root")
    def test_a_full_disk_is_said_and_the_written_steps_stay(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False, capture_output=True)
        if mounted.returncode:
            self.skipTest("this machine mounts no disk")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        error = self.refuse("compare", "--steps", "100", "--out", "disk/run")
        self.assertIn("No space left on device", error)
        ran = self.succeed("trace", "show", "disk/run")
        self.assertIn("cut off", ran.out)


class Sweep(ProgramTest):
    def test_it_shows_each_size_and_whether_they_cross(self):
        out = self.succeed("compare", "--sweep", "tokens=16,64", "--steps", "10").out
        self.assertRegex(out, r"\n16 +\d")
        self.assertRegex(out, r"cross at about|no crossing between 16 and 64")
        self.assertIn("131 tokens a rank", out)

    def test_it_leaves_a_run_a_size_and_its_table(self):
        out = self.succeed("compare", "--sweep", "hidden=8,16", "--steps", "6", "--out", "mine").out
        self.assertEqual(sorted(p.name for p in (self.folder / "mine").iterdir()), ["hidden-16", "hidden-8", "table.txt"])
        self.assertIn((self.folder / "mine/table.txt").read_text(), out)
        self.assertIn("hidden = 16", (self.folder / "mine/hidden-16/config.toml").read_text())
        self.assertIn("expert parallel", self.succeed("trace", "show", "mine/hidden-8").out)

    def test_its_json_has_a_point_a_size(self):
        result = self.json("compare", "--sweep", "experts=2,4", "--steps", "10")
        self.assertEqual([point["size"] for point in result["points"]], [2, 4])

    def test_a_wrong_one_is_said_before_anything_runs(self):
        self.assertIn("tokens", self.refuse("compare", "--sweep", "tokns=1,2"))
        self.assertIn("rising", self.refuse("compare", "--sweep", "tokens=64,16"))
        self.assertIn("rising", self.refuse("compare", "--sweep", "tokens=64,64"))
        self.assertIn("3 experts", self.refuse("compare", "--sweep", "experts=2,3"))


class Interrupt(ProgramTest):
    def start(self, *arguments):
        process = subprocess.Popen([DUET, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.kill)
        while not list(self.folder.glob("runs/*/trace.jsonl.partial")):
            self.assertIsNone(process.poll(), "ended before it began")
            time.sleep(0.01)
        time.sleep(0.5)
        return process

    def test_ctrl_c_ends_the_run_whole(self):
        for verb in ("train", "compare"):
            with self.subTest(verb):
                process = self.start(verb, "--steps", "100000")
                process.send_signal(signal.SIGINT)
                out, _ = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0)
                run = self.folder / re.search(r"(runs/[^/]+)/", out).group(1)
                footer = json.loads((run / "trace.jsonl").read_text().splitlines()[-1])["footer"]
                self.assertTrue(footer["interrupted"])
                self.assertTrue((run / "report.html").exists())

    def test_a_killed_run_leaves_its_whole_lines(self):
        process = self.start("train", "--steps", "100000")
        process.kill()
        process.communicate()
        ran = self.succeed("trace", "show", str(self.only_run()))
        self.assertIn("cut off", ran.out)
        self.assertGreater(int(re.search(r"(\d+) steps", ran.out).group(1)), 0)


if __name__ == "__main__":
    main()
