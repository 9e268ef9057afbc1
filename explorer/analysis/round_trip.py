"""What of a text does not come back when its ids are decoded, and which stage lost it.

Found from the items of the stages alone, whatever the model. Every item knows which characters of the text it stands
for, so after each stage the text can be read back as the decoder would read it; a character that is not found in its
place any more was lost there. A change that the decoder takes back, such as ▁ for a space, is no loss: the decoder
itself is asked what it makes of a piece that is that one character.

Only characters of the text count. What was put in and came out again is no loss; what is in the decoded text and was
not in the original is counted apart, with the stage that put it there.

Where two characters could be the one that came back (one of two spaces), the earlier one counts as there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token
from explorer.engine.part import Decoder
from explorer.engine.tokenizer import DecodeTrace, Trace
from explorer.engine.trace import silent
from explorer.vocabulary import PieceKind, Vocabulary

DECODE = "decode"
"""What stands for the stage where decoding is what lost it."""

MODEL = "model"
"""The stage that makes tokens of what is left of the text. How it spells them is taken back by decoding, so what there
is more from here on is put down to decoding."""


class Lost(NamedTuple):
    """A character of the text that does not come back.

    at: which, from 0. stage: the name of the stage that lost it, or `DECODE`. start, end: the characters of the text
    that it was treated with. became: what they became together; empty where nothing is left.
    """

    at: int
    stage: str
    start: int
    end: int
    became: str


class Added(NamedTuple):
    """Characters that came into the decoded text: how many, which is the first and before which one of the text."""

    stage: str
    size: int
    at: int
    first: str


class Losses(NamedTuple):
    """Both, in order of the text and of the stages; both empty where the text comes back as it was."""

    lost: tuple[Lost, ...]
    added: tuple[Added, ...]


def losses(trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary) -> Losses:
    """What happened to the text of `trace` on its way there and back.

    >>> import explorer
    >>> tok = explorer.load("bert-uncased")
    >>> trace = tok.trace("W 😊")
    >>> losses(trace, tok.trace_decode(trace.ids), tok.vocabulary).lost
    (Lost(at=0, stage='normalize', start=0, end=1, became='w'), \
Lost(at=2, stage='model', start=2, end=3, became='[UNK]'))
    """
    text = trace.text
    if decoded.text == text:
        return Losses((), ())
    read = reader(decoded.decoder, vocabulary)
    back = bytearray(len(text))
    """of each character, whether it comes back"""
    end: list[tuple[int, str]] = []
    """what is there at the end and was not in the text: before which character, and which"""
    lost: dict[int, Lost] = {}
    for group in in_step(groups(decoded_units(trace, decoded, vocabulary), len(text)), text):
        found = group.found(text)
        back[group.start : group.end] = found.there
        if 0 not in found.there:
            end += [(group.start + at, readable(ch)) for at, ch in found.more]
        else:
            lost |= {each.at: each for each in group.lost(found, DECODE)}
    blamed: set[int] = set()
    grown: list[tuple[str, int]] = []
    """per stage up to the model how many more characters there are behind it than were before it"""
    more, counted = 0, True
    for stage in trace.stages:
        if stage.after == stage.before:
            continue
        now = 0
        for group in in_step(groups(units(stage.after, text, back, vocabulary, read), len(text)), text):
            whole = back.find(0, group.start, group.end) < 0
            if (whole and not end) or group.same(text):
                continue
            found = group.found(text)
            if whole:
                now += len(found.more)
                continue
            for each in group.lost(found, stage.name):
                if not back[each.at] and each.at not in blamed:
                    blamed.add(each.at)
                    lost[each.at] = each
        counted = counted and stage.name != MODEL
        if counted:
            grown.append((stage.name, now - more))
            more = now
    grown.append((DECODE, len(end) - more))
    return Losses(tuple(together(lost, text)), tuple(put_in(grown, end)))


def together(lost: Mapping[int, Lost], text: str) -> Iterator[Lost]:
    """What became one sign with the characters behind it, as e and an accent became é, is told of all of them.

    Where the alignment puts the one sign down to the first of them, the others look as if they were dropped.

    >>> found = {0: Lost(0, "normalize", 0, 1, "é"), 1: Lost(1, "normalize", 1, 2, "")}
    >>> [each.became for each in together(found, "e\\u0301")]
    ['é', 'é']
    """
    told: dict[int, Lost] = {}
    for at, each in lost.items():
        if at in told:
            continue
        told[at] = each
        stop = each.end
        while each.became and (after := lost.get(stop)) and after[1:] == (each.stage, stop, stop + 1, ""):
            stop += 1
        same = [end for end in range(stop, each.end, -1) if same_to_a_reader(text[each.start : end], each.became)]
        for place in range(at, same[0] if same else at):
            told[place] = Lost(place, each.stage, each.start, same[0], each.became)
    yield from told.values()


def same_to_a_reader(one: str, other: str) -> bool:
    return unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)


def put_in(grown: Sequence[tuple[str, int]], end: Sequence[tuple[int, str]]) -> list[Added]:
    """Which stages put in what is there at the end. What a later stage took away, the last one before it had put in.

    >>> put_in([("normalize", 4), ("pre-tokenize", -4), ("decode", 1)], [(1, " ")])
    [Added(stage='decode', size=1, at=1, first=' ')]
    """
    found: list[Added] = []
    left, taken = len(end), 0
    for stage, count in reversed(grown):
        if count < 0:
            taken -= count
            continue
        cancelled = min(taken, count)
        taken -= cancelled
        kept = min(count - cancelled, left)
        if kept:
            left -= kept
            found.append(Added(stage, kept, *end[left]))
    return found[::-1]


# --- what a stage leaves, read back -----------------------------------------------------------------------------------


class Unit(NamedTuple):
    """A stretch [start, end) of the text and what stands for it.

    plain: as it is. read: as the decoder reads it. unknown: instead of `plain`, the spelling of a token that says
    nothing of the text.
    """

    start: int
    end: int
    plain: str
    read: bytes
    unknown: str = ""


class Found(NamedTuple):
    """there: of each character of a stretch, 1 where it is still found. more: what is there besides, and before which
    of them."""

    there: bytes
    more: tuple[tuple[int, str], ...]


class Group(NamedTuple):
    """Units that share characters of the text, and the characters in front of them that no unit stands for."""

    start: int
    end: int
    units: list[Unit]

    def same(self, text: str) -> bool:
        """Whether it is the text unchanged."""
        return len(self.units) == 1 and self.units[0].plain == text[self.start : self.end]

    def found(self, text: str) -> Found:
        """What of the text is found: in it as it is or as it is read, whichever holds more of it."""
        source = text[self.start : self.end]
        # bytes that are no UTF-8 become halves of surrogate pairs, which are equal to nothing in a text
        data = b"".join([unit.read for unit in self.units]).decode("utf-8", "surrogateescape")
        read = matched(source, data)
        if 0 not in read.there:
            return read
        plain = matched(source, "".join([unit.plain for unit in self.units]))
        return plain if sum(plain.there) > sum(read.there) else read

    def lost(self, found: Found, stage: str) -> Iterator[Lost]:
        """The characters that are not found any more."""
        more = readable("".join(ch for _, ch in found.more))
        all_of_it = Stretch.of(self.units) if len(self.units) > TOGETHER else None
        for at, there in enumerate(found.there, self.start):
            if there:
                continue
            over = all_of_it or Stretch.of(unit for unit in self.units if unit.start <= at < unit.end)
            if over.became and more:
                yield Lost(at, stage, *over)
            else:
                yield Lost(at, stage, at, at + 1, more if over.start < over.end else "")


TOGETHER = 64
"""A group of more units than this, such as a letter under very many marks, is taken as one: nobody could tell more."""


class Stretch(NamedTuple):
    """Characters [start, end) and what they became together; none of them: start == end."""

    start: int
    end: int
    became: str

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Stretch:
        over = [unit for unit in units if unit.start < unit.end]
        became = "".join(unit.unknown or unit.plain for unit in over)
        return cls(min((unit.start for unit in over), default=0), max((unit.end for unit in over), default=0), became)


def readable(text: str) -> str:
    """Text in which bytes of no text were kept as halves of surrogate pairs."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def groups(units: Iterable[Unit], length: int) -> Iterator[Group]:
    """All of the text, cut where no unit reaches over.

    >>> [group[:2] for group in groups([Unit(0, 1, "a", b"a"), Unit(2, 3, "b", b"b"), Unit(2, 4, "c", b"c")], 5)]
    [(0, 1), (1, 4), (4, 5)]
    """
    start = end = 0
    held: list[Unit] = []
    loose: list[Unit] = []
    """units that stand for nothing of the text: they go with what is behind them"""
    for unit in units:
        if unit.start == unit.end:
            loose.append(unit)
            continue
        if held and unit.start >= end:
            yield Group(start, end, held)
            start, held = end, []
        held += [*loose, unit]
        loose = []
        end = max(end, unit.end)
    if held:
        yield Group(start, end, held)
    if loose or end < length:
        yield Group(end, length, loose)


