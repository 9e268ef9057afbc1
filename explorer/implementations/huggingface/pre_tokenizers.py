"""The pre-tokenizers of a tokenizer.json, each made of its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine.patterns import GPT2, Alternative, Pattern, pattern_of
from explorer.engine.pretokenizers import ByteLevel, Digits, PrefixSpace, RegexSplit, Splitter
from explorer.facts import Fact
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import Placed, flat, made
from explorer.text import visible


def pre_tokenizers(part: Json | None, name: str) -> list[Splitter]:
    """The splitters of the section `pre_tokenizer`, in order. Raises InputError naming what is not known."""
    return made(flat(part, "pre_tokenizer", "pretokenizers", name), PRE_TOKENIZERS, "pre_tokenizer")


def pre_tokenizer_facts(part: Json | None, name: str) -> list[Fact]:
    """What that section says, for people."""
    return [
        Fact("pre-tokenizer", f"{each.kind}.", each.place)
        for each in flat(part, "pre_tokenizer", "pretokenizers", name)
    ]


def pattern(part: Placed) -> str | Pattern:
    """`pattern` of a Split: {"String": …} is a text, {"Regex": …} a Pattern."""
    value = part.get("pattern", dict)
    text, expression = value.get("String"), value.get("Regex")
    if isinstance(text, str):
        return text
    if isinstance(expression, str):
        return pattern_of(expression)
    raise part.error("pattern is neither a String nor a Regex")


def split(part: Placed) -> list[Splitter]:
    behavior = part.get("behavior", str)
    if behavior not in ("Isolated", "Removed") or part.part.get("invert"):
        raise part.error(f"behavior is {behavior!r}, and this version runs Isolated and Removed, not inverted")
    wanted = pattern(part)
    if isinstance(wanted, str):
        says = f"The text “{visible(wanted)}” itself."
        # every character that means something in a regular expression is written as itself
        literal = "".join(ch if ch.isalnum() else f"\\{ch}" if ch.isascii() else ch for ch in wanted)
        wanted = Pattern("text", "the vocabulary file", (Alternative(literal, says),))
    return [RegexSplit(wanted, removed=behavior == "Removed")]


def byte_level(part: Placed) -> list[Splitter]:
    """ByteLevel is up to three things in one: a space in front, GPT-2's pattern, and the printable spelling."""
    made: list[Splitter] = []
    if part.get("add_prefix_space", bool, default=True):
        made.append(PrefixSpace())
    if part.get("use_regex", bool, default=True):
        made.append(RegexSplit(GPT2))
    return [*made, ByteLevel()]


PRE_TOKENIZERS: Final[Mapping[str, Callable[[Placed], list[Splitter]]]] = MappingProxyType(
    {
        "Split": split,
        "ByteLevel": byte_level,
        "Digits": lambda part: [Digits(part.get("individual_digits", bool, default=False))],
    }
)
"""`type` of a pre-tokenizer → what makes it."""
