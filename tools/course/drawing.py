"""Pictures for the lessons, as SVG: boxes, rows of tokens, arrows. One look for all of them.

A lesson's picture.py has one function, draw(), that returns a Drawing; `./duet verify --refresh` writes picture.svg.
Text is dark on pale boxes, and every colour has a label beside it, so that no picture needs colour to be understood.
"""

from xml.sax.saxutils import escape

# The report's colours of experts, pale for boxes and strong for lines.
EXPERT = [("#dbeafe", "#1d4ed8"), ("#ffedd5", "#c2410c"), ("#dcfce7", "#15803d"), ("#f3e8ff", "#7e22ce")]
PLAIN = ("#f1f5f9", "#475569")
DROPPED = ("#ffffff", "#b91c1c")
INK = "#0f172a"


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.parts = []

    def box(self, x, y, width, height, text="", colour=PLAIN, size=14, dashed=False):
        """A box with its text in the middle; lines of the text are split at newlines."""
        fill, line = colour
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="{fill}" '
                          f'stroke="{line}"{dash}/>')
        lines = text.split("\n") if text else []
        for i, line_text in enumerate(lines):
            down = y + height / 2 + size * 0.35 + (i - (len(lines) - 1) / 2) * size * 1.25
            self.text(x + width / 2, down, line_text, size, "middle")

    def text(self, x, y, text, size=14, anchor="start", bold=False, colour=INK):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}>'
                          f"{escape(text)}</text>")

    def arrow(self, x1, y1, x2, y2, text="", colour=PLAIN, dashed=False):
        """A straight arrow; its text stands above the middle."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour[1]}" stroke-width="2"'
                          f'{dash} marker-end="url(#tip)"/>')
        if text:
            self.text((x1 + x2) / 2, (y1 + y2) / 2 - 6, text, 12, "middle")

    def cross(self, x, y, size=7):
        """Where something stops."""
        line = f'stroke="{DROPPED[1]}" stroke-width="2.5"'
        self.parts.append(f'<path d="M{x - size:g} {y - size:g} L{x + size:g} {y + size:g} M{x - size:g} {y + size:g} '
                          f'L{x + size:g} {y - size:g}" {line}/>')

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" role="img" font-family="Helvetica, Arial, sans-serif">\n'
                f"<title>{escape(self.title)}</title>\n"
                '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
                'orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#475569"/></marker></defs>\n'
                f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>\n')
        return head + "\n".join(self.parts) + "\n</svg>\n"
