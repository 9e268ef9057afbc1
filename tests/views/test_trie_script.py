"""The trie's script: the patches give what the engine found, forward and back, for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.items import Item, Segment, Token
from explorer.engine.options import Options
from explorer.engine.tokenizer import Stage, Trace
from explorer.engine.trie import TrieMatch, WalkRow
from explorer.trace import Events
from explorer.views.script import Replay, Script
from explorer.views.trie_script import trie_script
from explorer.views.window import Window, window_of
from explorer.vocabulary import Vocabulary
from tests.originals.generators import texts


@pytest.fixture(scope="module", params=["rwkv-world", "rwkv-world@first-miss"])
def world(request: pytest.FixtureRequest) -> explorer.Tokenizer:
    return explorer.load(request.param)


def script_of(tok: explorer.Tokenizer, text: str, window: Window | None = None) -> tuple[Script, Trace]:
    trace = tok.trace(text)
    return trie_script(trace.stage("model"), tok.vocabulary, window or window_of(trace)), trace


def played(script: Script) -> Replay:
    replay = Replay(script)
    while replay.forward():
        assert script.sentence(replay.step)
    return replay


def boxes(replay: Replay) -> list[tuple[int, int]]:
    """(id, bytes) of the boxes on the strip; every cell lies in one."""
    rows = {key: row for key, row in replay.rows("cells").items() if key >= 0}
    found, key = [], 0
    while key < len(rows):
        span, token = rows[key]
        assert span > 0
        assert all(rows[inner][0] == 0 for inner in range(key + 1, key + span))
        found.append((token, span))
        key += span
    return found


@given(text=texts())
@settings(max_examples=150)
def test_forward_gives_the_engines_tokens_and_back_the_initial_state(world: explorer.Tokenizer, text: str) -> None:
    script, trace = script_of(world, text[:600])
    initial = dict(Replay(script).state)
    replay = played(script)
    tokens = trace.encoding.tokens
    assert [row[1:] for row in replay.rows("output").values()] == [tuple(token) for token in tokens]
    assert boxes(replay) == [(token.id, len(world.vocabulary.pieces[token.id])) for token in tokens]
    while replay.back():
        pass
    assert replay.state == initial


def test_every_event_but_the_segment_is_a_step(world: explorer.Tokenizer) -> None:
    script, trace = script_of(world, "吾輩は猫である。🫠!--")
    assert len(script) == len(trace.stage("model").events) - 1


def test_nodes_that_are_no_token_are_walked_through_and_back_from() -> None:
    tok = explorer.load("rwkv-world")
    script, _ = script_of(tok, "!--")
    assert script.kind(2)["label"] == "node"
    replay = Replay(script)
    for _ in range(3):
        replay.forward()
    words = script.data["texts"]
    assert [(words[row[2]], words[row[3]]) for row in replay.rows("path").values()] == [
        ("!", "token 34"), ("!-", "no token"), ("!--", "token 5169")
    ]  # fmt: skip
    fell, _ = script_of(tok, "<!-x")
    assert fell.sentence(5).startswith("Fall back to the last token seen, “<!”, token 750. The walk was 1 byte further")


def test_the_first_miss_loop_says_where_it_stops() -> None:
    script, _ = script_of(explorer.load("rwkv-world@first-miss"), "!--")
    assert script.sentence(2).startswith("With the character “-” it is “!-”, which is no token: stop.")
    script, _ = script_of(explorer.load("rwkv-world@first-miss"), "🫠")
    assert script.sentence(2).startswith("The character “🫠” is no token: its byte F0 becomes token 241, byte + 1.")


def test_an_emoji_costs_what_it_costs_byte_by_byte() -> None:
    tok = explorer.load("rwkv-world")
    script, trace = script_of(tok, "🫠")
    assert len(trace.ids) == 3
    assert [span for _, span in boxes(played(script))] == [2, 1, 1]


def test_fragments_tokens_between_them_and_an_unknown_byte() -> None:
    v = Vocabulary.of([b"?", b"ab", b"a"], kinds=[3, 1, 1])
    model = TrieMatch(v, unknown=0)
    before: list[Item] = [Token(1, 0, 2), Segment.of("abx", 2), Token(2, 5, 6), Segment.of("a", 6), Token(1, 7, 9)]
    events: Events[WalkRow] = Events(WalkRow)
    after = model.run(before, Options(), events.emit)
    script = trie_script(Stage("model", model, tuple(before), tuple(after), events), v, Window(0, 9, 0, 6))
    replay = played(script)
    assert [row[1] for row in replay.rows("output").values()] == [1, 1, 0, 2, 2, 1]
    labels = [script.kind(step)["label"] for step in range(1, len(script) + 1)]
    assert "unknown" in labels
    assert "fragment" in labels
    assert labels[-1] == "token"


def test_no_text_is_a_script_without_steps(world: explorer.Tokenizer) -> None:
    script, _ = script_of(world, "")
    assert len(script) == 0
    assert script.data["start"]["say"]


def test_a_window_shows_the_tokens_that_lie_in_it(world: explorer.Tokenizer) -> None:
    text = "The quick 茶色の狐 jumps 🫠 over !-- " + "=" * 90 + " dog.\n" * 3
    trace = world.trace(text * 30)
    for at in (0, 331, 900, 10**6):
        window = window_of(trace, at, 200)
        script = trie_script(trace.stage("model"), world.vocabulary, window)
        shown = [row[1] for row in played(script).rows("output").values()]
        assert shown == [token.id for token in trace.encoding.tokens if window.holds(token.start)]
