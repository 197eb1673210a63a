"""The machine itself: display, disk, memory, cores, limits."""

from finding import bad, counted, gigabytes, ok, warn

SET_UP_BYTES = 3e9  # what ./duet setup takes, all in all; the cuda preset takes three times as much
SHM_BYTES = 512e6  # NCCL takes some 10 MB a pair of GPUs, MPI 4 MB a rank and more
COMPILER_BYTES = 1.5e9


def look(machine, place):
    yield display(machine)
    yield disk(machine, place)
    yield temporary(machine)
    yield memory(machine)
    yield shared_memory(machine)
    yield cores(machine)
    yield from limits(machine)


def display(machine):
    for name in ("WAYLAND_DISPLAY", "DISPLAY"):
        if machine.variable(name):
            return ok("display", f"{name}={machine.variable(name)}", display=machine.variable(name))
    return ok("display", "none: ./duet view --screenshot picture.png works without, and so do a run's reports", display="")


def disk(machine, place):
    space = machine.disk(machine.root)
    if not space:
        return warn("disk", f"the system does not tell how much is free at {machine.root}", f"df -h {machine.root}")
    free = f"{gigabytes(space.free)} free at {machine.root}"
    built = bool(place.presets())
    if not built and space.free < SET_UP_BYTES:
        return bad("disk", f"{free}; the set-up needs {gigabytes(SET_UP_BYTES)}", f"du -xh {machine.root} | sort -h | tail",
                   needed=True, free=space.free)
    if space.free < 1e9:
        return warn("disk", f"{free}; runs and builds need some", "du -sh build/* runs/* | sort -h", free=space.free)
    return ok("disk", free, free=space.free)


def temporary(machine):
    folder = machine.variable("TMPDIR") or "/tmp"
    space = machine.disk(folder)
    elsewhere = "mkdir -p ~/tmp && export TMPDIR=~/tmp"
    if not space:
        return warn("temporary disk", f"{folder} cannot be read", elsewhere, free=None)
    free = f"{gigabytes(space.free)} free in {folder}"
    if space.free < 1e9:
        return warn("temporary disk", f"{free}; compilers and pip unpack there", elsewhere, free=space.free)
    return ok("temporary disk", free, free=space.free)


def memory(machine):
    free, total = available(machine)
    if free is None:
        return ok("memory", "the system does not tell how much is free", free=None)
    found = f"{gigabytes(free)} free of {gigabytes(total)}"
    if free < COMPILER_BYTES:
        return warn("memory", f"{found}; a compiler takes up to 1.5 GB", "CMAKE_BUILD_PARALLEL_LEVEL=1 ./duet setup",
                    free=free, total=total)
    return ok("memory", found, free=free, total=total)


def available(machine):
    """Free and all bytes, within what a container may take."""
    lines = (line.split() for line in (machine.read("/proc/meminfo") or "").splitlines())
    sizes = {line[0]: int(line[1]) * 1024 for line in lines if len(line) > 1 and line[1].isdigit()}
    free, total = sizes.get("MemAvailable:"), sizes.get("MemTotal:")
    limit = (machine.read("/sys/fs/cgroup/memory.max") or "").strip()
    used = (machine.read("/sys/fs/cgroup/memory.current") or "").strip()
    if free is not None and limit.isdigit() and used.isdigit() and int(limit) < total:
        free, total = min(free, max(0, int(limit) - int(used))), int(limit)
    return free, total


def shared_memory(machine):
    space = machine.disk("/dev/shm")
    fix = ["sudo mount -o remount,size=1g /dev/shm", "docker run --shm-size=1g ...   # for a container, at its start"]
    if not space:
        return warn("/dev/shm", "there is none, and NCCL and MPI exchange through it", fix, total=0)
    if space.total < SHM_BYTES:
        return warn("/dev/shm", f"{gigabytes(space.total)}: small, and NCCL and MPI exchange through it", fix,
                    usually="a container: docker's default is 64 MB", total=space.total)
    return ok("/dev/shm", f"{gigabytes(space.total)}, {gigabytes(space.free)} free", total=space.total, free=space.free)


def cores(machine):
    count = machine.cores()
    quota = (machine.read("/sys/fs/cgroup/cpu.max") or "").split()
    limited = int(quota[0]) / int(quota[1]) if len(quota) == 2 and quota[0].isdigit() else None
    found = counted(count, "core")
    if limited is not None and limited < count:
        found += f", of which this container may use {limited:.1f}"
    if min(count, limited or count) < 2:
        found += ": ranks take turns, so that times say little; what is computed is the same"
    return ok("cores", found, cores=count, limit=limited)


def limits(machine):
    processes = machine.limit("NPROC")
    locked = machine.limit("MEMLOCK")
    infiniband = bool(machine.glob("/sys/class/infiniband/*"))
    found = f"processes {processes if processes is not None else 'unlimited'}, locked memory " + (
        gigabytes(locked) if locked is not None else "unlimited")
    facts = {"processes": processes, "locked_bytes": locked}
    if processes is not None and processes < 512:
        yield warn("limits", f"{found}; ranks, compilers and MPI are processes and threads", "ulimit -u $(ulimit -Hu)",
                   **facts)
    elif infiniband and locked is not None and locked < 64e6:
        yield warn("limits", f"{found}; NCCL and MPI lock memory for InfiniBand", "ulimit -l $(ulimit -Hl)", **facts)
    else:
        yield ok("limits", found, **facts)
