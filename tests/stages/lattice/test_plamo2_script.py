"""PLaMo-2's lattice stepper, replayed: forward and back, its patches reproduce the engine's state."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.part import Token
from explorer.engine.tokenizer import Tokenizer, Trace
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.lattice.story import BEST, Plamo2Script
from explorer.views.overview import sections
from tests.implementations.llama_cpp.toys import PLAMO, keys_of
from tests.tiers import amount

TOK: Tokenizer = from_gguf(Gguf(3, 0, keys_of("plamo2", PLAMO)), "plamo2")  # type: ignore[arg-type]


def script_of(text: str, window: Window | None = None) -> tuple[Trace, Script]:
    trace = TOK.trace(text)
    return trace, Plamo2Script.of(trace.stage("model"), TOK.vocabulary, window or window_of(trace))


@given(
    text=st.text("abc[P]漢字é😀\ufeff", max_size=20) | st.sampled_from(["a<|plamo:bos|>bc<|plamo:eos|>", "\ufeff", ""])
)
@settings(max_examples=amount(150))
def test_forward_gives_the_engines_tokens_and_back_the_initial_state(text: str) -> None:
    trace, script = script_of(text)
    replay = Replay(script)
    initial = dict(replay.state)
    while replay.forward():
        assert script.sentence(replay.step)
    tokens = [item for item in trace.stage("model").after if isinstance(item, Token)]
    assert [row[1:] for row in replay.rows("output").values()] == [tuple(token) for token in tokens]
    while replay.back():
        pass
    assert replay.state == initial


def test_the_sums_are_those_of_the_engine() -> None:
    _, script = script_of("cab")
    replay = Replay(script)
    while replay.forward():
        pass
    texts = script.data["texts"]
    best = {row[0]: (row[1], texts[row[2]], texts[row[4]]) for row in replay.rows("best").values()}
    assert best == {0: (3, "cab", "−5.0001"), 1: (3, "ab", "−4"), 2: (3, "b", "−3.1000")}
    assert [row[:2] for row in replay.rows("arcs").values() if row[4] == BEST] == [(0, 3)]
    assert (
        script.sentence(1)
        == "From offset 2 to 3: “b” scores −3.1000, −3.1000 to the end. It is the first path from there."
    )


def test_a_window_keeps_the_sums_of_the_whole() -> None:
    trace, whole = script_of("abc" * 30)
    window = window_of(trace, 30, 12)
    _, script = script_of("abc" * 30, window)
    assert 0 < len(script) < len(whole) / 3
    sentences = {whole.sentence(step) for step in range(1, len(whole) + 1)}
    assert {script.sentence(step) for step in range(1, len(script) + 1)} <= sentences


def test_the_page_shows_this_script() -> None:
    trace = TOK.trace("ab")
    shown = sections(TOK, trace, round_trip(TOK, trace), window_of(trace))
    assert [(section.title, section.script is not None) for section in shown if section.key == "model"] == [
        ("The best path, from the end", True)
    ]
