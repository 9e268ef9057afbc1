"""Pre-tokenizer patterns, verbatim, each with its source and one plain sentence per alternative.

A pattern is an ordered list of alternatives: at each place of the text the first one that matches wins, even where a
later one would match more. Joined by `|` they are the original's text, character by character; `engine` says how
the `regex` module spells the same where it differs. Whether a character is a letter (`\\p{L}`), a number (`\\p{N}`),
a mark (`\\p{M}`) or white space (`\\s`) depends on the version of Unicode, 16 in the originals (`unicode.stand_ins`).
llama.cpp's own are in `patterns_llama_cpp.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine.regexes.pattern import Alternative, Pattern, cut

_SPACES_BUT_ONE = "White space, except its last character when a word follows: that one goes to the word."
_SPACES = "White space that is left, which is the single character before a word or a line break."
_LINES = "White space up to and with the last line break of the run."
_LETTERS = "Letters, with one character in front that is no letter, no number and no line break: usually the space."
_ANY_CASE = "A letter of another script that folds to the same one counts too, such as ſ for s."

GPT2: Final = Pattern(
    "gpt-2",
    "openai/gpt-2, src/encoder.py; Hugging Face's ByteLevel pre-tokenizer (use_regex)",
    (
        Alternative("'s|'t|'re|'ve|'m|'ll|'d", "The end of an English contraction, in lower case only."),
        Alternative(r" ?\p{L}+", "Letters, with the space in front of them."),
        Alternative(r" ?\p{N}+", "Numbers of any length, with the space in front of them."),
        Alternative(r" ?[^\s\p{L}\p{N}]+", "Anything else that is visible, with the space in front of it."),
        Alternative(r"\s+(?!\S)", _SPACES_BUT_ONE),
        Alternative(r"\s+", _SPACES),
    ),
)

_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_AFTER_NUMBERS = (
    Alternative(r" ?[^\s\p{L}\p{N}]+[\r\n]*", "Anything else that is visible, with the space in front and the line "
                "breaks behind."),
    Alternative(r"\s*[\r\n]+", _LINES),
    Alternative(r"\s+(?!\S)", _SPACES_BUT_ONE),
    Alternative(r"\s+", _SPACES),
)  # fmt: skip

LLAMA3: Final = Pattern(
    "llama-3",
    "meta-llama/llama3, llama/tokenizer.py and its tokenizer.json",
    (
        Alternative(_CONTRACTION, f"The end of an English contraction, in any case. {_ANY_CASE}"),
        Alternative(r"[^\r\n\p{L}\p{N}]?\p{L}+", _LETTERS),
        Alternative(r"\p{N}{1,3}", "Up to three numbers; a space never goes with them."),
        *_AFTER_NUMBERS,
    ),
)

QWEN2: Final = Pattern(
    "qwen-2",
    "Qwen/Qwen2-7B, tokenizer.json",
    (
        LLAMA3.alternatives[0],
        LLAMA3.alternatives[1],
        Alternative(r"\p{N}", "One number, always alone; a space never goes with it."),
        *_AFTER_NUMBERS,
    ),
)

R50K_BASE: Final = Pattern(
    "r50k_base",
    "openai/tiktoken, tiktoken_ext/openai_public.py; GPT-2's pattern, written so that it runs faster",
    (
        Alternative(r"'(?:[sdmt]|ll|ve|re)", "The end of an English contraction, in lower case only."),
        Alternative(r" ?\p{L}++", "Letters, with the space in front of them."),
        Alternative(r" ?\p{N}++", "Numbers of any length, with the space in front of them."),
        Alternative(r" ?[^\s\p{L}\p{N}]++", "Anything else that is visible, with the space in front of it."),
        Alternative(r"\s++$", "White space at the very end of the text.", r"\s++\Z"),
        Alternative(r"\s+(?!\S)", _SPACES_BUT_ONE),
        Alternative(r"\s", "One character of white space: the one before a word."),
    ),
)

CL100K_BASE: Final = Pattern(
    "cl100k_base",
    "openai/tiktoken, tiktoken_ext/openai_public.py",
    (
        Alternative(r"'(?i:[sdmt]|ll|ve|re)", f"The end of an English contraction, in any case. {_ANY_CASE}"),
        Alternative(r"[^\r\n\p{L}\p{N}]?+\p{L}++", _LETTERS),
        Alternative(r"\p{N}{1,3}+", "Up to three numbers; a space never goes with them."),
        Alternative(r" ?[^\s\p{L}\p{N}]++[\r\n]*+", "Anything else that is visible, with the space in front and the "
                    "line breaks behind."),
        Alternative(r"\s++$", "White space at the very end of the text.", r"\s++\Z"),
        Alternative(r"\s*[\r\n]", _LINES),
        Alternative(r"\s+(?!\S)", _SPACES_BUT_ONE),
        Alternative(r"\s", "One character of white space: the one before a word."),
    ),
)  # fmt: skip

_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K_BASE: Final = Pattern(
    "o200k_base",
    "openai/tiktoken, tiktoken_ext/openai_public.py",
    (
        Alternative(
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}?",
            "A word that ends in small letters, capitals only at its beginning, with one character in front that is "
            "no letter and no number, and the end of a contraction behind. Marks count as letters.",
        ),
        Alternative(
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}?",
            "A word in capitals, in the same way.",
        ),
        Alternative(r"\p{N}{1,3}", "Up to three numbers; a space never goes with them."),
        Alternative(r" ?[^\s\p{L}\p{N}]+[\r\n/]*", "Anything else that is visible, with the space in front and the "
                    "line breaks and slashes behind."),
        Alternative(r"\s*[\r\n]+", _LINES),
        Alternative(r"\s+(?!\S)", _SPACES_BUT_ONE),
        Alternative(r"\s+", _SPACES),
    ),
)  # fmt: skip

TEKKEN: Final = Pattern(
    "tekken",
    "mistralai/mistral-common, data/tekken_240911.json",
    (
        Alternative(
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+",
            "A word that ends in small letters, capitals only at its beginning, with one character in front that is "
            "no letter and no number. Marks count as letters.",
        ),
        Alternative(rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*", "A word in capitals, in the same way."),
        QWEN2.alternatives[2],
        *O200K_BASE.alternatives[3:],
    ),
)

PATTERNS: Final[Mapping[str, Pattern]] = MappingProxyType(
    {pattern.name: pattern for pattern in (GPT2, LLAMA3, QWEN2, R50K_BASE, CL100K_BASE, O200K_BASE, TEKKEN)}
)
"""All patterns by name."""

BY_REGEX: Final[Mapping[str, Pattern]] = MappingProxyType({pattern.regex: pattern for pattern in PATTERNS.values()})
"""All patterns by the text that a vocabulary file gives."""


def pattern_of(regex: str) -> Pattern:
    """The pattern that a file spells so; an unknown one is cut at its top-level `|`, without sentences.

    >>> pattern_of(QWEN2.regex).name, [a.regex for a in pattern_of("a|(b|c)|[|]").alternatives]
    ('qwen-2', ['a', '(b|c)', '[|]'])
    """
    known = BY_REGEX.get(regex)
    if known is not None:
        return known
    return Pattern("of the file", "the vocabulary file", tuple(Alternative(part, "") for part in cut(regex)))


MOST_ALTERNATIVES: Final = 32
"""More are told of as one: each that fails at a place is an event there. Those in use have up to 15."""


def few(alternatives: tuple[Alternative, ...]) -> tuple[Alternative, ...]:
    """The alternatives, as one if they are too many.

    >>> [len(few((Alternative("a", ""),) * count)) for count in (2, 32, 33)]
    [2, 32, 1]
    """
    if len(alternatives) <= MOST_ALTERNATIVES:
        return alternatives
    spelled = any(each.engine for each in alternatives)
    return (
        Alternative(
            "|".join(each.regex for each in alternatives), "", "|".join(each.runs for each in alternatives) * spelled
        ),
    )
