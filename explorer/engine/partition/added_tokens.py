"""Partition as Hugging Face does it: added tokens are cut out of the text before anything else looks at it.

Follows `AddedVocabulary` of Hugging Face's tokenizers. All added tokens are searched at once, from the left, the
longest first. A token may ask to stand as a word of its own (`single_word`) or to swallow the white space before or
after it (`lstrip`, `rstrip`). Added tokens are always looked for; only its setting `encode_special_tokens` leaves the
special ones alone, and that is what `parse_special=False` stands for here. Tokens marked `normalized` are searched
after normalization, by a second stage of this kind.

What a token swallowed is part of its span. A token may be found within white space that the one before it swallowed;
the original then takes that white space twice and goes on behind the second token, and so does this. Such a token that
strips to the left as well is lost (or, where it ends too early, stops the original).

Unlike llama.cpp's partition (`partition.py`), which searches one token after the other, longest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from explorer.engine.items import Item, Items, Segment, Token
from explorer.engine.limits.budget import asking, turns
from explorer.engine.limits.length import LengthBudget
from explorer.engine.options import Options
from explorer.engine.partition.rows import PartitionEvent, PartitionRow
from explorer.engine.partition.special_tokens import WHAT, beginnings
from explorer.engine.trace import Emit, silent
from explorer.text import WHITE_SPACE

if TYPE_CHECKING:
    import regex


class AddedToken(NamedTuple):
    """A token that is looked for in the text as it is written (the fields are those of tokenizer.json).

    special: left alone with `parse_special=False`. single_word: only with no word character beside it.
    lstrip, rstrip: swallows white space before or after it. normalized: looked for in the normalized text.
    """

    id: int
    content: str
    special: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False


class StrippedToken(Token):
    """A token with the white space that it took as well. text: all of it, which a post-processor trims its span by."""

    text: str

    @classmethod
    def of(cls, id: int, start: int, end: int, text: str) -> StrippedToken:
        """
        >>> StrippedToken.of(7, 2, 7, "<s>  ") == Token(7, 2, 7)
        True
        """
        made = cls(id, start, end)
        made.text = text
        return made


@cache
def word() -> regex.Pattern[str]:
    """A word character to Rust's `\\w`: marks and joiners belong to a word, which they do not for Python's `re`.

    Few files ask for it, and `regex` is imported for it alone.
    """
    import regex

    return regex.compile(r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]")


def is_word(ch: str) -> bool:
    """Whether a character, or none, is a word character of Unicode 16."""
    from explorer.engine.unicode.stand_ins import as_16

    return word().match(as_16(ch)) is not None


class AddedTokenPartition:
    """Cuts added tokens out of the text.

    name: of the stage; the second of its kind has another one.

    >>> part = AddedTokenPartition([AddedToken(7, "<s>", special=True, rstrip=True)])
    >>> [item if isinstance(item, Token) else item.text
    ...  for item in part.run([Segment.of("Hi<s>  you")], Options(), lambda *row: None)]
    ['Hi', StrippedToken(id=7, start=2, end=7), 'you']
    """

    row = PartitionRow
    kinds = PartitionEvent

    def __init__(self, tokens: Iterable[AddedToken], name: str = "partition") -> None:
        # an empty content is never found
        self.tokens = [token for token in tokens if token.content]
        self.name = name
        self.by_content = {token.content: token for token in self.tokens}
        lengths: dict[str, set[int]] = {}
        for content in self.by_content:
            lengths.setdefault(content[0], set()).add(len(content))
        self.lengths = {first: sorted(found, reverse=True) for first, found in lengths.items()}
        """first character → the lengths of the tokens that begin with it, the longest first"""
        self.search = re.compile("|".join(beginnings(self.by_content))) if lengths else None
        """finds where a token may begin"""

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        # nobody hears what is not looked for, and in most texts there is nothing to find
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
        for item in done:
            if isinstance(item, Segment):
                emit(PartitionEvent.RAW_TEXT, item.starts[0], item.ends[-1], -1)
        return done

    def may_be_cut(self, item: Item) -> bool:
        """Whether a token may begin in a text, or nothing is in it."""
        if isinstance(item, Token):
            return False
        return not item.text or (self.search is not None and self.search.search(item.text) is not None)

    def matches(self, text: str) -> Iterator[tuple[int, AddedToken]]:
        """The tokens that are written in the text and where, from the left, each the longest that begins there."""
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
        found: list[Item] = []
        budget, swallowed = LengthBudget.at(WHAT, segment), 0
        at = 0
        for left, token in self.matches(text):
            right = left + len(token.content)
            if token.special and not parse_special:
                continue
            if token.single_word and (is_word(text[left - 1 : left]) or is_word(text[right : right + 1])):
                emit(PartitionEvent.NOT_A_WORD, starts[left], ends[right - 1], token.id)
                continue
            before, after = left, right
            while token.lstrip and before > at and ord(text[before - 1]) in WHITE_SPACE:
                before -= 1
            while token.rstrip and after < len(text) and ord(text[after]) in WHITE_SPACE:
                after += 1
            if token.lstrip and at >= after:
                # all of it was swallowed by the token before it, and what an lstrip token takes begins behind that
                at = after
                continue
            if token.lstrip:
                before = max(before, at)
            if before > at:
                found.append(Segment(text[at:before], starts[at:before], ends[at:before]))
            if before < left:
                emit(PartitionEvent.STRIPPED, starts[before], ends[left - 1], token.id)
            emit(
                PartitionEvent.TAKEN_TWICE if left < at else PartitionEvent.TOKEN,
                starts[left],
                ends[right - 1],
                token.id,
            )
            if after > right:
                emit(PartitionEvent.STRIPPED, starts[right], ends[after - 1], token.id)
            start, end = starts[before], ends[after - 1]
            alone = (before, after) == (left, right)
            if not alone:
                # what one token swallowed the next may swallow again, all but its first character
                swallowed += after - before
                budget.check(swallowed)
            found.append(
                Token(token.id, start, end) if alone else StrippedToken.of(token.id, start, end, text[before:after])
            )
            # a token within what the one before it swallowed: the rest of that is text again, as in the original
            at = after
        if at < len(text):
            found.append(Segment(text[at:], starts[at:], ends[at:]) if at else segment)
        return found
