"""What the panel of a card shows at its step, and on paper; what a lesson needs of the engine for it; what a card asks.

Tokenizers, traces and trainings are cached by whoever checks a lesson. Claims and exercises about a prompt ask it here.

A card asks a question of the engine, one in the words of the lesson, or a task, a text that the reader finds.

Of an exercise the engine finds the right answer, which is written nowhere in a lesson, and refuses a wrong one that
turns out to be right. What it can ask for is a row of `MEASURES`.

A task names a check and what it needs ("one-token 10"); each check is a row of `TASKS`. It gives whether the text does
it, and a sentence with what the engine makes of it, so that a text that fails says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple, Protocol
from unicodedata import category

from msgspec.structs import replace

from explorer.analysis.sampling import Distribution, distribution, sample
from explorer.analysis.tokenizer_exports import Answered
from explorer.engine.models.merges import STALE
from explorer.engine.part import Segment, Token
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH, phrases
from explorer.learning.lessons.reading import (
    Card,
    ComparePanel,
    Exercise,
    ExplorePanel,
    NextPanel,
    Panel,
    PromptPanel,
    QuestionRef,
    SamplePanel,
    TrainPanel,
    VocabularyPanel,
    page_words,
)
from explorer.learning.questions import Quiz, ask, quiz
from explorer.opening.catalog import Model, catalog, load
from explorer.opening.formats import open_files
from explorer.prompts.messages import Call
from explorer.prompts.model_input import TRANSFORMERS, Prompt, prompt
from explorer.prompts.partings import ServerSide, server_sides
from explorer.prompts.requests import value_at
from explorer.prompts.run import as_sent
from explorer.prompts.servers import SERVERS
from explorer.script.script import Replay, Script, in_language, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.spelling import implementation_title, shown_vocabulary
from explorer.stages.stage import Choice, Question, ascending
from explorer.tables import Json, Record
from explorer.text import visible
from explorer.text.input import is_utf8
from explorer.text.say import Say, Text, fill, number, plain, plural, visible_words
from explorer.training.trainers import OFFERED, TRAINERS, Trained, TrainerId, TrainRequest, trained_within_limits
from explorer.training.words import CUTTINGS
from explorer.views.overview import Node, Piece, ribbon, running_text, sections
from explorer.views.prompt.sent import prompts_of
from explorer.views.prompt.tokens import BEFORE, THEN, cells
from explorer.views.steppers.draw_script import draw_script
from explorer.views.steppers.training_script import training_script
from explorer.vocabulary import PieceKind, spelled


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
        prompt_rows(engine, panel)  # a template may refuse it
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


def call_of(panel: PromptPanel) -> Call:
    """The call of a panel. Raises InputError for a request that is none."""
    if panel.request:
        return Call.read(panel.request, "request")
    return Call([{"role": role, "content": text} for role, text in panel.messages], add_generation_prompt=panel.asks)


def prompt_of(engine: Engine, panel: PromptPanel) -> Prompt:
    """What the model of a panel reads. Raises InputError where there is no such template, or it refuses."""
    return prompt(
        opened(engine, panel),
        call_of(panel),
        panel.template,
        engine="" if panel.server else TRANSFORMERS,
        server=panel.server,
        control_as_text=panel.as_text,
    )


def sides_of(engine: Engine, panel: PromptPanel) -> tuple[ServerSide, ...]:
    """What each server makes of a panel's request."""
    return server_sides(opened(engine, panel), call_of(panel), [*SERVERS], panel.template)


def served(shown: Shown, name: str, path: str) -> str:
    """What a server gives the template at a path of the request, such as `messages.0.content`, or why it refuses."""
    sides = {each.name: each.served for each in sides_of(shown.engine, prompt_panel(shown))}
    keys = tuple(int(key) if key.isdigit() else key for key in path.split("."))
    return sides[name].refusal or as_sent(value_at(sides[name].seen, keys))


