"""The simulated students of `benchmarks.learning`: reading pays where a panel tells what a card does not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from benchmarks.learning import Notes, Seen, compares, excludes, is_stale, rows_of
from explorer.learning.checks.cards import OwnEngine
from explorer.learning.lessons import library


def test_who_reads_the_panel_finds_the_most_frequent_pair() -> None:
    rows = {row.card: row for row in rows_of(OwnEngine(), library()["train-bpe"])}
    assert rows[3].guesses == Fraction(1, 4)
    assert rows[3].panels == 1 > rows[3].cards
    assert rows[3].asks


@pytest.mark.parametrize(
    ("rule", "kind", "sentence", "prompt", "points"),
    [
        (compares, "next-merge", "The highest score goes first.", "Which pair merges next?", [(1, 10.0)]),
        (compares, "next-merge", "Lower number first.", "Which pair merges next?", []),
        (excludes, "exercise", "“b” is not a piece.", "Which?", [(1, -10.0)]),
        (is_stale, "out-of-date", "", "The symbols are “x” “a” “y”.", [(0, 10.0), (1, 10.0)]),
    ],
)
def test_a_rule_follows_what_was_read(
    rule: object, kind: str, sentence: str, prompt: str, points: list[tuple[int, float]]
) -> None:
    notes = Notes([sentence], {"a": -9.0, "b": -2.0} if "score" in sentence else {})
    assert callable(rule)
    assert list(rule(notes, Seen(kind, prompt, ["“a”", "“b”"], ["", ""]))) == points
