"""All trainers by algorithm and by whom they follow: their options, what they read, how the result is saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from explorer.formats.sentencepiece_model import ModelType
from explorer.training import likelihood, saving, teaching, top_down
from explorer.training.cuts import Cutting
from explorer.training.huggingface import bpe, unigram, word_level, wordpiece
from explorer.training.sentencepiece import bpe as sentencepiece_bpe
from explorer.training.sentencepiece import options as sentencepiece
from explorer.training.sentencepiece import unigram as sentencepiece_unigram
from explorer.training.sentencepiece.v0_2_1 import bpe as bpe_0_2_1
from explorer.training.training import Training

UNKNOWN: Final = "[UNK]"
"""The unknown token of models that have to have one, unless another is given."""


class Trainer(NamedTuple):
    """A trainer.

    options: the class of its options. of_words: it learns from distinct words with their counts, cut by a `Cutting`;
    else from texts, which it cuts itself. train: called with either, and options. save: the file, from the training,
    the options, how words were cut, and the unknown token or None. suffix: of the file.
    """

    about: str
    options: type[Any]
    of_words: bool
    train: Callable[[Any, Any], Training[Any]]
    save: Callable[[Any, Any, Cutting, str | None], bytes]
    suffix: str


def save_bpe(learned: Any, options: bpe.Options, cutting: Cutting, unk: str | None) -> bytes:
    """tokenizer.json of a BPE model."""
    model = saving.bpe_model(learned, options, unk)
    return saving.tokenizer_json(model, cutting, saving.special_ids(learned, options.special_tokens)).encode()


def save_wordpiece(learned: Any, options: Any, cutting: Cutting, unk: str | None) -> bytes:
    """tokenizer.json of a WordPiece model."""
    special = special_tokens(options)
    prefix = getattr(options, "continuing_subword_prefix", None) or likelihood.PREFIX
    model = saving.wordpiece_model(learned, saving.known(unk or UNKNOWN, learned) or UNKNOWN, prefix)
    return saving.tokenizer_json(model, cutting, saving.special_ids(learned, special)).encode()


def special_tokens(options: Any) -> tuple[str, ...]:
    """The special tokens of a WordPiece trainer, under its name for them."""
    given: tuple[str, ...] = (
        options.reserved_tokens if isinstance(options, top_down.Options) else options.special_tokens
    )
    return given


def save_word_level(learned: Any, options: word_level.Options, cutting: Cutting, unk: str | None) -> bytes:
    """tokenizer.json of a WordLevel model."""
    model = saving.word_level_model(learned, saving.known(unk or UNKNOWN, learned) or UNKNOWN)
    return saving.tokenizer_json(model, cutting, saving.special_ids(learned, options.special_tokens)).encode()


def save_unigram(learned: Any, options: unigram.Options, cutting: Cutting, unk: str | None) -> bytes:
    """tokenizer.json of a Unigram model."""
    model = saving.unigram_model(learned, options)
    return saving.tokenizer_json(model, cutting, saving.special_ids(learned, options.special_tokens)).encode()


def save_model(kind: ModelType, version: sentencepiece.Version) -> Callable[[Any, Any, Cutting, str | None], bytes]:
    """Saves a model of sentencepiece."""

    def save(learned: Any, options: sentencepiece.Options, cutting: Cutting, unk: str | None) -> bytes:
        return saving.sentencepiece_model(learned, options, kind, version)

    return save


def save_ranks(learned: Any, options: teaching.Options, cutting: Cutting, unk: str | None) -> bytes:
    """Ranks, as tiktoken reads them."""
    return saving.ranks(learned)


def train_old_unigram(texts: Iterable[str], options: sentencepiece_unigram.Options) -> Training[str]:
    """Unigram of sentencepiece 0.2.1."""
    return sentencepiece_unigram.train(texts, options, sentencepiece_unigram.OLD)


TRAINERS: Final = {
    ("bpe", "huggingface"): Trainer(
        "BpeTrainer of tokenizers", bpe.Options, True, bpe.train, save_bpe, ".json"
    ),
    ("bpe", "sentencepiece"): Trainer(
        "sentencepiece 0.2.3", sentencepiece.Options, False, sentencepiece_bpe.train,
        save_model(ModelType.BPE, sentencepiece.Version.NEW), ".model",
    ),
    ("bpe", "sentencepiece-0.2.1"): Trainer(
        "sentencepiece 0.2.1 and before", sentencepiece.Options, False, bpe_0_2_1.train,
        save_model(ModelType.BPE, sentencepiece.Version.OLD), ".model",
    ),
    ("bpe", "minbpe"): Trainer(
        "minbpe, and tiktoken's teaching code", teaching.Options, True, teaching.train, save_ranks, ".tiktoken"
    ),
    ("wordpiece", "huggingface"): Trainer(
        "WordPieceTrainer of tokenizers: BPE with a prefix", wordpiece.Options, True, wordpiece.train,
        save_wordpiece, ".json",
    ),
    ("wordpiece", "likelihood"): Trainer(
        "the Hugging Face course: by likelihood", likelihood.Options, True, likelihood.train, save_wordpiece,
        ".json",
    ),
    ("wordpiece", "tensorflow-text"): Trainer(
        "TensorFlow Text: from the top down", top_down.Options, True, top_down.train, save_wordpiece, ".json"
    ),
    ("unigram", "huggingface"): Trainer(
        "UnigramTrainer of tokenizers", unigram.Options, True, unigram.train, save_unigram, ".json"
    ),
    ("unigram", "sentencepiece"): Trainer(
        "sentencepiece 0.2.3", sentencepiece_unigram.Options, False, sentencepiece_unigram.train,
        save_model(ModelType.UNIGRAM, sentencepiece.Version.NEW), ".model",
    ),
    ("unigram", "sentencepiece-0.2.1"): Trainer(
        "sentencepiece 0.2.1 and before", sentencepiece_unigram.Options, False, train_old_unigram,
        save_model(ModelType.UNIGRAM, sentencepiece.Version.OLD), ".model",
    ),
    ("wordlevel", "huggingface"): Trainer(
        "WordLevelTrainer of tokenizers", word_level.Options, True, word_level.train, save_word_level, ".json"
    ),
}  # fmt: skip
"""By algorithm and by whom it follows."""

ALGORITHMS: Final = tuple(dict.fromkeys(algorithm for algorithm, _ in TRAINERS))
FOLLOWED: Final = tuple(dict.fromkeys(whom for _, whom in TRAINERS))
