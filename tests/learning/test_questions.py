"""Every question has one right choice, all choices differ, and its seed makes it again."""

from __future__ import annotations

import pytest

from explorer.learning.questions import KINDS, ask, quiz
from tests.bundled import bundled

TEXTS = ("What is LoRA?", "A tokenizer tokenizes.", "the theme of the thesis", "e\u0301 🦙")
MODELS = ("llama-2", "gpt-2", "cl100k_base", "bert-uncased", "rwkv-world", "xlm-r")


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_makes_a_question_again(kind: str) -> None:
    tokenizers = [bundled(name) for name in MODELS if KINDS[kind].suits(bundled(name))]
    assert tokenizers
    found = [ask(tokenizer, TEXTS, kind, seed) for tokenizer in tokenizers for seed in range(3)]
    assert any(found)
    assert found == [ask(tokenizer, TEXTS, kind, seed) for tokenizer in tokenizers for seed in range(3)]
    for each in filter(None, found):
        shown = [choice.shown for choice in each.choices]
        assert 2 <= len(set(shown)) == len(shown) <= 6
        assert 0 <= each.right < len(shown)


def test_a_quiz_has_different_questions() -> None:
    found = quiz([bundled("gpt-2"), bundled("llama-2")], TEXTS, 6, 1)
    assert len(set(found)) == len(found) == 6
