"""The libraries: LibTorch, NCCL, MPI."""

import re

from driver import usable
from finding import bad, numbers, ok, warn

OLDEST_TORCH = (2, 6)
OLDEST_NCCL = (2, 18)
CUDA_SET_UP = "DUET_PRESET=cuda ./duet setup   # loads the CUDA libraries, 3 GB"


def look(machine, nvidia):
    yield libtorch(machine, nvidia)
    yield nccl(machine, nvidia)
    yield mpi(machine)


def packages_of(machine):
    return machine.glob(machine.root / ".venv/lib/python3*/site-packages")


def libtorch(machine, nvidia):
    own = machine.variable("DUET_LIBTORCH")
    if own:
        wrong = what_is_wrong(machine, own)
        if wrong:
            return bad("LibTorch", f"DUET_LIBTORCH={own} {wrong}", "unset DUET_LIBTORCH", needed=True, path=own)
        return describe(machine, own, "DUET_LIBTORCH", nvidia)
    for folder in packages_of(machine):
        torch = f"{folder}/torch"
        if machine.exists(torch):
            wrong = what_is_wrong(machine, torch)
            if wrong:
                return bad("LibTorch", f".venv's {wrong}", "rm -rf .venv && ./duet setup", needed=True, path=torch)
            return describe(machine, torch, ".venv", nvidia)
    return warn("LibTorch", "not loaded yet", "./duet setup   # loads it, 0.5 GB", path=None)


def what_is_wrong(machine, folder):
    """The end of a sentence about a LibTorch that cannot be used; empty for a good one."""
    if not machine.exists(folder):
        return "is no folder"
    for part in ("include/ATen/core/Tensor.h", "lib/libtorch_cpu.so", "lib/libc10.so"):
        if not machine.exists(f"{folder}/{part}"):
            return f"has no {part}"
    version = version_of(machine, folder)
    if version and numbers(version) < OLDEST_TORCH:
        return f"is LibTorch {version}, and Duet needs 2.6 or newer"
    return ""


def version_of(machine, folder):
    for header in ("torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"):
        found = dict(re.findall(r"define TORCH_VERSION_(MAJOR|MINOR|PATCH) +(\d+)",
                                machine.read(f"{folder}/include/{header}") or ""))
        if len(found) == 3:
            return f"{found['MAJOR']}.{found['MINOR']}.{found['PATCH']}"
    return ""


def describe(machine, folder, where, nvidia):
    cuda = has_cuda(machine, folder)
    version = version_of(machine, folder) or "of an unknown version"
    found = f"{version} ({where}), " + ("with its CUDA libraries" if cuda else "for the CPU")
    facts = {"version": version, "path": folder, "cuda": cuda}
    if usable(nvidia) and not cuda:
        return warn("LibTorch", f"{found} only, and there is a GPU", CUDA_SET_UP, **facts)
    return ok("LibTorch", found, **facts)


def has_cuda(machine, folder):
    """As cmake/FindLibTorch.cmake looks: the CUDA runtime and cuBLAS, beside the wheel or in LibTorch's own folder."""
    nvidia = f"{folder}/../nvidia"
    places = {"cudart": (f"{nvidia}/cu*/lib", f"{nvidia}/cuda_runtime/lib", f"{folder}/lib"),
              "cublas": (f"{nvidia}/cu*/lib", f"{nvidia}/cublas/lib", f"{folder}/lib")}
    return machine.exists(f"{folder}/lib/libtorch_cuda.so") and all(
        any(machine.glob(f"{place}/lib{name}*.so.*") for place in folders) for name, folders in places.items())


def nccl(machine, nvidia):
    own = machine.variable("DUET_NCCL")
    places = [f"{own}/include"] if own else []
    places += [f"{folder}/nvidia/nccl/include" for folder in packages_of(machine)]
    places += ["/usr/include", "/usr/local/include", "/usr/local/cuda/include"]
    for place in places:
        found = dict(re.findall(r"define NCCL_(MAJOR|MINOR|PATCH) +(\d+)", machine.read(f"{place}/nccl.h") or ""))
        if len(found) < 3:
            continue
        version = f"{found['MAJOR']}.{found['MINOR']}.{found['PATCH']}"
        where = ".venv" if "site-packages" in place else place
        if numbers(version) >= OLDEST_NCCL:
            return ok("NCCL", f"{version} ({where})", version=version, path=place)
        return warn("NCCL", f"{version} ({where}); Duet needs 2.18 or newer", CUDA_SET_UP, version=version, path=place)
    if usable(nvidia):
        return warn("NCCL", "none", CUDA_SET_UP, version=None)
    return ok("NCCL", "none; without a GPU none is needed", version=None)


def mpi(machine):
    install = "sudo apt-get install -y openmpi-bin libopenmpi-dev"
    program = machine.find("mpirun")
    if not program:
        return warn("MPI", "no mpirun: ranks are threads, which is enough for the course", install, version=None)
    said = machine.run([program, "--version"])
    version = re.search(r"\d+(\.\d+)+", said.out)
    version = version[0] if version else "unknown"
    if "Open MPI" not in said.out:
        return warn("MPI", f"{program} is not Open MPI's; --transport mpi starts its ranks with that one",
                    [install, "sudo update-alternatives --config mpirun   # choose Open MPI's"], version=version)
    aware = machine.run(["ompi_info", "--parsable", "--all"])
    cuda = "mpi_built_with_cuda_support:value:true" in aware.out
    found = f"Open MPI {version}, " + ("CUDA-aware" if cuda else "not CUDA-aware: from a GPU through the host's memory")
    return ok("MPI", found, version=version, cuda_aware=cuda)
