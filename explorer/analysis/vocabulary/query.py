"""A search in a vocabulary: by text, regular expression, bytes or ids, within facets, sorted.

A regular expression is untrusted: its cost is computed before it is compiled (`engine/regexes/safe.py`), and all its
matches together have a time limit. It is matched against the text of each token, in which a malformed byte is a lone
surrogate (U+DC80 to U+DCFF), as Python's `surrogateescape` reads it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from itertools import islice
from operator import and_, or_
from time import monotonic, thread_time
from typing import NamedTuple

from explorer.analysis.vocabulary.index import Selection, VocabularyIndex, flags_of, ids_in, of_flags
from explorer.engine.budget import ask
from explorer.engine.regexes.safe import compiled
from explorer.errors import InputError, shown

IGNORE_CASE = re.IGNORECASE
"""The same number in the `regex` module."""

SECONDS = 3.0
"""Processor time that a regular expression may take for all tokens together."""

LONGEST = 1_000
"""Characters of a query."""

SPAN = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?")
"""An id, or a range of ids."""

HEX = re.compile(r"(?:0x|\\x)?([0-9a-fA-F]{2}(?:[0-9a-fA-F]{2})*)")
"""Bytes in hexadecimal."""


class By(StrEnum):
    """What a query is."""

    TEXT = "text"
    REGEX = "regex"
    BYTES = "bytes"
    IDS = "ids"


class Sort(StrEnum):
    """The order of the tokens found."""

    ID = "id"
    TEXT = "text"
    LENGTH = "length"
    """The longest first."""
    SCORE = "score"
    """The highest first."""


class Query(NamedTuple):
    """What is asked for.

    facets: by facet, the values of which a token must have one. bytes, characters: the lengths [least, most] wanted.

    >>> Query("20 74", By.BYTES).by.value
    'bytes'
    """

    text: str = ""
    by: By = By.TEXT
    match_case: bool = False
    facets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    bytes: tuple[int, int] | None = None
    characters: tuple[int, int] | None = None
    sort: Sort = Sort.ID


class Found(NamedTuple):
    """What a search found. selection: the tokens. counts: by facet and value, the tokens found if that value alone were
    asked for in its facet. lengths: by bytes, the tokens found, whatever length is asked for."""

    selection: Selection
    counts: Mapping[str, Mapping[str, int]]
    lengths: Mapping[int, int]

    @property
    def total(self) -> int:
        """The number of tokens found."""
        return self.selection.bit_count()


@dataclass(frozen=True)
class Search:
    """Searches one vocabulary. extra: further facets, by name.

    >>> import explorer
    >>> from explorer.analysis.vocabulary.index import index_of
    >>> search = Search(index_of(explorer.load("gpt-2")))
    >>> found = search.find(Query("token", facets=(("kind", ("start of a word",)),)))
    >>> search.ids(found, Query(), 3), found.counts["kind"]["letters"]
    ([11241, 16326, 29130], 3)
    >>> search.find(Query("^.[!?]+$", By.REGEX)).total, search.find(Query("f0 9f", By.BYTES)).total
    (25, 7)
    """

    index: VocabularyIndex
    extra: Mapping[str, Mapping[str, Selection]] = field(default_factory=dict)

    @property
    def facets(self) -> Mapping[str, Mapping[str, Selection]]:
        """All facets."""
        return {**self.index.facets, **self.extra}

    def find(self, query: Query) -> Found:
        """The tokens found, and the counts of all facets. Raises InputError for a query that can't be read."""
        index, facets = self.index, self.facets
        base = index.all & self.by_text(query) & in_range(index.character_lengths, query.characters)
        asked = {name: union(facets.get(name, {}), values) for name, values in query.facets if values}
        of_length = in_range(index.byte_lengths, query.bytes)
        without_length = reduce(and_, asked.values(), base)
        counts = {}
        for name, values in facets.items():
            others = reduce(and_, (each for other, each in asked.items() if other != name), base & of_length)
            counts[name] = {value: (ids & others).bit_count() for value, ids in values.items()}
        lengths = {length: (ids & without_length).bit_count() for length, ids in index.byte_lengths.items()}
        return Found(without_length & of_length, counts, lengths)

    def by_text(self, query: Query) -> Selection:
        """The tokens that match the text of a query; all for an empty one."""
        if not query.text:
            return self.index.all
        if len(query.text) > LONGEST:
            raise InputError(f"the query has {len(query.text)} characters, at most {LONGEST} are read; shorten it")
        return SEARCHES[query.by](self.index, query)

    def ids(self, found: Found, query: Query, most: int | None = None) -> list[int]:
        """The ids found, in the order of the query. most: how many."""
        if query.sort is Sort.ID:
            return list(islice(ids_in(found.selection, len(self.index)), most))
        flags = flags_of(found.selection, len(self.index))
        return list(islice((id for id in self.order(query.sort) if flags[id]), most))

    def order(self, sort: Sort) -> Sequence[int]:
        """All ids in an order."""
        index, scores = self.index, self.index.tokenizer.vocabulary.scores
        keys: Mapping[Sort, Callable[[int], object]] = {
            Sort.TEXT: lambda id: (index.lowered[id].strip(), index.texts[id]),
            Sort.LENGTH: lambda id: -len(index.data[id]),
            Sort.SCORE: (lambda id: -scores[id]) if scores else (lambda id: id),
        }
        known: dict[Sort, Sequence[int]] = index.__dict__.setdefault("orders", {})
        if sort not in known:
            known[sort] = sorted(range(len(index)), key=keys[sort])  # type: ignore[arg-type]  # comparable
        return known[sort]


