"""The first step of most tabs: the text is tokenized under one tokenizer after another, and the page reports which."""

from __future__ import annotations

from collections.abc import Collection

from explorer.answers.compare import CompareRequest, tokenize
from explorer.answers.offers import TokenizerSpec
from explorer.ui.progress import Report, reporting


def tokenize_all(request: CompareRequest, report: Report, only: Collection[TokenizerSpec] | None = None) -> None:
    """Tokenizes the text with all specs of a request, or some, so that later steps find it cached."""
    names = [name for name, spec in request.specs.items() if only is None or spec in only]
    for name in reporting(names, report, lambda name: f"tokenizing with {request.title(name)}"):
        tokenize(request.of(request.specs[name]))
