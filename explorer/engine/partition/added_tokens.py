"""Partition as in Hugging Face: added tokens are cut out of the text before any other stage.

Follows `AddedVocabulary` of Hugging Face's tokenizers. All added tokens are searched at once, from the left, longest
first. A token may match only as a word of its own (`single_word`) or strip the white space before or after it
(`lstrip`, `rstrip`). Added tokens are always searched, except special ones with the setting `encode_special_tokens`,
which is `parse_special=False` here. Tokens marked `normalized` are searched after normalization, by a second stage of
this class.

Stripped white space belongs to the token's span. A token may match within white space that the previous token has
stripped. The original then uses that white space twice and continues after the second token; this is reproduced. Such a
token that has lstrip as well is lost (or, where it ends too early, stops the original).

llama.cpp's partition (`special_tokens.py`) searches one token after the other instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from explorer.engine.budget import asking, turns
from explorer.engine.items import Emit, Item, Items, LengthBudget, Segment, TextToken, Token, silent
from explorer.engine.part import Options
from explorer.engine.partition.special_tokens import WHAT, PartitionEvent, PartitionRow, beginnings, emit_texts
from explorer.text import WHITE_SPACE

if TYPE_CHECKING:
    import regex


class AddedToken(NamedTuple):
    """A token that is searched for by its text. The fields are those of tokenizer.json.

    special: not searched with `parse_special=False`. single_word: matches only without adjacent word characters.
    lstrip, rstrip: strips white space before or after it. normalized: searched in the normalized text.
    """

    id: int
    content: str
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


@cache
def word() -> regex.Pattern[str]:
    """Matches Rust's `\\w`: unlike in Python's `re`, marks and joiners are word characters.

    Few files need it, so `regex` is imported here.
    """
    import regex

    return regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]")


def is_word(ch: str) -> bool:
    """Whether `ch` is a word character of Unicode 16; False for the empty string."""
    from explorer.engine.unicode.stand_ins import as_16

    return word().match(as_16(ch)) is not None


class AddedTokenPartition:
    """Cuts added tokens out of the text.

    name: of the stage; the second one has another name.

    >>> part = AddedTokenPartition([AddedToken(7, "<s>", special=True, rstrip=True)])
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.run([Segment.of("Hi<s>  you")], Options(), lambda *row: None)]
    ['Hi', TextToken(id=7, start=2, end=7), 'you']
    """

    row = PartitionRow
    kinds = PartitionEvent

    def __init__(self, tokens: Iterable[AddedToken], name: str = "partition") -> None:
        # an empty content never matches
        self.tokens = [token for token in tokens if token.content]
        self.name = name
        self.by_content = {token.content: token for token in self.tokens}
        lengths: dict[str, set[int]] = {}
        for content in self.by_content:
            lengths.setdefault(content[0], set()).add(len(content))
        self.lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        """first character → the lengths of the tokens that begin with it, longest first"""
        self.search = re.compile("|".join(beginnings(self.by_content))) if lengths else None
        """matches where a token may begin"""

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with added tokens turned into `Token`s."""
        # without a trace nothing has to be emitted, and most texts contain no added token
        if emit is silent and not any(map(self.may_be_cut, items)):
            return items
        if not options.parse_special:
            for token in self.tokens:
                if token.special:
                    emit(PartitionEvent.NOT_PARSED, -1, -1, token.id)
        done: list[Item] = []
        for item in asking(items, WHAT):
            if isinstance(item, Segment):
                done += self.cut(item, options.parse_special, emit)
            else:
                done.append(item)
        emit_texts(done, emit)
        return done

    def may_be_cut(self, item: Item) -> bool:
        """Whether an item is text in which a token may begin, or empty text."""
        if isinstance(item, Token):
            return False
        return not item.text or (self.search is not None and self.search.search(item.text) is not None)

    def matches(self, text: str) -> Iterator[tuple[int, AddedToken]]:
        """The index and token of each match, from the left, the longest at each index."""
        at = 0
        turn = turns(len(text), WHAT, 16)
        while self.search is not None and (near := self.search.search(text, at)) is not None:
            at = near.start()
            next(turn)
            for length in self.lengths[text[at]]:
                token = self.by_content.get(text[at : at + length])
                if token is not None:
                    yield at, token
                    at += length
                    break
            else:
                at += 1

    def cut(self, segment: Segment, parse_special: bool, emit: Emit) -> list[Item]:
        """The segment with the added tokens in it turned into `Token`s."""
        text, starts, ends = segment
        items: list[Item] = []
        budget, stripped = LengthBudget.at(WHAT, segment), 0
        at = 0
        for left, token in self.matches(text):
            right = left + len(token.content)
            if token.special and not parse_special:
                continue
            if token.single_word and (is_word(text[left - 1 : left]) or is_word(text[right : right + 1])):
                emit(PartitionEvent.NOT_A_WORD, starts[left], ends[right - 1], token.id)
                continue
            before, after = stripped_span(text, token, left, right, at)
            if token.lstrip:
                if at >= after:
                    # the previous token has stripped all of it, and an lstrip token begins after that
                    at = after
                    continue
                before = max(before, at)
            if before > at:
                items.append(segment.slice(at, before))
            kind = PartitionEvent.TAKEN_TWICE if left < at else PartitionEvent.TOKEN
            if (before, after) != (left, right):
                # the next token may strip the same white space again, all but its first character
                stripped += after - before
                budget.check(stripped)
            items.append(cut_out(segment, token.id, (left, right), (before, after), emit, kind))
            # a token within stripped white space: the rest of that white space is text again, as in the original
            at = after
        if at < len(text):
            items.append(segment.slice(at) if at else segment)
        return items


def cut_out(
    segment: Segment, id: int, span: tuple[int, int], stripped: tuple[int, int], emit: Emit, kind: int
) -> Token:
    """A token, which is emitted with the white space that it strips.

    span, stripped: its indices [start, end) in the segment, without the white space and with it. kind: of its event.
    """
    text, starts, ends = segment
    (start, end), (before, after) = span, stripped
    if before < start:
        emit(PartitionEvent.STRIPPED, starts[before], ends[start - 1], id)
    emit(kind, starts[start], ends[end - 1], id)
    if after > end:
        emit(PartitionEvent.STRIPPED, starts[end], ends[after - 1], id)
    return TextToken.of(id, starts[before], ends[after - 1], text[before:after])


def stripped_span(text: str, token: AddedToken, left: int, right: int, at: int) -> tuple[int, int]:
    """The span of a match [left, right) with the white space the token strips, on the left not before `at`."""
    while token.lstrip and left > at and ord(text[left - 1]) in WHITE_SPACE:
        left -= 1
    while token.rstrip and right < len(text) and ord(text[right]) in WHITE_SPACE:
        right += 1
    return left, right
