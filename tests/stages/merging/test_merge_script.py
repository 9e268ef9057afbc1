"""The merge stepper, replayed: forward and back, its patches reproduce the engine's state for any text."""

from __future__ import annotations

from hypothesis import given, settings

import explorer
from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.engine.models.spm import Spm
from explorer.engine.part import Events, Options, Segment
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.merging.story import MergeScript
from tests.originals.generators import texts
from tests.tiers import amount
from tests.toys import UNKNOWN, UNUSED, vocabulary
from tests.views.replays import check_window, phase_of, play, put_out, queue_is_a_heap, stale_is_skipped, tokens_of


def script_of(tok: explorer.Tokenizer, text: str, window: Window | None = None) -> tuple[Script, Trace]:
    trace = tok.trace(text)
    return MergeScript.of(trace.stage("model"), tok.vocabulary, window or window_of(trace)), trace


def final_chain(trace: Trace) -> list[tuple[int, int]]:
    """(first cell, bytes) of every symbol alive before the output, cells counted over all segments."""
    chain, base = [], 0
    for segment in trace.stage("model").before:
        if not isinstance(segment, Segment):
            continue
        sizes = [len(c.encode()) for c in segment.text]
        index = trace.stage("model").before.index(segment)
        current = -1
        for row in trace.stage("model").events:
            if row.kind == MergeEvent.SEGMENT:
                current = row.left
            elif row.kind == MergeEvent.MERGE and current == index:
                sizes[row.left] += sizes[row.right]
                sizes[row.right] = 0
        chain += [(base + i, size) for i, size in enumerate(sizes) if size]
        base += len(sizes)
    return chain


@given(text=texts())
@settings(max_examples=amount(150))
def test_forward_gives_the_engines_final_symbols_and_back_the_initial_state(
    llama2: explorer.Tokenizer, text: str
) -> None:
    script, trace = script_of(llama2, text)
    replay = play(script, queue_is_a_heap)
    cells = [(key, row[2]) for key, row in replay.rows("cells").items() if key >= 0 and row[0]]
    assert cells == final_chain(trace)
    assert put_out(replay) == tokens_of(token for token in trace.encoding.tokens if token.start >= 0)


@given(text=texts())
@settings(max_examples=amount(60))
def test_every_step_has_a_sentence_and_the_fields_of_its_template(llama2: explorer.Tokenizer, text: str) -> None:
    script, _ = script_of(llama2, text)
    for step in range(1, len(script) + 1):
        assert script.sentence(step)
        assert "{" not in script.sentence(step).replace("“{", "").replace("{”", "") or "{" in text


@given(text=texts())
@settings(max_examples=amount(60))
def test_stale_entries_are_skipped_and_the_others_merged(llama2: explorer.Tokenizer, text: str) -> None:
    script, _ = script_of(llama2, text)
    play(script, stale_is_skipped)


def test_each_fragment_starts_over_and_special_tokens_pass(llama2: explorer.Tokenizer) -> None:
    script, trace = script_of(llama2, "<s>Hi</s> you<s>")
    assert [phase["name"] for phase in script.data["phases"]] == ["Fragment 1", "Fragment 2"]
    assert [token[0] for token in put_out(play(script))] == trace.ids[1:]


def test_no_text_is_a_script_without_steps(llama2: explorer.Tokenizer) -> None:
    for text in ("", "<s></s>"):
        script, _ = script_of(llama2, text)
        assert len(script) == 0
        assert script.data["start"]["say"]
        assert phase_of(script, 0) == "Split"


def test_a_window_keeps_the_order_of_its_events(llama2: explorer.Tokenizer) -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 40
    check_window(MergeScript.of, llama2, text, 900, 200)


def test_windows_never_cut_a_token_and_cover_the_text(llama2: explorer.Tokenizer) -> None:
    text = "<s>Ein Wort 😊 und Donaudampfschifffahrt</s>" * 20
    trace = llama2.trace(text)
    for at in range(0, len(text), 7):
        window = window_of(trace, at, 50)
        tokens = trace.encoding.tokens[window.first : window.last]
        inside = [token for token in tokens if token.start >= 0]
        assert all(window.start <= token.start and token.end <= window.end for token in inside)
        assert window.start <= max(0, min(at, len(text) - 50)) < window.end
    assert window_of(trace, 0, 50).first == 0


