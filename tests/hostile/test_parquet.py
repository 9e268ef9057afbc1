"""Parquet files of a few bytes that expand to gigabytes: refused by page headers, or read a few rows at once."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from explorer.corpus import parquet as parquet_pages
from explorer.corpus.documents import batches
from explorer.corpus.parquet import DATA, DICTIONARY, LARGEST, MOST_ROWS, PLAIN_ENOUGH, TIMES, Page, header
from explorer.corpus.sources import CorpusFile, FileKind, FileRange, Invalid, InvalidTextPolicy, Reading
from explorer.errors import InputError
from tests.hostile.limited import run

VALUE = 7_900_000
"""Bytes of one text; 8,000,000 are allowed."""


def written(path: Path, column: Any, **options: Any) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    options = {"compression": "zstd", "write_statistics": False} | options
    parquet.write_table(pa.table({"text": column}), path, **options)
    return path


def dictionary(path: Path, rows: int = 700) -> Path:
    import pyarrow as pa

    # one value and its numbers: so the test itself never has all rows
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * VALUE]))
    return written(path, column, dictionary_pagesize_limit=1 << 30)


def delta(path: Path, rows: int = 20) -> Path:
    options = {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
    return written(path, ["x" * VALUE] * rows, **options)


def file_range(path: Path) -> FileRange:
    return FileRange(
        CorpusFile(str(path), path.name, FileKind.PARQUET, "", path.stat().st_size, path.stat().st_mtime_ns), 0, None, 1
    )


def reading(field: str = "text") -> Reading:
    return Reading(field=field, label="", invalid=Invalid.REFUSE, whole=False, longest=8_000_000)


READ = """
rows = texts = 0
for batch in batches(file_range(Path(sys.argv[1])), reading(), InvalidTextPolicy(Invalid.REFUSE)):
    rows += len(batch.texts)
    assert set(map(len, batch.texts)) == {VALUE}
print(rows)
"""
IMPORTS = """
import sys
import pyarrow.parquet
from tests.hostile.test_parquet import *
"""


@pytest.mark.long
@pytest.mark.parametrize(("make", "rows"), [(dictionary, 700), (delta, 20)])
def test_one_long_value_in_every_row_is_kept_a_few_times(make: Any, rows: int, tmp_path: Path) -> None:
    path = make(tmp_path / "a.parquet")
    assert path.stat().st_size < 5_000
    assert run(IMPORTS, READ, 250, path) == str(rows)


@pytest.mark.parametrize("column", [["z" * 40_000_000], ["z" * 7_000_000] * 6], ids=["one value", "many"])
def test_a_page_that_unpacks_to_far_more_than_text_does_is_refused(column: list[str], tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", column, use_dictionary=False)
    with pytest.raises(InputError, match="row group 0, column 'text': the page at byte offset 4 decompresses from"):
        list(batches(file_range(path), reading(), InvalidTextPolicy(Invalid.REFUSE)))


def test_the_bounds_of_a_page() -> None:
    for good in (Page(DATA, PLAIN_ENOUGH, 1, 5, 0), Page(DATA, LARGEST, LARGEST // TIMES + 1, 5, 0)):
        parquet_pages.check(good, "x")
    for bad in (
        Page(DATA, PLAIN_ENOUGH + 1, 1, 5, 0), Page(DATA, LARGEST + 1, LARGEST, 5, 0),
        Page(DICTIONARY, 9, 9, 1 << 30, 0),
    ):  # fmt: skip
        with pytest.raises(InputError):
            parquet_pages.check(bad, "x")


def test_rows_read_at_once_never_exceed_the_limit() -> None:
    """Compared with every window of rows computed directly."""
    for sizes in ([(1000, 4)] * 9, [(900, 1)] * 70, [(50, 300), (90, 2)], [(700, 33), (10, 9)], [(5000, 2), (10, 1)]):
        found = [Page(DATA, size, size, values, 0) for size, values in sizes]
        owners = [number for number, page in enumerate(found) for _ in range(page.values)]
        for bound in (100, 2_000, 9_000, 10**9):
            rows = parquet_pages.rows_within(found, bound)
            assert 1 <= rows <= MOST_ROWS
            worst = max(sum(found[number].size for number in {*owners[at : at + rows]}) for at in range(len(owners)))
            assert rows == 1 or worst <= max(bound, 2 * max(page.size for page in found))
    expanding = [Page(DICTIONARY, 100, 100, 3, 0), Page(DATA, 9, 9, 700, 8)]
    assert parquet_pages.rows_within(expanding, 1_000) == 10


def test_every_header_that_pyarrow_writes_is_read() -> None:
    import pyarrow as pa
    from pyarrow import parquet

    texts = [f"{number % 50} {'é' * (number % 300)}" for number in range(3_000)]
    for options in (
        {}, {"data_page_version": "2.0"}, {"use_dictionary": False}, {"compression": "none", "data_page_size": 100},
        {"write_page_checksum": True}, {"write_statistics": True, "compression": "gzip"}, {"row_group_size": 700},
        {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY", "n": "PLAIN"}},
    ):  # fmt: skip
        stream = io.BytesIO()
        parquet.write_table(pa.table({"text": texts, "n": range(3_000)}), stream, **options)
        metadata = parquet.ParquetFile(stream).metadata
        rows = 0
        for number in range(metadata.num_row_groups):
            column = metadata.row_group(number).column(0)
            found = parquet_pages.pages(stream, column, "x")
            rows += sum(page.values for page in found if page.kind != DICTIONARY)
            headers = column.total_uncompressed_size - sum(page.size for page in found)
            assert 0 < headers < 2_000 * len(found), "what is no page is headers"
        assert rows == 3_000, options


def test_an_invalid_header_is_refused_with_its_offset() -> None:
    for data in (b"\x15\x04", b"\xff" * 90, b"\x15\x03\x15\x08\x15\x0a\x00", b"\x19" * 50, b"\x1c" * 500):
        with pytest.raises((ValueError, IndexError)):
            header(data)


def test_a_column_of_lists_is_refused_before_a_value_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.parquet", [["a"] * 5] * 2)
    with pytest.raises(InputError, match="'text' contains list"):
        list(batches(file_range(path), reading(), InvalidTextPolicy(Invalid.REFUSE)))
