"""GGUF: the key/value section at the head of a llama.cpp model file, versions 2 and 3.

Follows ggml's `docs/gguf.md`. A file is read in blocks from its start and only until the last key is complete, so a
model of many gigabytes costs no more than a bare vocabulary, on disk or at the other end of a network (`Blocks`). It is
not mapped into memory: a mapped file that another program shortens ends the process. Every length is checked against
the bytes that are left.

`file` writes such a section: a vocabulary, which llama.cpp loads as one (`vocab_only`). A key that is not changed is
written from its bytes (`pairs`), so its type stays.

Left out: tensors (their descriptions and data follow the header), version 1 (32-bit lengths, no longer in use), and
what gguf.md allows but ggml refuses: arrays of arrays, and on other machines the files of big-endian ones.
"""

from __future__ import annotations

import os
import struct
import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias

from explorer.errors import InputError, shown
from explorer.formats.files import on_one_line, regular_size
from explorer.text import first_fault
from explorer.vocabulary import Vocabulary

Value: TypeAlias = "int | float | bool | str | list[bytes] | array[int] | array[float]"
"""The value of a key.

A number, a Boolean or a string is itself. An array of strings is a list of bytes (a token need not be UTF-8), an array
of numbers an `array.array` of the width in the file, and an array of Booleans an array of 0 and 1.
"""

VERSIONS = (2, 3)
MAX_KEY = 65_535
"""Bytes of a key, the limit of gguf.md."""
MAX_HEAD = 1 << 27
"""Bytes of a file that are read at most, counted from its start."""
MAX_KEPT = 1 << 27
"""Bytes of all values that are kept. The largest known vocabularies take 20 million."""
MAX_PAIRS = 1 << 16
"""Keys in a file. The largest known files have a few hundred."""
MAX_ITEMS = 1 << 23
"""Strings in arrays of the whole file, kept or not. Each costs time, and some take six times the memory they take in
the file. The largest known vocabularies have a million with their merges."""

# gguf_metadata_value_type: number in the file -> letter of the `struct` module, which is also `array`'s
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 10: "Q", 11: "q", 12: "d"}
_BOOL, _STRING, _ARRAY = 7, 8, 9
# The fewest bytes of a key with its value, and of a string: a count that needs more is wrong.
_LEAST_PAIR, _LEAST_STRING = 8 + 1 + 4 + 1, 8

_DAMAGED = "the file is damaged or incomplete; fetch it again"


@dataclass(frozen=True, slots=True)
class Gguf:
    """The head of a GGUF file: its version, the number of tensors, its keys in the file's order.

    head: the bytes of the file up to the end of the last key. size: bytes of the whole file. vocabulary: of its tokens,
    where that was checked before.
    """

    version: int
    tensor_count: int
    metadata: dict[str, Value]
    head: bytes = field(default=b"", repr=False, compare=False)
    size: int = field(default=0, compare=False)
    vocabulary: Vocabulary | None = field(default=None, repr=False, compare=False)


class Blocks(Protocol):
    """A file that is read in blocks. size: bytes of the whole file. block: bytes that one `read` should ask for."""

    @property
    def size(self) -> int: ...

    @property
    def block(self) -> int: ...

    def read(self, start: int, count: int) -> bytes:
        """The bytes [start, start + count), fewer only if the file has become shorter. Raises InputError, OSError."""


class LocalBlocks(NamedTuple):
    """An open file on this machine."""

    file: BinaryIO
    size: int
    block: int = 1 << 20

    def read(self, start: int, count: int) -> bytes:
        """Its bytes [start, start + count)."""
        self.file.seek(start)
        return self.file.read(count)


