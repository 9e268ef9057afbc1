"""Which characters each token covers, and which bytes of them it owns.

A *cell* [start, end) holds the token or tokens made of exactly these characters of the text. Tokens that share a
character share a cell, and so do tokens whose characters a normalizer reordered. A token without a character (BOS, a
lone prefix space) has a cell of its own with an empty span. Hugging Face gives a composed letter the span of its base
alone. Its marks, or the rest of a Hangul syllable, are not lost, so the cell is widened over them.

A character split across several tokens has bytes in each of them: in `I 🤗`, GPT-2's second token is a space and the
first two of four bytes of 🤗. The result follows from the bytes of the tokens and their spans alone, for every kind of
vocabulary. The tokens of a cell are handled together, and their bytes are matched to its characters.

Normalization may have changed the text, a space may have been inserted, and Hugging Face trims spans. So the bytes are
compared with the text. Equal bytes own their characters, characters that no span covers included. Extra bytes are
inserted. Different bytes are shown with what the text has there.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import AnyStr, NamedTuple

from explorer.engine.part import ADDED, Token
from explorer.engine.tokenizer import Encoding
from explorer.implementations.opened import Opened
from explorer.text import label, visible, visible_char
from explorer.text.say import Text, in_a_row, plural
from explorer.vocabulary import bytes_of

NAMED = 24
"""The most characters that a sentence quotes."""


# --- cells: tokens over the same characters --------------------------------------------------------------------------


class CellKind(StrEnum):
    """The origin of a cell's tokens."""

    TEXT = "text"
    """Made of the characters [start, end)."""
    INSERTED = "inserted"
    """Made of inserted text only, such as a lone prefix space. The span is empty."""
    ADDED = "added"
    """Added by post-processing (BOS, EOS). The span is empty."""


class Cell(NamedTuple):
    """The tokens [first, last) of a row over the characters [start, end) of the original text."""

    start: int
    end: int
    first: int
    last: int
    kind: CellKind = CellKind.TEXT

    @property
    def cut(self) -> tuple[int, int, int, CellKind]:
        """What is equal for the same cut in another row."""
        return self.start, self.end, self.last - self.first, self.kind


class Span(NamedTuple):
    """Characters [start, end) of the original text."""

    start: int
    end: int


def cells_of(tokens: Sequence[Token], size: int) -> Iterator[Cell]:
    """The cells of a row of tokens over a text of `size` characters, in order.

    >>> [cell[:4] for cell in cells_of([Token(7, -1, -1), Token(8, 0, 1), Token(9, 0, 1), Token(5, 1, 3)], 3)]
    [(0, 0, 0, 1), (0, 1, 1, 3), (1, 3, 3, 4)]
    """
    from_text = [index for index, token in enumerate(tokens) if token.start >= 0]
    last_from_text = from_text[-1] if from_text else len(tokens)
    cells: list[Cell] = []
    for index, (_, start, end) in enumerate(tokens):
        if start < 0:
            at = size if index > last_from_text else cells[-1].end if cells else 0
            cells.append(Cell(at, at, index, index + 1, CellKind.ADDED))
            continue
        first = index
        # a token whose span overlaps earlier cells joins them
        while cells and cells[-1].end > start:
            before = cells.pop()
            start, end, first = min(start, before.start), max(end, before.end), before.first
        cells.append(Cell(start, end, first, index + 1, CellKind.TEXT if end > start else CellKind.INSERTED))
    yield from cells


def widened(cells: Iterable[Cell], text: str, encoding: Encoding) -> Iterator[Cell]:
    """The cells, those of composed letters widened over the uncovered characters that were composed.

    >>> from explorer.vocabulary import Vocabulary
    >>> encoding = Encoding.of((Token(0, 0, 1), Token(1, 2, 3)), Vocabulary.of(["Å".encode(), b"!"]))
    >>> [cell[:2] for cell in widened(cells_of(encoding.tokens, 3), "A\\u030a!", encoding)]
    [(0, 2), (2, 3)]
    """
    row = list(cells)
    for number, cell in enumerate(row):
        end, limit = cell.end, row[number + 1].start if number + 1 < len(row) else len(text)
        while end < limit and joins(unicodedata.normalize("NFKD", text[end])[0]):
            end += 1
        if cell.kind == CellKind.TEXT and end > cell.end and says_composed(row, number, end, text, encoding):
            cell = cell._replace(end=end)
        yield cell


