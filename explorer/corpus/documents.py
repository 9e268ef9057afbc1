"""Reads the documents of a file range, one after the other and in bounded memory.

A document is the text of one call to a tokenizer: a line of plain text with its line end (so that totals equal those
of the file), or a field of a record. Records are JSON objects, one per line; rows of a CSV table whose first row names
the columns; or rows of a Parquet table. Blank lines of JSON are skipped.
"""

import csv
import json
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any, BinaryIO, Final, NamedTuple

from explorer.corpus.parquet import rows
from explorer.corpus.sources import (
    SURROGATE,
    FileKind,
    FileRange,
    Invalid,
    InvalidTextPolicy,
    Reading,
    Task,
    blocks,
    check_columns,
    lines,
    missing,
    opened,
    refuse_binary,
    split,
    too_long,
)
from explorer.errors import InputError, shown

BOM = b"\xef\xbb\xbf"
LONGEST_LABEL = 200
"""Characters. Longer values are not labels of groups."""
BATCH = 1 << 20
"""The most characters in one batch, about."""
MOST = 4096
"""The most documents in one batch."""


Document = tuple[str, str]
"""A text and its record's label, empty if no label was requested or the record has none."""


class DocumentBatch(NamedTuple):
    """Documents that are encoded and counted together. labels: one per text, or None without a label field."""

    texts: list[str]
    labels: list[str] | None = None

    @property
    def size(self) -> int:
        """How many characters they have."""
        return sum(map(len, self.texts))


class LineBatch:
    """Lines of plain text, in bytes, which become texts only where they are asked for. read: makes the texts."""

    labels: Final = None

    def __init__(self, data: bytes, read: Callable[[], list[str]]) -> None:
        self.data, self.read = data, read

    @property
    def size(self) -> int:
        """How many bytes they have."""
        return len(self.data)

    @cached_property
    def texts(self) -> list[str]:
        """The lines. Raises InputError for invalid ones that are to be refused."""
        return self.read()


class RangeReading(NamedTuple):
    """A file range, its documents as they are read, and what has been done about invalid text in it so far."""

    file_range: FileRange
    batches: Iterator[DocumentBatch | LineBatch]
    policy: InvalidTextPolicy


def ranges(task: Task, reading: Reading) -> Iterator[RangeReading]:
    """The file ranges of a task, each to be read to its end before the next. Raises InputError as `batches` does."""
    for file_range in task.ranges:
        policy = InvalidTextPolicy(reading.invalid)
        yield RangeReading(file_range, batches(file_range, reading, policy), policy)


def all_batches(task: Task, reading: Reading) -> Iterator[DocumentBatch | LineBatch]:
    """The documents of a task, in order. Raises InputError as `batches` does."""
    for each in ranges(task, reading):
        yield from each.batches


def batches(file_range: FileRange, reading: Reading, policy: InvalidTextPolicy) -> Iterator[DocumentBatch | LineBatch]:
    """The documents of a file range, in order. Raises InputError, with the position, for unusable input."""
    file = file_range.file
    if file.kind == FileKind.PARQUET:
        yield from gathered(columns(file_range, reading, policy), reading)
        return
    with opened(file, reading.unpacked) as stream:
        refuse_binary(stream, file)
        if file.kind == FileKind.CSV:
            yield from gathered(table(stream, file.shown, reading, policy), reading)
        elif file.kind == FileKind.JSONL:
            yield from gathered(records(stream, file_range, reading, policy), reading)
        elif reading.whole:
            yield from gathered(one(stream, file.shown, reading, policy), reading)
        else:
            for offset, block in blocks(stream, file.shown, reading.longest, file_range.start, file_range.stop):
                yield LineBatch(block, partial(texts_of, block, offset, file.shown, policy))


def gathered(documents: Iterator[Document], reading: Reading) -> Iterator[DocumentBatch]:
    """Documents in batches of bounded size."""
    batch = DocumentBatch([], [] if reading.label else None)
    characters = 0
    for text, label in documents:
        batch.texts.append(text)
        if batch.labels is not None:
            batch.labels.append(label)
        characters += len(text)
        if characters >= BATCH or len(batch.texts) == MOST:
            yield batch
            batch, characters = DocumentBatch([], [] if reading.label else None), 0
    if batch.texts:
        yield batch


def texts_of(block: bytes, offset: int, name: str, policy: InvalidTextPolicy) -> list[str]:
    """The lines of a block, each with its end; decoded all at once, unless the block has invalid bytes."""
    try:
        texts = block.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        decoded = (policy.text(line, name, at) for at, line in split(block, offset))
        return [text for text in decoded if text is not None]
    last = texts.pop()
    return [text + "\n" for text in texts] + ([last] if last else [])


def one(stream: BinaryIO, name: str, reading: Reading, policy: InvalidTextPolicy) -> Iterator[Document]:
    """A file as one document; an empty file has none."""
    data = stream.read(reading.longest + 1)
    if len(data) > reading.longest:
        raise too_long(name, reading.longest)
    text = policy.text(data, name, 0) if data else None
    if text is not None:
        yield text, ""


