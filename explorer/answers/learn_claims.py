"""What a card shows, claims and asks, held against the engine; and what of its panel goes on paper.

A claim that fails becomes one sentence, for tests and for teachers. An exercise is a question in the lesson's own
words, with wrong answers. What it can ask for is a row of `MEASURES`; the engine finds the right answer, which is
written nowhere in a lesson, and refuses a wrong one that turns out to be right.

A claim is a key of `CHECKS` with a value; docs/LESSONS.md lists them. `numbers_of` collects what a panel shows or its
claims say, so that a test can find a number in a card's words that nothing supports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

from explorer.answers.explore import ExploreView, Request, encoding_of, explore_view, opened
from explorer.answers.learn import (
    Asked,
    followers,
    prompt_of,
    prompt_rows,
    script_of,
    sentence_of,
    spec_of,
    train_request,
)
from explorer.answers.offers import TokenizerSpec
from explorer.answers.train import Trained, drawn, trained
from explorer.engine.options import Options
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats.model_folder import Settings
from explorer.implementations.transformers.python_classes import from_settings
from explorer.learning.lessons.lesson import (
    Card,
    ComparePanel,
    Exercise,
    ExplorePanel,
    NextPanel,
    PromptPanel,
    TrainPanel,
    VocabularyPanel,
)
from explorer.opening.catalog import catalog
from explorer.prompts.prompt import Prompt
from explorer.text import visible
from explorer.text.quantities import number, plural
from explorer.text.say import Say
from explorer.text.utf8 import is_utf8
from explorer.views.ribbon import Node
from explorer.views.running_text import Piece
from explorer.views.spelled import shown_vocabulary
from explorer.views.steppers.script import Replay, Script
from explorer.vocabulary import PieceKind, spelled


class Shown(NamedTuple):
    """What a card's panel shows. view: of a text under one tokenizer. step: where its stepper stands."""

    card: Card
    view: ExploreView | None
    script: Script | None
    step: int
    level: str

    @property
    def sentence(self) -> str:
        """The sentence of the step."""
        return sentence_of(self.script, self.step, self.level)


def shown_by(card: Card) -> Shown:
    """What a card's panel shows. Raises InputError for a stage or step that isn't there."""
    panel = card.panel
    if isinstance(panel, ExplorePanel):
        spec = spec_of(panel.tokenizer, panel.implementation)
        view = explore_view(Request(spec, panel.text, Options(panel.special)), 0, panel.stage)
        if view.focus != panel.stage:
            known = ", ".join(node.key for node in view.nodes)
            raise InputError(f"stage: {panel.tokenizer} has no stage {panel.stage!r} for this text; use {known}")
        return checked(Shown(card, view, script_of(panel), panel.step, panel.level or "story"))
    if isinstance(panel, TrainPanel):
        request = train_request(panel)
        training, words, options = trained(request)
        script, _ = drawn(training, request.trainer_id, words, options)
        return checked(Shown(card, None, script, panel.step, panel.level or "story"))
    if isinstance(panel, PromptPanel):
        prompt_of(panel)  # a template may refuse it
    return Shown(card, None, None, 0, "story")


def checked(shown: Shown) -> Shown:
    """The same, if its step exists."""
    last = 0 if shown.script is None else len(shown.script)
    if shown.step > last:
        raise InputError(f"step: {shown.step} is beyond the last step, {last}; choose one of 0 to {last}")
    return shown


def failures(card: Card) -> Iterator[str]:
    """The claims of a card that don't hold, each as a sentence; also a panel that can't be shown."""
    try:
        shown = shown_by(card)
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
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            yield f"claims, {name}: can't be checked here: {error}"
            continue
        if found != claimed:
            yield f"claims, {name}: {claimed!r} is claimed, and the engine gives {found!r}"


# --- what is found, by the name of the claim -------------------------------------------------------------------------