class PromptRows(NamedTuple):
    """A panel's prompt, drawn. rows: a label and tokens each (`views.prompt.tokens.Cell`). size: how many tokens.

    request: in JSON. counts: of what size is; "prompts" where the rows are those of all servers.
    """

    rows: list[tuple[str, list[Record]]]
    size: int
    findings: list[Say]
    request: str = ""
    counts: str = "tokens"

    def data(self, chosen: int | None, asks: bool, language: str) -> Record:
        """As the browser gets it. chosen: as the panel has it. language: of the words around it.

        asks: beside a question, whose answer the findings may be.
        """
        to = phrases(language)
        return {
            "view": "prompt",
            "rows": self.rows,
            "count": self.size,
            "counts": self.counts,
            "request": self.request,
            "findings": [] if asks else [to.say(each).flat for each in self.findings],
            "chosen": chosen,
            "labels": {label: to.caption(label) for label, _ in self.rows},
            "phrases": page_words(language),
        }


def prompt_rows(engine: Engine, panel: PromptPanel) -> PromptRows:
    """The rows of a prompt: one for each message, and what asks for an answer. Raises InputError."""
    if panel.request and not panel.server:
        sides = sides_of(engine, panel)
        named = [
            (", ".join(each.served.server.title for each in group), cells(group[0].prompt))
            for group in prompts_of(sides)
            if group[0].prompt
        ]
        says = [Say("{0:t}", each.error) for each in sides if each.error and each.served.server.engine]
        return PromptRows(named, len(named), says, panel.request, "prompts")
    read = prompt_of(engine, panel)
    labels = {BEFORE: "before", THEN: "then"}
    rows: dict[int, list[Record]] = {}
    for each in cells(read):
        rows.setdefault(each["row"], []).append(each)
    named = [(labels.get(row) or read.call.messages[row]["role"], tokens) for row, tokens in rows.items()]
    says = [finding.sentence for finding in read.findings[:2]]
    return PromptRows(named, len(read.ids), [say.shown(visible_words) for say in says], panel.request)


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


def prompt_panel(shown: Shown) -> PromptPanel:
    """The panel, which shows a prompt. Raises InputError for another one."""
    if not isinstance(shown.panel, PromptPanel):
        raise InputError("this panel shows no prompt")
    return shown.panel


def prompted(shown: Shown, as_text: bool | None = None) -> Prompt:
    """The prompt of a panel. as_text: in place of the panel's own. Raises InputError for another panel."""
    panel = prompt_panel(shown)
    return prompt_of(shown.engine, panel if as_text is None else replace(panel, as_text=as_text))


def writer(read: Prompt, number: int) -> str:
    """Who wrote a token, whose numbers count from 1."""
    authors = read.tokens[number - 1].authors
    words = ANSWERS[tuple(each is None for each in authors)]
    return Text(words, *(each + 1 for each in authors if each is not None))


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


TELLING = frozenset({"utf8", "post-process"})
"""Stages whose panel tells the answer before its first step: the bytes there are, the ids there will be."""
UNTOLD = "code-points"
"""What the panel of bytes does not tell until they are read."""


class Asked(NamedTuple):
    """A question as the page draws it. step: where the stepper stands before the answer; after: where it is shown.

    pairs: it asks for a pair of the queue, which the stepper then covers. covers: what else would tell: the "tokens",
    the "queue" and they, or "all" of the panel.
    """

    prompt: Say
    choices: tuple[Choice, ...]
    right: int
    explanation: Say
    kind: str
    seed: int
    tokenizer: str
    text: str
    stage: str
    step: int
    after: int
    pairs: bool
    covers: str

    def data(self) -> dict[str, Any]:
        """As the browser gets it."""
        choices = [{"say": each.say._asdict(), "note": each.note, "why": each.why._asdict()} for each in self.choices]
        return {
            "prompt": self.prompt._asdict(), "choices": choices, "right": self.right, "kind": self.kind,
            "explanation": self.explanation._asdict(), "seed": self.seed, "stage": self.stage, "step": self.step,
            "after": self.after,
            "covers": self.covers, "id": f"{self.kind} {self.seed} {self.tokenizer} {self.text}",
        }  # fmt: skip

    def answered(self, number: int, chosen: int | None) -> Answered:
        """A row of a quiz's result. chosen: the index of a choice; None, or one that isn't there, leaves it out."""
        texts = tuple(f"{each.shown} ({each.note})" if each.note else each.shown for each in self.choices)
        answer = texts[chosen] if chosen is not None and chosen < len(texts) else None
        right = texts[self.right]
        about = number, self.kind, self.seed, self.text, plain(self.prompt)
        return Answered(*about, answer, right, answer == right, texts)


