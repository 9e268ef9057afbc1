"""The question of a card, ready to be asked: the engine's, or one in the lesson's own words.

Of an exercise the engine finds the right answer, which is written nowhere in a lesson, and refuses a wrong one that
turns out to be right. What it can ask for is a row of `MEASURES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from explorer.analysis.sampling import sample
from explorer.errors import InputError
from explorer.languages import ENGLISH, phrases
from explorer.learning.checks.panels import (
    Engine,
    Shown,
    chance_of,
    default_ids,
    opened,
    prompted,
    script_of,
    second_bos,
    shown_by,
    title_of,
    trained_text,
    writer_answer,
)
from explorer.learning.lessons.lesson import (
    Card,
    Exercise,
    ExplorePanel,
    Panel,
    QuestionRef,
    SamplePanel,
    TrainPanel,
    VocabularyPanel,
)
from explorer.learning.questions import ask
from explorer.opening.formats import HEAD, Source, format_of, open_source
from explorer.script.script import Replay
from explorer.stages.question import Question, ascending
from explorer.stages.spelling import shown_vocabulary
from explorer.text import visible
from explorer.text.input import is_utf8
from explorer.text.say import Say, number, plural
from explorer.training.request import Trained
from explorer.training.trainers import TRAINERS
from explorer.training.words import CUTTINGS
from explorer.vocabulary import PieceKind, spelled

TELLING: Final = frozenset({"utf8", "post-process"})
"""Stages whose panel tells the answer before its first step: the bytes there are, the ids there will be."""
UNTOLD: Final = "code-points"
"""What the panel of bytes does not tell until they are read."""


class Asked(NamedTuple):
    """A question as the page draws it. step: where the stepper stands before the answer; after: where it is shown.

    pairs: it asks for a pair of the queue, which the stepper then covers. covers: what else would tell: the "tokens",
    the "queue" and they, or "all" of the panel.
    """

    prompt: Say
    choices: tuple[tuple[Say, str, Say], ...]
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
        choices = [{"say": say._asdict(), "note": note, "why": why._asdict()} for say, note, why in self.choices]
        return {
            "prompt": self.prompt._asdict(), "choices": choices, "right": self.right, "kind": self.kind,
            "explanation": self.explanation._asdict(), "seed": self.seed, "stage": self.stage, "step": self.step,
            "after": self.after,
            "covers": self.covers, "id": f"{self.kind} {self.seed} {self.tokenizer} {self.text}",
        }  # fmt: skip


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
    found = ask(tokenizer, (panel.text, *wanted.texts), wanted.kind, wanted.seed, language)
    if found is None:
        title = title_of(f"{panel.tokenizer}@{panel.implementation}")
        raise InputError(f"question: this text allows no question {wanted.kind!r} under {title}; choose another text")
    if found.brief is not None:  # the panel has the rest
        bare = tuple(choice._replace(note=choice.brief) for choice in found.choices)
        found = found._replace(prompt=found.brief, choices=bare)
    return placed(engine, found)


def placed(engine: Engine, found: Question) -> Asked:
    """A question with the steps of its events."""
    name, _, implementation = found.tokenizer.rpartition("@")
    script = script_of(engine, ExplorePanel(found.text, name, implementation, found.stage))
    last = 0 if script is None else len(script)
    step = 0 if script is None else script.step_of(found.event)
    after = last if script is None or found.answer is None else script.step_of(found.answer)
    return Asked(
        found.prompt, tuple((each.say, each.note, each.why) for each in found.choices), found.right, found.explanation,
        found.kind, found.seed, name, found.text, found.stage, step, after, found.kind == "next-merge",
        "all" if found.stage in TELLING else "queue" if found.kind == "out-of-date" else "tokens",
    )  # fmt: skip


# --- exercises ---


def exercise_of(engine: Engine, panel: Panel, asked: Exercise, language: str = ENGLISH) -> Asked:
    """An exercise, its choices in an order that is always the same. language: of its answers, which the engine words.

    Raises InputError where the panel has no such answer, or a wrong one is right.
    """
    shown = shown_by(engine, panel)
    shows = shown if asked.shows is None else shown.at(asked.shows)
    right = answer_of(shows, asked.find)
    if right in asked.wrong:
        raise InputError(f"question, wrong: {right!r} is right here; remove it")
    order = [right, *asked.wrong]
    Random(asked.ask).shuffle(order)
    order = ascending(order, order)
    says = [Say.of("{0:t}", phrases(language).answer(each)) for each in order]
    choices = tuple(
        (say, "", Say.of("{0:t}", asked.wrong.get(each, ""))) for say, each in zip(says, order, strict=True)
    )
    stage = panel.stage if isinstance(panel, ExplorePanel) else ""
    return Asked(
        Say.of("{0:t}", asked.ask), choices, order.index(right), Say.of("{0:t}", asked.because), "exercise", 0,
        getattr(panel, "tokenizer", ""), shown.text, stage or "model", shown.step, shows.step, False,
        "all" if stage in TELLING and asked.find != UNTOLD else "tokens" if stage else "",
    )  # fmt: skip


def answer_of(shown: Shown, find: str) -> str:
    """What the engine finds on a panel. find: a name in `MEASURES`, and what it needs after it. Raises InputError."""
    name, *given = find.split(" ")
    measure = MEASURES.get(name)
    if measure is None:
        raise InputError(f"question, find: unknown: {name[:40]!r}; use one of {', '.join(MEASURES)}")
    try:
        return measure(shown, *given)
    except InputError as error:
        raise InputError(f"question, find: {error}") from None
    except (TypeError, ValueError, KeyError, IndexError):
        raise InputError(f"question, find: {find[:80]!r} finds nothing here; see docs/LESSONS.md") from None


def training_of(shown: Shown) -> Trained:
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
    return " ".join(map(shown_vocabulary(tokenizer.trace(""), False).spelling, ids))


def drawn(shown: Shown) -> str:
    """The tokens of a panel's draw as the panels write them."""
    if not isinstance(shown.panel, SamplePanel):
        raise InputError("this panel draws nothing")
    panel, tokenizer = shown.panel, opened(shown.engine, shown.panel)
    sampled = sample(
        tokenizer, panel.text, panel.alpha, panel.seed, rule=panel.rule, draw=panel.draw, add_special=False
    )
    return " ".join(map(shown_vocabulary(tokenizer.trace(""), False).spelling, sampled.encoding.ids))