def view_of(shown: Shown) -> ExploreView:
    """The view of a panel with a text under one tokenizer."""
    if shown.view is None:
        raise InputError("this panel has no single tokenizer; use others or counts")
    return shown.view


def text_of(shown: Shown) -> str:
    """The text of a panel."""
    return str(getattr(shown.card.panel, "text", ""))


def says(shown: Shown, claimed: str) -> str:
    """The claimed words, if they are in the sentence of the step; else that sentence."""
    return claimed if claimed in shown.sentence else shown.sentence


def says_at(shown: Shown, claimed: Mapping[str, str]) -> Mapping[str, str]:
    """The same for other steps, by their numbers."""
    sentences = {step: sentence_of(shown.script, int(step), shown.level) for step in claimed}
    return {step: words if words in sentences[step] else sentences[step] for step, words in claimed.items()}


def results(shown: Shown, claimed: Mapping[str, str]) -> Mapping[str, str]:
    """The results of the claimed stages."""
    nodes: list[Node] = view_of(shown).nodes
    return {node.key: node.result for node in nodes if node.key in claimed}


def counts(shown: Shown, claimed: Mapping[str, int]) -> Mapping[str, int]:
    """How many tokens this text is under other tokenizers, without those around it."""
    text = text_of(shown)
    return {name: len(encoding_of(bare(named(name), text)).ids) for name in claimed}


