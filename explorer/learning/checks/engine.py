"""What a lesson needs of the engine: tokenizers, traces and trainings, cached by whoever checks it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Protocol

from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.learning.lessons.lesson import ExplorePanel, TrainPanel
from explorer.opening.catalog import Model, catalog, load
from explorer.stages.spelling import implementation_title
from explorer.training.request import OFFERED, Trained, TrainRequest, trained_within_limits


class Engine(Protocol):
    """Opens bundled tokenizers, traces and trains. An empty implementation is the default one. Raises InputError."""

    def open(self, name: str, implementation: str) -> Opened:
        """A bundled tokenizer."""

    def trace(self, panel: ExplorePanel) -> Trace:
        """The trace of a panel's text."""

    def train(self, panel: TrainPanel) -> Trained:
        """The training of a panel."""


KEPT: Final = 4
"""Tokenizers, and trainings, that a process without caches of its own keeps."""


class OwnEngine:
    """The engine of a process without caches, such as a command."""

    def __init__(self) -> None:
        self._open = lru_cache(KEPT)(load)
        self._train = lru_cache(KEPT)(trained_within_limits)

    def open(self, name: str, implementation: str) -> Opened:
        """A bundled tokenizer."""
        return self._open(name, implementation or None)

    def trace(self, panel: ExplorePanel) -> Trace:
        """The trace of a panel's text."""
        return self.open(panel.tokenizer, panel.implementation).trace(panel.text, add_special=panel.special)

    def train(self, panel: TrainPanel) -> Trained:
        """The training of a panel."""
        return self._train(train_request(panel))


def train_request(panel: TrainPanel) -> TrainRequest:
    """A training as the Train page asks for it."""
    trainer_id = panel.algorithm, panel.trainer
    return TrainRequest(trainer_id, panel.cutting, panel.text, panel.size, OFFERED[trainer_id].options)


def model_of(name: str) -> tuple[Model, str]:
    """A bundled model and its implementation. name: NAME or NAME@IMPLEMENTATION. Raises InputError.

    >>> model_of("gpt-2")[1]
    'huggingface'
    """
    label, _, implementation = name.partition("@")
    if label not in catalog():
        raise InputError(f"no tokenizer {label!r}")
    return catalog()[label], implementation or catalog()[label].implementations[0]


def title_of(name: str) -> str:
    """What people call a tokenizer, with its implementation where there are several.

    >>> title_of("gpt-2"), title_of("llama-2")
    ('GPT-2 · Hugging Face', 'Llama 2')
    """
    model, implementation = model_of(name)
    return f"{model.title} · {implementation_title(implementation)}" if len(model.implementations) > 1 else model.title
