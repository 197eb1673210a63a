"""An importable torch from the wheels that Duet builds with, for torchrun alone.

The wheel's Python module loads libtorch_cuda, and that loads 3 GB of CUDA libraries of which torchrun calls nothing.
In their places go libraries of a few KB that have the same names and symbols, and end the process when one is called.
So a machine that built Duet runs the real torchrun, and needs no .venv-dev for it.
"""

import os
import pathlib
import re
import subprocess

NVIDIA = re.compile(r"^lib(cu(?!da\.)|nccl|nv)")  # not libcuda: the driver's, which is looked for at run time


def read(tool, *arguments):
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


def symbols(library, which, kinds):
    """Yields (name, version or "") of what a library defines or wants, of nm's `kinds`."""
    for line in read("nm", "-D", which, str(library)).splitlines():
        kind, name = line.split()[-2:]
        if kind not in kinds:
            continue
        name, _, version = name.partition("@")
        yield name, version.lstrip("@")


def needed(library):
    return re.findall(r"NEEDED\s+(\S+)", read("objdump", "-p", str(library)))


def version_owners(library):
    """{version: the library that must have it}, from what `library` says that it was linked with."""
    owners, owner = {}, None
    for line in read("objdump", "-p", str(library)).splitlines():
        if required := re.match(r"\s+required from (\S+):", line):
            owner = required.group(1)
        elif owner and (version := re.match(r"\s+0x\w+ 0x\w+ \w+ (\S+)", line)):
            owners[version.group(1)] = owner
        else:
            owner = None
    return owners


def write_stub(folder, soname, names):
    """A library of `names` [(symbol, version)]: its functions abort."""
    versions = sorted({version for _, version in names if version})
    code = "#include <stdio.h>\n#include <stdlib.h>\n" + "".join(
        f'void {name}(void) {{ fputs("{soname}: {name} is a stub\\n", stderr); abort(); }}\n' for name, _ in sorted(names))
    script = "".join(f"{version} {{ {' '.join(name + ';' for name, its in sorted(names) if its == version)} }};\n"
                     for version in versions)
    (folder / "stub.c").write_text(code)
    (folder / "stub.map").write_text(script)
    flags = [f"-Wl,--version-script={folder / 'stub.map'}"] if versions else []
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", folder / soname, folder / "stub.c", f"-Wl,-soname,{soname}", *flags],
                   check=True)


def make_stubs(torch, folder):
    """Writes to `folder` the libraries that `torch` (an installed package's folder) needs and does not find; returns
    their names."""
    folder.mkdir(parents=True, exist_ok=True)
    ours = [path for path in (torch / "lib").glob("*.so*") if path.is_file()]
    beside = [torch / "lib", *torch.parent.glob("nvidia/*/lib")]
    wanted = {soname for library in ours for soname in needed(library) if NVIDIA.match(soname)}
    there = {soname: folder / soname for folder in beside for soname in wanted if (folder / soname).exists()}
    missing = sorted(wanted - set(there))
    defined = {name for path in (*ours, *there.values()) for name, _ in symbols(path, "--defined-only", "TDBVWiu")}
    lacking = {soname: set() for soname in missing}
    for library in ours:
        owners = version_owners(library)
        for name, version in symbols(library, "--undefined-only", "U"):
            owner = owners.get(version) if version else (missing or [None])[-1]  # without one it is looked for everywhere
            if owner in lacking and not (name in defined and not version):
                lacking[owner].add((name, version))
    for soname, names in lacking.items():
        write_stub(folder, soname, names)
    return missing


class NoTorch(Exception):
    """Why there is no torchrun here."""


def torchrun(torch, folder):
    """Returns (command, environment) that start the torchrun of `torch`, an installed package's folder; `folder` gets
    the libraries.

    @raises NoTorch with the reason
    """
    python = torch.parents[3] / "bin" / "python"
    if not (torch / "distributed" / "run.py").exists() or not python.exists():
        raise NoTorch(f"{torch} is no torch of a Python environment")
    typing = [torch.parent / "typing_extensions.py", torch.parent / "pip" / "_vendor" / "typing_extensions.py"]
    typing = next((path for path in typing if path.exists()), None)
    if typing is None:
        raise NoTorch(f"torch needs typing_extensions, which is not in {torch.parent}")
    (folder / "python").mkdir(parents=True)
    (folder / "python" / "typing_extensions.py").symlink_to(typing)
    make_stubs(torch, folder / "lib")
    environment = dict(os.environ, PYTHONPATH=str(folder / "python"), PYTHONWARNINGS="ignore",
                       LD_LIBRARY_PATH=str(folder / "lib"))
    return [str(python), "-m", "torch.distributed.run"], environment
