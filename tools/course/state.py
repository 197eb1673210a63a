"""What a student has done: my/progress.json, keyed by slug. Losing it loses no code."""

import contextlib
import datetime
import fcntl
import hashlib
import json

import catalogue
from place import from_here, my_folder, write_whole


def fingerprint(path):
    """Of a file's bytes; empty where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def today():
    return datetime.date.today().isoformat()


class Progress:
    """One student's state. Read it with load(); change it inside editing()."""

    def __init__(self, data, note=""):
        self.data, self.note = data, note

    def of(self, slug):
        return self.data["lessons"].setdefault(slug, {})

    @property
    def current(self):
        return self.data.get("current", "")

    def status(self, lesson):
        """new, started, passed or changed (since it passed)."""
        mine = fingerprint(lesson.my_file)
        passed = self.data["lessons"].get(lesson.slug, {}).get("passed", "")
        if not mine:
            return "new"
        if not passed:
            return "started"
        return "passed" if mine == passed else "changed"


def file():
    return my_folder() / "progress.json"


def empty():
    return {"version": 1, "current": "", "lessons": {}}


def well_formed(data):
    """Whether every part that a verb uses is of its type; what only a newer Duet knows may be anything."""
    if not (fits(data, {"current": str, "last_run": str, "lessons": dict}) and "lessons" in data):
        return False
    return all(fits(one, {"passed": str, "stub": str, "hints": int, "failures": int, "predictions": dict})
               for one in data["lessons"].values())


def fits(data, types):
    return isinstance(data, dict) and all(isinstance(data[name], kind) for name, kind in types.items() if name in data)


def load():
    """The state, or an empty one where there is none or it is damaged; then `note` says so."""
    try:
        data = json.loads(file().read_text(encoding="utf-8"))
        if not well_formed(data):
            raise ValueError("it has another form")
    except FileNotFoundError:
        return Progress(empty())
    except (OSError, ValueError, RecursionError) as error:
        note = f"{from_here(file())} cannot be read ({error}); it starts anew, and your code is as it was."
        return Progress(empty(), note)
    move_renamed(data)
    return Progress(data)


def move_renamed(data):
    """A lesson that has another name now keeps its progress and its code."""
    for old, new in catalogue.renamed().items():
        if old in data["lessons"] and new not in data["lessons"]:
            data["lessons"][new] = data["lessons"].pop(old)
        if data.get("current") == old:
            data["current"] = new
        was, now = my_folder() / old, my_folder() / new
        if was.is_dir() and not now.exists():
            was.rename(now)


@contextlib.contextmanager
def editing():
    """Loads, lets the caller change, and writes; two commands at once take turns."""
    my_folder().mkdir(parents=True, exist_ok=True)
    with open(my_folder() / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        progress = load()
        if progress.note:
            aside = file().with_name(f"progress.damaged-{today()}.json")
            with contextlib.suppress(OSError):
                file().replace(aside)
        yield progress
        write_whole(file(), json.dumps(progress.data, indent=2) + "\n")
