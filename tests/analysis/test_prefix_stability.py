"""The tokens of a text while it is typed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.boundary.followers import MOST_TYPED, TOGETHER, stability
from explorer.views.compare.typing import KEPT, keys_of, kinds_of
from tests.analysis.toy_tokenizers import bpe
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount


def test_a_toy_by_eye() -> None:
    """a · ab · abc, where `b c` is merged before `a b`: the third letter undoes the first merge."""
    found = stability(bpe("b c", "a b"), "abca")
    assert [(each.length, each.kept, [token[0] for token in each.tail], each.changed, each.reach)
            for each in found.prefixes] == [
        (1, 0, [2], 0, 0),
        (2, 0, [11], 1, 1),
        (3, 0, [2, 10], 1, 2),
        (4, 2, [2], 0, 0),
    ]  # fmt: skip
    assert (found.furthest, found.stable, found.step) == (2, True, 1)


def test_more_than_the_last_token_may_change() -> None:
    found = stability(bundled("gpt-2"), "token")
    assert not found.stable
    assert found.furthest == 4


def test_long_texts_grow_in_steps_and_the_last_prefix_is_the_text() -> None:
    text = "What is LoRA? " * 100
    found = stability(bundled("gpt-2"), text, most=50)
    assert found.step == 28
    assert len(found.prefixes) <= 50
    assert found.prefixes[-1].length == len(text)
    assert [each.length for each in found.prefixes[:3]] == [28, 56, 84]


@pytest.mark.long
def test_the_prefixes_of_a_long_text_together_are_bounded() -> None:
    found = stability(bundled("rwkv-world"), "ab " * (MOST_TYPED // 3))
    assert found.prefixes[-1].length == len(found.text)
    assert len(found.prefixes) == 100
    assert sum(each.length for each in found.prefixes) <= TOGETHER * 1.02


def test_an_empty_text_and_a_too_long_one() -> None:
    assert stability(bundled("gpt-2"), "").prefixes == ()
    with pytest.raises(explorer.InputError, match=rf"{MOST_TYPED}"):
        stability(bundled("gpt-2"), "a" * (MOST_TYPED + 1))


def test_a_growing_unknown_word_is_not_a_change() -> None:
    found = stability(bundled("bert-uncased"), "a" * 120)
    # a word of more than 100 characters is unknown as a whole: from there on its id doesn't change
    assert [each.length for each in found.prefixes if each.changed][-1] == 101
    assert [(each.kept, each.tail[0].end, each.changed, each.reach) for each in found.prefixes[-2:]] == [
        (0, 119, 0, 0), (0, 120, 0, 0)
    ]  # fmt: skip
    assert kinds_of(list(keys_of(found))[-1]) == [KEPT]


@settings(max_examples=amount(40))
@given(texts(), st.sampled_from(("gpt-2", "llama-2", "bert-uncased", "xlm-r", "qwen2.5", "rwkv-world")))
def test_the_tokens_of_every_prefix_are_given(text: str, spec: str) -> None:
    tok = bundled(spec)
    found = stability(tok, text, most=20)
    assert len(found.prefixes) <= 20
    before: Counter[tuple[int, int]] = Counter()
    for each, tokens in zip(found.prefixes, found.tokens(), strict=True):
        encoding = tok.encode(text[: each.length], add_special=False)
        assert list(tokens) == [token for token in encoding.tokens if token.start >= 0]
        now = Counter((token.id, token.start) for token in tokens)
        assert each.changed == (before - now).total()
        before = now
