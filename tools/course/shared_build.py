"""Builds the student's unit with a shared install (./duet install --shared), whose build folder nobody writes to.

The install kept the commands by which ninja builds each program of a student's (tools/launcher/install.sh). Here those
that read a slot, and the one that links, run again in the shared build folder, with the slot, its object and the program
in the student's own folder, under the same names. All other objects are the shared ones.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import time

from place import Refused, build_folder, own_build, write_whole


def build(targets, jobs):
    """Returns (whether it worked, what was said)."""
    said = ""
    for target in targets:
        worked, text = build_one(target, jobs)
        said += text
        if not worked:
            return False, said
    return True, said


def build_one(target, jobs):
    commands = commands_of(target)
    link, places = commands[-1], {}
    compiles = [command for command in commands[:-1] if (own_build() / slot_of(command)).is_file()]
    for command in compiles:
        places.update(moved(command, "-c", "-o", "-MF"))
    places.update(moved(link, "-o"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda command: run_if_stale(command, places), compiles))
    if all(worked for worked, _ in results):
        results.append(run_if_stale(link, places))
    return all(worked for worked, _ in results), "".join(text for _, text in results)


def commands_of(target):
    """As lists of words; the last one links."""
    file = build_folder() / "shared_commands" / f"{target}.txt"
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        raise Refused(f"this shared install cannot build {target}", "ask whoever installed it to install it again") from None
    return [bare(shlex.split(line)) for line in lines if " -o " in line]


def bare(words):
    """CMake writes a link as `: && c++ ... && :`."""
    return [word for word in words if word not in (":", "&&")]


def after(command, flag):
    return command[command.index(flag) + 1] if flag in command else None


def slot_of(command):
    """The source that a command compiles, as it lies in the build folder; a path that is nowhere for any other."""
    source = pathlib.Path(after(command, "-c") or "none")
    return source.relative_to(build_folder()) if source.is_relative_to(build_folder()) else "none"


def moved(command, *flags):
    """Where in the student's folder that lies which the flags name."""
    names = [after(command, flag) for flag in flags]
    return {name: str(own_build() / os.path.relpath(build_folder() / name, build_folder())) for name in names}


def run_if_stale(command, places):
    """Returns (whether it worked, what was said); nothing runs where nothing changed."""
    command = [places.get(word, word) for word in command]
    made = pathlib.Path(after(command, "-o"))
    record = made.with_name(made.name + ".made_by")
    recipe = shlex.join(command) + "\n" + install_stamp()
    if is_fresh(made, record, recipe, inputs_of(command)):
        return True, ""
    made.parent.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    began = time.time_ns()
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True, errors="replace",
                         cwd=build_folder(), env=dict(os.environ, LC_ALL="C"))  # messages are matched in English
    if run.returncode == 0:
        os.utime(made, ns=(began, began))  # what is saved during the run is newer
        write_whole(record, recipe)
    return run.returncode == 0, run.stdout


def install_stamp():
    """Changes with every update of the shared install, and is missing during one."""
    try:
        return (build_folder().parent / "shared.stamp").read_text(encoding="utf-8")
    except OSError:
        raise Refused("the shared install is being updated", "wait until that is done") from None


def is_fresh(made, record, recipe, inputs):
    try:
        if record.read_text(encoding="utf-8") != recipe:
            return False
        began = made.stat().st_mtime_ns
        return all((build_folder() / file).stat().st_mtime_ns < began for file in inputs)
    except OSError:  # one is not there
        return False


def inputs_of(command):
    """What a compilation read the last time, or the objects that are linked."""
    listed = after(command, "-MF")
    if not listed:
        return [word for word in command if word.endswith(".o")]
    try:
        text = pathlib.Path(listed).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return [listed]  # is not there either
    _, _, files = text.replace("\\\n", " ").partition(": ")
    return [re.sub(r"\\(.)", r"\1", file).replace("$$", "$") for file in re.findall(r"(?:\\.|[^\s\\])+", files)]
