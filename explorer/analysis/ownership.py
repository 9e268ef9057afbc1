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

Aligns the tokens of several tokenizers on the characters of the original text.

A row is one tokenizer's tokens, gathered in cells (`Cell`). Characters that no cell covers are lost under
that tokenizer; the row lists them.

All positions are code points of the original text, from 0. Vocabularies don't matter: two cells are the same cut if
they cover the same characters with the same number of tokens.
"""

import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, StrEnum
from itertools import pairwise
from typing import AnyStr, NamedTuple

from explorer.engine.part import ADDED, Token
from explorer.engine.tokenizer import Encoding
from explorer.errors import InputError
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


# --- rows and their cells ---------------------------------------------------------------------------------------------


MOST = 6
"""The most rows that can be aligned at once."""


class TokenRow(NamedTuple):
    """One tokenizer's tokens on the text.

    label: the row's name. ringed: per cell, whether some other row lacks this cut. cuts: every position where a cell
    begins or ends. uncovered: characters that no cell covers, as spans. characters, bytes: per token of the text,
    without a truncated end; 0 if there are no tokens. relative: the number of tokens as a multiple of the baseline's.
    """

    label: str
    encoding: Encoding
    cells: tuple[Cell, ...]
    ringed: tuple[bool, ...]
    cuts: tuple[int, ...]
    uncovered: tuple[Span, ...]
    added: int
    characters: float
    bytes: float
    relative: float | None

    @property
    def tokens(self) -> int:
        """The number of tokens, added ones included."""
        return len(self.encoding.tokens)


class Alignment(NamedTuple):
    """Rows over one text.

    baseline: the row that `TokenRow.relative` refers to. breaks: the positions that no cell of any row crosses; a page
    may break its lines there.
    """

    text: str
    rows: tuple[TokenRow, ...]
    baseline: int
    breaks: tuple[int, ...]

    @property
    def smallest(self) -> int:
        """The fewest tokens of any row."""
        return min(row.tokens for row in self.rows)

    @property
    def largest(self) -> int:
        """The most tokens of any row."""
        return max(row.tokens for row in self.rows)

    @property
    def spread(self) -> float | None:
        """The most tokens divided by the fewest; None if a row has no tokens."""
        return self.largest / self.smallest if self.smallest else None


def align(text: str, rows: Sequence[tuple[str, Encoding]], baseline: int = 0, most: int = MOST) -> Alignment:
    """Aligns rows, given as (label, encoding of `text`).

    Raises InputError for no rows, more than `most`, or a baseline out of range.

    >>> import explorer
    >>> made = align("What is", [(name, explorer.load(name).encode("What is")) for name in ("llama-2", "gpt-2")])
    >>> [(row.label, [cell[:4] for cell in row.cells], row.ringed) for row in made.rows]
    [('llama-2', [(0, 0, 0, 1), (0, 4, 1, 2), (4, 7, 2, 3)], (True, False, False)), \
('gpt-2', [(0, 4, 0, 1), (4, 7, 1, 2)], (False, False))]
    """
    if not 1 <= len(rows) <= most:
        raise InputError(f"{len(rows)} tokenizers to compare; give 1 to {most}")
    if not 0 <= baseline < len(rows):
        raise InputError(f"the baseline is row {baseline + 1} of {len(rows)}; choose one of the rows")
    cells = [tuple(widened(cells_of(encoding.tokens, len(text)), text, encoding)) for _, encoding in rows]
    cuts = [[cell.cut for cell in each] for each in cells]
    everywhere = frozenset.intersection(*map(frozenset, cuts))
    size, base = len(text.encode()), len(rows[baseline][1].tokens)
    token_rows = []
    for (name, encoding), own, own_cuts in zip(rows, cells, cuts, strict=True):
        count = len(encoding.tokens)
        added = sum(cell.kind == CellKind.ADDED for cell in own)
        lost = tuple(gaps(own, len(text)))
        cut_off = "".join(text[slice(*span)] for span in lost if is_cut_off(span, text))
        token_rows.append(
            TokenRow(
                label=name,
                encoding=encoding,
                cells=own,
                ringed=tuple(cut not in everywhere for cut in own_cuts),
                cuts=tuple(sorted({edge for cell in own for edge in (cell.start, cell.end)})),
                uncovered=lost,
                added=added,
                characters=(len(text) - len(cut_off)) / (count - added) if count > added else 0.0,
                bytes=(size - len(cut_off.encode())) / (count - added) if count > added else 0.0,
                relative=count / base if base else None,
            )
        )
    return Alignment(text, tuple(token_rows), baseline, common_cuts(cells, len(text)))


def is_cut_off(span: Span, text: str) -> bool:
    """Whether uncovered characters were truncated: they are at an end of the text and not only white space.

    >>> is_cut_off(Span(2, 4), "ab c"), is_cut_off(Span(2, 3), "ab "), is_cut_off(Span(1, 2), "abc")
    (True, False, False)
    """
    return (span.start == 0 or span.end == len(text)) and not text[slice(*span)].isspace()


class CutKind(IntEnum):
    """How a cell is cut, beside the baseline's row. Cells between two cuts that both rows have are of one kind."""

    SAME = 0
    """The same characters, with as many tokens."""
    FEWER = 1
    MORE = 2
    ELSEWHERE = 3
    """As many tokens, cut elsewhere."""


