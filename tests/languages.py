"""What Learn says in English, and what the tables of other languages lack of it.

``python -m tests.languages`` lists, for each language, the sentences without a translation (Learn shows them in
English, marked) and the translations whose English sentence is gone. It looks at the lessons, at every kind of step,
and at what the panels and questions of the lessons ask of a table. The sentences for cells and fields, at the level
Implementation, are not listed: they may stay English.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from random import Random
from typing import Any

from explorer import stages
from explorer.analysis.vocabulary.query import By, Query
from explorer.answers.compare import rows_view
from explorer.answers.explore import Request, sections_of
from explorer.answers.learn import ENGINE, compare_request, spec_of
from explorer.answers.vocabulary import token_view, vocabulary_view
from explorer.engine.part import Options
from explorer.learning.checks.panels import opened, shown_by
from explorer.learning.languages import ENGLISH, FOLDER, Phrases, is_worded, languages, phrases
from explorer.learning.lessons import library
from explorer.learning.lessons.lesson import ComparePanel, ExplorePanel, VocabularyPanel
from explorer.learning.lessons.translated import sentences_of
from explorer.learning.questions import KINDS
from explorer.learning.questions.kinds import scene_of
from explorer.script.script import StepKind
from explorer.stages.spelling import Form
from explorer.text.say import FIELD
from explorer.views import steppers
from explorer.views.compare.aligned import aligned_in
from explorer.views.glossary import WORDS
from explorer.views.steppers.in_language import by_name, in_language
from explorer.views.vocabulary import dossier_in
from explorer.views.why_card import card_in, cards_of
from tests import tiers
from tests.bundled import bundled
from tests.learning.test_questions import MODELS, TEXTS


class Asked(dict[str, str]):
    """A table without an entry that remembers what was looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.english: set[str] = set()

    def get(self, english: str, default: Any = None) -> Any:
        self.english.add(english)
        return default


class Captions(dict[str, str]):
    """Captions, each of which is its own translation."""

    def get(self, english: str, default: Any = None) -> Any:
        return english


def recorder() -> tuple[Phrases, Asked]:
    """Phrases of a language without any, and what is asked of them."""
    asked = Asked()
    return Phrases("none", phrases(ENGLISH).page, asked, Captions(), {}), asked


@cache
def step_kinds() -> tuple[StepKind, ...]:
    """All kinds of step of all steppers."""
    found = [each.name for room in (stages, steppers) for each in walk_packages(room.__path__, f"{room.__name__}.")]
    # without Python's own names: what a doctest shows last is a builtin
    tables = [value for each in found for name, value in vars(import_module(each)).items() if not name.startswith("__")]
    return tuple(kind for table in tables for kind in kinds_in(table))


