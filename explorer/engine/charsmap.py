"""The precompiled character map of SentencePiece models, and the white space rules that go with it.

A model trained with sentencepiece carries its Unicode normalization (NFKC with additions, `nmt_nfkc`, mostly) as a
binary table: a double-array trie over UTF-8 bytes (Darts-clone) whose values are offsets into a block of
NUL-terminated strings. At every place of the text the longest prefix that the trie knows is replaced by its string; a
character that begins no rule stays. Three programs read the same table and do not do the same:

- sentencepiece (`normalizer.cc`) takes the longest match; user-defined symbols pass unchanged; white space is then
  trimmed, a ▁ put in front (or behind), spaces written ▁.
- llama.cpp (`llm_tokenizer_ugm_session::normalize`) takes the longest match as well, but lets *beginnings* of
  user-defined tokens pass, too, and writes the ▁ before each word rather than for each space.
- Hugging Face (`spm_precompiled`) goes grapheme by grapheme and takes the *shortest* match; see `precompiled`.

Left out: where llama.cpp's beginning of a user-defined token ends within a character, it cuts the character in two
broken halves; here whole characters are compared. And a table with a rule that ends within a character is refused.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any, Final, NamedTuple

from explorer.engine.items import Item, Items, Segment
from explorer.engine.length_limit import Room
from explorer.engine.limits.budget import asking, turns
from explorer.engine.options import Options
from explorer.errors import InputError
from explorer.trace import Emit

SPACE, ESCAPED_SPACE = " ", "▁"

LABEL_MASK = 1 << 31 | 0xFF
"""Bits of a unit that must equal the byte that leads to it; bit 31 marks a unit that holds a value."""
HAS_VALUE = 1 << 8
VALUE_MASK = (1 << 31) - 1

BLOCK_BYTES = 1024
"""The trie is a row of blocks of 256 units; all children of a node lie in one."""

MAX_TRIE = 1 << 24
"""Bytes of a trie. The largest known have 300,000."""

MAX_PREFIXES = 64
"""sentencepiece: how many user-defined pieces that begin at one place are looked at, the shortest first."""


class Charsmap(IntEnum):
    """What a `CharsmapRow` says."""

    MAP = 0
    """The longest prefix the map knows: code points [at, at + size) become its string `value`."""
    SHORTER = 1
    """A shorter prefix [at, at + size) has a rule, too; a longer one was found."""
    KEEP = 2
    """No rule begins at the code point `at`: it stays."""
    USER_DEFINED = 4
    """Code points [at, at + size) are a user-defined piece: the map is not asked."""
    BEGINNING = 5
    """The same for the mere beginning of a user-defined piece, as llama.cpp does."""
    PREFIX = 6
    """A space is put in front of the code point `at`."""
    SUFFIX = 7
    """A space is put behind, at the code point `at`."""
    ESCAPE = 8
    """The white space from code points [at, at + size) is written as one ▁."""
    DROP = 9
    """The white space from code points [at, at + size) is dropped: it is at an end or follows other white space."""
    CUT = 10
    """The code point `at` begins with bytes of a user-defined piece, which pass; what is left of it is no text."""


class CharsmapRow(NamedTuple):
    """One decision of the normalization."""

    kind: int
    """A `Charsmap`."""
    at: int
    """First code point, of the original text."""
    size: int
    """How many code points of the original text; 0 for PREFIX and SUFFIX."""
    value: int
    """Where the string lies in the map's strings (byte offset), -1 where there is none."""


class Chunk(NamedTuple):
    """Code points [start, end) of a segment and what they became. Trimming looks at one chunk at a time."""

    start: int
    end: int
    text: str


