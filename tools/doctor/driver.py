"""The first line: whether the NVIDIA driver and the GPUs are new enough for the CUDA of the wheels."""

from finding import bad, ok, warn

CUDA = 13  # of requirements/cuda.txt
OLDEST_DRIVER = 580  # the first branch that runs CUDA 13
OLDEST_GPU = (7, 5)  # Turing; CUDA 13 dropped Volta, Pascal and Maxwell
GENERATIONS = {3: "Kepler", 5: "Maxwell", 6: "Pascal", 7: "Volta"}
WITHOUT = "./duet compare --device cpu   # goes on without the GPU"


def look(machine, nvidia):
    if nvidia.trouble:
        yield broken(nvidia)
    elif not nvidia.gpus:
        yield none(machine, nvidia)
    else:
        yield new_enough(machine, nvidia.gpus)
        old = [gpu for gpu in nvidia.gpus if too_old(gpu)]
        if old:
            yield bad("GPU generation", "; ".join(describe_old(gpu) for gpu in old) +
                      f"; CUDA {CUDA} needs Turing (7.5) or newer",
                      others(nvidia.gpus), old=[gpu.index for gpu in old])


def usable(nvidia):
    """The GPUs that this driver and the wheels can use."""
    return [gpu for gpu in nvidia.gpus if driver_will_do(gpu) and not too_old(gpu)]


def driver_will_do(gpu):
    return int(gpu.driver.split(".")[0] or 0) >= OLDEST_DRIVER if gpu.driver[:1].isdigit() else False


def too_old(gpu):
    return gpu.capability is not None and gpu.capability < OLDEST_GPU


def describe_old(gpu):
    generation = GENERATIONS.get(gpu.capability[0], "older")
    return f"GPU {gpu.index} {gpu.name} is {generation} ({'.'.join(map(str, gpu.capability))})"


def others(gpus):
    new = [str(gpu.index) for gpu in gpus if not too_old(gpu)]
    if new:
        return f"export CUDA_VISIBLE_DEVICES={','.join(new)}"
    return WITHOUT


def new_enough(machine, gpus):
    version = gpus[0].driver
    if driver_will_do(gpus[0]):
        return ok("NVIDIA driver", f"{version}, new enough for CUDA {CUDA} ({OLDEST_DRIVER} or newer)", version=version,
                  needed_version=OLDEST_DRIVER)
    return bad("NVIDIA driver", f"{version} is too old: the wheels' CUDA {CUDA} needs {OLDEST_DRIVER} or newer",
               [install(machine), WITHOUT], version=version, needed_version=OLDEST_DRIVER)


def install(machine):
    system = machine.read("/etc/os-release") or ""
    if "ID=ubuntu" in system.splitlines():
        return f"sudo apt-get install -y nvidia-driver-{OLDEST_DRIVER} && sudo reboot"
    return f"xdg-open https://www.nvidia.com/drivers   # driver {OLDEST_DRIVER} or newer; then: sudo reboot"


def broken(nvidia):
    said = nvidia.trouble
    if "version mismatch" in said:
        return bad("NVIDIA driver", said, "sudo reboot", usually="the driver was updated and the old one is still loaded")
    return bad("NVIDIA driver", said, ["sudo modprobe nvidia && nvidia-smi", WITHOUT],
               usually="the driver was not built for this kernel, or this is a container without --gpus all")


def none(machine, nvidia):
    if not nvidia.program and has_card(machine):
        return warn("NVIDIA driver", "none, and there is an NVIDIA GPU in the machine; everything runs on the CPU",
                    [install(machine), "docker run --gpus all ...   # for a container, at its start"])
    return ok("NVIDIA driver", "no NVIDIA GPU: everything runs on the CPU")


def has_card(machine):
    """Whether the PCI bus has a display or compute device (class 03) of NVIDIA's."""
    for vendor in machine.glob("/sys/bus/pci/devices/*/vendor"):
        kind = machine.read(vendor.rsplit("/", 1)[0] + "/class") or ""
        if (machine.read(vendor) or "").strip() == "0x10de" and kind.startswith("0x03"):
            return True
    return False
