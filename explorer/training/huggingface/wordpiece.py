"""WordPiece as Hugging Face's `WordPieceTrainer` learns it: BPE with a prefix, and the merges are thrown away.

Nothing here looks at a likelihood, whatever papers say of WordPiece (`training/likelihood.py` does): the most frequent
pair is merged. The model encodes by the longest match, so a text can come out otherwise than by the merges.
Follows `models/wordpiece/trainer.rs` of tokenizers 0.23.

The original numbers characters with a prefix in random order, and that order decides ties: two runs of it seldom give
the same ids, and often not the same tokens. What comes out here is one of its results (`bpe`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.training.huggingface import bpe
from explorer.training.training import Training
from explorer.training.words import Words


@dataclass(frozen=True)
class Options(bpe.Options):
    """The options of `WordPieceTrainer`: those of `BpeTrainer` with another default. It has no `max_token_length`."""

    continuing_subword_prefix: str | None = "##"
    """Written before each symbol that does not begin a word."""


def train(words: Words, options: Options = Options(), order: Sequence[str] = ()) -> Training[str]:
    """Learns pieces from words. `Learned.merges` is what led to them; the model does not have it.

    order: as in `bpe.train`.

    >>> train({"hug": 2, "bug": 1}, Options(vocab_size=7)).learned.tokens
    ('b', 'g', 'h', 'u', '##u', '##g', '##ug')
    """
    return bpe.train(words, options, order)
