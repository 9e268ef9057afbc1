"""The pre-tokenizers of a tokenizer.json, each made of its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine import oniguruma
from explorer.engine.oniguruma_sets import escaped
from explorer.engine.patterns import BY_REGEX, GPT2, Alternative, Pattern
from explorer.engine.pretokenizers import Behavior, ByteLevel, RegexSplit, Splitter
from explorer.engine.splitters import (
    PUNCTUATION,
    WHITE,
    CharSplit,
    Metaspace,
    OnigurumaSplit,
    PrefixSpace,
    Scheme,
    UnicodeScripts,
    digits,
    fixed_length,
    whitespace,
)
from explorer.engine.words import as_hugging_face
from explorer.errors import InputError
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import Placed, flat, made, shown
from explorer.text import visible


def pre_tokenizers(part: Json | None, name: str) -> list[Splitter]:
    """The splitters of the section `pre_tokenizer`, in order. Raises InputError naming what is not known."""
    return made(flat(part, "pre_tokenizer", "pretokenizers", name), PRE_TOKENIZERS, "pre_tokenizer")


def byte_level(part: Placed) -> list[Splitter]:
    """ByteLevel is up to three things in one: a space in front, GPT-2's pattern, and the printable spelling."""
    found: list[Splitter] = []
    if part.get("add_prefix_space", bool):
        found.append(PrefixSpace())
    if part.get("use_regex", bool, default=True):
        found.append(RegexSplit(GPT2))
    return [*found, ByteLevel()]


def split(part: Placed) -> list[Splitter]:
    kind, wanted = part.pattern()
    what, invert = behavior(part), part.get("invert", bool)
    try:
        return [OnigurumaSplit(pattern_of(wanted) if kind else text_pattern(wanted), what, invert=invert)]
    except InputError as error:
        raise part.error(f"pattern {shown(wanted)} cannot be run: {error}") from None


def text_pattern(text: str) -> Pattern:
    """The pattern that matches a text. An empty one matches everywhere."""
    says = f"The text “{visible(text)}” itself." if text else "Nothing, so it matches between any two characters."
    spelled = "".join(map(escaped, text))
    return Pattern("text", "the vocabulary file", (Alternative(text, says, spelled or "(?:)"),), nested_sets=True)


def pattern_of(wanted: str) -> Pattern:
    """The pattern of a Regex, with the sentences of the alternatives that are known.

    >>> [each.says for each in pattern_of(r"\\p{N}{1,3}|[xy]").alternatives]
    ['Up to three numbers; a space never goes with them.', '']
    """
    known = BY_REGEX.get(wanted)
    return Pattern(
        known.name if known else "of the file",
        known.source if known else "the vocabulary file",
        tuple(each._replace(says=SENTENCES.get(each.regex, "")) for each in oniguruma.alternatives(wanted)),
        nested_sets=True,
    )


SENTENCES: Final = {each.regex: each.says for pattern in BY_REGEX.values() for each in pattern.alternatives}


def behavior(part: Placed, default: Behavior | None = None) -> Behavior:
    """What becomes of a match, by its name."""
    value = part.get("behavior", str, default)
    if value not in list(Behavior):
        raise part.error(f"behavior is {value!r}; it is one of {', '.join(Behavior)}")
    return Behavior(value)


def one_character(part: Placed, key: str) -> str:
    value = part.get(key, str)
    if len(value) != 1:
        raise part.error(f"{key} is {value!r} and not one character")
    return value


def delimiter(part: Placed) -> list[Splitter]:
    ch = one_character(part, "delimiter")
    return [CharSplit([(Alternative(ch, f"The character “{visible(ch)}”."), ch.__eq__)], Behavior.REMOVED)]


def metaspace(part: Placed) -> list[Splitter]:
    """Older files say add_prefix_space instead of prepend_scheme; the original refuses them where it is false."""
    scheme: Scheme
    match part.get("prepend_scheme", str, "always"):
        case "always" | "first" | "never" as scheme:
            pass
        case other:
            raise part.error(f"prepend_scheme is {other!r}; it is one of always, first, never")
    if part.part.get("add_prefix_space") is not None and not part.get("add_prefix_space", bool) and scheme != "never":
        raise part.error(
            "add_prefix_space is false, which the original takes only beside prepend_scheme never",
            "write prepend_scheme never into the file",
        )
    cuts = part.part.get("split") is None or part.get("split", bool)
    return [Metaspace(one_character(part, "replacement"), scheme, cuts=cuts)]


def length(part: Placed) -> list[Splitter]:
    size = part.get("length", int, 5)
    if size < 1:
        raise part.error(f"length is {size}; a piece has one character at least")
    return [fixed_length(size)]


PRE_TOKENIZERS: Final[Mapping[str, Callable[[Placed], list[Splitter]]]] = MappingProxyType(
    {
        "ByteLevel": byte_level,
        "Split": split,
        "Whitespace": lambda part: [whitespace()],
        "WhitespaceSplit": lambda part: [CharSplit([WHITE], Behavior.REMOVED)],
        "Metaspace": metaspace,
        "BertPreTokenizer": lambda part: [*as_hugging_face()],
        "Digits": lambda part: [digits(part.get("individual_digits", bool))],
        "Punctuation": lambda part: [CharSplit([PUNCTUATION], behavior(part, Behavior.ISOLATED))],
        "CharDelimiterSplit": delimiter,
        "UnicodeScripts": lambda part: [UnicodeScripts()],
        "FixedLength": length,
    }
)
"""`type` of a pre-tokenizer → what makes it."""