def in_step(groups: Iterable[Group], text: str) -> Iterator[Group]:
    """The groups, two joined where more of the text is found in both together than in each.

    Hugging Face counts characters that its model leaves out for nothing, so that all spans behind them lie too early.
    """
    held: Group | None = None
    for group in groups:
        if held is not None:
            begin = next((unit.start for unit in group.units if unit.start < unit.end), group.end)
            # white space is found everywhere, and says nothing
            gap = text[group.start : begin].strip()
            if gap and any(ch in gap for _, ch in held.found(text).more):
                both = Group(held.start, group.end, held.units + group.units)
                if sum(both.found(text).there) > sum(held.found(text).there) + sum(group.found(text).there):
                    held = both
                    continue
            yield held
        held = group
    if held is not None:
        yield held


Read = Callable[[str], bytes]
"""What the decoder makes of a piece that is one character."""


def reader(decoder: Decoder, vocabulary: Vocabulary) -> Read:
    """Asks the decoder. A character that is no piece, or that is in what it gives, is read as it is."""
    normal = int(PieceKind.NORMAL)
    words = (id for id, piece in enumerate(vocabulary.pieces) if vocabulary.kinds[id] == normal and piece.isalnum())
    beside = list(islice(words, 2))

    @cache
    def read(ch: str) -> bytes:
        data = ch.encode()
        id = vocabulary.ids.get(data)
        if id is None or vocabulary.kinds[id] != normal:
            return data
        # between two words, where nothing is special about it
        word = next((word for word in beside if word != id), id)
        part = decoder.run([word, id, word], False, True, silent)[1]
        return data if data in part else part

    return read


