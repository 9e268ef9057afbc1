"""What is kept between two runs comes back as it was, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.compiled import build, kept
from explorer.corpus import counter
from explorer.corpus.counter import TokenizerStats, chosen, key
from explorer.engine.fast import FastPath
from explorer.engine.fast.compiling.encoder import CompiledEncoder
from explorer.engine.fast.encoder import Batches
from explorer.engine.part import Options
from tests.bundled import bundled
from tests.compiled.hostile import expected, found, hostile

FAMILIES = (
    "gpt-2@huggingface", "qwen2.5@huggingface", "cl100k_base@tiktoken", "llama-2@llama.cpp", "xlm-r@llama.cpp",
    "bert-uncased@huggingface", "rwkv-world@rwkv",
)  # fmt: skip
"""A tokenizer for each kind of tables."""

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


def test_a_clock_that_was_ahead_leaves_nothing_that_never_goes(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("ahead", "now"):
        (folder / f"{name}.kept").write_bytes(bytes(100))
    os.utime(folder / "ahead.kept", (4e9, 4e9))
    kept.trim(tmp_path, 100)
    assert [each.name for each in folder.iterdir()] == ["now.kept"]


def test_two_processes_trim_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.kept").write_bytes(bytes(100))
    is_file = Path.is_file

    def deleted_meanwhile(path: Path) -> bool:
        found = is_file(path)
        if path.name == "a.kept":
            path.unlink()
        return found

    monkeypatch.setattr(Path, "is_file", deleted_meanwhile)
    kept.trim(tmp_path, 100)
    assert [each.name for each in folder.iterdir()] == ["b.kept"]


def test_a_user_without_a_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert kept.Keeper("one")("a", lambda: (1,)) == (1,)
    assert not kept.save(kept.root() / "one.kept", (1,))


@pytest.mark.long  # compiles
def test_damaged_code_is_compiled_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    build.compiled()
    code = kept.load(next(build.folder().glob("*.kept")))
    monkeypatch.setattr(build, "folder", lambda: tmp_path)
    monkeypatch.setattr(build, "compiled_anew", lambda: code)
    for _ in range(2):
        assert set(build.compiled.__wrapped__()) == {*build.ENTRIES}
        ((path,),) = [[*tmp_path.iterdir()]]
        assert kept.load(path) == code
        path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.long  # compiles
def test_ids_from_kept_tables_are_those_of_the_stages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    functions = build.compiled()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for spec in FAMILIES:
        together, keep = Batches(FastPath(bundled(spec).parts)), kept.Keeper(spec)
        CompiledEncoder.of(together.parts(), functions, keep=keep)
        with monkeypatch.context() as patch:
            patch.setattr(kept, "save", None)  # nothing is made anew
            together._encoder = CompiledEncoder.of(together.parts(), functions, 1 << 10, keep)
        texts = hostile(7, 60)
        assert found(together, texts, Options()) == expected(bundled(spec), texts, Options())


def test_properties_of_tokens_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    stats = [TokenizerStats(bundled("bert-uncased"), kept.Keeper(key)) for key in ("", "bert", "bert")]
    assert stats[1].flags.tolist() == stats[0].flags.tolist()
    monkeypatch.setattr(TokenizerStats, "computed", None)
    assert stats[2].flags.tolist() == stats[0].flags.tolist()
    assert stats[2].sizes.tolist() == stats[0].sizes.tolist()


def test_what_is_kept_depends_on_the_tokenizer_and_on_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    (one,), (other,) = chosen(["gpt-2"], {}), chosen(["gpt-2@llama.cpp"], {})
    keys = {key(each) for each in (one, other, one._replace(digest="0"), one._replace(choices=(("a", "b"),)))}
    monkeypatch.setattr(counter, "sources", lambda: "other code")
    keys.add(key(one))
    assert len(keys) == 5
    assert key(one) == key(chosen(["gpt-2"], {})[0])


def test_a_visitor_s_file_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    copy = tmp_path / "0001"
    copy.write_text('{"model": {"type": "BPE", "vocab": {"h": 0, "i": 1, "hi": 2}, "merges": ["h i"]}}')
    files = (("tiny.json", str(copy)),)
    of_visitor = counter.Chosen("tiny.json@huggingface", (), counter.digest("", files), kept=files)
    assert counter.stats_of(of_visitor).sizes.tolist() == [1, 1, 2]
    assert not (tmp_path / "cache").exists()
    copy.rename(tmp_path / "tiny.json")
    assert counter.stats_of(chosen([str(tmp_path / "tiny.json")], {})[0]).sizes.tolist() == [1, 1, 2]
    assert len([*tmp_path.glob("cache/tokenizer-explorer/tables/*")]) == 1
