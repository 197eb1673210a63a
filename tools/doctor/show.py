"""Prints findings: a line each, and what to do under those that are not well."""

COLOURS = {"ok": "32", "warn": "33", "bad": "31"}
WIDTH = 16


class Table:
    def __init__(self, stream, environment):
        self.stream = stream
        self.coloured = stream.isatty() and not environment("NO_COLOR") and environment("TERM") != "dumb"

    def show(self, finding):
        mark = f"{finding.mark:<4}"
        if self.coloured:
            mark = f"\033[{COLOURS[finding.mark]}m{mark}\033[0m"
        self.line(f"{mark}  {finding.what:<{WIDTH}} {finding.found}")
        if finding.usually:
            self.line(f"      {'usually':<{WIDTH}} {finding.usually}")
        for index, fix in enumerate(finding.fix):
            self.line(f"      {'fix' if index == 0 else '':<{WIDTH}} {fix}")

    def line(self, text=""):
        print(text, file=self.stream, flush=True)  # what follows may take a while