def question_of(engine: Engine, card: Card, language: str = ENGLISH, seed: int | None = None) -> Asked | None:
    """The question of a card; None for a card without one. seed: of another question of its kind.

    Raises InputError where its text allows none.
    """
    panel, question = card.panel, card.question
    if isinstance(question, Exercise):
        return exercise_of(engine, panel, question, language)
    if not isinstance(question, QuestionRef) or not isinstance(panel, ExplorePanel):
        return None
    return engine_question(engine, panel, question if seed is None else replace(question, seed=seed), language)


def engine_question(engine: Engine, panel: ExplorePanel, wanted: QuestionRef, language: str) -> Asked:
    """A question that the engine writes about a panel's text. Raises InputError where the text allows none."""
    tokenizer = opened(engine, panel)
    question = ask(tokenizer, (panel.text, *wanted.texts), wanted.kind, wanted.seed, language)
    if question is None:
        title = title_of(f"{panel.tokenizer}@{panel.implementation}")
        raise InputError(f"question: this text allows no question {wanted.kind!r} under {title}; choose another text")
    if question.brief is not None:  # the panel has the rest
        bare = tuple(choice._replace(note=choice.brief) for choice in question.choices)
        question = question._replace(prompt=question.brief, choices=bare)
    return placed(engine, question)


def placed(engine: Engine, question: Question) -> Asked:
    """A question with the steps of its events."""
    name, _, implementation = question.tokenizer.rpartition("@")
    script = script_of(engine, ExplorePanel(question.text, name, implementation, question.stage))
    last = 0 if script is None else len(script)
    step = 0 if script is None else script.step_of(question.event)
    after = last if script is None or question.answer is None else script.step_of(question.answer)
    return Asked(
        question.prompt, question.choices, question.right, question.explanation, question.kind, question.seed, name,
        question.text, question.stage, step, after, question.kind == "next-merge",
        "all" if question.stage in TELLING else "queue" if question.kind == "out-of-date" else "tokens",
    )  # fmt: skip


def quiz_of(engine: Engine, tokenizer: Opened, about: Quiz) -> tuple[Asked, ...]:
    """The questions of a quiz; fewer where the texts allow no more. Raises InputError if there are none."""
    questions = quiz([tokenizer], about.texts, about.size, about.seed, about.kinds, about.language)
    if not questions:
        raise InputError("these texts allow no such question under this tokenizer; add a text or another kind")
    return tuple(placed(engine, each) for each in questions)


# --- exercises ---


def exercise_of(engine: Engine, panel: Panel, asked: Exercise, language: str) -> Asked:
    """An exercise, its choices in an order that is the same in all languages. language: of its answers.

    Raises InputError where the panel has no such answer, or a wrong one is right.
    """
    shown = shown_by(engine, panel)
    shows = shown if asked.shows is None else shown.at(asked.shows)
    right = answer_of(shows, asked.find)
    if right in asked.wrong:
        raise InputError(f"question, wrong: {right!r} is right here; remove it")
    order = [right, *asked.wrong]
    Random(f"{asked.find} {shown.text}").shuffle(order)
    order = ascending(order, order)
    choices = tuple(
        Choice(Say("{0:t}", phrases(language).answer(each)), Say("{0:t}", asked.wrong.get(each, ""))) for each in order
    )
    stage = panel.stage if isinstance(panel, ExplorePanel) else ""
    return Asked(
        Say("{0:t}", asked.ask), choices, order.index(right), Say("{0:t}", asked.because), "exercise", 0,
        getattr(panel, "tokenizer", ""), shown.text, stage or "model", shown.step, shows.step, False,
        "all" if stage in TELLING and asked.find != UNTOLD else "tokens" if stage else "",
    )  # fmt: skip


def answer_of(shown: Shown, find: str) -> str:
    """What the engine finds on a panel. find: a name in `MEASURES`, and what it needs after it. Raises InputError."""
    name, *needs = find.split(" ")
    if name not in MEASURES:
        raise InputError(f"question, find: unknown: {name[:40]!r}; use one of {', '.join(MEASURES)}")
    try:
        return MEASURES[name](shown, *needs)
    except InputError as error:
        raise InputError(f"question, find: {error}") from None
    except (TypeError, ValueError, KeyError, IndexError):
        raise InputError(f"question, find: {find[:80]!r} finds nothing here; see docs/LESSONS.md") from None


