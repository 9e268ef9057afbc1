"""The tables of languages: complete for what questions ask for, with the fields of the English templates."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from explorer.learning import questions
from explorer.learning.languages import languages, phrases
from explorer.learning.lessons import library
from explorer.learning.questions import KINDS, ask
from explorer.learning.questions.question import Scene
from explorer.text.say import plain
from tests import tiers
from tests.bundled import bundled
from tests.learning.test_questions import MODELS, TEXTS

FIELDS = re.compile(r"\{\d(?::[qt])?\}")
TRANSLATED = [each for each in languages() if each != "en"]


def asked_for() -> set[str]:
    """The templates that some questions of each kind ask for."""
    found: set[str] = set()

    def words(template: str) -> str:
        found.add(template)
        return template

    for kind, model in [*MODELS.items(), ("longest-match", "rwkv-world")]:
        if model == "xlm-r" and tiers.chosen_tier == "quick":
            continue  # takes seconds to open
        for seed, text in enumerate(TEXTS):
            tokenizer = bundled(model)
            KINDS[kind].write(Scene(tokenizer, tokenizer.trace(text), Random(seed), TEXTS, words))
    return found


def test_every_language_has_every_sentence_with_its_fields() -> None:
    needed = asked_for()
    assert len(needed) > 20
    code = "".join(each.read_text("utf-8") for each in Path(questions.__file__).parent.glob("*.py"))
    assert {"de", "ja"} <= set(TRANSLATED)
    assert {lesson.language for lesson in library().values()} <= set(languages())
    for language in TRANSLATED:
        table = phrases(language)
        assert needed <= table.questions.keys(), language
        for english, other in table.questions.items():
            assert sorted(FIELDS.findall(other)) == sorted(FIELDS.findall(english)), other
            assert english in needed or english in code or english.removeprefix("{0} is ")[:-1] in code, "not used"
        page = phrases("en").page
        assert table.page.keys() == page.keys()
        for name, english in page.items():
            assert sorted(FIELDS.findall(table.page[name])) == sorted(FIELDS.findall(english)), name


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_question_is_the_same_in_another_language(language: str) -> None:
    english, other = (ask(bundled("gpt-2"), TEXTS, "how-many", 3, each) for each in ("en", language))
    assert english is not None
    assert other is not None
    assert [plain(each.say) for each in other.choices] == [plain(each.say) for each in english.choices]
    assert other.right == english.right
    assert plain(other.prompt) != plain(english.prompt)