class PrecompiledCharsmap:
    """The table: a trie and the strings its values point to.

    data: as it lies in the file: 4 bytes (little endian) with the size of the trie in bytes, the trie in units of 32
    bits, the strings. Raises InputError where that does not fit together or a value points outside the strings.

    >>> import explorer
    >>> table = explorer.load("xlm-r").parts[1].charsmap
    >>> [(length, table.string(value)) for length, value in table.matches("ﬁne".encode(), 0)]
    [(3, 'fi')]
    """

    __slots__ = ("_strings", "name", "strings", "units")

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        if len(data) < 4:
            raise self.error(f"it has {len(data)} bytes, and 4 are needed to say how long its trie is")
        size = int.from_bytes(data[:4], "little")
        if size % BLOCK_BYTES or not size or 4 + size >= len(data):
            why = f"its trie is said to have {size} bytes (a multiple of {BLOCK_BYTES} is allowed)"
            raise self.error(f"{why}, and {len(data) - 4} follow")
        if size > MAX_TRIE:
            raise self.error(f"its trie has {size} bytes, and at most {MAX_TRIE} are read")
        self.units = array("I", data[4 : 4 + size])
        if sys.byteorder == "big":
            self.units.byteswap()
        self.strings = data[4 + size :]
        if self.strings[-1]:
            raise self.error("its last string has no end (no NUL)")
        self._check()
        self._strings: dict[int, str] = {}

    def _check(self) -> None:
        """Nothing points outside. So says sentencepiece's `DoubleArray::validate`, and a lookup needs no check."""
        units, end = self.units, len(self.strings)
        if units[0] & (LABEL_MASK | HAS_VALUE) or not units[0] >> 10:
            raise self.error("the root of its trie is none: it has a label or a value, or leads nowhere")
        for place, unit in enumerate(units):
            if unit >> 31:
                if unit & VALUE_MASK >= end:
                    raise self.error(f"a rule points to byte {unit & VALUE_MASK} of its strings, which have {end}")
                continue
            base = place ^ (unit >> 10) << ((unit & 1 << 9) >> 6)
            if base | 0xFF >= len(units):
                raise self.error(f"unit {place} of its trie points to unit {base} of {len(units)}, outside itself")
            if unit & HAS_VALUE and not units[base] >> 31:
                raise self.error(f"unit {place} of its trie is to end a rule, and unit {base} holds no value")

    def matches(self, data: bytes, at: int) -> list[tuple[int, int]]:
        """Every prefix of `data[at:]` that has a rule, shortest first: (length in bytes, offset of its string)."""
        units, found = self.units, []
        node = 0
        unit = units[0]
        for place in range(at, len(data)):
            byte = data[place]
            # a key of the trie ends at NUL, so none can contain one
            if not byte:
                break
            # the base of a node; bit 9 says that it counts in blocks of 256
            node ^= (unit >> 10) << ((unit & 1 << 9) >> 6) ^ byte
            unit = units[node]
            if unit & LABEL_MASK != byte:
                break
            if unit & HAS_VALUE:
                value = units[node ^ ((unit >> 10) << ((unit & 1 << 9) >> 6))]
                found.append((place + 1 - at, value & VALUE_MASK))
        return found

    def string(self, value: int) -> str:
        """The string at a byte offset; it ends at the next NUL."""
        text = self._strings.get(value)
        if text is None:
            data = self.strings[value : self.strings.index(0, value)]
            try:
                text = self._strings[value] = data.decode()
            except UnicodeDecodeError:
                raise self.error(f"its string at byte {value} ({data.hex(' ').upper()}) is no UTF-8") from None
        return text

    def rule(self, data: bytes, at: int, length: int) -> str:
        """The characters of a match. Raises InputError where it ends within one."""
        try:
            return data[at : at + length].decode()
        except UnicodeDecodeError:
            cut = data[at : at + length].hex(" ").upper()
            raise self.error(f"it has a rule for {cut}, which ends within a character") from None

    def error(self, why: str) -> InputError:
        return InputError(f"{self.name}: the precompiled character map is damaged: {why}; fetch the file again")


MAX_SYMBOLS: Final = 1 << 19
"""Characters of all user-defined pieces together: each may take a node, which has 200 bytes. The largest known
vocabularies have some thousand such pieces."""


