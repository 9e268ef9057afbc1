"""Tasks of lessons: each can be done, is not done at the start, and is judged by the engine."""

from __future__ import annotations

import pytest

from explorer.answers.learn import judged
from explorer.errors import InputError
from explorer.learning.checks.cards import MOST_TYPED, TASKS
from explorer.learning.lessons import library, read_lesson
from explorer.learning.lessons.reading import Card, ExplorePanel, Task
from explorer.text.say import plain
from explorer.ui.learn.visit import MOST_TYPED as MOST_REPORTED

CARDS = {key: lesson.cards[-1] for key, lesson in library().items() if lesson.language == "en"}
LLAMA = ExplorePanel("", "llama-2", "llama.cpp")
GPT = ExplorePanel("", "gpt-2", "huggingface")


def task_of(card: Card) -> Task:
    assert isinstance(card.question, Task)
    return card.question


@pytest.mark.parametrize("key", CARDS)
def test_each_lesson_ends_with_a_task_that_can_be_done(key: str) -> None:
    card = CARDS[key]
    task = task_of(card)
    assert judged(card.panel, task.check, task.answer).done
    assert not judged(card.panel, task.check, getattr(card.panel, "text", "")).done, "not at the start"
    assert not judged(card.panel, task.check, "").done


def test_each_check_is_used() -> None:
    assert {task_of(card).check.split(" ")[0] for card in CARDS.values()} == set(TASKS)


@pytest.mark.parametrize(
    ("panel", "check", "text", "done", "says"),
    [
        (GPT, "character-bytes 3", "€€", False, "6 bytes"),
        (GPT, "one-token 10", "hello", False, "5 letters"),
        (GPT, "one-token 4", "ab 12", False, "letters alone"),
        (GPT, "pre-tokens 6 6", "a1 b2c", False, "pre-tokens"),
        (LLAMA, "byte-tokens 4", "🤗", True, "4 tokens for bytes"),
        (LLAMA, "token-within 2", "</S>", False, "Its ids are"),
        (LLAMA, "stale-entries 9 2", "at", False, "2 characters"),
        (CARDS["train-wordpiece"].panel, "longest-learned 9", "x", False, "Nothing is merged"),
    ],
)
def test_the_verdict_says_what_the_engine_makes_of_a_text(
    panel: ExplorePanel, check: str, text: str, done: bool, says: str
) -> None:
    found = judged(panel, check, text)
    assert found.done is done
    assert says in plain(found.say)


@pytest.mark.parametrize(("check", "says"), [("fly", "one-token"), ("one-token", "judged"), ("one-token x", "judged")])
def test_a_check_that_does_not_exist_is_refused(check: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        judged(GPT, check, "abc")


def test_a_long_text_is_refused() -> None:
    assert MOST_TYPED == MOST_REPORTED
    with pytest.raises(InputError, match="at most"):
        judged(GPT, "one-token 10", "a" * (MOST_TYPED + 1))


def test_a_task_stands_alone_on_its_card() -> None:
    head = 'title = "T"\nabout = "A."\nminutes = 1\n[panel]\ntokenizer = "gpt-2"\n[[card]]\ntitle = "C"\nwords = "W."\n'
    task = '[card.task]\nask = "Do it."\ncheck = "one-token 3"\nanswer = "abc"\n'
    card = read_lesson(head + task, "x.toml").cards[0]
    assert card.question == Task("Do it.", "one-token 3", "abc")
    with pytest.raises(InputError, match="card 1, task"):
        read_lesson(head + 'question = { kind = "how-many" }\n' + task, "x.toml")
    with pytest.raises(InputError, match="card 1, task, answer: missing"):
        read_lesson(head + task.replace('answer = "abc"\n', ""), "x.toml")
