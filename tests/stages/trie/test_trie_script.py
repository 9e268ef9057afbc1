"""The steppers over bytes, trie and first miss, replayed: their patches reproduce the engine's state."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.models.longest_match import FirstMissEvent, TrieMatch, TrieRow
from explorer.engine.part import Events, Item, Options, Segment, Token
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.longest_match.first_miss_story import KINDS
from explorer.stages.longest_match.walk_story import TrieScript
from explorer.stages.table import kind_of
from explorer.text import visible
from explorer.text.say import plain
from explorer.views.overview import Section, sections
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount
from tests.views.replays import boxes, play, put_out, tokens_of, within


@pytest.fixture(scope="module", params=["rwkv-world", "rwkv-world@first-miss"])
def world(request: pytest.FixtureRequest) -> explorer.Tokenizer:
    return bundled(request.param)


@pytest.fixture(scope="module")
def loop() -> explorer.Tokenizer:
    return bundled("rwkv-world@first-miss")


@pytest.fixture(scope="module")
def trie() -> explorer.Tokenizer:
    return bundled("rwkv-world")


def script_of(tok: explorer.Tokenizer, text: str, window: Window | None = None) -> tuple[Script, Trace]:
    trace = tok.trace(text)
    stage = trace.stage("model")
    return kind_of(stage).script(stage, tok.vocabulary, window or window_of(trace), trace), trace


@given(text=texts())
@settings(max_examples=amount(150))
def test_forward_gives_the_engines_tokens_and_back_the_initial_state(world: explorer.Tokenizer, text: str) -> None:
    script, trace = script_of(world, text[:600])
    replay = play(script)
    tokens = trace.encoding.tokens
    assert put_out(replay) == tokens_of(tokens)
    assert boxes(replay) == [(token.id, len(world.vocabulary.pieces[token.id])) for token in tokens]


def test_every_event_but_the_segment_is_a_step(world: explorer.Tokenizer) -> None:
    script, trace = script_of(world, "吾輩は猫である。🫠!--")
    assert len(script) == len(trace.stage("model").events) - 1


def test_the_walk_passes_nodes_without_a_token_and_falls_back() -> None:
    tok = bundled("rwkv-world")
    script, _ = script_of(tok, "!--")
    assert script.kind(2)["label"] == "node"
    replay = Replay(script)
    for _ in range(3):
        replay.forward()
    words = script.data["texts"]
    nodes = [row for key, row in replay.rows("walk").items() if key > 0]
    assert [(words[row[0]], row[2]) for row in nodes] == [("21", 34), ("2D", -1), ("2D", 5169)]
    fell, _ = script_of(tok, "<!-x")
    assert fell.sentence(5).startswith(
        "Fall back to the last token seen, “<!”, token 750. The walk went 1 byte further"
    )


# --- what the loop would miss -----------------------------------------------------------------------------------------

MISSED = "A loop that stops at the first miss would stop here and never find"


@pytest.mark.parametrize(("text", "missed"), [
    ("!--", {2: "!--"}),
    # the walk falls back to the token the loop takes as well
    ("<!-x", {}),
    # a loop over characters never stops within one
    ("🫠", {}),
    ("猫", {}),
    # it would stop at the first of several nodes without a token
    ("Each", {2: "Each"}),
])  # fmt: skip
def test_a_step_says_where_the_loop_would_have_stopped(
    trie: explorer.Tokenizer, text: str, missed: dict[int, str]
) -> None:
    script, _ = script_of(trie, text)
    said = {step: script.sentence(step) for step in range(1, len(script) + 1) if MISSED in script.sentence(step)}
    assert {step: sentence.split("never find “")[1].split("”")[0] for step, sentence in said.items()} == missed


@given(text=texts())
@settings(max_examples=amount(100))
def test_it_says_so_exactly_where_the_loop_takes_another_token(trie: explorer.Tokenizer, text: str) -> None:
    """That is where a prefix of the token found, in whole characters, is not a token."""
    script, trace = script_of(trie, text[:300])
    ids = trie.vocabulary.ids
    said = []
    for step in range(1, len(script) + 1):
        if MISSED in script.sentence(step):
            said.append(script.data["texts"][script.args(step)[2]])
    expected = []
    for token in trace.encoding.tokens:
        piece = trie.vocabulary.pieces[token.id]
        characters = piece.decode("utf-8", "ignore")
        prefixes = [characters[:end].encode() for end in range(1, len(characters) + 1)]
        if any(prefix not in ids for prefix in prefixes if len(prefix) < len(piece)):
            expected.append(visible(trie.vocabulary.spelling(token.id)))
    assert said == expected


def test_the_loop_says_where_it_stops_and_what_the_trie_takes(loop: explorer.Tokenizer) -> None:
    script, _ = script_of(loop, "!--")
    assert script.sentence(2).startswith("With the character “-” it is “!-”, which is not a token: stop.")
    assert script.sentence(3) == (
        "The last token found is “!”, token 34: output it. The next round begins after it. From here the trie takes "
        "“!--”, token 5169: it walks on through prefixes that are not tokens."
    )
    script, trace = script_of(loop, "🫠")
    assert len(trace.ids) == 4
    assert script.sentence(2).startswith("The character “🫠” is not a token: its byte F0 becomes token 241, byte + 1.")
    assert "From here the trie takes" in script.sentence(2)
    assert "From here the trie takes" not in script.sentence(3)


@given(text=texts())
@settings(max_examples=amount(60))
def test_the_loop_names_the_token_of_the_trie_if_it_differs(
    loop: explorer.Tokenizer, trie: explorer.Tokenizer, text: str
) -> None:
    script, trace = script_of(loop, text[:300])
    said = any("From here the trie takes" in script.sentence(step) for step in range(1, len(script) + 1))
    assert said == (trie.encode(text[:300]).ids != trace.ids)


def test_the_first_miss_has_a_section_of_its_own_with_both_answers(
    loop: explorer.Tokenizer, trie: explorer.Tokenizer
) -> None:
    def model_section(tok: explorer.Tokenizer, text: str) -> Section:
        trace = tok.trace(text)
        decoded = round_trip(tok, trace)
        (found,) = [each for each in sections(tok, trace, decoded, window_of(trace)) if each.key == "model"]
        return found

    ours, theirs = model_section(loop, "a!--"), model_section(trie, "a!--")
    assert (ours.title, ours.what) != (theirs.title, theirs.what)
    differ, same = model_section(loop, "a!-- b"), model_section(loop, "hello")
    assert differ.result is not None
    assert same.result is not None
    assert plain(differ.result) == "The loop makes 4 tokens of this text, the trie 3. They first differ at character 2."
    assert plain(same.result) == "The loop and the trie make the same tokens of this text."
    assert differ.script is not None
    by_trie = Replay(differ.script).rows("trie").values()
    assert [row[1] for row in by_trie] == trie.encode("a!-- b").ids
    labels = [differ.script.data["texts"][row[4]] for row in by_trie]
    assert ["loop" in label for label in labels] == [False, True, False], "one of them is the trie's alone"


# --- whole texts ------------------------------------------------------------------------------------------------------


def test_an_emoji_is_tokenized_byte_by_byte() -> None:
    script, trace = script_of(bundled("rwkv-world"), "🫠")
    assert len(trace.ids) == 3
    assert [span for _, span in boxes(play(script))] == [2, 1, 1]


def test_fragments_tokens_between_them_and_an_unknown_byte() -> None:
    v = Vocabulary.of([b"?", b"ab", b"a"], kinds=[3, 1, 1])
    model = TrieMatch(v, unknown=0)
    before: list[Item] = [Token(1, 0, 2), Segment.of("abx", 2), Token(2, 5, 6), Segment.of("a", 6), Token(1, 7, 9)]
    events: Events[TrieRow] = Events(TrieRow)
    after = model.run(before, Options(), events.emit)
    script = TrieScript.of(Stage("model", model, tuple(before), tuple(after), events), v, Window(0, 9, 0, 6))
    assert [row[0] for row in put_out(play(script))] == [1, 1, 0, 2, 2, 1]
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
        script, _ = script_of(world, text * 30, window)
        assert put_out(play(script)) == within(trace.encoding.tokens, window)


@pytest.fixture(scope="module")
def unchecked() -> explorer.Tokenizer:
    return explorer.load("rwkv-world@first-miss", faults="end")


@pytest.mark.parametrize("text", ["🤗", "猫🤗", "🤗猫", "a", "", "é🤗🤗", "\u0378"])
def test_a_missing_check_is_said_where_it_would_show(
    loop: explorer.Tokenizer, unchecked: explorer.Tokenizer, text: str
) -> None:
    shows = any(row.kind == FirstMissEvent.NO_ID for row in unchecked.trace(text).stage("model").events)
    script, _ = script_of(loop, text)
    said = [step for step in range(1, len(script) + 1) if script.kind(step)["why"] == KINDS["last byte"].why]
    assert said == ([len(script)] if shows else [])


@pytest.mark.long
@given(text=texts())
@settings(max_examples=amount(60))
def test_with_all_faults_the_steps_still_give_the_tokens(text: str) -> None:
    tok = bundled_with_faults()
    script, trace = script_of(tok, text[:300])
    assert put_out(play(script)) == tokens_of(trace.encoding.tokens)


@cache
def bundled_with_faults() -> explorer.Tokenizer:
    return explorer.load("rwkv-world@first-miss", faults="end and length")


@pytest.mark.long
def test_the_fault_of_the_length_is_said_where_it_shows() -> None:
    script, _ = script_of(bundled_with_faults(), "20°C é漢")
    said = [script.sentence(step) for step in range(1, len(script) + 1)]
    assert [each for each in said if "“C␣”, it is “°C␣”, which is not a token: stop. A fault: it reads 2 bytes" in each]
    assert [each for each in said if "With the next 2 bytes, “E6 BC”, it is" in each]
    past, _ = script_of(bundled_with_faults(), "20°C")
    assert any("The next 2 bytes would end after the text" in past.sentence(step) for step in range(1, len(past) + 1))
