"""Ids decoded and encoded again: canonical ids come back, each drift replaced gives the canonical ids, by stage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.inputs import Line
from explorer.analysis.round_trip import DriftTotals, changed_say, drifts, ids_again, stages_say
from explorer.text.say import plain
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

EVERY = tuple(f"{name}@{each}" for name, model in explorer.catalog().items() for each in model.implementations)


@pytest.mark.parametrize(("spec", "ids", "canonical", "stage"), [
    ("gpt-2", [5450, 25, 1003], [5450, 1378], "model"),
    ("gpt-2", [464, 12520], [464, 20543], "decode"),
    ("gpt-2", [27, 91, 437, 1659, 5239, 91, 29], [50256], "partition"),
    ("llama-2", [1, 275], [1, 338], "normalize"),
    ("qwen2.5", [68, 53839], [963], "normalize"),
    ("cl100k_base", [16, 4513], [7261, 18], "pre-tokenize"),
])  # fmt: skip
@pytest.mark.sample(3)
def test_each_stage_by_eye(spec: str, ids: list[int], canonical: list[int], stage: str) -> None:
    found = ids_again(bundled(spec), ids)
    assert list(found.canonical) == canonical
    assert {each.stage for each in found.drifts} == {stage}


def test_the_sentence_counts_ids_and_names_stages() -> None:
    found = ids_again(bundled("gpt-2"), [5450, 25, 1003, 464, 12520])
    said = changed_say(found)
    assert said.args[:1] == (3,)
    assert {each.stage for each in found.drifts} == {"model", "decode"}
    assert all(name in plain(stages_say(found)) for name in ("model", "decode"))
    assert changed_say(ids_again(bundled("gpt-2"), [464])) != said


def test_a_token_across_a_cut_of_the_pattern() -> None:
    tok = bundled("o200k_base")
    across = next(id for id in range(len(tok.vocabulary)) if (data := tok.token_bytes(id)).isascii()
                  and len(data) > 1 and tok.vocabulary.kinds[id] == 1
                  and len(tok.trace_lazily(data.decode()).stages[-1].before) > 1)  # fmt: skip
    assert {each.stage for each in ids_again(tok, [across]).drifts} == {"pre-tokenize"}


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.sample(2)
@settings(max_examples=amount(80))
@given(data=st.data())
def test_replacing_each_drift_gives_the_canonical_ids(spec: str, data: st.DataObject) -> None:
    tok = bundled(spec)
    some = tok.encode(data.draw(texts())).ids + data.draw(st.lists(st.integers(0, len(tok.vocabulary) - 1), max_size=4))
    ids = [id for id in some if tok.vocabulary.has(id)]
    found = ids_again(tok, ids)
    made = list(ids)
    for each in found.drifts[::-1]:
        assert ids[each.start : each.end] == list(each.ids)
        made[each.start : each.end] = each.canonical
    assert made == list(found.canonical)
    assert {each.stage for each in found.drifts} <= {"decode", *(stage.name for stage in tok.trace("").stages)}


@pytest.mark.parametrize("spec", ["gpt-2", "cl100k_base", "o200k_base", "llama-3", "rwkv-world"])
@pytest.mark.sample(2)
@settings(max_examples=amount(80))
@given(text=texts())
def test_canonical_ids_come_back(spec: str, text: str) -> None:
    found = ids_again(bundled(spec), bundled(spec).encode(text).ids)
    assert found.same
    assert found.changed == 0


def test_the_totals_of_a_file() -> None:
    lines = [Line("x", 1, "[464, 318]"), Line("x", 2, ""), Line("x", 3, "5450 25 1003"), Line("x", 4, "[]")]
    totals = DriftTotals()
    for _, found in drifts(bundled("gpt-2"), lines):
        totals.add(found)
    assert (totals.lists, totals.drifting, totals.ids, totals.changed) == (3, 1, 5, 2)
    assert totals.rate == 400.0
    assert totals.stages == {"model": 1}


def test_errors_name_file_and_line() -> None:
    for text in ("[1, 99999]", "1 x"):
        with pytest.raises(explorer.InputError, match="x: line 7: "):
            list(drifts(bundled("gpt-2"), [Line("x", 7, text)]))