def training_of(shown: Shown | Attempt) -> Trained:
    """The training of a panel."""
    if not isinstance(shown.panel, TrainPanel):
        raise InputError("this panel trains nothing")
    return shown.engine.train(shown.panel)


def ids_of(shown: Shown) -> list[int]:
    """The ids of a panel's text."""
    if shown.trace is None:
        raise InputError("this panel has no single tokenizer")
    return shown.trace.ids


def pieces(shown: Shown, *words: str) -> str:
    """The tokens as the panels write them. words: of another text, for a panel that has none."""
    tokenizer = opened(shown.engine, shown.panel)
    ids = tokenizer.encode(" ".join(words)).ids if words else ids_of(shown)
    return " ".join(map(spelling_of(tokenizer), ids))


def drawn(shown: Shown) -> str:
    """The tokens of a panel's draw as the panels write them."""
    panel = drawing_panel(shown)
    return " ".join(map(spelling_of(opened(shown.engine, panel)), drawn_ids(shown.engine, panel)))


def result(shown: Shown, stage: str) -> str:
    """The result of a stage, as the row of stages says it."""
    return {node.key: node.result for node in shown.nodes}[stage]


SIZE = 2
"""Where the row of a symbol has its size, after how many cells it spans and its token."""


def size(shown: Shown, index: str) -> str:
    """The size that a symbol of the queue's stage has at the step that shows the answer."""
    if shown.script is None:
        raise ValueError
    replay = Replay(shown.script)
    for _ in range(shown.step):
        replay.forward()
    return number(replay.state["cells", int(index)][SIZE])


def pair_count(shown: Shown, left: str, right: str) -> str:
    """How often two characters stand side by side in the words of a training."""
    words = training_of(shown).words
    return number(sum(count for word, count in words.items() for pair in pairwise(word) if pair == (left, right)))


def first_merge(shown: Shown) -> str:
    """The first pair that a training merges."""
    return " + ".join(map(as_text, training_of(shown).training.learned.pairs[0]))


def trained_pieces(shown: Shown, *words: str, trainer_id: TrainerId | None = None) -> str:
    """What the trained tokenizer makes of a text, as the panels write it. Raises InputError for a file to ask about.

    trainer_id: of the trainer that saves what was learned; None for the one that learned it.
    """
    trained, panel = training_of(shown), shown.panel
    assert isinstance(panel, TrainPanel)  # nothing else trains
    trainer = TRAINERS[trainer_id or (panel.algorithm, panel.trainer)]
    file = trainer.save(trained.training.learned, trained.options, CUTTINGS[panel.cutting], None)
    name = f"trained{trainer.suffix}"
    tokenizer = open_files({name: file}, None)
    return " ".join(map(spelling_of(tokenizer), tokenizer.encode(" ".join(words), add_special=False).ids))


def merged_pieces(shown: Shown, *words: str) -> str:
    """What the merges of a training make of a text, though its own tokenizer may not keep them."""
    return trained_pieces(shown, *words, trainer_id=("bpe", "huggingface"))


def valid_tokens(shown: Shown) -> str:
    """How many tokens of a vocabulary are text by themselves, without control tokens."""
    if not isinstance(shown.panel, ExplorePanel | VocabularyPanel):
        raise ValueError
    vocabulary = opened(shown.engine, shown.panel).vocabulary
    pieces = zip(vocabulary.pieces, vocabulary.kinds, strict=True)
    return number(sum(is_utf8(piece) for piece, kind in pieces if kind != PieceKind.CONTROL))