def cut_kinds(row: TokenRow, base: TokenRow) -> list[CutKind]:
    """The kind of each cell of a row. A cell without characters is the same if the baseline has one at its place.

    >>> import explorer
    >>> made = align("is 1234567", [(name, explorer.load(name).encode("is 1234567")) for name in ("llama-3", "gpt-2")])
    >>> [kind.name for kind in cut_kinds(made.rows[1], made.rows[0])]   # ·123 beside · and 123, 45 67 beside 456 7
    ['SAME', 'FEWER', 'ELSEWHERE', 'ELSEWHERE']
    """
    shared = sorted(set(row.cuts) & set(base.cuts))
    sides = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    """by shared cut, the sizes of the cells before it"""
    for side, each in zip(sides, (row, base), strict=True):
        for cell in each.cells:
            if cell.kind == CellKind.TEXT:
                side[bisect_right(shared, cell.start)].append(cell.last - cell.first)
    empty = Counter((cell.start, cell.kind) for cell in base.cells if cell.kind != CellKind.TEXT)
    kinds = []
    for cell in row.cells:
        if cell.kind != CellKind.TEXT:
            known = empty[cell.start, cell.kind] > 0
            empty[cell.start, cell.kind] -= 1
            kinds.append(CutKind.SAME if known else CutKind.MORE)
            continue
        own, other = (side[bisect_right(shared, cell.start)] for side in sides)
        kinds.append(
            CutKind.FEWER if sum(own) < sum(other) else CutKind.MORE if sum(own) > sum(other) else
            CutKind.SAME if len(own) == len(other) == 1 else CutKind.ELSEWHERE
        )  # fmt: skip
    return kinds


def cutters(alignment: Alignment) -> dict[int, int]:
    """How many rows cut the text at each position inside it; positions at which none does are left out.

    >>> import explorer
    >>> made = align("What is", [(name, explorer.load(name).encode("What is")) for name in ("llama-2", "rwkv-world")])
    >>> cutters(made)
    {4: 2}
    """
    size = len(alignment.text)
    return dict(sorted(Counter(cut for row in alignment.rows for cut in row.cuts if 0 < cut < size).items()))


def parting(alignment: Alignment) -> Span | None:
    """Where the rows part most: of the stretches that they cut differently, that with the most tokens to spare.

    A stretch lies within a word: it ends where all rows cut beside white space, and where all go on alike. Of equals,
    the first; None if there is none.

    >>> import explorer
    >>> made = align("is 123456", [(name, explorer.load(name).encode("is 123456")) for name in ("llama-3", "llama-2")])
    >>> parting(made)
    Span(start=3, end=9)
    """
    best, most = None, -1
    counts: list[int] = []
    begun = 0
    rows = [defaultdict[int, list[Cell]](list) for _ in alignment.rows]
    """by the number of breaks up to their start, the cells with characters"""
    for stretches, row in zip(rows, alignment.rows, strict=True):
        for cell in row.cells:
            if cell.kind == CellKind.TEXT:
                stretches[bisect_right(alignment.breaks, cell.start)].append(cell)
    for number, (start, end) in enumerate(pairwise(alignment.breaks), 1):
        here = [stretches[number] for stretches in rows]
        if len({tuple(cell.cut for cell in cells) for cells in here}) == 1:
            counts = []
            continue
        if not counts or alignment.text[start].isspace() or alignment.text[start - 1].isspace():
            begun, counts = start, [0] * len(here)
        counts = [
            count + sum(cell.last - cell.first for cell in cells) for count, cells in zip(counts, here, strict=True)
        ]
        if max(counts) - min(counts) > most:
            best, most = Span(begun, end), max(counts) - min(counts)
    return best
