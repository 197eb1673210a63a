"""How the GPUs reach each other: NVLink, PCIe, the processors; and whether one may read the other's memory."""

import re

from finding import ok, warn

KINDS = {"PIX": "one PCIe switch", "PXB": "several PCIe switches", "PHB": "PCIe through the processor",
         "NODE": "PCIe through one processor's interconnect", "SYS": "PCIe and the link between processors"}
REFUSALS = {"CNS": "the chipset does not support it", "GNS": "the GPU does not support it",
            "TNS": "the topology does not support it", "NS": "not supported", "U": "unknown"}
OFF = "ACS or the IOMMU is on, or this is a virtual machine"
FIXES = ["export NCCL_P2P_DISABLE=1   # where NCCL hangs: it works then, slower, through the host's memory",
         "sudo dmesg | grep -iE 'iommu|dmar'   # whether the IOMMU is on; intel_iommu=off or amd_iommu=off boots without"]


def look(machine, nvidia):
    if len(nvidia.gpus) < 2:
        return
    indices = [gpu.index for gpu in nvidia.gpus]
    yield links(pairs(machine, nvidia, "-m"), indices)
    yield peers(pairs(machine, nvidia, "-p2p", "r"), indices)


def pairs(machine, nvidia, *what):
    """{(0, 1): "NV12", ...} from one of nvidia-smi's matrices; empty where it has none to tell."""
    said = machine.run([nvidia.program, "topo", *what], seconds=30)
    text = re.sub(r"\033\[[0-9;]*m", "", said.out) if said.code == 0 else ""
    columns, found = [], {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        name = re.fullmatch(r"GPU(\d+)", cells[0])
        if name and columns:
            for column, cell in zip(columns, cells[1:]):
                if column is not None and column != int(name[1]):
                    found[int(name[1]), column] = cell
        elif not columns and "GPU0" in cells:
            columns = [int(cell[3:]) if re.fullmatch(r"GPU\d+", cell) else None for cell in cells[1:]]
    return found


def both_ways(found, indices):
    return {(one, other): found[one, other] for one in indices for other in indices
            if one < other and (one, other) in found}


def grouped(found):
    """The pairs of each kind: "0-1, 2-3"."""
    kinds = {}
    for (one, other), kind in found.items():
        kinds.setdefault(kind, []).append(f"{one}-{other}")
    return [(kind, ", ".join(names)) for kind, names in kinds.items()]


def links(found, indices):
    found = both_ways(found, indices)
    if not found:
        return ok("GPU links", "nvidia-smi topo tells nothing here (a virtual machine, or WSL)", links={})
    told = "; ".join(f"{names}: {describe(kind)}" for kind, names in grouped(found))
    return ok("GPU links", told, links={f"{one}-{other}": kind for (one, other), kind in found.items()})


def describe(kind):
    if kind.startswith("NV"):
        return f"NVLink ({kind})"
    return f"{KINDS[kind]} ({kind})" if kind in KINDS else kind


def peers(found, indices):
    found = both_ways(found, indices)
    if not found:
        return ok("peer access", "nvidia-smi topo -p2p tells nothing here; the exchange below shows whether it works",
                  peer_access={})
    facts = {"peer_access": {f"{one}-{other}": kind for (one, other), kind in found.items()}}
    off = {pair: kind for pair, kind in found.items() if kind != "OK"}
    if not off:
        return ok("peer access", "on: a GPU reads the other's memory", **facts)
    told = "; ".join(f"{names}: {REFUSALS.get(kind, kind)} ({kind})" for kind, names in grouped(off))
    never = all(kind == "GNS" for kind in off.values())
    usually = "a GeForce without NVLink, which has none" if never else OFF
    return warn("peer access", f"peer access off, {told}", FIXES[:1] if never else FIXES, usually=usually, **facts)
