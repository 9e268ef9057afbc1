"""The WordPiece stepper, replayed: forward and back, its patches reproduce the engine's state for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.engine.models.longest_match import WordPieceEvent, Wpm
from explorer.engine.part import Token
from explorer.engine.tokenizer import Trace
from explorer.script.model_script import TAKEN, example
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.longest_match.story import WordPieceScript
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount
from tests.views.replays import boxes, play, put_out, tokens_of, within

NAMES = ["bert-uncased", "bert-uncased@llama.cpp"]


@pytest.fixture(scope="module", params=NAMES)
def bert(request: pytest.FixtureRequest) -> explorer.Tokenizer:
    return bundled(request.param)


def script_of(tok: explorer.Tokenizer, text: str, window: Window | None = None) -> tuple[Script, Trace]:
    trace = tok.trace(text)
    return WordPieceScript.of(trace.stage("model"), tok.vocabulary, window or window_of(trace)), trace


@given(text=texts())
@settings(max_examples=amount(150))
def test_forward_gives_the_engines_tokens_and_back_the_initial_state(bert: explorer.Tokenizer, text: str) -> None:
    script, trace = script_of(bert, text[:1_500])

    def look(replay: Replay) -> None:
        assert len(replay.rows("word")) <= len(replay.rows("attempts"))

    replay = play(script, look)
    stage = trace.stage("model")
    tokens = tokens_of(stage.after)
    assert put_out(replay) == tokens
    assert [id for id, _ in boxes(replay)] == [token[0] for token in tokens if token not in tokens_of(stage.before)]


def test_every_attempt_is_a_step(bert: explorer.Tokenizer) -> None:
    script, trace = script_of(bert, "unaffable x")
    assert len(script) == len(trace.stage("model").events)


def test_the_timeline_names_the_words(bert: explorer.Tokenizer) -> None:
    script, _ = script_of(bert, "unaffable playing LoRA")
    assert [phase["name"].lstrip("▁") for phase in script.data["phases"]][1:] == ["unaffable", "playing", "lora"]


def test_walk_through_of_llama_cpp() -> None:
    script, _ = script_of(bundled("bert-uncased@llama.cpp"), "ÅWhat is LoRA?")
    assert script.data["texts"][script.data["tracks"][0]["cells"][0][0]] == "▁"
    said = [script.sentence(step) for step in range(1, 8)]
    assert said[0].startswith("Word 1: “▁awhat”, 8 bytes with the ▁ before it.")
    assert said[1].startswith("0–8: “▁awhat” is not in the vocabulary.")
    assert said[4].startswith("0–5: “▁aw” is token 22091, the longest piece that fits here. Go on at 5.")
    assert said[5].startswith("5–8: “hat” is token 12707")
    assert said[6] == "The word is complete: its 2 pieces go to the output."
    replay = Replay(script)
    for _ in range(6):
        replay.forward()
    assert [row[1] for row in replay.rows("word").values()] == [22091, 12707]
    assert [row[:2] for row in replay.rows("attempts").values()] == [(0, 8), (0, 7), (0, 6), (0, 5), (5, 8)]
    assert replay.rows("output") == {}


def test_a_step_says_where_the_window_of_llama_cpp_ends_before_the_word() -> None:
    tok = bundled("bert-uncased@llama.cpp")
    script, trace = script_of(tok, "donaudampfschifffahrtsgesellschaft")
    part = trace.stage("model").part
    assert isinstance(part, Wpm)
    assert (part.max_token_len, part.window) == (21, 22)
    said = [script.sentence(step) for step in range(1, len(script) + 1)]
    assert said[1].startswith(
        "0–22: “▁donaudampfschifffah” is not in the vocabulary. The word is longer, but a window has at most 22 "
        "bytes. That is one more than max_token_len, the 21 bytes of the longest piece; llama.cpp counts bytes, not "
        "characters."
    )
    assert [index for index, each in enumerate(said) if "a window has at most" in each][1] > 2, "again further on"
    assert "a window has at most" not in said[2]
    assert (
        "the longest piece has 21 (llama.cpp's max_token_len), a window at most 22" in script.data["tracks"][1]["note"]
    )
    # three bytes of ▁ and 19 of the word fit exactly
    short, _ = script_of(tok, "donaudampfschifffah")
    assert not any("a window has at most" in short.sentence(step) for step in range(1, len(short) + 1))
    other, _ = script_of(bundled("bert-uncased"), "donaudampfschifffahrtsgesellschaft")
    assert not any("a window has at most" in other.sentence(step) for step in range(1, len(other) + 1))


def test_one_character_is_singular() -> None:
    script, _ = script_of(bundled("bert-uncased"), "a")
    assert script.sentence(1).startswith("Word 1: “a”, 1 character.")


def test_a_word_without_pieces_is_discarded_on_the_page(bert: explorer.Tokenizer) -> None:
    script, _ = script_of(bert, "hat😊")
    replay = play(script)
    last = script.sentence(len(script))
    assert "the piece found so far is discarded, and the whole word becomes “[UNK]”, token 100" in last
    assert [id for id, _ in boxes(replay)] == [100]
    assert replay.rows("word") == {}


def test_one_character_has_no_other_split() -> None:
    """A word that no pieces spell: whether others would is a question from two characters on."""
    said = []
    for text in ("\U0001d11e", "a\U0001d11e"):
        script, _ = script_of(bundled("bert-uncased"), text)
        said.append(script.sentence(len(script)))
    assert "no other cut" in said[0]
    assert "No other cut fits" in said[1]


def test_a_word_too_long_is_drawn_in_part() -> None:
    script, trace = script_of(bundled("bert-uncased"), "a" * 5_000)
    assert trace.ids == [101, 100, 102]
    assert len(script.data["tracks"][0]["cells"]) == 2_000
    assert script.sentence(2).startswith("The word has 5,000 characters, more than 100: it is not matched")


def test_special_tokens_pass_in_order(bert: explorer.Tokenizer) -> None:
    script, trace = script_of(bert, "[MASK] a[SEP] b [PAD]")
    assert [token[0] for token in put_out(play(script))] == trace.ids[1:-1]


def test_no_word_is_a_script_without_steps(bert: explorer.Tokenizer) -> None:
    for text in ("", " \n", "[CLS]", "\u0301"):
        script, _ = script_of(bert, text)
        assert len(script) == 0
        assert script.data["start"]["say"]


def test_a_window_shows_the_tokens_that_lie_in_it(bert: explorer.Tokenizer) -> None:
    text = "The unaffable Donaudampfschifffahrt [SEP] 各個 a\u0301ccent. " * 40
    trace = bert.trace(text)
    for at in (0, 331, 900, 10**6):
        window = window_of(trace, at, 200)
        script = WordPieceScript.of(trace.stage("model"), bert.vocabulary, window)
        assert put_out(play(script)) == within(trace.encoding.tokens, window)


def test_a_long_word_of_llama_cpp_is_cut_to_the_window() -> None:
    tok = bundled("bert-uncased@llama.cpp")
    trace = tok.trace("ab" * 4_000)
    window = window_of(trace, 3_000, 300)
    script = WordPieceScript.of(trace.stage("model"), tok.vocabulary, window)
    assert put_out(play(script)) == within(trace.encoding.tokens, window)
    assert len(script) < 8_000


def drawn_over(script: Script, step: int) -> tuple[int, int, int]:
    """The cells that a step marks or puts a box over, [first, after), and the token of the box, -1 for none."""
    steps, cells = script.data["steps"], script.data["tracks"][0]["name"]
    before, after = Replay(script), Replay(script)
    for _ in range(step - 1):
        before.forward()
    for _ in range(step):
        after.forward()
    for key, row in after.rows(cells).items():
        if key >= 0 and row[0] and row[1] >= 0 and before.state[cells, key] != row:
            return key, key + row[0], row[1]
    marks = steps["marks"][steps["mark_at"][step - 1] : steps["mark_at"][step]]
    looks = [role["look"] for role in script.data["roles"]]
    keys = [
        key
        for track, key, role in zip(marks[::3], marks[1::3], marks[2::3], strict=True)
        if not track and looks[role] != "next"
    ]
    return min(keys), max(keys) + 1, -1


@pytest.mark.parametrize("name", NAMES)
def test_each_attempt_is_drawn_over_the_cells_that_are_looked_up(name: str) -> None:
    script, trace = script_of(bundled(name), "unbelievably ÅWhat 𒀀b")
    words, cells = script.data["texts"], script.data["tracks"][0]["cells"]
    attempts = [row for row in trace.stage("model").events if row.kind in (WordPieceEvent.MISS, WordPieceEvent.HIT)]
    tried = [step for step in range(1, len(script) + 1) if script.kind(step)["label"] in ("miss", "hit")]
    assert len(tried) == len(attempts)
    for step, row in zip(tried, attempts, strict=True):
        first, after, token = drawn_over(script, step)
        assert token == (row.token if row.kind == WordPieceEvent.HIT else -1)
        # a window of bytes may end within a character, whose whole cell is covered
        covered = "".join(words[cell[0]] for cell in cells[first:after])
        assert covered.startswith(words[script.args(step)[2]].removeprefix("##").split("\\x")[0])


@pytest.mark.parametrize("name", NAMES)
def test_what_a_word_becomes_takes_the_place_of_its_pieces(name: str) -> None:
    tok = bundled(name)
    script, trace = script_of(tok, "una𒀀 what " + "x" * 101)
    cells = script.data["tracks"][0]["cells"]
    instead = [step for step in range(1, len(script) + 1) if script.kind(step)["label"] in ("discard", "unknown")]
    for step in instead:
        first, after, token = drawn_over(script, step)
        groups = [cell[2] for cell in cells]
        assert (first, after) == (groups.index(groups[first]), len(groups) - groups[::-1].index(groups[first]))
        assert token in {item.id for item in trace.stage("model").after if isinstance(item, Token)}
    assert instead, "at least one word has a character that no piece has"


def test_a_story_says_what_the_window_loses(bert: explorer.Tokenizer) -> None:
    script, _ = script_of(bert, "awhat")
    stories = {script.kind(step)["story"] for step in range(1, len(script) + 1)}
    unit = "byte" if isinstance(bert.model, Wpm) else "character"
    assert f"{{2:q}} is not in the vocabulary. Try it without its last {unit}." in stories


@pytest.mark.parametrize(("name", "unit"), [("bert-uncased", "character"), ("bert-uncased@llama.cpp", "byte")])
def test_the_shortest_window_is_not_to_be_shortened(name: str, unit: str) -> None:
    script = example(WordPieceScript.of, explorer.load(name).trace("𒀀"))
    told = [(script.kind(step)["story"], script.kind(step)["story_why"]) for step in range(1, len(script) + 1)]
    shortest = [why for say, why in told if say == "{2:q} is not in the vocabulary."]
    assert shortest == [f"It is one {unit} long: no shorter start is left."]
    assert told[-2][1] == shortest[0]


@given(text=texts() | st.text("aeilnpuyg", max_size=12))
@settings(max_examples=amount(40))
def test_the_trie_shows_every_piece_that_begins_here_and_the_last_one_is_taken(
    bert: explorer.Tokenizer, text: str
) -> None:
    script, _ = script_of(bert, text)
    words = script.data["texts"]
    vocabulary, front = bert.vocabulary.ids, bert.model.prefix.decode()

    def look(replay: Replay) -> None:
        if not replay.step or script.kind(replay.step)["label"] != "hit":
            return
        start, _, found = script.args(replay.step)[:3]
        rows = replay.rows("walk")
        path = [row for key, row in rows.items() if key > 0]
        spelled_path = "".join(words[row[0]] for row in path)
        pieces = {row[2]: words[row[3]] for row in path if row[2] >= 0}
        inside = front if start else ""
        starts = [inside + spelled_path[:size] for size in range(1, len(spelled_path) + 1)]
        assert pieces == {vocabulary[each.encode()]: each for each in starts if each.encode() in vocabulary}
        taken = [row for row in path if row[6] == TAKEN]
        assert [words[row[3]] for row in taken] == [words[found]]
        assert taken[0][2] == list(pieces)[-1], "the last piece on the path is the longest match"

    play(script, look)


def test_the_trie_says_how_many_pieces_go_on(bert: explorer.Tokenizer) -> None:
    script, _ = script_of(bert, "xqz")
    branches = next(track for track in script.data["tracks"] if track["name"] == "walk")["branches"]
    names = script.data["texts"]
    pieces = [piece for piece in bert.vocabulary.pieces if not piece.startswith(b"##") or piece == b"##"]
    first = branches[0][0]
    assert first[2] == sum(piece.startswith(names[first[0]].encode()) for piece in pieces)
