"""What the panel of a card shows at its step, and on paper; and what a lesson needs of the engine for it.

Tokenizers, traces and trainings are cached by whoever checks a lesson. Claims and exercises about a prompt ask it here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from explorer.analysis.sampling import Distribution, distribution, sample
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH, phrases
from explorer.learning.lessons.reading import (
    ComparePanel,
    ExplorePanel,
    NextPanel,
    Panel,
    PromptPanel,
    SamplePanel,
    TrainPanel,
    page_words,
)
from explorer.opening.catalog import Model, catalog, load
from explorer.prompts.model_input import TRANSFORMERS, Prompt, prompt
from explorer.script.script import Script, in_language, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.spelling import implementation_title, shown_vocabulary
from explorer.tables import Json, Record
from explorer.text.say import Say, Text, fill, plural, visible_words
from explorer.training.trainers import OFFERED, Trained, TrainRequest, trained_within_limits
from explorer.views.overview import Node, Piece, ribbon, running_text, sections
from explorer.views.prompt.tokens import BEFORE, THEN, cells
from explorer.views.steppers.draw_script import draw_script
from explorer.views.steppers.training_script import training_script


class Engine(Protocol):
    """Opens bundled tokenizers, traces and trains. An empty implementation is the default one. Raises InputError."""

    def open(self, name: str, implementation: str) -> Opened:
        """A bundled tokenizer."""

    def trace(self, panel: ExplorePanel) -> Trace:
        """The trace of a panel's text."""

    def train(self, panel: TrainPanel) -> Trained:
        """The training of a panel."""


KEPT = 4
"""Tokenizers, and trainings, that a process without caches of its own keeps."""


class OwnEngine:
    """The engine of a process without caches, such as a command."""

    def __init__(self) -> None:
        self._open = lru_cache(KEPT)(load)
        self._train = lru_cache(KEPT)(trained_within_limits)

    def open(self, name: str, implementation: str) -> Opened:
        """A bundled tokenizer."""
        return self._open(name, implementation or None)

    def trace(self, panel: ExplorePanel) -> Trace:
        """The trace of a panel's text."""
        return self.open(panel.tokenizer, panel.implementation).trace(panel.text, add_special=panel.special)

    def train(self, panel: TrainPanel) -> Trained:
        """The training of a panel."""
        return self._train(train_request(panel))


def train_request(panel: TrainPanel) -> TrainRequest:
    """A training as the Train page asks for it."""
    trainer_id = panel.algorithm, panel.trainer
    return TrainRequest(trainer_id, panel.cutting, panel.text, panel.size, OFFERED[trainer_id].options)


def model_of(name: str) -> tuple[Model, str]:
    """A bundled model and its implementation. name: NAME or NAME@IMPLEMENTATION. Raises InputError.

    >>> model_of("gpt-2")[1]
    'huggingface'
    """
    label, _, implementation = name.partition("@")
    if label not in catalog():
        raise InputError(f"no tokenizer {label!r}")
    return catalog()[label], implementation or catalog()[label].implementations[0]


def title_of(name: str) -> str:
    """What people call a tokenizer, with its implementation where there are several.

    >>> title_of("gpt-2"), title_of("llama-2")
    ('GPT-2 · Hugging Face', 'Llama 2')
    """
    model, implementation = model_of(name)
    return f"{model.title} · {implementation_title(implementation)}" if len(model.implementations) > 1 else model.title


@dataclass(frozen=True)
class Shown:
    """What a panel shows. trace: of a text under one tokenizer. step: where the stepper stands."""

    engine: Engine
    panel: Panel
    trace: Trace | None = None
    script: Script | None = None
    step: int = 0
    level: str = "story"

    @property
    def sentence(self) -> str:
        """The sentence of the step."""
        return sentence_of(self.script, self.step, self.level)

    @property
    def text(self) -> str:
        """The text of the panel; empty without one."""
        return str(getattr(self.panel, "text", ""))

    @cached_property
    def nodes(self) -> list[Node]:
        """The stages with their results."""
        return [] if self.trace is None else nodes_of(self.engine, self.panel, self.trace)

    def at(self, step: int) -> Shown:
        """The same at another step. Raises InputError if there is none."""
        last = 0 if self.script is None else len(self.script)
        if step > last:
            raise InputError(f"step: {step} is beyond the last step, {last}; choose one of 0 to {last}")
        return Shown(self.engine, self.panel, self.trace, self.script, step, self.level)