def union(values: Mapping[str, Selection], names: Iterable[str]) -> Selection:
    """The tokens that have one of these values. Raises InputError for a value that no token has."""
    unknown = next((name for name in names if name not in values), None)
    if unknown is not None:
        known = ", ".join(list(values)[:12])
        raise InputError(f"no token here is {shown(unknown)}; use one of: {known}")
    return reduce(or_, (values[name] for name in names), 0)


def in_range(lengths: Mapping[int, Selection], wanted: tuple[int, int] | None) -> Selection:
    """The tokens whose length is in a range."""
    if wanted is None:
        return -1
    return reduce(or_, (ids for length, ids in lengths.items() if wanted[0] <= length <= wanted[1]), 0)


def by_text(index: VocabularyIndex, query: Query) -> Selection:
    """The tokens that contain a text."""
    texts = index.texts if query.match_case else index.lowered
    wanted = query.text if query.match_case else query.text.lower()
    return of_flags(bytes([wanted in text for text in texts]))


def by_bytes(index: VocabularyIndex, query: Query) -> Selection:
    """The tokens that contain bytes."""
    wanted = read_bytes(query.text)
    return of_flags(bytes([wanted in data for data in index.data]))


def read_bytes(text: str) -> bytes:
    """Bytes in hexadecimal. Raises InputError.

    >>> read_bytes("20 74"), read_bytes("0xF09F"), read_bytes("\\\\xe2\\\\x96")
    (b' t', b'\\xf0\\x9f', b'\\xe2\\x96')
    """
    words = re.sub(r"(?<=[0-9a-fA-F])\\x", r" \\x", text).replace(",", " ").split()
    matches = [HEX.fullmatch(word) for word in words]
    for word, match in zip(words, matches, strict=True):
        if match is None:
            raise InputError(f"{shown(word)} is not hexadecimal bytes; write two digits a byte, as in 20 74 or F09F")
    return b"".join(bytes.fromhex(match[1]) for match in matches if match is not None)


def by_ids(index: VocabularyIndex, query: Query) -> Selection:
    """Ids and ranges of ids."""
    flags = bytearray(len(index))
    for word in filter(None, re.split(r"[,;\s]+", re.sub(r"\s*[-–]\s*", "-", query.text.strip("[]() ")))):
        match = SPAN.fullmatch(word)
        if match is None:
            raise InputError(f"{shown(word)} is not an id; write ids and ranges, as in 262, 1000-1010")
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise InputError(f"{shown(word)} ends before it begins; write {last}-{first}")
        if first >= len(index):
            raise InputError(f"{shown(word)} is larger than any id here; the last is {len(index) - 1}")
        for id in range(first, min(last + 1, len(index))):
            flags[id] = 1
    return of_flags(flags)


def by_regex(index: VocabularyIndex, query: Query) -> Selection:
    """The tokens in which a regular expression matches. Raises PatternError, or InputError if it takes too long."""
    search = compiled(query.text, 0 if query.match_case else IGNORE_CASE).search
    found, began, until = bytearray(len(index)), thread_time(), monotonic() + SECONDS
    for id, text in enumerate(index.texts):
        if not id & 63:
            ask("the search")
        while True:
            try:
                # the module counts the time of all threads, so its limit may come early: then it matches again
                if search(text, timeout=max(0.001, until - monotonic())) is not None:
                    found[id] = 1
                if monotonic() < until:
                    break
            except TimeoutError:
                pass
            left = SECONDS - (thread_time() - began)
            if left <= 0:
                raise InputError(
                    f"this regular expression takes more than {SECONDS:g} s for the whole vocabulary; simplify it"
                ) from None
            until = monotonic() + left
    return of_flags(found)


SEARCHES: Mapping[By, Callable[[VocabularyIndex, Query], Selection]] = {
    By.TEXT: by_text,
    By.REGEX: by_regex,
    By.BYTES: by_bytes,
    By.IDS: by_ids,
}
