"""`explorer patterns`."""

from __future__ import annotations

import pytest

from explorer.cli.main import main


def test_the_alternatives_that_differ_have_texts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["patterns", "qwen-2", "llama-3"]) == 0
    out = capsys.readouterr().out.splitlines()
    at = out.index(r"3  \p{N}")
    assert out[at + 1] == r"3  \p{N}{1,3}"
    assert out[at + 2].split() == ["11", "1", "|", "1", "11"]


def test_an_unknown_pattern_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["patterns", "gpt-2", "nope"]) == 1
    assert "'nope'" in capsys.readouterr().err
