"""The trainers that the page offers, by the names people know, and the ways to cut words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from explorer.errors import InputError
from explorer.training.request import TrainRequest


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

GONE: Final[Mapping[str, str]] = {"sentencepiece up to 0.2.1": "sentencepiece"}
"""Titles that old links name, and the nearest trainer that is still offered."""

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


def asked_for(algorithm: str, whom: str, cutting: str, size: int, text: str) -> TrainRequest:
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
