"""Llama 3's tokenizer.json as Meta published it first, which is bundled, and with the section that replaced it."""

from __future__ import annotations

import json
from functools import cache

import pytest
import tokenizers

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import runs
from explorer.analysis.expected.expected_ids import Reason
from explorer.analysis.expected.explainer import explain, note_on
from explorer.analysis.notes import notes
from explorer.analysis.pre_tokenizer import identity
from explorer.errors import InputError
from explorer.opening.catalog import catalog
from explorer.text.say import plain
from tests.bundled import bundled
from tests.originals.generators import strings

BOS = 128000


@cache
def updated() -> explorer.Tokenizer:
    """The updated one; opening it takes a second."""
    return explorer.load("llama-3", post_processor="updated")


@pytest.mark.long
def test_the_ids_are_those_of_the_original_with_either_section() -> None:
    file = json.loads(catalog()["llama-3"].path.read_bytes())
    first = tokenizers.Tokenizer.from_str(json.dumps(file))
    file["post_processor"] = json.loads(catalog()["llama-3"].updated)
    now = tokenizers.Tokenizer.from_str(json.dumps(file))
    for text in ("", "hello world", "<|begin_of_text|>a", *strings(seed=5, count=60)):
        for theirs, ours in ((first, bundled("llama-3")), (now, updated())):
            for add in (True, False):
                ids = theirs.encode(text, add_special_tokens=add).ids
                assert ours.encode(text, add_special=add).ids == ids, ascii(text)


def test_the_updated_one_is_metas() -> None:
    """Ids that others published, and llama.cpp's hash of its test text, which names the model."""
    assert updated().encode("hello world").ids == [BOS, 15339, 1917]
    assert bundled("llama-3").encode("hello world").ids == [15339, 1917]
    known = [identity(tok) for tok in (updated(), bundled("llama-3"))]
    models = [[model.repository for model in each.models] for each in known if each is not None]
    assert ["meta-llama/Meta-Llama-3-8B" in each for each in models] == [True, False]
    assert updated().decode([BOS, 15339, 1917]) == "hello world"


def test_an_unknown_answer_is_refused() -> None:
    with pytest.raises(InputError, match="known answers are first, updated"):
        explorer.load("llama-3", post_processor="later")
    (choice,) = updated().choosable
    assert (choice.key, choice.chosen, choice.options) == ("post_processor", "updated", ("first", "updated"))


def test_the_difference_is_said_where_it_shows_and_nowhere_else() -> None:
    note = note_on(bundled("llama-3"))
    assert note
    assert not any(note_on(tok) for tok in (updated(), bundled("llama-3@llama.cpp"), bundled("gpt-2")))
    pairs = [(bundled("llama-3"), bundled("llama-3@llama.cpp")), (updated(), bundled("llama-3@llama.cpp"))]
    said = [tuple(map(plain, notes(compare(*runs(pair, "hello"))))) for pair in pairs]
    assert [any(note in each for each in lines) for lines in said] == [True, False]
    for text, ids, expects in (
        ("hello", [BOS, 15339], True),
        ("hello", [15339, 0], False),
        ("2023", [508, 1419], False),
    ):
        assert (note in explain(bundled("llama-3"), text, ids, open_other=bundled).sentence) is expects
    found = explain(bundled("llama-3"), "hello", [BOS, 15339], open_other=bundled)
    assert found.reason == Reason.EXTRA_SPECIAL
    assert any(note == fact.says for fact in bundled("llama-3").facts)
    assert not any(note == fact.says for fact in updated().facts)