def test_a_piece_that_is_split_again_is_drawn_in_parts() -> None:
    v = vocabulary(("a", 0), ("b", 0), ("c", 0), ("ab", -1), ("abc", -2, UNUSED))
    model = Spm(v, resegment_unused=True)
    events: Events[MergeRow] = Events(MergeRow)
    before = [Segment.of("abc")]
    after = model.run(before, Options(), events.emit)
    script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, 3, 0, 2))
    replay = play(script)
    assert [(key, row[0], row[2]) for key, row in replay.rows("cells").items() if key >= 0 and row[0]] == [
        (0, 2, 2), (2, 1, 1)
    ]  # fmt: skip
    assert [token[0] for token in put_out(replay)] == [3, 2]
    (apart,) = [step for step in range(1, len(script) + 1) if script.kind(step)["label"] == "split again"]
    assert script.sentence(apart) == (
        "“abc” is a piece that may not be output: split it again at cell 2. sentencepiece marks such pieces UNUSED. "
        "llama.cpp has the same code, but can't reach it."
    )


def test_the_note_says_that_only_sentencepiece_splits_again(llama2: explorer.Tokenizer) -> None:
    script, _ = script_of(llama2, "is")
    (joined,) = [track for track in script.data["tracks"] if track["name"] == "rev"]
    assert "unreachable in llama.cpp" in joined["note"]
    assert "used by sentencepiece for pieces marked UNUSED" in joined["note"]


def test_one_symbol_is_singular(llama2: explorer.Tokenizer) -> None:
    assert script_of(llama2, "a")[0].opening() == "The text is split into 2 symbols, one per code point: 4 bytes."
    v = vocabulary(("a", 0))
    model = Spm(v)
    before = [Segment.of("a")]
    events: Events[MergeRow] = Events(MergeRow)
    after = model.run(before, Options(), events.emit)
    script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, 1, 0, 1))
    assert script.opening() == "The text is a single symbol of 1 byte, so it has no pair to merge."
    assert "1 symbols" not in " ".join(
        script_of(llama2, "<s>a<s>b")[0].sentence(step) for step in range(1, len(script) + 1)
    )


def test_a_run_of_unknown_characters_is_drawn_as_one_token() -> None:
    v = vocabulary(("<unk>", 0, UNKNOWN), ("a", 0))
    model = Spm(v, unknown=0, byte_fallback=False)
    events: Events[MergeRow] = Events(MergeRow)
    before = [Segment.of("é☃a")]
    after = model.run(before, Options(), events.emit)
    script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, 3, 0, 2))
    assert script.sentence(len(script) - 2).startswith("Cell 0: “é” is not a piece: it becomes “<unk>”, token 0.")
    assert script.sentence(len(script) - 1).startswith("Cell 1: “☃” is not a piece either")
    assert put_out(play(script)) == [(0, 0, 2), (1, 2, 3)]


def test_a_space_appended_to_the_text_is_drawn() -> None:
    v = vocabulary(("a", 0), ("▁", 0))
    model = Spm(v)
    events: Events[MergeRow] = Events(MergeRow)
    before = [Segment("a▁", [0, 1], [1, 1])]
    after = model.run(before, Options(), events.emit)
    script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, 1, 0, 2))
    assert put_out(play(script)) == tokens_of(after) == [(0, 0, 1), (1, 1, 1)]


def test_an_absorbed_symbol_keeps_its_links_and_has_no_bytes() -> None:
    """The linked list in small: "hello", with l + o merged. A llama.cpp symbol that was absorbed has n = 0."""
    v = vocabulary(("<unk>", 0.0, UNKNOWN), *((letter, -9.0) for letter in "helo"), ("lo", -1.0))
    model = Spm(v, 0)
    events: Events[MergeRow] = Events(MergeRow)
    before = [Segment.of("hello")]
    after = model.run(before, Options(), events.emit)
    script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, 5, 0, len(after)))
    replay = Replay(script)

    def links() -> tuple[list[int], list[int], list[int]]:
        rows = [row for key, row in replay.rows("cells").items() if key >= 0]
        return [row[2] for row in rows], [row[3] for row in rows], [row[4] for row in rows]

    assert links() == ([1, 1, 1, 1, 1], [-1, 0, 1, 2, 3], [1, 2, 3, 4, -1])
    play(script)
    while replay.forward():
        pass
    assert links() == ([1, 1, 1, 2, 0], [-1, 0, 1, 2, 3], [1, 2, 3, -1, -1])


@given(text=texts())
@settings(max_examples=amount(60))
def test_the_start_says_whether_any_pair_waits(llama2: explorer.Tokenizer, text: str) -> None:
    script, trace = script_of(llama2, text)
    why = script.data["start"].get("story_why", "")
    begun = 0
    waits = False
    for row in trace.stage("model").events:
        begun += row.kind == MergeEvent.SEGMENT
        waits |= begun == 1 and row.kind == MergeEvent.PUSH
    if why:
        assert ("nothing merges" in why) is not waits, why
    assert why or begun == 0 or not waits


def test_a_script_without_a_pair_in_the_vocabulary_says_so(llama2: explorer.Tokenizer) -> None:
    assert "nothing merges" in script_of(llama2, "လူတိုင်း")[0].data["start"]["story_why"]
