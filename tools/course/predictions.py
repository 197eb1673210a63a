"""What the student predicted, beside what a run measures."""

import re
import textwrap

import judging


def number(value):
    return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3g}"


def answer_text(question, value):
    """The measured answer as words: a choice's text, or a number with its unit."""
    if question["kind"] == "choice":
        return question["choices"][int(value)]
    unit = question.get("unit", "")
    exact = f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e9 else number(value)
    return f"{exact} {unit}".strip()


def with_unit(question, answer):
    """A number that was given without its unit gets it."""
    return f"{answer} {question.get('unit', '')}".strip() if re.fullmatch(r"[-+.,\d]+", answer) else answer


def show_beside_measured(lesson, progress):
    given = progress.of(lesson.slug).get("predictions", {})
    measured = judging.measure(lesson)
    print("What you predicted, and what a run measures:")
    for question in lesson.questions():
        print(wrapped(question["ask"]))
        print(f"    you       {with_unit(question, given.get(question['id'], '(no prediction)'))}")
        print(f"    measured  {answer_text(question, measured[question['id']])}")
        print(wrapped(question["after"], "    ") + "\n")


def wrapped(text, indent="  "):
    return textwrap.fill(text, 79, initial_indent=indent, subsequent_indent=indent)
