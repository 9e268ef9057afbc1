"""Reads a file as a decompressed stream of bytes, and as lines in bounded memory; what happens to invalid text.

Invalid text is invalid UTF-8, half of a surrogate pair in JSON, or null instead of text. It is refused with its
position, or replaced by U+FFFD, or its document is skipped and counted.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, BinaryIO, Final, NamedTuple, cast

from explorer.corpus.sources import CorpusFile
from explorer.errors import InputError, shown
from explorer.text import first_fault

LONGEST: Final = 8_000_000
"""The default limit for one document or line, in bytes: a worker can hold this many times over."""

SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Invalid(StrEnum):
    """What happens to invalid text."""

    REFUSE = "refuse"
    REPLACE = "replace"
    SKIP = "skip"


class Reading(NamedTuple):
    """The options for reading.

    field: the records' text field. label: the records' field that names a group, or empty. whole: a plain text file is
    one document, not one per line. longest: the limit for a line or document in bytes. unpacked: the limit for what a
    compressed file expands to, in bytes; 0 for none.
    """

    field: str = "text"
    label: str = ""
    invalid: Invalid = Invalid.REFUSE
    whole: bool = False
    longest: int = LONGEST
    unpacked: int = 0


def too_long(where: str, longest: int) -> InputError:
    """The error for a line or document that is longer than allowed."""
    return InputError(f"{where} is longer than {longest} bytes; split it, or allow more with --longest SIZE")


def missing(where: str, field: str, fields: list[str], option: str) -> InputError:
    """The error for a record or table without the requested field; lists the fields it has."""
    has = ", ".join([*(shown(each) for each in fields[:8]), *(["…"] if len(fields) > 8 else [])]) or "nothing"
    return InputError(f"{where} has no {shown(field)} (it has {has}); choose one of its fields with {option}")


def check_columns(name: str, columns: list[str], field: str, label: str) -> None:
    """Raises InputError unless a table has exactly one text column, and one label column if requested."""
    for column, option in ((field, "--field"), *([(label, "--label")] if label else [])):
        if column not in columns:
            raise missing(f"{name}: the table", column, columns, option)
        if columns.count(column) > 1:
            raise InputError(f"{name}: the table has several columns {shown(column)}; choose another {option}")


class InvalidTextPolicy:
    """Decodes text according to an `Invalid` setting, and counts the invalid documents."""

    def __init__(self, invalid: Invalid) -> None:
        self.invalid, self.replaced, self.skipped = invalid, 0, 0

    def text(self, data: bytes, name: str, offset: int) -> str | None:
        """The text of the bytes at an offset of a file; None if it is skipped."""
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        if self.invalid == Invalid.REFUSE:
            fault = first_fault(data)
            assert fault is not None  # Python has just refused these bytes
            at, run, why = fault
            raise InputError(
                f"{name}: byte offset {offset + at} ({run.hex(' ').upper()}) is not UTF-8. {why.value} Save it as "
                "UTF-8, or use --invalid replace or --invalid skip"
            )
        return self._replacement(data.decode("utf-8", "replace"))

    def value(self, value: str | None, where: str) -> str | None:
        """The text of a record's field; None if it is skipped. Null and half surrogate pairs are invalid."""
        if value is None:
            if self.invalid == Invalid.SKIP:
                return self._replacement("")
            raise InputError(f"{where} is null, not text; fix it, or use --invalid skip")
        if value.isascii() or not SURROGATE.search(value):
            return value
        if self.invalid == Invalid.REFUSE:
            raise InputError(
                f"{where} contains half of a surrogate pair; fix it, or use --invalid replace or --invalid skip"
            )
        return self._replacement(SURROGATE.sub("\ufffd", value))

    def _replacement(self, text: str) -> str | None:
        """The replacement of an invalid text, or None if it is skipped; counts it either way."""
        if self.invalid == Invalid.SKIP:
            self.skipped += 1
            return None
        self.replaced += 1
        return text


HEAD: Final = 8192
"""The number of first bytes that are checked to tell text from binary files."""
BUFFER: Final = 1 << 20

NEEDED: Final = "pip install -r requirements-corpus.txt"


@contextmanager
def opened(file: CorpusFile, most: int = 0) -> Iterator[BinaryIO]:
    """The decompressed bytes of a file that has not changed since the job was planned.

    most: how many bytes a compressed file may expand to, 0 for any number; beyond, reading raises InputError.
    """
    try:
        with open(file.path, "rb", buffering=BUFFER) as raw:
            check(file, os.fstat(raw.fileno()))
            with unpacked(raw, file, most) as stream:
                yield stream
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise damaged(file, error) from None
        raise gone(file, error) from None
    except (EOFError, zlib.error) as error:
        raise damaged(file, error) from None


def check(file: CorpusFile, found: os.stat_result) -> None:
    """Refuses a file that has changed since the job was planned."""
    if (found.st_size, found.st_mtime_ns) != (file.size, file.changed):
        raise InputError(f"{file.shown}: the file has changed since the job was planned; start the job again")


def gone(file: CorpusFile, error: OSError) -> InputError:
    """The error for a file that can't be read any more."""
    return InputError(
        f"{file.shown}: cannot be read ({error.strerror or error}), though it was there when the job was planned; "
        "bring it back, or start the job again without it"
    )


def damaged(file: CorpusFile, error: Exception) -> InputError:
    """The error for a file that can't be decompressed."""
    return InputError(f"{file.shown}: cannot be decompressed ({error}); download the file again")


