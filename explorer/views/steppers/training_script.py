"""The script of a training, whatever its trainer."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from explorer.script.script import Script
from explorer.training.huggingface.word_level import TakeWordRow
from explorer.training.request import Trained
from explorer.training.sentencepiece.options import special_pieces
from explorer.training.top_down import TopDownRow
from explorer.training.training import UnigramTrainRow
from explorer.views.steppers.train_script import Special, train_script
from explorer.views.steppers.train_top_down_script import train_top_down_script
from explorer.views.steppers.train_unigram_script import train_unigram_script
from explorer.views.steppers.train_words_script import train_words_script


def training_script(trained: Trained, trainer_id: tuple[str, str]) -> Script:
    """The script, by what the events of the training are about."""
    training, words, options = trained
    if training.row is UnigramTrainRow:
        return train_unigram_script(training, words)
    if training.row is TakeWordRow:
        return train_words_script(training, list(words), options.special_tokens)
    if training.row is TopDownRow:
        return train_top_down_script(training, list(words))
    return train_script(training, trainer_id, list(words), special_of(trainer_id, options))


def special_of(trainer_id: tuple[str, str], options: Any) -> Special:
    """The special tokens of a training."""
    if trainer_id[1].startswith("sentencepiece"):
        return {id: text for id, (text, _) in special_pieces(options).items()}
    if "special_tokens" not in {each.name for each in fields(options)}:
        return ()
    special: tuple[str, ...] = options.special_tokens
    return special
