"""A run's text after each stage, in plain characters (`plain.py`), without the characters of special tokens.

The stages are partition, normalize and pre-tokenize. A tokenizer may lack one (its state is then that of the stage
before) or have one twice (Hugging Face searches for some added tokens after normalization).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from explorer.analysis.divergence.plain import Plain, plain
from explorer.analysis.divergence.spelling import How, Spelling, spelling_of
from explorer.analysis.run import Run
from explorer.engine.items import Item, Items, Segment, Token, initial_items
from explorer.engine.options import Options
from explorer.engine.trace import silent
from explorer.vocabulary import SPACE_MARK

PARTITION: Final = "partition"
NORMALIZE: Final = "normalize"
PRE_TOKENIZE: Final = "pre-tokenize"
MODEL: Final = "model"
POST_PROCESS: Final = "post-process"
TEXT: Final = "text"
"""Not a stage: what happens to a text before a tokenizer sees it (escapes)."""

TEXT_STAGES: Final = (PARTITION, NORMALIZE, PRE_TOKENIZE)
"""The stages whose output is text, in order."""

TRUNCATE: Final = "truncate"
PAD: Final = "pad"

ORDER: Final = (TEXT, *TEXT_STAGES, MODEL, TRUNCATE, POST_PROCESS, PAD)
"""All stages in pipeline order."""


@dataclass(frozen=True, slots=True)
class States:
    """A run's text after each stage.

    model: the index of the model's stage. specials: the tokens found before it runs. tokens: all tokens after it. last:
    per stage of TEXT_STAGES the index of its last occurrence in the trace, None if the tokenizer lacks it.
    """

    run: Run
    spelling: Spelling
    model: int
    specials: tuple[Token, ...]
    tokens: tuple[Token, ...]
    last: dict[str, int | None]
    plain: dict[str, Plain]

    @property
    def before_model(self) -> Plain:
        """The model's input."""
        return self.plain[PRE_TOKENIZE]


def states(run: Run) -> States:
    """The states of a run.

    >>> import explorer
    >>> from explorer.analysis.run import run
    >>> [states(run(explorer.load(name), "A é")).before_model.text for name in ("llama-2", "gpt-2", "bert-uncased")]
    [' A é', 'A é', 'ae']
    """
    stages = run.trace.stages
    model = next(index for index, stage in enumerate(stages) if stage.name == MODEL)
    spelling = spelling_of(run.tokenizer)
    specials = tuple(item for item in stages[model].before if isinstance(item, Token))
    names, outputs = [stage.name for stage in stages[:model]], [stage.after for stage in stages[:model]]
    tokens = tuple(item for item in stages[model].after if isinstance(item, Token))
    ends = ends_of(names)
    last = {
        name: max((index for index in range(end) if names[index] == name), default=None) for name, end in ends.items()
    }
    made = plain_texts(ends, [stages[0].before, *outputs], run.text, spelling)
    return States(run, spelling, model, specials, tokens, last, made)


def ends_of(names: Sequence[str]) -> dict[str, int]:
    """How many of the parts before the model belong to each stage of TEXT_STAGES or an earlier one.

    >>> ends_of(["partition", "normalize", "partition"])
    {'partition': 1, 'normalize': 3, 'pre-tokenize': 3}
    """
    ends, at = {}, 0
    for number, name in enumerate(TEXT_STAGES):
        later = TEXT_STAGES[number + 1 :]
        while at < len(names) and names[at] not in later:
            at += 1
        ends[name] = at
    return ends


def plain_texts(
    ends: Mapping[str, int], items: Sequence[Items], text: str, spelling: Spelling
) -> dict[str, Plain]:  # fmt: skip
    """The plain text after each of TEXT_STAGES. items: the input of the first part, and each part's output."""
    hidden = bytearray(len(text))
    for item in items[-1]:
        if isinstance(item, Token):
            hidden[item.start : item.end] = b"\1" * (item.end - item.start)
    escaped = spelling.how == How.ESCAPED
    return {
        name: plain(items[end], text, end > 0 and spelling.printable[end - 1], escaped, hidden)
        for name, end in ends.items()
    }


def continued(side: States, other: States, name: str) -> dict[str, Plain]:
    """The texts of a side if it continued with the other side's output of the stage `name`.

    The plain texts of the stages up to `name` are the other side's. Special tokens are kept as they are.

    >>> import explorer
    >>> from explorer.analysis.run import run
    >>> bert, gpt2 = (states(run(explorer.load(name), "É a")) for name in ("bert-uncased", "gpt-2"))
    >>> continued(gpt2, bert, "normalize")["pre-tokenize"].text
    'e a'
    """
    stages = side.run.trace.stages[: side.model]
    ends = ends_of([stage.name for stage in stages])
    theirs = other.run.trace.stages[: other.model]
    end = ends_of([stage.name for stage in theirs])[name]
    exchanged: Items = theirs[end - 1].after if end else other.run.trace.stages[0].before
    upto = ends[name]
    if end:
        printable, escapes = other.spelling.printable[end - 1], other.spelling.how == How.ESCAPED
        escaped = upto > 0 and side.spelling.escaped[upto - 1]
        exchanged = [respelled(item, side.run.text, printable, escapes, escaped) for item in exchanged]
    items = [exchanged] * (upto + 1)
    for stage in stages[upto:]:
        items.append(stage.part.run(items[-1], side.run.options, silent))
    made = plain_texts(ends, items, side.run.text, side.spelling)
    return other.plain | {later: made[later] for later in TEXT_STAGES[TEXT_STAGES.index(name) + 1 :]}


def text_after(side: States, name: str, text: str) -> str:
    """What a side's stages up to `name` make of another text, in plain characters. Raises InputError as they do.

    >>> import explorer
    >>> from explorer.analysis.run import run
    >>> text_after(states(run(explorer.load("bert-uncased"), "")), "normalize", "É")
    'e'
    """
    stages = side.run.trace.stages[: side.model]
    end = ends_of([stage.name for stage in stages])[name]
    items = initial_items(text)
    for stage in stages[:end]:
        items = stage.part.run(items, Options(add_special=False, parse_special=False), silent)
    printable = end > 0 and side.spelling.printable[end - 1]
    return plain(items, text, printable, side.spelling.how == How.ESCAPED, bytearray(len(text))).text


def respelled(item: Item, text: str, printable: bool, escapes: bool, into_escaped: bool) -> Item:
    """A segment in plain characters, or with ▁ for spaces; a token unchanged."""
    if isinstance(item, Token):
        return item
    made = plain([item], text, printable, escapes, bytearray(len(text)))
    return Segment(made.text.replace(" ", SPACE_MARK) if into_escaped else made.text, made.starts, made.ends)
