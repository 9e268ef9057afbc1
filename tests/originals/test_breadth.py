"""The comparison of a whole folder: it finds each file once, counts nothing where both agree, and a difference if one
is planted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import explorer
from tests.fuzz import seeds
from tests.originals import breadth
from tests.originals.of_file import original
from tests.originals.sentencepiece import trained


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A toy of each of three families, one of them twice, and files that are no tokenizers."""
    (whole, *_) = (files["tokenizer.json"] for files in seeds.tokenizer_json())
    for name in ("a/tokenizer.json", "b/again.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(whole)
    (tmp_path / "toy.model").write_bytes(trained("bpe"))
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nthe\n")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "x"}))
    (tmp_path / "numbers.json").write_text(json.dumps({"a": 1, "b": 2}))
    return tmp_path


def test_equal_files_count_once_and_nothing_differs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EXPLORER_COMPILED", "never")
    monkeypatch.setattr(sys, "argv", ["breadth", str(folder), "--texts", "30"])
    status, said = breadth.main(), capsys.readouterr().out
    assert status == 0, said
    assert "3 files: 3 compared" in said
    assert [path.name for path in breadth.files(folder)] == ["tokenizer.json", "toy.model", "vocab.txt"]


def test_a_planted_difference_is_counted(folder: Path) -> None:
    path = folder / "vocab.txt"
    ours = explorer.load(path)
    path.write_text(path.read_text().replace("the\n", "thee\n"))
    row = breadth.compared(ours, original(path, ours), ["the", "a"], 1)
    assert row.counts["ids"] == 1
    assert row.counts["decode"] == 0
    assert "'the'" in row.examples["ids"]
