"""Merging without a queue, and the best path without events, against the models."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.engine.fast.piece_encoder import best_path, lengths_by_two, merged, run_model, solver
from explorer.engine.models.merges import Pairs, merge_by_queue
from explorer.engine.models.unigram import Unigram, UnigramRules, huggingface_rules, llama_cpp_rules
from explorer.engine.part import silent
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary

pieces = st.text("abc", min_size=2, max_size=4)


def with_queue(text: str, ranks: dict[str, float]) -> list[str]:
    def lookup(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        rank = ranks.get((left + right).decode())
        return None if rank is None else (rank, left + right, 0)

    return [piece.decode() for piece in merge_by_queue([ch.encode() for ch in text], Pairs(lookup), silent).pieces]


@given(st.text("abc", max_size=30), st.dictionaries(pieces, st.integers(0, 5)))
def test_it_merges_what_the_queue_merges(text: str, ranks: dict[str, float]) -> None:
    assert merged(list(text), ranks, "") == with_queue(text, ranks)


def test_of_equal_ranks_the_leftmost_pair_comes_first() -> None:
    assert merged(list("aaa"), {"aa": 1}, "") == ["aa", "a"]
    assert merged([b"a", b"b", b"b"], {b"a|b": 0, b"b|b": 0}, b"|") == [b"ab", b"b"]


texts = st.text("abc", min_size=1, max_size=4)
scores = st.sampled_from([0.0, -1.0, -2.0, -3.0, -0.5, -1e30, 2.5, -0.1, -0.2, -0.30000000000000004])
kinds = st.sampled_from(PieceKind)


def ids_of(solve: object, piece: str) -> object:
    try:
        return solve(piece)  # type: ignore[operator]
    except InputError as error:
        return str(error)


@given(
    st.dictionaries(texts, st.tuples(scores, kinds), min_size=1),
    st.text("abcd", min_size=1, max_size=30),
    st.booleans(),
)
def test_it_finds_the_path_of_the_model(
    pieces: dict[str, tuple[float, PieceKind]], text: str, as_hugging_face: bool
) -> None:
    values = [score for score, _ in pieces.values()]
    vocabulary = Vocabulary.of([piece.encode() for piece in pieces], values, [kind for _, kind in pieces.values()])
    rules: UnigramRules = huggingface_rules(values) if as_hugging_face else llama_cpp_rules(vocabulary)
    for unknown in (0, None):
        model = Unigram(vocabulary, unknown, rules)
        assert ids_of(solver(model), text) == ids_of(run_model(model), text)


def test_of_equal_sums_the_path_whose_last_token_begins_first_wins() -> None:
    scores = {"a": -1.0, "aa": -2.0, "aaa": -3.0}
    assert best_path("aaa", scores, lengths_by_two(scores)) == ["aaa"]
    scores = {"a": -1.0, "b": -1.0, "c": -1.0, "ab": -1.0, "bc": -1.0}
    assert best_path("abc", scores, lengths_by_two(scores)) == ["a", "bc"]