def shown_by(engine: Engine, panel: Panel) -> Shown:
    """What a panel shows. Raises InputError for a stage or step that isn't there."""
    if isinstance(panel, ExplorePanel):
        trace = engine.trace(panel)
        known = [node.key for node in nodes_of(engine, panel, trace)]
        if panel.stage not in known:
            raise InputError(
                f"stage: {panel.tokenizer} has no stage {panel.stage!r} for this text; use {', '.join(known)}"
            )
        return Shown(engine, panel, trace, script_of(engine, panel), level=panel.level or "story").at(panel.step)
    if isinstance(panel, TrainPanel | SamplePanel):
        script = played(engine, panel)
        return Shown(engine, panel, script=script, level=panel.level or "story").at(panel.step)
    if isinstance(panel, PromptPanel):
        prompt_of(engine, panel)  # a template may refuse it
    return Shown(engine, panel)


def opened(engine: Engine, panel: Panel) -> Opened:
    """The tokenizer of a panel. Raises InputError where it has none, or several."""
    if isinstance(panel, ComparePanel | TrainPanel):
        raise InputError("this panel has no single tokenizer")
    return engine.open(panel.tokenizer, panel.implementation)


def played(engine: Engine, panel: TrainPanel | SamplePanel) -> Script:
    """The script of a training or a draw. Raises InputError for a tokenizer that can't be sampled by this rule."""
    if isinstance(panel, TrainPanel):
        return training_script(engine.train(panel), (panel.algorithm, panel.trainer))
    tokenizer = opened(engine, panel)
    return draw_script(tokenizer, panel.text, panel.alpha, panel.seed, panel.rule, panel.draw)


def ways_of(shown: Shown, rule: str = "") -> Distribution:
    """The ways to cut the text of a panel with samples, by a rule. Raises InputError for another panel."""
    panel = drawing_panel(shown)
    tokenizer = opened(shown.engine, panel)
    return distribution(tokenizer, panel.text, panel.alpha, samples=0, rule=rule, add_special=False)


def drawing_panel(shown: Shown) -> SamplePanel:
    """The panel, which draws. Raises InputError for another one."""
    if not isinstance(shown.panel, SamplePanel):
        raise InputError("this panel draws nothing")
    return shown.panel


def drawn_ids(engine: Engine, panel: SamplePanel) -> list[int]:
    """The ids of a panel's draw."""
    text, alpha, seed = panel.text, panel.alpha, panel.seed
    drawn = sample(opened(engine, panel), text, alpha, seed, rule=panel.rule, draw=panel.draw, add_special=False)
    return drawn.encoding.ids


def usual_chance(drawn: Distribution) -> float | None:
    """How often in 100 draws the usual tokens come, exactly; None where that takes too long to compute."""
    chances = (way.probability for way in drawn.ways if way.ids == drawn.usual and way.probability is not None)
    return next((100 * chance for chance in chances), None)


def chance_of(shown: Shown, rule: str) -> str:
    """How often in 100 draws the usual tokens of a panel come, exactly, by a rule."""
    chance = usual_chance(ways_of(shown, rule))
    if chance is None:
        raise InputError("the exact chance takes too long to compute")
    return f"{chance:.2f}"


def script_of(engine: Engine, panel: ExplorePanel) -> Script | None:
    """The script of a panel's stage; None for a stage without a stepper."""
    tokenizer, trace = opened(engine, panel), engine.trace(panel)
    (section,) = sections(tokenizer, trace, round_trip(tokenizer, trace), window_of(trace), panel.stage, False)
    return section.script


def nodes_of(engine: Engine, panel: Panel, trace: Trace) -> list[Node]:
    """The stages of a trace with their results."""
    return ribbon(trace, round_trip(opened(engine, panel), trace).decoded)


