"""What the compiler says about the student's file: their own lines first, one error a line, and what mends it."""

import os
import re
import textwrap

PLACE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>fatal error|error): (?P<text>.*)$")
REQUIRED = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)?\s+(?:required from|in .*required)")

# What a person who knows PyTorch writes, as g++ complains about it, and what to write instead. The first that fits.
TIPS = (
    (r"(.*)' is not a member of 'torch'|'torch' has not been declared", "Duet's calls are ATen's: write at:: for torch::."),
    (r"'F' was not declared|'torch' was not declared|'nn' was not declared", "Duet's calls are ATen's: F.relu(x) is "
                                                                             "at::relu(x)."),
    (r"from 'const Tensor' to 'bool'|from 'at::Tensor' to 'bool'", "Whether a tensor is there: noise.defined(). Whether "
                                                                   "all are true: mask.all().item<bool>()."),
    (r"discards qualifiers", "A const at::Tensor& cannot be made to name another tensor. Write into it:\n"
                             "values.copy_(other), values.zero_(), values.add_(other)."),
    (r"could not convert '\{", "A struct is filled in the order of its header, each part with its own type: a\n"
                               "std::vector where the header says so, a tensor where it says that."),
    (r"'w1' was not declared|'b1' was not declared|'w2' was not declared|'b2' was not declared|"
     r"'bias' was not declared|'weight' was not declared", "That is a part of a struct: weights.NAME."),
    (r"no match for 'operator.*optional", "A std::optional is not its value: look whether it has one (if (limit)),\n"
                                          "then take it (*limit)."),
    (r"return-type", "A way through the function ends without a return: the caller then gets garbage."),
    (r"is ambiguous", "Two functions fit. Name the argument's type: at::argsort(x, /*stable=*/true), or\n"
                      "int64_t{1} for a dimension."),
)


def own_errors(file, said):
    """Each error in the student's file, with the line of code and the mark below it. An error inside a library's
    header, which a wrong call causes, is told at the student's line that calls it."""
    lines = said.splitlines()
    blocks = {}
    for i, line in enumerate(lines):
        found = PLACE.match(line)
        if not found:
            continue
        at = found["line"] if same(found["file"], file) else caller(lines, i, file)
        if at is not None and at not in blocks:  # what follows on one line follows from its first error
            blocks[at] = block(file, at, found, lines[i + 1:i + 4])
    return list(blocks.values())


def block(file, at, found, following):
    code = [line for line in following if re.match(r"^\s+\d* \|", line)]
    if not same(found["file"], file):
        code = code_of(file, at)
    text = found["text"].replace("at::Tensor", "Tensor")
    told = textwrap.fill(f"line {at}: {text}", 78, initial_indent="  ", subsequent_indent="    ",
                         break_long_words=False, break_on_hyphens=False)
    tip = next((tip for pattern, tip in TIPS if re.search(pattern, text)), "")
    return "\n".join([told, *(f"  {part[:110]}" for part in code[:2]), *(f"    {line}" for line in tip.splitlines())])


def same(told, file):
    return os.path.realpath(told) == os.path.realpath(file)


def caller(lines, i, file):
    """The student's line that a "required from" before error `i` names, or an "included/instantiated" after it."""
    for line in reversed(lines[max(0, i - 12):i]):
        found = REQUIRED.match(line)
        if found and same(found["file"], file):
            return found["line"]
        if PLACE.match(line):
            return None
    return None


def code_of(file, number):
    try:
        return [f"{number:>5} | " + file.read_text(encoding="utf-8", errors="replace").splitlines()[int(number) - 1]]
    except (OSError, IndexError):
        return []
