"""The corpora of `benchmarks.speed`: each text once, Python's modules and many languages among them."""

from __future__ import annotations

import ast

import pytest

from benchmarks.speed import corpora


def test_a_text_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(corpora.DOCUMENTS, "code", lambda: iter(["a = 1", "", "b = 2", "a = 1", "c = 3"]))
    assert corpora.documents("code", 12) == ["a = 1", "b = 2", "c = 3"]


def test_code_is_modules_of_the_library_and_of_packages() -> None:
    texts = corpora.documents("code", 300_000)
    assert len({*texts}) == len(texts)
    parsed = 0
    for text in texts:
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        parsed += 1
    assert parsed > 0.9 * len(texts)
