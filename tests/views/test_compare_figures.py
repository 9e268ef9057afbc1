"""Charts, tables and sentences of the Compare page: the data behind them."""

from __future__ import annotations

from explorer.analysis.ownership import align
from explorer.analysis.what_if import WORDS, Switch, Variation
from explorer.stages.spelling import Speller, speller_of
from explorer.text.say import plain, plural
from explorer.views.compare.aligned import cuts_say, parting_of, rows_say
from explorer.views.compare.flips import flip_say
from tests.analysis.pairs import compared
from tests.bundled import bundled

NAMES = ("llama-2", "gpt-2")


def speller(name: str) -> Speller:
    return speller_of(bundled(name).trace(""), stored=False)


def test_the_sentence_has_the_fewest_the_most_and_the_cuts_that_all_have() -> None:
    alignment = align("so it is", [(name, bundled(name).encode("so it is")) for name in NAMES])
    said = rows_say(alignment)
    assert said.texts[:4] == ("3 tokens", "gpt-2", "4", "llama-2")
    assert plain(cuts_say(alignment)) == "All 2 agree on 2 of 2 cuts."
    alone = align("so", [("gpt-2", bundled("gpt-2").encode("so"))])
    assert parting_of(alone) is None


def test_lost_text_is_not_praised_as_few_tokens() -> None:
    text = "🤗🤗🤗🤗 it"
    names = ("gpt-2", "bert-uncased", "llama-2")
    encodings = {name: bundled(name).encode(text) for name in names}
    alignment = align(text, list(encodings.items()))
    unknown_id = bundled("bert-uncased").vocabulary.ids[b"[UNK]"]
    lost = encodings["bert-uncased"].ids.count(unknown_id)
    assert lost
    assert len(encodings["bert-uncased"]) < min(len(encodings[name]) for name in ("gpt-2", "llama-2"))
    said = rows_say(alignment)
    assert said.texts[1] in ("gpt-2", "llama-2")
    assert f"bert-uncased loses text: {plural(lost, 'unknown token')}." in plain(said)


def test_where_rows_part_most_is_told_with_every_way_to_cut_it() -> None:
    names = ("llama-3", "llama-2", "gpt-2", "o200k_base")
    text = "is 1234567 it"
    alignment = align(text, [(name, bundled(name).encode(text)) for name in names])
    found = parting_of(alignment)
    assert found is not None
    assert text[slice(*found["at"])] == " 1234567"
    assert found["groups"] == [
        ["gpt-2", [" 123", "45", "67"]],
        ["llama-3, o200k_base", [" ", "123", "456", "7"]],
        ["llama-2", [" ", *"1234567"]],
    ]
    assert found["sides"] == [2, 1], "the fewest of it, and the most"


def test_every_switch_is_explained_with_its_effect_on_the_token_count() -> None:
    assert set(WORDS) == set(Switch)
    comparison = compared("llama-2", "gpt-2", "it")
    assert plain(flip_say(Variation(Switch.ADD_SPECIAL), comparison)) == "Add BOS/EOS → off: 1 token fewer"
    same = compared("gpt-2", "gpt-2@llama.cpp", "it")
    says = plain(flip_say(Variation(Switch.IMPLEMENTATION, spec="gpt-2@llama.cpp"), same))
    assert says == "implementation → gpt-2@llama.cpp: no id changes"
