"""The stepper's script for BPE: state by replay is what the engine had, for the three rules and any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.bpe import Bpe, KnownCharacters, MergeList
from explorer.engine.items import Segment, Token
from explorer.engine.merges import Merge, MergeRow
from explorer.engine.options import Options
from explorer.engine.tokenizer import Stage, Trace
from explorer.trace import Events
from explorer.views.merge_script import MAX_PHASES, merge_script
from explorer.views.script import Replay, Script
from explorer.views.window import Window, window_of
from explorer.vocabulary import Vocabulary
from tests.originals.generators import texts

MODELS = ("gpt-2", "llama-3", "o200k_base", "qwen2.5@llama.cpp")
LOADED = {name: explorer.load(name) for name in MODELS}


def script_of(tok: explorer.Tokenizer, text: str, window: Window | None = None) -> tuple[Script, Trace]:
    trace = tok.trace(text, add_special=False)
    return merge_script(trace.stage("model"), tok.vocabulary, window or window_of(trace)), trace


def check(script: Script, tokens: list[Token]) -> None:
    """Forward to the end, looking at every step, and back to the beginning."""
    replay = Replay(script)
    initial = dict(replay.state)
    while True:
        queue, heap = replay.rows("queue"), replay.rows("heap")
        assert len(heap) == min(len(queue), 15)
        if replay.step < len(script):
            assert script.sentence(replay.step + 1)
            if script.kind(replay.step + 1)["label"] in ("merge", "stale"):
                popped = queue[min(queue, key=lambda key: (queue[key][1], key))]
                assert bool(popped[6]) == (script.kind(replay.step + 1)["label"] == "stale")
        if not replay.forward():
            break
    output = list(replay.rows("output").values())
    assert [row[1] for row in output] == [token.id for token in tokens]
    assert [row[2:] for row in output] == [(token.start, token.end) for token in tokens]
    alive = [row for key, row in replay.rows("cells").items() if key >= 0 and row[0]]
    assert sum(row[0] for row in alive) == len(script.data["tracks"][0]["cells"])
    while replay.back():
        pass
    assert replay.state == initial


@pytest.mark.parametrize("name", MODELS)
@given(text=texts())
@settings(max_examples=50)
def test_forward_gives_the_engines_tokens_and_back_the_initial_state(name: str, text: str) -> None:
    script, trace = script_of(LOADED[name], text)
    check(script, list(trace.encoding.tokens))


@pytest.mark.parametrize("name", MODELS)
def test_many_pieces_have_few_phases_and_a_window_shows_what_lies_in_it(name: str) -> None:
    tok = LOADED[name]
    text = "The quick brown fox jumps over 12345 lazy dogs, doesn't it? 🦙 naïve\n" * 30
    whole, trace = script_of(tok, text, Window(0, len(text), 0, 10**6))
    assert 1 < len(whole.data["phases"]) <= MAX_PHASES
    window = window_of(trace, 700, 150)
    script, _ = script_of(tok, text, window)
    assert 0 < len(script) < len(whole) / 5
    check(script, list(trace.encoding.tokens[window.first : window.last]))


def test_the_sentences_name_what_a_pair_is_judged_by() -> None:
    script, _ = script_of(LOADED["gpt-2"], "low")
    assert script.sentence(1).startswith("Cells 0 and 1 make “lo”, number 5,183 in the list of merges: push it.")
    script, _ = script_of(LOADED["llama-3"], "lowest")
    assert script.sentence(1).startswith("The piece “lowest” is a token as it stands, 90998: nothing is merged.")
    script, _ = script_of(LOADED["o200k_base"], "🦙")
    assert script.sentence(1).startswith("The piece “🦙” was looked up as a whole: it is no token.")
    assert r"join to “\xf0\x9f”, a token with rank" in script.sentence(2)
    assert "rev" not in [track["name"] for track in script.data["tracks"]]


def test_what_stands_for_unknown_characters_is_shown() -> None:
    v = Vocabulary.of([b"a", b"<0xC3>", b"<0xA9>", b"<unk>", b"aa"])
    for start, text, says in (
        (KnownCharacters(v.ids, unknown=b"<unk>", byte_fallback=True), "aé", "“é” is no piece: its 2 bytes are cells"),
        (KnownCharacters(v.ids, unknown=b"<unk>", fuse=True), "a漢字a", "“漢字” is no piece: cell 1 is the unknown"),
        (KnownCharacters(v.ids), "aéa", "“é” is no piece, and there is no unknown token: it is left out."),
    ):
        model = Bpe(v, MergeList([b"a a"]), start)
        events: Events[MergeRow] = Events(MergeRow)
        before = [Segment.of(text)]
        after = model.run(before, Options(), events.emit)
        stage = Stage("model", model, before, after, events)
        script = merge_script(stage, v, Window(0, len(text), 0, 9))
        assert script.sentence(1).startswith(says), script.sentence(1)
        assert script.data["phases"][0] == {"name": "Split", "from": 0}
        check(script, [token for token in after if isinstance(token, Token)])


def test_bytes_that_llama_cpp_loses_are_shown() -> None:
    v = Vocabulary.of([b"a"])
    model = Bpe(v, MergeList([]))
    events: Events[MergeRow] = Events(MergeRow)
    before = [Segment.of("aé")]
    after = model.run(before, Options(), events.emit)
    assert [row.kind for row in events][-2:] == [Merge.DROPPED, Merge.DROPPED]
    script = merge_script(Stage("model", model, before, after, events), v, Window(0, 2, 0, 2))
    assert "is its byte 2 of 2: it is left out" in script.sentence(len(script))
    check(script, [Token(0, 0, 1)])
