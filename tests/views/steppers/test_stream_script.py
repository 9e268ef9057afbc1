"""The stepper of a stream: its story by eye, and that its rows say what the stream does."""

from __future__ import annotations

import pytest

import explorer
from explorer.analysis.streaming import Method
from explorer.script.script import Replay
from explorer.views.steppers.stream_script import MOST, stream_script
from tests.analysis.streaming.test_originals import TEXTS, lists
from tests.bundled import bundled
from tests.meaning import named
from tests.tiers import amount

HUGGING = [15043, 29871, 243, 162, 167, 154, 274, 28059]


def test_a_character_of_four_ids() -> None:
    script = stream_script(explorer.stream(bundled("llama-2"), HUGGING))
    assert [script.kind(step)["label"] for step in range(1, 10)] == [
        "shown", "shown", "held back", "held back", "held back", "whole", "shown", "shown", "the end"
    ]  # fmt: skip
    told = script.told(5)
    assert (told["held"], told["come"], told["need"], told["whole"]) == ("F0 9F A4", 3, 4, "🤗")
    assert "🤗" in named(script.sentence(6))
    assert "llama.cpp" in str(script.told(9)["marks"])


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "bert-uncased"])
def test_the_rows_are_what_the_stream_shows(name: str) -> None:
    for ids in [*(bundled(name).encode(text).ids for text in TEXTS), *lists(bundled(name), 21, amount(60))]:
        stream = explorer.stream(bundled(name), ids)
        script = stream_script(stream)
        replay, texts = Replay(script), script.data["texts"]
        assert len(script) == (len(ids) + 1 if ids else 0)
        while replay.forward():
            stop = min(replay.step, len(ids))
            rows = replay.rows("ids")
            assert len(rows) == stop
            assert rows[stop - 1][0] == ids[stop - 1]
            if replay.step > len(ids):
                stop += 1
            for key, method in enumerate(Method):
                shown = texts[replay.rows("methods")[key][1]]
                whole = stream.text_of(method, stop)
                assert shown.startswith("…") or script.spelled[replay.rows("methods")[key][1]] == whole
        while replay.back():
            pass
        assert not replay.rows("ids")


def test_of_a_long_stream_the_first_ids_are_drawn() -> None:
    script = stream_script(explorer.stream(bundled("gpt-2"), [64] * (MOST + 10)))
    assert len(script) == MOST
