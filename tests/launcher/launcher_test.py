"""./duet in a sandbox (sandbox.py): what it says, what it installs, and that it picks up where it was cut off."""

import unittest

from sandbox import Sandbox


class Launcher(unittest.TestCase):
    def setUp(self):
        self.use(Sandbox())

    def use(self, sandbox):
        self.box = sandbox
        self.addCleanup(sandbox.close)

    def ran(self, *arguments, **variables):
        """Runs ./duet, expects success, and returns its stdout and stderr."""
        status, out, err = self.box.run(*arguments, **variables)
        self.assertEqual(status, 0, err)
        return out, err

    def refused(self, *arguments, **variables):
        """Runs ./duet, expects exit 2 and nothing on stdout, and returns its stderr."""
        status, out, err = self.box.run(*arguments, **variables)
        self.assertEqual((status, out), (2, ""), err)
        return err


class Help(Launcher):
    def test_it_works_before_the_set_up_and_touches_nothing(self):
        out, err = self.ran("--help")
        self.assertIn("./duet compare", out)
        self.assertEqual((err, self.box.calls(), (self.box.root / "build").exists()), ("", [], False))

    def test_a_call_without_a_verb_shows_it_as_an_error(self):
        self.assertIn("usage: ./duet", self.refused())


class Course(Launcher):
    def test_an_unknown_verb_is_refused_before_anything_is_set_up(self):
        err = self.refused("comapre")
        self.assertIn("there is no verb 'comapre'", err)
        self.assertIn("did you mean compare?", err)
        self.assertEqual(self.box.calls(), [])

    def test_the_map_needs_no_set_up(self):
        self.box.fake("python3", 'echo "python3 $*"')
        out, err = self.ran("lesson", "expert")
        self.assertTrue(out.endswith("/tools/course lesson expert\n"), out)
        self.assertEqual((err, self.box.calls()), ("", []))


class Bench(Launcher):
    def test_an_unknown_benchmark_is_refused_with_the_known_ones(self):
        self.ran("setup")
        err = self.refused("bench", "speed")
        self.assertIn("no benchmark is called 'speed'", err)
        self.assertIn("peers", err)


class Running(Launcher):
    def test_one_command_sets_up_builds_and_runs(self):
        out, err = self.ran("compare", "--json")
        self.assertEqual(out, "ran: compare --json\n")
        self.assertEqual([call.split(" ")[0] for call in self.box.calls()], ["-m", "pip", "configure", "build"])
        for step in (".venv", "LibTorch", "configuring", "building"):
            self.assertIn(step, err)

    def test_a_second_run_does_nothing_but_run(self):
        self.ran("compare")
        before = self.box.calls()
        self.assertEqual(self.ran("compare"), ("ran: compare\n", ""))
        self.assertEqual(self.box.calls(), before)

    def test_paths_with_spaces_and_other_folders_work(self):
        self.use(Sandbox("a folder with spaces/duet".replace("/", " - ")))
        elsewhere = self.box.folder / "else where"
        elsewhere.mkdir()
        out, _ = self.ran("train", "--out", "my run", cwd=elsewhere)
        self.assertEqual(out, "ran: train --out my run\n")
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_a_failed_build_shows_the_first_error_and_where_the_rest_is(self):
        err = self.refused("compare", FAKE_BUILD="fail")
        self.assertIn("x.cpp:1: error: what went wrong", err)
        self.assertIn("build/default/build.log", err)
        self.assertNotIn("[1/2] fine", err)

    def test_a_test_may_build(self):
        """The course's tests take the lock for their builds: they stood still when the launcher kept it."""
        self.box.fake("ctest", 'flock -n "$STATE/duet/build/.lock" true && record "the lock is free"')
        self.box.run("test")
        self.assertIn("the lock is free", self.box.calls())

    def test_set_up_alone_runs_nothing(self):
        self.assertEqual(self.ran("setup")[0], "")