class UserDefined:
    """The user-defined pieces, which no map changes: the longest that stands at a place of the text.

    Raises InputError for more characters than any vocabulary has.

    As in sentencepiece, which asks for them with room for 64 answers, of more that begin alike the shortest 64 count.

    stand_in: take the beginning of such a piece for the whole, as llama.cpp does, byte by byte: of a character that
    only begins like one of the piece's the bytes that are the same pass, and each byte left becomes U+FFFD. What is no
    text then is written as this character, which no piece of the vocabulary has.

    >>> UserDefined(["[user]"]).length("[us", 0), UserDefined(["[user]"], stand_in="\uffff").length("[us", 0)
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
        """nodes of the tree, by `id`, with what the characters behind them begin with in bytes"""
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
        node, found, place = self._root, 0, at
        left = MAX_PREFIXES
        while left and place < len(text) and (after := node.get(text[place])) is not None:
            node, place = after, place + 1
            if self.stand_in:
                found = place - at
            elif "" in node:
                found = place - at
                left -= 1
        return found

    def symbols(self) -> Iterator[str]:
        """All of them.

        >>> sorted(UserDefined(["ab", "a"]).symbols())
        ['a', 'ab']
        """
        ways: list[tuple[str, dict[str, Any]]] = [("", self._root)]
        while ways:
            symbol, node = ways.pop()
            for ch, after in node.items():
                if ch:
                    ways.append((symbol + ch, after))
                else:
                    yield symbol

    @property
    def breaks_characters(self) -> bool:
        """Whether a character may pass in part, and take what follows along."""
        return bool(self._bytes)

    def cut(self, text: str, at: int, size: int) -> int:
        """How many bytes of the character behind `text[at : at + size]` pass with that.

        >>> UserDefined(["é"], stand_in="\uffff").cut("è", 0, 0), UserDefined(["é"]).cut("è", 0, 0)
        (1, 0)
        """
        place = at + size
        if not self._bytes or place == len(text) or text[place] < "\x80":
            return 0
        node = self._root
        for ch in text[at:place]:
            node = node[ch]
        data = text[place].encode()
        return next((end for end in range(len(data) - 1, 0, -1) if (id(node), data[:end]) in self._bytes), 0)

    def cut_up(self, ch: str, passed: int) -> str:
        """What is read of a character of which so many bytes pass, with U+FFFD, of three bytes, for each other one.

        Whoever reads that goes by the first byte, so it takes as many of what follows for the character as that had.
        """
        left = len(ch.encode()) - passed
        return self.stand_in * (4 - left) + "\ufffd" * (left - 1)

    def is_whole(self, symbol: str) -> bool:
        node = self._root
        for ch in symbol:
            node = node[ch]
        return "" in node


Note = Callable[[Charsmap, int, int, int], None]
"""What a search or a white space rule calls: kind, first code point of the segment, how many, value."""

Search = Callable[["PrecompiledCharsmap | None", UserDefined, str, Note], list[Chunk]]
"""How a text is looked up; gives its chunks."""


def longest_match(
    charsmap: PrecompiledCharsmap | None,
    user_defined: UserDefined,
    text: str,
    note: Note,
) -> list[Chunk]:
    """As sentencepiece and llama.cpp: from the left, the longest prefix that has a rule."""
    data = text.encode()
    chunks: list[Chunk] = []
    room = Room("the character map", len(text))
    at = byte = made = 0
    cut = 0
    """so many bytes of the character at `at` passed with the user-defined piece before it"""
    for _ in turns(len(text), "the normalizer"):
        if at >= len(text):
            break
        size = 0 if cut else user_defined.length(text, at)
        cut = cut or user_defined.cut(text, at, size)
        if size:
            replaced = source = text[at : at + size]
            note(Charsmap.USER_DEFINED if user_defined.is_whole(source) else Charsmap.BEGINNING, at, size, -1)
        elif cut:
            size, source = 1, text[at]
            replaced, cut = user_defined.cut_up(source, cut), 0
            note(Charsmap.CUT, at, 1, -1)
        elif charsmap is not None and (found := charsmap.matches(data, byte)):
            for length, value in found[:-1]:
                note(Charsmap.SHORTER, at, len(charsmap.rule(data, byte, length)), value)
            length, value = found[-1]
            source, replaced = charsmap.rule(data, byte, length), charsmap.string(value)
            size = len(source)
            note(Charsmap.MAP, at, size, value)
        else:
            size, replaced = 1, text[at]
            source = replaced
            note(Charsmap.KEEP, at, 1, -1)
        made += len(replaced)
        room.check(made)
        chunks.append(Chunk(at, at + size, replaced))
        at += size
        byte += len(source.encode())
    return chunks


class Whitespace(NamedTuple):
    """How white space is treated, with the names of sentencepiece's settings.

    add_dummy_prefix: put a ▁ in front of the text, or behind with treat_whitespace_as_suffix.
    remove_extra_whitespaces: of a run of spaces keep one, at the ends none.
    escape_whitespaces: write a space as ▁.
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False

    @property
    def space(self) -> str:
        return ESCAPED_SPACE if self.escape_whitespaces else SPACE


