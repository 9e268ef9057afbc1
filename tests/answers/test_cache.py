"""Errors are cached, for a while."""

from __future__ import annotations

import time

import pytest

from explorer.answers import cache
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.questions import question
from explorer.errors import InputError


def test_a_failed_question_is_computed_again_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    @question()
    def refused(spec: TokenizerSpec, text: str) -> str:
        tried.append(text)
        if len(tried) < 3:
            raise InputError(f"not {text}")
        return text

    spec = TokenizerSpec(bundled()["gpt-2"], "huggingface")
    for _ in range(3):
        with pytest.raises(InputError, match="not this"):
            refused(spec, "this")
    assert tried == ["this"]
    monkeypatch.setattr(cache, "monotonic", lambda: time.monotonic() + cache.RETRY_SECONDS + 1)
    with pytest.raises(InputError):
        refused(spec, "this")
    assert len(tried) == 2
    assert refused(spec, "that") == refused(spec, "that") == "that"
    assert len(tried) == 3
