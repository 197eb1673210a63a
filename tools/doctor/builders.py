"""What builds Duet: packages, Python, the compiler, CMake and Ninja, nvcc."""

import re

from driver import CUDA
from finding import bad, numbers, ok, warn

OLDEST_GCC = (12,)
OLDEST_CMAKE = (3, 24)
OLDEST_PYTHON = (3, 10)
SET_UP = "./duet setup"


def look(machine, place, nvidia):
    if not place.shared:
        yield from packages(machine)
        yield from python(machine)
    yield compiler(machine)
    if not place.shared:
        yield build_tools(machine)
    yield nvcc(machine, nvidia)


def packages(machine):
    if machine.variable("DUET_SKIP_PACKAGES") == "1":
        return
    names = (machine.read(machine.root / "requirements/apt.txt") or "").splitlines()
    names = [name.split("#")[0].strip() for name in names if name.split("#")[0].strip()]
    if not (machine.find("dpkg-query") and machine.find("apt-get")):
        yield ok("system packages", f"no apt-get here; {SET_UP} names what this system's package manager should bring")
        return
    said = machine.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Abbrev}\n", *names])
    there = {line.split()[0] for line in said.out.splitlines() if line.split()[1:2] == ["ii"]}
    missing = [name for name in names if name not in there]
    if missing:
        yield warn("system packages", f"missing: {' '.join(missing)}", f"{SET_UP}   # asks, and installs them",
                   missing=missing)
    else:
        yield ok("system packages", f"all {len(names)} are there", missing=[])


def python(machine):
    version, makes_venv = machine.python()
    text = ".".join(map(str, version))
    own = machine.variable("DUET_LIBTORCH")
    if version < OLDEST_PYTHON and not own:
        yield bad("Python", f"{text}; the LibTorch wheel needs 3.10 or newer",
                  "export DUET_LIBTORCH=/path/to/libtorch   # one that you have; or put a newer python3 first in PATH",
                  needed=True, version=text)
    elif not makes_venv and not own:
        yield warn("Python", f"{text}, without venv", "sudo apt-get install -y python3-venv", version=text)
    else:
        yield ok("Python", text, version=text)


def compiler(machine):
    program = machine.variable("CXX") or next(filter(machine.find, ("c++", "g++")), None)
    said = machine.run([program, "--version"]) if program else None
    if said is None or said.code != 0:
        what = f"CXX={program} does not work" if program else "none"
        if machine.find("apt-get"):
            fix = "unset CXX" if program else f"{SET_UP}   # installs g++"
        else:
            fix = "install g++ 12 or newer with this system's package manager"
        return bad("C++ compiler", what, fix, needed=bool(program) or not machine.find("apt-get"))
    first = said.out.splitlines()[0]
    version = re.search(r"(\d+)\.\d+(\.\d+)?", first.split(")")[-1]) or re.search(r"(\d+)\.\d+", first)
    version = version[0] if version else ""
    name = "clang" if "clang" in first else "g++"
    if name == "g++" and numbers(version) < OLDEST_GCC:
        return bad("C++ compiler", f"{program} is g++ {version or first}; Duet is C++20 and needs 12 or newer",
                   ["sudo apt-get install -y g++-12 && export CXX=g++-12"], needed=True, name=name, version=version)
    return ok("C++ compiler", f"{name} {version}", name=name, version=version)


def build_tools(machine):
    told, facts = [], {}
    for name, oldest in (("cmake", OLDEST_CMAKE), ("ninja", ())):
        for program, where in ((str(machine.root / f".venv/bin/{name}"), ".venv"), (machine.find(name), "system")):
            said = machine.run([program, "--version"]) if program and machine.exists(program) else None
            version = re.search(r"\d+(\.\d+)+", said.out) if said and said.code == 0 else None
            if version and numbers(version[0]) >= oldest:
                told.append(f"{name} {version[0]} ({where})")
                facts[name] = {"version": version[0], "path": program}
                break
    if len(told) == 2:
        return ok("build tools", ", ".join(told), **facts)
    lacks = " and ".join(name for name in ("cmake", "ninja") if name not in facts)
    return warn("build tools", f"no {lacks} here that will do (CMake 3.24 or newer, any Ninja)",
                f"{SET_UP}   # brings them into .venv", **facts)


def nvcc(machine, nvidia):
    home = machine.variable("CUDA_HOME") or "/usr/local/cuda"
    beside = machine.glob(machine.root / ".venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc")
    seen = []
    for program in (machine.variable("CUDACXX"), f"{home}/bin/nvcc", machine.find("nvcc"), *beside):
        said = machine.run([program, "--version"]) if program and machine.exists(program) else None
        release = re.search(r"release (\d+)\.(\d+)", said.out) if said else None
        if release and int(release[1]) == CUDA:
            version = f"{release[1]}.{release[2]}"
            return ok("nvcc", f"{version} ({program})", version=version, path=program)
        if release:
            seen.append(f"{program} is {release[1]}.{release[2]}")
    told = f"none of CUDA {CUDA}" + (f" ({'; '.join(seen)})" if seen else "")
    if not nvidia.gpus:
        return ok("nvcc", f"{told}; without a GPU none is needed", version=None)
    return warn("nvcc", told, f"DUET_PRESET=cuda {SET_UP}   # brings one into .venv", version=None)