def units(items: Items, text: str, back: bytearray, vocabulary: Vocabulary, read: Read) -> Iterator[Unit]:
    """The items of a stage, a unit for each token, stretch or character; what was added around the text is left out."""
    for item in items:
        if isinstance(item, Token):
            if item.start >= 0:
                yield token_unit(item, text, vocabulary, spelled_by(vocabulary, item.id, read))
        else:
            yield from segment_units(item, text, back, read)


def segment_units(segment: Segment, text: str, back: bytearray, read: Read) -> Iterator[Unit]:
    """Each run of characters that are those of the text and come back, and each other character alone."""
    begin = stop = -1
    """the run so far"""
    for ch, start, end in zip(*segment, strict=True):
        same = end == start + 1 and ch == text[start] and back[start] == 1
        if same and start == stop:
            stop = end
            continue
        if begin < stop:
            yield Unit(begin, stop, text[begin:stop], text[begin:stop].encode())
        begin, stop = (start, end) if same else (-1, -1)
        if not same:
            yield Unit(start, end, ch, ch.encode() if ch == text[start:end] else read(ch))
    if begin < stop:
        yield Unit(begin, stop, text[begin:stop], text[begin:stop].encode())


def spelled_by(vocabulary: Vocabulary, id: int, read: Read) -> bytes:
    """The bytes that a piece spells."""
    byte = vocabulary.byte_of(id)
    if byte is not None:
        return bytes([byte])
    piece = vocabulary.pieces[id]
    try:
        return b"".join(map(read, piece.decode()))
    except UnicodeDecodeError:
        return piece


