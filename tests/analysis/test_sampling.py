"""Samples of whole texts: reproducible, made of the same text, bounded."""

from __future__ import annotations

from math import inf, isclose, nan, prod
from typing import Any

import pytest

import explorer
from explorer.analysis import sampling
from explorer.engine.sampling import dropout
from explorer.errors import InputError
from tests.bundled import bundled

SAMPLED = ("llama-2", "mistral-v1", "gpt-2", "llama-3", "xlm-r", "cl100k_base", "qwen2.5")
TEXT = "What is LoRA? naïve 🤗 <s>"


@pytest.mark.parametrize("name", SAMPLED)
def test_a_sample_decodes_to_the_text_and_a_seed_gives_it_again(name: str) -> None:
    tok = bundled(name)
    want = tok.decode(tok.encode(TEXT).ids)
    found = [tok.sample(TEXT, 0.4, seed) for seed in range(6)]
    assert [each.ids for each in found] == [tok.sample(TEXT, 0.4, seed).ids for seed in range(6)]
    assert len({tuple(each.ids) for each in found}) > 1
    assert {tok.decode(each.ids) for each in found} == {want}
    for each in found:
        spans = [span for span in each.encoding.spans if span]
        assert spans == sorted(spans)
        assert spans[-1][1] == len(TEXT)


@pytest.mark.parametrize("name", SAMPLED)
def test_without_dropout_or_with_a_large_alpha_nothing_is_random(name: str) -> None:
    tok = bundled(name)
    alpha = 1_000.0 if tok.family == "Unigram" else 0.0
    for rule in ("sentencepiece", "") if tok.family == "Unigram" else ("sentencepiece", "huggingface", "subword-nmt"):
        found = tok.sample("What is LoRA?", alpha, 3, rule=rule)
        if name != "llama-3":  # it takes whole words from its vocabulary; dropout never does
            assert found.ids == tok.encode("What is LoRA?").ids, rule


def test_a_distribution_counts_what_one_seed_draws() -> None:
    tok = bundled("xlm-r")
    found = explorer.distribution(tok, " able", 0.3, 7, samples=200)
    assert found.complete
    assert sum(way.times for way in found.ways) == 200
    assert isclose(sum(way.probability or 0.0 for way in found.ways), 1.0, rel_tol=1e-9)
    chances = [way.probability or 0.0 for way in found.ways]
    assert chances == sorted(chances, reverse=True)
    assert found.ways[0].ids == found.usual == tuple(tok.encode(" able").ids)
    again = explorer.distribution(tok, " able", 0.3, 7, samples=200)
    assert again == found


def test_of_many_ways_the_drawn_ones_have_their_probability() -> None:
    """A text with far more ways than are listed: each chance is the same as in the list of a part's ways."""
    tok = bundled("xlm-r")
    found = explorer.distribution(tok, "unbelievable unbelievable", 0.5, 7, samples=50, rule="sentencepiece")
    assert found.total is not None
    assert found.total > 100_000
    assert not found.complete
    assert all(way.probability for way in found.ways)
    assert sum(way.times for way in found.ways) == 50
    assert found.ways[0].ids == found.usual
    assert not any(way.first for way in found.ways if not way.times)


@pytest.mark.parametrize("rule", ["huggingface", "sentencepiece", "subword-nmt"])
def test_of_many_words_each_way_has_the_product_of_their_chances(rule: str) -> None:
    tok = bundled("gpt-2")
    ask: dict[str, Any] = {"alpha": 0.1, "samples": 30, "rule": rule}
    found = explorer.distribution(tok, "on it unrelated on it", **ask)
    assert not found.complete
    parts = [explorer.distribution(tok, text, **ask) for text in ("on", " it", " unrelated", " on", " it")]
    chance = prod(part.ways[0].probability or 0 for part in parts)
    assert isclose(found.ways[0].probability or 0, chance)
    assert found.total == prod(part.total or 0 for part in parts)


