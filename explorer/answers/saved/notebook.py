"""Comparisons and trainings as pages in notebooks."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import Any, NamedTuple

from explorer.analysis.divergence.result import Comparison
from explorer.analysis.run import Run
from explorer.answers.compare import CompareRequest
from explorer.answers.offers import Offer, Origin, TokenizerSpec, bundled
from explorer.answers.saved.comparison import PARTING, page_of
from explorer.answers.saved.training import page_of as page_of_training
from explorer.answers.train import train_view
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.formats import Choices
from explorer.saved.notebook import Shown, address
from explorer.training.request import TextTraining


class OpenedAlready(NamedTuple):
    """Gives a tokenizer that a notebook has opened, whatever is asked for."""

    tokenizer: Opened

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """The tokenizer."""
        return self.tokenizer

    def contents(self) -> bytes:
        """Its file was read long ago, and is asked for only on a page of the app."""
        raise InputError("this tokenizer was opened in a notebook")


def show_comparison(
    comparison: Comparison, *, place: int | None = None, step: int | None = None, level: str = "", **asked: Any
) -> Shown:
    """A comparison as a page. place: the one shown first, from 1; step: of its left side. Raises InputError."""
    count = len(comparison.places)
    if place is not None and not 1 <= place <= count:
        raise InputError(f"there is no place {place}; this comparison has {count}")
    sides = (comparison.left, comparison.right)
    specs = [spec_of(run, run.tokenizer.name) for run in sides]
    if specs[0].name == specs[1].name:
        specs = [spec_of(run, run.label) for run in sides]
    text, options = comparison.left.text, comparison.left.options
    page = page_of(CompareRequest({each.name: each for each in specs}, text, options, text, False, specs[0].name))
    gc.unfreeze()  # the app keeps what it has opened from the collector; in a notebook, more than that would be kept
    view = "" if place is None and step is None else PARTING
    return Shown(page, comparison._repr_html_(), address(level, view=view, place=place, step0=step), **asked)


def spec_of(run: Run, label: str) -> TokenizerSpec:
    """One side, as the questions of a page take it. label: what its name begins with."""
    tok, known = run.tokenizer, bundled().get(label)
    opener, key = OpenedAlready(tok), f"opened {id(tok)}"  # the cache keeps it as long as its key
    if known is not None and tok.implementation in known.implementations:
        return TokenizerSpec(replace(known, open=opener, key=key), tok.implementation)
    offer = Offer(label, key, Origin.SERVER, "", 0, (tok.implementation,), (), opener)
    return TokenizerSpec(offer, tok.implementation)


def show_training(training: TextTraining, *, step: int | None = None, level: str = "", **asked: Any) -> Shown:
    """A training as a page. Raises InputError."""
    page = page_of_training(training.request, train_view(training.request))
    return Shown(page, "", address(level, step=step), **asked)