class Written:
    """The text being written, each code point with the span of the segment it comes from."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.starts, self.ends = array("i"), array("i")

    def put(self, ch: str, start: int, end: int) -> None:
        self.text.append(ch)
        self.starts.append(start)
        self.ends.append(end)

    def pop(self) -> tuple[int, int]:
        """Takes the last code point back; gives its span."""
        self.text.pop()
        return self.starts.pop(), self.ends.pop()


WhitespaceRule = Callable[[Sequence[Chunk], Whitespace, Note], Written]
"""How the text is written from its chunks."""


def sentencepiece_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> Written:
    """As sentencepiece's `Normalizer::Normalize`.

    Spaces are trimmed from the *beginning of a chunk* that follows a space, so two spaces within one string of the map
    stay. At the end every ▁ goes, one that stood in the text and the dummy prefix of an empty text as well.
    """
    written, space = Written(), rules.space
    first = 0
    if rules.remove_extra_whitespaces:
        while first < len(chunks) and chunks[first].text == SPACE:
            note(Charsmap.DROP, chunks[first].start, chunks[first].end - chunks[first].start, -1)
            first += 1
        if first == len(chunks):
            return written
    if rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix:
        at = chunks[first].start if first < len(chunks) else 0
        note(Charsmap.PREFIX, at, 0, -1)
        written.put(space, at, at)
    after_space = rules.remove_extra_whitespaces
    for start, end, text in chunks[first:]:
        kept = text.lstrip(SPACE) if after_space else text
        if len(kept) < len(text):
            note(Charsmap.DROP, start, end - start, -1)
        for ch in kept:
            if ch == SPACE and rules.escape_whitespaces:
                note(Charsmap.ESCAPE, start, end - start, -1)
                ch = ESCAPED_SPACE
            written.put(ch, start, end)
        if kept:
            after_space = kept.endswith(SPACE) and rules.remove_extra_whitespaces
    at = chunks[-1].end if chunks else 0
    if rules.remove_extra_whitespaces:
        while written.text and written.text[-1] == space:
            at, end = written.pop()
            note(Charsmap.DROP, at, end - at, -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        note(Charsmap.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written


def llama_cpp_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> Written:
    """As llama.cpp's `llm_tokenizer_ugm_session::normalize`.

    With remove_extra_whitespaces the ▁ is written before each word, the first one too, whatever add_dummy_prefix says;
    a space only ends the word. Without, every space is written, and the prefix comes before the first character that
    is none, after the spaces in front of it.
    """
    written, space = Written(), rules.space
    prefix = rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix
    merge = rules.remove_extra_whitespaces
    in_word = False
    run: tuple[int, int] | None = None
    """the spaces since the last word, with merge"""
    for start, end, text in chunks:
        for ch in text:
            if ch == SPACE:
                in_word = False
                if merge:
                    run = (run[0] if run else start, end)
                else:
                    note(Charsmap.ESCAPE, start, end - start, -1)
                    written.put(space, start, end)
                continue
            if not in_word:
                in_word = True
                if merge and run:
                    note(Charsmap.ESCAPE, run[0], run[1] - run[0], -1)
                    written.put(space, *run)
                elif merge or prefix:
                    note(Charsmap.PREFIX, start, 0, -1)
                    written.put(space, start, start)
                run, prefix = None, False
            written.put(ch, start, end)
    if run:
        note(Charsmap.DROP, run[0], run[1] - run[0], -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        at = chunks[-1].end if chunks else 0
        note(Charsmap.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written


class CharsmapNormalization:
    """The stage: the map, then white space, for each segment.

    charsmap: None where the model has none (`identity`). search and whitespace: whose way it is done.

    >>> stage = CharsmapNormalization(None)
    >>> stage.run([Segment.of("a  b ")], Options(), lambda *row: None)[0].text
    '▁a▁b'
    """

    name = "normalize"
    row = CharsmapRow
    kinds = Charsmap

    def __init__(
        self,
        charsmap: PrecompiledCharsmap | None,
        rules: Whitespace = Whitespace(),  # noqa: B008  # immutable
        user_defined: UserDefined | None = None,
        *,
        search: Search = longest_match,
        whitespace: WhitespaceRule = sentencepiece_whitespace,
    ) -> None:
        self.charsmap, self.rules = charsmap, rules
        self.user_defined = user_defined or UserDefined(())
        self.search, self.whitespace = search, whitespace

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """A segment of which nothing is left is left out."""
        done: list[Item] = []
        for item in asking(items, "the normalizer"):
            if isinstance(item, Segment):
                item = self.apply(item, emit)
                if not item.text:
                    continue
            done.append(item)
        return done

    def apply(self, segment: Segment, emit: Emit) -> Segment:
        starts, ends = segment.starts, segment.ends

        def note(kind: Charsmap, at: int, size: int, value: int) -> None:
            start = starts[at] if at < len(starts) else ends[-1]
            emit(kind, start, ends[at + size - 1] - start if size else 0, value)

        def start_of(at: int) -> int:
            return starts[at] if at < len(starts) else ends[-1]

        chunks = self.search(self.charsmap, self.user_defined, segment.text, note)
        written = self.whitespace(chunks, self.rules, note)
        spans = zip(written.starts, written.ends, strict=True)
        placed = [(start_of(a), ends[b - 1] if b > a else start_of(a)) for a, b in spans]
        return Segment("".join(written.text), array("i", [a for a, _ in placed]), array("i", [b for _, b in placed]))
