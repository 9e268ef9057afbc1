"""Which event of a stage a difference is about."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.divergence.model_causes import ModelSide
from explorer.analysis.divergence.result import States, TextEvents, run, states
from explorer.engine.part import Segment
from explorer.stages.merging.stage import merges_within
from tests.analysis.toy_tokenizers import bpe
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

MODELS = ("llama-2", "mistral-v1", "xlm-r", "bert-uncased", "bert-uncased@llama.cpp", "rwkv-world",
          "rwkv-world@first-miss", "gpt-2", "llama-3", "qwen2.5@llama.cpp", "cl100k_base")  # fmt: skip


def of(spec: str, text: str) -> States:
    return states(run(bundled(spec), text))


@settings(max_examples=amount(100))
@given(texts(), st.sampled_from(MODELS))
def test_every_token_of_the_model_has_the_event_that_output_it(text: str, spec: str) -> None:
    side = of(spec, text)
    stage = side.run.trace.stages[side.model]
    found = ModelSide(side).outputs
    assert len(found) == len(side.tokens) - len(side.specials)
    assert [each.event for each in found.values()] == sorted(each.event for each in found.values())
    for index, each in found.items():
        row = stage.events[each.event]
        assert (row.token, row.kind) == (side.tokens[index].id, each.kind)


@settings(max_examples=amount(60))
@given(texts(), st.sampled_from(("llama-2", "gpt-2", "llama-3", "qwen2.5@llama.cpp", "cl100k_base")))
def test_merges_are_replayed_as_they_were_made(text: str, spec: str) -> None:
    side = of(spec, text)
    stage = side.run.trace.stages[side.model]
    found = ModelSide(side).merges
    assert sorted(each.event for each in found) == [
        event for event, row in enumerate(stage.events) if stage.part.kinds(row.kind).name == "MERGE"
    ]
    for each in found:
        assert each.priority_value is not None
        token = stage.events[each.event].token
        assert side.spelling.content(token) == each.left + each.right
        assert 0 <= each.start < each.end <= len(text) or (each.start == 0 and each.left == b" ")


def test_merges_within_a_stretch_by_eye() -> None:
    side = states(run(bpe("b c", "a bc"), "abcabc"))
    found = merges_within(ModelSide(side).merges, 3, 6)
    assert [(each.start, each.end, each.left, each.right, each.priority_value) for each in found] == [
        (4, 6, b"b", b"c", 0), (3, 6, b"a", b"bc", 1)
    ]  # fmt: skip


CASES = [
    ("llama-2", 0, "a<s>b", (1, 4), "", 1, {"kind": 1, "start": 1, "end": 4}),
    ("qwen2.5", 1, "abA\u030a", (2, 4), "Å", None, {"at": 2, "code_point": ord("Å")}),
    ("bert-uncased", 1, "abÅ", (2, 3), "Å\u030aa", None, {"code_point": ord("\u030a")}),
    ("xlm-r", 1, "ab ﬁ", (3, 4), "", None, {"at": 3, "size": 1}),
    ("gpt-2", 1, "He's it", (5, 6), "", None, {"kind": 0, "start": 4, "end": 7}),
    ("bert-uncased", 2, "it is", (3, 4), "", None, {"start": 3, "end": 5}),
]


@pytest.mark.parametrize(("spec", "number", "text", "span", "points", "token", "row"), CASES)
def test_the_event_about_a_position(
    spec: str, number: int, text: str, span: tuple[int, int], points: str, token: int | None, row: dict[str, int]
) -> None:
    side = of(spec, text)
    events = TextEvents(side, number)
    event = events.find(*span, points, token)
    assert event is not None
    found = side.run.trace.stages[number].events[event]._asdict()
    assert row.items() <= found.items()


def test_a_special_token_that_was_not_parsed_has_an_event() -> None:
    side = states(run(bundled("llama-2"), "a<s>b", parse_special=False))
    event = TextEvents(side, 0).find(1, 4, "", 1)
    assert event is not None
    row = side.run.trace.stages[0].events[event]
    assert (side.run.trace.stages[0].part.kinds(row.kind).name, row.token) == ("NOT_PARSED", 1)


def test_events_count_in_the_text_that_was_read() -> None:
    side = states(run(bundled("gpt-2"), r"\n\n is", read_escapes=True))
    event = TextEvents(side, 1).find(5, 6)
    assert event is not None
    row = side.run.trace.stages[1].events[event]
    assert (row.start, row.end) == (2, 5)
    items = side.run.trace.stages[1].after
    assert [(item.starts[0], item.ends[-1]) for item in items if isinstance(item, Segment)] == [(0, 4), (4, 7)]
