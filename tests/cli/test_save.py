"""`explorer save` writes one file, or says in one line why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.cli.main import main
from explorer.learning.lessons import library


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        (["-m", "gpt-2", "hi there"], "hi there"),
        (["-m", "gpt-2", "--stage", "model", "hi there"], "hi there"),
        pytest.param(["-m", "gpt-2", "-m", "bert-uncased", "hi there"], "BERT", marks=pytest.mark.long),
        (["--train", "bpe", "--vocab-size", "9", "low lower"], "low lower"),
        (["--lesson", "bytes"], library()["bytes"].title),
        (["-m", "gpt-2", "--quiz", "1", "a fine text"], "Quiz"),
    ],
)
def test_a_page_is_written(
    arguments: list[str], holds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.html"
    assert main(["save", *arguments, "--output", str(path)]) == 0
    text = path.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert holds in text
    assert capsys.readouterr().out.endswith("kB\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-m", "gpt-2", "--stage", "none", "hi"], "stages"),
        (["-m", "gpt-2", "--app", "javascript:0", "hi"], "http"),
        (["--lesson", "none"], "bytes"),
        (["-m", "gpt-2", "-m", "gpt-2", "hi"], "two"),
        (["-m", "gpt-2", "-m", "bert-uncased@none", "hi"], "huggingface"),
        (["-m", "gpt-2", "-m", "none.json", "hi"], "none.json"),
        (["--train", "bpe", "--as", "likelihood", "hi"], "huggingface"),
        (["--train", "bpe", " "], "text"),
        (["-m", "gpt-2", "--quiz", "1", ""], "text"),
    ],
)
def test_what_cannot_be_saved_is_said(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["save", *arguments, "--output", str(tmp_path / "page.html")]) == 1
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("given", ["hi", "--lesson bytes -m gpt-2", "-m a -m b --quiz 2"])
def test_wrong_usage(given: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["save", *given.split(), "--output", str(tmp_path / "page.html")])