def kinds_in(value: object) -> Iterator[StepKind]:
    """The kinds in a table of a module."""
    if isinstance(value, StepKind):
        yield value
    elif isinstance(value, Mapping | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from kinds_in(each)


@cache
def steps() -> frozenset[str]:
    """The sentences of all kinds of step, as Story and Algorithm say them."""
    said = set()
    for kind in step_kinds():
        parts = ("story", "story_why") if kind.story else ("say", "why")
        said |= {by_name(kind.sent[part], kind.fields) for part in parts if kind.sent[part]}
    return frozenset(filter(is_worded, said))


def step_sentences() -> frozenset[str]:
    """The same at every level: what a table may have."""
    parts = ("story", "story_why", "say", "why")
    return frozenset(by_name(kind.sent[part], kind.fields) for kind in step_kinds() for part in parts)


def lessons() -> dict[str, set[str]]:
    """What each English lesson says, by its key."""
    return {key: set(sentences_of(each)) for key, each in library().items() if each.language == ENGLISH}


@cache
def questions() -> frozenset[str]:
    """The templates of some questions of each kind."""
    to, asked = recorder()
    for kind, model in [*MODELS.items(), ("longest-match", "rwkv-world")]:
        if model == "xlm-r" and tiers.chosen_tier == "quick":
            continue  # takes seconds to open
        for seed, text in enumerate(TEXTS):
            tokenizer = bundled(model)
            draft = KINDS[kind].write(scene_of(tokenizer, text, Random(seed), TEXTS, to.words))
            if draft is not None:
                to.say(draft.explanation)
                for choice in draft.wrong:
                    to.say(choice.why)
    return frozenset(filter(is_sentence, asked.english))


def panels() -> frozenset[str]:
    """What the steppers of the lessons ask for: their opening sentences, and the texts put into sentences."""
    to, asked = recorder()
    for lesson in library().values():
        for card in lesson.cards:
            shown, panel = shown_by(ENGINE, card.panel), card.panel
            scripts = [shown.script] if shown.script is not None else []
            if isinstance(panel, ExplorePanel):
                spec = spec_of(panel.tokenizer, panel.implementation)
                request = Request(spec, panel.text, Options(panel.special))
                scripts += [each.script for each in sections_of(request, 0, None, False) if each.script]
            for script in scripts:
                in_language(script, to)
    return frozenset(filter(is_sentence, asked.english)) - step_sentences()


@cache
def why() -> frozenset[str]:
    """What the lessons' texts ask for when Why explains each of their tokens and cuts."""
    to, asked = recorder()
    for card in (card for lesson in library().values() for card in lesson.cards):
        if isinstance(card.panel, ExplorePanel):
            tokenizer, trace = opened(ENGINE, card.panel), ENGINE.trace(card.panel)
            ask = cards_of(tokenizer, trace, lambda key: None, "Tokenizer", Form.AS_TEXT)
            for at in range(len(trace.ids)):
                card_in(ask(False, at) or {}, to)
                card_in(ask(True, at) or {}, to)
    # a single word is a caption
    return frozenset(each for each in asked.english if " " in each and is_worded(each))


@cache
def details() -> frozenset[str]:
    """What rows of tokens and a vocabulary say of the lessons' tokens."""
    asked = Asked()
    to = Phrases("none", phrases(ENGLISH).page, asked, {}, {})
    for card in (card for lesson in library().values() for card in lesson.cards):
        if isinstance(card.panel, ComparePanel):
            aligned_in(rows_view(compare_request(card.panel), 0, False).drawn, to)
        elif isinstance(card.panel, VocabularyPanel):
            spec = spec_of(card.panel.tokenizer, card.panel.implementation)
            query = Query(card.panel.search, By(card.panel.by))
            token = card.panel.token
            for id in [row[0] for row in vocabulary_view(spec, query, False, 20).rows] if token is None else [token]:
                dossier_in(token_view(spec, id, False), to)
    counted = re.compile(r"\d|-$")  # a text before its numbers are taken out of it, or a token
    return frozenset(each for each in asked.english if is_worded(each) and not counted.search(FIELD.sub("", each)))


def is_sentence(english: str) -> bool:
    """Whether something that was looked up is a sentence, or a number with its noun; not a token."""
    plain = re.sub(r"\{[^}]*\}", "", english)
    return bool(re.fullmatch(r"\{0\}( [a-z]{2,})+|\D*[a-z]{2,} [a-z]{2,}.*\.", english)) and is_worded(plain)


def tables(language: str) -> dict[str, dict[str, str]]:
    """The tables of a language's file, but for the glossary."""
    found: dict[str, dict[str, str]] = tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))
    found.pop("glossary", None)
    return found


def unexplained(language: str) -> list[str]:
    """The terms of the glossary that a language does not explain."""
    return [each.word for each in WORDS if each.word not in phrases(language).glossary]


def missing(language: str, said: frozenset[str] | set[str]) -> list[str]:
    """What a language has no translation for."""
    return sorted(said - phrases(language).table.keys())


def missing_details(language: str) -> list[str]:
    """Which details of tokens a language has no words for, in any of its tables."""
    return sorted(details() - phrases(language).table.keys() - phrases(language).captions.keys())


def stale(language: str) -> list[str]:
    """Translations of steps and lessons whose English sentence is gone."""
    known = {"steps": step_sentences(), **{f"lesson-{key}": each for key, each in lessons().items()}}
    found = tables(language)
    return [english for name, said in known.items() for english in found.get(name, {}) if english not in said]


def report(language: str) -> Iterator[str]:
    """The lines about a language."""
    said_by = {"steps": steps(), "questions": questions(), "panels": panels(), "why": why(), **lessons()}
    for name, said in said_by.items():
        yield from (f"{language} {name} lacks: {each}" for each in missing(language, set(said)))
    yield from (f"{language} details lacks: {each}" for each in missing_details(language))
    yield from (f"{language} does not explain: {each}" for each in unexplained(language))
    yield from (f"{language} no longer used: {each}" for each in stale(language))


if __name__ == "__main__":
    for each in languages():
        if each != ENGLISH:
            print(*report(each), sep="\n")
