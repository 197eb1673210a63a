from drawing import EXPERT, PLAIN, Drawing

ROW = [3, -3, 1]
HIDDEN = [2, -1, 4, 3, -2]
OUT = [5, -2, 1]
CELL = 40


def column(d, x, numbers, middle, colour):
    top = middle - len(numbers) * CELL / 2
    for i, number in enumerate(numbers):
        d.box(x, top + i * CELL, CELL, CELL, str(number), colour)


def draw():
    d = Drawing(760, 300, "A row passes through an expert: linear, ReLU, linear")
    middle = 160
    d.box(112, 44, 536, 236, "", ("#f8fafc", EXPERT[0][1]), dashed=True)
    d.text(380, 32, "one expert: w1, b1, w2, b2", 14, "middle", bold=True)
    column(d, 40, ROW, middle, PLAIN)
    d.text(60, 250, "row [dim]", 12, "middle")
    d.arrow(84, middle, 236, middle, "w1 · row + b1")
    column(d, 240, HIDDEN, middle, EXPERT[0])
    d.arrow(284, middle, 356, middle, "ReLU")
    column(d, 360, [max(0, number) for number in HIDDEN], middle, EXPERT[0])
    d.text(320, 275, "hidden, wider than dim; below 0 becomes 0", 12, "middle")
    d.arrow(404, middle, 676, middle, "w2 · hidden + b2")
    column(d, 680, OUT, middle, PLAIN)
    d.text(700, 250, "row [dim]", 12, "middle")
    return d
