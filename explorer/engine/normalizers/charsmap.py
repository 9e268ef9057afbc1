"""SentencePiece's normalization: a precompiled character map, then rules for white space.

A model trained with sentencepiece carries its Unicode normalization (mostly `nmt_nfkc`, NFKC with additions) as a
binary table: a double-array trie over UTF-8 bytes (Darts-clone) whose values are offsets into a block of
NUL-terminated strings (`PrecompiledCharsmap`). At each position the longest prefix in the trie is replaced by its
string; a character that no rule matches stays. Three programs read the same table differently:

- sentencepiece (`normalizer.cc`) takes the longest match and leaves user-defined symbols unchanged; then it trims white
  space, prepends (or appends) a ▁, and writes spaces as ▁.
- llama.cpp (`llm_tokenizer_ugm_session::normalize`) takes the longest match, too, but also leaves *prefixes* of
  user-defined tokens unchanged, and writes the ▁ before each word rather than for each space.
- Hugging Face (`spm_precompiled`) goes grapheme by grapheme and takes the *shortest* match; see `huggingface`.

Left out: where a prefix of a user-defined token ends within a character, llama.cpp splits the character into two
invalid halves; here whole characters are compared. A table with a rule that ends within a character is refused.
`charsmap_replay` has the text after each event.
"""

import sys
from array import array
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.budget import turns
from explorer.engine.part import BySegment, Emit, LengthBudget, Segment
from explorer.engine.partition.user_defined import SymbolTree
from explorer.errors import InputError
from explorer.vocabulary import SPACE_MARK

SPACE = " "


class CharsmapEvent(IntEnum):
    """What a `CharsmapRow` says."""

    MAP = 0
    """The longest prefix that has a rule: code points [at, at + size) become the string `value`."""
    SHORTER = 1
    """The shorter prefix [at, at + size) has a rule, too, but a longer one has one."""
    KEEP = 2
    """No rule matches at the code point `at`: it stays."""
    USER_DEFINED = 3
    """Code points [at, at + size) are a user-defined piece, which the map does not touch."""
    BEGINNING = 4
    """The same for a mere prefix of a user-defined piece, as llama.cpp does."""
    PREFIX = 5
    """A space is inserted before the code point `at`."""
    SUFFIX = 6
    """A space is appended, at the code point `at`."""
    ESCAPE = 7
    """The white space from code points [at, at + size) is written as one ▁."""
    DROP = 8
    """The white space from code points [at, at + size) is dropped: it is at an end or follows other white space."""
    CUT = 9
    """The code point `at` begins with bytes of a user-defined piece, which stay; the rest is not valid UTF-8."""


class CharsmapRow(NamedTuple):
    """One decision of the character map or a white space rule."""

    kind: int
    """A `CharsmapEvent`."""
    at: int
    """First code point in the original text."""
    size: int
    """Number of code points in the original text; 0 for PREFIX and SUFFIX."""
    value: int
    """Byte offset of the string in the map's strings; -1 for none."""


class Chunk(NamedTuple):
    """Code points [start, end) of a segment and their replacement. Spaces are trimmed chunk by chunk."""

    start: int
    end: int
    text: str


Note = Callable[[CharsmapEvent, int, int, int], None]
"""The sink of a search or a white space rule: kind, first code point of the segment, number of code points, value."""


LABEL_MASK = 1 << 31 | 0xFF
"""Bits of a unit that must equal the byte that leads to it; bit 31 marks a unit that holds a value."""

HAS_VALUE = 1 << 8
"""Bit of a unit whose node ends a rule; the unit at its base holds the value."""

VALUE_MASK = (1 << 31) - 1
"""Bits of the value."""

BLOCK_BYTES = 1024
"""The trie consists of blocks of 256 units; all children of a node are in one block."""

MAX_TRIE = 1 << 24
"""Maximum size of a trie in bytes. The largest known have 300,000."""


def offset_of(unit: int) -> int:
    """The distance from a node to the base of its children; with bit 9 it counts in blocks of 256."""
    return (unit >> 10) << ((unit & 1 << 9) >> 6)


