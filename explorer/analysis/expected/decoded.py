"""What ids spell: the bytes of each, the ids as tokens on the text they spell, and where that is another text.

To find where, both lists of ids are decoded and compared. The given ids don't decode to the text itself: spaces are
inserted or dropped, letters are lowercased, characters are unknown. So the position is mapped back through the spans of
the given tokens, and the sentence quotes the original text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.changes import point, points
from explorer.analysis.divergence.result import where
from explorer.engine.decoders.chain import ChainDecoder
from explorer.engine.items import ADDED, Token
from explorer.engine.results import Encoding
from explorer.engine.trace import silent
from explorer.implementations.opened import Opened
from explorer.text import label, name
from explorer.text.say import Say
from explorer.text.utf8 import character_of_each_byte
from explorer.text.visible import quoted
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


def common_ends(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """The lengths of the common prefix of two sequences and of the common suffix of the rest.

    >>> common_ends("abcd", "abxd"), common_ends("aa", "aaa")
    ((2, 1), (2, 0))
    """
    most = min(len(one), len(other))
    front = 0
    while front < most and one[front] == other[front]:
        front += 1
    back = 0
    while back < most - front and one[-1 - back] == other[-1 - back]:
        back += 1
    return front, back