def others(shown: Shown, claimed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What other texts or other tokenizers give: each claim names a text, a tokenizer, and what comes out."""
    return [other(shown, each) for each in claimed]


def other(shown: Shown, claimed: dict[str, Any]) -> dict[str, Any]:
    """One of them. class: a class without a vocabulary file, in place of a tokenizer."""
    panel = shown.card.panel
    if "class" in claimed:
        text = claimed.get("text", text_of(shown))
        ids = without_vocabulary(claimed["class"]).encode(text, add_special=False).ids
        return {
            **claimed,
            **{key: {"ids": ids, "tokens": len(ids)}[key] for key in ("ids", "tokens") if key in claimed},
        }
    usual = f"{panel.tokenizer}@{panel.implementation}" if isinstance(panel, ExplorePanel) else ""
    spec, text = named(claimed.get("tokenizer", usual)), claimed.get("text", text_of(shown))
    view = explore_view(Request(spec, text, Options(bool(claimed.get("special", False)))), 0, "model")
    found = {"tokens": len(view.ids), "ids": view.ids, "pieces": pieces_of(view), "bytes": len(text.encode()),
             "code_points": len(text), "hex": text.encode().hex(" ").upper(),
             "results": {each.key: each.result for each in view.nodes if each.key in claimed.get("results", ())},
             }  # fmt: skip
    return {key: found.get(key, value) for key, value in claimed.items()}


@cache
def without_vocabulary(name: str) -> Tokenizer:
    """The tokenizer of a class without a vocabulary file, such as ByT5Tokenizer. Raises InputError for another one."""
    return from_settings(5, Settings({"tokenizer_class": name}), name)


def named(name: str) -> Any:
    """A bundled tokenizer, NAME or NAME@IMPLEMENTATION."""
    label, _, implementation = name.partition("@")
    if label not in catalog():
        raise InputError(f"no tokenizer {label!r}")
    return spec_of(label, implementation)


def bare(spec: TokenizerSpec, text: str) -> Request:
    """A text without the tokens that are added around it."""
    return Request(spec, text, Options(add_special=False))


def pieces_of(view: ExploreView) -> list[str]:
    """The tokens as the vocabulary spells them."""
    return encoding_of(view.request).pieces


def in_vocabulary(shown: Shown, claimed: list[str]) -> list[str]:
    """Those of the claimed pieces that are tokens."""
    known = set(map(spelled, opened(view_of(shown).spec).vocabulary.pieces))
    return [each for each in claimed if each in known]


def not_in_vocabulary(shown: Shown, claimed: list[str]) -> list[str]:
    """Those of the claimed pieces that are no tokens."""
    known = in_vocabulary(shown, claimed)
    return [each for each in claimed if each not in known]


def learned(shown: Shown, claimed: list[str]) -> list[str]:
    """The last tokens that a training has learned, as many as are claimed."""
    panel = shown.card.panel
    if not isinstance(panel, TrainPanel):
        raise InputError("this panel trains nothing")
    tokens = trained(train_request(panel)).training.learned.tokens
    return [each if isinstance(each, str) else spelled(each) for each in tokens][-len(claimed) :]


def costs(shown: Shown, claimed: Mapping[str, int]) -> Mapping[str, int]:
    """The tokens of other texts under this tokenizer, by text."""
    spec = view_of(shown).spec
    return {text: len(encoding_of(bare(spec, text)).ids) for text in claimed}


def follows(shown: Shown, claimed: Mapping[str, int]) -> Mapping[str, int]:
    """How often tokens follow the panel's token, by their texts."""
    panel = shown.card.panel
    if not isinstance(panel, NextPanel):
        raise InputError("this panel counts no next token")
    counts = {text.replace("·", " "): count for _, text, count in followers(panel).rows}
    return {text: counts.get(text, 0) for text in claimed}


def prompted(shown: Shown) -> Prompt:
    """The prompt of a panel."""
    if not isinstance(shown.card.panel, PromptPanel):
        raise InputError("this panel shows no prompt")
    return prompt_of(shown.card.panel)


def writer(made: Prompt, number: int) -> str:
    """Who wrote a token, whose numbers count from 1."""
    authors = ["the template" if each is None else f"message {each + 1}" for each in made.tokens[number - 1].authors]
    return " and ".join(authors)


def prompt_facts(shown: Shown, claimed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is claimed of a prompt: tokens, ids, text, writers by number, findings, defaults, trained."""
    made = prompted(shown)
    panel = shown.card.panel
    assert isinstance(panel, PromptPanel)
    wanted = claimed.get("writers", {})
    found: dict[str, Any] = {
        "tokens": len(made.ids),
        "ids": made.ids,
        "text": made.text,
        "writers": {number: writer(made, int(number)) for number in wanted},
        "spelled": {number: made.tokens[int(number) - 1].piece for number in claimed.get("spelled", {})},
        "id_of": {number: made.ids[int(number) - 1] for number in claimed.get("id_of", {})},
        "findings": list(dict.fromkeys(finding.kind.value for finding in made.findings)),
        "defaults": made.tokenizer.encode(made.text).ids[: len(claimed.get("defaults", ()))],
        "of_messages": sum(token.authors != (None,) for token in made.tokens),
        "as_text": len(prompt_of(panel._replace(as_text=True)).ids) if "as_text" in claimed else 0,
        "trained": trained_text(made),
        "by_author": sum(made.author_mask()),
    }
    return {key: found.get(key) for key in claimed}


def trained_text(made: Prompt) -> str:
    """The text of the tokens that generation tags mark."""
    marked = (token for token, on in zip(made.tokens, made.mask(), strict=True) if on)
    return "".join(made.text[token.start : token.end] for token in marked)


def second_bos(shown: Shown) -> str:
    """Who writes the second token for the beginning where a prompt's text is encoded with the tokenizer's defaults."""
    made = prompted(shown)
    ids = made.tokenizer.encode(made.text).ids
    if ids[:1] != ids[1:2]:
        raise ValueError
    return "The template" if made.ids[:2] == ids[:2] else "The tokenizer"


def last_id(shown: Shown, claimed: int) -> int:
    """The highest id of the panel's tokenizer."""
    panel = shown.card.panel
    if not isinstance(panel, ExplorePanel | VocabularyPanel):
        raise InputError("this panel has no single tokenizer")
    return len(opened(spec_of(panel.tokenizer, panel.implementation)).vocabulary.pieces) - 1


CHECKS: Final[Mapping[str, Callable[[Shown, Any], Any]]] = {
    "tokens": lambda shown, _: len(view_of(shown).ids),
    "ids": lambda shown, _: view_of(shown).ids,
    "pieces": lambda shown, _: pieces_of(view_of(shown)),
    "code_points": lambda shown, _: len(text_of(shown)),
    "bytes": lambda shown, _: len(text_of(shown).encode()),
    "hex": lambda shown, _: text_of(shown).encode().hex(" ").upper(),
    "steps": lambda shown, _: 0 if shown.script is None else len(shown.script),
    "says": says,
    "says_at": says_at,
    "results": results,
    "counts": counts,
    "costs": costs,
    "others": others,
    "in_vocabulary": in_vocabulary,
    "not_in_vocabulary": not_in_vocabulary,
    "learned": learned,
    "follows": follows,
    "last_id": last_id,
    "prompt": prompt_facts,
}
"""Claim → what the engine finds, which must equal it."""

NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, without thousands separators.

    >>> sorted(numbers_in("−8,550 and 3/15, U+00C5"))
    ['00', '15', '3', '5', '8550']
    """
    return {found.replace(",", "") for found in NUMBER.findall(text)}


def numbers_of(card: Card) -> set[str]:
    """Every number that a card's panel shows at its step, or that its claims hold."""
    shown = shown_by(card)
    evidence = [repr(card.claims), shown.sentence, str(shown.step), text_of(shown)]
    if shown.view is not None:
        evidence += [repr(shown.view.ids), *(node.result for node in shown.view.nodes), str(len(shown.view.ids))]
    if shown.script is not None:
        evidence += [str(len(shown.script)), *shown.script.data["texts"]]
    if isinstance(card.panel, PromptPanel):
        evidence += [str(prompt_rows(card.panel).size), repr(card.panel.messages)]
    if isinstance(card.panel, ComparePanel):
        evidence += [str(len(encoding_of(bare(spec_of(each), card.panel.text)).ids)) for each in card.panel.tokenizers]
    return set().union(*map(numbers_in, evidence))


SIZE = 2
"""Where the row of a symbol has its size, after how many cells it spans and its token."""


def exercise_of(card: Card) -> Asked | None:
    """The exercise of a card, its choices in an order that is always the same; None for a card without one.

    Raises InputError where the panel has no such answer, or a wrong one is right.
    """
    asked = card.question
    if not isinstance(asked, Exercise):
        return None
    shown = shown_by(card)
    right = answer_of(shown, asked.find)
    if right in asked.wrong:
        raise InputError(f"question, wrong: {right!r} is right here; remove it")
    order = [right, *asked.wrong]
    Random(asked.ask).shuffle(order)
    choices = tuple((Say.of("{0:t}", each), "", Say.of("{0:t}", asked.wrong.get(each, ""))) for each in order)
    panel = card.panel
    stage = panel.stage if isinstance(panel, ExplorePanel) else ""
    return Asked(
        Say.of("{0:t}", asked.ask), choices, order.index(right), Say.of("{0:t}", asked.because), "exercise", 0,
        getattr(panel, "tokenizer", ""), getattr(panel, "text", ""), stage or "model", shown.step,
        shown.step if asked.shows is None else asked.shows, False, "tokens" if stage else "",
    )  # fmt: skip


def answer_of(shown: Shown, find: str) -> str:
    """What the engine finds on a panel. find: a name in `MEASURES`, and what it needs after it. Raises InputError."""
    name, *given = find.split(" ")
    measure = MEASURES.get(name)
    if measure is None:
        raise InputError(f"question, find: unknown: {name[:40]!r}; use one of {', '.join(MEASURES)}")
    try:
        return measure(shown, *given)
    except InputError:
        raise
    except (TypeError, ValueError, KeyError, IndexError):
        raise InputError(f"question, find: {find[:80]!r} finds nothing here; see docs/LESSONS.md") from None


def training_of(shown: Shown) -> Trained:
    """The training of a panel."""
    if not isinstance(shown.card.panel, TrainPanel):
        raise InputError("question, find: this panel trains nothing")
    return trained(train_request(shown.card.panel))


def pieces(shown: Shown) -> str:
    """The tokens as the panels write them."""
    view = view_of(shown)
    vocabulary = shown_vocabulary(opened(view.spec).trace(""), False)
    return " ".join(map(vocabulary.spelling, view.ids))


def result(shown: Shown, stage: str) -> str:
    """The result of a stage, as the row of stages says it."""
    return {node.key: node.result for node in view_of(shown).nodes}[stage]


def size(shown: Shown, index: str) -> str:
    """The size that a symbol of the queue's stage has at the step that shows the answer."""
    asked, script = shown.card.question, shown.script
    assert isinstance(asked, Exercise)
    if script is None:
        raise ValueError
    replay = Replay(script)
    for _ in range(shown.step if asked.shows is None else asked.shows):
        replay.forward()
    return number(replay.state["cells", int(index)][SIZE])


def pair_count(shown: Shown, left: str, right: str) -> str:
    """How often two characters stand side by side in the words of a training."""
    words = training_of(shown).words
    return number(sum(count for word, count in words.items() for pair in pairwise(word) if pair == (left, right)))


def first_merge(shown: Shown) -> str:
    """The first pair that a training merges."""
    left, right = training_of(shown).training.learned.pairs[0]
    return " + ".join(each if isinstance(each, str) else spelled(each) for each in (left, right))


def valid_tokens(shown: Shown) -> str:
    """How many tokens of a vocabulary are text by themselves, without control tokens."""
    panel = shown.card.panel
    if not isinstance(panel, ExplorePanel | VocabularyPanel):
        raise ValueError
    vocabulary = opened(spec_of(panel.tokenizer, panel.implementation)).vocabulary
    pieces = (
        piece for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True) if kind != PieceKind.CONTROL
    )
    return number(sum(is_utf8(piece) for piece in pieces))


MEASURES: Final[Mapping[str, Callable[..., str]]] = {
    "tokens": lambda shown: number(len(view_of(shown).ids)),
    "bytes": lambda shown: plural(len(text_of(shown).encode()), "byte"),
    "ids": lambda shown: " ".join(map(str, view_of(shown).ids)),
    "pieces": pieces,
    "result": result,
    "size": size,
    "pair-count": pair_count,
    "first-merge": first_merge,
    "valid-tokens": valid_tokens,
    "writer": lambda shown, at: writer(prompted(shown), int(at)).capitalize(),
    "second-bos": second_bos,
    "trained": lambda shown: visible(trained_text(prompted(shown))),
}
"""What an exercise may ask for."""


class Handout(NamedTuple):
    """A card's panel on paper.

    pieces: the text in its tokens. ribbon: stages with their results. sentence: of the step. rows: for each tokenizer
    of a comparison, how many tokens it needs.
    """

    pieces: Sequence[Piece]
    ribbon: Sequence[tuple[str, str]]
    sentence: str
    rows: Sequence[tuple[str, str]]


def handout_of(card: Card) -> Handout:
    """What a printed card shows of its panel. Raises InputError for a stage or step that isn't there."""
    shown, panel = shown_by(card), card.panel
    nodes = [] if shown.view is None else [(node.name, node.result) for node in shown.view.nodes if node.changed]
    pieces = [] if shown.view is None else shown.view.pieces
    rows = []
    if isinstance(panel, ComparePanel):
        for label in panel.tokenizers:
            spec = spec_of(label)
            rows.append((spec.title, plural(len(encoding_of(bare(spec, panel.text)).ids), "token")))
    if isinstance(panel, PromptPanel):
        rows = [(label, " ".join(cell["t"] for cell in tokens)) for label, tokens in prompt_rows(panel).rows]
    return Handout(pieces, nodes, shown.sentence, rows)
