"""Pre-tokenizer patterns, verbatim, each with its source and one plain sentence per alternative.

A pattern is an ordered list of alternatives: at each position the first one that matches wins, even if a later one
would match more. Joined by `|` they are the original's text, character by character; `engine` is the spelling for the
`regex` module where it differs. Which characters are letters (`\\p{L}`), numbers (`\\p{N}`), marks (`\\p{M}`) or white
space (`\\s`) depends on the version of Unicode, 16 in the originals (`unicode.stand_ins`). llama.cpp's own patterns are
in `patterns_llama_cpp.py`.
"""

from __future__ import annotations

from typing import Final

from explorer.engine.regexes.safe import Alternative, Pattern, cut

_SPACES_BUT_ONE = Alternative(
    r"\s+(?!\S)", "White space, except its last character if a word follows: the word takes that one."
)
_SPACES = Alternative(r"\s+", "The remaining white space: the single character before a word or a line break.")
_LAST_SPACES = Alternative(r"\s++$", "White space at the very end of the text.", r"\s++\Z")
_SPACE = Alternative(r"\s", "One character of white space: the one before a word.")
_LINES = Alternative(r"\s*[\r\n]+", "White space up to and including the last line break of the run.")
_THREE_NUMBERS = Alternative(r"\p{N}{1,3}", "Up to three digits; never with a space.")
_LETTERS = "Letters, with one character in front that is not a letter, number or line break: usually the space."
_ANY_CASE = "A letter that folds to the same one counts, too, such as ſ for s."

GPT2: Final = Pattern(
    "gpt-2",
    "openai/gpt-2, src/encoder.py; Hugging Face's ByteLevel pre-tokenizer (use_regex)",
    (
        Alternative("'s|'t|'re|'ve|'m|'ll|'d", "The end of an English contraction, in lower case only."),
        Alternative(r" ?\p{L}+", "Letters, with the space in front of them."),
        Alternative(r" ?\p{N}+", "Numbers of any length, with the space in front of them."),
        Alternative(r" ?[^\s\p{L}\p{N}]+", "Anything else that is visible, with the space in front of it."),
        _SPACES_BUT_ONE,
        _SPACES,
    ),
)

_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_AFTER_NUMBERS = (
    Alternative(
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        "Anything else that is visible, with the space in front and the line breaks after it.",
    ),
    _LINES,
    _SPACES_BUT_ONE,
    _SPACES,
)

LLAMA3: Final = Pattern(
    "llama-3",
    "meta-llama/llama3, llama/tokenizer.py and its tokenizer.json",
    (
        Alternative(_CONTRACTION, f"The end of an English contraction, in any case. {_ANY_CASE}"),
        Alternative(r"[^\r\n\p{L}\p{N}]?\p{L}+", _LETTERS),
        _THREE_NUMBERS,
        *_AFTER_NUMBERS,
    ),
)

QWEN2: Final = Pattern(
    "qwen-2",
    "Qwen/Qwen2-7B, tokenizer.json",
    (
        LLAMA3.alternatives[0],
        LLAMA3.alternatives[1],
        Alternative(r"\p{N}", "One digit, always alone; never with a space."),
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
        _LAST_SPACES,
        _SPACES_BUT_ONE,
        _SPACE,
    ),
)

CL100K_BASE: Final = Pattern(
    "cl100k_base",
    "openai/tiktoken, tiktoken_ext/openai_public.py",
    (
        Alternative(r"'(?i:[sdmt]|ll|ve|re)", f"The end of an English contraction, in any case. {_ANY_CASE}"),
        Alternative(r"[^\r\n\p{L}\p{N}]?+\p{L}++", _LETTERS),
        _THREE_NUMBERS._replace(regex=r"\p{N}{1,3}+"),
        Alternative(
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            "Anything else that is visible, with the space in front and the line breaks after it.",
        ),
        _LAST_SPACES,
        _LINES._replace(regex=r"\s*[\r\n]"),
        _SPACES_BUT_ONE,
        _SPACE,
    ),
)

UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K_BASE: Final = Pattern(
    "o200k_base",
    "openai/tiktoken, tiktoken_ext/openai_public.py",
    (
        Alternative(
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{_CONTRACTION}?",
            "A word that ends in lowercase letters, with capitals only at its beginning, one character in front that "
            "is not a letter or number, and the end of a contraction after it. Marks count as letters.",
        ),
        Alternative(
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{_CONTRACTION}?",
            "A word in capitals, likewise.",
        ),
        _THREE_NUMBERS,
        Alternative(
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            "Anything else that is visible, with the space in front and the line breaks and slashes after it.",
        ),
        _LINES,
        _SPACES_BUT_ONE,
        _SPACES,
    ),
)

TEKKEN: Final = Pattern(
    "tekken",
    "mistralai/mistral-common, data/tekken_240911.json",
    (
        Alternative(
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+",
            "A word that ends in lowercase letters, with capitals only at its beginning, and one character in front "
            "that is not a letter or number. Marks count as letters.",
        ),
        Alternative(rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*", "A word in capitals, likewise."),
        QWEN2.alternatives[2],
        *O200K_BASE.alternatives[3:],
    ),
)


def _without_han(regex: str) -> tuple[str, str]:
    """A pattern of capitals and small letters without Chinese characters: in the original's sets, which intersect, and
    for the `regex` module."""
    sets = regex.replace("UPPER", f"{UPPER[:-1]}&&[^\\p{{Han}}]]").replace("LOWER", f"{LOWER[:-1]}&&[^\\p{{Han}}]]")
    runs = regex.replace("UPPER", rf"(?:(?!\p{{Han}}){UPPER})").replace("LOWER", rf"(?:(?!\p{{Han}}){LOWER})")
    return sets, runs


_KIMI_WORDS = _without_han(rf"[^\r\n\p{{L}}\p{{N}}]?UPPER*LOWER+{_CONTRACTION}?")
_KIMI_CAPITALS = _without_han(rf"[^\r\n\p{{L}}\p{{N}}]?UPPER+LOWER*{_CONTRACTION}?")
KIMI: Final = Pattern(
    "kimi",
    "moonshotai/Kimi-K2-Instruct, tokenization_kimi.py",
    (
        Alternative(r"[\p{Han}]+", "A run of Chinese characters."),
        Alternative(
            _KIMI_WORDS[0],
            "A word that ends in lowercase letters, with capitals only at its beginning, one character in front that "
            "is not a letter or number, and the end of a contraction after it. Chinese characters don't count.",
            _KIMI_WORDS[1],
        ),
        Alternative(_KIMI_CAPITALS[0], "A word in capitals, likewise.", _KIMI_CAPITALS[1]),
        LLAMA3.alternatives[2],
        *_AFTER_NUMBERS,
    ),
)

PATTERNS: Final = {
    pattern.name: pattern for pattern in (GPT2, LLAMA3, QWEN2, R50K_BASE, CL100K_BASE, O200K_BASE, TEKKEN, KIMI)
}
"""All patterns by name."""

BY_REGEX: Final = {pattern.regex: pattern for pattern in PATTERNS.values()}
"""All patterns by their text in a vocabulary file."""


def pattern_of(regex: str) -> Pattern:
    """The pattern with this text; an unknown one is split at its top-level `|` and has no sentences.

    >>> pattern_of(QWEN2.regex).name, [a.regex for a in pattern_of("a|(b|c)|[|]").alternatives]
    ('qwen-2', ['a', '(b|c)', '[|]'])
    """
    known = BY_REGEX.get(regex)
    if known is not None:
        return known
    return Pattern("of the file", "the vocabulary file", tuple(Alternative(part, "") for part in cut(regex)))


MOST_ALTERNATIVES: Final = 32
"""More are traced as one, because each that fails at a position is an event. Known patterns have up to 15."""


def few(alternatives: tuple[Alternative, ...]) -> tuple[Alternative, ...]:
    """The alternatives, joined into one if there are too many.

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