MEASURES: Mapping[str, Callable[..., str]] = {
    "tokens": lambda shown: number(len(ids_of(shown))),
    "bytes": lambda shown: plural(len(shown.text.encode()), "byte"),
    "ids": lambda shown: " ".join(map(str, ids_of(shown))),
    "pieces": pieces,
    "code-points": lambda shown: plural(len(shown.text), "code point"),
    "result": result,
    "size": size,
    "pair-count": pair_count,
    "first-merge": first_merge,
    "trained-pieces": trained_pieces,
    "valid-tokens": valid_tokens,
    "writer": lambda shown, at: writer(prompted(shown), int(at)),
    "second-bos": lambda shown: second_bos(prompted(shown)),
    "chance": chance_of,
    "drawn": drawn,
    "default-ids": lambda shown, count: " ".join(map(str, default_ids(prompted(shown))[: int(count)])),
    "trained": lambda shown: visible(trained_text(prompted(shown))),
    "trained-tokens": lambda shown: number(sum(prompted(shown).mask())),
    "served": served,
}
"""What an exercise may ask for."""


LONGEST_WORD = 20
MOST_TYPED = 200
"""Code points of a text that is judged."""


class Judged(NamedTuple):
    """Whether a text does what the task asks, and what the engine makes of it."""

    done: bool
    say: Say


def with_text(panel: Panel, text: str) -> Panel:
    """The panel with another text."""
    if isinstance(panel, ExplorePanel | ComparePanel | TrainPanel):
        return replace(panel, text=text)
    if isinstance(panel, PromptPanel):
        return replace(panel, messages=(*panel.messages[:-1], (panel.messages[-1][0], text)))
    raise InputError("task: this panel has no text; use a text, a comparison or a training")


def judged(engine: Engine, panel: Panel, check: str, text: str) -> Judged:
    """A typed text, judged. check: a name in `TASKS`, and what it needs. Raises InputError for an unknown one.

    >>> from explorer.learning.checks.cards import OwnEngine
    >>> judged(OwnEngine(), ExplorePanel("", "gpt-2", "huggingface"), "one-token 5", "hello").done
    True
    """
    name, *needs = check.split(" ")
    if name not in TASKS:
        raise InputError(f"task, check: unknown: {name[:40]!r}; use one of {', '.join(TASKS)}")
    if len(text) > MOST_TYPED:
        raise InputError(f"{len(text):,} characters; at most {MOST_TYPED} are judged")
    if not text:
        return Judged(False, Say("Nothing is typed."))
    try:
        return TASKS[name](Attempt(engine, with_text(panel, text)), text, *needs)
    except (TypeError, ValueError, KeyError, IndexError):
        raise InputError(f"task, check: {check[:80]!r} can't be judged here; see docs/LESSONS.md") from None


class Attempt(NamedTuple):
    """A panel with the typed text."""

    engine: Engine
    panel: Panel

    def trace(self, name: str = "") -> Trace:
        """The trace of the text, without tokens around it. name: of another tokenizer, NAME@IMPLEMENTATION."""
        panel = self.panel
        if isinstance(panel, ExplorePanel) and not name:
            return self.engine.trace(replace(panel, special=False))
        if not isinstance(panel, ExplorePanel | ComparePanel):
            raise TypeError
        model, implementation = model_of(name)
        return self.engine.trace(ExplorePanel(panel.text, model.name, implementation, special=False))

    @property
    def tokenizer(self) -> Opened:
        """The tokenizer."""
        return opened(self.engine, self.panel)

    @property
    def spelling(self) -> Callable[[int], str]:
        """How the panels write an id."""
        return spelling_of(self.tokenizer)

    @property
    def pairs(self) -> Sequence[tuple[bytes | str, bytes | str]]:
        """The pairs that a training merged."""
        pairs: Sequence[tuple[bytes | str, bytes | str]] = training_of(self).training.learned.pairs
        return pairs


def texts_after(trace: Trace, stage: str) -> list[str]:
    """The segments of text that a stage leaves."""
    (found,) = (each for each in trace.stages if each.name == stage)
    return [item.text for item in found.after if isinstance(item, Segment)]


def character_bytes(attempt: Attempt, text: str, size: str) -> Judged:
    """One character of so many bytes."""
    bytes_needed = len(text.encode())
    say = Say("{0:t}, {1:t}.", plural(len(text), "code point"), plural(bytes_needed, "byte"))
    return Judged(len(text) == 1 and bytes_needed == int(size), say)


