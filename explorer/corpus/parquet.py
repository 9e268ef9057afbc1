"""Reads the rows of a Parquet file, a few at a time, in bounded memory, and lists its row groups. Needs pyarrow.

A few bytes of a column can expand to gigabytes in three ways: a page that decompresses to a gigabyte; a dictionary (or
a DELTA_BYTE_ARRAY page, whose values share prefixes) whose one long value is in every row; and a dictionary that
claims more values than it has bytes. pyarrow accepts all of them. So this module reads the headers of pages before
anything is decompressed, as `parquet.thrift` of apache/parquet-format defines them (Thrift's compact protocol). Pages
beyond a bound are refused; the others determine how many rows may be decoded at once.

Leaves out encrypted columns, which pyarrow refuses without a key.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from explorer.corpus.sources import NEEDED, FileRange, check_columns
from explorer.errors import InputError, shown

LARGEST = 512 << 20
"""The most bytes of a decompressed page. Writers aim at 1 MB, and reach some hundred MB if documents are books."""

PLAIN_ENOUGH = 32 << 20
TIMES = 200
"""The highest compression ratio of a page that decompresses to more than PLAIN_ENOUGH bytes. Text reaches 30."""

DECODED = 16 << 20
"""The most bytes of rows decoded at once, unless a single row has more."""

MOST_ROWS = 64
"""The most rows decoded at once."""

DICTIONARY, DATA, DATA_2 = 2, 0, 3
"""Kinds of pages."""
DELTA_BYTE_ARRAY = 7
HEADERS = (1 << 9, 1 << 16, 1 << 24)
"""The numbers of bytes read, one after the other, to parse a page's header; old writers put two full values in it."""


class Page(NamedTuple):
    """A page's header. size: bytes when decompressed. packed: bytes in the file. encoding: of its values."""

    kind: int
    size: int
    packed: int
    values: int
    encoding: int

    @property
    def expands(self) -> bool:
        """Whether its values may take more memory than the page: one value may be in many rows."""
        return self.kind == DICTIONARY or self.encoding == DELTA_BYTE_ARRAY