def read(source: Path | bytes | Blocks, wanted: Callable[[str], bool] | None = None, name: str = "") -> Gguf:
    """Reads the key/value section of a GGUF file, or of the bytes of one.

    wanted: whether to keep the value of a key; other keys are skipped and missing in `metadata`. name: what errors call
    the file; its path by default.

    Raises InputError, naming the file and the key or byte offset, if it cannot be opened, is another kind of file,
    ends too early, or breaks a rule of the format.

    >>> head = read(Path("vocabs/ggml-vocab-llama-spm.gguf"))
    >>> head.version, head.metadata["tokenizer.ggml.model"], head.metadata["tokenizer.ggml.tokens"][1]
    (3, 'llama', b'<s>')
    """
    if not isinstance(source, Path):
        return _Reader(source, on_one_line(name or "these bytes")).head(wanted)
    name = on_one_line(name or os.fspath(source))
    regular_size(source, name, "the .gguf file")
    try:
        with open(source, "rb") as file:
            return _Reader(LocalBlocks(file, os.fstat(file.fileno()).st_size), name).head(wanted)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); check its permissions") from None


class Pair(NamedTuple):
    """A key as it is in the file. data: its value, after the number of its type."""

    key: str
    kind: int
    data: bytes


class Pairs(NamedTuple):
    """The head of a file in pieces that can be written again."""

    version: int
    tensor_count: int
    pairs: tuple[Pair, ...]


def pairs(data: bytes, name: str = "") -> Pairs:
    """The keys of a file without reading their values. Raises InputError as `read` does.

    >>> found = pairs(Path("vocabs/ggml-vocab-llama-spm.gguf").read_bytes())
    >>> found.pairs[0].key, found.pairs[0].data[8:]
    ('general.architecture', b'llama')
    """
    reader = _Reader(data, on_one_line(name or "these bytes"))
    listed: list[Pair] = []

    def keep(key: str, kind: int) -> None:
        start = reader.at
        reader.skip(kind)
        listed.append(Pair(key, kind, data[start : reader.at]))

    version, tensors = reader.each_key(keep)
    return Pairs(version, tensors, tuple(listed))