class Packages(Launcher):
    MISSING = "g++ libfmt-dev"
    COMMAND = "apt-get install -y --no-install-recommends g++ libfmt-dev"

    def test_nobody_to_ask_ends_with_the_exact_command(self):
        err = self.refused("compare", FAKE_MISSING=self.MISSING)
        self.assertIn(f"run: {self.COMMAND}\n", err)
        self.assertEqual(self.box.calls(), [])

    def test_one_who_is_not_root_is_told_to_use_sudo(self):
        self.box.fake("sudo", '"$@"')
        err = self.refused("compare", FAKE_MISSING=self.MISSING, FAKE_UID="1000")
        self.assertIn(f"run: sudo {self.COMMAND}\n", err)

    def test_without_sudo_an_administrator_is_needed_even_under_ci(self):
        err = self.refused("compare", FAKE_MISSING=self.MISSING, FAKE_UID="1000", CI="true")
        self.assertIn(f"let an administrator run: {self.COMMAND}\n", err)
        self.assertEqual(self.box.calls(), [])

    def test_ci_and_yes_install_without_asking(self):
        for arguments, variables in ((["compare"], {"CI": "true"}), (["--yes", "compare"], {})):
            self.use(Sandbox())
            self.ran(*arguments, FAKE_MISSING=self.MISSING, **variables)
            self.assertEqual(self.box.calls("apt-get"), ["apt-get update", self.COMMAND])

    def test_sudo_is_used_by_one_who_is_not_root(self):
        self.box.fake("sudo", 'record sudo "$@"; [ "$1" = -v ] || "$@"')
        self.ran("--yes", "compare", FAKE_MISSING=self.MISSING, FAKE_UID="1000")
        self.assertEqual(self.box.calls("sudo")[0], "sudo -v")
        self.assertIn(self.COMMAND, self.box.calls("apt-get"))

    def test_a_terminal_is_asked_and_yes_is_the_default(self):
        status, shown = self.box.run_on_a_terminal("compare", answer="\n", FAKE_MISSING=self.MISSING)
        self.assertIn("[Y/n]", shown)
        self.assertEqual(status, 0)
        self.assertIn("ran: compare", shown)

    def test_a_no_installs_nothing_and_leaves_the_command(self):
        status, shown = self.box.run_on_a_terminal("compare", answer="n\n", FAKE_MISSING=self.MISSING)
        self.assertEqual(status, 2)
        self.assertIn(f"run: {self.COMMAND}", shown)
        self.assertEqual(self.box.calls(), [])

    def test_a_failed_installation_says_so(self):
        err = self.refused("compare", CI="true", FAKE_MISSING=self.MISSING, FAKE_APT="100")
        self.assertIn("apt-get could not install: g++ libfmt-dev", err)


    def test_what_only_tests_need_is_installed_under_ci_and_never_asked_for(self):
        for variables, installed in (({}, []), ({"CI": "true"}, ["apt-get install -y --no-install-recommends xdotool xvfb"])):
            self.use(Sandbox())
            self.box.fake("ctest", "record ctest")
            self.box.run("test", FAKE_MISSING="xvfb xdotool", **variables)
            self.assertEqual([call for call in self.box.calls("apt-get") if "install" in call], installed)
            self.assertIn("ctest", self.box.calls("ctest"))


class OtherSystems(Launcher):
    def setUp(self):
        super().setUp()
        self.box.without("apt-get", "dpkg-query")

    def test_fedora_gets_its_list(self):
        self.box.os_release('ID=fedora\nPRETTY_NAME="Fedora Linux 42"\n')
        err = self.refused("compare")
        self.assertIn("on Fedora Linux 42 please install by hand", err)
        self.assertIn("sudo dnf install gcc-c++", err)

    def test_a_relative_of_fedora_gets_it_too(self):
        self.box.os_release('ID="rocky"\nID_LIKE="rhel centos fedora"\nPRETTY_NAME="Rocky Linux 9"\n')
        self.assertIn("sudo dnf install", self.refused("compare"))

    def test_macos_gets_its_list(self):
        (self.box.folder / "os-release").unlink()
        err = self.refused("compare", FAKE_UNAME="Darwin")
        self.assertIn("on macOS please install by hand", err)
        self.assertIn("brew install", err)

    def test_an_unknown_system_gets_the_general_list(self):
        self.box.os_release("ID=plan9\n")
        self.assertIn("a C++20 compiler", self.refused("compare"))

    def test_one_who_has_it_all_goes_on(self):
        self.assertEqual(self.ran("compare", DUET_SKIP_PACKAGES="1")[0], "ran: compare\n")


