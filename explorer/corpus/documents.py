"""A stretch of a file becomes documents, one after the other and in bounded memory.

A document is what a tokenizer is given at once: a line of plain text with its line end (so that the totals are those
of the file), or the field of a record. A line of JSON that is blank is no record. Records are JSON objects, rows of a
CSV table whose first row names the columns, rows of a Parquet table.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from explorer.corpus.parquet import rows
from explorer.corpus.reading import SURROGATE, Invalid, Judge, Reading, check_columns, missing, too_long
from explorer.corpus.sources import Kind
from explorer.corpus.streams import blocks, lines, opened, refuse_binary, split
from explorer.corpus.tasks import Piece
from explorer.errors import InputError, shown

BOM: Final = b"\xef\xbb\xbf"
LONGEST_LABEL: Final = 200
"""Characters. What is longer names no group."""
BATCH: Final = 1 << 20
"""Characters that are encoded before they are counted."""
MOST: Final = 4096
"""Documents, the same."""


class Document(NamedTuple):
    """A text, and the label of its record; nothing where none was asked for or the record has none."""

    text: str
    label: str = ""


class Batch(NamedTuple):
    """Documents that are encoded before they are counted. labels: one for each text, or none for all of them."""

    texts: list[str]
    labels: list[str] | None = None


def batches(piece: Piece, reading: Reading, judge: Judge) -> Iterator[Batch]:
    """The documents of a piece, in order. Raises InputError, with the place, for what cannot be used."""
    file = piece.file
    if file.kind == Kind.PARQUET:
        yield from gathered(columns(piece, reading, judge), reading)
        return
    with opened(file) as stream:
        refuse_binary(stream, file)
        if file.kind == Kind.CSV:
            yield from gathered(table(stream, file.shown, reading, judge), reading)
        elif file.kind == Kind.JSONL:
            yield from gathered(records(stream, piece, reading, judge), reading)
        elif reading.whole:
            yield from gathered(one(stream, file.shown, reading, judge), reading)
        else:
            for offset, block in blocks(stream, file.shown, reading.longest, piece.start, piece.stop):
                yield Batch(texts_of(block, offset, file.shown, judge))


def gathered(documents: Iterator[Document], reading: Reading) -> Iterator[Batch]:
    """Documents in batches of bounded size."""
    batch = Batch([], [] if reading.label else None)
    held = 0
    for text, label in documents:
        batch.texts.append(text)
        if batch.labels is not None:
            batch.labels.append(label)
        held += len(text)
        if held >= BATCH or len(batch.texts) == MOST:
            yield batch
            batch, held = Batch([], [] if reading.label else None), 0
    if batch.texts:
        yield batch


def texts_of(block: bytes, offset: int, name: str, judge: Judge) -> list[str]:
    """The lines of a block, each with its end; decoded all at once, unless there is something to judge."""
    try:
        texts = block.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        judged = (judge.text(line, name, at) for at, line in split(block, offset))
        return [text for text in judged if text is not None]
    last = texts.pop()
    return [text + "\n" for text in texts] + ([last] if last else [])


def one(stream: BinaryIO, name: str, reading: Reading, judge: Judge) -> Iterator[Document]:
    """A file as one document; an empty one is none."""
    data = stream.read(reading.longest + 1)
    if len(data) > reading.longest:
        raise too_long(name, reading.longest)
    text = judge.text(data, name, 0) if data else None
    if text is not None:
        yield Document(text)


# --- JSON, one record a line ------------------------------------------------------------------------------------------


def records(stream: BinaryIO, piece: Piece, reading: Reading, judge: Judge) -> Iterator[Document]:
    """The field of each line's JSON object."""
    name = piece.file.shown
    for offset, line in lines(stream, name, reading.longest, piece.start, piece.stop):
        written = judge.text(line.removeprefix(BOM) if not offset else line, name, offset)
        if written is None or not written.strip():
            continue
        where = f"{name}: the line at byte offset {offset}"
        try:
            record = json.loads(written)
        except RecursionError:
            raise InputError(f"{where} is JSON nested too deeply; give records with a text in them") from None
        except ValueError as error:
            at = f", character {error.pos + 1} of it" if isinstance(error, json.JSONDecodeError) else ""
            # else it is a number of more digits than Python reads, with advice on Python
            why = error.msg if isinstance(error, json.JSONDecodeError) else "a number in it has thousands of digits"
            raise InputError(f"{where} is no JSON ({why}{at}); give one JSON object a line") from None
        if not isinstance(record, dict):
            raise InputError(f"{where} is no JSON object but {shown(record)}; give one object a line")
        if reading.field not in record:
            raise missing(where, reading.field, list(record), "--field")
        value = record[reading.field]
        if value is not None and not isinstance(value, str):
            raise InputError(f"{where}: the field {shown(reading.field)} is {shown(value)} and no text; choose another")
        text = judge.value(value, f"{where}: the field {shown(reading.field)}")
        if text is not None:
            yield Document(text, label(record.get(reading.label), where) if reading.label else "")


