"""Ids that a tokenizer gives for a text are never called impossible."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.expected.explainer import is_plausible
from explorer.implementations.opened import with_pattern
from explorer.origin import Origin
from explorer.vocabulary import PieceKind
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

SPECS = [f"{model.name}@{each}" for model in explorer.catalog().values() for each in model.implementations]

awkward = st.sampled_from(
    ["İ", "ß", "ﬁ", "A\u030a", "K", "a\u200bb", "\x00a", "<s>", "[MASK] x", "<|endoftext|>", "x" * 120]
)


@pytest.mark.parametrize("spec", SPECS)
@given(text=st.lists(texts() | awkward, max_size=4).map(" ".join), add=st.booleans(), parse=st.booleans())
@settings(max_examples=amount(60), deadline=None)
def test_what_a_tokenizer_gives_is_plausible(spec: str, text: str, add: bool, parse: bool) -> None:
    tok = bundled(spec)
    assert is_plausible(tok, tok.encode(text, add_special=add, parse_special=parse).ids, text)


@pytest.mark.parametrize("spec", SPECS)
def test_special_tokens_within_a_text_are_plausible(spec: str) -> None:
    tok = bundled(spec)
    vocabulary = tok.vocabulary
    special = [id for id in range(len(vocabulary)) if vocabulary.kind(id) != PieceKind.NORMAL and vocabulary.pieces[id]]
    for id in [*special[:40], *special[-40:]]:
        text = f"a {vocabulary.pieces[id].decode('utf-8', 'replace')} b"
        for parse in (False, True):
            assert is_plausible(tok, tok.encode(text, parse_special=parse).ids, text), text


def test_too_few_ids_other_letters_and_another_order_are_not() -> None:
    tok = bundled("gpt-2")
    ids = tok.encode("one two three").ids
    assert is_plausible(tok, ids, "one two three")
    assert is_plausible(tok, ids, "one, TWO: three!"), "case and signs may be changed"
    assert not is_plausible(tok, ids[:-1], "one two three")
    assert not is_plausible(tok, ids[::-1], "one two three")
    assert not is_plausible(tok, ids, "one two three 4")
    assert not is_plausible(bundled("llama-2"), ids, "one two three")


def test_other_files_and_custom_patterns_are_never_ruled_out() -> None:
    tok = bundled("gpt-2")
    assert not is_plausible(tok, [0], "abc")
    assert not is_plausible(tok, [len(tok.vocabulary)], ""), "no id at all"
    assert is_plausible(with_pattern(tok, "."), [0], "abc")
    assert is_plausible(replace(tok, origin=Origin()), [0], "abc")


def test_the_unknown_token_may_cover_anything() -> None:
    tok = bundled("bert-uncased")
    assert is_plausible(tok, [100], "x" * 1_000)
    assert tok.encode("x" * 1_000, add_special=False).ids == [100]
