"""How long a text may become on its way: a file can bring normalizers that each make ten characters of one.

Twelve of them make a million million of a single character. Real ones make up to 18 of one (NFKC of ﷺ), so what is far
more than that is refused before it is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from explorer.engine.items import Item, Segment
from explorer.errors import InputError

AT_LEAST: Final = 1_000_000
TIMES: Final = 20


class Room:
    """How long a text of some length may become. what: says in an error what makes it longer.

    >>> Room("the normalizer", 10).check(1_000_200)
    """

    def __init__(self, what: str, size: int) -> None:
        self.what, self.most = what, AT_LEAST + TIMES * size

    @classmethod
    def of(cls, what: str, items: Iterable[Item]) -> Room:
        """For all the text of a stage."""
        return cls(what, length(items))

    @classmethod
    def at(cls, what: str, segment: Segment) -> Room:
        """For one segment. What was done to it before counts nothing: its length is that of the text it is from."""
        return cls(what, segment.ends[-1] - segment.starts[0] if segment.text else 0)

    def check(self, size: int) -> None:
        """Raises InputError where a text gets longer than that."""
        if size > self.most:
            raise InputError(
                f"{self.what} makes more than {self.most} characters or bytes of this text, far more than it has; "
                "give another file, or a shorter text"
            )


def length(items: Iterable[Item]) -> int:
    """The characters of all segments."""
    return sum(len(item.text) for item in items if isinstance(item, Segment))
