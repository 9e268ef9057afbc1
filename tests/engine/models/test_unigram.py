"""Unigram on toy vocabularies: against all segmentations, by hand, and against Hugging Face."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from explorer.engine.models.unigram import (
    Unigram,
    UnigramEvent,
    UnigramRow,
    UnigramRules,
    huggingface_rules,
    llama_cpp_rules,
    sentencepiece_rules,
    single,
)
from explorer.engine.part import Events, Options, Segment, Token
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary
from tests.bundled import bundled
from tests.originals.generators import strings
from tests.toys import BYTE, CONTROL, UNKNOWN, UNUSED, vocabulary

UNK = ("<unk>", 0.0, UNKNOWN)


def run(v: Vocabulary, rules: UnigramRules, text: str, unknown: int | None = 0) -> tuple[list[str], list[UnigramRow]]:
    events: Events[UnigramRow] = Events(UnigramRow)
    tokens = Unigram(v, unknown, rules).run([Segment.of(text)], Options(), events.emit)
    return [v.spelling(token.id) for token in tokens if isinstance(token, Token)], list(events)


PIECES = ["a", "b", "c", "ab", "bc", "abc", "ca", "cab", "bb"]


def segmentations(text: str, pieces: list[str]) -> list[list[str]]:
    """All segmentations of a text; a character that is not a piece is a segment of its own."""
    if not text:
        return [[]]
    firsts = {piece for piece in pieces if text.startswith(piece)} | ({text[0]} if text[0] not in pieces else set())
    return [[first, *rest] for first in sorted(firsts) for rest in segmentations(text[len(first) :], pieces)]


@pytest.mark.long
@given(scores=st.lists(st.integers(-40, -1), min_size=len(PIECES), max_size=len(PIECES)))
def test_viterbi_finds_the_best_of_all_paths(scores: list[int]) -> None:
    # eighths are exact in 32 bits, so sums do not depend on the order
    v = vocabulary(UNK, *((piece, score / 8) for piece, score in zip(PIECES, scores, strict=True)))
    table = dict(zip(PIECES, (score / 8 for score in scores), strict=True))
    for rules in (llama_cpp_rules(v), sentencepiece_rules(v)):
        for letters in itertools.product("abcx", repeat=4):
            text = "".join(letters)
            best = max(
                sum(table.get(piece, rules.unknown_score) for piece in path) for path in segmentations(text, PIECES)
            )
            path = Unigram(v, 0, rules).best_path(Segment.of(text), lambda *row: None)
            assert [start for start, _, _ in path] == [0, *(end for _, end, _ in path)][:-1]
            assert sum(rules.unknown_score if id == 0 else v.scores[id] for _, _, id in path) == best


def test_every_candidate_is_an_event_that_says_which_one_won() -> None:
    v = vocabulary(UNK, ("a", -1), ("b", -1), ("ab", -1.5), ("ba", -3))
    pieces, events = run(v, llama_cpp_rules(v), "aba")
    assert pieces == ["ab", "a"]
    assert events == [
        (UnigramEvent.SEGMENT, 0, 3, -1),
        (UnigramEvent.BEST, 0, 1, 1),
        (UnigramEvent.BEST, 0, 2, 3),
        (UnigramEvent.LOST, 1, 2, 2),
        (UnigramEvent.BEST, 1, 3, 4),
        (UnigramEvent.BEST, 2, 3, 1),
        (UnigramEvent.BACK, 2, 3, 1),
        (UnigramEvent.BACK, 0, 2, 3),
        (UnigramEvent.TOKEN, 0, 2, 3),
        (UnigramEvent.TOKEN, 2, 3, 1),
    ]


def test_of_equal_sums_the_first_stays() -> None:
    v = vocabulary(UNK, ("b", -1), ("bb", -2))
    assert run(v, llama_cpp_rules(v), "bb")[0] == ["bb"]
    assert run(v, llama_cpp_rules(v), "bbb")[0] == ["b", "bb"]


def test_a_run_of_unknown_characters_is_one_token() -> None:
    v = vocabulary(UNK, ("a", -1))
    pieces, events = run(v, llama_cpp_rules(v), "x☃ax")
    assert pieces == ["<unk>", "a", "<unk>"]
    assert [row for row in events if row.kind in (UnigramEvent.TOKEN, UnigramEvent.JOINED)] == [
        (UnigramEvent.TOKEN, 0, 1, 0),
        (UnigramEvent.JOINED, 1, 2, 0),
        (UnigramEvent.TOKEN, 2, 3, 1),
        (UnigramEvent.TOKEN, 3, 4, 0),
    ]
    assert llama_cpp_rules(v).unknown_score == -11


def test_an_unknown_character_loses_to_a_piece_that_contains_it() -> None:
    v = vocabulary(UNK, ("a", -1), ("ax", -8))
    pieces, events = run(v, llama_cpp_rules(v), "ax")
    assert pieces == ["ax"]
    assert (UnigramEvent.UNKNOWN_LOST, 1, 2, 0) in events
    v = vocabulary(UNK, ("a", -1), ("ax", -80))  # and wins where that piece is very bad
    assert run(v, UnigramRules(False, -11, 0.0), "ax")[0] == ["a", "<unk>"]


def test_byte_fallback() -> None:
    v = vocabulary(UNK, ("a", -1), *((f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)))
    rules = sentencepiece_rules(v, byte_fallback=True)
    pieces, events = run(v, rules, "éa")
    assert pieces == ["<0xC3>", "<0xA9>", "a"]
    assert [row.kind for row in events[-3:]] == [UnigramEvent.BYTE, UnigramEvent.BYTE, UnigramEvent.TOKEN]


def test_unused_pieces_are_used_by_llama_cpp_only() -> None:
    v = vocabulary(UNK, ("a", -1), ("b", -1), ("ab", -1, UNUSED))
    assert run(v, llama_cpp_rules(v), "ab")[0] == ["ab"]
    pieces, events = run(v, sentencepiece_rules(v), "ab")
    assert pieces == ["a", "b"]
    assert (UnigramEvent.UNUSED, 0, 2, 3) in events


def test_user_defined_pieces_score_high_and_control_pieces_never_match() -> None:
    user = PieceKind.USER_DEFINED
    v = vocabulary(UNK, ("a", -1), ("b", -1), ("ab", -90, user), ("aba", -1, CONTROL))
    assert run(v, llama_cpp_rules(v), "aba")[0] == ["ab", "a"]
    assert run(v, sentencepiece_rules(v), "aba")[0] == ["ab", "a"]
    assert run(v, huggingface_rules(v.scores), "aba")[0] == ["aba"]
    assert Unigram(v, 0, llama_cpp_rules(v)).score(3) == 0
    assert Unigram(v, 0, sentencepiece_rules(v)).score(3) == single(0.1)
    assert Unigram(v, 0, huggingface_rules(v.scores)).score(3) == -90


def test_sums_of_32_bits_are_rounded_at_each_step() -> None:
    """Ten times 0.1 is not 1 in either width, and differs between them."""
    v = vocabulary(UNK, ("a", -0.1), ("aaaaaaaaaa", -1.0))
    assert len(run(v, sentencepiece_rules(v), "a" * 10)[0]) == 1
    assert len(run(v, llama_cpp_rules(v), "a" * 10)[0]) == 1
    v = vocabulary(UNK, ("a", -0.1), ("aaaaaaaaaa", -1.0000001))
    assert len(run(v, sentencepiece_rules(v), "a" * 10)[0]) == 1  # the ten come to -1.0000001
    assert len(run(v, llama_cpp_rules(v), "a" * 10)[0]) == 10


def test_sums_are_rebased_before_they_grow_too_large() -> None:
    v = vocabulary(UNK, ("a", -60_000), ("aa", -90_000))
    pieces, events = run(v, sentencepiece_rules(v), "a" * 7)
    assert [row[1:] for row in events if row.kind == UnigramEvent.REBASE] == [(3, 4, -1), (6, 7, -1)]
    assert pieces == run(v, llama_cpp_rules(v), "a" * 7)[0]


def test_unusable_vocabularies_are_refused() -> None:
    with pytest.raises(InputError, match="needs a score"):
        Unigram(Vocabulary.of([b"a"]), 0, UnigramRules(False, 0, 0))
    with pytest.raises(InputError, match="token 1 has an infinite score"):
        Unigram(vocabulary(UNK, ("a", float("inf"))), 0, UnigramRules(False, 0, 0))
    v = vocabulary(("a", 0))
    with pytest.raises(InputError, match="character 2: the model has no pieces for 'x'"):
        run(v, llama_cpp_rules(v), "ax", unknown=None)


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("size", [1_500, 250_000])
def test_ids_equal_hugging_faces(size: int, byte_fallback: bool) -> None:
    vocabulary = bundled("xlm-r").vocabulary
    pieces = [(p.decode(), s) for p, s in zip(vocabulary.pieces[:size], vocabulary.scores, strict=False)]
    if byte_fallback:
        pieces += [(f"<0x{byte:02X}>", -20.0) for byte in range(255)]  # one byte is missing
    original = Tokenizer(models.Unigram(pieces, 3, byte_fallback))
    v = Vocabulary.of([piece.encode() for piece, _ in pieces], [score for _, score in pieces])
    model = Unigram(v, 3, huggingface_rules(v.scores, byte_fallback=byte_fallback))
    for text in filter(None, strings(seed=22, count=1_000)):
        text = text.replace(" ", "▁")
        got = [token.id for token in model.items_of(Segment.of(text), 0, lambda *row: None)]
        assert got == original.encode(text).ids, ascii(text)
