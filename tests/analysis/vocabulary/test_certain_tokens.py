"""What is found for many tokens at once, against the model and the whole tokenizer asked for each."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from explorer.analysis.vocabulary.derivation import built_pieces, is_built
from explorer.analysis.vocabulary.index import index_of
from explorer.analysis.vocabulary.reach import CONTEXTS, Asking, Outcome, certain_tokens
from explorer.analysis.vocabulary.uncut_pieces import uncut_pieces
from explorer.engine.fast.piece_encoder import best_path, lengths_by_two
from explorer.engine.fast.strategies import AtSpaces, UnchangedPairs
from explorer.engine.models.bpe import Bpe, Bytes, KnownCharacters, MergeableRanks, MergeList
from explorer.engine.models.merges import Pairs
from explorer.engine.models.spm import Spm
from explorer.engine.normalizers.charsmap import CharsmapNormalization
from explorer.engine.part import silent
from explorer.engine.partition.user_defined import SymbolTree
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.tiers import amount

PIECES = st.lists(st.text("abé", min_size=1, max_size=7), min_size=1, max_size=40, unique=True)


@settings(max_examples=amount(150), deadline=None)
@given(PIECES, st.integers(0, 2), st.randoms(use_true_random=False))
def test_what_is_built_is_what_the_model_builds(pieces: list[str], sort: int, rng: random.Random) -> None:
    """Pairs in any order, several for one piece, ranks that fall, equal scores, symbols that are no pieces."""
    vocabulary = Vocabulary.of([piece.encode() for piece in pieces], [float(rng.randint(0, 6)) for _ in pieces])
    model: Bpe | Spm
    if sort == 0:
        model = Spm(vocabulary)
    elif sort == 1:
        model = Bpe(vocabulary, MergeableRanks(vocabulary.ids), Bytes(), whole=True)
    else:
        splits = [f"{piece[:at]} {piece[at:]}".encode() for piece in pieces for at in range(1, len(piece))]
        merges = rng.sample(splits, rng.randint(0, len(splits)))
        initial = KnownCharacters(vocabulary.ids, unknown=pieces[0].encode()) if rng.random() < 0.5 else None
        model = Bpe(vocabulary, MergeList(merges), initial)
    found, pairs = built_pieces(model), Pairs(model.pair)
    assert all(is_built(model, piece, pairs) for piece in found)
    two_letters = {piece for piece in vocabulary.pieces if len(piece) == 2 and piece.isalpha()}
    assert {piece for piece in two_letters if is_built(model, piece, pairs)} <= found


@pytest.mark.parametrize("name", ["gpt-2", "llama-2"])
def test_most_of_a_trained_vocabulary_is_found(name: str) -> None:
    tok = bundled(name)
    assert isinstance(tok.model, (Bpe, Spm))
    found, pairs = index_of(tok).built, Pairs(tok.model.pair)
    ids = random.Random(7).sample(range(300, len(tok.vocabulary)), amount(300))
    assert all(is_built(tok.model, tok.vocabulary.pieces[id], pairs) for id in ids)
    assert sum(found[id] for id in ids) > 0.8 * len(ids)


@settings(max_examples=amount(150), deadline=None)
@given(
    st.dictionaries(
        st.text("abé\0", min_size=1, max_size=6), st.sampled_from([-1.0, -1.5, -2.0, -3.25, 0.5]), max_size=30
    )
)
def test_uncut_pieces_are_their_own_best_path(scores: dict[str, float]) -> None:
    """With characters that are no pieces, zeros as characters, and equal sums."""
    lengths = lengths_by_two(scores)
    assert uncut_pieces(scores) == {text for text in scores if best_path(text, scores, lengths) == [text]}


def test_long_pieces_and_large_vocabularies_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {"a": -1.0, "b": -1.0, "ab" * 16: -3.0, "ab" * 16 + "a": -3.0}
    assert uncut_pieces(scores) == {"a", "b", "ab" * 16}
    monkeypatch.setattr("explorer.analysis.vocabulary.uncut_pieces.MOST", 33)
    assert uncut_pieces(scores) == set()


@settings(max_examples=amount(100), deadline=None)
@example(["▁"])  # nothing is left of it
@given(st.lists(st.text("ab\u0300ﬁ① \u3000\u2581\0", max_size=4), min_size=1, max_size=6))
def test_the_pieces_of_words_are_those_of_each(texts: list[str]) -> None:
    strategy = bundled("xlm-r").untraced.strategy
    assert isinstance(strategy, AtSpaces)
    assert strategy.pieces_of_words(["word"]) == ["▁word"]
    if (pieces := strategy.pieces_of_words(texts)) is not None:
        assert [[piece] for piece in pieces] == list(map(strategy.pieces, texts))


JOINING = "aeiоив\u0300\u0301\u0306かは\u3099\u309aﬁ①ｱﾞ각\u1100\u1161\u11a8ا\u0654\u0653क\u093c \u2581"
"""Letters, what composes with them, and characters that are replaced."""


@settings(max_examples=amount(100), deadline=None)
@given(st.text(JOINING, min_size=1, max_size=6))
def test_no_rule_of_the_character_map_applies_to_unchanged_pairs(word: str) -> None:
    stage = bundled("xlm-r").parts[1]
    assert isinstance(stage, CharsmapNormalization)
    unchanged = UnchangedPairs(stage.charsmap)
    chunks = stage.search(stage.charsmap, SymbolTree(()), word, silent)
    if unchanged.everywhere_in(word):
        assert "".join(chunk.text for chunk in chunks) == word
    if not set(word).intersection(" \u2581") and all(len(chunk.text) == 1 for chunk in chunks):
        assert unchanged.everywhere_in(word) == ("".join(chunk.text for chunk in chunks) == word)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["gpt-2", "xlm-r", "qwen2.5", "llama-2", "o200k_base"])
def test_certain_tokens_come_from_text(name: str) -> None:
    """The whole tokenizer gives each of them, and of what it gives, most are certain."""
    index = index_of(bundled(name))
    ids = sorted(random.Random(3).sample(range(len(index)), amount(200)))
    asking = Asking(index)
    given = {id for id in ids if asking.reached(id).outcome is Outcome.ITSELF}
    certain = certain_tokens(index, ids, CONTEXTS)
    assert certain <= given
    assert len(certain) > len(given) / 3
