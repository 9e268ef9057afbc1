"""Where ids spell another text than the one that was given: what they have, and what the text has in that place.

Both lists of ids are decoded and compared. What the given ids spell is not the text itself: spaces are inserted or
dropped, letters made small, characters unknown. So the place is carried back along the spans of the given tokens, and
what is quoted is the original text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.changes import point, points, quoted
from explorer.analysis.divergence.result import where
from explorer.engine.items import Token
from explorer.text import label, name


def other_text(text: str, tokens: Sequence[Token], parts: Sequence[bytes], expected: bytes, called: str) -> str:
    """What the expected ids have and the text has not, in words that follow what they spell.

    tokens, parts: the tokens of the text and what each of them decodes to. called: the tokenizer's name.

    >>> tokens, parts = [Token(0, 0, 2), Token(1, 2, 2), Token(2, 4, 6)], [b"ab", b" ", b"cd"]
    >>> other_text("ab  CD", tokens, parts, b"ab ce", "x")
    'at character 6 they have e (U+0065 LATIN SMALL LETTER E) where the text has D (U+0044 LATIN CAPITAL LETTER D)'
    >>> other_text("ab  CD", tokens, parts, b"abcd", "x")
    'before character 3 they have nothing where the ids of x spell a space (U+0020 SPACE)'
    """
    ours, spans = origins(text, tokens, parts)
    theirs = expected.decode("utf-8", "surrogateescape")
    front, behind = common_ends(theirs, ours)
    has, lacks = theirs[front : len(theirs) - behind], ours[front : len(ours) - behind]
    place = covered(spans, front, len(ours) - behind)
    there = text[place.start : place.end]
    instead = f"the text has {named(there)}" if there != has else f"the ids of {called} spell {named(lacks)}"
    at = "at " if there else ""
    return f"{at}{where(place, len(text))} they have {named(has)} where {instead}"


def origins(text: str, tokens: Sequence[Token], parts: Sequence[bytes]) -> tuple[str, list[Span]]:
    """What tokens spell, and per character of it the characters of the text that it stands for.

    Bytes that are no UTF-8 are lone surrogates, as Python decodes them.
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
    """Per byte of what a token decodes to its place: the character where it is the same, else what is left between."""
    chars = part.decode("utf-8", "surrogateescape")
    front, behind = common_ends([ch.casefold() for ch in chars], [ch.casefold() for ch in text])
    start, end = span
    between = Span(start + front, end - behind)
    places = [Span(start + at, start + at + 1) for at in range(front)]
    places += [between] * (len(chars) - front - behind)
    places += [Span(end - at, end - at + 1) for at in range(behind, 0, -1)]
    sizes = (len(ch.encode("utf-8", "surrogateescape")) for ch in chars)
    return [place for place, size in zip(places, sizes, strict=True) for _ in range(size)]


def covered(spans: Sequence[Span], first: int, last: int) -> Span:
    """The characters that [first, last) stand for; where that is nothing, the place behind what stands before."""
    if first < last:
        return Span(min(each.start for each in spans[first:last]), max(each.end for each in spans[first:last]))
    at = spans[first - 1].end if first else 0
    return Span(at, at)


def named(text: str) -> str:
    """A few characters in a sentence, with the name where it is one; bytes as bytes.

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
    """How much of two sequences is the same in front, and then behind.

    >>> common_ends("abcd", "abxd"), common_ends("aa", "aaa")
    ((2, 1), (2, 0))
    """
    most = min(len(one), len(other))
    front = 0
    while front < most and one[front] == other[front]:
        front += 1
    behind = 0
    while behind < most - front and one[-1 - behind] == other[-1 - behind]:
        behind += 1
    return front, behind
