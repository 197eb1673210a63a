"""The network interfaces that NCCL may choose from."""

from finding import bad, ok, warn

VARIABLE = "NCCL_SOCKET_IFNAME"
SKIPPED = ("lo", "docker")  # NCCL takes those last
VIRTUAL = ("veth", "br-", "virbr", "cni", "flannel", "cali")


def look(machine, nvidia):
    every = [path.rsplit("/", 1)[-1] for path in machine.glob("/sys/class/net/*")]
    up = [name for name in every if name == "lo" or state(machine, name) != "down"]
    usable = [name for name in up if not name.startswith(SKIPPED)]
    wanted = machine.variable(VARIABLE)
    facts = {"interfaces": usable, "chosen": wanted}
    if wanted and every and not any(matches(wanted, name) for name in up):
        yield bad("network", f"{VARIABLE}={wanted} fits no interface that is up; up are {', '.join(up)}",
                  f"unset {VARIABLE}", **facts)
    elif wanted:
        yield ok("network", f"{VARIABLE}={wanted} chooses for NCCL", **facts)
    elif len(usable) > 1 and nvidia.gpus:
        yield warn("network", f"{', '.join(usable)}: NCCL takes one of them, which may lead nowhere",
                   f"export {VARIABLE}={likely(machine, usable)}   # the one that leads to the other host", **facts)
    else:
        yield ok("network", ", ".join(usable) or "none but the loopback: ranks of this machine need no more", **facts)


def state(machine, name):
    return (machine.read(f"/sys/class/net/{name}/operstate") or "unknown").strip()


def matches(wanted, name):
    """As NCCL reads it: beginnings of names; =NAME the whole name; ^NAME all but those."""
    if wanted.startswith("^"):
        return name != "lo" and not matches(wanted[1:], name)
    if wanted.startswith("="):
        return name in wanted[1:].split(",")
    return any(name.startswith(beginning) for beginning in wanted.split(",") if beginning)


def likely(machine, usable):
    """The interface of the default route, else the first that is no bridge."""
    for line in (machine.read("/proc/net/route") or "").splitlines()[1:]:
        cells = line.split()
        if len(cells) > 1 and cells[1] == "00000000" and cells[0] in usable:
            return cells[0]
    return next((name for name in usable if not name.startswith(VIRTUAL)), usable[0])