def says_composed(row: Sequence[Cell], number: int, end: int, text: str, encoding: Encoding) -> bool:
    """Whether a cell and the cells of the marks after it spell the composed text up to the end of the last mark.

    A mark may have been composed across other marks, which have cells of their own.
    """
    while end < len(text) and joins(text[end]):
        end += 1
    last = number
    while last + 1 < len(row) and row[last + 1].end <= end and row[last + 1].kind == CellKind.TEXT:
        last += 1
    tokens = encoding.tokens[row[number].first : row[last].last]
    spelled = b"".join(encoding.vocabulary.pieces[token.id] for token in tokens).decode("utf-8", "replace")
    # pieces may spell bytes as printable characters
    readings = spelled, (bytes_of(spelled) or b"").decode("utf-8", "replace")
    written = text[row[number].start : end]
    composed = unicodedata.normalize("NFC", written)
    return composed != written and any(reading.endswith(composed) for reading in readings)


def joins(ch: str) -> bool:
    """Whether a character belongs to the one before it: a mark, or a Hangul letter that doesn't begin a syllable."""
    return unicodedata.category(ch).startswith("M") or "\u1160" <= ch <= "\u11ff" or "\ud7b0" <= ch <= "\ud7ff"


def common(one: Sequence[object], other: Sequence[object]) -> int:
    """The length of the common beginning of two sequences of one type.

    >>> common("abc", "abd"), common([], [1])
    (2, 0)
    """
    # halves are compared in C; item by item, long lists take a hundred times as long
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def is_within(few: AnyStr, many: AnyStr) -> bool:
    """Whether `few` is a subsequence of `many`.

    >>> is_within(b"ace", b"abcde"), is_within("aec", "abcde")
    (True, False)
    """
    at = 0
    for index in range(len(few)):
        at = many.find(few[index : index + 1], at) + 1
        if at == 0:
            return False
    return True


def common_ends(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """The lengths of the common beginning of two sequences and of the common end of the rest.

    >>> common_ends("abcd", "abxd"), common_ends("aa", "aaa")
    ((2, 1), (2, 0))
    """
    front = common(one, other)
    return front, common(one[front:][::-1], other[front:][::-1])


def gaps(cells: Iterable[Cell], size: int) -> Iterator[Span]:
    """The characters that no cell covers.

    >>> list(gaps([Cell(0, 1, 0, 1), Cell(2, 3, 1, 2)], 5))
    [Span(start=1, end=2), Span(start=3, end=5)]
    """
    at = 0
    for cell in cells:
        if cell.start > at:
            yield Span(at, cell.start)
        at = max(at, cell.end)
    if at < size:
        yield Span(at, size)


def common_cuts(rows: Sequence[Sequence[Cell]], size: int) -> tuple[int, ...]:
    """Every position where some row has a cut and no row's cell crosses it; both ends of the text always.

    >>> common_cuts([[Cell(0, 2, 0, 1), Cell(2, 4, 1, 2)], [Cell(0, 1, 0, 1), Cell(1, 4, 1, 2)]], 4)
    (0, 4)
    """
    wanted = {0, size}
    inside = bytearray(size + 1)
    for cells in rows:
        for cell in cells:
            wanted |= {cell.start, cell.end}
            if cell.end - cell.start > 1:
                inside[cell.start + 1 : cell.end] = b"\1" * (cell.end - cell.start - 1)
    return tuple(position for position in sorted(wanted) if not inside[position])


# --- shares: which bytes ---------------------------------------------------------------------------------------------


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
    return Text(which, first, last, share.size, visible_char(share.text)[0])


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
        return Text("{0:q} ({1:t}), where the text has {2:q} ({3:t})", shown[0], points[0], shown[1], points[1])
    return Text("{0:q}, where the text has {1:q}", *shown)


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
