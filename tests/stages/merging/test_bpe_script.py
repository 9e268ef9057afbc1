"""The merge stepper for BPE, replayed: its patches reproduce the engine's state, for three rules and any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.models.bpe import Bpe, KnownCharacters, MergeableRanks, MergeList
from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.engine.part import Events, Options, Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.model_script import MAX_PHASES
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.merging.story import MergeScript
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount
from tests.views.replays import play, put_out, queue_is_a_heap, stale_is_skipped, tokens_of

MODELS = ("gpt-2", "llama-3", "o200k_base", "qwen2.5@llama.cpp")


def script_of(tok: explorer.Tokenizer, text: str, window: Window | None = None) -> tuple[Script, Trace]:
    trace = tok.trace(text, add_special=False)
    return MergeScript.of(trace.stage("model"), tok.vocabulary, window or window_of(trace)), trace


def check(script: Script, tokens: list[Token]) -> None:
    """Forward to the end, looking at every step, and back to the beginning."""

    def look(replay: Replay) -> None:
        queue_is_a_heap(replay)
        stale_is_skipped(replay)

    replay = play(script, look)
    assert put_out(replay) == tokens_of(tokens)
    alive = [row for key, row in replay.rows("cells").items() if key >= 0 and row[0]]
    assert sum(row[0] for row in alive) == len(script.data["tracks"][0]["cells"])


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", MODELS)
@given(text=texts())
@settings(max_examples=amount(50))
def test_forward_gives_the_engines_tokens_and_back_the_initial_state(name: str, text: str) -> None:
    script, trace = script_of(bundled(name), text)
    check(script, list(trace.encoding.tokens))


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_many_pieces_have_few_phases_and_a_window_shows_what_lies_in_it(name: str) -> None:
    tok = bundled(name)
    text = "The quick brown fox jumps over 12345 lazy dogs, doesn't it? 🦙 naïve\n" * 30
    whole, trace = script_of(tok, text, Window(0, len(text), 0, 10**6))
    assert 1 < len(whole.data["phases"]) <= MAX_PHASES
    window = window_of(trace, 700, 150)
    script, _ = script_of(tok, text, window)
    assert 0 < len(script) < len(whole) / 5
    check(script, list(trace.encoding.tokens[window.first : window.last]))


def test_the_sentences_name_the_priority_of_a_pair() -> None:
    script, _ = script_of(bundled("gpt-2"), "low")
    assert script.sentence(1).startswith("Cells 0 and 1 make “lo”, number 5,184 in the list of merges: push it.")
    assert bundled("gpt-2").parts[-2].priority_of(b"l", b"o") == 5183  # type: ignore[attr-defined]
    value = Replay(script)
    value.forward()
    assert script.data["texts"][value.rows("queue")[0][2]] == "5,184", "counted from 1 in the queue, too"
    script, _ = script_of(bundled("llama-3"), "lowest")
    assert script.sentence(1).startswith("“lowest” as a whole is token 90998: nothing is merged.")
    script, _ = script_of(bundled("o200k_base"), "🦙")
    assert script.sentence(1).startswith("“🦙” is looked up as a whole: it is not a token.")
    assert r"make “\xf0\x9f”, a token with rank" in script.sentence(2)
    assert "rev" not in [track["name"] for track in script.data["tracks"]]


def test_a_piece_taken_whole_says_whether_merges_give_it() -> None:
    v = Vocabulary.of([b"a", b"b", b"c", b"ab", b"abc", b"bc"])
    for text, told in (
        ("ab", {"piece": "ab", "id": "3"}),
        ("abc", {"piece": "abc", "id": "4", "count": "2 tokens", "tokens": "“ab” “c”"}),
    ):
        model = Bpe(v, MergeList([b"a b"]), whole=True)
        events: Events[MergeRow] = Events(MergeRow)
        before = [Segment.of(text)]
        after = model.run(before, Options(), events.emit)
        script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, len(text), 0, 9))
        assert script.told(1) == told
    script, _ = script_of(bundled("llama-3"), " việc")
    assert "tokens" in script.told(1), "the merges alone can't build it"
    script, _ = script_of(bundled("o200k_base"), "lowest")
    assert "tokens" not in script.told(1)


@pytest.mark.long
def test_588_tokens_of_llama_3_cannot_be_built_by_its_merges() -> None:
    model = bundled("llama-3").parts[-2]
    assert isinstance(model, Bpe)
    assert model.whole
    cannot = [piece for piece, id in model.ids.items() if [cut.id for cut in model.merged(piece.decode())] != [id]]
    assert len(cannot) == 588


def test_a_pair_that_tiktoken_would_merge_and_a_list_does_not() -> None:
    """The joined text is a token, which other parts make, or no merge at all."""
    v = Vocabulary.of([b"a", b"b", b"c", b"ab", b"bc", b"abc"])
    model = Bpe(v, MergeList([b"b c", b"a bc"]))
    for text in ("ab", "abc"):
        events: Events[MergeRow] = Events(MergeRow)
        before = [Segment.of(text)]
        after = model.run(before, Options(), events.emit)
        script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, len(text), 0, 9))
        assert script.sentence(1).startswith(
            "Cells 0 and 1 would make “ab”, but this pair is not in the list of merges. It is a token all the same. "
            "tiktoken asks only whether the joined bytes are a token, so it would push this pair."
        )
    model = Bpe(v, MergeList([b"a b", b"b c", b"a bc"]))
    events = Events(MergeRow)
    after = model.run([Segment.of("abc")], Options(), events.emit)
    script = MergeScript.of(Stage("model", model, [Segment.of("abc")], after, events), v, Window(0, 3, 0, 9))
    said = [script.sentence(step) for step in range(1, len(script) + 1)]
    assert [each for each in said if "It is a token all the same, made of other parts." in each]
    assert MergeableRanks({b"ab": 3}).rank(b"a", b"b") == 3


def test_replacements_of_unknown_characters_are_drawn() -> None:
    v = Vocabulary.of([b"a", b"<0xC3>", b"<0xA9>", b"<unk>", b"aa"])
    for start, text, says in (
        (
            KnownCharacters(v.ids, unknown=b"<unk>", byte_fallback=True),
            "aé",
            "“é” is not a piece: it becomes 2 bytes,",
        ),
        (KnownCharacters(v.ids, unknown=b"<unk>", fuse=True), "a漢字a", "“漢字” is not a piece: cell 1 is the unknown"),
        (KnownCharacters(v.ids), "aéa", "“é” is not a piece, and the model has no unknown token: it is dropped."),
    ):
        model = Bpe(v, MergeList([b"a a"]), start)
        events: Events[MergeRow] = Events(MergeRow)
        before = [Segment.of(text)]
        after = model.run(before, Options(), events.emit)
        stage = Stage("model", model, before, after, events)
        script = MergeScript.of(stage, v, Window(0, len(text), 0, 9))
        assert script.sentence(1).startswith(says), script.sentence(1)
        assert script.data["phases"][0] == {"name": "Split", "from": 0}
        check(script, [token for token in after if isinstance(token, Token)])


def test_bytes_that_llama_cpp_drops_are_drawn() -> None:
    v = Vocabulary.of([b"a"])
    model = Bpe(v, MergeList([]))
    events: Events[MergeRow] = Events(MergeRow)
    before = [Segment.of("aé")]
    after = model.run(before, Options(), events.emit)
    assert [row.kind for row in events][-2:] == [MergeEvent.DROPPED, MergeEvent.DROPPED]
    script = MergeScript.of(Stage("model", model, before, after, events), v, Window(0, 2, 0, 2))
    assert "its byte 2 of 2 has no token: it is dropped" in script.sentence(len(script))
    check(script, [Token(0, 0, 1)])
