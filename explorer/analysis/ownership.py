"""Which bytes of which characters each token owns.

A character split across several tokens has bytes in each of them: in `I 🤗`, GPT-2's second token is a space and the
first two of four bytes of 🤗. The result follows from the bytes of the tokens and their spans alone, for every kind of
vocabulary. Tokens whose spans overlap are handled together (a cell of `alignment`), and their bytes are matched to its
characters.

Normalization may have changed the text, a space may have been inserted, and Hugging Face trims spans. So the bytes are
compared with the text. Equal bytes own their characters, characters that no span covers included. Extra bytes are
inserted. Different bytes are shown with what the text has there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorer.analysis.alignment import CellKind, cells_of, common_ends, widened
from explorer.engine.items import ADDED, Token
from explorer.engine.tokenizer import Encoding
from explorer.implementations.opened import Opened
from explorer.text import label, visible, visible_char
from explorer.text.say import Text, in_a_row, plural

NAMED = 24
"""The most characters that a sentence quotes."""


class Share(NamedTuple):
    """What a token owns of adjacent characters.

    text: the characters as the tokens spell them; a single one if the token has only some of its bytes. first, last:
    the token has bytes [first, last) of it. start, end: the span of the original; start == end: inserted. changed:
    whether the original text differs.
    """

    text: str
    first: int
    last: int
    start: int
    end: int
    changed: bool = False

    @property
    def size(self) -> int:
        """Bytes of `text`, those of other tokens included."""
        return len(self.text.encode())

    @property
    def whole(self) -> bool:
        """Whether the token has all bytes of it."""
        return self.last - self.first == self.size

    @property
    def inserted(self) -> bool:
        """Whether the characters are not in the original text."""
        return self.start == self.end


Shares = tuple[Share, ...]
"""What one token owns, in order. Empty if it has no text, or its bytes are invalid UTF-8."""


def ownership(text: str, encoding: Encoding, first: int = 0, last: int | None = None) -> list[Shares]:
    """What each token owns of the text.

    first, last: only tokens [first, last). The first must not share a character with the token before it.

    >>> import explorer
    >>> [says(shares) for shares in ownership("I 🤗", explorer.load("gpt-2").encode("I 🤗"))]
    ['“I”', 'bytes 1–2 of 4 of 🤗, and a space', 'byte 3 of 4 of 🤗', 'byte 4 of 4 of 🤗']
    """
    tokens = encoding.tokens
    wanted = last = len(tokens) if last is None else last
    while 0 < last < len(tokens) and 0 <= tokens[last].start < tokens[last - 1].end:
        last += 1  # the rest of a split character
    at = max([token.end for token in tokens[max(first - 1, 0) : first]] + [0])
    stop = next((token.start for token in tokens[last:] if token.start >= 0), len(text))
    placed = (
        cell._replace(first=cell.first + first, last=cell.last + first) for cell in cells_of(tokens[first:last], stop)
    )
    cells = [cell for cell in widened(placed, text[:stop], encoding) if cell.kind != CellKind.ADDED]
    found: list[Shares] = [()] * (last - first)
    for cell, after in zip(cells, [*(cell.start for cell in cells[1:]), stop], strict=False):
        pieces = [encoding.bytes_of(token.id) for token in tokens[cell.first : cell.last]]
        around = text[at : cell.start], text[cell.end : after]
        shares = shares_of(text[cell.start : cell.end], pieces, *around, cell.start)
        found[cell.first - first : cell.last - first] = shares
        # characters after this cell that it owns are not available to the next one
        at = max(at, cell.end, max((each[-1].end for each in shares if each), default=0))
    return found[: wanted - first]


def shares_of(source: str, pieces: Sequence[bytes], before: str = "", after: str = "", at: int = 0) -> list[Shares]:
    """What each token of a cell owns.

    source: the characters of the cell, which begin at `at`. pieces: the bytes of its tokens. before, after: the
    adjacent characters that no token covers.

    >>> shares_of("é", [b"\\xc3", b"\\xa9"])[1]
    (Share(text='é', first=1, last=2, start=0, end=1, changed=False),)
    """
    if len(pieces) == 1 and source and pieces[0] == (whole := source.encode()):
        return [(Share(source, 0, len(whole), at, at + len(source)),)]  # the usual case
    try:
        said = b"".join(pieces).decode()
    except UnicodeDecodeError:
        return [()] * len(pieces)
    units = list(spelled_texts(said, source, before, after, at, split=len(pieces) > 1))
    made: list[Shares] = []
    index = used = 0
    for piece in pieces:
        left, owned = len(piece), list[Share]()
        while left:
            unit = units[index]
            size = len(unit.text.encode())
            taken = min(left, size - used)
            left -= taken
            owned += byte_range(unit, used, used + taken)
            used += taken
            if used == size:
                index, used = index + 1, 0
        made.append(joined(owned))
    return made


class SpelledUnit(NamedTuple):
    """Characters that tokens spell together, and their span of the original."""

    text: str
    start: int
    end: int
    changed: bool = False


def spelled_texts(said: str, source: str, before: str, after: str, at: int, split: bool) -> Iterator[SpelledUnit]:
    """The text that tokens spell, matched to the text they come from. split: whether there are several tokens."""
    end = at + len(source)
    extra = len(said) - len(source)
    if said == source:
        yield from plain(said, at)
    elif extra > 0 and said.endswith(source):
        yield from adjacent(said[:extra], before, at, in_front=True)
        yield from plain(source, at)
    elif extra > 0 and said.startswith(source):
        yield from plain(source, at)
        yield from adjacent(said[len(source) :], after, end, in_front=False)
    elif split:
        front, back = common_ends(said, source)
        yield from plain(said[:front], at)
        yield from changed(said[front : len(said) - back], source[front : len(source) - back], at + front)
        yield from plain(said[len(said) - back :], end - back)
    else:
        yield SpelledUnit(said, at, end, True)


def plain(text: str, at: int) -> Iterator[SpelledUnit]:
    """Characters equal to those of the text."""
    for number, ch in enumerate(text, at):
        yield SpelledUnit(ch, number, number + 1)


def adjacent(extra: str, gap: str, at: int, in_front: bool) -> Iterator[SpelledUnit]:
    """Characters before or after those of the cell: of the text if no token covers them there, else inserted."""
    if in_front and gap.endswith(extra):
        yield from plain(extra, at - len(extra))
    elif not in_front and gap.startswith(extra):
        yield from plain(extra, at)
    else:
        for ch in extra:
            yield SpelledUnit(ch, at, at)


def changed(said: str, source: str, at: int) -> Iterator[SpelledUnit]:
    """Characters that differ from the text; one by one if there are equally many."""
    alike = len(said) == len(source)
    for number, ch in enumerate(said):
        start, end = (at + number, at + number + 1) if alike else (at, at + len(source))
        yield SpelledUnit(ch, start, end, not alike or ch != source[number])


def byte_range(unit: SpelledUnit, first: int, last: int) -> Iterator[Share]:
    """Bytes [first, last) of a unit, one share per character."""
    begin = 0
    for ch in unit.text:
        size = len(ch.encode())
        start, end = max(first, begin), min(last, begin + size)
        if start < end:
            yield Share(ch, start - begin, end - begin, *unit[1:])
        begin += size


def joined(owned: Sequence[Share]) -> Shares:
    """Adjacent shares of whole characters as one share."""
    shares: list[Share] = []
    for share in owned:
        last = shares[-1] if shares else None
        if last is not None and last.whole and share.whole and follows(last, share):
            text = last.text + share.text
            share = Share(text, 0, len(text.encode()), last.start, share.end, share.changed)
            shares.pop()
        shares.append(share)
    return tuple(shares)


def follows(one: Share, other: Share) -> bool:
    """Whether two shares can be joined: both of the text, inserted, or changed from the same characters."""
    if one.changed != other.changed or one.inserted != other.inserted:
        return False
    together = (one.start, one.end) == (other.start, other.end)
    return together if other.inserted else one.end == other.start or (together and other.changed)


# --- in words ---------------------------------------------------------------------------------------------------------


def says(shares: Shares) -> str:
    """What a token owns, in words: first the characters it shares with other tokens.

    >>> says((Share(" ", 0, 1, 1, 2), Share("🤗", 0, 2, 2, 3)))
    'bytes 1–2 of 4 of 🤗, and a space'
    >>> says((Share(" ", 0, 1, 0, 0), Share("What", 0, 4, 0, 4)))
    'an inserted space, and “What”'
    """
    said = [bytes_in_words(share) for share in shares if not share.whole]
    said += [text_in_words(share) for share in shares if share.whole]
    *first, last = said or [""]
    return in_a_row(in_a_row(*first), last, between="{0:t}, and {1:t}")


def bytes_in_words(share: Share) -> str:
    """Some bytes of a character, in words."""
    first, last = share.first + 1, share.last
    which = "byte {0} of {2} of {3:t}" if first == last else "bytes {0}–{1} of {2} of {3:t}"
    return Text.of(which, first, last, share.size, visible_char(share.text)[0])


def text_in_words(share: Share) -> str:
    """Whole characters, in words."""
    text, inserted = share.text, "inserted " if share.inserted else ""
    if text.strip(" "):
        return f"{inserted}“{quoted(text)}”"
    if len(text) == 1:
        return f"an {inserted}space" if inserted else "a space"
    return plural(len(text), f"{inserted}space")


def quoted(text: str) -> str:
    """A text, shortened if it is long."""
    shown = visible(text[:NAMED])
    return shown if len(text) <= NAMED else f"{shown}…"


def where_changed(shares: Shares, text: str) -> str:
    """What the text has instead of what the token spells; empty if both are equal.

    >>> where_changed((Share("fi", 0, 2, 0, 1, True),), "ﬁ")
    '“fi”, where the text has “ﬁ”'
    """
    said = dict.fromkeys(both_texts(share.text, text[share.start : share.end]) for share in shares if share.changed)
    return in_a_row(*said, between="{0:t}; {1:t}")


def both_texts(spelled: str, written: str) -> str:
    """Two texts, with their code points if they look alike."""
    shown = [quoted(spelled), quoted(written)]
    if unicodedata.normalize("NFC", spelled) == unicodedata.normalize("NFC", written):
        points = [" ".join(map(label, each)) for each in (spelled, written)]
        return Text.of("{0:q} ({1:t}), where the text has {2:q} ({3:t})", shown[0], points[0], shown[1], points[1])
    return Text.of("{0:q}, where the text has {1:q}", *shown)


def lone_space(tokenizer: Opened, text: str, tokens: Sequence[Token]) -> int | None:
    """The id of the space at the end of a text; None if it ends otherwise, or a space is never part of a word's token.

    >>> import explorer
    >>> for name in ("gpt-2", "llama-2", "bert-uncased"):
    ...     tok = explorer.load(name)
    ...     lone_space(tok, "The answer is ", tok.encode("The answer is ").tokens)
    220
    29871
    """
    if not text.endswith(" "):
        return None
    last = next((token for token in reversed(tokens) if token.start != ADDED), None)
    if last is None or tokenizer.token_bytes(last.id) != b" ":
        return None
    word = tokenizer.token_bytes(tokenizer.encode("a the", add_special=False).ids[-1])
    return last.id if word[:1] == b" " and len(word) > 1 else None
