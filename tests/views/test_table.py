"""The chart of the queue: the points of its entries, and their scale."""

from __future__ import annotations

import pytest

from explorer.script.window import window_of
from explorer.stages.merging.story import merge_script
from explorer.views.charts import chart_of_queue, ticks
from tests.bundled import bundled


def chart(name: str, text: str) -> dict[str, object] | None:
    tok = bundled(name)
    trace = tok.trace(text)
    drawn = chart_of_queue(merge_script(trace.stage("model"), tok.vocabulary, window_of(trace)), "score", "dark")
    return None if drawn is None else drawn.to_dict()


@pytest.mark.parametrize(("name", "better_is_higher"), [("llama-2", True), ("gpt-2", False)])
def test_the_best_entries_are_at_the_top_and_the_scale_is_logarithmic(name: str, better_is_higher: bool) -> None:
    drawn = chart(name, "The quick brown fox jumps over the lazy dog.")
    assert drawn is not None
    [rows] = drawn["datasets"].values()  # type: ignore[attr-defined]
    values = [row["priority"] for row in rows]
    assert {row["entry"] for row in rows} == {"merge", "stale"}
    y = drawn["encoding"]["y"]  # type: ignore[index]
    assert y["scale"]["type"] == "symlog"
    assert y["scale"]["domain"] == [min(*values, 0), max(*values, 0)]
    assert y["scale"]["reverse"] is not better_is_higher
    assert all(min(*values, 0) <= tick <= max(*values, 0) for tick in y["axis"]["values"])


def test_without_popped_entries_there_is_no_chart() -> None:
    assert chart("llama-2", "") is None


def test_ticks_are_within_the_range_of_the_values() -> None:
    assert ticks([-36.0, -3609.0]) == [-1000, -100, -10, 0]
    assert ticks([161.0, 45780.0]) == [0, 10, 100, 1000, 10000]
    assert ticks([-4.5]) == [0]
