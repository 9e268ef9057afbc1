"""What a card claims, held against the engine; and all that is wrong with the file of a lesson, line by line.

A claim that fails becomes one sentence, for tests and for teachers. A claim is a key of `CHECKS` with a value;
docs/LESSONS.md lists them.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from explorer.engine.tokenizer import Tokenizer, Trace
from explorer.errors import InputError
from explorer.formats.model_folder import Settings
from explorer.implementations.transformers.python_classes import from_settings
from explorer.learning.checks.cards import (
    Engine,
    Shown,
    as_text,
    bare_ids,
    chance_of,
    followers,
    judged,
    merged_pieces,
    model_of,
    opened,
    prompt_facts,
    prompt_panel,
    prompt_rows,
    question_of,
    sentence_of,
    served,
    shown_by,
    trained_pieces,
    training_of,
)
from explorer.learning.lessons.lines import line_of
from explorer.learning.lessons.reading import (
    Card,
    ExplorePanel,
    NextPanel,
    Task,
    VocabularyPanel,
    read_cards,
    text_of,
)
from explorer.text.say import plain
from explorer.vocabulary import spelled


def failures(engine: Engine, card: Card) -> Iterator[str]:
    """The claims of a card that don't hold, each as a sentence; also a panel that can't be shown."""
    try:
        shown = shown_by(engine, card.panel)
    except InputError as error:
        yield str(error)
        return
    for name, claimed in card.claims.items():
        check = CHECKS.get(name)
        if check is None:
            yield f"claims, {name}: unknown; use {', '.join(CHECKS)}"
            continue
        try:
            found = check(shown, claimed)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            yield f"claims, {name}: can't be checked here: {error}"
            continue
        if found != claimed:
            yield f"claims, {name}: {claimed!r} is claimed, and the engine gives {found!r}"


# --- what is found, by the name of the claim -------------------------------------------------------------------------


def trace_of(shown: Shown) -> Trace:
    """The trace of a panel with a text under one tokenizer."""
    if shown.trace is None:
        raise InputError("this panel has no single tokenizer; use others or counts")
    return shown.trace


def says(shown: Shown, claimed: str) -> str:
    """The claimed words, if they are in the sentence of the step; else that sentence."""
    return claimed if claimed in shown.sentence else shown.sentence


def says_at(shown: Shown, claimed: Mapping[str, str]) -> Mapping[str, str]:
    """The same for other steps, by their numbers."""
    sentences = {step: sentence_of(shown.script, int(step), shown.level) for step in claimed}
    return {step: words if words in sentences[step] else sentences[step] for step, words in claimed.items()}


def results(shown: Shown, claimed: Mapping[str, str]) -> Mapping[str, str]:
    """The results of the claimed stages."""
    trace_of(shown)
    return {node.key: node.result for node in shown.nodes if node.key in claimed}


def other(shown: Shown, claimed: dict[str, Any]) -> dict[str, Any]:
    """What another text or tokenizer gives, of what is claimed. class: one without a vocabulary file."""
    panel, text = shown.panel, claimed.get("text", shown.text)
    if "class" in claimed:
        ids = without_vocabulary(claimed["class"]).encode(text, add_special=False).ids
        return claimed | {key: value for key, value in (("ids", ids), ("tokens", len(ids))) if key in claimed}
    usual = f"{panel.tokenizer}@{panel.implementation}" if isinstance(panel, ExplorePanel) else ""
    model, implementation = model_of(claimed.get("tokenizer", usual))
    there = ExplorePanel(text, model.name, implementation, special=bool(claimed.get("special", False)))
    elsewhere = Shown(shown.engine, there, shown.engine.trace(there))
    return {key: CHECKS[key](elsewhere, value) if key in OF_TEXTS else value for key, value in claimed.items()}


OF_TEXTS = "tokens ids pieces bytes code_points hex results".split()
"""What is claimed of another text or tokenizer."""


@cache
def without_vocabulary(name: str) -> Tokenizer:
    """The tokenizer of a class without a vocabulary file, such as ByT5Tokenizer. Raises InputError for another one."""
    return from_settings(5, Settings({"tokenizer_class": name}), name)


def in_vocabulary(shown: Shown, claimed: list[str]) -> list[str]:
    """Those of the claimed pieces that are tokens."""
    known = set(map(spelled, opened(shown.engine, shown.panel).vocabulary.pieces))
    return [each for each in claimed if each in known]


def learned(shown: Shown, claimed: list[str]) -> list[str]:
    """The last tokens that a training has learned, as many as are claimed."""
    return list(map(as_text, training_of(shown).training.learned.tokens))[-len(claimed) :]


def costs(shown: Shown, claimed: Mapping[str, int]) -> Mapping[str, int]:
    """The tokens of other texts under this tokenizer, by text."""
    trace_of(shown)
    tokenizer = opened(shown.engine, shown.panel)
    return {text: len(tokenizer.encode(text, add_special=False).ids) for text in claimed}


def follows(shown: Shown, claimed: Mapping[str, int]) -> Mapping[str, int]:
    """How often tokens follow the panel's token, by their texts."""
    if not isinstance(shown.panel, NextPanel):
        raise InputError("this panel counts no next token")
    rows = followers(shown.engine, shown.panel).rows
    counts = {text.replace("·", " "): count for _, text, count in rows}
    return {text: counts.get(text, 0) for text in claimed}


def last_id(shown: Shown, claimed: int) -> int:
    """The highest id of the panel's tokenizer."""
    if not isinstance(shown.panel, ExplorePanel | VocabularyPanel):
        raise InputError("this panel has no single tokenizer")
    return len(opened(shown.engine, shown.panel).vocabulary.pieces) - 1


CHECKS: Mapping[str, Callable[[Shown, Any], Any]] = {
    "tokens": lambda shown, _: len(trace_of(shown).ids),
    "ids": lambda shown, _: trace_of(shown).ids,
    "pieces": lambda shown, _: trace_of(shown).encoding.pieces,
    "code_points": lambda shown, _: len(shown.text),
    "bytes": lambda shown, _: len(shown.text.encode()),
    "hex": lambda shown, _: shown.text.encode().hex(" ").upper(),
    "steps": lambda shown, _: 0 if shown.script is None else len(shown.script),
    "says": says,
    "says_at": says_at,
    "results": results,
    "counts": lambda shown, claimed: {name: len(bare_ids(shown.engine, name, shown.text)) for name in claimed},
    "costs": costs,
    "others": lambda shown, claimed: [other(shown, each) for each in claimed],
    "in_vocabulary": in_vocabulary,
    "not_in_vocabulary": lambda shown, claimed: [each for each in claimed if not in_vocabulary(shown, [each])],
    "learned": learned,
    "trained": lambda shown, claimed: {text: trained_pieces(shown, text) for text in claimed},
    "merged": lambda shown, claimed: {text: merged_pieces(shown, text) for text in claimed},
    "follows": follows,
    "chances": lambda shown, claimed: {rule: chance_of(shown, rule) for rule in claimed},
    "last_id": last_id,
    "prompt": prompt_facts,
    "rows": lambda shown, _: {name: len(row) for name, row in prompt_rows(shown.engine, prompt_panel(shown)).rows},
    "served": lambda shown, claimed: {each: served(shown, *each.split()) for each in claimed},
}
"""Claim → what the engine finds, which must equal it."""


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

    >>> from explorer.learning.checks.cards import OwnEngine
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
