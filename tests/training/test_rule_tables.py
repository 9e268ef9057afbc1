"""The normalization rules of sentencepiece are the original's, and a damaged file is refused."""

from __future__ import annotations

import lzma
from importlib.resources import files
from pathlib import Path

import pytest

from explorer.errors import InputError
from explorer.opening.sources import VOCABS
from explorer.training.sentencepiece import sentences
from explorer.training.sentencepiece.sentences import RULES


@pytest.mark.parametrize("name", [name for name in RULES if name != "identity"])
def test_the_tables_are_those_of_the_package(name: str) -> None:
    assert sentences.table(name) == (files("sentencepiece") / "package_data" / f"{name}.bin").read_bytes()


def test_every_table_is_named_with_its_source() -> None:
    licences = (VOCABS / "LICENSES.md").read_text("utf-8")
    assert {path.relative_to(VOCABS / "normalization").as_posix() for path in VOCABS.rglob("*.xz")} == {
        f"{sentences.VERSION}/{name}.bin.xz" for name in sentences.SHA256
    }
    for name, digest in sentences.SHA256.items():
        assert sentences.table(name)
        assert f"`{sentences.VERSION}/{name}.bin.xz` | `{digest}`" in licences


def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "VOCABS", tmp_path)
    file = tmp_path / "normalization" / "0.2.3" / "nfkc.bin.xz"
    file.parent.mkdir(parents=True)
    for data in (None, b"no xz", lzma.compress(b"other rules")):
        if data is not None:
            file.write_bytes(data)
        with pytest.raises(InputError, match=r"nfkc\.bin\.xz"):
            sentences.table.__wrapped__("nfkc")
