"""The course: ./duet lesson, check, watch, hint, predict, solution, reset, explain, see, verify, compare --mine.

usage: python3 tools/course VERB [arguments]     ./duet calls it so, after it has set up and configured
"""

import argparse
import importlib
import sys

from place import Refused

VERBS = {
    "lesson": "the map of the course, or start a lesson",
    "check": "try what you wrote, from the smallest case up",
    "watch": "check at every save",
    "hint": "one more hint: a question, the idea, the shape of the code",
    "predict": "say what a run will show, before it runs",
    "solution": "Duet's own unit beside yours",
    "reset": "begin a lesson again; what you wrote is kept",
    "explain": "what just happened, and what real systems do",
    "see": "the report of a run on your units, at the lesson's part",
    "verify": "check the course itself: every stub, mutant, variant and text",
}


def main(arguments):
    verb = arguments[0] if arguments else "lesson"
    if verb in ("compare", "train"):
        importlib.import_module("verb_mine").run(verb, arguments[1:])
    module = importlib.import_module(f"verb_{verb}")
    parser = argparse.ArgumentParser(prog=f"./duet {verb}", description=VERBS[verb], allow_abbrev=False)
    module.add_arguments(parser)
    return module.run(parser.parse_args(arguments[1:]))


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a locale without UTF-8, a path that is none: a ? and no traceback
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refused:
        print(f"error: {refused.what}" + (f"\n  fix     {refused.fix}" if refused.fix else ""), file=sys.stderr)
        sys.exit(refused.code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        print(f"error: {error.filename or 'the system'}: {error.strerror}\n"
              "  fix     look at who owns it and whether the disk is full; your code is as it was", file=sys.stderr)
        sys.exit(2)
