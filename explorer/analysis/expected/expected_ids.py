"""Expected ids beside those that a tokenizer gives for a text: what both spell, how they align, and sentences about it.

To find where ids spell another text, both lists are decoded and compared. The given ids don't decode to the text
itself: spaces are inserted or dropped, letters are lowercased, characters are unknown. So the position is mapped back
through the spans of the given tokens, and the sentence quotes the original text.

To align two lists, tokens before and after the text are aligned first. Between them, lists that spell the same bytes
are cut wherever a token ends on both sides. Lists that spell different bytes are anchored at ids that both have
(`difflib`), and between two anchors they are cut where tokens end on both sides within bytes that both spell. Longer
gaps are anchored at ids that occur once in each list. A gap without such an id is scanned from its start, past each
difference to the nearest position where the lists are equal again; if there is none nearby, the rest is one stretch.

To draw expected ids above the tokenizer's own, they are put on the characters of the text. What gives the ids knows
their spans. Without it, ids that spell the text lie where they spell it. Otherwise an id that both lists have lies
where the tokenizer's own does, and those that differ share the characters of their stretch in proportion to what they
spell. Special tokens have no characters.
"""

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from explorer.analysis import what_if
from explorer.analysis.divergence.changes import point, points
from explorer.analysis.divergence.result import where
from explorer.analysis.ownership import Span, common, common_ends
from explorer.engine.decoders.huggingface import ChainDecoder
from explorer.engine.part import ADDED, Options, TextTokens, Token, silent
from explorer.engine.tokenizer import Encoding
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Spelling, spelling_of
from explorer.text import decode_utf8, label, name
from explorer.text.input import character_of_each_byte
from explorer.text.say import Say, Text, plain, quoted, shortened, worded
from explorer.vocabulary import PieceKind


class Reason(StrEnum):
    """Why the expected ids differ from the tokenizer's."""

    SAME = "same ids"
    MISSING_SPECIAL = "missing special token"
    EXTRA_SPECIAL = "extra special token"
    OTHER_SPECIAL = "other special token"
    DOUBLED = "special token twice"
    OPTIONS = "other options"
    NORMALIZED = "added token searched in the normalized text"
    ESCAPES = "escapes"
    LEADING_SPACE = "leading space"
    WHITE_SPACE = "white space at an end"
    PATTERN = "another pattern"
    PARTS = "encoded in parts"
    IMPLEMENTATION = "another implementation"
    OTHER_TOKENIZER = "another tokenizer"
    OUT_OF_RANGE = "no id of this vocabulary"
    TEXT = "another text"
    CUTS = "other cuts"


class Position(StrEnum):
    """Where a stretch of ids is: among the special tokens before or after the text, or in the text."""

    FRONT = "in front"
    TEXT = "in the text"
    BEHIND = "behind"


class Stretch(NamedTuple):
    """Expected ids aligned with given ids, as ranges of indices. same: whether they are equal."""

    same: bool
    expected: range
    given: range
    position: Position


class Region(NamedTuple):
    """A stretch that differs.

    span: its characters of the text, None for special tokens at an end. where, text: the span in words, and its text.
    expected, given: the ids of both sides with their spellings. name: of the tokenizer.
    """

    stretch: Stretch
    span: Span | None
    where: str
    text: str
    expected: str
    given: str
    name: str

    @property
    def say(self) -> Say:
        """The region in one sentence."""
        at = Say("{0:t}, {1:q}" if self.text else "{0:t}", self.where, self.text)
        return Say("{0}: expected {1:t}; {2:t} gives {3:t}.", at, self.expected, self.name, self.given)

    @property
    def sentence(self) -> str:
        """The same as plain text."""
        return plain(self.say)


class Tried(NamedTuple):
    """What was tried: how many tokenizers, and how many ways to run the one in question (options, texts, settings)."""

    tokenizers: int = 0
    ways: int = 0


NOTHING_TRIED = Tried()


