"""A machine that a test writes down, in the place of tools/doctor/machine.py's: a healthy one without a GPU, in which
each test changes what it is about. Outputs of nvidia-smi have the form of real ones."""

import fnmatch
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "doctor"))
sys.dont_write_bytecode = True
from machine import ABSENT, LATE, Disk, Output  # noqa: E402

DUET = pathlib.Path("/home/ada/duet")
TORCH = f"{DUET}/.venv/lib/python3.11/site-packages/torch"
NVIDIA = f"{DUET}/.venv/lib/python3.11/site-packages/nvidia"
BUILT = f"{DUET}/build/default/duet"
BUILT_CUDA = f"{DUET}/build/cuda/duet"
WORKS = '{{"ranks":2,"transport":"{}","us":41.5}}\n'
LINKED = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \t%s\t0-31\t0\t\tN/A\nGPU1\t%s\t X \t0-31\t0\t\tN/A\n\nLegend:\n"
PEERS = " \tGPU0\tGPU1\t\n GPU0\tX\t%s\t\n GPU1\t%s\tX\t\n\nLegend:\n\n  X    = Self\n"
VERSION_H = "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 11\n#define TORCH_VERSION_PATCH 0\n"
NCCL_H = "#define NCCL_MAJOR 2\n#define NCCL_MINOR 28\n#define NCCL_PATCH 9\n"


def said(out="", err="", code=0):
    return Output(code, out, err, "")


HANGS = Output(None, "", "", LATE)


def gpu_row(index, name="NVIDIA A100-SXM4-80GB", driver="580.95.05", capability="8.0", used=4, uuid=None):
    return f"{index}, {name}, {driver}, {capability}, 81920, {used}, 0, {uuid or f'GPU-{index}'}\n"


class Recorded:
    """outputs: what a command, found by a part of its words, says. files: path and text; a folder has the text ''."""

    def __init__(self):
        self.root = DUET
        self.programs = {"c++", "cmake", "ninja", "mpirun", "ompi_info", "dpkg-query", "apt-get", "ps"}
        self.outputs = {
            "c++ --version": said("c++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright\n"),
            "cmake --version": said("cmake version 3.31.6\n"),
            "ninja --version": said("1.11.1\n"),
            "mpirun --version": said("mpirun (Open MPI) 4.1.4\n"),
            "ompi_info": said("mca:mpi:base:param:mpi_built_with_cuda_support:value:false\n"),
            "dpkg-query": said("g++ ii \nlibfmt-dev ii \n"),
            "exchange-check --list": said("threads\nmpi\n"),
            "--transport threads": said(WORKS.format("threads")),
            "--transport mpi": said(WORKS.format("mpi")),
        }
        self.files = {
            f"{DUET}/requirements/apt.txt": "# the packages\ng++\nlibfmt-dev  # text\n",
            TORCH: "", f"{TORCH}/include/ATen/core/Tensor.h": "", f"{TORCH}/lib/libtorch_cpu.so": "",
            f"{TORCH}/lib/libc10.so": "", f"{TORCH}/lib/libtorch_cuda.so": "",
            f"{TORCH}/include/torch/headeronly/version.h": VERSION_H,
            f"{DUET}/.venv/lib/python3.11/site-packages": "",
            "/proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\n",
            "/sys/class/net/lo": "", "/sys/class/net/lo/operstate": "unknown\n",
            "/sys/class/net/eth0": "", "/sys/class/net/eth0/operstate": "up\n",
            BUILT: "",
        }
        self.variables = {}
        self.disks = {"/dev/shm": Disk(8e9, 8e9)}
        self.core_count, self.limits, self.version = 8, {}, ((3, 11, 2), True)
        self.commands = []

    def with_gpus(self, *rows, users="", links="SYS", peers="OK"):
        """With the CUDA program and libraries too: as after DUET_PRESET=cuda ./duet setup."""
        self.programs |= {"nvidia-smi", "nvcc"}
        self.outputs.update({
            "--query-gpu": said("".join(rows)), "--query-compute-apps": said(users), "topo -m": said(LINKED % (links, links)),
            "topo -p2p r": said(PEERS % (peers, peers)), "nvcc --version": said("Cuda compilation tools, release 13.0, V13.0.88\n"),
            "build/cuda/duet exchange-check --list": said("threads\nmpi\nnccl\n"), "--transport nccl": said(WORKS.format("nccl")),
        })
        self.files.update({BUILT_CUDA: "", f"{NVIDIA}/cu13/lib/libcudart.so.13": "", f"{NVIDIA}/cu13/lib/libcublas.so.13": "",
                           f"{NVIDIA}/nccl/include/nccl.h": NCCL_H})

    def run(self, command, seconds=10):
        words = " ".join(map(str, command))
        self.commands.append((words, seconds))
        known = [part for part in self.outputs if part in words]
        return self.outputs[max(known, key=len)] if known else Output(None, "", "", ABSENT)

    def read(self, path):
        return self.files.get(str(path))

    def find(self, program):
        return f"/usr/bin/{program}" if program in self.programs else None

    def variable(self, name):
        return self.variables.get(name, "")

    def exists(self, path):
        return str(path) in self.files or str(path).rsplit("/", 1)[-1] in self.programs

    def glob(self, pattern):
        parts = str(pattern).replace("torch/../", "").count("/")
        return sorted(path for path in self.files if path.count("/") == parts and
                      fnmatch.fnmatch(path, str(pattern).replace("torch/../", "")))

    def disk(self, path):
        return self.disks.get(str(path), Disk(500e9, 100e9))

    def cores(self):
        return self.core_count

    def limit(self, name):
        return self.limits.get(name)

    def python(self):
        return self.version
