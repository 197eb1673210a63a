"""A copy of the launcher in a folder of its own, with a PATH in which every tool that installs or builds is a fake.

Each fake appends its call to `calls`, and does what the real one leaves behind. Nothing here needs a network.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from on_terminal import run_on_terminal  # noqa: E402

REAL = ("awk basename bash cat cmp cp cut date dirname env find flock grep head ls mkdir mv rm sed sleep sort tail touch tput "
        "tr chmod true").split()

FAKES = {
    "id": 'echo "${FAKE_UID:-0}"',
    "uname": 'echo "${FAKE_UNAME:-Linux}"',
    "nproc": "echo 2",
    # Packages in FAKE_MISSING are missing until apt-get install has run.
    "dpkg-query": 'case " ${FAKE_MISSING:-} " in *" ${@: -1} "*) [ -e "$STATE/installed" ] || exit 1 ;; esac; echo "ii "',
    "apt-get": 'record apt-get "$@"; [ "$1" = install ] && touch "$STATE/installed"; exit ${FAKE_APT:-0}',
    "cmake": r'''
case "$*" in
  --version) echo "cmake version ${FAKE_CMAKE:-3.25.1}"; exit ;;
  *--preset*) record configure; mkdir -p "build/$3"; touch "build/$3/build.ninja"; exit ;;
  *" -n") [ -x "$2/duet" ] && echo "ninja: no work to do."; exit 0 ;;
esac
record build
if [ "${FAKE_BUILD:-}" = die ]; then die; fi
if [ "${FAKE_BUILD:-}" = fail ]; then
  printf '[1/2] fine\nFAILED: x.o\nx.cpp:1: error: what went wrong\n'; exit 1
fi
printf '#!%s\necho "ran: $*"\n' "$BASH_PATH" > "$2/duet"; chmod +x "$2/duet"''',
    "ninja": "exit 0",
    "python3": r'''
if [ "$1" = -c ]; then exit ${FAKE_PYTHON:-0}; fi
if [ "$1" = --version ]; then echo "Python 3.9.2"; exit; fi
record "$@"
rm -rf "$4"; mkdir -p "$4/bin"; cp "$PIP" "$4/bin/python"''',
}
PIP = r'''record pip $(cat "${@: -1}")
case ${FAKE_PIP:-} in
  die) die ;;
  slow) sleep 1 ;;
  offline) echo "ERROR: Could not find a version that satisfies the requirement torch"; exit 1 ;;
  full) echo "ERROR: [Errno 28] No space left on device"; exit 1 ;;
esac'''
# `die` ends the launcher as a power cut would: no trap runs.
PRELUDE = '''record() { echo "$*" >> "$STATE/calls"; }
die() { kill -9 $(cat "$STATE/launcher") $$; }
'''


class Sandbox:
    def __init__(self, name="duet"):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.root = self.folder / name
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.root.mkdir()
        shutil.copy(ROOT / "duet", self.root)
        for part in ("tools/launcher", "requirements"):
            shutil.copytree(ROOT / part, self.root / part)
        for tool in REAL:
            (self.bin / tool).symlink_to(shutil.which(tool))
        for tool, body in FAKES.items():
            self.fake(tool, body)
        self.fake("pip.template", PIP)
        self.os_release('ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')

    def close(self):
        shutil.rmtree(self.folder)

    def fake(self, tool, body):
        path = self.bin / tool
        path.unlink(missing_ok=True)
        path.write_text(f"#!{self.bin / 'bash'}\n{PRELUDE}{body}\n")
        path.chmod(0o755)

    def without(self, *tools):
        for tool in tools:
            (self.bin / tool).unlink()

    def os_release(self, text):
        (self.folder / "os-release").write_text(text)

    def environment(self, **variables):
        return {
            "PATH": str(self.bin), "STATE": str(self.folder), "PIP": str(self.bin / "pip.template"),
            "BASH_PATH": str(self.bin / "bash"), "DUET_OS_RELEASE": str(self.folder / "os-release"),
            "HOME": str(self.folder), "TERM": "dumb", **variables,
        }

    def start(self, *arguments, cwd=None, **variables):
        """Starts ./duet without a terminal; its process id is where `die` finds it."""
        script = 'echo $$ > "$STATE/launcher"; exec "$0" "$@"'
        return subprocess.Popen(
            [self.bin / "bash", "-c", script, self.bin / "bash", self.root / "duet", *arguments],
            cwd=cwd or self.folder, env=self.environment(**variables), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )

    def run(self, *arguments, **variables):
        """Runs ./duet to its end; returns (exit status, stdout, stderr)."""
        process = self.start(*arguments, **variables)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def run_on_a_terminal(self, *arguments, answer, **variables):
        """Runs ./duet on a terminal of its own and types `answer`; returns (exit status, all it showed)."""
        return run_on_terminal([self.root / "duet", *arguments], answer=answer, env=self.environment(**variables))

    def calls(self, name=None):
        """What the fakes were called with, in order; of one fake if `name` is given."""
        log = self.folder / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if name is None or line.split(" ")[0] == name]
