"""A run's text after each stage, in plain characters (`plain.py`), without the characters of special tokens.

The stages are those of the pipeline: partition, normalize, pre-tokenize. A tokenizer may lack one (its state is that
of the stage before) or have one twice (Hugging Face looks for some added tokens after normalization).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from explorer.analysis.plain import Plain, plain
from explorer.analysis.run import Run
from explorer.analysis.spelling import Spelling, spelling_of
from explorer.engine.items import Token

PARTITION: Final = "partition"
NORMALIZE: Final = "normalize"
PRE_TOKENIZE: Final = "pre-tokenize"
MODEL: Final = "model"
POST_PROCESS: Final = "post-process"
TEXT: Final = "text"
"""No stage: what is done to a text before a tokenizer sees it (escapes)."""

TEXT_STAGES: Final = (PARTITION, NORMALIZE, PRE_TOKENIZE)
"""The stages whose output is text, in their order."""

ORDER: Final = (TEXT, *TEXT_STAGES, MODEL, POST_PROCESS)


@dataclass(frozen=True, slots=True)
class States:
    """What a run's text is after each stage.

    model: the index of the model's stage. specials: the tokens that stand before it runs; tokens: all that stand
    behind it. last: per stage of TEXT_STAGES the index of its last stage in the trace, None where it has none.
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
        """What the model sees."""
        return self.plain[PRE_TOKENIZE]


def states(run: Run) -> States:
    """The states of a run.

    >>> import explorer
    >>> from explorer.analysis.run import run
    >>> [states(run(explorer.load(name), "A é")).before_model.text for name in ("llama-2", "gpt-2", "bert-uncased")]
    [' A é', 'A é', 'ae']
    """
    stages = run.trace.stages
    model = next(place for place, stage in enumerate(stages) if stage.name == MODEL)
    spelling = spelling_of(run.tokenizer)
    specials = tuple(item for item in stages[model].before if isinstance(item, Token))
    hidden = bytearray(len(run.text))
    for token in specials:
        hidden[token.start : token.end] = b"\1" * (token.end - token.start)
    last: dict[str, int | None] = {}
    made: dict[str, Plain] = {}
    upto = -1
    for number, name in enumerate(TEXT_STAGES):
        later = TEXT_STAGES[number + 1 :]
        while upto + 1 < model and stages[upto + 1].name not in later:
            upto += 1
        last[name] = max((place for place in range(upto + 1) if stages[place].name == name), default=None)
        items = stages[upto].after if upto >= 0 else stages[0].before
        made[name] = plain(items, run.text, upto >= 0 and spelling.printable[upto], hidden)
    tokens = tuple(item for item in stages[model].after if isinstance(item, Token))
    return States(run, spelling, model, specials, tokens, last, made)
