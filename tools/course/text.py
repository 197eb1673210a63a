"""Markdown as plain text of 80 columns, for a terminal."""

import os
import re
import sys
import textwrap

WIDTH = 79


def section(markdown, heading):
    """What stands under `## heading`, without it."""
    found = re.search(rf"^## {re.escape(heading)}\s*\n(.*?)(?=^## |\Z)", markdown, re.MULTILINE | re.DOTALL)
    return found.group(1).strip("\n") if found else ""


def plain(markdown):
    """Paragraphs filled to the width; code, tables and lists keep their lines. Markers and links' targets go."""
    markdown = re.sub(r"<!--.*?-->", "", markdown, flags=re.DOTALL)
    markdown = re.sub(r"!\[([^\]]*)\]\(([^)]*)\)", r"[picture: \2]", markdown)
    markdown = re.sub(r"\[([^\]]+)\]\((https?://[^)]*)\)", r"\1 (\2)", markdown)
    markdown = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", markdown)
    out, paragraph, in_code = [], [], False
    for line in [*markdown.splitlines(), ""]:
        fence = line.startswith("```")
        keep = in_code or fence or line.startswith(("    ", "|", "#")) or not line.strip()
        if keep or re.match(r"\s*([-*]|\d+\.) ", line):
            out += fill(paragraph)
            paragraph = []
        if fence:
            in_code = not in_code
        elif in_code:
            out.append("    " + line)
        elif line.startswith("#"):
            out.append(line.lstrip("# ").upper() if line.startswith("## ") else line.lstrip("# "))
        elif keep:
            out.append(line)
        else:
            paragraph.append(line)
    text = "\n".join(out)
    return re.sub(r"\n{3,}", "\n\n", text.replace("**", "").replace("`", "")).strip("\n") + "\n"


def fill(paragraph):
    if not paragraph:
        return []
    first = re.match(r"\s*(?:(?:[-*]|\d+\.) +)?", paragraph[0]).group(0)
    text = " ".join(line.strip() for line in paragraph)
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * len(first), break_long_words=False,
                         break_on_hyphens=False)


def visible(text):
    """What a student's code says, without what a terminal would obey: escapes, returns, other controls."""
    return re.sub(r"[^\n\t\x20-\x7e\xa0-\U0010ffff]", "?", text)


def paint(text, colour):
    """Green for what passed and red for what did not, where a terminal shows colours."""
    code = {"green": "32", "red": "31", "bold": "1"}[colour]
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\033[{code}m{text}\033[0m"