@contextmanager
def unpacked(raw: BinaryIO, file: CorpusFile, most: int = 0) -> Iterator[BinaryIO]:
    """The decompressed bytes of an open file, at most `most` (`opened`)."""
    if not file.packed:
        yield raw
        return
    stream = gzip.GzipFile(fileobj=raw) if file.packed == ".gz" else Frames(raw, file)
    with stream, io.BufferedReader(Bounded(cast(io.RawIOBase, stream), file, most), BUFFER) as buffered:
        yield cast(BinaryIO, buffered)


class Bounded(io.RawIOBase):
    """A stream that ends with an InputError after `most` bytes; 0 for no limit."""

    def __init__(self, stream: io.RawIOBase, file: CorpusFile, most: int) -> None:
        self.stream, self.file, self.most, self.given = stream, file, most, 0

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer; returns how many bytes, 0 at the end."""
        size = self.stream.readinto(buffer) or 0
        self.given += size
        if self.most and self.given > self.most:
            raise InputError(
                f"{self.file.shown}: expands to more than {self.most:,} bytes, the limit of this page; give less text, "
                "or use the command line"
            )
        return size


class Frames(io.RawIOBase):
    """Decompresses the frames of a .zst file. Unlike zstandard's reader, it refuses a file that ends within a frame.

    The decompressor gets few bytes at a time, because they may expand enormously.
    """

    FEED: Final = 1024

    def __init__(self, raw: BinaryIO, file: CorpusFile) -> None:
        try:
            import zstandard
        except ImportError:
            raise InputError(
                f"{file.shown}: reading .zst files needs zstandard, which is not installed: {NEEDED}"
            ) from None
        self.raw, self.file, self.error = raw, file, zstandard.ZstdError
        self.new = zstandard.ZstdDecompressor().decompressobj
        self.frame = self.new()
        self.within = False
        self.ready = memoryview(b"")

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer with decompressed bytes; returns how many, 0 at the end."""
        while not self.ready:
            packed = self.frame.unused_data if self.frame.eof else b""
            if self.frame.eof:
                self.frame, self.within = self.new(), False
            packed = packed or self.raw.read(self.FEED)
            if not packed:
                if self.within:
                    raise damaged(self.file, EOFError("it ends within a frame"))
                return 0
            try:
                self.ready, self.within = memoryview(self.frame.decompress(packed)), True
            except self.error as error:
                raise damaged(self.file, error) from None
        size = min(len(buffer), len(self.ready))
        buffer[:size], self.ready = self.ready[:size], self.ready[size:]
        return size


def refuse_binary(stream: BinaryIO, file: CorpusFile) -> None:
    """Raises InputError for a file with a NUL among its first bytes. Doesn't advance the stream."""
    head = cast(io.BufferedReader, stream).peek(HEAD)[:HEAD]
    if b"\0" in head:
        raise InputError(
            f"{file.shown}: byte offset {head.index(0)} is a NUL, so this is not UTF-8 text; leave the file out, or "
            "save it as UTF-8"
        )


def blocks(
    stream: BinaryIO, name: str, longest: int, start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in [start, stop), in blocks of many, each with the offset of its first line.

    So adjacent ranges give each line exactly once, wherever they are cut. A start other than 0 needs a seekable stream.
    Raises InputError for a line of more than `longest` bytes; memory stays within little more than that.

    >>> three = b"one\\ntwo\\nthree"
    >>> [list(blocks(io.BytesIO(three), "toy", 9, *cut)) for cut in ((0, 5), (5, 8), (8, None))]
    [[(0, b'one\\ntwo\\n')], [], [(8, b'three')]]
    """
    at = start
    if start:
        # a line that begins before the range belongs to the range before it
        at = start - 1
        stream.seek(at)
        while (part := stream.readline(BUFFER)) and not part.endswith(b"\n"):
            at += len(part)
            if stop is not None and at >= stop:
                return
        at += len(part)
    rest = b""
    while stop is None or at < stop:
        # a very long line is read in steps that double, so that concatenation stays linear
        more = stream.read(max(BUFFER, len(rest)))
        data = rest + more
        end = len(data) if not more else data.rfind(b"\n") + 1
        if stop is not None and at + end > stop:
            # the last line is the one with the byte before the range's end
            end = data.find(b"\n", stop - at - 1) + 1 or end
        if end:
            check_lines(data[:end], at, name, longest)
            yield at, data[:end]
        if not more:
            return
        at, rest = at + end, data[end:]
        if len(rest) > longest:
            raise too_long(f"{name}: the line at byte offset {at}", longest)


def check_lines(block: bytes, at: int, name: str, longest: int) -> None:
    """Raises InputError for a line of more than `longest` bytes."""
    if len(block) > longest:
        for offset, line in split(block, at):
            if len(line) > longest:
                raise too_long(f"{name}: the line at byte offset {offset}", longest)


def split(block: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """The lines of a block with their offsets, line ends included.

    >>> list(split(b"a\\r\\n\\nb", 5))
    [(5, b'a\\r\\n'), (8, b'\\n'), (9, b'b')]
    """
    begin = 0
    while end := block.find(b"\n", begin) + 1:
        yield at + begin, block[begin:end]
        begin = end
    if begin < len(block):
        yield at + begin, block[begin:]


def lines(
    stream: BinaryIO, name: str, longest: int, start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in [start, stop), one by one, with their offsets."""
    for at, block in blocks(stream, name, longest, start, stop):
        yield from split(block, at)