def sentence_of(script: Script | None, step: int, level: str) -> str:
    """The sentence of a step as a level shows it, with its reason; empty without a script."""
    if script is None:
        return ""
    step = min(step, len(script))
    words = script.kind(step) if step else script.data["start"]
    args = script.args(step) if step else words["args"]
    plain = level != "implementation" and bool(words.get("story"))
    parts = ("story", "story_why") if plain else ("say", "why")
    return " ".join(fill(words[part], args, script.data["texts"]) for part in parts if words.get(part))


def spelling_of(tokenizer: Opened) -> Callable[[int], str]:
    """How the panels write an id."""
    return shown_vocabulary(tokenizer.trace(""), False).spelling


def bare_ids(engine: Engine, name: str, text: str) -> list[int]:
    """The ids of a text without the tokens that are added around it. name: NAME or NAME@IMPLEMENTATION."""
    model, implementation = model_of(name)
    return engine.open(model.name, implementation).encode(text, add_special=False).ids


# --- what follows a token, and prompts ---


class Followers(NamedTuple):
    """The tokens that follow one: id, text as the panels write it, and how often, the most frequent first."""

    after: str
    total: int
    rows: tuple[tuple[int, str, int], ...]

    def data(self, text: str, language: str) -> Record:
        """As the browser gets it. text: of the panel. language: of the words around it."""
        return {"view": "next", "text": text, **self._asdict(), "phrases": page_words(language)}


def followers(engine: Engine, panel: NextPanel) -> Followers:
    """What follows a token in a text. Raises InputError where it is no single token."""
    tok = opened(engine, panel)
    wanted = tok.encode(panel.after, add_special=False).ids
    if len(wanted) != 1:
        raise InputError(f"next, after: {panel.after!r} is {plural(len(wanted), 'token')}; give one token")
    ids = tok.encode(panel.text, add_special=False).ids
    counts = Counter(right for left, right in pairwise(ids) if left == wanted[0])
    spelling = spelling_of(tok)
    rows = tuple((id, spelling(id), count) for id, count in counts.most_common())
    return Followers(spelling(wanted[0]), counts.total(), rows)


def prompt_of(engine: Engine, panel: PromptPanel) -> Prompt:
    """What the model of a panel reads. Raises InputError where there is no such template, or it refuses."""
    return prompt(
        opened(engine, panel),
        [{"role": role, "content": text} for role, text in panel.messages],
        panel.template,
        engine=TRANSFORMERS,
        control_as_text=panel.as_text,
        add_generation_prompt=panel.asks,
    )


class PromptRows(NamedTuple):
    """A panel's prompt, drawn. rows: a label and tokens each (`views.prompt.tokens.Cell`). size: how many tokens."""

    rows: list[tuple[str, list[Record]]]
    size: int
    findings: list[Say]

    def data(self, chosen: int | None, asks: bool, language: str) -> Record:
        """As the browser gets it. chosen: as the panel has it. language: of the words around it.

        asks: beside a question, whose answer the findings may be.
        """
        to = phrases(language)
        return {
            "view": "prompt",
            "rows": self.rows,
            "count": self.size,
            "findings": [] if asks else [to.say(each).flat for each in self.findings],
            "chosen": chosen,
            "labels": {label: to.caption(label) for label, _ in self.rows},
            "phrases": page_words(language),
        }


def prompt_rows(engine: Engine, panel: PromptPanel) -> PromptRows:
    """The rows of a prompt: one for each message, and what asks for an answer. Raises InputError."""
    read = prompt_of(engine, panel)
    labels = {BEFORE: "before", THEN: "then"}
    rows: dict[int, list[Record]] = {}
    for each in cells(read):
        rows.setdefault(each["row"], []).append(each)
    named = [(labels.get(row) or panel.messages[row][0], tokens) for row, tokens in rows.items()]
    says = [finding.sentence for finding in read.findings[:2]]
    return PromptRows(named, len(read.ids), [say.shown(visible_words) for say in says])


# --- on paper ---


class Handout(NamedTuple):
    """A card's panel on paper.

    pieces: the text in its tokens. ribbon: stages with their results. sentence: of the step. rows: for each tokenizer
    of a comparison, how many tokens it needs; what follows a token, and how often; the messages of a prompt.
    """

    pieces: Sequence[Piece]
    ribbon: Sequence[tuple[str, str]]
    sentence: str
    rows: Sequence[tuple[str, str]]


