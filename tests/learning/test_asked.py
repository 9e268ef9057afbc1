"""Questions as a card asks them: what the panel shows is not said again, and shows enough before it locks."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from explorer.answers.learn import ENGINE
from explorer.learning.checks.cards import Asked, question_of, script_of, sentence_of
from explorer.learning.lessons import library
from explorer.learning.lessons.reading import ExplorePanel
from explorer.text.say import plain


def asked_on(lesson: str, card: int, seed: int | None = None) -> tuple[Asked, ExplorePanel]:
    found = library()[lesson].cards[card - 1]
    question = question_of(ENGINE, found, seed=seed)
    assert question is not None
    assert isinstance(found.panel, ExplorePanel)
    return question, replace(found.panel, text=question.text, stage=question.stage)


@pytest.mark.parametrize(("lesson", "card"), [("queue", 3), ("queue", 5)])
def test_symbols_and_scores_are_read_from_the_panel(lesson: str, card: int) -> None:
    question, _ = asked_on(lesson, card)
    assert question.prompt.texts == ()
    assert {each.note for each in question.choices} == {""}


@pytest.mark.parametrize("seed", range(4))
def test_a_longest_match_is_asked_when_the_panel_has_tried_what_is_longer(seed: int) -> None:
    question, panel = asked_on("wordpiece", 5, seed)
    script = script_of(ENGINE, panel)
    assert script is not None
    right = plain(question.choices[question.right][0]).strip("“”")
    said = [sentence_of(script, step, "story") for step in range(1, question.step + 1)]
    longer = [each for each in said if each.startswith(f"“{right}") and "not in the vocabulary" in each]
    assert longer or question.text.endswith(right.removeprefix("##"))
    assert all(f"“{right}” is" not in each for each in said), "not the answer itself"


def test_a_walk_is_asked_about_before_it_names_the_match() -> None:
    question, panel = asked_on("trie", 4)
    script = script_of(ENGINE, panel)
    assert script is not None
    right = plain(question.choices[question.right][0])
    said = [script.sentence(step) for step in range(1, question.step + 1)]
    assert any(f"{right} is token" in each for each in said)
    assert not any("last token passed" in each for each in said)
