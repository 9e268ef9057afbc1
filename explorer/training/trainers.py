"""All trainers by algorithm and by whom they follow: their options, what they read, how the result is saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from explorer.formats.sentencepiece_model import ModelType
from explorer.training import likelihood, saving, teaching, top_down
from explorer.training.huggingface import bpe, unigram, word_level, wordpiece
from explorer.training.sentencepiece import bpe as sentencepiece_bpe
from explorer.training.sentencepiece import options as sentencepiece
from explorer.training.sentencepiece import unigram as sentencepiece_unigram
from explorer.training.training import Training
from explorer.training.words import Cutting


class Trainer(NamedTuple):
    """A trainer.

    options: the class of its options. of_words: it learns from distinct words with their counts, cut by a `Cutting`;
    else from texts, which it cuts itself. train: called with either, and options. model: the model of a tokenizer.json
    or a whole file, from what was learned, the options, and the unknown token or None. suffix: of the file.
    """

    options: type[Any]
    of_words: bool
    train: Callable[[Any, Any], Training[Any]]
    model: Callable[[Any, Any, str | None], saving.Json | bytes]
    suffix: str

    def save(self, learned: Any, options: Any, cutting: Cutting, unk: str | None) -> bytes:
        """What was learned, as a file that its original opens. cutting: how words were cut."""
        model = self.model(learned, options, unk)
        if isinstance(model, bytes):
            return model
        special = options.reserved_tokens if isinstance(options, top_down.Options) else options.special_tokens
        return saving.tokenizer_json(model, cutting, {token: learned.ids[token] for token in special}).encode()


TRAINERS: Final = {
    ("bpe", "huggingface"): Trainer(bpe.Options, True, bpe.train, saving.bpe_model, ".json"),
    ("bpe", "sentencepiece"): Trainer(
        sentencepiece.Options, False, sentencepiece_bpe.train,
        partial(saving.sentencepiece_model, kind=ModelType.BPE), ".model",
    ),
    ("bpe", "minbpe"): Trainer(teaching.Options, True, teaching.train, saving.ranks, ".tiktoken"),
    ("wordpiece", "huggingface"): Trainer(wordpiece.Options, True, wordpiece.train, saving.wordpiece_model, ".json"),
    ("wordpiece", "likelihood"): Trainer(likelihood.Options, True, likelihood.train, saving.wordpiece_model, ".json"),
    ("wordpiece", "tensorflow-text"): Trainer(top_down.Options, True, top_down.train, saving.wordpiece_model, ".json"),
    ("unigram", "huggingface"): Trainer(unigram.Options, True, unigram.train, saving.unigram_model, ".json"),
    ("unigram", "sentencepiece"): Trainer(
        sentencepiece_unigram.Options, False, sentencepiece_unigram.train,
        partial(saving.sentencepiece_model, kind=ModelType.UNIGRAM), ".model",
    ),
    ("wordlevel", "huggingface"): Trainer(
        word_level.Options, True, word_level.train, saving.word_level_model, ".json"
    ),
}  # fmt: skip
"""By algorithm and by whom it follows."""
