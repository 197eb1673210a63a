"""Where this Duet stands: which of its programs are built, and whether it is a shared install."""


class Place:
    def __init__(self, machine):
        self.machine, self.root = machine, machine.root
        self.shared = machine.exists(self.root / ".shared")

    def presets(self):
        """Those whose program is there, the one that DUET_PRESET or the shared install names first."""
        names = ["default", "cuda", "release"]
        first = self._installed("preset") or self.machine.variable("DUET_PRESET")
        if first:
            names = [first] + [name for name in names if name != first]
        return [name for name in names if self.machine.exists(self.program(name))]

    def program(self, preset):
        return self.root / "build" / preset / "duet"

    def adapt(self, finding):
        """Nobody sets a shared install up but the one who made it."""
        if self.shared and any("./duet setup" in fix for fix in finding.fix):
            again = f"cd {self._installed('from')} && ./duet install --shared {self.root}"
            finding.fix = [f"{again}   # by {self._installed('by')}, who made this shared install"]

    def _installed(self, name):
        """A fact of tools/launcher/install.sh about the shared install; empty in a clone."""
        for line in (self.machine.read(self.root / ".shared") or "").splitlines():
            if line.startswith(f"{name} "):
                return line.partition(" ")[2]
        return ""
