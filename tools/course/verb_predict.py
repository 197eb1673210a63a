"""./duet predict: the lesson's questions, before the code runs. Answers are kept and not judged."""

import math

import predictions
import state
from current import add_lesson_argument, lesson_at_hand
from place import Refused, on_terminal

LONGEST = 60  # characters of an answer, and of a wrong one that is shown


def add_arguments(parser):
    add_lesson_argument(parser)
    parser.add_argument("--answer", action="append", default=[], metavar="ID=ANSWER",
                        help="answer without being asked; may be given several times")


def run(args):
    progress = state.load()
    lesson = lesson_at_hand(args.lesson, progress)
    questions = lesson.questions()
    given = dict(parse(text, questions) for text in args.answer)
    if not given and on_terminal():
        given = ask_all(questions)
    if given:
        with state.editing() as progress:
            progress.of(lesson.slug).setdefault("predictions", {}).update(given)
            progress.data["current"] = lesson.slug
    kept = progress.of(lesson.slug).get("predictions", {})
    if progress.status(lesson) == "passed":
        predictions.show_beside_measured(lesson, progress)
        return 0
    for question in questions:
        show(question)
        print(f"    your prediction: {kept.get(question['id'], 'none yet')}\n")
    if not given:
        print("answer with   ./duet predict \\\n  " + " \\\n  ".join(f"--answer {q['id']}=..." for q in questions))
    print("After ./duet check passes, the measured values stand beside them.")
    return 0


def show(question):
    print(predictions.wrapped(f"{question['id']}: {question['ask']}", "  "))
    if question.get("unit"):
        print(f"    (in {question['unit']})")
    for number, choice in enumerate(question.get("choices", []), start=1):
        print(predictions.wrapped(f"{number}. {choice}", "    "))


def parse(text, questions):
    name, equals, answer = text.partition("=")
    for question in questions:
        if question["id"] == name and equals:
            return name, understood(question, answer)
    raise Refused(f"{shown(text)} answers no question", "the questions are " + ", ".join(q["id"] for q in questions))


def understood(question, answer):
    """The answer as it is kept: a choice's own text, or a number as it was written."""
    answer = answer.strip()
    if question["kind"] == "choice":
        choices = question["choices"]
        if answer.isdecimal() and 1 <= int(answer) <= len(choices):
            return choices[int(answer) - 1]
        matching = [choice for choice in choices if choice.lower() == answer.lower()]
        if matching:
            return matching[0]
        raise Refused(f"{shown(answer)} is none of the choices", f"answer with a number from 1 to {len(choices)}")
    try:
        value = float(answer.rstrip("%").replace(",", ""))
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or len(answer) > LONGEST:
        raise Refused(f"{shown(answer)} is no number", "a guess is enough, for example 10")
    return answer


def shown(answer):
    """What was typed, short and without what a terminal would obey."""
    return ascii(answer if len(answer) <= LONGEST else answer[:LONGEST] + "..")


def ask_all(questions):
    given = {}
    print("A guess is enough, nothing is judged. Enter alone skips a question.\n")
    for question in questions:
        show(question)
        while True:
            answer = input("    your prediction: ").strip()
            if not answer:
                break
            try:
                given[question["id"]] = understood(question, answer)
                break
            except Refused as refused:
                print(f"    {refused.what}; {refused.fix}")
        print()
    return given
