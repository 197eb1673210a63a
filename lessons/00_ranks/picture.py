"""Three ranks, one program: each holds its own values, all end with the sum."""

from drawing import EXPERT, PLAIN, Drawing

VALUES = ("1", "10", "100")
LEFT, WIDTH, STEP = 30, 170, 220


def draw():
    drawing = Drawing(680, 346, "Three ranks exchange their values and end with the same sum")
    drawing.text(340, 24, "The same program runs three times, on numbers of its own", 15, "middle", bold=True)
    for rank, value in enumerate(VALUES):
        left = LEFT + rank * STEP
        drawing.box(left, 42, WIDTH, 270)
        drawing.text(left + WIDTH / 2, 64, f"rank {rank}", 14, "middle", bold=True)
        drawing.box(left + 25, 76, WIDTH - 50, 34, f"values = {value}", EXPERT[rank])
        drawing.box(left + 25, 264, WIDTH - 50, 34, "values = 111", ("#ffffff", "#0f172a"))
    messages(drawing)
    drawing.text(340, 335, "an arrow is a message; each pair meets once, and both send", 13, "middle")
    return drawing


def messages(drawing):
    """Each pair meets once, and both send: one arrow a message."""
    for row, (low, high) in enumerate(((0, 1), (0, 2), (1, 2))):
        y = 150 + row * 38
        for sender, receiver, down in ((low, high, -6), (high, low, 6)):
            start = middle(sender) + (30 if sender < receiver else -30)
            end = middle(receiver) + (-30 if sender < receiver else 30)
            drawing.arrow(start, y + down, end, y + down, colour=EXPERT[sender])
        for rank in (low, high):
            drawing.box(middle(rank) - 28, y - 13, 56, 26, f"with {high if rank == low else low}", PLAIN, 12)


def middle(rank):
    return LEFT + rank * STEP + WIDTH / 2