class PrecompiledCharsmap:
    """The table: a trie and the strings its values point to.

    data: as in the file: the size of the trie in bytes (4 bytes, little endian), the trie in units of 32 bits, the
    strings. checked: whether that was done before. Raises InputError if these are inconsistent or a value points
    outside the strings.

    >>> import explorer
    >>> table = explorer.load("xlm-r").parts[1].charsmap
    >>> [(length, table.string(value)) for length, value in table.matches("ﬁne".encode(), 0)]
    [(3, 'fi')]
    """

    __slots__ = ("_strings", "name", "strings", "units")

    def __init__(self, data: bytes, name: str, *, checked: bool = False) -> None:
        self.name = name
        if len(data) < 4:
            raise self.error(f"it has {len(data)} bytes, but the size of its trie takes 4")
        size = int.from_bytes(data[:4], "little")
        if size % BLOCK_BYTES or not size or 4 + size >= len(data):
            why = f"the stated size of its trie is {size} bytes (a multiple of {BLOCK_BYTES} is allowed)"
            raise self.error(f"{why}, and {len(data) - 4} bytes follow")
        if size > MAX_TRIE:
            raise self.error(f"its trie has {size} bytes, and the maximum is {MAX_TRIE}")
        self.units = array("I", data[4 : 4 + size])
        if sys.byteorder == "big":
            self.units.byteswap()
        self.strings = data[4 + size :]
        if self.strings[-1]:
            raise self.error("its last string is not terminated by NUL")
        if not checked:
            self._check()
        self._strings: dict[int, str] = {}

    def _check(self) -> None:
        """Checks every pointer, as sentencepiece's `DoubleArray::validate`, so that lookups need no checks."""
        units, end = self.units, len(self.strings)
        if units[0] & (LABEL_MASK | HAS_VALUE) or not units[0] >> 10:
            raise self.error("the root of its trie is invalid: it has a label or a value, or no children")
        for index, unit in enumerate(units):
            if unit >> 31:
                if unit & VALUE_MASK >= end:
                    raise self.error(f"a rule points to byte {unit & VALUE_MASK} of its strings, which have {end}")
                continue
            base = index ^ offset_of(unit)
            if base | 0xFF >= len(units):
                raise self.error(f"unit {index} of its trie points to unit {base}, outside the {len(units)} units")
            if unit & HAS_VALUE and not units[base] >> 31:
                raise self.error(f"unit {index} of its trie ends a rule, but unit {base} holds no value")

    def matches(self, data: bytes, at: int) -> list[tuple[int, int]]:
        """Every prefix of `data[at:]` that has a rule, shortest first: (length in bytes, offset of its string)."""
        units, found = self.units, []
        node = 0
        unit = units[0]
        for end in range(at, len(data)):
            byte = data[end]
            # a key of the trie ends at NUL, so it cannot contain one
            if not byte:
                break
            # `offset_of`, written out where every character of a text passes
            node ^= (unit >> 10) << ((unit & 1 << 9) >> 6) ^ byte
            unit = units[node]
            if unit & LABEL_MASK != byte:
                break
            if unit & HAS_VALUE:
                value = units[node ^ ((unit >> 10) << ((unit & 1 << 9) >> 6))]
                found.append((end + 1 - at, value & VALUE_MASK))
        return found

    def begins_none(self, data: bytes) -> bool:
        """Whether no rule is a prefix of these bytes, and none begins with all of them. NUL ends them."""
        units = self.units
        node = 0
        for byte in data:
            if not byte:
                return True
            node ^= offset_of(units[node]) ^ byte
            if units[node] & LABEL_MASK != byte:
                return True
            if units[node] & HAS_VALUE:
                return False
        return False

    def string(self, value: int) -> str:
        """The string at a byte offset; it ends at the next NUL."""
        text = self._strings.get(value)
        if text is None:
            data = self.strings[value : self.strings.index(0, value)]
            try:
                text = self._strings[value] = data.decode()
            except UnicodeDecodeError:
                raise self.error(f"its string at byte {value} ({data.hex(' ').upper()}) is not UTF-8") from None
        return text

    def rule(self, data: bytes, at: int, length: int) -> str:
        """The characters of a match. Raises InputError if it ends within a character."""
        try:
            return data[at : at + length].decode()
        except UnicodeDecodeError:
            cut = data[at : at + length].hex(" ").upper()
            raise self.error(f"it has a rule for {cut}, which ends within a character") from None

    def error(self, why: str) -> InputError:
        """The error about a damaged table."""
        return InputError(f"{self.name}: the precompiled character map is damaged: {why}; fetch the file again")


