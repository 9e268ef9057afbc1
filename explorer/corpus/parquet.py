"""The rows of a Parquet file, a few at a time, and its row groups. Needs pyarrow.

Texts are given as bytes, because nobody has checked that they are UTF-8. Left out: columns within columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

from explorer.corpus.reading import check_columns
from explorer.corpus.streams import NEEDED
from explorer.corpus.tasks import Piece
from explorer.errors import InputError, shown

ROWS: Final = 64
"""Rows that are held at once."""


def rows(stream: BinaryIO, piece: Piece, field: str, label: str) -> Iterator[tuple[bytes | None, Any]]:
    """The text of each row of the piece's row groups, and its label where one is asked for.

    Raises InputError where a column is not there or holds no text, and for a damaged file.
    """
    name = piece.file.shown
    wanted = [field, *([label] if label and label != field else [])]
    with readable(stream, name) as file:
        check_columns(name, list(file.schema_arrow.names), field, label)
        groups = None if piece.stop is None else list(range(piece.start, piece.stop))
        for batch in file.iter_batches(ROWS, row_groups=groups, columns=wanted):
            texts = as_bytes(batch.column(field), f"{name}: the column {shown(field)}")
            labels = batch.column(label).to_pylist() if label else [None] * len(texts)
            yield from zip(texts, labels, strict=True)


def row_groups(stream: BinaryIO, name: str) -> list[int]:
    """The bytes of each row group. Raises InputError for what is no Parquet file."""
    with readable(stream, name) as file:
        return [file.metadata.row_group(each).total_byte_size for each in range(file.metadata.num_row_groups)]


def needed() -> None:
    """Raises InputError where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401  # only tried
    except ImportError:
        raise InputError(f"Parquet files need pyarrow, which is not installed: {NEEDED}") from None


@contextmanager
def readable(stream: BinaryIO, name: str) -> Iterator[Any]:
    """A reader of the file; what goes wrong in it is one line."""
    needed()
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(stream, memory_map=False, pre_buffer=False, buffer_size=1 << 20) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{name}: cannot be read as Parquet ({error}); fetch the file again") from None
    except UnicodeDecodeError:
        raise InputError(f"{name}: a label or a column's name is not UTF-8; repair the file") from None


def as_bytes(column: Any, where: str) -> list[bytes | None]:
    """A column's texts as bytes."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_null(column.type):
        return [None] * len(column)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise InputError(f"{where} holds {column.type} and no text; choose another --field")
    found: list[bytes | None] = column.cast(pa.large_binary()).to_pylist()
    return found
