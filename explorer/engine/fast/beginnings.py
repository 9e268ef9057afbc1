"""Whether a text may contain a special token: a quick search for how they begin.

Tokens with the same first two characters share a beginning, as long as all of them have it. Where several beginnings
have the same first character, one expression finds them in one pass. It has no time limit, so it has few alternatives,
and short ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from os.path import commonprefix
from typing import Final

from explorer.engine.partition.special_tokens import beginnings

FEW: Final = 8
"""Alternatives of an expression, and characters of each; of more, only the first two characters are looked for."""


class Beginnings:
    """How special tokens begin. contents: their spellings.

    >>> special = Beginnings(["[CLS]", "[SEP]", "<|a|>", "<|b|>"])
    >>> special.in_text("[CLX] a <b"), special.in_text("a <|c"), special.in_bytes(b"a[SEP]")
    (False, True, True)
    """

    def __init__(self, contents: Iterable[str]) -> None:
        groups: dict[str, list[str]] = {}
        for content in contents:
            groups.setdefault(content[:2], []).append(content)
        # character by character, as these are no paths
        self.texts = sorted(commonprefix(alike)[:FEW] for alike in groups.values())  # noqa: RUF071
        self.plain: list[str] = []
        self.expressions: list[re.Pattern[str]] = []
        for _, alike in groupby(self.texts, lambda text: text[:1]):
            found = list(alike)
            if len(found) == 1:
                self.plain += found
            elif len(found) <= FEW:
                # all have their first character in common, which is searched for fast
                self.expressions.append(re.compile("|".join(map(re.escape, found))))
            else:
                self.expressions += map(re.compile, beginnings(found))
        self.plain_bytes = [encoded(each) for each in self.plain]
        self.byte_expressions = [re.compile(encoded(each.pattern)) for each in self.expressions]

    def in_text(self, text: str) -> bool:
        """Whether one of them is in a text."""
        return any(each in text for each in self.plain) or any(each.search(text) for each in self.expressions)

    def in_bytes(self, data: bytes) -> bool:
        """Whether one of them is in UTF-8."""
        return any(each in data for each in self.plain_bytes) or any(
            each.search(data) for each in self.byte_expressions
        )


def encoded(text: str) -> bytes:
    """A text as UTF-8, other bytes in it as they are."""
    return text.encode("utf-8", "surrogateescape")
