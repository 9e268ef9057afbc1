"""A training on a small text, as a page, a lesson or a notebook asks for it: within limits, with every decision.

The trainers and the ways to cut words have the names here by which people know them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from explorer.engine import budget
from explorer.engine.items import AnyEvents
from explorer.errors import InputError
from explorer.hooks import show
from explorer.text.say import plural
from explorer.training.trainers import TRAINERS
from explorer.training.training import Training
from explorer.training.words import CUTTINGS, Words

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


class Offered(NamedTuple):
    """A trainer on the page. title: whom it follows. cuttings: how words may be cut, the usual way first.

    smallest: the size that the slider begins with. options: other than the trainer's own defaults.
    """

    title: str
    cuttings: tuple[str, ...]
    smallest: int = 0
    options: tuple[tuple[str, Any], ...] = ()


ALGORITHMS: Final[Mapping[str, str]] = {
    "bpe": "BPE",
    "wordpiece": "WordPiece",
    "unigram": "Unigram",
    "wordlevel": "WordLevel",
}
"""Titles by their names."""

CUTS: Final[Mapping[str, str]] = {
    "metaspace": "words with their ▁",
    "byte-level": "words as in GPT-2",
    "whitespace": "words and signs",
    "bert": "words as in BERT",
    "none": "each line is a word",
}  # fmt: skip
"""How words are cut, by the names of `training.cuts`."""

ANY: Final = ("metaspace", "byte-level", "whitespace", "bert", "none")

SOFT: Final = (("hard_vocab_limit", False),)
"""While the size is moved, fewer pieces than asked are no error."""
UNKNOWN: Final = (("special_tokens", ("[UNK]",)),)
"""A WordPiece model needs an unknown token."""

OFFERED: Final[Mapping[tuple[str, str], Offered]] = {
    ("bpe", "huggingface"): Offered("Hugging Face", ANY),
    ("bpe", "sentencepiece"): Offered("sentencepiece", (), 10, SOFT),
    ("bpe", "minbpe"): Offered("minbpe, on bytes", ("none",), 256),
    ("wordpiece", "huggingface"): Offered(
        "Hugging Face: by count", ("whitespace", "bert", "none"), options=UNKNOWN),
    ("wordpiece", "likelihood"): Offered(
        "the course: by likelihood", ("whitespace", "bert", "none"), options=UNKNOWN),
    ("wordpiece", "tensorflow-text"): Offered(
        "TensorFlow: top down", ("whitespace", "bert", "none"),
        options=(("lower_thresh", 1), ("reserved_tokens", ("[UNK]",)))),
    ("unigram", "huggingface"): Offered("Hugging Face", ANY, options=(("unk_token", "<unk>"),)),
    ("unigram", "sentencepiece"): Offered("sentencepiece", (), 10, SOFT),
    ("wordlevel", "huggingface"): Offered("Hugging Face", ("whitespace", "bert"), options=UNKNOWN),
}  # fmt: skip
"""By algorithm and whom it follows."""


def usual_request(algorithm: str, whom: str, cutting: str, size: int, text: str) -> TrainRequest:
    """What to learn with a trainer's usual options. cutting: of words, "" for the usual one. Raises InputError."""
    offered = OFFERED.get((algorithm, whom))
    if offered is None:
        known = ", ".join(name for each, name in OFFERED if each == algorithm)
        raise InputError(f"{algorithm} is not learned as {whom!r}; use one of {known or ', '.join(ALGORITHMS)}")
    usual = cutting or next(iter(offered.cuttings), "none")
    return TrainRequest((algorithm, whom), usual, text, size, offered.options)


SIZES: Final = 500
"""The slider's length."""


def query_of(request: TrainRequest) -> dict[str, str]:
    """The parameters that open a training on the page Train, but for its options: its choices by their titles."""
    algorithm, offered = request.trainer_id[0], OFFERED[request.trainer_id]
    query = {"algorithm": ALGORITHMS[algorithm], f"{algorithm}-as": offered.title, "corpus": request.text,
             f"size{offered.smallest or ''}": str(request.vocab_size)}  # fmt: skip
    return query | ({f"{algorithm}-words": CUTS[request.cutting]} if len(offered.cuttings) > 1 else {})


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
        """The decisions as a page that plays in a notebook: `explorer.saved.explore.Shown`."""
        return show("training", self, **asked)


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
    return TextTraining(usual_request(algorithm, whom, words, vocab_size, text))
