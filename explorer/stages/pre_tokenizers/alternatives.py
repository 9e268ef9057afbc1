"""What an alternative of a pattern takes, in words, for the stepper of the pre-tokenizer."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import regex

from explorer.engine.pre_tokenizers.scanners import classes
from explorer.engine.regexes.safe import Alternative

LONGEST = 16
"""Characters checked for what an alternative would take in its original spelling."""


def takes(alternative: Alternative) -> str:
    """What an alternative takes, in one sentence."""
    return alternative.says or "What this part of the file's pattern matches."


def takes_in_short(alternative: Alternative) -> str:
    """The same in a few words, to go on a sentence.

    >>> from explorer.engine.pre_tokenizers.patterns import LLAMA3
    >>> [takes_in_short(each) for each in LLAMA3.alternatives[:3]]
    ['the end of an English contraction', 'letters', 'up to three digits']
    """
    first = FIRST_CLAUSE.match(takes(alternative))
    words = first[0] if first else ""
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]


FIRST_CLAUSE: Final = re.compile(r"[^,;:.]*")
CONTRACTION: Final = re.compile(r"'(?:[sdmt]|ll|ve|re)", re.IGNORECASE)


def made_of(piece: str) -> str:
    """What a piece consists of, in a word or two.

    >>> [made_of(each) for each in (" Hello", "'s", "１２", " @!", " \\n", "  ", "@World")]
    ['letters', 'contraction', 'numbers', 'other signs', 'line breaks', 'white space', 'letters']
    """
    if CONTRACTION.fullmatch(piece):
        return "contraction"
    found = classes(piece)
    names = (("L", "letters"), ("N", "numbers"), ("O", "other signs"))
    return next(
        (name for kind, name in names if kind in found), "line breaks" if BREAK.search(piece) else "white space"
    )


BREAK: Final = re.compile(r"[\r\n]")


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.VERSION0)


def lost_by_rewriting(alternative: Alternative, text: str) -> str:
    """What the model's own spelling of an alternative takes at the beginning of a text if the rewritten one fails.

    >>> from explorer.engine.pre_tokenizers.patterns_llama_cpp import LLAMA3_ASCII
    >>> [lost_by_rewriting(LLAMA3_ASCII.alternatives[0], text) for text in ("'ſ so", "'s so", "so")]
    ["'ſ", '', '']
    """
    found = _compiled(alternative.rewritten).match(text) if alternative.rewritten else None
    return found[0] if found and not _compiled(alternative.runs).match(text) else ""
