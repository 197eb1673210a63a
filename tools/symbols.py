"""Reads the names of functions and classes out of demangled symbols, as nm -C and linkers print them."""

import re


def words_of(symbol):
    """What a header that declares the symbol must mention: the function's own name, and its class's where it has one.

    >>> words_of("duet::Recorder::open(std::span<int const, 2ul>)")
    ['Recorder', 'open']
    >>> words_of("duet::moe::expert_forward[abi:cxx11](at::Tensor const&)")
    ['expert_forward']
    >>> words_of("duet::Plan::operator==(duet::Plan const&) const")
    ['operator==']
    """
    symbol = re.sub(r"^(vtable|typeinfo|typeinfo name|VTT|guard variable) for ", "", symbol)
    symbol = re.sub(r"\[abi:\w+\]", "", symbol)
    operator = re.search(r"operator\s*(\(\)|[^\s\w(]+|\w+)", symbol)
    if operator:
        return [re.sub(r"\s", "", operator.group(0))]
    name = symbol.split("(")[0]
    while "<" in name:  # template arguments, from the inside out
        shorter = re.sub(r"<[^<>]*>", "", name)
        if shorter == name:
            break
        name = shorter
    parts = name.split(" ")[-1].split("::")
    return [part for part in parts[-2:] if re.search("[A-Z]", part) or part == parts[-1]]


def mentions(text, symbol):
    """Whether a header's text declares the symbol, judged by the words it must mention."""
    packed = re.sub(r"\s", "", text)
    return all(
        word in packed if word.startswith("operator") else re.search(rf"(?<!\w){re.escape(word)}\b", text)
        for word in words_of(symbol)
    )
