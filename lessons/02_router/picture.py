"""Three tokens through a router: logits, probabilities, the choice and its gate."""

from drawing import EXPERT, PLAIN, Drawing

LOGITS = [("1.0", "2.0", "1.0"), ("2.5", "0.0", "1.0"), ("0.5", "-2.0", "-2.0")]
PROBS = [("0.21", "0.58", "0.21"), ("0.77", "0.06", "0.17"), ("0.86", "0.07", "0.07")]
CHOSEN = [1, 0, 0]
CELL, HIGH, STEP, TOP = 50, 36, 54, 84


def draw():
    drawing = Drawing(800, 320, "A router: logits, softmax over the experts, the choice and its gate")
    for x, title, size in ((20, "x", 80), (164, "logits", 150), (390, "probs", 150), (612, "expert", 80), (710, "gate", 70)):
        drawing.text(x + size / 2, 28, title, 15, "middle", bold=True)
    for x in (164, 390):
        for expert in range(3):
            drawing.text(x + CELL * expert + CELL / 2, 66, f"e{expert}", 13, "middle", colour=EXPERT[expert][1])
    for token in range(3):
        y = TOP + STEP * token
        middle = y + HIGH / 2
        chosen = CHOSEN[token]
        drawing.box(20, y, 80, HIGH, f"token {token}")
        drawing.arrow(106, middle, 158, middle)
        drawing.arrow(320, middle, 384, middle)
        drawing.arrow(546, middle, 606, middle)
        for expert in range(3):
            drawing.box(164 + CELL * expert, y, CELL, HIGH, LOGITS[token][expert], PLAIN, 13)
            colour = EXPERT[expert] if expert == chosen else PLAIN
            drawing.box(390 + CELL * expert, y, CELL, HIGH, PROBS[token][expert], colour, 13)
        drawing.box(612, y, 80, HIGH, f"expert {chosen}", EXPERT[chosen])
        drawing.box(710, y, 70, HIGH, PROBS[token][chosen], EXPERT[chosen])
    drawing.text(132, 66, "linear", 12, "middle")
    drawing.text(352, 66, "softmax", 12, "middle")
    drawing.text(576, 66, "largest", 12, "middle")
    drawing.text(465, 258, "each row adds up to 1", 13, "middle")
    drawing.text(652, 258, "no gradient", 13, "middle")
    drawing.text(745, 258, "learns", 13, "middle")
    drawing.text(20, 296, "The router runs on the token's own rank. When the expert has answered: output = gate · expert(x).", 14)
    return drawing