def result(shown: Shown, stage: str) -> str:
    """The result of a stage, as the row of stages says it."""
    return {node.key: node.result for node in shown.nodes}[stage]


SIZE: Final = 2
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
    left, right = training_of(shown).training.learned.pairs[0]
    return " + ".join(each if isinstance(each, str) else spelled(each) for each in (left, right))


def trained_pieces(shown: Shown, *words: str, trainer_id: tuple[str, str] | None = None) -> str:
    """What the trained tokenizer makes of a text, as the panels write it. Raises InputError for a file to ask about.

    trainer_id: of the trainer that saves what was learned; None for the one that learned it.
    """
    trained, panel = training_of(shown), shown.panel
    assert isinstance(panel, TrainPanel)  # nothing else trains
    trainer = TRAINERS[trainer_id or (panel.algorithm, panel.trainer)]
    file = trainer.save(trained.training.learned, trained.options, CUTTINGS[panel.cutting], None)
    name = f"trained{trainer.suffix}"
    tokenizer = open_source(Source(file, {}, name), format_of(file[:HEAD], name), name, None, {})
    spelling = shown_vocabulary(tokenizer.trace(""), False).spelling
    return " ".join(map(spelling, tokenizer.encode(" ".join(words), add_special=False).ids))


def merged_pieces(shown: Shown, *words: str) -> str:
    """What the merges of a training make of a text, though its own tokenizer may not keep them."""
    return trained_pieces(shown, *words, trainer_id=("bpe", "huggingface"))


def valid_tokens(shown: Shown) -> str:
    """How many tokens of a vocabulary are text by themselves, without control tokens."""
    if not isinstance(shown.panel, ExplorePanel | VocabularyPanel):
        raise ValueError
    vocabulary = opened(shown.engine, shown.panel).vocabulary
    pieces = (
        piece for piece, kind in zip(vocabulary.pieces, vocabulary.kinds, strict=True) if kind != PieceKind.CONTROL
    )
    return number(sum(is_utf8(piece) for piece in pieces))


MEASURES: Final[Mapping[str, Callable[..., str]]] = {
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
    "writer": lambda shown, at: writer_answer(prompted(shown)[1], int(at)),
    "second-bos": lambda shown: second_bos(prompted(shown)[1]),
    "chance": chance_of,
    "drawn": drawn,
    "default-ids": lambda shown, count: " ".join(map(str, default_ids(prompted(shown)[1])[: int(count)])),
    "trained": lambda shown: visible(trained_text(prompted(shown)[1])),
    "trained-tokens": lambda shown: number(sum(prompted(shown)[1].mask())),
}
"""What an exercise may ask for."""
