"""Every kind has questions, its seed makes them again, and they can be followed to their place."""

from __future__ import annotations

import pytest

from explorer.errors import InputError
from explorer.learning.questions import KINDS, ask, quiz, worth
from explorer.text.say import plain
from explorer.ui.learn.page import TEXTS as EXAMPLES
from tests.bundled import bundled
from tests.learning.generated import sound
from tests.originals.generators import strings
from tests.tiers import amount

TEXTS = ("What is LoRA?", "A tokenizer tokenizes.", "the theme of the thesis", "e\u0301 \N{LLAMA}")
MODELS = {
    "next-merge": "gpt-2", "out-of-date": "llama-2", "missing-merge": "gpt-2", "how-many": "gpt-2",
    "costs-more": "gpt-2", "matched-piece": "gpt-2", "longest-match": "bert-uncased", "byte-fallback": "llama-2",
    "best-path": "xlm-r", "normalized": "bert-uncased",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_makes_a_question_again(kind: str) -> None:
    tokenizer = bundled(MODELS[kind])
    assert KINDS[kind].suits(tokenizer)
    found = [ask(tokenizer, TEXTS, kind, seed) for seed in range(5)]
    assert found == [ask(tokenizer, TEXTS, kind, seed) for seed in range(5)]
    assert len({each.right for each in found if each}) > 1, "the order is shuffled"
    for each in found:
        assert each is not None
        sound(each)
        events = tokenizer.trace(each.text).stage(each.stage).events
        assert each.event is None or 0 <= each.event < len(events)
        assert each.answer is None or (each.event or 0) <= each.answer < len(events)


def test_none_where_nothing_is_to_be_asked() -> None:
    assert ask(bundled("gpt-2"), "a", "next-merge", 1) is None
    assert ask(bundled("gpt-2"), "a b", "byte-fallback", 1) is None
    assert ask(bundled("gpt-2"), [], "how-many", 1) is None
    assert ask(bundled("gpt-2"), ["a", "the thesis"], "next-merge", 1) is not None
    with pytest.raises(InputError, match="'x'; use one of: how-many"):
        ask(bundled("gpt-2"), "a", "x", 1)


@pytest.mark.parametrize("model", ["gpt-2", "llama-2", "mistral-v1", "bert-uncased", "rwkv-world", "qwen2.5", "xlm-r"])
def test_any_text_gives_a_sound_question_or_none(model: str) -> None:
    tokenizer = bundled(model)
    for seed, text in enumerate(["", " ", *strings(7, amount(40))]):
        for kind in KINDS:
            found = ask(tokenizer, text[:300], kind, seed)
            if found is not None:
                sound(found)


def test_a_quiz_has_different_questions() -> None:
    tokenizers = [bundled("gpt-2"), bundled("llama-2")]
    found = quiz(tokenizers, TEXTS, 6, 1)
    assert len(set(found)) == len(found) == 6
    assert len({each.kind for each in found}) >= 4
    assert found == quiz(tokenizers, TEXTS, 6, 1)
    assert {each.kind for each in quiz(tokenizers, TEXTS, 4, 2, ["how-many"])} == {"how-many"}


OPENERS = {
    "llama-2": "next-merge", "gpt-2": "next-merge", "bert-uncased": "longest-match", "rwkv-world": "longest-match",
    "xlm-r": "best-path",
}  # fmt: skip
"""What the model of a family is about."""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("model", OPENERS)
def test_a_quiz_begins_with_what_its_family_is_about_and_becomes_harder(model: str, seed: int) -> None:
    first, *others = quiz([bundled(model)], EXAMPLES, 5, seed)
    # a sentence of plain words, unless it allows no such question
    assert (first.kind, first.text) == (OPENERS[model], EXAMPLES[0]) or ask(
        bundled(model), EXAMPLES[0], OPENERS[model], first.seed
    ) is None
    assert len(first.choices) >= 3
    assert len(others) == 4
    kinds = [list(KINDS).index(each.kind) for each in others if each.kind != first.kind]
    assert kinds == sorted(kinds)
    quoted = [text for each in others for text in each.prompt.texts if each.kind == "missing-merge"]
    assert model == "gpt-2" or all(len(set(text)) * 2 > len(text) for text in quoted), (
        "not the same letters again and again"
    )


@pytest.mark.parametrize("model", OPENERS)
def test_no_two_questions_of_a_quiz_are_alike_and_each_wrong_choice_says_why(model: str) -> None:
    for seed in range(3):
        found = quiz([bundled(model)], EXAMPLES, 6, seed)
        assert len({(each.kind, plain(each.prompt)) for each in found}) == len(found) == 6
        suited = sum(kind.suits(bundled(model)) for kind in KINDS.values())
        assert len({each.kind for each in found}) >= min(4, suited), "kinds take turns"
        for each in found:
            wrong = [choice for at, choice in enumerate(each.choices) if at != each.right]
            assert all(plain(choice.why) for choice in wrong)


def test_a_question_about_bytes_of_characters_is_worth_less() -> None:
    in_bytes, in_letters = (
        ask(bundled("gpt-2"), text, "next-merge", 1) for text in ("\u0645\u0631\u062d\u0628\u0627", "a strange word")
    )
    assert in_bytes is not None
    assert in_letters is not None
    assert worth(in_bytes) < worth(in_letters)


def test_a_quiz_over_few_texts_asks_about_each() -> None:
    for seed in range(5):
        asked = quiz([bundled("gpt-2")], ["a b", "=1+1", "unrelated words"], 3, seed, ["how-many"])
        assert {each.text for each in asked} == {"a b", "=1+1", "unrelated words"}
