"""One line of the doctor's table."""

OK, WARN, BAD = "ok", "warn", "bad"


class Finding:
    """What was looked at, and what was found.

    mark    ok; warn: it works, with less or later; bad: it does not work
    fix     lines to paste, for all that is not ok
    needed  a bad one keeps Duet from working at all, even with ranks as threads on the CPU
    facts   the same for --json, as numbers and names
    """

    def __init__(self, mark, what, found, fix=(), usually="", needed=False, **facts):
        self.mark, self.what, self.found, self.usually, self.facts = mark, what, found, usually, facts
        self.fix = [fix] if isinstance(fix, str) else list(fix)
        self.needed = needed
        assert mark == OK or self.fix, f"{what} is not well, and has no fix"

    def as_json(self):
        line = {"mark": self.mark, "what": self.what, "found": self.found, "needed": self.needed, "fix": self.fix}
        if self.usually:
            line["usually"] = self.usually
        return {**line, "facts": self.facts}


def ok(what, found, **facts):
    return Finding(OK, what, found, **facts)


def warn(what, found, fix, **facts):
    return Finding(WARN, what, found, fix, **facts)


def bad(what, found, fix, **facts):
    return Finding(BAD, what, found, fix, **facts)


def gigabytes(count):
    return f"{count / 1e9:.0f} GB" if count >= 10e9 else f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def counted(number, thing):
    return f"{number} {thing}" + ("" if number == 1 else "s")


def numbers(text):
    """580.95.05 as (580, 95, 5); empty for what has no number."""
    found = []
    for part in (text or "").split("."):
        digits = "".join(character for character in part if character.isdigit())
        if not digits:
            break
        found.append(int(digits))
    return tuple(found)