class Wheels(Launcher):
    def test_without_a_network_pips_error_and_what_to_do_are_shown(self):
        err = self.refused("compare", FAKE_PIP="offline")
        self.assertIn("Could not find a version that satisfies the requirement torch", err)
        self.assertIn("without a network", err)
        self.assertEqual(self.ran("compare")[0], "ran: compare\n")

    def test_a_full_disk_is_named(self):
        self.assertIn("the disk is full", self.refused("compare", FAKE_PIP="full"))

    def test_an_old_cmake_is_replaced_by_pypis(self):
        self.ran("compare", FAKE_CMAKE="3.22.1")
        self.assertIn("cmake==", self.box.calls("pip")[0])

    def test_a_new_cmake_is_used(self):
        for version in ("3.24.0", "3.31.6", "4.0.2"):
            self.use(Sandbox())
            self.ran("compare", FAKE_CMAKE=version)
            self.assertNotIn("cmake==", self.box.calls("pip")[0])

    def test_a_missing_ninja_is_brought(self):
        self.box.without("ninja")
        self.ran("compare")
        self.assertIn("ninja==", self.box.calls("pip")[0])

    def test_a_libtorch_of_ones_own_needs_no_wheel(self):
        own = self.box.folder / "lib torch"
        own.mkdir()
        self.ran("compare", DUET_LIBTORCH=str(own))
        self.assertEqual(self.box.calls("pip"), [])

    def test_a_libtorch_that_is_not_there_is_refused(self):
        self.assertIn("is no folder", self.refused("compare", DUET_LIBTORCH="/nowhere"))

    def test_a_gpu_that_is_asked_for_gets_the_cuda_preset_and_its_libraries(self):
        self.box.fake("nvidia-smi", "exit 0")
        self.box.fake("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'")
        for arguments in (("compare", "--device", "cuda"), ("train", "--device=auto"), ("train", "--transport", "nccl")):
            self.ran(*arguments, CUDA_HOME="/nowhere")
        self.assertTrue((self.box.root / "build/cuda/duet").exists())
        (call,) = self.box.calls("pip")
        self.assertIn("nvidia-cublas==", call)
        self.assertNotIn("nvidia-cuda-nvcc==", call)

    def test_without_an_nvcc_of_the_wheels_cuda_one_is_loaded(self):
        self.box.fake("nvcc", "echo 'Cuda compilation tools, release 12.4, V12.4.99'")
        self.ran("setup", CUDA_HOME="/nowhere", DUET_PRESET="cuda")
        self.assertIn("nvidia-cuda-nvcc==", self.box.calls("pip")[0])

    def test_the_gate_builds_cuda_too_and_a_persons_test_does_not(self):
        for variables, built in (({}, False), ({"CI": "true"}, True), ({"CI": "true", "DUET_LIBTORCH": "cpu"}, False)):
            self.use(Sandbox())
            self.box.fake("ctest", "record ctest")
            (self.box.folder / "cpu/lib").mkdir(parents=True)
            if "DUET_LIBTORCH" in variables:
                variables["DUET_LIBTORCH"] = str(self.box.folder / "cpu")
            _, _, err = self.box.run("test", CUDA_HOME="/nowhere", **variables)
            self.assertEqual((self.box.root / "build/cuda/duet").exists(), built)
            self.assertEqual("the CUDA build is not tested" in err, "DUET_LIBTORCH" in variables)

    def test_the_cuda_libraries_are_added_once_and_then_serve_every_preset(self):
        self.ran("compare")
        self.ran("setup", CUDA_HOME="/nowhere", DUET_PRESET="cuda")
        self.ran("compare", CUDA_HOME="/nowhere")
        self.assertEqual(len(self.box.calls("pip")), 2)
        self.assertEqual(len(self.box.calls("-m")), 1)  # .venv is made once, and added to

    def test_a_gpu_that_is_not_asked_for_or_not_there_changes_nothing(self):
        self.ran("compare", "--device", "cuda")
        self.box.fake("nvidia-smi", "exit 0")
        self.ran("compare")
        (call,) = self.box.calls("pip")
        self.assertNotIn("nvidia-cublas==", call)

    def test_an_old_python_is_refused(self):
        self.assertIn("Python 3.10 or newer is needed", self.refused("compare", FAKE_PYTHON="1"))


class Interrupted(Launcher):
    def test_a_download_that_was_cut_off_is_taken_up(self):
        self.assertEqual(self.box.run("compare", FAKE_PIP="die")[0], -9)
        self.assertEqual(self.ran("compare")[0], "ran: compare\n")
        self.assertEqual(len(self.box.calls("pip")), 2)

    def test_a_build_that_was_cut_off_is_taken_up_without_a_new_download(self):
        self.assertEqual(self.box.run("compare", FAKE_BUILD="die")[0], -9)
        self.assertEqual(self.ran("compare")[0], "ran: compare\n")
        self.assertEqual(len(self.box.calls("pip")), 1)

    def test_a_venv_that_was_removed_is_made_again(self):
        self.ran("compare")
        (self.box.root / ".venv" / "bin" / "python").unlink()
        (self.box.root / ".venv" / "duet.stamp").unlink()
        self.ran("compare")
        self.assertEqual(len(self.box.calls("pip")), 2)

    def test_new_pins_bring_a_new_venv(self):
        self.ran("compare")
        with open(self.box.root / "requirements" / "cpu.txt", "a", encoding="utf-8") as pins:
            pins.write("another==1\n")
        self.ran("compare")
        self.assertIn("another==1", self.box.calls("pip")[1])

    def test_a_folder_that_was_moved_is_set_up_anew(self):
        self.ran("compare")
        self.box.root = self.box.root.rename(self.box.folder / "moved")
        self.assertEqual(self.ran("compare")[0], "ran: compare\n")
        self.assertEqual((len(self.box.calls("pip")), len(self.box.calls("configure"))), (2, 2))

    def test_two_at_once_set_up_once(self):
        both = [self.box.start("compare", FAKE_PIP="slow") for _ in range(2)]
        for process in both:
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, "ran: compare\n"), err)
        self.assertEqual((len(self.box.calls("pip")), len(self.box.calls("build"))), (1, 1))


if __name__ == "__main__":
    unittest.main()