class Encoded(NamedTuple):
    """A call of a tokenizer: a text and options."""

    tokenizer: Opened
    text: str
    options: Options

    def ids(self) -> list[int]:
        """The ids that the call gives."""
        return self.tokenizer.encode(self.text, **self.options._asdict()).ids


class Recipe(NamedTuple):
    """What reproduces the expected ids: texts are encoded, their ids joined, and the tokens at the ends replaced.

    drop: the number of ids removed at the start and the end. front, back: the ids that replace them.
    """

    encoded: tuple[Encoded, ...]
    drop: tuple[int, int] = (0, 0)
    front: tuple[int, ...] = ()
    back: tuple[int, ...] = ()

    def ids(self) -> list[int]:
        """The ids that the recipe gives."""
        made = [id for each in self.encoded for id in each.ids()]
        return [*self.front, *made[self.drop[0] : len(made) - self.drop[1]], *self.back]


class Explanation(NamedTuple):
    """The explanation of expected ids.

    given: the tokenizer's tokens for `text`. decoded: the text that the expected ids spell, None if one is not in the
    vocabulary. encoding: the expected ids as tokens on `text`, None if they don't spell exactly this text. stretches:
    both lists of ids aligned, in order. regions: the stretches that differ, special tokens at the ends first. recipe:
    what gives exactly the expected ids; None if nothing tried does, or if only special tokens within the text differ.
    specs: the tokenizers that give them, the first one with `options` for the text `read`. cuts: the offsets at which
    the text was split, if it was encoded in parts. pattern: the one that gives them when typed in place of
    the tokenizer's own, None if none does. words: that pattern as people call it. tried: what was
    tried up to the explanation.
    """

    text: str
    expected: tuple[int, ...]
    given: Encoding
    decoded: str | None
    encoding: Encoding | None
    stretches: tuple[Stretch, ...]
    regions: tuple[Region, ...]
    reason: Reason
    say: Say
    recipe: Recipe | None = None
    specs: tuple[str, ...] = ()
    options: Options | None = None
    read: str | None = None
    cuts: tuple[int, ...] = ()
    pattern: str | None = None
    words: str = ""
    tried: Tried = NOTHING_TRIED

    @property
    def sentence(self) -> str:
        """The explanation as plain text."""
        return plain(self.say)

    @property
    def same(self) -> bool:
        """Whether the expected ids are the tokenizer's."""
        return not self.regions

    @property
    def at(self) -> int | None:
        """The index of the first id that differs, from 0; None if they are the same."""
        return next((stretch.expected.start for stretch in self.stretches if not stretch.same), None)


class Answer(NamedTuple):
    """A complete explanation.

    says: a clause that follows "The expected ids" or "they". recipe: what gives the expected ids; None if only the
    regions tell. specs: the tokenizers that give the ids, if there are any. pattern, words: as in `Explanation`.
    """

    reason: Reason
    says: Say
    recipe: Recipe | None = None
    specs: tuple[str, ...] = ()
    cuts: tuple[int, ...] = ()
    pattern: str | None = None
    words: str = ""


class Placed(NamedTuple):
    """Expected ids on the text. tokenizer: whose ids they are, another one if only that gives them."""

    tokenizer: Opened
    tokens: TextTokens


def placed(explanation: Explanation, tokenizer: Opened) -> Placed:
    """The expected ids as tokens on the text. tokenizer: the one in question.

    >>> import explorer
    >>> from explorer.analysis.expected.explainer import explain
    >>> tok = explorer.load("gpt-2")
    >>> [token[1:] for token in placed(explain(tok, "What is", [2061, 4808, 79]), tok).tokens]
    [(0, 4), (4, 6), (6, 7)]
    """
    of_recipe = by_recipe(explanation)
    if of_recipe is not None:
        return of_recipe
    if explanation.encoding is not None:
        return Placed(tokenizer, explanation.encoding.tokens)
    tokens = [Token(0, 0, 0)] * len(explanation.expected)
    for stretch in explanation.stretches:
        for index, token in zip(stretch.expected, by_stretch(explanation, stretch, tokenizer), strict=True):
            tokens[index] = token
    return Placed(tokenizer, tuple(tokens))