class Whitespace(NamedTuple):
    """sentencepiece's settings for white space, by its names.

    add_dummy_prefix: prepend a ▁ to the text, or append it with treat_whitespace_as_suffix.
    remove_extra_whitespaces: reduce runs of spaces to one, and strip them at both ends.
    escape_whitespaces: write a space as ▁.
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False

    @property
    def space(self) -> str:
        """How a space is written."""
        return SPACE_MARK if self.escape_whitespaces else SPACE


class AlignedText:
    """A text under construction: each code point with the span of the segment it comes from."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.starts, self.ends = array("i"), array("i")

    def put(self, ch: str, start: int, end: int) -> None:
        """Appends one code point."""
        self.text.append(ch)
        self.starts.append(start)
        self.ends.append(end)

    def pop(self) -> tuple[int, int]:
        """Removes the last code point and returns its span."""
        self.text.pop()
        return self.starts.pop(), self.ends.pop()


WhitespaceRule = Callable[[Sequence[Chunk], Whitespace, Note], AlignedText]
"""Makes the text from its chunks."""


def sentencepiece_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> AlignedText:
    """The rule of sentencepiece's `Normalizer::Normalize`.

    Spaces are trimmed from the *beginning of a chunk* that follows a space, so two spaces within one string of the map
    stay. Every trailing ▁ is removed, including one of the original text and the dummy prefix of an empty text.
    """
    written, space = AlignedText(), rules.space
    first = 0
    if rules.remove_extra_whitespaces:
        while first < len(chunks) and chunks[first].text == SPACE:
            note(CharsmapEvent.DROP, chunks[first].start, chunks[first].end - chunks[first].start, -1)
            first += 1
        if first == len(chunks):
            return written
    if rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix:
        at = chunks[first].start if first < len(chunks) else 0
        note(CharsmapEvent.PREFIX, at, 0, -1)
        written.put(space, at, at)
    after_space = rules.remove_extra_whitespaces
    for start, end, text in chunks[first:]:
        kept = text.lstrip(SPACE) if after_space else text
        if len(kept) < len(text):
            note(CharsmapEvent.DROP, start, end - start, -1)
        for ch in kept:
            if ch == SPACE and rules.escape_whitespaces:
                note(CharsmapEvent.ESCAPE, start, end - start, -1)
                ch = SPACE_MARK
            written.put(ch, start, end)
        if kept:
            after_space = kept.endswith(SPACE) and rules.remove_extra_whitespaces
    at = chunks[-1].end if chunks else 0
    if rules.remove_extra_whitespaces:
        while written.text and written.text[-1] == space:
            at, end = written.pop()
            note(CharsmapEvent.DROP, at, end - at, -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        note(CharsmapEvent.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written


def llama_cpp_whitespace(chunks: Sequence[Chunk], rules: Whitespace, note: Note) -> AlignedText:
    """The rule of llama.cpp's `llm_tokenizer_ugm_session::normalize`.

    With remove_extra_whitespaces a ▁ is written before each word, including the first, whatever add_dummy_prefix says;
    a space only ends a word. Otherwise every space is written, and the prefix goes before the first character that is
    not a space.
    """
    written, space = AlignedText(), rules.space
    prefix = rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix
    merge = rules.remove_extra_whitespaces
    in_word = False
    run: tuple[int, int] | None = None
    """the span of the spaces since the last word, with merge"""
    for start, end, text in chunks:
        for ch in text:
            if ch == SPACE:
                in_word = False
                if merge:
                    run = (run[0] if run else start, end)
                else:
                    note(CharsmapEvent.ESCAPE, start, end - start, -1)
                    written.put(space, start, end)
                continue
            if not in_word:
                in_word = True
                if merge and run:
                    note(CharsmapEvent.ESCAPE, run[0], run[1] - run[0], -1)
                    written.put(space, *run)
                elif merge or prefix:
                    note(CharsmapEvent.PREFIX, start, 0, -1)
                    written.put(space, start, start)
                run, prefix = None, False
            written.put(ch, start, end)
    if run:
        note(CharsmapEvent.DROP, run[0], run[1] - run[0], -1)
    if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix:
        at = chunks[-1].end if chunks else 0
        note(CharsmapEvent.SUFFIX, at, 0, -1)
        written.put(space, at, at)
    return written


Search = Callable[["PrecompiledCharsmap | None", SymbolTree, str, Note], list[Chunk]]
"""Divides a text into chunks by looking it up in the map."""


def longest_match(
    charsmap: PrecompiledCharsmap | None,
    user_defined: SymbolTree,
    text: str,
    note: Note,
) -> list[Chunk]:
    """The search of sentencepiece and llama.cpp: from the left, the longest prefix that has a rule."""
    data = text.encode()
    chunks: list[Chunk] = []
    budget = LengthBudget("the character map", len(text))
    at = byte = made = 0
    cut = 0
    """the bytes of the character at `at` that belong to the user-defined piece before it"""
    for _ in turns(len(text), "the normalizer"):
        if at >= len(text):
            break
        size = 0 if cut else user_defined.length(text, at)
        cut = cut or user_defined.cut(text, at, size)
        if size:
            replaced = source = text[at : at + size]
            note(CharsmapEvent.USER_DEFINED if user_defined.is_whole(source) else CharsmapEvent.BEGINNING, at, size, -1)
        elif cut:
            size, source = 1, text[at]
            replaced, cut = user_defined.cut_up(source, cut), 0
            note(CharsmapEvent.CUT, at, 1, -1)
        elif charsmap is not None and (found := charsmap.matches(data, byte)):
            for length, value in found[:-1]:
                note(CharsmapEvent.SHORTER, at, len(charsmap.rule(data, byte, length)), value)
            length, value = found[-1]
            source, replaced = charsmap.rule(data, byte, length), charsmap.string(value)
            size = len(source)
            note(CharsmapEvent.MAP, at, size, value)
        else:
            size, replaced = 1, text[at]
            source = replaced
            note(CharsmapEvent.KEEP, at, 1, -1)
        made += len(replaced)
        budget.check(made)
        chunks.append(Chunk(at, at + size, replaced))
        at += size
        byte += len(source.encode())
    return chunks


class CharsmapNormalization(BySegment):
    """The stage: for each segment the map, then white space.

    charsmap: None for a model without one (`identity`). search, whitespace: the variants of one program.

    >>> from explorer.engine.part import Options
    >>> stage = CharsmapNormalization(None)
    >>> stage.run([Segment.of("a  b ")], Options(), lambda *row: None)[0].text
    '▁a▁b'
    """

    name = "normalize"
    what = "the normalizer"
    row = CharsmapRow
    kinds = CharsmapEvent

    def __init__(
        self,
        charsmap: PrecompiledCharsmap | None,
        rules: Whitespace = Whitespace(),  # noqa: B008  # immutable
        user_defined: SymbolTree | None = None,
        *,
        search: Search = longest_match,
        whitespace: WhitespaceRule = sentencepiece_whitespace,
    ) -> None:
        self.charsmap, self.rules = charsmap, rules
        self.user_defined = user_defined or SymbolTree(())
        self.search, self.whitespace = search, whitespace

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Segment]:
        """The segment normalized; none if it becomes empty."""
        made = self.apply(segment, emit)
        return [made] if made.text else []

    def apply(self, segment: Segment, emit: Emit) -> Segment:
        """One segment normalized. Raises InputError if the text gets too long."""
        starts, ends = segment.starts, segment.ends

        def note(kind: CharsmapEvent, at: int, size: int, value: int) -> None:
            start = starts[at] if at < len(starts) else ends[-1]
            emit(kind, start, ends[at + size - 1] - start if size else 0, value)

        def start_of(at: int) -> int:
            return starts[at] if at < len(starts) else ends[-1]

        chunks = self.search(self.charsmap, self.user_defined, segment.text, note)
        written = self.whitespace(chunks, self.rules, note)
        spans = zip(written.starts, written.ends, strict=True)
        placed = [(start_of(a), ends[b - 1] if b > a else start_of(a)) for a, b in spans]
        return Segment("".join(written.text), array("i", [a for a, _ in placed]), array("i", [b for _, b in placed]))