class _Reader:
    """Reads one file in order. data: its first bytes. at: the current byte offset. key: the one being read."""

    def __init__(self, source: bytes | Blocks, name: str) -> None:
        self.blocks = None if isinstance(source, bytes) else source
        self.data = source if isinstance(source, bytes) else b""
        self.size = len(source) if isinstance(source, bytes) else source.size
        self.name = name
        self.at = 0
        self.key: str | None = None
        self.kept = self.items = 0

    def head(self, wanted: Callable[[str], bool] | None) -> Gguf:
        """The whole key/value section."""
        metadata: dict[str, Value] = {}

        def keep(key: str, kind: int) -> None:
            if wanted is None or wanted(key):
                metadata[key] = self.value(kind)
            else:
                self.skip(kind)

        version, tensors = self.each_key(keep)
        self.load(self.at)
        return Gguf(version, tensors, metadata, self.data[: self.at], self.size)

    def load(self, end: int) -> None:
        """Reads on until `data` has the first `end` bytes, which is at most `size`."""
        blocks, data = self.blocks, self.data
        if blocks is None or end <= len(data):
            return
        if end > MAX_HEAD:
            raise self.error(f"the keys take more than the first {MAX_HEAD} bytes, the most that is read", self.at)
        # a quarter more at a time, because each block copies what is there already
        step = max(blocks.block, len(data) // 4)
        stop = min(self.size, MAX_HEAD, len(data) + -(-(end - len(data)) // step) * step)
        more = blocks.read(len(data), stop - len(data))
        if len(more) != stop - len(data):
            raise self.error("the file became shorter while it was read", len(data) + len(more))
        self.data = data + more

    def each_key(self, read_value: Callable[[str, int], None]) -> tuple[int, int]:
        """Calls this at the value of every key, with the key and the type; returns version and number of tensors."""
        self.load(min(4, self.size))
        if self.data[:4] != b"GGUF":
            begins = f"begins with {self.data[:4].hex(' ').upper()}" if self.size else "is empty"
            raise InputError(f"{self.name}: this is not a GGUF file: it {begins}; give a .gguf file")
        self.at = 4
        version = self.version()
        tensor_count = self.integer("Q")
        pairs = self.count("keys", _LEAST_PAIR)
        if pairs > MAX_PAIRS:
            raise self.error(f"the file announces {pairs} keys, but at most {MAX_PAIRS} are read", self.at - 8)
        seen = set()
        for _ in range(pairs):
            start = self.at
            self.key = None
            length = self.integer("Q")
            if not 0 < length <= MAX_KEY:
                raise self.error(f"a key has {length} bytes (1 to {MAX_KEY} are allowed)", start)
            key = self.text(length, "a key")
            if key in seen:
                raise self.error(f"the key {shown(key)} occurs twice", start)
            seen.add(key)
            self.key = key
            read_value(key, self.integer("I"))
        return version, tensor_count

    def version(self) -> int:
        """The format's version."""
        version = self.integer("I")
        if version and not version & 0xFFFF:
            advice = "convert it with gguf_convert_endian.py of llama.cpp"
            raise self.error("the file is of a big-endian machine, and llama.cpp refuses it on others", 4, advice)
        if version == 1:
            advice = "convert the model again with llama.cpp's convert_hf_to_gguf.py"
            raise self.error("GGUF version 1 is no longer supported", 4, advice)
        if version not in VERSIONS:
            advice = "use a file made for llama.cpp, or a newer version of this program"
            raise self.error(f"GGUF version {version} is unknown; versions 2 and 3 are supported", 4, advice)
        return version

    def value(self, kind: int) -> Value:
        """The value of type `kind` at the current offset."""
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == _BOOL:
            return self.boolean()
        if kind == _STRING:
            start = self.at
            length = self.integer("Q")
            self.keep(length, start)
            return self.text(length, "the text")
        kind, count = self.array_head(kind)
        return self.strings(count) if kind == _STRING else self.numbers(kind, count)

    def array_head(self, kind: int) -> tuple[int, int]:
        """Type and number of the elements of the array at the current offset, after checking that `kind` is one."""
        if kind != _ARRAY:
            raise self.error(f"unknown value type {kind}", self.at - 4)
        start = self.at
        kind = self.integer("I")
        if kind in _NUMBERS:
            least = struct.calcsize("=" + _NUMBERS[kind])
        elif kind == _BOOL:
            least = 1
        elif kind == _STRING:
            least = _LEAST_STRING
        else:
            raise self.error("an array of arrays" if kind == _ARRAY else f"unknown element type {kind}", start)
        count = self.count("elements", least)
        if kind == _STRING:
            self.items += count
            if self.items > MAX_ITEMS:
                raise self.error(f"more than {MAX_ITEMS} strings, the most that is read", start)
        return kind, count

    def strings(self, count: int, keep: bool = True) -> list[bytes]:
        """`count` strings, or an empty list if they are only skipped."""
        # The file's long loop: a vocabulary has a hundred thousand tokens and more merges. Local names are faster than
        # attributes.
        start, data, at = self.at, self.data, self.at
        most = start + MAX_KEPT - self.kept if keep else self.size
        stop = min(len(data), most)
        length_at = struct.Struct("<Q").unpack_from
        texts = []
        for index in range(count):
            try:
                end = at + 8 + length_at(data, at)[0]
            except struct.error:  # the bytes that are there end in the length
                end = self.size + 1
            if end > stop:
                if end > self.size and at + 8 <= self.size:
                    self.load(at + 8)
                    end = at + 8 + length_at(self.data, at)[0]
                if end > self.size:
                    raise self.error(f"string {index + 1} of {count} extends past the end of the file", at)
                if end > most:
                    self.keep(end - start, start)
                self.load(end)
                data = self.data
                stop = min(len(data), most)
            if keep:
                texts.append(data[at + 8 : end])
            at = end
        if keep:
            self.keep(at - start, start)
        self.at = at
        return texts

    def numbers(self, kind: int, count: int) -> array[int] | array[float]:
        """`count` numbers or Booleans."""
        start = self.at
        values: array[Any] = array("B" if kind == _BOOL else _NUMBERS[kind])
        self.keep(count * values.itemsize, start)
        values.frombytes(self.take(count * values.itemsize))
        if sys.byteorder == "big":
            values.byteswap()
        if kind == _BOOL and count and max(values) > 1:
            raise self.error("a Boolean is neither 0 nor 1", start)
        return values

    def boolean(self) -> bool:
        """One Boolean."""
        value = self.integer("B")
        if value > 1:
            raise self.error(f"a Boolean is {value} (0 and 1 are allowed)", self.at - 1)
        return value == 1

    def skip(self, kind: int) -> None:
        """Skips a value of type `kind`, checking only what is needed to find its end."""
        if kind in _NUMBERS or kind == _BOOL:
            self.take(struct.calcsize("=" + _NUMBERS.get(kind, "B")))
        elif kind == _STRING:
            self.advance(self.integer("Q"))
        else:
            kind, count = self.array_head(kind)
            if kind == _STRING:
                self.strings(count, keep=False)
            else:
                self.advance(count * struct.calcsize("=" + _NUMBERS.get(kind, "B")))

    def count(self, what: str, least: int) -> int:
        """A count of things that take at least `least` bytes each."""
        start = self.at
        count = self.integer("Q")
        if count * least > self.size - self.at:
            raise self.error(f"the file announces {count} {what}, more than the rest of it can hold", start)
        return count

    def number(self, letter: str) -> int | float:
        """One number in the format of a `struct` letter."""
        form = f"<{letter}"
        values: tuple[int | float] = struct.unpack(form, self.take(struct.calcsize(form)))
        return values[0]

    def integer(self, letter: str) -> int:
        """The same for the letter of an integer."""
        return int(self.number(letter))

    def take(self, length: int) -> bytes:
        """The next `length` bytes."""
        start = self.at
        self.advance(length)
        self.load(self.at)
        return self.data[start : self.at]

    def advance(self, length: int) -> None:
        """Moves past `length` bytes."""
        if length > self.size - self.at:
            raise self.error(f"{length} bytes should follow, but the file ends after {self.size - self.at}", self.at)
        self.at += length

    def keep(self, length: int, start: int) -> None:
        """Counts bytes that are kept, and refuses too many."""
        self.kept += length
        if self.kept > MAX_KEPT:
            raise self.error(f"the values up to here take more than {MAX_KEPT} bytes, the most that is read", start)

    def text(self, length: int, what: str) -> str:
        """The next `length` bytes as UTF-8."""
        start = self.at
        data = self.take(length)
        bad = first_fault(data)
        if bad is not None:
            offset, run, fault = bad
            raise self.error(f"{what} is not UTF-8 ({run.hex(' ').upper()}): {fault.value}", start + offset)
        return data.decode()

    def error(self, why: str, at: int, advice: str = _DAMAGED) -> InputError:
        """An InputError that names the file, the key and the byte offset."""
        key = f"key {shown(self.key)}, " if self.key is not None else ""
        return InputError(f"{self.name}: {key}byte offset {at}: {why}; {advice}")


class Kind(IntEnum):
    """Numbers of the types that vocabularies need (`gguf_metadata_value_type`)."""

    UINT32 = 4
    INT32 = 5
    FLOAT32 = 6
    BOOL = 7
    STRING = 8
    ARRAY = 9


def text(key: str, value: str) -> Pair:
    """A key with a string.

    >>> text("a", "b").data
    b'\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00b'
    """
    return Pair(key, Kind.STRING, _string(value.encode()))


def boolean(key: str, value: bool) -> Pair:
    return Pair(key, Kind.BOOL, bytes([value]))


def integer(key: str, value: int) -> Pair:
    """A key with a whole number from 0."""
    return Pair(key, Kind.UINT32, struct.pack("<I", value))


def strings(key: str, values: Sequence[bytes]) -> Pair:
    """A key with an array of strings."""
    return Pair(key, Kind.ARRAY, _head(Kind.STRING, values) + b"".join(map(_string, values)))


def numbers(key: str, values: Sequence[float], of: Kind) -> Pair:
    """A key with an array of numbers. of: FLOAT32 or INT32."""
    letter = "f" if of is Kind.FLOAT32 else "i"
    packed = struct.pack(f"<{len(values)}{letter}", *values)
    return Pair(key, Kind.ARRAY, _head(of, values) + packed)


def file(head: Pairs) -> bytes:
    """The file of these keys, without tensors."""
    parts = [b"GGUF" + struct.pack("<IQQ", head.version, 0, len(head.pairs))]
    for key, kind, data in head.pairs:
        parts += [_string(key.encode()), struct.pack("<I", kind), data]
    return b"".join(parts)


def _string(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def _head(of: Kind, values: Sequence[object]) -> bytes:
    return struct.pack("<IQ", of, len(values))