def by_recipe(explanation: Explanation) -> Placed | None:
    """The tokens that the recipe gives, if its texts are the text."""
    recipe = explanation.recipe
    if recipe is None or "".join(each.text for each in recipe.encoded) != explanation.text:
        return None
    made: list[Token] = []
    at = 0
    for each in recipe.encoded:
        tokens = each.tokenizer.encode(each.text, **each.options._asdict()).tokens
        made += (token if token.start < 0 else Token(token.id, token.start + at, token.end + at) for token in tokens)
        at += len(each.text)
    ends = [[Token(id, ADDED, ADDED) for id in ids] for ids in (recipe.front, recipe.back)]
    tokens = (*ends[0], *made[recipe.drop[0] : len(made) - recipe.drop[1]], *ends[1])
    return Placed(recipe.encoded[0].tokenizer, tokens)


def by_stretch(explanation: Explanation, stretch: Stretch, tokenizer: Opened) -> Iterator[Token]:
    """The expected tokens of a stretch."""
    ids = [explanation.expected[index] for index in stretch.expected]
    given = [explanation.given.tokens[index] for index in stretch.given]
    if stretch.same:
        yield from (Token(id, token.start, token.end) for id, token in zip(ids, given, strict=True))
        return
    if stretch.position != Position.TEXT:
        yield from (Token(id, ADDED, ADDED) for id in ids)
        return
    span = next((region.span for region in explanation.regions if region.stretch == stretch), None) or Span(0, 0)
    vocabulary = tokenizer.vocabulary
    special = [vocabulary.has(id) and vocabulary.kinds[id] == PieceKind.CONTROL for id in ids]
    lengths = [0 if added else length_of(tokenizer, id) for id, added in zip(ids, special, strict=True)]
    spans = iter(shares(span, [length for length in lengths if length]))
    for id, added in zip(ids, special, strict=True):
        yield Token(id, ADDED, ADDED) if added else Token(id, *next(spans))


def length_of(tokenizer: Opened, id: int) -> int:
    """How many characters an id spells, at least 1."""
    if not tokenizer.vocabulary.has(id):
        return 1
    return max(1, len(tokenizer.decoder.alone(id).decode("utf-8", "replace")))


