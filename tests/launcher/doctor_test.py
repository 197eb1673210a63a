"""./duet doctor: what it makes of recorded machines (recorded.py), and of the one that this runs on."""

import importlib.util
import io
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from recorded import BUILT, DUET, HANGS, NVIDIA, ROOT, TORCH, Disk, Recorded, gpu_row, said
from sandbox import Sandbox, run_on_terminal

import machine as machines

spec = importlib.util.spec_from_file_location("doctor", ROOT / "tools" / "doctor" / "__main__.py")
doctor = importlib.util.module_from_spec(spec)
spec.loader.exec_module(doctor)

REFUSED = """error: rank 1 got 3 in row 0 where 5 was sent
  where   all_to_all over mpi
  usually the transport's library does not fit
  fix     report it
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Doctor(unittest.TestCase):
    def setUp(self):
        self.machine = Recorded()

    def examined(self):
        """Returns the exit status and the lines of --json by name."""
        out = io.StringIO()
        status = doctor.examine(self.machine, out, as_json=True)
        self.whole = json.loads(out.getvalue())
        return status, {line["what"]: line for line in self.whole["lines"]}

    def text(self, stream=None):
        stream = stream or io.StringIO()
        doctor.examine(self.machine, stream)
        return stream.getvalue()

    def line(self, what, mark, status=0):
        """Examines, expects the mark and the exit status, and returns the line."""
        got, lines = self.examined()
        self.assertEqual((lines[what]["mark"], got), (mark, status), lines[what])
        return lines[what]


class Healthy(Doctor):
    def test_without_a_gpu_all_is_well(self):
        status, lines = self.examined()
        self.assertEqual(status, 0)
        self.assertEqual({line["mark"] for line in lines.values()}, {"ok"}, lines)
        self.assertEqual(self.whole["lines"][0]["what"], "NVIDIA driver")
        self.assertEqual(self.whole["lines"][0]["found"], "no NVIDIA GPU: everything runs on the CPU")
        self.assertEqual((self.whole["works"], self.whole["verdict"]), (True, "Duet works here."))

    def test_with_two_gpus_all_is_well(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1), links="NV12")
        status, lines = self.examined()
        self.assertEqual((status, {line["mark"] for line in lines.values()}), (0, {"ok"}), lines)
        self.assertIn("580.95.05, new enough", lines["NVIDIA driver"]["found"])
        self.assertEqual(lines["exchange nccl"]["facts"]["us"], 41.5)
        self.assertEqual(lines["exchange nccl"]["facts"]["ranks"], 2)

    def test_every_line_that_is_not_well_has_a_fix(self):
        for change in ("DUET_LIBTORCH", "NCCL_SOCKET_IFNAME", "CXX"):
            self.machine.variables[change] = "/nowhere"
        self.machine.files.pop(BUILT)
        text = self.text().splitlines()
        for index, line in enumerate(text):
            if line.startswith(("warn", "bad")):
                self.assertRegex(text[index + 1] + text[min(index + 2, len(text) - 1)], r"^      (fix|usually) ", line)


class Driver(Doctor):
    def test_an_old_driver_is_named_first_with_what_is_needed(self):
        self.machine.with_gpus(gpu_row(0, driver="535.183.01"))
        self.machine.files["/etc/os-release"] = "NAME=Ubuntu\nID=ubuntu\n"
        line = self.line("NVIDIA driver", "bad")
        self.assertEqual(self.whole["lines"][0], line)
        self.assertIn("535.183.01 is too old", line["found"])
        self.assertIn("580", line["found"])
        self.assertEqual(line["fix"][0], "sudo apt-get install -y nvidia-driver-580 && sudo reboot")
        self.assertFalse([words for words, _ in self.machine.commands if "--transport nccl" in words])

    def test_a_driver_of_before_the_compute_capability_was_told_is_read_too(self):
        self.machine.with_gpus()
        self.machine.outputs["--query-gpu"] = said('Field "compute_cap" is not a valid field to query.\n', code=2)
        self.machine.outputs["utilization.gpu,uuid"] = said()
        self.machine.outputs["driver_version,memory.total,memory.used,utilization.gpu,uuid"] = said(
            "0, Tesla T4, 470.82.01, 15360, 3, 0, GPU-0\n")
        self.machine.outputs["compute_cap,memory.total,memory.used,utilization.gpu,uuid"] = self.machine.outputs["--query-gpu"]
        self.machine.outputs["name,driver_version,compute_cap,memory.total,memory.used,utilization.gpu,uuid"] = (
            self.machine.outputs["--query-gpu"])
        self.assertIn("470.82.01 is too old", self.line("NVIDIA driver", "bad")["found"])

    def test_a_pascal_gpu_is_named_and_the_other_chosen(self):
        self.machine.with_gpus(gpu_row(0, name="Tesla P100-PCIE-16GB", capability="6.0"), gpu_row(1))
        line = self.line("GPU generation", "bad")
        self.assertIn("GPU 0 Tesla P100-PCIE-16GB is Pascal (6.0)", line["found"])
        self.assertEqual(line["fix"], ["export CUDA_VISIBLE_DEVICES=1"])
        self.assertIn("one GPU, so one rank", self.line("exchange nccl", "ok")["found"])

    def test_turing_is_new_enough(self):
        self.machine.with_gpus(gpu_row(0, name="Tesla T4", capability="7.5"))
        self.assertNotIn("GPU generation", self.examined()[1])

    def test_a_driver_that_does_not_answer_is_told_in_its_words(self):
        self.machine.programs.add("nvidia-smi")
        self.machine.outputs["--query-gpu"] = said("NVIDIA-SMI has failed because it couldn't communicate\n", code=9)
        self.assertIn("couldn't communicate", self.line("NVIDIA driver", "bad")["found"])
        self.machine.outputs["--query-gpu"] = HANGS
        self.assertIn("does not answer", self.line("NVIDIA driver", "bad")["found"])
        self.machine.outputs["--query-gpu"] = said("Failed to initialize NVML: Driver/library version mismatch\n", code=18)
        self.assertEqual(self.line("NVIDIA driver", "bad")["fix"], ["sudo reboot"])

    def test_a_driver_without_a_gpu_is_well(self):
        self.machine.programs.add("nvidia-smi")
        self.machine.outputs["--query-gpu"] = said("No devices were found\n", code=6)
        self.line("NVIDIA driver", "ok")

    def test_a_card_without_a_driver_is_seen(self):
        card = "/sys/bus/pci/devices/0000:01:00.0"
        self.machine.files.update({f"{card}/vendor": "0x10de\n", f"{card}/class": "0x030200\n"})
        self.assertIn("there is an NVIDIA GPU in the machine", self.line("NVIDIA driver", "warn")["found"])


class Gpus(Doctor):
    def test_one_in_use_is_told_with_who_uses_it_and_the_free_one(self):
        self.machine.with_gpus(gpu_row(0, used=30123), gpu_row(1), users="GPU-0, 4711, /usr/bin/python3, 30000\n")
        self.machine.outputs["ps -o user= -p 4711"] = said("bob\n")
        line = self.line("GPU 0", "warn")
        self.assertIn("30123 of 81920 MiB taken; in use by python3 of bob (process 4711, 30000 MiB)", line["found"])
        self.assertIn("CUDA_VISIBLE_DEVICES=1 ./duet compare --device cuda", line["fix"][0])
        self.line("GPU 1", "ok")

    def test_where_all_are_in_use_one_asks(self):
        self.machine.with_gpus(gpu_row(0), users="GPU-0, 4711, python3, [N/A]\n")
        self.assertIn("ps -fp 4711", self.line("GPU 0", "warn")["fix"][0])

    def test_memory_taken_by_nobody_that_is_seen(self):
        self.machine.with_gpus(gpu_row(0, used=30123))
        self.assertIn("cannot be seen from here", self.line("GPU 0", "warn")["found"])


class Links(Doctor):
    def test_nvlink(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1), links="NV12")
        line = self.line("GPU links", "ok")
        self.assertEqual((line["found"], line["facts"]["links"]), ("0-1: NVLink (NV12)", {"0-1": "NV12"}))
        self.assertIn("on", self.line("peer access", "ok")["found"])

    def test_pcie_is_told_by_its_way(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1), links="PHB")
        self.assertEqual(self.line("GPU links", "ok")["found"], "0-1: PCIe through the processor (PHB)")

    def test_an_underlined_header_and_a_network_card_are_read(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1))
        self.machine.outputs["topo -m"] = said(
            "\t\033[4mGPU0\tGPU1\tNIC0\tCPU Affinity\033[0m\nGPU0\t X \tNV4\tSYS\t0-7\nGPU1\tNV4\t X \tPHB\t0-7\nNIC0\tSYS\tPHB\t X\n")
        self.assertEqual(self.line("GPU links", "ok")["facts"]["links"], {"0-1": "NV4"})

    def test_peer_access_off(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1), peers="CNS")
        line = self.line("peer access", "warn")
        self.assertIn("peer access off, 0-1: the chipset does not support it (CNS)", line["found"])
        self.assertIn("ACS or the IOMMU", line["usually"])
        self.assertIn("export NCCL_P2P_DISABLE=1", line["fix"][0])

    def test_a_geforce_without_peer_access_is_not_blamed_on_the_iommu(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1), peers="GNS")
        line = self.line("peer access", "warn")
        self.assertIn("GeForce", line["usually"])
        self.assertNotIn("IOMMU", json.dumps(line))

    def test_no_matrix(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1))
        for what in ("topo -m", "topo -p2p r"):
            self.machine.outputs[what] = said("Not supported\n", code=3)
        self.line("GPU links", "ok")
        self.line("peer access", "ok")

    def test_several_networks_are_a_choice_only_with_a_gpu(self):
        for name in ("ib0", "docker0"):
            self.machine.files.update({f"/sys/class/net/{name}": "", f"/sys/class/net/{name}/operstate": "up\n"})
        self.machine.files["/proc/net/route"] = "Iface\tDestination\nib0\t0000A8C0\neth0\t00000000\t0100A8C0\n"
        self.line("network", "ok")
        self.machine.with_gpus(gpu_row(0), gpu_row(1))
        line = self.line("network", "warn")
        self.assertEqual(line["facts"]["interfaces"], ["eth0", "ib0"])
        self.assertIn("export NCCL_SOCKET_IFNAME=eth0", line["fix"][0])

    def test_a_chosen_network_that_is_not_there(self):
        for wanted, mark in (("eth", "ok"), ("=eth0", "ok"), ("^docker", "ok"), ("eno1", "bad"), ("=eth", "bad")):
            self.machine.variables["NCCL_SOCKET_IFNAME"] = wanted
            self.line("network", mark)


class Builders(Doctor):
    def test_an_old_compiler_keeps_duet_from_working(self):
        self.machine.outputs["c++ --version"] = said("c++ (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0\n")
        self.assertIn("11.4.0", self.line("C++ compiler", "bad", status=1)["found"])
        self.assertEqual(self.whole["works"], False)

    def test_no_compiler_is_installed_by_the_set_up_where_there_is_apt_get(self):
        self.machine.programs.discard("c++")
        self.line("C++ compiler", "bad", status=0)
        self.machine.programs.discard("apt-get")
        self.line("C++ compiler", "bad", status=1)

    def test_missing_packages_are_listed(self):
        self.machine.outputs["dpkg-query"] = said("g++ ii \n", code=1)
        self.assertEqual(self.line("system packages", "warn")["facts"]["missing"], ["libfmt-dev"])

    def test_an_old_cmake(self):
        self.machine.outputs["cmake --version"] = said("cmake version 3.22.1\n")
        self.assertIn("no cmake", self.line("build tools", "warn")["found"])

    def test_an_old_python(self):
        self.machine.version = ((3, 9, 2), True)
        self.line("Python", "bad", status=1)

    def test_nvcc_of_another_cuda(self):
        self.machine.with_gpus(gpu_row(0))
        self.machine.outputs["nvcc --version"] = said("Cuda compilation tools, release 12.4, V12.4.99\n")
        self.assertIn("12.4", self.line("nvcc", "warn")["found"])


class Libraries(Doctor):
    def test_a_wrong_libtorch_of_ones_own(self):
        self.machine.variables["DUET_LIBTORCH"] = "/opt/libtorch"
        line = self.line("LibTorch", "bad", status=1)
        self.assertEqual((line["found"], line["fix"]), ("DUET_LIBTORCH=/opt/libtorch is no folder", ["unset DUET_LIBTORCH"]))
        self.machine.files["/opt/libtorch"] = ""
        self.assertIn("has no include/ATen/core/Tensor.h", self.line("LibTorch", "bad", status=1)["found"])

    def test_none_is_loaded_by_the_set_up(self):
        self.machine.files = {path: text for path, text in self.machine.files.items() if not path.startswith(TORCH)}
        self.assertIn("./duet setup", self.line("LibTorch", "warn")["fix"][0])

    def test_a_gpu_and_a_libtorch_for_the_cpu(self):
        self.machine.with_gpus(gpu_row(0))
        del self.machine.files[f"{NVIDIA}/cu13/lib/libcublas.so.13"]
        self.assertIn("DUET_PRESET=cuda", self.line("LibTorch", "warn")["fix"][0])

    def test_no_mpirun(self):
        self.machine.programs.discard("mpirun")
        line = self.line("MPI", "warn")
        self.assertEqual(line["fix"], ["sudo apt-get install -y openmpi-bin libopenmpi-dev"])
        self.assertIn("there is no mpirun", self.line("exchange mpi", "warn")["found"])

    def test_an_mpi_that_reads_gpus(self):
        self.machine.outputs["ompi_info"] = said("mca:mpi:base:param:mpi_built_with_cuda_support:value:true\n")
        self.assertTrue(self.line("MPI", "ok")["facts"]["cuda_aware"])

    def test_mpich(self):
        self.machine.outputs["mpirun --version"] = said("HYDRA build details:\n    Version: 4.0.2\n")
        self.line("MPI", "warn")


class Host(Doctor):
    def test_dockers_shared_memory_is_small(self):
        self.machine.disks["/dev/shm"] = Disk(67108864, 67108864)
        line = self.line("/dev/shm", "warn")
        self.assertIn("67 MB", line["found"])
        self.assertIn("remount", line["fix"][0])

    def test_a_full_disk_matters_before_the_set_up(self):
        self.machine.disks[str(DUET)] = Disk(500e9, 2e9)
        self.line("disk", "ok")
        del self.machine.files[BUILT]
        self.line("disk", "bad", status=1)

    def test_a_containers_limits_count(self):
        self.machine.files.update({"/sys/fs/cgroup/memory.max": "2000000000\n", "/sys/fs/cgroup/memory.current": "1500000000\n",
                                   "/sys/fs/cgroup/cpu.max": "150000 100000\n"})
        self.assertIn("500 MB free of 2.0 GB", self.line("memory", "warn")["found"])
        self.assertIn("1.5", self.line("cores", "ok")["found"])

    def test_few_processes(self):
        self.machine.limits["NPROC"] = 100
        self.line("limits", "warn")


class Exchange(Doctor):
    def test_not_built_yet_is_one_line(self):
        del self.machine.files[BUILT]
        self.line("exchange", "warn")
        self.assertEqual([line["what"] for line in self.whole["lines"]].count("exchange"), 1)

    def test_one_that_fails_gives_the_programs_reason_as_the_fix(self):
        self.machine.outputs["--transport mpi"] = said(err="warning: x\n" + REFUSED + "-----\nmpirun noticed\n", code=3)
        line = self.line("exchange mpi", "bad", status=0)
        self.assertEqual(line["found"], "rank 1 got 3 in row 0 where 5 was sent (all_to_all over mpi)")
        self.assertEqual((line["usually"], line["fix"][0]), ("the transport's library does not fit", "report it"))
        self.assertIn("exchange-check --transport mpi", line["fix"][1])
        self.assertIn("exchange mpi", self.whole["verdict"])

    def test_one_that_fails_without_a_word_of_duets_gives_its_last(self):
        self.machine.outputs["--transport mpi"] = said(err="libmpi.so.40: cannot open shared object file\n", code=127)
        self.assertIn("cannot open shared object", self.line("exchange mpi", "bad")["found"])

    def test_threads_are_needed(self):
        self.machine.outputs["--transport threads"] = said(err=REFUSED, code=3)
        self.line("exchange threads", "bad", status=1)

    def test_one_that_hangs_is_told_with_its_limit(self):
        self.machine.with_gpus(gpu_row(0), gpu_row(1), peers="CNS")
        self.machine.outputs["--transport nccl"] = HANGS
        line = self.line("exchange nccl", "bad", status=0)
        self.assertIn("no end within 120 s", line["found"])
        self.assertIn("NCCL_P2P_DISABLE=1", line["fix"][0])
        self.assertIn(120, [seconds for words, seconds in self.machine.commands if "--transport nccl" in words])

    def test_a_program_that_does_not_start(self):
        self.machine.outputs["exchange-check --list"] = said(err="error while loading shared libraries: libc10.so\n", code=127)
        line = self.line("exchange", "bad", status=1)
        self.assertIn("libc10.so", line["found"])

    def test_nccl_without_a_gpu_is_not_tried(self):
        self.machine.outputs["exchange-check --list"] = said("threads\nnccl\n")
        self.assertEqual(self.line("exchange nccl", "ok")["facts"], {"tried": False})


class Shared(Doctor):
    def test_nobody_is_told_to_set_a_shared_install_up(self):
        self.machine.files[f"{DUET}/.shared"] = "at /home/ada/duet\npreset default\nby ada\nfrom /home/ada/clone\n"
        self.machine.outputs["exchange-check --list"] = said(code=1)
        line = self.line("exchange", "bad", status=1)
        self.assertIn("ada", line["fix"][0])
        self.assertNotIn("setup", json.dumps(self.whole))
        self.assertNotIn("build tools", json.dumps(self.whole))


class Shown(Doctor):
    def test_the_shape_of_json(self):
        self.examined()
        self.assertEqual(set(self.whole), {"works", "verdict", "lines"})
        for line in self.whole["lines"]:
            self.assertLessEqual({"mark", "what", "found", "needed", "fix", "facts"}, set(line))
            self.assertIn(line["mark"], ("ok", "warn", "bad"))

    def test_colours_on_a_terminal_only_and_never_with_no_color(self):
        self.assertNotIn("\033", self.text())
        self.assertIn("\033[32mok  \033[0m", self.text(Terminal()))
        self.machine.variables["NO_COLOR"] = "1"
        self.assertNotIn("\033", self.text(Terminal()))


class Running(unittest.TestCase):
    """The real Machine."""

    def test_a_command_that_hangs_ends_with_all_that_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "pid"
            script = f"trap '' TERM; sleep 600 & echo $! > {file}; wait; sleep 600"
            start = time.monotonic()
            ended = machines.Machine(folder).run(["bash", "-c", script], seconds=1)
            self.assertEqual((ended.code, ended.trouble), (None, machines.LATE))
            self.assertLess(time.monotonic() - start, 15)
            for _ in range(50):
                try:
                    os.kill(int(file.read_text()), 0)
                except ProcessLookupError:
                    return
                time.sleep(0.1)
            os.kill(int(file.read_text()), signal.SIGKILL)
            self.fail("what it started still runs")

    def test_a_command_that_is_not_there(self):
        self.assertEqual(machines.Machine("/").run(["/nowhere/program"]).trouble, machines.ABSENT)


class Launcher(unittest.TestCase):
    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def test_it_sets_nothing_up_and_takes_no_lock(self):
        self.box.fake("python3", 'echo "python3 $*"')
        status, out, err = self.box.run("doctor", "--json")
        self.assertEqual((status, err, self.box.calls()), (0, "", []))
        self.assertTrue(out.endswith("/tools/doctor --json\n"), out)
        self.assertFalse((self.box.root / "build").exists())

    def test_it_runs_in_a_shared_install_that_is_not_whole(self):
        (self.box.root / ".shared").write_text("at /elsewhere\n")
        self.box.fake("python3", 'echo "python3 $*"')
        self.assertEqual(self.box.run("doctor")[0], 0)

    def test_without_python_it_says_what_to_install(self):
        self.box.without("python3")
        status, out, err = self.box.run("doctor")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("fix     sudo apt-get install -y python3", err)


class Here(unittest.TestCase):
    """This repository as it is."""

    def run_here(self, *arguments):
        return subprocess.run([ROOT / "duet", "doctor", *arguments], capture_output=True, text=True, timeout=300, check=False)

    def test_it_runs(self):
        ran = self.run_here("--json")
        self.assertIn(ran.returncode, (0, 1), ran.stderr)
        whole = json.loads(ran.stdout)
        self.assertEqual((whole["works"], ran.stderr), (ran.returncode == 0, ""))
        self.assertEqual(whole["lines"][0]["what"], "NVIDIA driver")
        built = (ROOT / "build" / "default" / "duet").exists()
        names = [line["what"] for line in whole["lines"]]
        self.assertIn("exchange threads" if built else "exchange", names)

    def test_unknown_flags_are_refused(self):
        ran = self.run_here("--jsno")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("error: ./duet doctor does not know '--jsno'\n  fix     ", ran.stderr)

    def test_a_terminal_gets_colours(self):
        environment = {**os.environ, "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        status, shown = run_on_terminal([ROOT / "duet", "doctor"], answer="", env=environment)
        self.assertIn(status, (0, 1))
        self.assertIn("\033[3", shown)


if __name__ == "__main__":
    unittest.main()
