"""How long a text may become on its way: a file can bring normalizers that each make ten characters of one.

Twelve of them make a million million of a single character. Real ones make up to 18 of one (NFKC of ﷺ) and spell each
of these as two bytes, so what is more than that is refused before it is written. On the way back an id may be long: a
vocabulary can hold an unknown token of a million letters, which a text of a page asks for a hundred thousand times.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from explorer.engine.items import Item, Segment
from explorer.errors import InputError

AT_LEAST: Final = 1_000_000
TIMES: Final = 40
DECODED_AT_LEAST: Final = 10_000_000
FOR_AN_ID: Final = 200
"""Bytes. The longest real tokens have some hundreds, and no text is made of them alone."""


class Room:
    """How long a text of some length may become. what: says in an error what makes it longer.

    >>> Room("the normalizer", 10).check(1_000_200)
    """

    def __init__(self, what: str, size: int) -> None:
        self.what, self.most, self.of_what = what, AT_LEAST + TIMES * size, "this text, far more than it has"

    @classmethod
    def of(cls, what: str, items: Iterable[Item]) -> Room:
        """For all the text of a stage."""
        return cls(what, length(items))

    @classmethod
    def at(cls, what: str, segment: Segment) -> Room:
        """For one segment. What was done to it before counts nothing: its length is that of the text it is from."""
        return cls(what, segment.ends[-1] - segment.starts[0] if segment.text else 0)

    @classmethod
    def for_ids(cls, count: int) -> Room:
        """For the text that so many ids give."""
        room = cls(DECODER, 0)
        room.most, room.of_what = DECODED_AT_LEAST + FOR_AN_ID * count, f"{count} ids"
        return room

    def check(self, size: int, part: object = None) -> None:
        """Raises InputError where a text gets longer than that, by a part of the stage if it is given."""
        if size > self.most:
            what = self.what if part is None else f"{self.what} (its {type(part).__name__})"
            raise InputError(
                f"{what} makes more than {self.most} characters or bytes of {self.of_what}; give another file, or less"
            )


DECODER: Final = "the decoder"
"""What errors call it."""


def length(items: Iterable[Item]) -> int:
    """The characters of all segments."""
    return sum(len(item.text) for item in items if isinstance(item, Segment))
