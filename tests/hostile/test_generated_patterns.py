"""Generated patterns on long texts: each finishes or is stopped by its limit or the budget of the run."""

from __future__ import annotations

import pytest

import explorer
from explorer.engine import budget
from explorer.engine.regexes import safe as time_limit
from tests.hostile.patterns import pairs, tried
from tests.tiers import amount

LIMITS = ("took too long", "took too much memory")


def test_a_pattern_finishes_or_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "SECONDS", 0.1)
    monkeypatch.setattr(budget, "SECONDS_A_CHARACTER", 0.0)
    monkeypatch.setattr(time_limit, "PATTERN_SECONDS", 0.05)
    tokenizer = explorer.load("gpt-2@llama.cpp")
    ran = stopped = 0
    # the last one never finishes, however fast the machine is
    for pattern, text in [*pairs(11, amount(60), 5_000), ("(?:a|aa)+!", "a" * 5_000)]:
        outcome = tried(pattern, text, tokenizer)
        if outcome.stopped:
            assert any(limit in outcome.said for limit in LIMITS), (pattern, outcome.said)
            assert "\n" not in outcome.said
        ran, stopped = ran + (not outcome.said), stopped + outcome.stopped
    assert ran > amount(30)
    assert stopped
