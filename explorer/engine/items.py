"""What travels from stage to stage: segments of text, which turn into tokens on the way.

Every stage takes a sequence of items and gives a new one. A `Segment` is text with its alignment: for each code
point, which code points of the original text it came from. A `Token` is final; later stages leave it where it is.
The idea that alignment travels with the text is that of Hugging Face's `NormalizedString`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from explorer.engine.limits.budget import MODEL, asking
from explorer.text import clean


class Segment(NamedTuple):
    """A run of text on its way.

    text: as it is at this point.
    starts, ends: per code point of `text`, the span [start, end) in code points of the original text. A code point
        that was inserted has an empty span (start == end) at the place where it stands; Hugging Face's parts give it
        the span of its neighbour, as the original does (`aligned`).
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str, at: int = 0) -> Segment:
        """Text taken unchanged from position `at` of the original; the alignment costs no memory.

        >>> Segment.of("is", 5).ends[1]
        7
        """
        return cls(text, range(at, at + len(text)), range(at + 1, at + len(text) + 1))


class Token(NamedTuple):
    """A token and the span [start, end) of the original text it stands for, in code points.

    start == -1: not from the text but added (BOS, EOS). start == end: made of inserted text only (a lone prefix ▁).
    The tokens of a character cut in several have one span.
    """

    id: int
    start: int
    end: int


ADDED = -1
"""The start and end of a token that does not come from the text."""

Item: TypeAlias = Segment | Token
Items: TypeAlias = Sequence[Item]


def tokenized(items: Items, tokenize: Callable[[Segment, int], Iterable[Token]]) -> list[Item]:
    """The items with every segment turned into its tokens; tokens pass. What most models are around their algorithm.

    tokenize: given a segment and its place among the items, which is for the trace only.

    >>> tokenized([Segment.of("ab"), Token(7, 2, 3)], lambda segment, place: [Token(1, 0, 2)])
    [Token(id=1, start=0, end=2), Token(id=7, start=2, end=3)]
    """
    done: list[Item] = []
    for place, item in enumerate(asking(items, MODEL)):
        if isinstance(item, Segment):
            done += tokenize(item, place)
        else:
            done.append(item)
    return done


def start(text: str) -> Items:
    """The items before the first stage: the whole text, or nothing."""
    text = clean(text)
    return [Segment.of(text)] if text else []
