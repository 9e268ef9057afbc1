"""One text traced under each tokenizer: the material that all tabs of Compare share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from explorer.analysis.run import Run
from explorer.answers.cache import Store
from explorer.answers.compare.request import CompareRequest
from explorer.answers.explore import tokenizer, trace_weight
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.questions import question
from explorer.engine.results import Trace
from explorer.implementations.opened import Opened


@question(trace_weight, store=Store.MATERIAL)
def lazy_trace(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> Trace:
    """A trace whose events are computed stage by stage, when a comparison needs them."""
    return tokenizer(spec).trace_lazily(text, add_special=add_special, parse_special=parse_special)


@question()
def tokenize(request: CompareRequest, name: str) -> None:
    """Traces the text under one tokenizer, so that later questions find it cached."""
    lazy_trace(*request.of(request.specs[name]))


def run_of(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, label: str) -> Run:
    """The cached trace as one side of a comparison."""
    return Run(tokenizer(spec), text, lazy_trace(spec, text, add_special, parse_special), label)


def titles(specs: Iterable[TokenizerSpec]) -> dict[str, str]:
    """What people call tokenizers, by the tokenizers' own names."""
    return {tokenizer(spec).name: spec.offer.title for spec in specs if spec.offer.title}


@dataclass(frozen=True)
class OtherTokenizers:
    """Opens the tokenizers that an explanation may try, by NAME@IMPLEMENTATION: the spec's own file or bundled ones."""

    spec: TokenizerSpec

    def __call__(self, name: str) -> Opened:
        """The opened tokenizer."""
        own = self.spec.offer
        label, _, implementation = name.rpartition("@") if "@" in name else (name, "", "")
        offer = own if label == own.label else bundled().get(label, own)
        choices = self.spec.choices if offer == own and implementation == self.spec.implementation else ()
        return tokenizer(TokenizerSpec(offer, implementation or offer.implementations[0], choices))
