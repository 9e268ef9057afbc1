"""What a scanner reads, in words: the class of a character, why it looks ahead, llama.cpp's source names.

`SOURCE` is each scanner as short pseudo-code with the names of llama.cpp's `src/unicode.cpp`, a line or more for each
rule: the lines that are at work while the rule is tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from explorer.engine.pre_tokenizers.word_scanners import END
from explorer.text.code_points import facts

CLASS_WORDS: Final[Mapping[str, str]] = {
    "L": "a letter",
    "N": "a number",
    "S": "white space",
    "↵": "a line break",
    "O": "none of them",
    END: "the end of the text",
}
"""The letter of a class as it is drawn → what a character of it is."""

LEGEND: Final = "L letter · N number · S white space · ↵ line break · O other"


def drawn_class(kind: str, ch: str) -> str:
    """The letter under a character. A line break is white space that has rules of its own.

    >>> drawn_class("S", " "), drawn_class("S", "\\n"), drawn_class("L", "a")
    ('S', '↵', 'L')
    """
    return "↵" if ch in ("\r", "\n") else kind


def class_words(kind: str, ch: str) -> str:
    """What a character is for a scanner.

    >>> class_words("O", "!"), class_words("S", "\\n")
    ('neither letter, number nor white space', 'a line break')
    """
    letter = drawn_class(kind, ch)
    return "neither letter, number nor white space" if letter == "O" else CLASS_WORDS[letter]


@lru_cache(maxsize=1 << 12)
def flags_words(ch: str) -> str:
    """What llama.cpp reads of a character; none is after the end.

    >>> flags_words("A")
    'U+0041, flags 0x0C04: letter, uppercase and nfd'
    >>> flags_words("")
    'OUT_OF_RANGE, without flags'
    """
    if not ch:
        return "OUT_OF_RANGE, without flags"
    fact = facts(ch)
    *words, last = fact.words or ("none",)
    listed = f"{', '.join(words)} and {last}" if words else last
    return f"{fact.label}, flags 0x{int(fact.flags):04X}: {listed}"


def why_look(ch: str, in_run: bool, any_case: bool) -> str:
    """Why a scanner looks ahead. ch: the character it stands at. in_run: a run has been read. any_case: the rule tried
    also takes capitals.
    """
    if ch == "'" and not in_run:
        cases = "in capitals, too" if any_case else "in lowercase only"
        return f"After an apostrophe, s, t, m, d, re, ve or ll make a contraction, {cases}."
    if in_run and ch.isspace():
        return "The last white-space character joins the following word."
    if in_run:
        return "A contraction after a word stays with it."
    return "A space joins what follows it." if ch == " " else "One such character may stand before letters."


_CONTRACTION = (
    "if cpt == '\\'':",
    "    s, t, m or d at pos+1: _add_token(pos+2)",
    "    re, ve or ll at pos+1: _add_token(pos+3)",
)
_ANY_CASE = ("if cpt == '\\'':  # unicode_tolower", *_CONTRACTION[1:])
_LETTERS = (
    "if cpt is no \\r, \\n and not flags.is_number:",
    "    if flags.is_letter or _get_flags(pos+1).is_letter:",
    "        ++pos; while _get_flags(pos).is_letter: ++pos",
    "        _add_token(pos)",
)
_MARKS = tuple(line.replace("is_letter", "is_letter|is_accent_mark") for line in _LETTERS)
_THREE = (
    "if flags.is_number:",
    "    while _get_flags(pos).is_number:",
    "        if ++pos - ini >= 3: _add_token(pos); ini = pos",
    "    _add_token(pos)",
)
_ONE = ("if flags.is_number: _add_token(++pos)",)
_SIGNS = (
    "flags2 = cpt == ' ' ? _get_flags(pos+1) : flags",
    "if not flags2.is_whitespace|is_letter|is_number:",
    "    pos += cpt == ' '; read signs, then \\r and \\n",
    "    _add_token(pos)",
)
_LINES = (
    "count num_whitespaces, note last_end_r_or_n",
    "if last_end_r_or_n > 0: _add_token(last_end_r_or_n)",
)
_WHITE_SPACE = (
    ("if num_whitespaces > 1 and", "   _get_cpt(pos+num_whitespaces) != OUT_OF_RANGE:",
     "    _add_token(pos + num_whitespaces - 1)"),
    ("if num_whitespaces > 0: _add_token(pos + num_whitespaces)",),
)  # fmt: skip
_RUN_WITH_SPACE = "    pos += cpt == ' '; while flags2.{0}: flags2 = _get_flags(++pos)"


def _gpt2_run(test: str, first: tuple[str, ...] = ()) -> tuple[str, ...]:
    return (*first, f"if flags2.{test}:", _RUN_WITH_SPACE.format(test), "    _add_token(pos)")


_AFTER_LETTERS = (_SIGNS, _LINES, *_WHITE_SPACE)
_THIRDS = ((
    "if flags.is_number:", "    count the digits", "    _add_token(digit_start + digit_count % 3)",
    "    then _add_token of three each", "else: ++pos",
),)  # fmt: skip

SOURCE: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "unicode_regex_split_custom_gpt2": (
        _CONTRACTION,
        _gpt2_run("is_letter", _SIGNS[:1]),
        _gpt2_run("is_number"),
        ("if not flags2.is_whitespace|is_letter|is_number and as_uint():", "    pos += cpt == ' '; read on",
         "    _add_token(pos)"),
        ("count num_whitespaces", *_WHITE_SPACE[0]),
        _WHITE_SPACE[1],
    ),
    "unicode_regex_split_custom_llama3": (_ANY_CASE, _LETTERS, _THREE, *_AFTER_LETTERS),
    "unicode_regex_split_custom_qwen2": (_ANY_CASE, _LETTERS, _ONE, *_AFTER_LETTERS),
    "unicode_regex_split_custom_qwen35": (_ANY_CASE, _MARKS, _ONE, *_AFTER_LETTERS),
    "unicode_regex_split_custom_kimi_k2": (
        ("if unicode_cpt_is_han(cpt):", "    while unicode_cpt_is_han(_get_cpt(pos)): ++pos",
         "    _add_token(pos)"),
        ("if is_letter_pattern:  # one character in front", "    while is_letter and not unicode_cpt_is_han: ++pos",
         "    a contraction at pos: pos += 2 or 3", "    _add_token(pos)"),
        _THREE,
        *_AFTER_LETTERS,
    ),
    "unicode_regex_split_custom_afmoe": _THIRDS,
    "unicode_regex_split_custom_newlines": (
        ("is_newline = cpts[pos] == '\\n'", "while (cpts[pos] == '\\n') == is_newline: ++pos"),
        ("the same for a run of newlines",),
    ),
}  # fmt: skip
"""Name of a function of llama.cpp → for each rule, its lines."""
