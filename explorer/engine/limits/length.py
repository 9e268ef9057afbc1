"""How long a text may become: a file can bring normalizers that each turn one character into ten.

Twelve such normalizers turn one character into 10¹². Real ones turn one character into at most 18 (NFKC of ﷺ) and spell
each of these as two bytes, so a text that grows far beyond that is refused before it is written. Decoding grows, too: a
vocabulary can hold an unknown token of a million letters, and a text can repeat its id a hundred thousand times.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from explorer.engine.items import Item, Segment
from explorer.errors import InputError

AT_LEAST: Final = 1_000_000
"""Characters that any text may grow to."""

TIMES: Final = 40
"""Characters that a text may gain for each one it has."""

DECODED_AT_LEAST: Final = 10_000_000
"""Bytes that any ids may decode to."""

FOR_AN_ID: Final = 200
"""More bytes for each id. The longest real tokens have a few hundred, and no text consists of those alone."""

DECODER: Final = "the decoder"
"""The name of the decoder in errors."""


class LengthBudget:
    """The length that a text may grow to. what: the name of the stage in errors. size: the length of the text.

    >>> LengthBudget("the normalizer", 10).check(1_000_200)
    """

    def __init__(self, what: str, size: int) -> None:
        self.what, self.most, self.of_what = what, AT_LEAST + TIMES * size, "this text, far more than it has"

    @classmethod
    def of(cls, what: str, items: Iterable[Item]) -> LengthBudget:
        """The budget for all text of a stage."""
        return cls(what, length(items))

    @classmethod
    def at(cls, what: str, segment: Segment) -> LengthBudget:
        """The budget for one segment, by the length of its original text, whatever earlier parts made of it."""
        return cls(what, segment.ends[-1] - segment.starts[0] if segment.text else 0)

    @classmethod
    def for_ids(cls, count: int) -> LengthBudget:
        """The budget for the text that `count` ids decode to."""
        budget = cls(DECODER, 0)
        budget.most, budget.of_what = DECODED_AT_LEAST + FOR_AN_ID * count, f"{count} ids"
        return budget

    def check(self, size: int, part: object = None) -> None:
        """Raises InputError if the text gets longer than that. part: the part of the stage to name."""
        if size > self.most:
            # as a tokenizer.json names it: the class for the decoder `Replace` is ReplaceDecoder
            name = type(part).__name__.removesuffix("Decoder")
            what = self.what if part is None else f"{self.what} (its {name})"
            raise InputError(
                f"{what} makes more than {self.most} characters or bytes of {self.of_what}; give another file, or less"
            )


def length(items: Iterable[Item]) -> int:
    """The characters of all segments."""
    return sum(len(item.text) for item in items if isinstance(item, Segment))
