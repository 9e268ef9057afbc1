"""The files of a job: found, cut into tasks of similar size, and read as lines in bounded memory.

Files are given by path, in a folder, or by a pattern such as `data/**/*.jsonl`. The suffix gives the format: `.txt`,
`.jsonl` (`.ndjson`), `.csv`, `.parquet`, the first three also with `.gz` or `.zst`. A file with another suffix is read
as plain text if it is given by path or pattern, and passed over in a folder. Leaves out hidden files in folders, and
symbolic links to folders. A task runs independently of the others, in any order.

A file is read as a decompressed stream of bytes, and as lines. Invalid text is invalid UTF-8, half of a surrogate pair
in JSON, or null instead of text. It is refused with its position, or replaced by U+FFFD, or its document is skipped and
counted.
"""

import glob
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from explorer.errors import InputError, shown
from explorer.text import first_fault


class FileKind(StrEnum):
    """The format of a file, which decides whether its documents are lines or fields of records."""

    TEXT = "text"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


KINDS = {
    ".txt": FileKind.TEXT,
    ".jsonl": FileKind.JSONL,
    ".ndjson": FileKind.JSONL,
    ".csv": FileKind.CSV,
    ".parquet": FileKind.PARQUET,
}
PACKED = (".gz", ".zst")


class CorpusFile(NamedTuple):
    """A file as it was when the job was planned.

    path: absolute; remote workers open the same path. shown: its name in results. packed: `.gz`, `.zst` or empty.
    changed: the modification time in nanoseconds.
    """

    path: str
    shown: str
    kind: FileKind
    packed: str
    size: int
    changed: int


class FoundFiles(NamedTuple):
    """The files of a job in order, and the number of files in folders whose format is unknown."""

    files: tuple[CorpusFile, ...]
    passed_over: int


def kind_of(name: str) -> tuple[FileKind, str] | None:
    """A file's format and compression by its name; None if the suffix is unknown.

    >>> kind_of("part-01.JSONL.zst"), kind_of("notes.md")
    ((<FileKind.JSONL: 'jsonl'>, '.zst'), None)
    """
    stem, packed = os.path.splitext(name.lower())
    if packed in PACKED:
        kind = KINDS.get(os.path.splitext(stem)[1])
        return (kind, packed) if kind is not None and kind != FileKind.PARQUET else None
    kind = KINDS.get(packed)
    return (kind, "") if kind is not None else None


def find(paths: Iterable[str], own: Iterable[Path] = (), names: Mapping[str, str] = {}) -> FoundFiles:
    """The files at paths, in the order of the paths and sorted by name within a folder; each file once.

    own: files and folders that the job itself writes, which a resumed or repeated job must not read. names: a path's
    name in results, if not itself. Raises InputError for a path that is missing, unreadable or one of `own`, and if no
    file is left.
    """
    files: dict[str, CorpusFile] = {}
    passed_over = 0
    outputs = [Path(os.path.realpath(each)) for each in own]
    for path in paths:
        for each, named in files_of(path):
            if outputs and not {real := Path(os.path.realpath(each)), *real.parents}.isdisjoint(outputs):
                if each == path:
                    raise InputError(f"{each}: the job writes here; give another --output or --write")
                continue
            known = kind_of(each)
            if not named and (known is None or is_special(each)):
                passed_over += 1
                continue
            file = described(each, *(known or unnamed(each)))
            files.setdefault(os.path.realpath(file.path), file._replace(shown=names.get(each, file.shown)))
    if not files:
        what = f"the {passed_over} files found have no known suffix" if passed_over else "no file was found"
        raise InputError(f"{what}; give .txt, .jsonl, .csv or .parquet files, or give the path of a text file")
    return FoundFiles(tuple(files.values()), passed_over)


def unnamed(shown: str) -> tuple[FileKind, str]:
    """The format of a file with an unknown suffix: plain text, possibly compressed."""
    packed = next((each for each in PACKED if shown.lower().endswith(each)), "")
    if packed and kind_of(shown[: -len(packed)]) is not None:
        raise InputError(f"{shown}: Parquet compresses its own columns; decompress the file and give the .parquet file")
    return FileKind.TEXT, packed


def files_of(path: str) -> Iterator[tuple[str, bool]]:
    """The files at one path, each with whether it was given by path or pattern rather than found in a folder."""
    if "\0" in path or not path:
        raise InputError(f"{path!r} is not a path; give a file, a folder or a pattern")
    if os.path.lexists(path):
        yield from ([(path, True)] if not os.path.isdir(path) else ((each, False) for each in inside(path)))
        return
    matches = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
    if not matches:
        raise InputError(f"{path}: no such file or folder; check the path")
    for match in matches:
        if not os.path.isdir(match):
            yield match, True


def inside(folder: str) -> Iterator[str]:
    """The files in a folder and its subfolders, sorted by name."""
    for at, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(at, name) for name in sorted(names) if not name.startswith("."))