def shares(span: Span, lengths: Sequence[int]) -> Iterator[Span]:
    """The spans of things that share the characters of one. They overlap where there are fewer characters than things.

    >>> [tuple(each) for each in shares(Span(2, 6), [1, 3])], [tuple(each) for each in shares(Span(0, 1), [1, 1])]
    ([(2, 3), (3, 6)], [(0, 1), (0, 1)])
    """
    start, end = span
    size, total, many = end - start, sum(lengths), len(lengths)
    at = 0
    for number, sum_ in enumerate(accumulate(lengths)):
        if size >= many:
            # each has at least one character
            to = max(at + 1, min((2 * size * sum_ + total) // (2 * total), size - (many - 1 - number)))
            yield Span(start + at, start + to)
            at = to
        else:
            yield Span(start + size * number // many, start - (-size * (number + 1) // many))


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


def laid_out(tokenizer: Opened, ids: Sequence[int], parts: Sequence[bytes], of: Sequence[int]) -> TextTokens:
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
        instead = Say("the text has {0:t}", named(original))
    else:
        instead = Say("the ids of {0:t} spell {1:t}", label, named(lacks))
    at = where(span, len(text))
    has_instead = "at {0:t} they have {1:t} where {2}" if original else "{0:t} they have {1:t} where {2}"
    return Say(has_instead, at, named(has), instead)


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


MOST = 2_000
"""The most ids or bytes that are compared one by one."""

REACH = 32
"""The number of ids after a difference in which the lists have to become equal again."""

AGAIN = 8
"""The number of equal ids in a row that counts as equal again."""

BLOCK = 256

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


LISTED = 6
"""The most ids that a sentence lists."""


class ExpectedIds:
    """Expected ids beside the ids that a tokenizer gives.

    given: the tokenizer's tokens. stretches: both lists of ids, aligned. out_of_range: the index of the first expected
    id that is not in the vocabulary.
    """

    def __init__(
        self, tokenizer: Opened, text: str, expected: tuple[int, ...], options: Options, given: Encoding | None = None
    ) -> None:
        self.tokenizer, self.text, self.expected, self.options = tokenizer, text, expected, options
        self.name, self.vocabulary = tokenizer.name, tokenizer.vocabulary
        self.given = tokenizer.encode(text, **options._asdict()) if given is None else given
        self.out_of_range = next((index for index, id in enumerate(expected) if not self.vocabulary.has(id)), None)
        self.said: dict[tuple[int, ...], list[bytes]] = {}
        self.stretches = stretches(
            expected,
            self.given.ids,
            (self.expected_around(), run_of([token.start < 0 for token in self.given.tokens])),
            self.contents,
        )

    # --- tokens around the text ---------------------------------------------------------------------------------------

    def expected_around(self) -> tuple[int, int]:
        """How many special tokens the expected ids have at the start and the end, except those that the text spells."""
        added = {token.id for token in self.given.tokens if token.start < 0}
        front, back = run_of([self.is_special(id) or id in added for id in self.expected])
        spelled, written = (
            [self.vocabulary.pieces[id].decode("utf-8", "replace") for id in ids]
            for ids in (self.expected[:front], self.expected[len(self.expected) - back :])
        )
        while spelled and not self.text.lstrip().startswith("".join(spelled)):
            del spelled[0]
        while written and not self.text.rstrip().endswith("".join(written)):
            del written[-1]
        return front - len(spelled), back - len(written)

    # --- special tokens that differ, in words -------------------------------------------------------------------------

    def special_words(self) -> tuple[Reason, Say] | None:
        """If only special tokens differ: which are missing or extra, and where."""
        differ = [each for each in self.stretches if not each.same]
        ids = [id for each in differ for side in self.sides(each) for id in side]
        return self.stretch_words(differ) if differ and all(map(self.is_special, ids)) else None

    def stretch_words(self, differ: Sequence[Stretch]) -> tuple[Reason, Say]:
        """Stretches of special tokens that differ, in words; the reason is that of the first."""
        found = [self.one_stretch(each) for each in differ]
        reason, says = found[0]
        for before, (_, more) in pairwise(found):
            # a relative clause about one token ends before the next token
            ended = before[0] in (Reason.EXTRA_SPECIAL, Reason.OTHER_SPECIAL)
            says = Say("{0}, and {1}" if ended else "{0} and {1}", says, more)
        return reason, says

    def one_stretch(self, stretch: Stretch) -> tuple[Reason, Say]:
        """A stretch of special tokens that differs, in words, and the reason."""
        expected, given = self.sides(stretch)
        at = worded(END_WORDS.get(stretch.position) or Text("at id number {0:i}", stretch.expected.start + 1))
        if not expected:
            start, stop = stretch.given.start, stretch.given.stop
            neighbors = self.given.ids[max(start - 1, 0) : start] + self.given.ids[stop : stop + 1]
            if len(given) == 1 and given[0] in neighbors and stretch.position != Position.TEXT:
                once = Say("have {0:t} once {1:t}, where {2:t} gives it twice", self.listed(given), at, self.name)
                return Reason.DOUBLED, once
            return Reason.MISSING_SPECIAL, Say("lack {0:t} {1:t}", self.listed(given), at)
        if given:
            both = self.listed(expected), self.listed(given)
            return Reason.OTHER_SPECIAL, Say("have {0:t} {2:t}, where {3:t} gives {1:t}", *both, at, self.name)
        times = self.times(stretch)
        if times > 1 and stretch.position != Position.TEXT:
            often = Text("twice") if times == 2 else Text("{0} times", times)
            return Reason.DOUBLED, Say("have {0:t} {1:t} {2:t}", self.listed(expected[:1]), often, at)
        extra = Say("have {0:t} {1:t}, which {2:t} does not give", self.listed(expected), at, self.name)
        return Reason.EXTRA_SPECIAL, extra

    def times(self, stretch: Stretch) -> int:
        """How often the expected ids repeat the token of a stretch; 0 if it has several tokens."""
        ids, (start, stop) = self.expected, (stretch.expected.start, stretch.expected.stop)
        if len(set(ids[start:stop])) != 1:
            return 0
        while start and ids[start - 1] == ids[start]:
            start -= 1
        while stop < len(ids) and ids[stop] == ids[start]:
            stop += 1
        return stop - start

    @cached_property
    def between(self) -> list[Stretch]:
        """The stretches of the text itself."""
        return [each for each in self.stretches if each.position == Position.TEXT]

    @cached_property
    def ends(self) -> list[Stretch]:
        """The stretches at the start and the end whose special tokens differ."""
        return [each for each in self.stretches if not each.same and each.position != Position.TEXT]

    # --- every region -------------------------------------------------------------------------------------------------

    def regions(self) -> Iterator[Region]:
        """The regions that differ, the special tokens at the ends first."""
        for stretch in (*self.ends, *(each for each in self.between if not each.same)):
            span, at, shown = None, REGION_WORDS.get(stretch.position, ""), ""
            if stretch.position == Position.TEXT:
                span = self.span(stretch)
                at, shown = where(span, len(self.text)).capitalize(), shortened(self.text[slice(*span)])
            one, other = map(self.listed, self.sides(stretch))
            yield Region(stretch, span, at, shown, one, other, self.name)

    def span(self, stretch: Stretch) -> Span:
        """The span of the text that the given ids of a stretch cover."""
        tokens = self.given.tokens
        of_text = [token for token in tokens[stretch.given.start : stretch.given.stop] if token.start >= 0]
        if of_text:
            return Span(min(token.start for token in of_text), max(token.end for token in of_text))
        at = next((token.end for token in reversed(tokens[: stretch.given.start]) if token.start >= 0), 0)
        return Span(at, at)

    # --- without an explanation ---------------------------------------------------------------------------------------

    def unexplained(self) -> tuple[Reason, Say]:
        """The reason and the sentence for ids that no attempt gives."""
        if self.out_of_range is not None:
            id = self.expected[self.out_of_range]
            what = self.vocabulary.lacks(id, Text("the vocabulary of {0:t}", self.name))
            template = "Id number {0}, {1:i}, {2:t}, and no bundled tokenizer gives these ids for this text."
            return Reason.OUT_OF_RANGE, Say(template, self.out_of_range + 1, id, what)
        if not self.expected:
            count = len(self.given.ids)
            say = Say("The list of expected ids is empty; {0:t} gives {1} for this text.", self.name, count)
            return Reason.TEXT, say
        them = Say("The expected ids")
        if self.ends:
            them = Say("{0} {1}. Otherwise they", them, self.stretch_words(self.ends)[1])
        between = self.between
        differ = [each for each in between if not each.same]
        expected = [id for each in between for id in self.sides(each)[0]]
        note = what_if.note(self.tokenizer, {id for each in differ for side in self.sides(each) for id in side})
        tokens = self.given.tokens[between[0].given.start : between[-1].given.stop]
        theirs, ours = b"".join(self.contents(expected)), self.contents([token.id for token in tokens])
        if b"".join(ours) != theirs:
            differs = other_text(self.text, tokens, ours, theirs, self.name)
            spelled = shortened(theirs.decode("utf-8", "replace"))
            reason, say = Reason.TEXT, Say("{0} spell another text, {1:q}: {2}.", them, spelled, differs)
        else:
            first = differ[0]
            one, other = map(self.listed, self.sides(first))
            reason, index = Reason.CUTS, first.expected.start + 1
            split = Say("{0} spell the same text but cut it differently at id number {1:i}", them, index)
            if len(differ) > 1:
                regions = "{0} spell the same text but cut it differently in {1} regions, first at id number {2:i}"
                split = Say(regions, them, len(differ), index)
            say = Say("{0}: expected {1:t}, {2:t} gives {3:t}.", split, one, self.name, other)
        return reason, say if note is None else say.then(note)

    # --- helpers ------------------------------------------------------------------------------------------------------

    def sides(self, stretch: Stretch) -> tuple[list[int], list[int]]:
        """The expected and the given ids of a stretch."""
        given = self.given.ids
        return [self.expected[index] for index in stretch.expected], [given[index] for index in stretch.given]

    def listed(self, ids: Sequence[int]) -> str:
        """Ids with their spellings for a sentence."""
        shown = ", ".join(f"{self.quoted(id)} ({id})" for id in ids[:LISTED])
        return (shown or "nothing") + (f" and {len(ids) - LISTED} more" if len(ids) > LISTED else "")

    def quoted(self, id: int) -> str:
        """A token's content for a sentence."""
        if self.vocabulary.has(id):
            return self.spelling.quoted(id)
        return Text("no token" if 0 <= id < len(self.vocabulary) else "no such id")

    def is_special(self, id: int) -> bool:
        """Whether an id is that of a control token."""
        return self.vocabulary.has(id) and self.vocabulary.kinds[id] == PieceKind.CONTROL

    def contents(self, ids: Sequence[int]) -> list[bytes]:
        """The bytes of each id between the special tokens; empty for one that is not in the vocabulary."""
        key = tuple(ids)
        if key not in self.said:
            if all(self.vocabulary.has(id) for id in ids):
                self.said[key] = contents(self.tokenizer, ids, remove_special=False)
            else:
                self.said[key] = [self.spelling.content(id) if self.vocabulary.has(id) else b"" for id in ids]
        return self.said[key]

    @cached_property
    def decoded(self) -> str | None:
        """The text that the expected ids spell; None if one is not in the vocabulary."""
        if self.out_of_range is not None:
            return None
        return b"".join(self.parts_decoded).decode("utf-8", "replace")

    @cached_property
    def parts_decoded(self) -> list[bytes]:
        """The bytes of each expected id when all are decoded. All must be in the vocabulary."""
        has_ends = any(each.position != Position.TEXT for each in self.stretches)
        return contents(self.tokenizer, self.expected) if has_ends else self.contents(self.expected)

    @cached_property
    def spelling(self) -> Spelling:
        """How the vocabulary spells."""
        return spelling_of(self.tokenizer)

    @cached_property
    def spells_the_same(self) -> bool:
        """Whether the expected ids of the text spell what the tokenizer's own do."""
        if self.out_of_range is not None:
            return False
        theirs, ours = (self.contents([id for each in self.between for id in self.sides(each)[n]]) for n in (0, 1))
        return b"".join(theirs) == b"".join(ours)

    @cached_property
    def is_near(self) -> bool:
        """Whether most ids are the same, or most of what they spell is the text, apart from white space."""
        if self.out_of_range is not None:
            return False
        same = sum(len(each.expected) for each in self.stretches if each.same and each.position == Position.TEXT)
        if 2 * same >= max(len(self.expected), len(self.given)) > 0:
            return True
        theirs, ours = (
            b"".join(b"".join(self.contents([id for id in ids if not self.is_special(id)])).split())
            for ids in (self.expected, self.given.ids)
        )
        front, back = common_ends(theirs, ours)
        return 2 * (front + back) >= max(len(theirs), len(ours))


END_WORDS = {Position.FRONT: "at the start", Position.BEHIND: "at the end"}
"""A position of special tokens, in a sentence."""

REGION_WORDS = {Position.FRONT: "Before the text", Position.BEHIND: "After the text"}
"""A position of special tokens, at the beginning of a sentence."""


def run_of(flags: Sequence[bool]) -> tuple[int, int]:
    """The number of leading True values, and of trailing ones among the rest.

    >>> run_of([True, False, True, True]), run_of([True, True])
    ((1, 2), (2, 0))
    """
    front = next((index for index, each in enumerate(flags) if not each), len(flags))
    return front, next((index for index, each in enumerate(reversed(flags[front:])) if not each), len(flags) - front)
