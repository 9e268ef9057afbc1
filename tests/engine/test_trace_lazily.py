"""A lazy trace equals the trace, and reuses the stages of another trace that would do the same."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.what_if import FLIPS, flipped
from explorer.engine.part import Emit, Items, Options, Part
from explorer.engine.tokenizer import Tokenizer, Trace
from tests.bundled import bundled
from tests.originals.generators import texts

SPECS = [f"{model.name}@{each}" for model in explorer.catalog().values() for each in model.implementations]
switches = st.fixed_dictionaries({"add_special": st.booleans(), "parse_special": st.booleans()})
long_texts = st.builds(lambda text, times: text * times, texts(), st.sampled_from([1, 1, 1, 40]))


def assert_same(one: Trace, other: Trace) -> None:
    assert one.encoding == other.encoding
    assert (one.text, one.options) == (other.text, other.options)
    for stage, again in zip(one.stages, other.stages, strict=True):
        assert (stage.name, stage.part) == (again.name, again.part)
        assert (stage.before, stage.after) == (again.before, again.after)
        assert stage.events.data == again.events.data


@pytest.mark.parametrize("spec", SPECS)
@given(text=long_texts, options=switches)
@settings(max_examples=25, deadline=None)
def test_it_is_the_same_trace(spec: str, text: str, options: dict[str, bool]) -> None:
    tok = bundled(spec)
    assert_same(tok.trace(text, **options), tok.trace_lazily(text, **options))


@pytest.mark.sample(2)
@pytest.mark.parametrize("spec", SPECS)
@given(text=texts(), options=switches, before=switches)
@settings(max_examples=15, deadline=None)
def test_stages_reused_from_another_trace_are_the_same(
    spec: str, text: str, options: dict[str, bool], before: dict[str, bool]
) -> None:
    tok = bundled(spec)
    once = tok.trace_lazily(text, **before)
    others = [tok, *(other for switch in FLIPS if (other := flipped(tok, switch)) is not None)]
    for other in others:
        assert_same(other.trace(text, **options), other.trace_lazily(text, like=once, **options))


class Counting:
    """A part that counts how often it is run."""

    def __init__(self, part: Part, runs: Counter[str]) -> None:
        self.part, self.runs = part, runs

    def __getattr__(self, name: str) -> object:
        return getattr(self.part, name)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        self.runs[self.part.name] += 1
        return self.part.run(items, options, emit)


def test_a_stage_runs_once_and_again_only_for_its_events() -> None:
    runs: Counter[str] = Counter()
    tok = bundled("llama-2")
    counting = Tokenizer(
        tok.name, tok.family, tok.implementation, tok.vocabulary,
        tuple(Counting(part, runs) for part in tok.parts), tok.decoder,
    )  # type: ignore[arg-type]  # fmt: skip
    trace = counting.trace_lazily("What is LoRA?")
    names = ["partition", "normalize", "model", "post-process"]
    assert runs == Counter(names)
    assert len(trace.stage("model").events) == len(tok.trace("What is LoRA?").stage("model").events)
    list(trace.stage("model").events)
    assert runs == Counter([*names, "model"]), "they are found once"
    runs.clear()
    counting.trace_lazily("What is LoRA?", add_special=False, like=trace)
    assert runs == Counter(["partition", "post-process"]), "only these heed the options"
    runs.clear()
    counting.trace_lazily("What is it?", like=trace)
    assert runs == Counter(names)
