"""Three ranks, each with blocks of rows for all three: where each block goes."""

from drawing import EXPERT, PLAIN, Drawing

COUNTS = ((1, 1, 2), (2, 1, 1), (1, 2, 1))  # [from][to], as in the README
LEFT, STEP, ROW = 60, 150, 26


def draw():
    drawing = Drawing(700, 492, "Three ranks, each with blocks of rows for all three")
    drawing.text(LEFT + 60, 26, "rows, by destination", 14, "middle", bold=True)
    drawing.text(560, 26, "received, by source", 14, "middle", bold=True)
    for rank in range(3):
        top = 40 + rank * 144
        drawing.box(LEFT - 40, top, 220, 4 * ROW + 24)
        drawing.text(LEFT - 30, top + 4 * ROW / 2 + 16, f"rank {rank}", 13)
        drawing.box(450, top, 220, 4 * ROW + 24)
        drawing.text(612, top + 4 * ROW / 2 + 16, f"rank {rank}", 13)
    for sender in range(3):
        for receiver in range(3):
            block(drawing, sender, receiver)
    drawing.text(350, 480, "a line is a message; a dashed one a copy, without a message", 13, "middle")
    return drawing


def block(drawing, sender, receiver):
    """A block at its place on both sides, and how it gets from one to the other."""
    count = COUNTS[sender][receiver]
    start = 52 + sender * 144 + ROW * sum(COUNTS[sender][:receiver])
    end = 52 + receiver * 144 + ROW * sum(COUNTS[other][receiver] for other in range(sender))
    rows = f"{count} row" + ("s" if count > 1 else "")
    drawing.box(LEFT + 40, start + 1, 122, count * ROW - 2, f"{rows} for {receiver}", EXPERT[sender], 12)
    drawing.box(462, end + 1, 122, count * ROW - 2, f"{rows} from {sender}", EXPERT[sender], 12)
    stays = sender == receiver
    drawing.arrow(LEFT + 166, start + count * ROW / 2, 458, end + count * ROW / 2,
                  colour=PLAIN if stays else EXPERT[sender], dashed=stays)