def lowercase_changed(attempt: Attempt, text: str) -> Judged:
    """A text without capital letters that the normalizer changes."""
    if text != text.lower():
        return Judged(False, Say("{0:q} has a capital letter.", text))
    after = "".join(texts_after(attempt.trace(), "normalize"))
    if after == text:
        return Judged(False, Say("It stays {0:q}.", text))
    return Judged(bool(after.strip()), Say("It becomes {0:q}.", after))


def prompt_finds(attempt: Attempt, text: str, kind: str) -> Judged:
    """A text of the last message with which the prompt has a finding of this kind about it."""
    panel = attempt.panel
    if not isinstance(panel, PromptPanel):
        raise TypeError
    last = len(panel.messages) - 1
    findings = prompt_of(attempt.engine, panel).findings
    say = next((each.sentence for each in findings if each.message == last and each.kind == kind), None)
    return Judged(say is not None, say or Say("With {0:q} nothing like it is found.", text))


def token_within(attempt: Attempt, text: str, id: str) -> Judged:
    """A text with this token."""
    ids = attempt.trace().ids
    return Judged(int(id) in ids, Say("Its ids are {0:t}.", " ".join(map(str, ids)) or "none"))


def pre_tokens(attempt: Attempt, text: str, length: str, count: str) -> Judged:
    """A text without spaces, at most so long, that becomes at least so many pre-tokens."""
    parts = len(texts_after(attempt.trace(), "pre-tokenize"))
    say = Say("{0:t}, {1:t}.", plural(len(text), "character"), plural(parts, "pre-token"))
    return Judged(len(text) <= int(length) and parts >= int(count) and not any(map(str.isspace, text)), say)


def is_letters(text: str) -> bool:
    """Whether a text is made of letters alone, with the marks that many scripts write vowels with.

    >>> is_letters("naïve"), is_letters("नमस्ते"), is_letters("a b")
    (True, True, False)
    """
    return text[:1].isalpha() and all(ch.isalpha() or category(ch)[0] == "M" for ch in text)


def not_letters(text: str) -> Judged:
    return Judged(False, Say("{0:q} isn't made of letters alone.", text))


def one_token(attempt: Attempt, text: str, letters: str) -> Judged:
    """A word of at least so many letters that is one token."""
    if not is_letters(text):
        return not_letters(text)
    count = len(attempt.trace().ids)
    say = Say("{0:q} has {1:t} and is {2:t}.", text, plural(len(text), "letter"), plural(count, "token"))
    return Judged(len(text) >= int(letters) and count == 1, say)


def stale_entries(attempt: Attempt, text: str, count: str, length: str) -> Judged:
    """A text of at most so many characters in which so many entries of the queue are out of date when they come up."""
    entries = sum(event.kind in STALE for event in attempt.trace().stage("model").events)
    say = Say("{0:t}, {1:t} out of date.", plural(len(text), "character"), plural(entries, "entry", "entries"))
    return Judged(len(text) <= int(length) and entries >= int(count), say)


def unknown_word(attempt: Attempt, text: str) -> Judged:
    """A word of letters alone that becomes the unknown token."""
    if not is_letters(text):
        return not_letters(text)
    spelling = " ".join(map(attempt.spelling, attempt.trace().ids))
    return Judged(spelling == "[UNK]", Say("It becomes {0:t}.", spelling or "nothing"))


def other_ids(attempt: Attempt, text: str, *others: str) -> Judged:
    """A text for which this tokenizer and another one give other ids."""
    here, there = attempt.trace().ids, attempt.trace(others[0]).ids
    say = Say("{0:t} here, {1:t} there.", " ".join(map(str, here)) or "none", " ".join(map(str, there)) or "none")
    return Judged(here != there, say)


def fragile(attempt: Attempt, text: str, rule: str, alpha: str, most: str) -> Judged:
    """A word that is one token, and stays so in fewer than so many of 100 draws."""
    if not is_letters(text) or len(text) > LONGEST_WORD:
        return Judged(False, Say("{0:q} isn't a word of at most {1:t}.", text, plural(LONGEST_WORD, "letter")))
    ways = distribution(attempt.tokenizer, text, float(alpha), samples=0, rule=rule, add_special=False)
    if len(ways.usual) > 1:
        return Judged(False, Say("{0:q} is {1:t}.", text, plural(len(ways.usual), "token")))
    chance = usual_chance(ways)
    if chance is None:
        return Judged(False, Say("{0:q} has too many ways to compute.", text))
    return Judged(chance < float(most), Say("{0:q} stays whole in {1:t} of 100 draws.", text, f"{chance:.2f}"))


