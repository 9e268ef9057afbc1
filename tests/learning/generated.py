"""Generated texts, and questions about them: few in the quick tier, 1,000 a kind in `all`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

import explorer
from explorer.learning.questions import Question, ask
from tests import tiers
from tests.bundled import bundled

WORDS: Final = (
    "the", "What", "is", "LoRA", "tokenizable", "unaffable", "playing", "He's", "WE'LL", "going", "@World", "123456",
    "3.14", "low", "lower", "lowest", "theme", "thesis", "Ångström", "ﬁne", "É", "e\u0301", "naïve", "Straße", "½",
    "こんにちは", "世界", "吾輩は猫である。", "각", "😊", "🦙", "👍🏽", "Hello,", "world!!", "x_1=2", "{}", "Übung",
    "ǆ", "मस्ते", "Привет", "q\u0323\u0307", "Å", "ﬃ", "zzz", "abcabc",
)  # fmt: skip
STAGES: Final = {
    "how-many": {"model", "post-process"},
    "costs-more": {"model", "post-process"},
    "matched-piece": {"pre-tokenize"},
    "normalized": {"normalize"},
}
"""The stages that questions of a kind are about, where that isn't the model's."""
SPACES: Final = (" ", " ", " ", " ", "  ", "\n", "\t", "")
LONGEST: Final = 70


def numbers_in(text: str) -> set[str]:
    """The digits of the numbers of a text, which languages separate otherwise."""
    return {re.sub("[.,\u202f]", "", found) for found in re.findall(r"\d+(?:[.,\u202f]\d+)*", text)}


def text(random: Random) -> str:
    """Words with white space between them, at most `LONGEST` code points."""
    made = "".join(random.choice(WORDS) + random.choice(SPACES) for _ in range(random.randint(2, 7)))
    return made.strip(" ")[:LONGEST]


def questions(kind: str, models: Sequence[str], few: int) -> Iterator[tuple[explorer.Tokenizer, Question]]:
    """So many questions of a kind, 1,000 in the tier `all`, under these models in turn, each sound.

    At least half of the seeds give one.
    """
    wanted = 1_000 if tiers.chosen_tier == "all" else few
    found = 0
    for seed in range(2 * wanted):
        tokenizer = bundled(models[seed % len(models)])
        random = Random(f"{kind} {seed}")
        asked = ask(tokenizer, [text(random) for _ in range(4)], kind, seed)
        if asked is not None:
            found += 1
            sound(asked)
            yield tokenizer, asked
        if found == wanted:
            return
    raise AssertionError(f"{kind}: only {found} of {wanted} questions")


def sound(question: Question) -> None:
    """Raises AssertionError if choices repeat, or are not two to six."""
    shown = [choice.shown for choice in question.choices]
    assert len(set(shown)) == len(shown), question
    assert 2 <= len(shown) <= 6, question
    assert 0 <= question.right < len(shown), question
    assert question.stage in STAGES.get(question.kind, {"model"}), question
    assert question.explanation.template, question


def wrong(question: Question) -> list[str]:
    """The wrong choices as they are shown."""
    return [choice.shown for index, choice in enumerate(question.choices) if index != question.right]


def right(question: Question) -> str:
    """The right choice as it is shown."""
    return question.choices[question.right].shown
