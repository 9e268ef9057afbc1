"""All that is wrong with the file of a lesson, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from explorer.errors import InputError
from explorer.learning.checks.claims import failures
from explorer.learning.checks.exercises import judged, question_of
from explorer.learning.checks.panels import Engine
from explorer.learning.lessons.lesson import Card, Task
from explorer.learning.lessons.lines import line_of
from explorer.learning.lessons.reading import read_cards, text_of
from explorer.text.say import plain


class Fault(NamedTuple):
    """Something wrong. line: of the file, from 1. says: card, key and problem."""

    line: int
    says: str

    @property
    def shown(self) -> str:
        """As one line.

        >>> Fault(3, "card 1, words: missing; add it").shown
        'line 3, card 1, words: missing; add it'
        """
        return f"line {self.line}, {self.says}"


def faults_of(engine: Engine, data: bytes | str, name: str) -> list[Fault]:
    """What can't be read, shown, asked or done, is no longer offered, or is claimed and not so; in the order of lines.

    >>> from explorer.learning.checks.panels import OwnEngine
    >>> faults_of(OwnEngine(), 'title = "T"\\nabout = "A"\\nminutes = "5"', "x.toml")
    [Fault(line=3, says="minutes: '5'; give a whole number")]
    """
    try:
        source = text_of(data, name)
    except InputError as error:
        return [Fault(1, without_name(error, name))]
    try:
        reading = read_cards(source, name)
    except InputError as error:
        said = without_name(error, name)
        return [Fault(line_of(source, said), said)]
    said_all = [without_name(each, name) for each in (*reading.problems, *reading.former)]
    for number, card in zip(reading.numbers, reading.lesson.cards, strict=True):
        said_all += [f"card {number}, {each}" for each in faults_of_card(engine, card, reading.lesson.language)]
    return sorted(Fault(line_of(source, said), said) for said in said_all)


def without_name(error: InputError, name: str) -> str:
    """A message without the file's name in front."""
    return str(error).removeprefix(name).lstrip(",: ")


def faults_of_card(engine: Engine, card: Card, language: str) -> Iterator[str]:
    """What is wrong with a card that can be read."""
    wrong = list(failures(engine, card))
    yield from wrong
    if any(each.startswith(("stage: ", "step: ")) for each in wrong):
        return  # the question would say it again
    try:
        if isinstance(card.question, Task):
            yield from faults_of_task(engine, card, card.question)
        else:
            question_of(engine, card, language)
    except InputError as error:
        if str(error) not in wrong:
            yield str(error)


def faults_of_task(engine: Engine, card: Card, task: Task) -> Iterator[str]:
    """An answer that doesn't do it, and a panel that does it already."""
    verdict = judged(engine, card.panel, task.check, task.answer)
    if not verdict.done:
        yield f"task, answer: {task.answer!r} does not do it: {plain(verdict.say)}"
    text = str(getattr(card.panel, "text", ""))
    try:
        done = judged(engine, card.panel, task.check, text).done
    except InputError:
        return  # a longer text than can be typed
    if done:
        yield "task: the panel's text does it already; choose another text"