def rows_at_once(stream: BinaryIO, group: Any, columns: list[str], where: str) -> int:
    """How many rows of a row group may be decoded at once. Raises InputError for pages beyond the bounds.

    group: its metadata from pyarrow. columns: the names of the columns that are read, nested ones included.
    """
    at_once = MOST_ROWS
    for number in range(group.num_columns):
        column = group.column(number)
        path = column.path_in_schema
        if any(path == name or path.startswith(f"{name}.") for name in columns):
            checked = pages(stream, column, f"{where}, column {shown(path)}")
            at_once = min(at_once, rows_within(checked, DECODED // len(columns)))
    return at_once


def rows_within(column: list[Page], bytes: int) -> int:
    """The most rows that stay within a number of bytes wherever they begin; at least one.

    A value of a plain page takes its own share of the page. A value of a dictionary may be as long as the whole
    dictionary, and one of a delta page as long as the page, each time it occurs.

    >>> plain, dictionary = Page(DATA, 1000, 500, 10, 0), Page(DICTIONARY, 800, 800, 1, 0)
    >>> rows_within([plain] * 9, 3000), rows_within([dictionary, plain], 3000), rows_within([dictionary], 100)
    (20, 3, 1)
    """
    data = [page for page in column if page.kind != DICTIONARY]
    again = max((page.size for page in column if page.expands), default=0)
    largest = max((page.size for page in data), default=0)
    # the last page may have few values and counts as one more
    fewest = max(1, min((page.values for page in data[:-1]), default=MOST_ROWS))
    for rows in range(MOST_ROWS, 1, -1):
        if rows * again <= bytes and min(len(data), -(-rows // fewest) + 1) * largest <= max(bytes, 2 * largest):
            return rows
    return 1


def pages(stream: BinaryIO, column: Any, where: str) -> list[Page]:
    """The checked pages of a column of a row group. column: its metadata."""
    column_pages = []
    start = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < start:
        start = column.dictionary_page_offset
    at, end, values = start, start + column.total_compressed_size + 100, 0  # old writers don't count the first header
    while at < end and values < column.num_values:
        begun = page_at(stream, at, where)
        if begun is None:
            break
        page, size = begun
        check(page, f"{where}: the page at byte offset {at}")
        column_pages.append(page)
        values += page.values if page.kind in (DATA, DATA_2) else 0
        at += size + page.packed
    return column_pages


def page_at(stream: BinaryIO, at: int, where: str) -> tuple[Page, int] | None:
    """The page whose header begins at an offset, and the header's size; None at the end of the file."""
    for most in HEADERS if at >= 0 else ():
        stream.seek(at)
        head = stream.read(most)
        if not head:
            return None
        try:
            return header(head)
        except IndexError:
            continue
        except ValueError:
            break
    raise InputError(f"{where}: no page begins at byte offset {at}; download the file again")


def check(page: Page, where: str) -> None:
    """Refuses a page beyond the bounds."""
    if page.size > LARGEST or page.size > max(PLAIN_ENOUGH, TIMES * page.packed):
        raise InputError(
            f"{where} decompresses from {page.packed:,} to {page.size:,} bytes, which text never does; the limit is "
            f"{max(PLAIN_ENOUGH, min(LARGEST, TIMES * page.packed)):,}: write the file again with smaller pages"
        )
    if page.kind == DICTIONARY and page.values > page.size:
        raise InputError(f"{where} has {page.size:,} bytes for {page.values:,} values; download the file again")


# --- Thrift ---------------------------------------------------------------------------------------------------------


def header(data: bytes) -> tuple[Page, int]:
    """The header of a page and its size. Raises ValueError or IndexError if the bytes are not a header.

    >>> header(bytes.fromhex("15 04 15 08 15 0a 4c 15 02 15 00 00 00"))
    (Page(kind=2, size=4, packed=5, values=1, encoding=0), 13)
    """
    reader = Compact(data)
    fields = reader.struct()
    kind = number(fields, 1)
    inside = fields.get({DATA: 5, DICTIONARY: 7, DATA_2: 8}.get(kind, 0), {})
    if not isinstance(inside, dict):
        raise ValueError
    encoding = number(inside, 4 if kind == DATA_2 else 2, 0)
    return Page(kind, number(fields, 2), number(fields, 3), number(inside, 1, 0), encoding), reader.at


def number(fields: Mapping[int, Any], field: int, default: int = -1) -> int:
    """A field that is a count. Raises ValueError if it isn't."""
    value = fields.get(field, default)
    if not isinstance(value, int) or value < 0:
        raise ValueError
    return value


DOUBLE, BYTES, STRUCT = 7, 8, 12
DEEPEST = 8
"""The deepest nesting of structs."""


class Compact:
    """Reads the part of Thrift's compact protocol that headers use: numbers, structs, and bytes, which are skipped."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        """The next byte."""
        value = self.data[self.at]
        self.at += 1
        return value

    def varint(self) -> int:
        """The next unsigned variable-length integer."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of the next struct, by number."""
        if depth > DEEPEST:
            raise ValueError
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else zigzag(self.varint())
            fields[number] = self.value(head & 15, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        """The next value of a type; None for bytes and doubles."""
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return zigzag(self.varint())
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (BYTES, DOUBLE):
            self.skip(self.varint() if kind == BYTES else 8)
            return None
        raise ValueError  # headers of pages contain no lists

    def skip(self, size: int) -> None:
        """Skips bytes."""
        self.at += size
        if self.at > len(self.data):
            raise IndexError


def zigzag(value: int) -> int:
    """A signed integer from its zigzag encoding."""
    return (value >> 1) ^ -(value & 1)


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
    texts: list[bytes | None] = column.view(kind).to_pylist()
    return texts