def unreadable(error: OSError) -> None:
    """Refuses a folder that can't be read: skipping it silently would make the totals wrong."""
    raise InputError(
        f"{error.filename}: the folder cannot be read ({error.strerror}); change its permissions or leave it out"
    ) from None


def is_special(path: str) -> bool:
    """Whether a path is a pipe, a socket or a device, whatever its name."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False  # `described` reports files that can't be read


def described(shown: str, kind: FileKind, packed: str) -> CorpusFile:
    """A file with its size and modification time."""
    try:
        status = os.stat(shown)
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror}); check the path and its permissions") from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{shown}: this is not a regular file; give the file itself")
    if not os.access(shown, os.R_OK):
        raise InputError(f"{shown}: no permission to read the file; change its permissions or leave it out")
    name = os.fsencode(shown).decode("utf-8", "backslashreplace")  # a name may be invalid UTF-8; output must be valid
    return CorpusFile(os.path.abspath(shown), name, kind, packed, status.st_size, status.st_mtime_ns)


SIZE = 32_000_000
"""The default size of a task in bytes, about."""
MOST_RANGES = 1000
"""The most files in one task, however small."""


class FileRange(NamedTuple):
    """A range of a file: bytes [start, stop), row groups for Parquet; up to the end if `stop` is None.

    size: the bytes of the file in the range.
    """

    file: CorpusFile
    start: int
    stop: int | None
    size: int


class Task(NamedTuple):
    """File ranges that are read one after the other. number: its index in the job, from 0."""

    number: int
    ranges: tuple[FileRange, ...]

    @property
    def size(self) -> int:
        """The bytes of its ranges."""
        return sum(file_range.size for file_range in self.ranges)


Groups = Callable[[CorpusFile], list[int]]
"""Gives the size of each row group of a Parquet file."""


def tasks(files: Iterable[CorpusFile], size: int, whole: bool, groups: Groups) -> tuple[Task, ...]:
    """The tasks of a job, in the order of its files. whole: don't cut plain text."""
    cut: list[Task] = []
    waiting: list[FileRange] = []
    for file_range in (file_range for file in files for file_range in file_ranges(file, size, whole, groups)):
        if waiting and (sum(each.size for each in waiting) + file_range.size > size or len(waiting) == MOST_RANGES):
            cut.append(Task(len(cut), tuple(waiting)))
            waiting = []
        waiting.append(file_range)
    if waiting:
        cut.append(Task(len(cut), tuple(waiting)))
    return tuple(cut)


def file_ranges(file: CorpusFile, size: int, whole: bool, groups: Groups) -> Iterator[FileRange]:
    """The ranges of one file, none larger than necessary.

    >>> file = CorpusFile("/a.txt", "a.txt", FileKind.TEXT, "", 25, 0)
    >>> [file_range[1:] for file_range in file_ranges(file, 10, False, lambda file: [])]
    [(0, 10, 10), (10, 20, 10), (20, None, 5)]
    """
    if file.kind == FileKind.PARQUET:
        for start, stop, bytes in together(groups(file), size):
            yield FileRange(file, start, stop, bytes)
    elif file.packed or file.kind == FileKind.CSV or (whole and file.kind == FileKind.TEXT) or file.size <= size:
        yield FileRange(file, 0, None, file.size)
    else:
        for start in range(0, file.size, size):
            stop = start + size
            yield FileRange(file, start, None if stop >= file.size else stop, min(stop, file.size) - start)


def together(sizes: list[int], size: int) -> Iterator[tuple[int, int, int]]:
    """Adjacent row groups up to a total size: first index, end index, total size.

    >>> list(together([4, 4, 4, 20, 1], 10))
    [(0, 2, 8), (2, 3, 4), (3, 4, 20), (4, 5, 1)]
    """
    start = total = 0
    for at, each in enumerate(sizes):
        if at > start and total + each > size:
            yield start, at, total
            start, total = at, 0
        total += each
    if sizes:
        yield start, len(sizes), total


LONGEST = 8_000_000
"""The default limit for one document or line, in bytes: a worker can hold this many times over."""

SURROGATE = re.compile("[\ud800-\udfff]")


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


HEAD = 8192
"""The number of first bytes that are checked to tell text from binary files."""
BUFFER = 1 << 20

NEEDED = "pip install -r requirements-corpus.txt"


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
        raise InputError(
            f"{file.shown}: cannot be read ({error.strerror or error}), though it was there when the job was planned; "
            "bring it back, or start the job again without it"
        ) from None
    except (EOFError, zlib.error) as error:
        raise damaged(file, error) from None


def check(file: CorpusFile, status: os.stat_result) -> None:
    """Refuses a file that has changed since the job was planned."""
    if (status.st_size, status.st_mtime_ns) != (file.size, file.changed):
        raise InputError(f"{file.shown}: the file has changed since the job was planned; start the job again")


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
