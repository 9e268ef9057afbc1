"""Reads the rows of a Parquet file, a few at a time, and lists its row groups. Needs pyarrow.

The number of rows at a time follows from the pages (`parquet_pages`), so that decoded rows take bounded memory.

Texts are given as bytes, because they may be invalid UTF-8. Leaves out nested columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from explorer.corpus.parquet_pages import rows_at_once
from explorer.corpus.reading import check_columns
from explorer.corpus.streams import NEEDED
from explorer.corpus.tasks import FileRange
from explorer.errors import InputError, shown


def rows(stream: BinaryIO, file_range: FileRange, field: str, label: str) -> Iterator[tuple[bytes | None, Any]]:
    """The text of each row of the range's row groups, and its label if one was requested.

    Raises InputError if a column is missing or not text, and for a damaged file.
    """
    name = file_range.file.shown
    wanted = [field, *([label] if label and label != field else [])]
    with readable(stream, name) as file:
        check_columns(name, list(file.schema_arrow.names), field, label)
        check_types(file.schema_arrow, name, field, label)
        for group in range(
            file_range.start, file.metadata.num_row_groups if file_range.stop is None else file_range.stop
        ):
            at_once = rows_at_once(stream, file.metadata.row_group(group), wanted, f"{name}: row group {group}")
            # for a few rows of one or two columns, starting threads takes nine tenths of the time
            for batch in file.iter_batches(at_once, row_groups=[group], columns=wanted, use_threads=False):
                texts = as_bytes(batch.column(field))
                yield from zip(texts, batch.column(label).to_pylist() if label else [None] * len(texts), strict=True)


def row_groups(stream: BinaryIO, name: str) -> list[int]:
    """The size of each row group in bytes. Raises InputError if the file is not Parquet."""
    with readable(stream, name) as file:
        return [file.metadata.row_group(each).total_byte_size for each in range(file.metadata.num_row_groups)]


def needed() -> None:
    """Raises InputError if pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401  # only tried
    except ImportError:
        raise InputError(f"Parquet files need pyarrow, which is not installed: {NEEDED}") from None


@contextmanager
def readable(stream: BinaryIO, name: str) -> Iterator[Any]:
    """A reader of the file. Its errors become InputErrors of one line."""
    needed()
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(stream, memory_map=False, pre_buffer=False, buffer_size=1 << 20) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{name}: cannot be read as Parquet ({error}); download the file again") from None
    except UnicodeDecodeError:
        raise InputError(f"{name}: a label or a column's name is not UTF-8; repair the file") from None


def check_types(schema: Any, name: str, field: str, label: str) -> None:
    """Refuses text columns that aren't text, and label columns that aren't text or numbers, before decoding any."""
    import pyarrow as pa

    kinds = pa.types
    texts = (kinds.is_string, kinds.is_large_string, kinds.is_null)
    numbers = (kinds.is_integer, kinds.is_floating, kinds.is_boolean)
    for column, allowed, what, option in (
        (field, texts, "not text", "--field"),
        (label, (*texts, *numbers), "not text or numbers", "--label"),
    ):
        kind = schema.field(column).type if column else pa.null()
        value = kind.value_type if kinds.is_dictionary(kind) else kind
        if not any(test(value) for test in allowed):
            raise InputError(f"{name}: the column {shown(column)} contains {kind}, {what}; choose another {option}")


def as_bytes(column: Any) -> list[bytes | None]:
    """A column's texts as bytes."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return [None] * len(column)
    # a view takes a tenth of a cast's time
    kind = pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()
    found: list[bytes | None] = column.view(kind).to_pylist()
    return found
