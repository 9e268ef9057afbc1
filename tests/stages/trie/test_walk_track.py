"""The tree of a walk: its nodes, tokens and edges not taken are those of the vocabulary, counted by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.models.longest_match import TrieEvent
from explorer.engine.models.prefixes import Prefixes
from explorer.script.model_script import BEYOND, BRANCHES, END, NEXT, TAKEN
from explorer.script.script import Replay, Script, window_of
from explorer.stages.table import kind_of
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount
from tests.views.replays import play


@pytest.fixture(scope="module")
def trie() -> explorer.Tokenizer:
    return bundled("rwkv-world")


@pytest.fixture(scope="module")
def loop() -> explorer.Tokenizer:
    return bundled("rwkv-world@first-miss")


def script_of(tok: explorer.Tokenizer, text: str) -> tuple[Script, list[tuple[int, ...]]]:
    trace = tok.trace(text)
    stage = trace.stage("model")
    return kind_of(stage).script(stage, tok.vocabulary, window_of(trace), trace), list(stage.events)


def branches(script: Script, index: int) -> list[list[int]]:
    """The edges not taken at a node."""
    walk = next(track for track in script.data["tracks"] if track["name"] == "walk")
    found: list[list[int]] = walk["branches"][index]
    return found


@given(text=texts())
@settings(max_examples=amount(40))
def test_the_tree_is_the_walk_of_the_engine(trie: explorer.Tokenizer, text: str) -> None:
    """After every event of a walk: a node for each byte read, the tokens among them, and where it ended."""
    text = text[:80]
    script, rows = script_of(trie, text)
    data, words, pieces = text.encode(), script.data["texts"], trie.vocabulary.pieces
    read: list[tuple[int, int]] = []

    def look(replay: Replay) -> None:
        if not replay.step:
            return
        kind, at, start, token = rows[script.events[replay.step - 1]]
        tree = replay.rows("walk")
        if kind in (TrieEvent.NODE, TrieEvent.SEEN):
            if at == start:
                read.clear()
            read.append((data[at], token))
        nodes = [row for key, row in tree.items() if key > 0]
        assert [(int(words[row[0]], 16), row[2]) for row in nodes] == read
        assert [row[4] for row in nodes] == list(range(1, len(read) + 1))
        assert (END in tree) == (kind not in (TrieEvent.NODE, TrieEvent.SEEN))
        taken = [row for row in nodes if row[6] == TAKEN]
        if kind in (TrieEvent.TAKE, TrieEvent.FALL_BACK):
            assert [(row[2], row[4]) for row in taken] == [(token, at - start)]
            assert pieces[token] == data[start:at]
            assert NEXT in tree
        else:
            assert not taken

    play(script, look)


def test_edges_not_taken_are_counted(trie: explorer.Tokenizer) -> None:
    """At every node, against a count over all pieces."""
    text = "!-- で🫠"
    script, _ = script_of(trie, text)
    words, data = script.data["texts"], text.encode()
    pieces = trie.vocabulary.pieces[1:]
    replay, seen, start = Replay(script), 0, 0
    while replay.forward():
        if script.kind(replay.step)["landmark"]:
            start += len(trie.vocabulary.pieces[replay.rows("output")[max(replay.rows("output"))][1]])
            continue
        nodes = {key: row for key, row in replay.rows("walk").items() if key >= 0}
        for depth, row in nodes.items():
            prefix, following = data[start : start + depth], data[start + depth : start + depth + 1]
            after = Counter(piece[depth] for piece in pieces if piece.startswith(prefix) and len(piece) > depth)
            if following:
                del after[following[0]]
            lines = branches(script, row[5])
            assert len(lines) <= BRANCHES
            named = [(int(words[edge], 16), count) for edge, _, count in lines if edge >= 0]
            assert [count for _, count in named] == [count for _, count in after.most_common(len(named))]
            assert all(after[byte] == count for byte, count in named)
            rest = [count for edge, _, count in lines if edge < 0]
            assert sum(rest) + len(named) == len(after)
            seen += 1
        if seen > 40:
            break
    assert seen > 40


def test_the_character_of_an_edge_is_said_where_it_ends_one(trie: explorer.Tokenizer) -> None:
    script, _ = script_of(trie, "で")
    words = script.data["texts"]
    replay = Replay(script)
    while replay.forward():
        pass
    nodes = replay.rows("walk")
    assert [words[edge] for edge, _, _ in branches(script, nodes[0][5])[:2]] == ["20", "E5"]
    assert [character >= 0 for _, character, _ in branches(script, nodes[0][5])[:2]] == [True, False]
    assert [words[character] for _, character, _ in branches(script, nodes[2][5])[:4]] == ["と", "に", "い", "て"]


def test_the_loop_is_drawn_over_characters_and_where_the_trie_goes_on(loop: explorer.Tokenizer) -> None:
    script, _ = script_of(loop, "!--")
    words, replay = script.data["texts"], Replay(script)
    for _ in range(2):
        replay.forward()
    stopped = replay.rows("walk")
    assert [words[value] for value in stopped[END]] == ["-", "no token"]
    replay.forward()
    nodes = [row for key, row in replay.rows("walk").items() if key > 0]
    assert [(words[row[0]], row[2], row[6]) for row in nodes] == [
        ("!", 34, TAKEN),
        ("-", -1, BEYOND),
        ("-", 5169, BEYOND),
    ]


@pytest.mark.parametrize(("spec", "sentence"), [
    ("rwkv-world", "The character “🫠” costs 3 tokens by the trie, because “F0 9F” is a token. The loop that stops at "
     "the first miss pays 4 tokens, one for each byte."),
    ("rwkv-world@first-miss", "The character “🫠” costs 4 tokens here, one for each byte. The trie needs 3 tokens, "
     "because “F0 9F” is a token."),
])  # fmt: skip
def test_what_an_emoji_costs_is_said_where_it_arises(spec: str, sentence: str) -> None:
    tok = bundled(spec)
    script, _ = script_of(tok, "a🫠b")
    said = [script.sentence(step) for step in range(1, len(script) + 1) if sentence in script.sentence(step)]
    assert len(said) == 1
    other = bundled("rwkv-world@first-miss" if spec == "rwkv-world" else "rwkv-world")
    costs = {len(each.encode("🫠").ids) for each in (tok, other)}
    assert costs == {3, 4}
    plain, _ = script_of(tok, "a猫b")
    assert not any("costs" in plain.sentence(step) for step in range(1, len(plain) + 1))


@pytest.mark.long
def test_the_bug_at_the_end_is_a_step_of_its_own() -> None:
    tok = explorer.load("rwkv-world@first-miss", faults="end")
    script, _ = script_of(tok, "a🫠")
    play(script)
    assert "it outputs −1" in script.sentence(len(script))
    assert "A fault that is kept here" in script.sentence(len(script))
    fine, _ = script_of(tok, "🫠a")
    assert not any("−1" in fine.sentence(step) for step in range(1, len(fine) + 1))


# --- prefixes ---------------------------------------------------------------------------------------------------------


def by_hand(pieces: list[bytes], prefix: bytes, unit: Callable[[bytes], bytes]) -> Counter[bytes]:
    rest = [piece[len(prefix) :] for piece in pieces if piece.startswith(prefix) and len(piece) > len(prefix)]
    return Counter(filter(None, map(unit, rest)))


def one_character(data: bytes) -> bytes:
    """The character that data begins with, empty if there is none."""
    for size in (1, 2, 3, 4):
        try:
            if data[:size].decode():
                return data[:size]
        except UnicodeDecodeError:
            pass
    return b""


def test_prefixes_of_odd_bytes() -> None:
    pieces = [
        b"\xff",
        b"\xff\xff",
        b"\xff\xffa",
        b"a\xff",
        "é".encode(),
        "éa".encode(),
        b"\xc3",
        "🫠".encode(),
        b"\xf0\x9f",
        b"a",
    ]
    prefixes = Prefixes(pieces)
    for prefix in (b"", b"\xff", b"\xff\xff", b"a", b"\xc3", "é".encode(), b"zz"):
        assert prefixes.count(prefix) == sum(piece.startswith(prefix) for piece in pieces)
        assert dict(prefixes.by_byte(prefix)) == by_hand(pieces, prefix, lambda rest: rest[:1])
        found = {data: count for data, count in prefixes.by_character(prefix) if one_character(data)}
        assert found == by_hand(pieces, prefix, one_character)
        by_byte = prefixes.by_byte(prefix)
        for but in (b"\xff", b"zz"):
            others = [each for each in by_byte if each.data != but]
            assert prefixes.besides(prefix, but, True, 1) == (others[:1], len(others))
