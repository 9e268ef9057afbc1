"""Files with changed, missing and extra bytes are each counted or refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
from functools import cache
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from explorer.corpus.counter import chosen
from explorer.corpus.run import plan, run
from explorer.corpus.sources import Invalid, Reading
from explorer.errors import InputError
from tests.corpus.texts import LINES


@cache
def seeds() -> dict[str, bytes]:
    """A small undamaged file of each kind."""
    import pyarrow as pa
    from pyarrow import parquet

    text = "\n".join(LINES).encode()
    table = io.StringIO(newline="")
    csv.writer(table).writerows([("text", "n"), *((line, index) for index, line in enumerate(LINES))])
    columns = io.BytesIO()
    parquet.write_table(pa.table({"text": LINES, "n": range(len(LINES))}), columns, row_group_size=3)
    return {
        "a.txt": text,
        "a.jsonl": "\n".join(json.dumps({"text": line, "n": index}) for index, line in enumerate(LINES)).encode(),
        "a.csv": table.getvalue().encode(),
        "a.txt.gz": gzip.compress(text),
        "a.txt.zst": zstandard.compress(text),
        "a.parquet": columns.getvalue(),
    }


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """A file with some bytes changed or missing, or a truncated file."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        size = draw(st.sampled_from((0, 1, 4, len(data))))
        data = data[:at] + draw(st.binary(max_size=4)) + data[at + size :]
    return data


@pytest.mark.parametrize("name", list(seeds()))
@given(data=st.data(), invalid=st.sampled_from(list(Invalid)))
def test_a_damaged_file_is_counted_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject, invalid: Invalid
) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / name
    path.write_bytes(data.draw(damaged(seeds()[name])))
    reading = Reading(label="" if ".txt" in name else "n", invalid=invalid)
    try:
        job = plan([str(path)], chosen(["gpt-2"], {}), reading, size=100)
        tally, _ = run(job.tasks, job.work)
    except InputError:
        return
    assert list(tally.files) == [str(path)]


@pytest.mark.parametrize("name", list(seeds()))
def test_undamaged_files_are_counted(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(seeds()[name])
    job = plan([str(tmp_path / name)], chosen(["gpt-2"], {}))
    tally, _ = run(job.tasks, job.work)
    assert tally.total[0] == len(LINES)
