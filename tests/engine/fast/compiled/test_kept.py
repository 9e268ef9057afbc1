"""What is kept between two runs comes back as it was, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.fast.compiled import build, kept

TREE: dict[str, Any] = {"a": (1, 2.5, None, "é", b"\xff\0"), "b": np.arange(5), "c": np.zeros(0, np.float64)}


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "one.kept"
    assert kept.load(path) is None
    assert kept.save(path, TREE)
    found = kept.load(path)
    assert found["a"] == TREE["a"]
    assert found["b"].tolist() == [0, 1, 2, 3, 4]
    assert found["b"].dtype == np.int64
    assert found["b"].ctypes.data % 8 == 0
    assert (found["c"].dtype, len(found["c"])) == (np.float64, 0)
    assert [each.name for each in path.parent.iterdir()] == ["one.kept"]


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "one.kept"
    kept.save(path, TREE)
    data = path.read_bytes()
    damaged = [data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(len(data))]
    damaged += [b"", data[:70], data[:-1], data + b"\0", b"[]" * 100]
    for each in damaged:
        path.write_bytes(each)
        assert kept.load(path) is None
    assert kept.kept(path, lambda: (7,)) == (7,)
    assert kept.load(path) == (7,)


def test_a_file_of_another_name_is_not_taken(tmp_path: Path) -> None:
    one, other = tmp_path / "one.kept", tmp_path / "other.kept"
    kept.save(one, TREE)
    one.rename(other)
    assert kept.load(other) is None
    one.mkdir()
    assert kept.load(one) is None
    assert not kept.save(one, TREE)
    assert kept.kept(one, lambda: 7) == 7


def test_those_that_nobody_reads_are_deleted(tmp_path: Path) -> None:
    paths = [tmp_path / "folder" / f"{name}.kept" for name in "abc"]
    for age, path in enumerate(paths):
        kept.save(path, (bytes(1000),))
        os.utime(path, (age, age))
    assert kept.load(paths[0]) is not None
    kept.trim(tmp_path, 2 * paths[0].stat().st_size)
    assert [path.exists() for path in paths] == [True, False, True]


def test_damaged_code_is_compiled_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    code = kept.load(next(build.folder().glob("*.kept"))) if build.compiled() else b""
    monkeypatch.setattr(build, "folder", lambda: tmp_path)
    monkeypatch.setattr(build, "compiled_anew", lambda: code)
    for _ in range(2):
        assert set(build.compiled.__wrapped__()) == {*build.ENTRIES}
        ((path,),) = [[*tmp_path.iterdir()]]
        assert kept.load(path) == code
        path.write_bytes(path.read_bytes()[:-1])
