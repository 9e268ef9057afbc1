"""Special tokens never rule out ids that a tokenizer gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.expected.explainer import Attempts, added_around, letters, only_letters, rules_out
from explorer.engine.part import Options
from explorer.vocabulary import PieceKind
from tests.analysis.test_plausible import SPECS, awkward
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

OPTIONS = [Options(add, parse) for add in (True, False) for parse in (True, False)]


def holds(spec: str, text: str) -> None:
    tok = bundled(spec)
    for options in OPTIONS:
        attempts = Attempts(tok, tok.trace_lazily(text, **options._asdict()))
        for other in OPTIONS:
            ids = tok.encode(text, **other._asdict()).ids
            assert attempts.may(tok, ids, text, other), (text, other)
            assert attempts.gives(tok, ids, text, other), (text, other)
            assert not rules_out(explorer.catalog()[tok.name], ids, text)


@pytest.mark.parametrize("spec", SPECS)
@given(text=st.lists(texts() | awkward, max_size=4).map(" ".join))
@settings(max_examples=amount(40), deadline=None)
def test_what_a_tokenizer_gives_is_not_ruled_out(spec: str, text: str) -> None:
    holds(spec, text)


@pytest.mark.parametrize("spec", SPECS)
def test_special_tokens_of_the_text_are_not_ruled_out(spec: str) -> None:
    vocabulary = bundled(spec).vocabulary
    special = [id for id in range(len(vocabulary)) if vocabulary.kind(id) != PieceKind.NORMAL and vocabulary.pieces[id]]
    for id in [*special[:8], *special[-8:]]:
        spelled = vocabulary.pieces[id].decode("utf-8", "replace")
        holds(spec, f"a {spelled} b")
        holds(spec, f"{spelled}{spelled.upper()}")


@pytest.mark.parametrize(
    ("spec", "ids", "text", "options", "may"),
    [
        ("llama-2", [1, 260], "a", Options(), True),
        ("llama-2", [260], "a", Options(), False),
        ("llama-2", [260], "a", Options(add_special=False), True),
        ("llama-2", [1, 260], "a", Options(add_special=False), False),
        ("llama-2", [1, 1, 260], "a", Options(), False),
        ("llama-2", [1, 1, 260], "<s>a", Options(), True),
        ("bert-uncased", [101, 1037], "a", Options(), False),
        ("bert-uncased", [101], "", Options(), False),
        ("gpt-2", [50256, 64], "a", Options(), False),
    ],
)
def test_special_tokens_rule_out(spec: str, ids: list[int], text: str, options: Options, may: bool) -> None:
    tok = bundled(spec)
    assert Attempts(tok, tok.trace_lazily(text)).may(tok, ids, text, options) is may


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", explorer.catalog())
def test_figures_of_the_catalog(name: str) -> None:
    model = explorer.catalog()[name]
    said = []
    for implementation in model.implementations:
        tok = bundled(f"{name}@{implementation}")
        vocabulary, alone = tok.vocabulary, tok.decoder.alone
        assert len(vocabulary) == model.tokens
        each = [only_letters(alone(id)) for id in range(model.tokens)]
        spelled = [only_letters(piece) for piece in vocabulary.pieces]
        assert max(map(len, [*each, *spelled])) <= model.letters
        unknown = {id for id in range(model.tokens) if vocabulary.kind(id) == PieceKind.UNKNOWN}
        unknown |= {getattr(part, "unknown", None) for part in tok.parts if part.name == "model"} - {None}  # type: ignore[arg-type]
        assert unknown <= set(model.unknown)
        said.append([one or other for one, other in zip(each, spelled, strict=True)])
    assert all(each == said[0] for each in said), "what one program reads in a file, the other does, too"
    assert len(letters("a" * model.letters)) == model.letters


def test_added_ids() -> None:
    assert added_around(bundled("llama-2")) == ((1,), ())
    assert added_around(bundled("gpt-2")) == ((), ())
