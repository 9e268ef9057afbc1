"""The pattern a user chooses for a file that has none: a known one by name, or a regular expression."""

from __future__ import annotations

import re
from collections.abc import Mapping

from explorer.engine.pre_tokenizers.custom_pattern import fancy_pattern
from explorer.engine.regexes.pattern import Pattern
from explorer.errors import InputError, errors_of, shown

KEY = "pattern"
"""The key of the choice."""
NAME_ALONE = re.compile(r"(?:\w[\w.-]*)?")
"""Possibly a misspelled name; as a pattern it would only match itself."""


def chosen_pattern(choice: str, known: Mapping[str, Pattern], name: str) -> Pattern:
    """The chosen pattern. name: what errors call the file. Raises InputError for an unknown name or a bad pattern.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> chosen_pattern("gpt-2", {"gpt-2": GPT2}, "toy") is GPT2, chosen_pattern(r"\\w+|\\W", {}, "toy").regex
    (True, '\\\\w+|\\\\W')
    """
    if choice in known:
        return known[choice]
    if NAME_ALONE.fullmatch(choice):
        raise InputError(
            f"{name}: there is no pattern named {shown(choice)}; known are {', '.join(known)}, or give a pattern"
        )
    with errors_of(name):
        return fancy_pattern(choice)
