"""What a number beside a piece says, against what can be counted by hand in the vocabulary itself."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest

import explorer
from explorer.analysis.vocabulary.index import index_of
from explorer.analysis.vocabulary.reach import dossier
from explorer.engine.models.bpe import Bpe, MergeableRanks, MergeList
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.spelling import meanings
from explorer.text.say import number
from explorer.views.overview import sections
from explorer.views.vocabulary import dossier_view
from explorer.vocabulary import PieceKind
from tests.bundled import bundled


def counts(phrase: str) -> list[float]:
    """The numbers in a phrase."""
    found = re.findall(r"([\d,.]*\d)( million)?", phrase)
    return [float(digits.replace(",", "")) * (1_000_000 if million else 1) for digits, million in found]


@pytest.mark.parametrize("name", ["llama-2", "mistral-v1"])
def test_a_score_says_how_many_pieces_were_learned_before(name: str) -> None:
    tok = bundled(name)
    vocabulary, says = tok.vocabulary, meanings(tok.vocabulary, tok.model)
    normal = [id for id in range(len(vocabulary)) if vocabulary.kind(id) is PieceKind.NORMAL]
    order = {id: place for place, id in enumerate(normal)}
    explained = 0
    for id in random.Random(1).sample(normal, 400) + normal[:20]:
        score = vocabulary.scores[id]
        phrase = says(id, score)
        if -score != order[id]:
            assert phrase == "", "a score that was changed later says nothing"
        elif len(vocabulary.spelling(id)) == 1:
            assert counts(phrase) == []
        elif order[id]:
            assert counts(phrase) == [order[id]] == [-score]
            explained += 1
    assert explained > 350
    assert says(0, vocabulary.scores[0]) == "", "the unknown token was not learned"
    assert says(normal[5], -7.5) == "", "a number that is not its score"


@pytest.mark.parametrize("name", ["gpt-2", "llama-3", "qwen2.5"])
def test_a_position_says_how_many_merges_go_before(name: str) -> None:
    tok = bundled(name)
    assert isinstance(tok.model, Bpe)
    assert isinstance(tok.model.rule, MergeList)
    listed = len(tok.model.rule.ranks)
    says = meanings(tok.vocabulary, tok.model)
    for position in (2, 3, 4, 1000, listed):
        assert counts(says(0, position)) == [position, listed, position - 1]
    assert counts(says(0, 1)) == [1, listed]


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_a_rank_says_how_many_tokens_were_learned_before(name: str) -> None:
    tok = bundled(name)
    assert isinstance(tok.model, Bpe)
    assert isinstance(tok.model.rule, MergeableRanks)
    by_rank = sorted((rank, piece) for piece, rank in tok.model.rule.ranks.items())
    says = meanings(tok.vocabulary, tok.model)
    for rank, piece in [by_rank[at] for at in (0, 255, 256, 257, 300, 5000, -1)]:
        before = [other for at, other in by_rank if at < rank]
        single = sum(len(other) == 1 for other in before)
        assert counts(says(0, rank)) == ([] if len(piece) == 1 else [len(before) - single, single])


def test_a_probability_is_that_of_the_score() -> None:
    tok = bundled("xlm-r")
    vocabulary, says = tok.vocabulary, meanings(tok.vocabulary, tok.model)
    for id in (4, 5, 100, 1000, 200_000):
        one, often = counts(says(id, vocabulary.scores[id]))
        assert one == 1
        assert math.isclose(often, math.exp(-vocabulary.scores[id]), rel_tol=0.06)
    assert counts(says(4, math.log(0.25))) == [25], "in percent, where one in four would be coarse"
    assert says(3, vocabulary.scores[3]) == "", "the unknown token has no probability"


@pytest.mark.parametrize(("name", "text"), [("llama-2", "What is LoRA?"), ("gpt-2", "unhappiness"),
                                            ("cl100k_base", "unhappiness"), ("xlm-r", "What is LoRA?")])  # fmt: skip
def test_the_numbers_of_a_stepper_are_explained_by_the_same_function(name: str, text: str) -> None:
    tok = bundled(name)
    trace = tok.trace(text)
    says = meanings(tok.vocabulary, tok.model)
    phrases = set()
    for row in trace.stage("model").events:
        token = row.token
        if token >= 0 and tok.vocabulary.scores:
            phrases.add(says(token, tok.vocabulary.scores[token]))
    script = model_script(tok, text)
    told = {script["texts"][number]: script["texts"][phrase] for number, phrase in script["means"]}
    assert told
    if tok.vocabulary.scores:
        assert set(told.values()) <= phrases
    else:
        assert told == {shown: says(0, int(shown.replace(",", ""))) for shown in told}
    numbers = {kind["label"]: kind["numbers"] for kind in script["kinds"]}
    assert any(numbers.values()), "the sentences say which of their words are numbers of the vocabulary"


def model_script(tok: explorer.Tokenizer, text: str) -> dict[str, Any]:
    trace = tok.trace(text)
    scripts = [each.script for each in sections(tok, trace, round_trip(tok, trace), window_of(trace), "model")]
    return next(script.data for script in scripts if script is not None)


def test_the_dossier_and_the_stepper_say_the_same() -> None:
    tok = bundled("llama-2")
    index = index_of(tok)
    view = dossier_view(index, dossier(index, 271), {})
    phrase = meanings(tok.vocabulary, tok.model)(271, -12)
    assert phrase in view["facts"]
    assert view["tree"][-1]["means"] == phrase
    script = model_script(tok, "What is LoRA?")
    pair = script["texts"].index(number(-12)), script["texts"].index(phrase)
    assert pair in [tuple(each) for each in script["means"]]
