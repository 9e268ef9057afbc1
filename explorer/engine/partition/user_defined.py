"""What is cut out of a text before its model: user-defined symbols, and DNA.

User-defined symbols of a SentencePiece model: found first, by longest match at each position, never merged.

sentencepiece (`bpe_model.cc`) makes each of them one symbol of the merge and freezes it. A frozen symbol is in no pair,
so the text left and right of it never merges; cutting the symbol out as its token gives the same ids. It happens after
normalization: a symbol that contains a space does not match, because the space has become ▁.

`SymbolTree` finds them, also for normalization and for character models. Follows sentencepiece's `PrefixMatcher`, and
`llm_tokenizer_ugm` in llama.cpp.

DNA within a text: between `<dna>` and `</dna>` every six letters are a token, whatever the model.

Follows `llm_tokenizer_hybriddna_session` in llama.cpp's `src/llama-vocab.cpp`. ASCII letters are uppercased, a short
last group is padded with A, and a group that is not a token becomes `<oov>`. In the vocabulary a DNA token ends with a
mark (U+E000), so that `CCCCCC` of DNA differs from `CCCCCC` of ordinary text. A `<dna>` without `</dna>` extends to the
end of the text.

Groups are counted in bytes, as in the original: a character of several bytes may be in two groups, neither of which is
a token.
"""

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from explorer.engine.budget import turns
from explorer.engine.part import BySegment, Emit, Item, Segment, Token
from explorer.errors import InputError
from explorer.text.input import character_of_each_byte
from explorer.vocabulary import Vocabulary

MAX_PREFIXES = 64
"""sentencepiece: how many user-defined pieces that begin at one position are considered, the shortest first."""


MAX_SYMBOLS = 1 << 19
"""Characters of all user-defined pieces together: each may need a node of 200 bytes. The largest known vocabularies
have some thousand such pieces."""


class SymbolTree:
    """A trie of the user-defined pieces, which no character map changes.

    Raises InputError for more characters than any vocabulary has. Of more than 64 pieces that begin alike, the 64
    shortest count, as in sentencepiece, whose result buffer has 64 entries.

    stand_in: match prefixes of a piece as well, as llama.cpp does, byte by byte: if a character shares only its first
    bytes with the piece's, those bytes pass and each other byte becomes U+FFFD. This character, which no piece
    contains, represents the resulting invalid UTF-8.

    >>> SymbolTree(["[user]"]).length("[us", 0), SymbolTree(["[user]"], stand_in="\uffff").length("[us", 0)
    (0, 3)
    """

    __slots__ = ("_bytes", "_root", "stand_in")

    def __init__(self, symbols: Iterable[str], *, stand_in: str = "") -> None:
        symbols = tuple(symbols)
        size = sum(map(len, symbols))
        if size > MAX_SYMBOLS:
            raise InputError(
                f"the user-defined pieces have {size} characters together, at most {MAX_SYMBOLS} are read; give "
                "another file"
            )
        self.stand_in = stand_in
        self._root: dict[str, Any] = {}
        self._bytes: set[tuple[int, bytes]] = set()
        """by `id` of a node: the proper byte prefixes of the characters that follow it"""
        for symbol in symbols:
            node = self._root
            for ch in symbol:
                if stand_in and ch not in node:
                    data = ch.encode("utf-8", "surrogateescape")
                    self._bytes.update((id(node), data[:size]) for size in range(1, len(data)))
                node = node.setdefault(ch, {})
            node[""] = True

    def length(self, text: str, at: int) -> int:
        """How many code points of `text[at:]` pass unchanged."""
        node, found, index = self._root, 0, at
        left = MAX_PREFIXES
        while left and index < len(text) and (after := node.get(text[index])) is not None:
            node, index = after, index + 1
            if self.stand_in:
                found = index - at
            elif "" in node:
                found = index - at
                left -= 1
        return found

    def symbols(self) -> Iterator[str]:
        """All pieces.

        >>> sorted(SymbolTree(["ab", "a"]).symbols())
        ['a', 'ab']
        """
        stack: list[tuple[str, dict[str, Any]]] = [("", self._root)]
        while stack:
            symbol, node = stack.pop()
            for ch, after in node.items():
                if ch:
                    stack.append((symbol + ch, after))
                else:
                    yield symbol

    @property
    def breaks_characters(self) -> bool:
        """Whether part of a character may pass, which affects the text after it."""
        return bool(self._bytes)

    def cut(self, text: str, at: int, size: int) -> int:
        """How many bytes of the character after `text[at : at + size]` pass with it.

        >>> SymbolTree(["é"], stand_in="\uffff").cut("è", 0, 0), SymbolTree(["é"]).cut("è", 0, 0)
        (1, 0)
        """
        index = at + size
        if not self._bytes or index == len(text) or text[index] < "\x80":
            return 0
        node = self._root
        for ch in text[at:index]:
            node = node[ch]
        data = text[index].encode()
        return next((end for end in range(len(data) - 1, 0, -1) if (id(node), data[:end]) in self._bytes), 0)

    def cut_up(self, ch: str, passed: int) -> str:
        """What is read of a character of which `passed` bytes pass and each other byte became U+FFFD, of three bytes.

        A reader takes a character's length from its first byte, so it reads bytes of U+FFFD as part of this character.
        """
        left = len(ch.encode()) - passed
        return self.stand_in * (4 - left) + "\ufffd" * (left - 1)

    def is_whole(self, symbol: str) -> bool:
        """Whether a path in the trie is a whole piece, not a mere prefix."""
        node = self._root
        for ch in symbol:
            node = node[ch]
        return "" in node