def decoded_units(trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary) -> Iterator[Unit]:
    """The bytes that decoding gave for each token."""
    for token, part in zip(trace.encoding.tokens, decoded.parts, strict=True):
        if token.start >= 0 or part:
            yield token_unit(token, trace.text, vocabulary, part)._replace(plain="")


OPAQUE = b"\xff"
"""A byte of no text, in place of each character of a spelling that says nothing of the text."""


def token_unit(token: Token, text: str, vocabulary: Vocabulary, data: bytes) -> Unit:
    """A token. The spelling of an unknown or control token is nothing of the text, unless the text spells it so."""
    start, end = max(token.start, 0), max(token.end, 0)
    spelling = vocabulary.spelling(token.id)
    if vocabulary.kinds[token.id] in (PieceKind.UNKNOWN, PieceKind.CONTROL):
        said = data.strip()
        if said != text[start:end].strip().encode():
            # white space around it is as good as any
            size = len(said.decode("utf-8", "replace"))
            return Unit(start, end, "", data.replace(said, OPAQUE * size) if said else data, spelling)
    return Unit(start, end, spelling, data)


MOST = 1 << 14
"""How many pairs of characters are compared at most to find the most characters in common."""


def matched(source: str, now: str) -> Found:
    """Which characters of `source` are found in `now`, in order, as many as can be.

    >>> matched("ab c", "xbc")
    Found(there=b'\\x00\\x01\\x00\\x01', more=((0, 'x'),))
    """
    # the same few short texts come again and again
    return _remembered(source, now) if len(source) + len(now) <= 32 else _matched(source, now)


def _matched(source: str, now: str) -> Found:
    if source == now:
        return Found(b"\1" * len(source), ())
    least = min(len(source), len(now))
    first = next((i for i in range(least) if source[i] != now[i]), least)
    least -= first
    last = next((i for i in range(least) if source[-1 - i] != now[-1 - i]), least)
    there = bytearray(b"\1") * len(source)
    there[first : len(source) - last] = bytes(len(source) - first - last)
    more: list[tuple[int, str]] = []
    at = first
    for place, ch in common(source[first : len(source) - last], now[first : len(now) - last]):
        if place < 0:
            more.append((at, ch))
        else:
            there[first + place] = 1
            at = first + place + 1
    return Found(bytes(there), tuple(more))


_remembered = lru_cache(maxsize=1 << 12)(_matched)


def common(source: str, now: str) -> Iterator[tuple[int, str]]:
    """Every character of `now` with its place in `source`, -1 where it has none: the longest common subsequence."""
    if len(source) * len(now) > MOST:
        # in a very long stretch without a cut each character is looked for behind the one before
        at = 0
        for ch in now:
            place = source.find(ch, at)
            at = max(at, place + 1)
            yield place, ch
        return
    # longest[i][j]: how many characters source[i:] and now[j:] have in common
    longest = [[0] * (len(now) + 1) for _ in range(len(source) + 1)]
    for i in range(len(source) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(now) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if source[i] == now[j] else max(below[j], row[j + 1])
    i = j = 0
    while j < len(now):
        if i < len(source) and source[i] == now[j]:
            yield i, now[j]
            i, j = i + 1, j + 1
        elif i < len(source) and longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            yield -1, now[j]
            j += 1
