"""What a result's tokenizers are called on the page, and where their tokens are found."""

from __future__ import annotations

from dataclasses import replace

from explorer.corpus.result import Result
from explorer.opening.catalog import title_of
from explorer.ui.tokenizers.chooser import offers
from explorer.ui.tokenizers.upload_field import UPLOAD_LABEL


def with_titles(result: Result) -> Result:
    """The result with its tokenizers by the names people know."""
    both = zip(result.tokenizers, result.made.tokenizers, strict=True)
    named = (label.replace(made.model, title_of(made.model)) if made.model else label for label, made in both)
    return replace(result, tokenizers=tuple(named))


def name_in_urls(result: Result, index: int) -> str:
    """The name in URLs of the tokenizer at an index; "" if it isn't here.

    A visitor's own has its name also where it is missing: the page that it leads to says so.
    """
    made = result.made.tokenizers[index]
    offer = offers().get(made.model)
    if offer is None and not UPLOAD_LABEL.fullmatch(made.model):
        return ""
    runs = offer is None or made.implementation in offer.implementations
    return f"{made.model}@{made.implementation}" if runs else made.model
