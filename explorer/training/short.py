"""A training on a short text, for notebooks: what was learned, every decision, and a page that plays them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from explorer.engine.trace import AnyEvents
from explorer.hooks import show as shown
from explorer.text.quantities import plural
from explorer.training.offered import ALGORITHMS, OFFERED, asked_for
from explorer.training.request import Trained, TrainRequest, trained_within_limits


@dataclass(frozen=True, repr=False)
class TextTraining:
    """A vocabulary learned from a short text. It is learned when its result is first asked for."""

    request: TrainRequest

    def __repr__(self) -> str:
        title, count = ALGORITHMS[self.request.trainer_id[0]], plural(len(self.tokens), "token")
        return f"<{title} as {OFFERED[self.request.trainer_id].title} learns it: {count}>"

    @cached_property
    def trained(self) -> Trained:
        """The training that has run, its words and its options. Raises InputError."""
        return trained_within_limits(self.request)

    @property
    def tokens(self) -> tuple[str, ...] | tuple[bytes, ...]:
        """What was learned, by id."""
        tokens: tuple[str, ...] | tuple[bytes, ...] = self.trained.training.learned.tokens
        return tokens

    @property
    def events(self) -> AnyEvents:
        """Every decision, in order."""
        return self.trained.training.events

    def show(self, **asked: Any) -> Any:
        """The decisions as a page that plays in a notebook: `explorer.saved.notebook.Shown`."""
        return shown("training", self, **asked)


def train(
    text: str, algorithm: str = "bpe", *, whom: str = "huggingface", words: str = "", vocab_size: int = 40
) -> TextTraining:
    """A vocabulary learned from a text of up to 2,000 characters; `explorer train` learns from large ones.

    algorithm, whom: as `explorer train` names them. words: how the text is cut into words, "" for the usual way. Each
    line is a text. Raises InputError.

    >>> learned = train("low lower lowest", vocab_size=12)
    >>> learned, learned.tokens[-2:]
    (<BPE as Hugging Face learns it: 12 tokens>, ('▁low', '▁lowe'))
    """
    return TextTraining(asked_for(algorithm, whom, words, vocab_size, text))
