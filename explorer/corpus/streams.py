"""A file as a stream of bytes, unpacked on the way, and as lines in bounded memory.

Line ends are `\\n`; a `\\r` before one stays with the line. What cannot be opened or unpacked, a file that was changed
or that has gone since the job was planned, and a binary file raise InputError.
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
from explorer.corpus.sources import File
from explorer.errors import InputError

HEAD: Final = 8192
"""Bytes of a file that are looked at to tell text from something else."""
BUFFER: Final = 1 << 20

NEEDED: Final = "pip install -r requirements-corpus.txt"


@contextmanager
def opened(file: File) -> Iterator[BinaryIO]:
    """The bytes of a file that is as it was when the job was planned."""
    try:
        with open(file.path, "rb", buffering=BUFFER) as raw:
            check(file, os.fstat(raw.fileno()))
            with unpacked(raw, file) as stream:
                yield stream
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise damaged(file, error) from None
        raise gone(file, error) from None
    except (EOFError, zlib.error) as error:
        raise damaged(file, error) from None


def check(file: File, found: os.stat_result) -> None:
    """Refuses a file that is not the one that was planned with."""
    if (found.st_size, found.st_mtime_ns) != (file.size, file.changed):
        raise InputError(f"{file.shown}: the file was changed while the job ran; start the job again")


def gone(file: File, error: OSError) -> InputError:
    """Says that a file that was there cannot be read any more."""
    return InputError(
        f"{file.shown}: cannot be read ({error.strerror or error}), though it was there when the job was planned; "
        "bring it back, or start the job again without it"
    )


def damaged(file: File, error: Exception) -> InputError:
    """Says that a packed file cannot be unpacked."""
    return InputError(f"{file.shown}: cannot be unpacked ({error}); fetch the file again")


@contextmanager
def unpacked(raw: BinaryIO, file: File) -> Iterator[BinaryIO]:
    """The bytes within."""
    if file.packed == ".gz":
        with gzip.GzipFile(fileobj=raw) as stream, io.BufferedReader(cast(io.RawIOBase, stream), BUFFER) as buffered:
            yield cast(BinaryIO, buffered)
    elif file.packed == ".zst":
        with io.BufferedReader(Frames(raw, file), BUFFER) as buffered:
            yield cast(BinaryIO, buffered)
    else:
        yield raw


class Frames(io.RawIOBase):
    """The frames of a .zst file, unpacked; a file that ends within a frame is refused, which zstandard's reader is not.

    It is fed a few bytes at a time, because a few can stand for very many.
    """

    FEED: Final = 1024

    def __init__(self, raw: BinaryIO, file: File) -> None:
        try:
            import zstandard
        except ImportError:
            raise InputError(f"{file.shown}: what reads .zst files is missing; {NEEDED}") from None
        self.raw, self.file, self.error = raw, file, zstandard.ZstdError
        self.new = zstandard.ZstdDecompressor().decompressobj
        self.frame = self.new()
        self.within = False
        self.ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
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


def refuse_binary(stream: BinaryIO, file: File) -> None:
    """Raises InputError for a file that begins like no text: with a NUL. The stream stays where it is."""
    head = cast(io.BufferedReader, stream).peek(HEAD)[:HEAD]
    if b"\0" in head:
        raise InputError(
            f"{file.shown}: byte offset {head.index(0)} is a NUL, so this is no text in UTF-8; leave the file out, or "
            "save it as UTF-8"
        )


def blocks(
    stream: BinaryIO, name: str, longest: int, start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """The lines that begin at `start` or behind it and before `stop`, many at once, with the offset of the first.

    So ranges that lie end to end give each line once, wherever they are cut. A start other than 0 needs a stream that
    can seek. Raises InputError for a line of more than `longest` bytes; little more than that is held.

    >>> three = b"one\\ntwo\\nthree"
    >>> [list(blocks(io.BytesIO(three), "toy", 9, *cut)) for cut in ((0, 5), (5, 8), (8, None))]
    [[(0, b'one\\ntwo\\n')], [], [(8, b'three')]]
    """
    at = start
    if start:
        # the line that the range begins in is its neighbour's, unless it begins right here
        at = start - 1
        stream.seek(at)
        while (part := stream.readline(BUFFER)) and not part.endswith(b"\n"):
            at += len(part)
            if stop is not None and at >= stop:
                return
        at += len(part)
    rest = b""
    while stop is None or at < stop:
        # a line that goes on and on is read in steps that double, so that putting them together stays linear
        more = stream.read(max(BUFFER, len(rest)))
        held = rest + more
        end = len(held) if not more else held.rfind(b"\n") + 1
        if stop is not None and at + end > stop:
            # the last line is the one that holds the byte before the range's end
            end = held.find(b"\n", stop - at - 1) + 1 or end
        if end:
            check_lines(held[:end], at, name, longest)
            yield at, held[:end]
        if not more:
            return
        at, rest = at + end, held[end:]
        if len(rest) > longest:
            raise too_long(f"{name}: the line at byte offset {at}", longest)


def check_lines(block: bytes, at: int, name: str, longest: int) -> None:
    """Raises InputError for a line of more than `longest` bytes."""
    if len(block) > longest:
        for offset, line in split(block, at):
            if len(line) > longest:
                raise too_long(f"{name}: the line at byte offset {offset}", longest)


def split(block: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """The lines of a block with their offsets and their ends.

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
    """The same lines one by one."""
    for at, block in blocks(stream, name, longest, start, stop):
        yield from split(block, at)
