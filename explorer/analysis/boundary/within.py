"""Are these ids in those? If not, but their text is, which token stands across its ends, or how it is cut there.

Programs look for ids in ids: a response template in a training text, a stop sequence in an answer. The text is there
and the ids are not where a token reaches over its end: in many vocabularies a colon and a line break are one token.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final, NamedTuple

from explorer.analysis.expected.decoded import laid_out
from explorer.engine.items import Token
from explorer.engine.limits.budget import many_runs
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text import decode_utf8
from explorer.text.say import number

MOST: Final = 100
"""The most places that are listed."""

MOST_IDS: Final = 1_000_000
"""The most ids that are searched."""


class Occurrence(NamedTuple):
    """A place where the text of the wanted ids is, and their ids are not.

    first, last: the ids [first, last) that spell it. before, after: the bytes of the first id before the text, and of
    the last id after it; both empty if the text is cut otherwise.
    """

    first: int
    last: int
    before: bytes
    after: bytes


class Within(NamedTuple):
    """Whether ids occur within others.

    found: the indices at which they do. near: where only their text occurs, at most `MOST` places. text: theirs.
    without_space: the text occurs without the space it begins with, which the tokenizer put in front of it.
    """

    wanted: tuple[int, ...]
    ids: tuple[int, ...]
    text: bytes
    found: tuple[int, ...]
    near: tuple[Occurrence, ...]
    without_space: bool = False


def within(tokenizer: Opened, wanted: Sequence[int], ids: Sequence[int]) -> Within:
    """Whether `wanted` occurs in `ids`, and if not, why.

    Raises InputError for an empty list, for too many ids, and for one outside the vocabulary.

    >>> import explorer
    >>> tok = explorer.load("cl100k_base")
    >>> found = within(tok, tok.encode("Assistant:").ids, tok.encode("Assistant:\\n\\nHi").ids)
    >>> found.found, [(each.first, each.last, each.after) for each in found.near]
    ((), [(0, 2, b'\\n\\n')])
    """
    if not wanted:
        raise InputError("the list of ids to look for is empty; give at least one")
    for given in (wanted, ids):
        if len(given) > MOST_IDS:
            raise InputError(f"{number(len(given))} ids are too many; give up to {number(MOST_IDS)}")
    with many_runs("a search", len(ids)):
        found = tuple(islice(places(wanted, ids), MOST))
        text, parts = b"".join(map(tokenizer.token_bytes, wanted)), list(map(tokenizer.token_bytes, ids))
        near = () if found else tuple(islice(spelled(text, parts), MOST))
        shorter = not found and not near and text[:1] == b" "
        if shorter:
            near = tuple(islice(spelled(text[1:], parts), MOST))
        return Within(tuple(wanted), tuple(ids), text, found, near, bool(shorter and near))


class OnText(NamedTuple):
    """Wanted ids where they or their text occur first, on the text that all ids decode to.

    tokens: of all ids. wanted: those of the wanted ids; none if not even their text occurs.
    """

    text: str
    tokens: tuple[Token, ...]
    wanted: tuple[Token, ...]


def on_text(tokenizer: Opened, found: Within) -> OnText:
    """Where the wanted ids, or their text, would be among the ids.

    >>> import explorer
    >>> tok = explorer.load("cl100k_base")
    >>> on_text(tok, within(tok, tok.encode("a:").ids, tok.encode("a:\\n").ids)).wanted
    (Token(id=64, start=0, end=1), Token(id=25, start=1, end=2))
    """
    parts, own = list(map(tokenizer.token_bytes, found.ids)), list(map(tokenizer.token_bytes, found.wanted))
    data = b"".join(parts)
    of: list[int] = []
    for at, run in enumerate(decode_utf8(data)):
        of += [at] * run.length
    tokens = laid_out(tokenizer, found.ids, parts, of)
    text = data.decode("utf-8", "replace")
    if not found.found and not found.near:
        return OnText(text, tokens, ())
    first = found.found[0] if found.found else found.near[0].first
    offset = sum(map(len, parts[:first])) + (0 if found.found else len(found.near[0].before))
    ids = found.wanted
    if found.without_space:
        own[0] = own[0].removeprefix(b" ")
        if not own[0]:
            ids, own = ids[1:], own[1:]
    return OnText(text, tokens, laid_out(tokenizer, ids, own, of[offset : offset + sum(map(len, own))]))


def places(wanted: Sequence[int], ids: Sequence[int]) -> Iterator[int]:
    """The indices at which a list occurs in another. Each id becomes a character: `str.find` never takes a square.

    >>> list(places([1, 1], [1, 1, 1, 2]))
    [0, 1]
    """
    letters = {id: chr(index) for index, id in enumerate(dict.fromkeys(wanted), 1)}
    data, text = "".join(letters[id] for id in wanted), "".join(letters.get(id, "\0") for id in ids)
    at = text.find(data)
    while at >= 0:
        yield at
        at = text.find(data, at + 1)


def spelled(text: bytes, parts: Sequence[bytes]) -> Iterator[Occurrence]:
    """Where a text occurs in the joined bytes of tokens."""
    if not text:
        return
    data, ends = b"".join(parts), list(accumulate(map(len, parts)))
    at = data.find(text)
    while at >= 0:
        end = at + len(text)
        first, last = bisect_right(ends, at), bisect_right(ends, end - 1) + 1
        start = ends[first] - len(parts[first])
        yield Occurrence(first, last, data[start:at], data[end : ends[last - 1]])
        at = data.find(text, at + 1)
