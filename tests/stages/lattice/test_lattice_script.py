"""The lattice stepper, replayed: forward and back, its patches reproduce the engine's state for any text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.models.unigram import (
    Unigram,
    UnigramEvent,
    UnigramRow,
    UnigramRules,
    llama_cpp_rules,
    sentencepiece_rules,
)
from explorer.engine.part import Events, Options, Segment
from explorer.engine.tokenizer import Stage
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.lattice.story import BEST, LOST, UnigramScript
from explorer.text.say import fill, number, two_digits
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount
from tests.toys import BYTE, UNKNOWN, UNUSED, vocabulary
from tests.views.replays import check_window, play, put_out, tokens_of


@pytest.fixture(scope="module")
def xlmr() -> explorer.Tokenizer:
    return bundled("xlm-r")


@given(text=texts())
@settings(max_examples=amount(150))
def test_forward_gives_the_engines_path_and_back_the_initial_state(xlmr: explorer.Tokenizer, text: str) -> None:
    trace = xlmr.trace(text)
    stage = trace.stage("model")
    replay = play(UnigramScript.of(stage, xlmr.vocabulary, window_of(trace)))
    assert put_out(replay) == tokens_of(stage.after)
    segments = [item for item in stage.before if isinstance(item, Segment)]
    if segments:
        # the best arcs cover the last segment without gaps
        last = segments[-1]
        base = sum(len(segment.text) for segment in segments[:-1])
        path = sorted(row[:2] for row in replay.rows("arcs").values() if row[4] == BEST)
        assert path[0][0] == base
        assert path[-1][1] == base + len(last.text)
        assert all(a[1] == b[0] for a, b in itertools.pairwise(path))
        assert isinstance(stage.part, Unigram)
        best = stage.part.best_path(last, lambda *row: None)
        assert path == [(base + start, base + end) for start, end, _ in best]


def toy(v: Vocabulary, rules: UnigramRules, text: str, window: Window | None = None) -> tuple[Script, list[str]]:
    """The script of one segment, and the labels of its steps."""
    model = Unigram(v, 0, rules)
    events: Events[UnigramRow] = Events(UnigramRow)
    before = [Segment.of(text)]
    after = model.run(before, Options(), events.emit)
    stage = Stage("model", model, before, after, events)
    script = UnigramScript.of(stage, v, window or Window(0, len(text), 0, len(after)))
    return script, [str(script.kind(step)["label"]) for step in range(1, len(script) + 1)]


UNK = ("<unk>", 0.0, UNKNOWN)


def test_the_winner_is_named_with_both_sums() -> None:
    v = vocabulary(UNK, ("a", -1), ("b", -2), ("ab", -4), ("ba", -1.5))
    script, labels = toy(v, llama_cpp_rules(v), "aba")
    assert labels == ["reaches", "reaches", "beats", "reaches", "loses", "back", "back", "token", "token"]
    assert script.sentence(3) == (
        "From offset 1: “b” scores −2, −3 in all. That beats “ab” with −4: it is now the best path to offset 2."
    )
    assert script.sentence(5).startswith(
        "From offset 2: “a” scores −1, −4 in all. “ba” with −2.5000 stays the best path to offset 3."
    )
    assert script.sentence(6) == "Back from offset 3: the best path to it ends with “ba”, from offset 1."
    replay = play(script)
    texts_ = script.data["texts"]
    best = {row[0]: (row[1], texts_[row[2]], texts_[row[4]]) for row in replay.rows("best").values()}
    assert best == {0: (-1, "", "0"), 1: (0, "a", "−1"), 2: (1, "b", "−3"), 3: (1, "ba", "−2.5000")}
    states = {(row[0], row[1]): row[4] for row in replay.rows("arcs").values()}
    assert states[0, 2] == LOST
    assert states[0, 1] == states[1, 3] == BEST
    assert [phase["name"] for phase in script.data["phases"]] == ["Forward", "Back", "Output"]


def test_unknown_unused_and_bytes() -> None:
    v = vocabulary(UNK, ("a", -1), ("aa", -1, UNUSED))
    script, labels = toy(v, sentencepiece_rules(v), "aax☃")
    assert labels.count("unused") == 1
    assert labels[-2:] == ["unknown token", "unknown token"]
    assert put_out(play(script)) == [(1, 0, 1), (1, 1, 2), (0, 2, 4)]

    v = vocabulary(UNK, ("a", -1), *((f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)))
    script, labels = toy(v, sentencepiece_rules(v, byte_fallback=True), "éa")
    assert labels[-3:] == ["byte", "byte", "token"]
    assert "its byte 2 becomes “<0xA9>”" in script.sentence(len(script) - 1)


def test_rebased_sums_are_drawn() -> None:
    v = vocabulary(UNK, ("a", -60_000), ("aa", -90_000))
    script, labels = toy(v, sentencepiece_rules(v), "a" * 7)
    assert labels.count("rebase") == 2
    replay = Replay(script)
    while replay.forward():
        if script.kind(replay.step)["label"] == "rebase":
            offset = script.args(replay.step)[0]
            row = replay.rows("best")[offset]
            assert script.data["texts"][row[4]] == "0"
            assert f"has reached {number(-150_000 if offset == 3 else -120_000)}" in script.sentence(replay.step)


def test_a_window_keeps_the_sums_of_the_whole(xlmr: explorer.Tokenizer) -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 20
    check_window(UnigramScript.of, xlmr, text, 300, 100)


def test_each_fragment_has_its_own_lattice_and_no_text_has_no_steps(xlmr: explorer.Tokenizer) -> None:
    trace = xlmr.trace("<s>Hi</s> you<s>")
    script = UnigramScript.of(trace.stage("model"), xlmr.vocabulary, window_of(trace))
    assert [phase["name"] for phase in script.data["phases"]] == ["Fragment 1", "Fragment 2"]
    assert [token[0] for token in put_out(play(script))] == trace.ids[1:-1]
    for text in ("", "<s></s>", "  "):
        trace = xlmr.trace(text)
        script = UnigramScript.of(trace.stage("model"), xlmr.vocabulary, window_of(trace))
        assert len(script) == 0
        assert script.data["start"]["say"]


def test_the_prefix_and_suffix_are_cells_of_the_lattice(xlmr: explorer.Tokenizer) -> None:
    v = vocabulary(UNK, ("a", -1), ("▁", -1))
    model = Unigram(v, 0, llama_cpp_rules(v))
    segment = Segment("a▁", [0, 1], [1, 1])
    events: Events[UnigramRow] = Events(UnigramRow)
    after = model.run([segment], Options(), events.emit)
    script = UnigramScript.of(Stage("model", model, [segment], after, events), v, Window(0, 1, 0, 2))
    assert len(script.data["tracks"][0]["cells"]) == 2
    assert [token[0] for token in put_out(play(script))] == [1, 2]
    assert UnigramEvent.BACK in [row.kind for row in events]


@pytest.mark.parametrize("text", ["What is LoRA?", "internationalization", "吾輩は猫である"])
def test_the_picture_shows_the_best_sums_and_adds_them_up(xlmr: explorer.Tokenizer, text: str) -> None:
    """Against a plain search for the best sum of every prefix."""
    trace = xlmr.trace(text)
    (segment,) = [item for item in trace.stage("model").before if isinstance(item, Segment)]
    spelled, pieces, scores = segment.text, xlmr.vocabulary.ids, xlmr.vocabulary.scores
    best = [0.0] + [-1e9] * len(spelled)
    ways: dict[tuple[int, int], float] = {}
    for end in range(1, len(spelled) + 1):
        for start in range(end):
            token = pieces.get(spelled[start:end].encode())
            if token is not None:
                ways[start, end] = scores[token]
                best[end] = max(best[end], best[start] + scores[token])
    script = UnigramScript.of(trace.stage("model"), xlmr.vocabulary, window_of(trace))
    replay, words = play(script), script.data["texts"]
    shown = {key: words[row[5]] for key, row in replay.rows("best").items()}
    assert shown == {at: two_digits(sum_) for at, sum_ in enumerate(best)}
    arcs = {row[:2]: row for row in replay.rows("arcs").values()}
    assert arcs.keys() == ways.keys()
    for (start, end), row in arcs.items():
        sums = ways[start, end], best[start], best[start] + ways[start, end]
        assert [words[index] for index in row[6:]] == [two_digits(value) for value in sums]
        assert (row[4] == LOST) == (sums[2] < best[end])


def test_the_path_is_named_piece_by_piece(xlmr: explorer.Tokenizer) -> None:
    script = UnigramScript.of((trace := xlmr.trace("What is LoRA?")).stage("model"), xlmr.vocabulary, window_of(trace))
    back = [step for step in range(1, len(script) + 1) if script.kind(step)["label"] == "back"]
    told = [fill(script.kind(step)["story"], script.args(step), script.data["texts"]) for step in back]
    assert told[1] == "Walk back from the end: “?” ← “RA”"
    assert told[-1] == "Walk back from the end: “?” ← “RA” ← “▁Lo” ← “▁is” ← “▁What”"
    why = fill(script.kind(back[-1])["story_why"], script.args(back[-1]), script.data["texts"])
    assert why.endswith("the path with the highest sum: −46.47.")
