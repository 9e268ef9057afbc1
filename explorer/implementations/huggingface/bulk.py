"""Encodes many strings at once, so that a file with a million of them opens fast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from explorer.engine.models.bpe_rules import BETWEEN, END

SIDE_TEXT: Final = BETWEEN.decode("utf-8", "surrogateescape")
END_TEXT: Final = END.decode("utf-8", "surrogateescape")
"""The separators of `bpe_rules` as text: lone surrogates, which no piece contains."""


def joined(texts: Iterable[str]) -> bytes:
    """Every text as UTF-8, each followed by END. Lone surrogates of "surrogateescape" become their bytes.

    >>> joined(["é", "a\\udcffb"])
    b'\\xc3\\xa9\\xfea\\xffb\\xfe'
    """
    return END_TEXT.join([*texts, ""]).encode("utf-8", "surrogateescape")


def encoded(texts: Iterable[str]) -> list[bytes]:
    """Every text as UTF-8, three times as fast as encoding each one.

    >>> encoded(["é", "", "a"]), encoded([])
    ([b'\\xc3\\xa9', b'', b'a'], [])
    """
    return joined(texts).split(END)[:-1]
