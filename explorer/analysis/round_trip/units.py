"""A stage's items as units: stretches of the text, each with the bytes that the decoder would read back.

A change that the decoder reverses, such as ▁ for a space, is no loss. Whether it does is found out by decoding a piece
that is that one character, whatever the decoder. Which characters of a stretch are still in another is the longest
common subsequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import Final, NamedTuple

from explorer.engine.items import Items, Segment, Token
from explorer.engine.part import Decoder
from explorer.engine.results import DecodeTrace, Trace
from explorer.engine.trace import silent
from explorer.vocabulary import PieceKind, Vocabulary


class Unit(NamedTuple):
    """A stretch [start, end) of the text and what it has become.

    plain: the characters as they are. read: as the decoder reads them. unknown: instead of `plain`, the spelling of a
    token that carries nothing of the text.
    """

    start: int
    end: int
    plain: str
    read: bytes
    unknown: str = ""


Read = Callable[[str], bytes]
"""What the decoder gives for a piece that is one character."""


def reader(decoder: Decoder, vocabulary: Vocabulary) -> Read:
    """A function that decodes one character. It reads a character as itself if it is no piece or its piece keeps it."""
    normal = int(PieceKind.NORMAL)
    words = (id for id, piece in enumerate(vocabulary.pieces) if vocabulary.kinds[id] == normal and piece.isalnum())
    neighbors = list(islice(words, 2))

    @cache
    def read(ch: str) -> bytes:
        data = ch.encode()
        id = vocabulary.ids.get(data)
        if id is None or vocabulary.kinds[id] != normal:
            return data
        # between two words, where the decoder applies no rule for the start or end of a text
        word = next((word for word in neighbors if word != id), id)
        part = decoder.run([word, id, word], False, True, silent)[1]
        return data if data in part else part

    return read


def units(items: Items, text: str, returned: bytearray, vocabulary: Vocabulary, read: Read) -> Iterator[Unit]:
    """The items of a stage, one unit per token, stretch or character; without tokens added around the text.

    returned: per character of the text, 1 if it comes back.
    """
    for item in items:
        if isinstance(item, Token):
            if item.start >= 0:
                yield _token_unit(item, text, vocabulary, _spelled_bytes(vocabulary, item.id, read))
        else:
            yield from _segment_units(item, text, returned, read)


def decoded_units(trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary) -> Iterator[Unit]:
    """One unit per token, with the bytes that decoding gave for it."""
    for token, part in zip(trace.encoding.tokens, decoded.parts, strict=True):
        if token.start >= 0 or part:
            yield _token_unit(token, trace.text, vocabulary, part)._replace(plain="")


def _segment_units(segment: Segment, text: str, returned: bytearray, read: Read) -> Iterator[Unit]:
    """Each run of characters that are those of the text and come back, and each other character alone."""
    begin = stop = -1
    """the run so far"""
    for ch, start, end in zip(*segment, strict=True):
        same = end == start + 1 and ch == text[start] and returned[start] == 1
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


def _spelled_bytes(vocabulary: Vocabulary, id: int, read: Read) -> bytes:
    """The bytes that a piece spells."""
    byte = vocabulary.byte_of(id)
    if byte is not None:
        return bytes([byte])
    piece = vocabulary.pieces[id]
    try:
        return b"".join(map(read, piece.decode()))
    except UnicodeDecodeError:
        return piece


OPAQUE = b"\xff"
"""A byte that is in no UTF-8 text. Replaces each character of a spelling that carries nothing of the text."""


def _token_unit(token: Token, text: str, vocabulary: Vocabulary, data: bytes) -> Unit:
    """A token. The spelling of an unknown or control token is not text, unless the text contains this spelling."""
    start, end = max(token.start, 0), max(token.end, 0)
    spelling = vocabulary.spelling(token.id)
    if vocabulary.kinds[token.id] in (PieceKind.UNKNOWN, PieceKind.CONTROL):
        said = data.strip()
        if said != text[start:end].strip().encode():
            # white space around the spelling still counts as text
            size = len(said.decode("utf-8", "replace"))
            return Unit(start, end, "", data.replace(said, OPAQUE * size) if said else data, spelling)
    return Unit(start, end, spelling, data)


MOST: Final = 1 << 14
"""The most pairs of characters that are compared to find the longest common subsequence; above it, a greedy search."""


class CharacterMatch(NamedTuple):
    """present: per character of the source, 1 if it is found. inserted: all other characters, each with the index of
    the source character before which it is."""

    present: bytes
    inserted: tuple[tuple[int, str], ...]


def match_characters(source: str, now: str) -> CharacterMatch:
    """Which characters of `source` are found in `now`, in order, as many as possible.

    >>> match_characters("ab c", "xbc")
    CharacterMatch(present=b'\\x00\\x01\\x00\\x01', inserted=((0, 'x'),))
    """
    # the same few short strings are compared again and again
    return _cached_match(source, now) if len(source) + len(now) <= 32 else _match(source, now)


def _match(source: str, now: str) -> CharacterMatch:
    if source == now:
        return CharacterMatch(b"\1" * len(source), ())
    least = min(len(source), len(now))
    first = next((i for i in range(least) if source[i] != now[i]), least)
    least -= first
    last = next((i for i in range(least) if source[-1 - i] != now[-1 - i]), least)
    present = bytearray(b"\1") * len(source)
    present[first : len(source) - last] = bytes(len(source) - first - last)
    inserted: list[tuple[int, str]] = []
    at = first
    for index, ch in _common_subsequence(source[first : len(source) - last], now[first : len(now) - last]):
        if index < 0:
            inserted.append((at, ch))
        else:
            present[first + index] = 1
            at = first + index + 1
    return CharacterMatch(bytes(present), tuple(inserted))


_cached_match = lru_cache(maxsize=1 << 12)(_match)


def _common_subsequence(source: str, now: str) -> Iterator[tuple[int, str]]:
    """Every character of `now` with its index in `source`, -1 if it has none."""
    if len(source) * len(now) > MOST:
        # a very long stretch without a cut: search each character after the one before
        at = 0
        for ch in now:
            index = source.find(ch, at)
            at = max(at, index + 1)
            yield index, ch
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
