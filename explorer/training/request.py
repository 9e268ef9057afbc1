"""A training on a small text, as a page or a lesson asks for it: within limits, with the events of every decision."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from explorer.engine.limits import budget
from explorer.errors import InputError
from explorer.training.cuts import CUTTINGS
from explorer.training.trainers import TRAINERS
from explorer.training.training import Training
from explorer.training.words import Words

SECONDS: Final = 10.0
"""Processor time of a training on the page."""
LONGEST: Final = 2_000
"""Characters of a corpus on the page."""
LONGEST_OPTION: Final = 500
"""Characters of an option, of a list all together: a prefix is written before thousands of symbols."""
LARGEST: Final = 1_000_000_000
"""The largest number that an option may be."""
LONGEST_PIECE: Final = 100
"""The same for the length of a Unigram model's pieces: the lattice of a text has so many nodes for each character."""
DECISIONS: Final = 3_000_000
"""Decisions of a training on the page, each 32 bytes."""


class TrainRequest(NamedTuple):
    """What to learn, and from what. trainer_id: the algorithm and whom it follows. cutting: a name in `CUTTINGS`.

    options: of the trainer, by name, those that differ from its defaults. Each line of the text is a text.
    """

    trainer_id: tuple[str, str]
    cutting: str
    text: str
    vocab_size: int
    options: tuple[tuple[str, Any], ...] = ()


class Trained(NamedTuple):
    """A training that has run, with the trainer's options. words: with their counts; empty if it cuts texts itself."""

    training: Training[Any]
    words: Words
    options: Any


def trained_within_limits(request: TrainRequest) -> Trained:
    """Trains within the limits of time and decisions. Raises InputError."""
    with budget.within("this training", SECONDS), budget.run(budget.Budget("this training", SECONDS, DECISIONS)):
        return learned_from(request)


def learned_from(request: TrainRequest) -> Trained:
    """A training with its events. Raises InputError."""
    if not request.text.strip():
        raise InputError("There is no text to learn from. Type a line, or choose an example.")
    check_limits(request)
    trainer, cutting = TRAINERS[request.trainer_id], CUTTINGS[request.cutting]
    options = trainer.options(vocab_size=request.vocab_size, **dict(request.options))
    texts = request.text.split("\n")
    words = cutting.words(texts) if trainer.of_words else {}
    training = trainer.train(words if trainer.of_words else texts, options)
    _ = training.events  # within the budget, and what was learned comes with them
    return Trained(training, words, options)


def check_limits(request: TrainRequest) -> None:
    """Raises InputError for a text or an option beyond the limits of the page, whatever its fields let through."""
    if len(request.text) > 2 * LONGEST:  # and a line more, in a question
        raise InputError(f"The text has {len(request.text):,} characters; at most {LONGEST:,} are learned from here.")
    for name, value in request.options:
        size = sum(map(len, value if isinstance(value, tuple) else (value,))) if isinstance(value, str | tuple) else 0
        if size > LONGEST_OPTION:
            raise InputError(f"{name} has {size:,} characters; give at most {LONGEST_OPTION}.")
        if isinstance(value, int | float) and not -LARGEST <= value <= largest(name):
            raise InputError(f"{name} is too large; give a number up to {largest(name):,}.")


def largest(name: str) -> int:
    """The largest number that an option may be."""
    return LONGEST_PIECE if name in ("max_piece_length", "max_sentencepiece_length") else LARGEST