WHAT = "the pre-tokenizer"
"""The name of the stage in errors."""


class UserDefinedEvent(IntEnum):
    """What a `UserDefinedRow` says."""

    SYMBOL = 0
    """A user-defined symbol was found at [start, end): it is a token."""
    TEXT = 1
    """[start, end) stays text."""


class UserDefinedRow(NamedTuple):
    """One fragment of the text."""

    kind: int
    """A `UserDefinedEvent`."""
    start: int
    """First code point of the original text."""
    end: int
    """One after the last."""
    token: int
    """The symbol's id, -1 for TEXT."""


class UserDefinedSplit(BySegment):
    """The stage: from the left, the longest symbol at each position.

    symbols: id by spelling.

    >>> from explorer.engine.part import Options
    >>> items = UserDefinedSplit({"<a>": 7}).run([Segment.of("x<a>")], Options(), lambda *row: None)
    >>> [item if isinstance(item, Token) else item.text for item in items]
    ['x', Token(id=7, start=1, end=4)]
    """

    name = "pre-tokenize"
    what = WHAT
    row = UserDefinedRow
    kinds = UserDefinedEvent

    def __init__(self, symbols: Mapping[str, int]) -> None:
        self.symbols = dict(symbols)
        self._search = SymbolTree(self.symbols)

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Item]:
        """Text, and the tokens of the symbols in it."""
        text, starts, ends = segment
        items: list[Item] = []
        begin = at = 0

        def close(stop: int) -> None:
            if stop > begin:
                emit(UserDefinedEvent.TEXT, starts[begin], ends[stop - 1], -1)
                items.append(segment.slice(begin, stop))

        for _ in turns(len(text), WHAT):
            if at >= len(text):
                break
            length = self._search.length(text, at)
            if not length:
                at += 1
                continue
            close(at)
            begin = at + length
            token = Token(self.symbols[text[at:begin]], starts[at], ends[begin - 1])
            emit(UserDefinedEvent.SYMBOL, token.start, token.end, token.id)
            items.append(token)
            at = begin
        close(at)
        return items


OPEN, CLOSE, UNKNOWN = b"<dna>", b"</dna>", b"<oov>"
MARK = "\ue000".encode()
"""Follows the letters of a DNA token in the vocabulary; decoding drops it."""
LETTERS = 6
UPPER = bytes.maketrans(b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")


class DnaEvent(IntEnum):
    """What a `DnaRow` says."""

    TAG = 0
    """`<dna>` or `</dna>` at [start, end)."""
    GROUP = 1
    """The letters at [start, end) are a token."""
    FILLED = 2
    """The letters at [start, end) are a token when padded with A."""
    UNKNOWN = 3
    """The letters at [start, end) are not a token: they become the unknown token."""
    TEXT = 4
    """[start, end) stays text."""


class DnaRow(NamedTuple):
    """One decision about DNA."""

    kind: int
    """A `DnaEvent`."""
    start: int
    """First code point of the original text."""
    end: int
    """One after the last."""
    token: int
    """The id, -1 for TEXT."""


class DnaGroups(BySegment):
    """The stage. It changes nothing if the vocabulary lacks one of the three tokens it needs.

    >>> from explorer.engine.part import Options
    >>> v = Vocabulary.of([b"<dna>", b"</dna>", b"<oov>", "ACGTAA\\ue000".encode()])
    >>> items = DnaGroups(v).run([Segment.of("x<dna>acgt</dna>")], Options(), lambda *row: None)
    >>> [item.id if isinstance(item, Token) else item.text for item in items]
    ['x', 0, 3, 1]
    """

    name = "dna"
    what = "the search for DNA"
    row = DnaRow
    kinds = DnaEvent

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.ids = vocabulary.ids
        self.needed = [self.ids.get(each) for each in (OPEN, CLOSE, UNKNOWN)]

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Item]:
        """Text, and the tokens of the DNA in it."""
        if None in self.needed:
            return [segment]
        text, starts, ends = segment
        items: list[Item] = []
        opening, closing = OPEN.decode(), CLOSE.decode()
        at = 0

        def token(kind: DnaEvent, id: int | None, start: int, end: int) -> None:
            assert id is not None, "the stage does nothing without its tokens"
            emit(kind, starts[start], ends[end - 1], id)
            items.append(Token(id, starts[start], ends[end - 1]))

        while at < len(text):
            start = text.find(opening, at)
            stop = start if start >= 0 else len(text)
            if stop > at:
                emit(DnaEvent.TEXT, starts[at], ends[stop - 1], -1)
                items.append(segment.slice(at, stop))
            if start < 0:
                break
            at = start + len(opening)
            token(DnaEvent.TAG, self.needed[0], start, at)
            end = text.find(closing, at)
            stop = end if end >= 0 else len(text)
            data = text[at:stop].encode()
            of = character_of_each_byte(data)
            letters = data.translate(UPPER)
            for first in range(0, len(letters), LETTERS):
                group = letters[first : first + LETTERS]
                id = self.ids.get(group.ljust(LETTERS, b"A") + MARK)
                kind = DnaEvent.UNKNOWN if id is None else DnaEvent.GROUP if len(group) == LETTERS else DnaEvent.FILLED
                token(kind, self.needed[2] if id is None else id, at + of[first], at + of[first + len(group) - 1] + 1)
            if end < 0:
                break
            at = end + len(closing)
            token(DnaEvent.TAG, self.needed[1], end, at)
        return items
