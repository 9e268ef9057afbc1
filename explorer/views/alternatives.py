"""What an alternative of a pattern takes, for the board and the stepper of the pre-tokenizer."""

from __future__ import annotations

from functools import lru_cache

import regex

from explorer.engine.regexes.pattern import Alternative

LONGEST = 16
"""Characters checked for what an alternative would take in its original spelling."""


def takes(alternative: Alternative) -> str:
    """What an alternative takes, in one sentence."""
    return alternative.says or "What this part of the file's pattern matches."


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
