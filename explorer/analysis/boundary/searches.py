"""Searches among ids: whether some ids occur in others, and in which sequences of tokens a stop string can occur.

Programs look for ids in ids: a response template in a training text, a stop sequence in an answer. The text is there
and the ids are not where a token reaches over its end: in many vocabularies a colon and a line break are one token.

A program that compares only the ids of a stop string misses all others. Every way is found by the vocabulary alone: the
token in which the string begins ends with some of its bytes, tokens within it spell the next ones, and the one in which
it ends begins with the rest. Whether text ever gives such a sequence is not asked: a model may output any. Compares
bytes that tokens decode to alone, so spaces that a decoder puts between words (WordPiece) are left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Final, NamedTuple

from explorer.analysis.boundary.boundary import ids_of
from explorer.analysis.boundary.followers import TokensByText, tokens_by_text
from explorer.analysis.expected.id_texts import characters_of, laid_out
from explorer.engine.budget import asking, many_runs
from explorer.engine.items import Token
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text import clean
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
    of = characters_of(data)
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


LONGEST: Final = 1_000
"""The most bytes of a stop string."""


class Beginning(NamedTuple):
    """The tokens that end with the first bytes of a stop string.

    taken: how many bytes. exact: ids of tokens that are these bytes. inside: ids of longer tokens, in which the string
    begins inside.
    """

    taken: int
    exact: tuple[int, ...]
    inside: tuple[int, ...]


class StopString(NamedTuple):
    """A stop string.

    ids: what the tokenizer gives for it alone. contain: ids of tokens that have all of it within. beginnings: by how
    many bytes of it a token ends with. sequences: how many sequences of tokens contain it, from the token in which it
    begins to the one in which it ends. fewest: one of the shortest of several tokens; empty if there are none.
    """

    text: str
    ids: tuple[int, ...]
    contain: tuple[int, ...]
    beginnings: tuple[Beginning, ...]
    sequences: int
    fewest: tuple[int, ...]

    @property
    def inside(self) -> int:
        """How many tokens it can begin inside of, those that have all of it after their first byte included."""
        return len({id for each in self.beginnings for id in each.inside} | set(self.contain))


def stop_string(tokenizer: Opened, text: str, *, parse_special: bool = True) -> StopString:
    """Raises InputError for a string that is empty, too long or unusable.

    >>> import explorer
    >>> found = stop_string(explorer.load("gpt-2"), "\\n\\n")
    >>> found.ids, len(found.contain), found.fewest
    ((628,), 1, (198, 198))
    """
    text = clean(text)
    data = text.encode()
    if not 0 < len(data) <= LONGEST:
        raise InputError(f"a stop string has 1 to {number(LONGEST)} bytes, and this one has {number(len(data))}")
    with many_runs("a stop string", len(text)):
        tokens = tokens_by_text(tokenizer)
        pairs = zip(asking(tokens.data, "the vocabulary"), tokens.ids, strict=True)
        contain = tuple(sorted(id for each, id in pairs if data in each))
        beginnings = []
        for taken in range(1, min(len(data), tokens.longest + 1)):
            exact = set(tokens.spelled(data[:taken]))
            found = tokens.end(data[:taken])
            if found:
                inside = tuple(id for id in found if id not in exact)
                beginnings.append(Beginning(taken, tuple(sorted(exact)), inside))
        counts, steps = completions(data, tokens)
        sequences = len(contain)
        fewest: tuple[int, ...] = ()
        for each in beginnings:
            sequences += (len(each.exact) + len(each.inside)) * counts[each.taken]
            rest = steps[each.taken]
            if rest and (not fewest or len(rest) + 1 < len(fewest)):
                fewest = ((each.exact or each.inside)[0], *rest)
        return StopString(
            text, tuple(ids_of(tokenizer, text, parse_special)), contain, tuple(beginnings), sequences, fewest
        )


def completions(data: bytes, tokens: TokensByText) -> tuple[list[int], list[tuple[int, ...]]]:
    """By offset of a text, in how many ways tokens spell the rest, and a shortest one. The last token may go on."""
    counts = [0] * len(data)
    shortest: list[tuple[int, ...]] = [()] * len(data)
    for at in range(len(data) - 1, 0, -1):
        last = tokens.begin(data[at:])
        counts[at] = len(last)
        if last:
            shortest[at] = ((tokens.spelled(data[at:]) or last)[0],)
        for end in range(at + 1, min(len(data), at + tokens.longest + 1)):
            same = tokens.spelled(data[at:end]) if counts[end] else []
            if same:
                counts[at] += len(same) * counts[end]
                if not shortest[at] or len(shortest[end]) + 1 < len(shortest[at]):
                    shortest[at] = (same[0], *shortest[end])
    return counts, shortest
