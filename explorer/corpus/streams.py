"""Reads a file as a decompressed stream of bytes, and as lines in bounded memory.

Line ends are `\\n`; a `\\r` before one belongs to the line. A file that can't be opened or decompressed, that was
changed or deleted since the job was planned, or that is binary raises InputError.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, cast

from explorer.corpus.reading import too_long
from explorer.corpus.sources import CorpusFile
from explorer.errors import InputError

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