def handout_of(engine: Engine, panel: Panel, language: str = ENGLISH) -> Handout:
    """What a printed card shows of its panel. Raises InputError for a stage or step that isn't there."""
    shown, pieces, rows = shown_by(engine, panel), list[Piece](), list[tuple[str, str]]()
    to = phrases(language)
    script = shown.script and in_language(shown.script, to)
    nodes = [(to.caption(node.name), to.text(node.result)) for node in shown.nodes if node.changed]
    if shown.trace is not None:
        pieces = running_text(shown.trace, opened(engine, panel).vocabulary, window_of(shown.trace), False)
    if isinstance(panel, ComparePanel):
        for name in panel.tokenizers:
            rows.append((title_of(name), to.text(plural(len(bare_ids(engine, name, panel.text)), "token"))))
    if isinstance(panel, NextPanel):
        rows = [(text, f"{count}×") for _, text, count in followers(engine, panel).rows]
    if isinstance(panel, PromptPanel):
        drawn = prompt_rows(engine, panel).rows
        rows = [(to.caption(label), " ".join(cell["t"] for cell in tokens)) for label, tokens in drawn]
    return Handout(pieces, nodes, sentence_of(script, shown.step, shown.level), rows)


def prompted(shown: Shown, as_text: bool | None = None) -> Prompt:
    """The prompt of a panel. as_text: in place of the panel's own. Raises InputError for another panel."""
    panel = shown.panel
    if not isinstance(panel, PromptPanel):
        raise InputError("this panel shows no prompt")
    return prompt_of(shown.engine, panel if as_text is None else replace(panel, as_text=as_text))


def writer(read: Prompt, number: int) -> str:
    """Who wrote a token, whose numbers count from 1."""
    authors = read.tokens[number - 1].authors
    return " and ".join("the template" if each is None else f"message {each + 1}" for each in authors)


def writer_answer(read: Prompt, number: int) -> str:
    """The same as the answer to a question."""
    authors = read.tokens[number - 1].authors
    words = ANSWERS.get(tuple(each is None for each in authors))
    return Text(words, *(each + 1 for each in authors if each is not None)) if words else writer(read, number)


ANSWERS = {
    (True,): "The template",
    (False,): "Message {0}",
    (True, False): "The template and message {0}",
    (False, True): "Message {0} and the template",
    (False, False): "Message {0} and message {1}",
}
"""By whether each author is the template."""


def trained_text(read: Prompt) -> str:
    """The text of the tokens that generation tags mark."""
    marked = (token for token, on in zip(read.tokens, read.mask(), strict=True) if on)
    return "".join(read.text[token.start : token.end] for token in marked)


def default_ids(read: Prompt) -> list[int]:
    """The ids of a prompt's text under the tokenizer's defaults."""
    return read.tokenizer.encode(read.text).ids


def second_bos(read: Prompt) -> str:
    """Who writes the second token for the beginning where a prompt's text is encoded with the tokenizer's defaults."""
    ids = default_ids(read)
    if ids[:1] != ids[1:2]:
        raise ValueError
    return "The template" if read.ids[:2] == ids[:2] else "The tokenizer"


def prompt_facts(shown: Shown, claimed: Json) -> Json:
    """What is claimed of a prompt: tokens, ids, text, writers by number, findings, defaults, trained."""
    read = prompted(shown)
    found: Record = {
        "tokens": len(read.ids),
        "ids": read.ids,
        "text": read.text,
        "writers": {number: writer(read, int(number)) for number in claimed.get("writers", {})},
        "spelled": {number: read.tokens[int(number) - 1].piece for number in claimed.get("spelled", {})},
        "id_of": {number: read.ids[int(number) - 1] for number in claimed.get("id_of", {})},
        "findings": list(dict.fromkeys(finding.kind.value for finding in read.findings)),
        "defaults": default_ids(read)[: len(claimed.get("defaults", ()))],
        "of_messages": sum(token.authors != (None,) for token in read.tokens),
        "as_text": len(prompted(shown, True).ids) if "as_text" in claimed else 0,
        "trained": trained_text(read),
        "by_author": sum(read.author_mask()),
    }
    return {key: found.get(key) for key in claimed}