# --- JSON, one record per line ----------------------------------------------------------------------------------------


def records(stream: BinaryIO, file_range: FileRange, reading: Reading, policy: InvalidTextPolicy) -> Iterator[Document]:
    """The text field of each line's JSON object."""
    name = file_range.file.shown

    def where() -> str:
        return f"{name}: the line at byte offset {offset}"

    for offset, line in lines(stream, name, reading.longest, file_range.start, file_range.stop):
        written = policy.text(line.removeprefix(BOM) if not offset else line, name, offset)
        if not written or written.isspace():
            continue
        try:
            record = json.loads(written)
        except RecursionError:
            raise InputError(f"{where()} is JSON nested too deeply; give records with a text field") from None
        except ValueError as error:
            at = f", character {error.pos + 1} of it" if isinstance(error, json.JSONDecodeError) else ""
            # any other ValueError is a number with more digits than Python reads; its message is about Python
            why = error.msg if isinstance(error, json.JSONDecodeError) else "a number in it has thousands of digits"
            raise InputError(f"{where()} is not JSON ({why}{at}); give one JSON object per line") from None
        if not isinstance(record, dict):
            raise InputError(f"{where()} is not a JSON object but {shown(record)}; give one object per line")
        if reading.field not in record:
            raise missing(where(), reading.field, list(record), "--field")
        value = record[reading.field]
        if value is not None and not isinstance(value, str):
            raise InputError(f"{where()}: the field {shown(reading.field)} is {shown(value)}, not text; choose another")
        text = value
        # half of a surrogate pair comes from an escape
        if value is None or "\\u" in written:
            text = policy.value(value, f"{where()}: the field {shown(reading.field)}")
        if text is not None:
            yield text, label(record.get(reading.label), where()) if reading.label else ""


def label(value: Any, where: str) -> str:
    """A label as text. Raises InputError for a value that can't name a group."""
    if value is None:
        return ""
    if not isinstance(value, (str, int, float)):
        raise InputError(f"{where}: the label is {shown(value)}, not text or a number; choose another --label")
    text = SURROGATE.sub("\ufffd", str(value))
    if len(text) > LONGEST_LABEL:
        raise InputError(
            f"{where}: the label has {len(text)} characters, more than {LONGEST_LABEL}; choose a field with short names"
        )
    return text


# --- CSV --------------------------------------------------------------------------------------------------------------


def table(stream: BinaryIO, name: str, reading: Reading, policy: InvalidTextPolicy) -> Iterator[Document]:
    """The text column of each row. A quoted field may contain line ends, so the file is read from its beginning.

    Invalid bytes pass through the CSV reader as half surrogates, so that --invalid skip drops the whole row.
    """
    # the limit is global to the process, and a process runs jobs with one limit only
    csv.field_size_limit(min(reading.longest, sys.maxsize))
    at = size = 0

    def decoded() -> Iterator[str]:
        nonlocal at, size
        for offset, line in lines(stream, name, reading.longest):
            at, size = offset, size + len(line)
            if size > reading.longest:
                raise too_long(f"{name}: the row that continues at byte offset {at}", reading.longest)
            line = line.removeprefix(BOM) if not offset else line
            if reading.invalid == Invalid.REFUSE:
                text = policy.text(line, name, offset)
                assert text is not None  # the policy raises rather than skips
                yield text
            else:
                yield line.decode("utf-8", "surrogateescape")

    reader = csv.reader(decoded(), strict=True)
    try:
        columns, size = next(reader, None), 0
        if columns is None:
            return
        check_columns(name, columns, reading.field, reading.label)
        text_at, label_at = columns.index(reading.field), columns.index(reading.label) if reading.label else -1
        for row in reader:
            size = 0
            if not row:
                continue
            where = f"{name}: the row that ends at line {reader.line_num}, byte offset {at},"
            if len(row) != len(columns):
                raise InputError(f"{where} has {len(row)} of {len(columns)} columns; fix its quotes and commas")
            text = policy.text(row[text_at].encode("utf-8", "surrogateescape"), name, at)
            if text is not None:
                yield text, label(row[label_at], where) if reading.label else ""
    except csv.Error as error:
        if "field limit" in str(error):
            raise too_long(f"{name}: a field near byte offset {at}", reading.longest) from None
        raise InputError(f"{name}: line {reader.line_num} is not CSV ({error}); fix its quotes") from None


# --- Parquet ----------------------------------------------------------------------------------------------------------


def columns(file_range: FileRange, reading: Reading, policy: InvalidTextPolicy) -> Iterator[Document]:
    """The text column of each row of the range's row groups."""
    name = file_range.file.shown
    with opened(file_range.file) as stream:
        for row, (data, named) in enumerate(rows(stream, file_range, reading.field, reading.label), 1):
            where = f"{name}: row {row} from row group {file_range.start}"
            if data is None:
                policy.value(None, where)
                continue
            if len(data) > reading.longest:
                raise too_long(where, reading.longest)
            text = policy.text(data, where, 0)
            if text is not None:
                yield text, label(named, where) if reading.label else ""
