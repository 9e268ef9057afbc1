"""What one kind of stage says of itself: an object with all that a page, Why, Compare or a quiz asks of it.

A stage's folder knows what its events mean; everybody else asks these objects, found in `table.py`, and imports no
event. A new family is a folder with one of them, and a row in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from explorer.engine.items import Segment
from explorer.engine.part import Model
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.packing import Window
from explorer.script.script import Script
from explorer.stages.finders import Finder, Painted, Seam
from explorer.stages.question import Draft, Scene
from explorer.stages.results import Count, model_result, tokens
from explorer.stages.spelling import Speller
from explorer.stages.why import Family, WhyStep
from explorer.text.say import Say
from explorer.vocabulary import Vocabulary

ScriptWriter: TypeAlias = Callable[[Trace, Stage, Vocabulary, Window], Script]
Drawing: TypeAlias = dict[str, Any]
"""A small picture for lessons, as values for JSON; `kind` says how it is drawn."""
DRAWN: Final = 13
"""Characters, bytes or symbols in one of them at most."""


@dataclass(frozen=True, kw_only=True)
class StageKind:
    """How a kind of stage is shown.

    title: above it. purpose: what it is for, for any text. name: in the row of stages. script: of its stepper. count:
    what it did in two or three words. result: the same in a sentence. finder: of the event about a span. found: the
    kinds of event that report a token found in the text. seam: the events about the text on both sides of a cut.
    """

    title: str
    purpose: str
    name: str
    script: ScriptWriter
    count: Callable[[Stage], Count] = tokens
    result: Callable[[Trace, Stage, Vocabulary], Say] = model_result
    finder: Callable[[Stage], Finder] = lambda stage: Painted()
    found: Collection[int] = ()
    seam: Callable[[Seam], Iterable[WhyStep]] = lambda seam: ()


def kinds_of(stage: Stage) -> Sequence[int]:
    """The kind of every event."""
    return stage.events.data[:: stage.events.width]


@dataclass(frozen=True, kw_only=True)
class ModelKind(StageKind):
    """What a kind of model adds.

    account: how its tokens came about, and which events output them. clause: what it does, as a clause after the name
    of a tokenizer. takes_whole: whether one of these kinds of event says that a pre-token is a token as it stands.
    starts_differ: whether a piece at the start of a pre-token has another spelling than within it. sums: whether it
    takes the path with the highest sum of scores. refusal: why a text was not tried, as a clause, if events of these
    kinds say so. questions: of a quiz, by their names there. drawing: of a segment and its events.
    """

    account: type[Family[Any]]
    clause: Callable[[Model], str]
    takes_whole: Callable[[Collection[int]], bool] = lambda kinds: False
    starts_differ: bool = False
    sums: bool = False
    refusal: Callable[[Stage, Collection[int]], Say | None] = lambda stage, kinds: None
    questions: Mapping[str, Callable[[Scene], Draft | None]] = field(default_factory=dict)
    drawing: Callable[[Stage, Segment, Sequence[tuple[int, Any]], Speller], Drawing | None] | None = None


def of_stage(write: Callable[[Stage, Vocabulary, Window], Script]) -> ScriptWriter:
    """A writer that needs its stage alone, as one that is given the trace, too."""
    return lambda trace, stage, vocabulary, window: write(stage, vocabulary, window)