def longer_start(attempt: Attempt, text: str) -> Judged:
    """A word whose best path does not begin with the longest token that fits."""
    trace = attempt.trace()
    ids = attempt.tokenizer.vocabulary.ids
    normalized = "".join(texts_after(trace, "normalize"))
    fits = [normalized[:end] for end in range(1, len(normalized) + 1) if normalized[:end].encode() in ids]
    if not fits or not trace.ids:
        return Judged(False, Say("No token fits the beginning of {0:q}.", text))
    spelling = attempt.spelling
    first, longest = spelling(trace.ids[0]), spelling(ids[fits[-1].encode()])
    say = Say("The path begins with {0:q}; the longest token that fits is {1:q}.", first, longest)
    return Judged(len(first) < len(longest), say)


def byte_tokens(attempt: Attempt, text: str, count: str) -> Judged:
    """One character that falls back to so many bytes."""
    vocabulary = attempt.tokenizer.vocabulary
    bytes_of_it = sum(vocabulary.kind(id) == PieceKind.BYTE for id in attempt.trace().ids)
    say = Say("{0:t}, {1:t} for bytes.", plural(len(text), "code point"), plural(bytes_of_it, "token"))
    return Judged(len(text) == 1 and bytes_of_it == int(count), say)


def as_text(piece: bytes | str) -> str:
    return piece if isinstance(piece, str) else spelled(piece)


def first_pair(attempt: Attempt, text: str, left: str, right: str) -> Judged:
    """A text whose first merge is this pair."""
    pairs = attempt.pairs
    if not pairs:
        return Judged(False, Say("Nothing is merged."))
    first = list(map(as_text, pairs[0]))
    return Judged(first == [left, right], Say("The first pair is {0:q} + {1:q}.", *first))


def longest_learned(attempt: Attempt, text: str, length: str) -> Judged:
    """A text from which a token of so many characters is learned."""
    pairs = ("".join(as_text(side).removeprefix("##") for side in pair) for pair in attempt.pairs)
    longest = max((text.removeprefix("▁") for text in pairs), key=len, default="")
    if not longest:
        return Judged(False, Say("Nothing is merged."))
    say = Say("The longest is {0:q}, {1:t}.", longest, plural(len(longest), "character"))
    return Judged(len(longest) >= int(length), say)


def costly(attempt: Attempt, text: str, length: str, count: str) -> Judged:
    """A text of at most so many characters that costs at least so many tokens."""
    tokens = len(attempt.trace().ids)
    say = Say("{0:t}, {1:t}.", plural(len(text), "character"), plural(tokens, "token"))
    return Judged(len(text) <= int(length) and tokens >= int(count), say)


def cut_alike(attempt: Attempt, text: str, one: str, other: str, apart: str) -> Judged:
    """A text that two tokenizers cut at the same places, and a third one elsewhere."""
    cuts = {
        name: [item[1:] for item in attempt.trace(name).stages[-1].after if isinstance(item, Token)]
        for name in (one, other, apart)
    }
    say = Say(
        "{0:t} and {1:t} cut it {2:t}, {3:t} {4:t}.",
        *(title_of(name) for name in (one, other)), "alike" if cuts[one] == cuts[other] else "in two ways",
        title_of(apart), "too" if cuts[apart] == cuts[one] else "elsewhere",
    )  # fmt: skip
    return Judged(cuts[one] == cuts[other] != cuts[apart], say)


TASKS: Mapping[str, Callable[..., Judged]] = {
    "character-bytes": character_bytes,
    "lowercase-changed": lowercase_changed,
    "token-within": token_within,
    "prompt-finds": prompt_finds,
    "pre-tokens": pre_tokens,
    "one-token": one_token,
    "stale-entries": stale_entries,
    "unknown-word": unknown_word,
    "other-ids": other_ids,
    "longer-start": longer_start,
    "fragile": fragile,
    "byte-tokens": byte_tokens,
    "first-pair": first_pair,
    "longest-learned": longest_learned,
    "costly": costly,
    "cut-alike": cut_alike,
}
"""What a task may ask for."""
