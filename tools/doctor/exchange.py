"""A small exchange between two ranks on every transport of the programs that are built."""

import json
import shlex

from driver import usable
from finding import bad, counted, ok, warn
from machine import LATE

SECONDS = {"nccl": 120}  # CUDA's libraries are loaded from the disk, and NCCL looks for every link
SECONDS_OTHERWISE = 45
DEADLINE = {"nccl": 60}
DEADLINE_OTHERWISE = 15
BY_HAND = {
    "nccl": "NCCL_DEBUG=INFO NCCL_P2P_DISABLE=1 {command}   # tells more; works where peer access does not",
    "mpi": "OMPI_MCA_btl_base_verbose=30 {command}   # tells more",
}


def look(machine, place, nvidia):
    presets = place.presets()
    if not presets:
        yield warn("exchange", "Duet is not built yet, so no exchange was tried", "./duet setup && ./duet doctor")
        return
    done = set()
    for preset in presets:
        program = str(place.program(preset))
        listed = machine.run([program, "exchange-check", "--list"], seconds=30)
        if listed.code != 0:
            yield cannot_start(preset, listed)
            continue
        for transport in listed.out.split():
            if transport not in done:
                done.add(transport)
                yield tried(machine, program, preset, transport, nvidia)
    if usable(nvidia) and "nccl" not in done:
        yield warn("exchange nccl", "no program with CUDA is built", "DUET_PRESET=cuda ./duet setup && ./duet doctor")


def cannot_start(preset, listed):
    said = (listed.err or listed.out).strip().splitlines()
    reason = "it does not answer" if listed.trouble == LATE else said[0] if said else f"it ended with {listed.code}"
    return bad("exchange", f"build/{preset}/duet does not work: {reason}", f"DUET_PRESET={preset} ./duet setup",
               needed=preset != "cuda")


def tried(machine, program, preset, transport, nvidia):
    what, ranks = f"exchange {transport}", 2
    if transport == "nccl":
        ranks = min(2, len(usable(nvidia)))
        if not ranks:
            return ok(what, f"built (preset {preset}); not tried: there is no GPU to try it on", tried=False)
    if transport == "mpi" and not machine.find("mpirun"):
        return warn(what, f"built (preset {preset}); not tried: there is no mpirun",
                    "sudo apt-get install -y openmpi-bin libopenmpi-dev", tried=False)
    command = [program, "exchange-check", "--transport", transport, "--ranks", str(ranks), "--deadline",
               str(DEADLINE.get(transport, DEADLINE_OTHERWISE))]
    seconds = SECONDS.get(transport, SECONDS_OTHERWISE)
    ended = machine.run(command, seconds=seconds)
    facts = {"tried": True, "preset": preset, "ranks": ranks}
    needed = transport == "threads"
    if ended.code == 0:
        return measured(what, ended, ranks, facts, needed)
    by_hand = BY_HAND.get(transport, "{command}").format(command=" ".join(map(shlex.quote, command)))
    if ended.trouble == LATE:
        return bad(what, f"no end within {seconds} s; it was stopped", by_hand, needed=needed, hung=True, **facts)
    what_went_wrong, usually, fix = reason(ended)
    return bad(what, what_went_wrong, [*fix, by_hand], usually=usually, needed=needed, exit_code=ended.code, **facts)


def measured(what, ended, ranks, facts, needed):
    try:
        us = float(json.loads(ended.out.strip().splitlines()[-1])["us"])
    except (ValueError, KeyError, IndexError, TypeError):
        return bad(what, "it ended well and said no time", "./duet setup   # the program is of another version",
                   needed=needed, **facts)
    one = "; one GPU, so one rank" if ranks == 1 else ""
    return ok(what, f"works: {counted(ranks, 'rank')}, {us:.0f} us for an all-to-all and an all-reduce{one}", us=us, **facts)


def reason(ended):
    """(what, usually, [fix...]) of the first error in Duet's form; the last line of what was said where there is none."""
    lines = (ended.err + "\n" + ended.out).splitlines()
    start = next((index for index, line in enumerate(lines) if line.startswith("error: ")), None)
    if start is None:
        said = [line.strip() for line in lines if line.strip()]
        return (said[-1] if said else f"it ended with {ended.code} and said nothing"), "", []
    parts, name = {"what": lines[start][len("error: "):]}, ""
    for line in lines[start + 1:]:
        if not line.startswith("  "):
            break
        name = line[2:10].strip() or name
        parts.setdefault(name, []).append(line[10:].strip())
    where = f" ({' '.join(parts['where'])})" if "where" in parts else ""
    return parts["what"] + where, " ".join(parts.get("usually", [])), parts.get("fix", [])
