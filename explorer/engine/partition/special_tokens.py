"""Partition as in llama.cpp: special tokens are cut out of the text before any other stage. Also the events of every
partition.

Follows `tokenizer_st_partition`: special tokens, longest first, are each searched in every fragment that is still text;
the text left and right of a match stays text. Control and unknown tokens are searched only with `parse_special`,
user-defined ones always. A token may strip the white space before it (lstrip) or after it (rstrip).

Left out: llama.cpp orders special tokens of equal length by an unstable sort; here they are ordered by id. That matters
only where two such tokens overlap in the text. Positions are code points; in llama.cpp they are bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import groupby
from os.path import commonprefix
from typing import Final, NamedTuple

from explorer.engine.budget import asking, turns
from explorer.engine.items import Emit, Item, Items, Segment, Token, silent
from explorer.engine.part import Options


class PartitionEvent(IntEnum):
    """What a `PartitionRow` says."""

    NOT_PARSED = 0
    """The special token is not searched for: it is a control or unknown token, and `parse_special` is off."""
    TOKEN = 1
    """The special token was found at [start, end)."""
    RAW_TEXT = 2
    """[start, end) stays text. Emitted after all special tokens were searched for."""
    STRIPPED = 3
    """White space [start, end) that the adjacent token stripped."""
    NOT_A_WORD = 4
    """The token's text is at [start, end) next to a word character, but it matches only as a word of its own."""
    TAKEN_TWICE = 5
    """The token [start, end) is white space that the previous token has stripped: both have it."""
    NOT_THERE = 6
    """No fragment contains the token, nor those searched since the event before. `end` is how many tokens that are;
    start is -1. Only the originals that search one token after the other emit it."""


class PartitionRow(NamedTuple):
    """One decision of the partition."""

    kind: int
    """A `PartitionEvent`."""
    start: int
    """First code point of the original text, -1 for NOT_PARSED and NOT_THERE."""
    end: int
    """One after the last."""
    token: int
    """The special token's id, -1 for RAW_TEXT."""


def emit_texts(items: Iterable[Item], emit: Emit) -> None:
    """Emits what stays text."""
    for item in items:
        if isinstance(item, Segment):
            emit(PartitionEvent.RAW_TEXT, item.starts[0], item.ends[-1], -1)


class SpecialToken(NamedTuple):
    """A token that is searched for by its text.

    only_if_parsed: searched only with `parse_special` (llama.cpp: control and unknown tokens).
    lstrip, rstrip: strips ASCII white space before or after it.
    """

    id: int
    text: str
    only_if_parsed: bool
    lstrip: bool = False
    rstrip: bool = False


ASCII_SPACE = " \t\n\v\f\r"
"""The characters for which C's `isspace` is true."""


WHAT: Final = "the partition into special tokens and text"
"""The stage's name in errors."""


def beginnings(contents: Iterable[str]) -> Iterator[str]:
    """Regular expressions for the first two characters of each content, grouped by the first.

    >>> list(beginnings(["<s>", "<|a|>", "x"]))
    ['<[s\\\\|]', 'x']
    """
    second: dict[str, set[str]] = {}
    for content in contents:
        second.setdefault(content[0], set()).add(content[1:2])
    for first, after in second.items():
        yield re.escape(first) if "" in after else f"{re.escape(first)}[{re.escape(''.join(sorted(after)))}]"


class SpecialTokenPartition:
    """Cuts special tokens out of the text.

    >>> part = SpecialTokenPartition([SpecialToken(1, "<s>", True)])
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.run([Segment.of("<s>Hi")], Options(), lambda *row: None)]
    [Token(id=1, start=0, end=3), 'Hi']
    """

    name = "partition"
    row = PartitionRow
    kinds = PartitionEvent

    def __init__(self, special_tokens: Iterable[SpecialToken]) -> None:
        self.special_tokens = sorted(special_tokens, key=lambda t: -len(t.text.encode("utf-8", "surrogateescape")))
        texts = [special.text for special in self.special_tokens]
        self.any = re.compile("|".join(beginnings(texts)) if all(texts) else "")
        """matches the first two characters of any of them; the whole texts as alternatives would be tried one by one at
        each position, in a search without a time limit"""

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with special tokens turned into `Token`s."""
        fragments = list(items)
        some = any(isinstance(item, Segment) and self.any.search(item.text) for item in items)
        if emit is silent and not some:
            return fragments
        missing, last = 0, -1
        for special in asking(self.special_tokens, WHAT, 16):
            if special.only_if_parsed and not options.parse_special:
                emit(PartitionEvent.NOT_PARSED, -1, -1, special.id)
                continue
            if not some or not any(isinstance(item, Segment) and special.text in item.text for item in fragments):
                missing, last = missing + 1, special.id
                continue
            if missing:
                emit(PartitionEvent.NOT_THERE, -1, missing, last)
                missing = 0
            cut: list[Item] = []
            for item in fragments:
                if isinstance(item, Segment):
                    cut += split(item, special, emit)
                else:
                    cut.append(item)
            fragments = cut
        if missing:
            emit(PartitionEvent.NOT_THERE, -1, missing, last)
        emit_texts(fragments, emit)
        return fragments


def split(segment: Segment, special: SpecialToken, emit: Emit) -> list[Item]:
    """`segment` with every occurrence of one special token, found from the left, turned into a `Token`."""
    text, starts, ends = segment
    items: list[Item] = []
    at = 0
    turn = turns(len(text), WHAT)
    while (hit := text.find(special.text, at)) >= 0:
        next(turn)
        after = hit + len(special.text)
        left, right = hit, after
        while special.lstrip and left > at and text[left - 1] in ASCII_SPACE:
            left -= 1
        while special.rstrip and right < len(text) and text[right] in ASCII_SPACE:
            right += 1
        if left > at:
            items.append(segment.slice(at, left))
        if left < hit:
            emit(PartitionEvent.STRIPPED, starts[left], ends[hit - 1], special.id)
        token = Token(special.id, starts[hit], ends[after - 1])
        emit(PartitionEvent.TOKEN, token.start, token.end, token.id)
        items.append(token)
        if right > after:
            emit(PartitionEvent.STRIPPED, starts[after], ends[right - 1], special.id)
        at = right
    if at < len(text):
        items.append(segment.slice(at))
    return items


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
        # character by character: these are not paths
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