def label(value: Any, where: str) -> str:
    """A label as text. Raises InputError for what names no group."""
    if value is None:
        return ""
    if not isinstance(value, (str, int, float)):
        raise InputError(f"{where}: the label is {shown(value)}, and no text or number; name another --label")
    text = SURROGATE.sub("\ufffd", str(value))
    if len(text) > LONGEST_LABEL:
        raise InputError(
            f"{where}: the label has {len(text)} characters, more than {LONGEST_LABEL}; name a column of short names"
        )
    return text


# --- CSV --------------------------------------------------------------------------------------------------------------


def table(stream: BinaryIO, name: str, reading: Reading, judge: Judge) -> Iterator[Document]:
    """The column of each row. A quoted field may hold line ends, so such a file is read from its beginning.

    Bytes that are no UTF-8 travel through the reader of CSV as half surrogates, so that it is the row that is left out.
    """
    # the limit is one for the whole process, and every job of a process has one limit
    csv.field_size_limit(min(reading.longest, sys.maxsize))
    at = held = 0

    def decoded() -> Iterator[str]:
        nonlocal at, held
        for offset, line in lines(stream, name, reading.longest):
            at, held = offset, held + len(line)
            if held > reading.longest:
                raise too_long(f"{name}: the row that goes on at byte offset {at}", reading.longest)
            line = line.removeprefix(BOM) if not offset else line
            if reading.invalid == Invalid.REFUSE:
                text = judge.text(line, name, offset)
                assert text is not None  # what is refused raises
                yield text
            else:
                yield line.decode("utf-8", "surrogateescape")

    reader = csv.reader(decoded(), strict=True)
    try:
        columns, held = next(reader, None), 0
        if columns is None:
            return
        check_columns(name, columns, reading.field, reading.label)
        text_at, label_at = columns.index(reading.field), columns.index(reading.label) if reading.label else -1
        for row in reader:
            held = 0
            if not row:
                continue
            where = f"{name}: the row that ends at line {reader.line_num}, byte offset {at},"
            if len(row) != len(columns):
                raise InputError(f"{where} has {len(row)} columns of {len(columns)}; repair its quotes and commas")
            raw = row[text_at].encode("utf-8", "surrogateescape")
            text = judge.text(raw, name, at)
            if text is not None:
                yield Document(text, label(row[label_at], where) if reading.label else "")
    except csv.Error as error:
        if "field limit" in str(error):
            raise too_long(f"{name}: a field near byte offset {at}", reading.longest) from None
        raise InputError(f"{name}: line {reader.line_num} is no CSV ({error}); repair its quotes") from None


# --- Parquet ----------------------------------------------------------------------------------------------------------


def columns(piece: Piece, reading: Reading, judge: Judge) -> Iterator[Document]:
    """The column of each row of the piece's row groups."""
    name = piece.file.shown
    with opened(piece.file) as stream:
        for row, (data, named) in enumerate(rows(stream, piece, reading.field, reading.label), 1):
            where = f"{name}: row {row} from row group {piece.start}"
            if data is None:
                judge.value(None, where)
                continue
            if len(data) > reading.longest:
                raise too_long(where, reading.longest)
            text = judge.text(data, where, 0)
            if text is not None:
                yield Document(text, label(named, where) if reading.label else "")
