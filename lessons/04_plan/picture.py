from drawing import DROPPED, EXPERT, PLAIN, Drawing

CHOSEN = [2, 0, 3, 2, 1, 2]  # the expert of each token; the last one finds expert 2 full
ORDER = [1, 4, 0, 3, 2]
TOP, STEP, HEIGHT = 66, 44, 34
LEFT, MIDDLE = 40, 330


def middle_of(row):
    return TOP + row * STEP + HEIGHT / 2


def draw():
    d = Drawing(760, 360, "Six tokens in token order, five of them lined up by rank and expert, one dropped")
    d.text(LEFT, 28, "tokens of this rank", bold=True)
    d.text(LEFT, 48, "and the expert each one chose", 12)
    d.text(MIDDLE, 28, "rows that it sends", bold=True)
    d.text(MIDDLE, 48, "order = 1 4 0 3 2", 12)
    for token, expert in enumerate(CHOSEN):
        dropped = token not in ORDER
        colour = DROPPED if dropped else EXPERT[expert]
        d.box(LEFT, TOP + token * STEP, 150, HEIGHT, f"token {token}: expert {expert}", colour, dashed=dropped)
        if dropped:
            d.cross(LEFT + 172, middle_of(token))
            d.text(LEFT + 188, middle_of(token) + 5, "no room: position N = 5", 12)
    for row, token in enumerate(ORDER):
        expert = CHOSEN[token]
        d.arrow(LEFT + 152, middle_of(token), MIDDLE - 4, middle_of(row), colour=EXPERT[expert])
        d.box(MIDDLE, TOP + row * STEP, 150, HEIGHT, f"row {row}: token {token}", EXPERT[expert])
    send_rows = [1, 1, 2, 1]
    first = 0
    for expert, rows in enumerate(send_rows):
        text = f"expert {expert}: {rows} row" + ("s" if rows > 1 else "")
        d.text(MIDDLE + 164, TOP + first * STEP + ((rows - 1) * STEP + HEIGHT) / 2 + 5, text, 13)
        first += rows
    for rank, (row, rows) in enumerate([(0, 2), (2, 3)]):
        d.box(MIDDLE + 278, TOP + row * STEP, 120, (rows - 1) * STEP + HEIGHT, f"to rank {rank}\nexperts "
              f"{2 * rank}, {2 * rank + 1}", PLAIN)
    d.text(LEFT, 346, "position = 2 0 4 3 1 5: the row of each token, the way back", 12)
    d.text(MIDDLE + 164, 346, "send_rows = 1 1 2 1", 12)
    return d
