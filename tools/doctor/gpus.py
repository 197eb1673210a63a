"""The GPUs, and who uses them."""

from finding import counted, ok, warn
from driver import usable

IDLE_MIB = 1024  # a driver and a desktop take less


def look(nvidia):
    for gpu in nvidia.gpus:
        yield describe(gpu, nvidia)


def busy(gpu):
    return bool(gpu.users) or (gpu.used or 0) > IDLE_MIB


def describe(gpu, nvidia):
    what, taken = f"GPU {gpu.index}", memory(gpu)
    facts = {"name": gpu.name, "capability": gpu.capability, "memory_mib": gpu.memory, "used_mib": gpu.used,
             "utilisation_percent": gpu.utilisation, "users": [user._asdict() for user in gpu.users]}
    if not busy(gpu):
        return ok(what, f"{gpu.name}, {taken}; nobody uses it", **facts)
    who = ", ".join(describe_user(user) for user in gpu.users) or "a process that cannot be seen from here"
    return warn(what, f"{gpu.name}, {taken}; in use by {who}", way_round(gpu, nvidia), **facts)


def memory(gpu):
    if gpu.memory is None:
        return "memory unknown"
    return f"{gpu.used or 0} of {gpu.memory} MiB taken"


def describe_user(user):
    owner = f" of {user.owner}" if user.owner else ""
    taken = "" if user.memory is None else f", {user.memory} MiB"
    return f"{user.program}{owner} (process {user.pid}{taken})"


def way_round(gpu, nvidia):
    free = [other for other in usable(nvidia) if not busy(other)]
    if free:
        devices = ",".join(str(other.index) for other in free)
        ranks = max(power for power in (2, 4, 8) if power <= max(2, len(free)))  # the experts divide by these
        return [f"CUDA_VISIBLE_DEVICES={devices} ./duet compare --device cuda --ranks {ranks}"
                f"   # {counted(len(free), 'free GPU')}"]
    if gpu.users:
        return [f"ps -fp {','.join(user.pid for user in gpu.users)}   # whose it is; then wait for them, or ask"]
    return ["nvidia-smi   # on the host, outside of this container: whose it is"]
