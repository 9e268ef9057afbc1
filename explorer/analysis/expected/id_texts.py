"""What ids spell: the bytes of each, the ids as tokens on the text they spell, where that is another text, and two
lists of ids aligned by it.

To find where ids spell another text, both lists are decoded and compared. The given ids don't decode to the text
itself: spaces are inserted or dropped, letters are lowercased, characters are unknown. So the position is mapped back
through the spans of the given tokens, and the sentence quotes the original text.

To align two lists, tokens before and after the text are aligned first. Between them, lists that spell the same bytes
are cut wherever a token ends on both sides. Lists that spell different bytes are anchored at ids that both have
(`difflib`), and between two anchors they are cut where tokens end on both sides within bytes that both spell. Longer
gaps are anchored at ids that occur once in each list. A gap without such an id is scanned from its start, past each
difference to the nearest position where the lists are equal again; if there is none nearby, the rest is one stretch.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple

from explorer.analysis.divergence.changes import point, points
from explorer.analysis.divergence.result import where
from explorer.analysis.expected.answers import Position, Stretch
from explorer.analysis.ownership import Span, common, common_ends
from explorer.engine.decoders.chain import ChainDecoder
from explorer.engine.items import ADDED, Token, silent
from explorer.engine.tokenizer import Encoding
from explorer.implementations.opened import Opened
from explorer.text import decode_utf8, label, name
from explorer.text.input import character_of_each_byte
from explorer.text.say import Say, quoted
from explorer.vocabulary import PieceKind


def contents(tokenizer: Opened, ids: Sequence[int], *, remove_special: bool = True) -> list[bytes]:
    """The bytes of each id when all are decoded. Every id must be in the vocabulary.

    An added token whose `normalized` is true decodes to its normalized spelling, which is in no original text; for it,
    the result has its spelling in the file.
    """
    decoder = tokenizer.decoder
    parts = decoder.run(ids, remove_special, True, silent)
    if isinstance(decoder, ChainDecoder) and decoder.strings:
        pieces = tokenizer.vocabulary.pieces
        parts = [pieces[id] if part and id in decoder.strings else part for id, part in zip(ids, parts, strict=True)]
    return parts


def tokens_on(
    tokenizer: Opened, ids: Sequence[int], text: str, parts: Sequence[bytes] | None = None
) -> Encoding | None:
    """Ids as tokens on the text they spell; None if they spell another text. parts: the bytes of each id.

    >>> import explorer
    >>> tokens_on(explorer.load("gpt-2"), [2061, 318], "What is").spans
    [(0, 4), (4, 7)]
    """
    parts = contents(tokenizer, ids) if parts is None else parts
    data = text.encode()
    if b"".join(parts) != data:
        return None
    tokens = laid_out(tokenizer, ids, parts, character_of_each_byte(data))
    return Encoding.of(tokens, tokenizer.vocabulary, tokenizer.decoder.alone)


def laid_out(tokenizer: Opened, ids: Sequence[int], parts: Sequence[bytes], of: Sequence[int]) -> tuple[Token, ...]:
    """Ids as tokens on a text. parts: the bytes of each id. of: for each byte of all parts, the index of its character.

    >>> import explorer
    >>> laid_out(explorer.load("llama-2"), [1, 1724], [b"", b"What"], range(4))
    (Token(id=1, start=-1, end=-1), Token(id=1724, start=0, end=4))
    """
    tokens, start = [], 0
    for id, part in zip(ids, parts, strict=True):
        end = start + len(part)
        if part:
            tokens.append(Token(id, of[start], of[end - 1] + 1))
        elif tokenizer.vocabulary.kinds[id] == PieceKind.CONTROL:
            tokens.append(Token(id, ADDED, ADDED))
        else:
            position = of[start] if start < len(of) else of[-1] + 1 if of else 0
            tokens.append(Token(id, position, position))
        start = end
    return tuple(tokens)


def other_text(text: str, tokens: Sequence[Token], parts: Sequence[bytes], expected: bytes, label: str) -> Say:
    """What the expected ids spell and the text lacks, as a clause.

    tokens, parts: the tokens of the text and the bytes that each decodes to. label: the tokenizer's name.

    >>> tokens, parts = [Token(0, 0, 2), Token(1, 2, 2), Token(2, 4, 6)], [b"ab", b" ", b"cd"]
    >>> from explorer.text.say import plain
    >>> plain(other_text("ab  CD", tokens, parts, b"ab ce", "x"))
    'at character 6 they have e (U+0065 LATIN SMALL LETTER E) where the text has D (U+0044 LATIN CAPITAL LETTER D)'
    >>> plain(other_text("ab  CD", tokens, parts, b"abcd", "x"))
    'before character 3 they have nothing where the ids of x spell a space (U+0020 SPACE)'
    """
    ours, spans = origins(text, tokens, parts)
    theirs = expected.decode("utf-8", "surrogateescape")
    front, back = common_ends(theirs, ours)
    has, lacks = theirs[front : len(theirs) - back], ours[front : len(ours) - back]
    span = covered(spans, front, len(ours) - back)
    original = text[span.start : span.end]
    if original != has:
        instead = Say.of("the text has {0:t}", named(original))
    else:
        instead = Say.of("the ids of {0:t} spell {1:t}", label, named(lacks))
    at = ("at " if original else "") + where(span, len(text))
    return Say.of("{0:t} they have {1:t} where {2}", at, named(has), instead)


def characters_of(data: bytes) -> list[int]:
    """For each byte the index of its character in the text, which has one U+FFFD for each run that is not UTF-8."""
    return [at for at, run in enumerate(decode_utf8(data)) for _ in range(run.length)]


def origins(text: str, tokens: Sequence[Token], parts: Sequence[bytes]) -> tuple[str, list[Span]]:
    """The text that tokens decode to, and for each of its characters the span of the original it comes from.

    Invalid bytes are lone surrogates, as Python decodes them.
    """
    spans: list[Span] = []
    before = 0
    for (_, start, end), part in zip(tokens, parts, strict=True):
        own = Span(start, end) if start >= 0 else Span(before, before)
        spans += of_bytes(part, own, text[own.start : own.end])
        before = own.end
    ours = b"".join(parts).decode("utf-8", "surrogateescape")
    made, at = [], 0
    for ch in ours:
        after = at + len(ch.encode("utf-8", "surrogateescape"))
        made.append(Span(min(each.start for each in spans[at:after]), max(each.end for each in spans[at:after])))
        at = after
    return ours, made


def of_bytes(part: bytes, span: Span, text: str) -> list[Span]:
    """For each byte that a token decodes to its span: the equal character, or else all characters that differ."""
    chars = part.decode("utf-8", "surrogateescape")
    front, back = common_ends([ch.casefold() for ch in chars], [ch.casefold() for ch in text])
    start, end = span
    between = Span(start + front, end - back)
    spans = [Span(start + at, start + at + 1) for at in range(front)]
    spans += [between] * (len(chars) - front - back)
    spans += [Span(end - at, end - at + 1) for at in range(back, 0, -1)]
    sizes = (len(ch.encode("utf-8", "surrogateescape")) for ch in chars)
    return [each for each, size in zip(spans, sizes, strict=True) for _ in range(size)]


def covered(spans: Sequence[Span], first: int, last: int) -> Span:
    """The span of the characters [first, last); if there are none, an empty span after the character before."""
    if first < last:
        return Span(min(each.start for each in spans[first:last]), max(each.end for each in spans[first:last]))
    at = spans[first - 1].end if first else 0
    return Span(at, at)


def named(text: str) -> str:
    """A few characters for a sentence, a single one with its name; invalid bytes as bytes.

    >>> named("é"), named("“hi”"), named("\\udcc3"), named("")
    ('é (U+00E9 LATIN SMALL LETTER E WITH ACUTE)', '““hi””', 'byte C3', 'nothing')
    """
    if not text:
        return "nothing"
    if not text.isprintable() and any("\udc80" <= ch <= "\udcff" for ch in text):
        return quoted(text.encode("utf-8", "surrogateescape"))
    if len(text) == 1:
        shown = points(text)
        return f"{shown} {name(text)}" if shown == label(text) else f"{shown} ({label(text)} {name(text)})"
    can_be_seen = unicodedata.normalize("NFC", text) == text and all(point(ch) == ch or ch == " " for ch in text)
    return quoted(text.encode()) if can_be_seen else points(text)


MOST: Final = 2_000
"""The most ids or bytes that are compared one by one."""

REACH: Final = 32
"""The number of ids after a difference in which the lists have to become equal again."""

AGAIN: Final = 8
"""The number of equal ids in a row that counts as equal again."""

BLOCK: Final = 256

Ids = Sequence[int]


class AlignedIds(NamedTuple):
    """A part of both lists: [a, b) of the one, [c, d) of the other. same: whether the ids are equal."""

    same: bool
    a: int
    b: int
    c: int
    d: int


def stretches(
    expected: Ids,
    given: Ids,
    ends: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0)),
    contents: Callable[[Ids], list[bytes]] = lambda ids: [str(id).encode() for id in ids],
) -> list[Stretch]:
    """Both lists as stretches, equal and different ones.

    ends: how many special tokens are before and after the text, for the expected and for the given ids. contents: gives
    the bytes of each id between them.

    >>> [(each.same, list(each.expected), list(each.given)) for each in stretches([1, 2, 3], [1, 3])]
    [(True, [0], [0]), (False, [1], []), (True, [2], [1])]
    """
    expected, given = list(expected), list(given)  # a tuple is never equal to a list
    (e, f), (g, h) = ends
    sections = (
        (Position.FRONT, (0, e), (0, g)),
        (Position.TEXT, (e, len(expected) - f), (g, len(given) - h)),
        (Position.BEHIND, (len(expected) - f, len(expected)), (len(given) - h, len(given))),
    )
    made: list[Stretch] = []
    for position, (a, b), (c, d) in sections:
        one, other = expected[a:b], given[c:d]
        parts = in_text(one, other, contents) if position == Position.TEXT else by_ids(one, other)
        made += [
            Stretch(part.same, range(a + part.a, a + part.b), range(c + part.c, c + part.d), position)
            for part in joined(parts)
        ]
    return made


def joined(parts: Iterator[AlignedIds]) -> list[AlignedIds]:
    """Adjacent equal parts as one part, without empty parts."""
    parts_joined: list[AlignedIds] = []
    for part in parts:
        if part.a == part.b and part.c == part.d:
            continue
        if parts_joined and part.same and parts_joined[-1].same:
            parts_joined[-1] = parts_joined[-1]._replace(b=part.b, d=part.d)
        else:
            parts_joined.append(part)
    return parts_joined


def in_text(one: Ids, other: Ids, contents: Callable[[Ids], list[bytes]]) -> Iterator[AlignedIds]:
    """The ids between the special tokens."""
    if one == other:
        yield AlignedIds(True, 0, len(one), 0, len(other))
        return
    left, right = contents(one), contents(other)
    if b"".join(left) == b"".join(right):
        yield from by_cuts(one, other, left, right, [(0, 0, sum(map(len, left)))])
        return
    for part in by_ids(one, other):
        if part.same:
            yield part
            continue
        _, a, b, c, d = part
        mine, theirs = left[a:b], right[c:d]
        blocks = by_bytes(b"".join(mine), b"".join(theirs))
        yield from (moved(each, a, c) for each in by_cuts(one[a:b], other[c:d], mine, theirs, blocks))


def moved(part: AlignedIds, a: int, c: int) -> AlignedIds:
    """A part relative to sublists that begin at a and c, in the whole lists."""
    return AlignedIds(part.same, a + part.a, a + part.b, c + part.c, c + part.d)


def by_bytes(one: bytes, other: bytes) -> list[tuple[int, int, int]]:
    """Equal blocks of two byte strings, as `difflib` gives them: start in each, and size."""
    front, back = common_ends(one, other)
    blocks = [(0, 0, front)]
    ends = len(one) - back, len(other) - back
    if max(ends) - front <= MOST:
        matcher = SequenceMatcher(None, one[front : ends[0]], other[front : ends[1]], autojunk=False)
        blocks += [(front + a, front + b, size) for a, b, size in matcher.get_matching_blocks()]
    return [block for block in (*blocks, (*ends, back)) if block[2]]


def by_cuts(
    one: Ids, other: Ids, left: Sequence[bytes], right: Sequence[bytes], blocks: Sequence[tuple[int, int, int]]
) -> Iterator[AlignedIds]:
    """Cut wherever a token ends on both sides within equal bytes."""
    # a token without bytes stays with the one after it: the first token at an offset counts
    first, second = offsets(left), offsets(right)
    cuts = [(0, 0)]
    for a, b, size in blocks:
        for at in range(bisect_left(first[0], a), len(first[0])):
            offset = first[0][at]
            if offset > a + size:
                break
            index = bisect_left(second[0], offset - a + b)
            if index < len(second[0]) and second[0][index] == offset - a + b:
                cut = first[1][at], second[1][index]
                if cut[0] >= cuts[-1][0] and cut[1] >= cuts[-1][1]:
                    cuts.append(cut)
    cuts.append((len(one), len(other)))
    for (a, c), (b, d) in pairwise(cuts):
        front, back = common_ends(one[a:b], other[c:d])
        yield AlignedIds(True, a, a + front, c, c + front)
        yield AlignedIds(False, a + front, b - back, c + front, d - back)
        yield AlignedIds(True, b - back, b, d - back, d)


def offsets(parts: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """The distinct byte offsets at which tokens begin, in order, and for each the index of the first token there.

    >>> offsets([b"ab", b"", b"c"])
    ([0, 2, 3], [0, 1, 3])
    """
    found: dict[int, int] = {}
    for index, offset in enumerate(accumulate(map(len, parts), initial=0)):
        found.setdefault(offset, index)
    return list(found), list(found.values())


def by_ids(one: Ids, other: Ids) -> Iterator[AlignedIds]:
    """Aligned at ids that both lists have in the same order."""
    front, back = common_ends(one, other)
    yield AlignedIds(True, 0, front, 0, front)
    b, d = len(one) - back, len(other) - back
    mine, theirs = one[front:b], other[front:d]
    if max(len(mine), len(theirs)) <= MOST:
        for what, i, j, k, m in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
            yield AlignedIds(what == "equal", front + i, front + j, front + k, front + m)
    else:
        yield from (moved(part, front, front) for part in by_rare_ids(mine, theirs))
    yield AlignedIds(True, b, len(one), d, len(other))


def by_rare_ids(one: Ids, other: Ids) -> Iterator[AlignedIds]:
    """Long lists, aligned between ids that each has once; without such ids, step by step."""
    anchors = in_order(one, other)
    if not anchors:
        yield from by_steps(one, other)
        return
    a = c = 0
    for i, k in (*anchors, (len(one), len(other))):
        yield from (moved(part, a, c) for part in by_ids(one[a:i], other[c:k]))
        if i < len(one):
            yield AlignedIds(True, i, i + 1, k, k + 1)
        a, c = i + 1, k + 1


def by_steps(one: Ids, other: Ids) -> Iterator[AlignedIds]:
    """Long lists, scanned from their start past one difference after the other.

    >>> [part[1:] for part in by_steps([1] * 9 + [5] + [1] * 9, [1] * 19) if not part.same]
    [(9, 10, 9, 10), (19, 19, 19, 19)]
    """
    a = c = 0
    while True:
        while count := common(one[a : a + BLOCK], other[c : c + BLOCK]):
            yield AlignedIds(True, a, a + count, c, c + count)
            a, c = a + count, c + count
        step = past(one[a : a + REACH + AGAIN], other[c : c + REACH + AGAIN])
        if step is None:
            break
        yield AlignedIds(False, a, a + step[0], c, c + step[1])
        a, c = a + step[0], c + step[1]
    yield AlignedIds(False, a, len(one), c, len(other))


def past(one: Ids, other: Ids) -> tuple[int, int] | None:
    """The smallest difference, in ids of each side, after which the lists are equal again; None if not nearby.

    >>> past([5, *range(9)], [6, *range(9)]), past([5, *range(9)], list(range(9))), past([5, 6], [7, 8])
    ((1, 1), (1, 0), None)
    """
    for most in range(1, REACH + 1):
        pairs = [(most, most), *((least, most) for least in range(most)), *((most, least) for least in range(most))]
        for i, k in pairs:
            again = one[i : i + AGAIN]
            if len(again) == AGAIN and again == other[k : k + AGAIN]:
                return i, k
    return None


def in_order(one: Ids, other: Ids) -> list[tuple[int, int]]:
    """The indices of ids that occur once in each list, as many as are in the same order in both.

    >>> in_order([5, 6, 7, 6], [7, 5, 8])
    [(2, 0)]
    """
    times, others = Counter(one), Counter(other)
    index_in_other = {id: index for index, id in enumerate(other)}
    pairs = [(index, index_in_other[id]) for index, id in enumerate(one) if times[id] == 1 == others[id]]
    # the longest increasing subsequence of the second indices, by patience sorting
    lasts, chains = list[int](), list[Any]()
    """by length, the smallest last index of a subsequence, and its pairs from the last one: a pair and those before"""
    for pair in pairs:
        at = bisect_left(lasts, pair[1])
        lasts[at : at + 1] = [pair[1]]
        chains[at : at + 1] = [(pair, chains[at - 1] if at else None)]
    longest, chain = list[tuple[int, int]](), chains[-1] if chains else None
    while chain:
        pair, chain = chain
        longest.append(pair)
    return longest[::-1]