def test_a_draw_is_found_again_by_its_number() -> None:
    tok = bundled("gpt-2")
    found = explorer.distribution(tok, " unrelated", 0.3, 5, samples=40)
    for way in found.ways:
        if way.first:
            assert tuple(tok.sample(" unrelated", 0.3, 5, draw=way.first).ids) == way.ids


def test_rare_ways_of_a_long_word_are_left_out_and_no_percentage_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    tok = bundled("gpt-2")
    whole = explorer.distribution(tok, " unrelated", 0.1, samples=0, rule="subword-nmt")
    monkeypatch.setattr(sampling, "MOST_STEPS", 400)
    found = explorer.distribution(tok, " unrelated", 0.1, samples=0, rule="subword-nmt")
    assert whole.complete
    assert found.total is None
    for one, other in zip(whole.ways, found.ways, strict=False):
        assert isclose(one.probability or 0, other.probability or 0, abs_tol=dropout.MOST_REST)


def test_the_ways_of_xlm_r() -> None:
    """The example of the page: 968 ways, two of which are nearly alike."""
    found = explorer.distribution(bundled("xlm-r"), " unbelievable", 0.2, rule="sentencepiece", add_special=False)
    assert found.total == 968
    first, second = found.ways[:2]
    assert (first.pieces, second.pieces) == (("▁un", "beli", "ev", "able"), ("▁un", "beli", "eva", "ble"))
    assert round(100 * (first.probability or 0), 2) == 3.41
    assert round(100 * (second.probability or 0), 2) == 3.35


def test_words_are_drawn_apart_and_listed_together() -> None:
    tok = bundled("gpt-2")
    both, one, other = (explorer.distribution(tok, text, 0.2, samples=0) for text in ("on it", "on", " it"))
    assert both.total == (one.total or 0) * (other.total or 0)
    top = (one.ways[0].probability or 0) * (other.ways[0].probability or 0)
    assert isclose(both.ways[0].probability or 0, top)


@pytest.mark.parametrize(
    ("ask", "given"),
    [
        ("nbest", {"n": 10**9}),
        ("nbest", {"n": 0}),
        ("nbest", {"n": 2.5}),
        ("sample", {"alpha": nan}),
        ("sample", {"alpha": inf}),
        ("sample", {"alpha": -0.1}),
        ("sample", {"alpha": "0.1"}),
        ("sample", {"alpha": 10**400}),
        ("sample", {"seed": -1}),
        ("sample", {"seed": 2**32}),
        ("sample", {"rule": "tiktoken"}),
        ("sample", {"rule": "subword-nmt"}),
        ("sample", {"draw": 0}),
        ("sample", {"draw": 10**6}),
        ("distribution", {"samples": 10**6}),
        ("distribution", {"samples": -1}),
    ],
)
def test_what_cannot_be_asked_is_one_error(ask: str, given: dict[str, Any]) -> None:
    with pytest.raises(InputError) as raised:
        getattr(bundled("xlm-r"), ask)("able", **given)
    assert "\n" not in str(raised.value)


def test_long_texts_are_one_error() -> None:
    with pytest.raises(InputError):
        bundled("gpt-2").sample("a" * 100_001)
    with pytest.raises(InputError):
        bundled("gpt-2").distribution("a" * 1_001)


def test_dropout_is_a_probability() -> None:
    with pytest.raises(InputError):
        bundled("gpt-2").sample("a", 1.5)


@pytest.mark.parametrize("name", ["bert-uncased", "rwkv-world"])
def test_other_models_cannot_be_sampled(name: str) -> None:
    with pytest.raises(InputError):
        bundled(name).sample("a")


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "bert-uncased"])
def test_only_unigram_has_n_best_lists(name: str) -> None:
    with pytest.raises(InputError):
        bundled(name).nbest("a")


def test_an_empty_text() -> None:
    assert bundled("xlm-r").sample("").ids == bundled("xlm-r").encode("").ids
    assert [each.ids for each in bundled("xlm-r").nbest("")] == [tuple(bundled("xlm-r").encode("").ids)]
    assert bundled("gpt-2").distribution("").total == 1
