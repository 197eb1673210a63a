"""Six tokens, five of which want expert 0, which has three places."""

from drawing import DROPPED, EXPERT, PLAIN, Drawing

WANTS = [0, 0, 1, 0, 0, 0]
PLACES = 3


def draw():
    drawing = Drawing(760, 376, "Capacity: six tokens, two experts with three places each")
    drawing.text(20, 28, "tokens, in order", 15, bold=True)
    drawing.text(480, 28, "experts: limit = ceil(1.0 · 1 · 6 / 2) = 3", 15, bold=True)
    tops = (52, 212)
    for expert in range(2):
        drawing.text(480, tops[expert] + 16, f"expert {expert}", 14, colour=EXPERT[expert][1], bold=True)
        drawing.text(550, tops[expert] + 16, f"counts: {WANTS.count(expert)} wanted it", 13)
    taken = [0, 0]
    for token, expert in enumerate(WANTS):
        y = 48 + 46 * token
        stays = taken[expert] < PLACES
        drawing.box(20, y, 150, 34, f"token {token}: expert {expert}", EXPERT[expert], 13)
        if stays:
            slot = tops[expert] + 26 + 34 * taken[expert]
            drawing.arrow(176, y + 17, 474, slot + 15, colour=EXPERT[expert])
            drawing.box(480, slot, 110, 30, f"token {token}", EXPERT[expert], 13)
        else:
            drawing.arrow(176, y + 17, 256, y + 17, colour=DROPPED, dashed=True)
            drawing.cross(268, y + 17)
            drawing.text(284, y + 22, "dropped: expert 0 is full", 13, colour=DROPPED[1])
        taken[expert] += 1
    for slot in range(taken[1], PLACES):
        drawing.box(480, tops[1] + 26 + 34 * slot, 110, 30, "free", PLAIN, 13, dashed=True)
    drawing.text(20, 364, "Tokens 4 and 5 get no answer here, though expert 1 has two places free.", 14)
    return drawing
