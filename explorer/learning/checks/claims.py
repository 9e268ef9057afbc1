"""What a card claims, held against the engine. A claim that fails becomes one sentence, for tests and for teachers.

A claim is a key of `CHECKS` with a value; docs/LESSONS.md lists them. `numbers_of` collects what a panel shows or its
claims say, so that a test can find a number in a card's words that nothing supports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from explorer.engine.tokenizer import Tokenizer, Trace
from explorer.errors import InputError
from explorer.formats.model_folder import Settings
from explorer.implementations.transformers.python_classes import from_settings
from explorer.learning.checks.exercises import as_text, merged_pieces, trained_pieces, training_of
from explorer.learning.checks.panels import (
    Engine,
    Shown,
    bare_ids,
    chance_of,
    followers,
    model_of,
    nodes_of,
    opened,
    prompt_facts,
    prompt_rows,
    sentence_of,
    shown_by,
    ways_of,
)
from explorer.learning.lessons.lesson import (
    Card,
    ComparePanel,
    ExplorePanel,
    NextPanel,
    PromptPanel,
    SamplePanel,
    VocabularyPanel,
)
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
    trace = shown.engine.trace(there)
    found: dict[str, Any] = {
        "tokens": len(trace.ids),
        "ids": trace.ids,
        "pieces": trace.encoding.pieces,
        "bytes": len(text.encode()),
        "code_points": len(text),
        "hex": text.encode().hex(" ").upper(),
    }
    if "results" in claimed:
        nodes = nodes_of(shown.engine, there, trace)
        found["results"] = {each.key: each.result for each in nodes if each.key in claimed["results"]}
    return {key: found.get(key, value) for key, value in claimed.items()}


@cache
def without_vocabulary(name: str) -> Tokenizer:
    """The tokenizer of a class without a vocabulary file, such as ByT5Tokenizer. Raises InputError for another one."""
    return from_settings(5, Settings({"tokenizer_class": name}), name)


def in_vocabulary(shown: Shown, claimed: list[str]) -> list[str]:
    """Those of the claimed pieces that are tokens."""
    known = set(map(spelled, opened(shown.engine, shown.panel).vocabulary.pieces))
    return [each for each in claimed if each in known]


def not_in_vocabulary(shown: Shown, claimed: list[str]) -> list[str]:
    """Those of the claimed pieces that are no tokens."""
    known = in_vocabulary(shown, claimed)
    return [each for each in claimed if each not in known]


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


CHECKS: Final[Mapping[str, Callable[[Shown, Any], Any]]] = {
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
    "not_in_vocabulary": not_in_vocabulary,
    "learned": learned,
    "trained": lambda shown, claimed: {text: trained_pieces(shown, text) for text in claimed},
    "merged": lambda shown, claimed: {text: merged_pieces(shown, text) for text in claimed},
    "follows": follows,
    "chances": lambda shown, claimed: {rule: chance_of(shown, rule) for rule in claimed},
    "last_id": last_id,
    "prompt": prompt_facts,
}
"""Claim → what the engine finds, which must equal it."""

NUMBER: Final = re.compile(r"\d+(?:[.,\u202f]\d+)*")


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, without thousands separators.

    >>> sorted(numbers_in("−8,550 and 3/15, U+00C5"))
    ['00', '15', '3', '5', '8550']
    """
    return {re.sub("[,\u202f]", "", found) for found in NUMBER.findall(text)}


def numbers_of(engine: Engine, card: Card) -> set[str]:
    """Every number that a card's panel shows at its step, or that its claims hold."""
    panel, shown = card.panel, shown_by(engine, card.panel)
    evidence = [repr(card.claims), shown.sentence, str(shown.step), shown.text]
    if shown.trace is not None:
        evidence += [repr(shown.trace.ids), *(node.result for node in shown.nodes), str(len(shown.trace.ids))]
    if shown.script is not None:
        evidence += [str(len(shown.script)), *shown.script.data["texts"]]
    if isinstance(panel, SamplePanel):
        # the setting, what chances are of, and among how many ways
        evidence += [str(panel.alpha), "100", str(len(ways_of(shown).ways))]
    if isinstance(panel, PromptPanel):
        evidence += [str(prompt_rows(engine, panel).size), repr(panel.messages)]
    if isinstance(panel, ComparePanel):
        evidence += [str(len(bare_ids(engine, each, panel.text))) for each in panel.tokenizers]
    return set().union(*map(numbers_in, evidence))
