"""Tokenizers in a select box: the name people know, then the kind. Typing the short name finds them too."""

from __future__ import annotations

from explorer.answers.offers import Offer, TokenizerSpec
from explorer.opening.titles import implementation_title

FAR = "\u2003" * 40
"""Puts what follows beyond the edge of a select box."""


def offer_option(offer: Offer) -> str:
    """An offer in a list.

    >>> from explorer.answers.offers import bundled
    >>> offer_option(bundled()["gpt-2"])
    'GPT-2 · byte-level BPE'
    """
    return found_by(offer.label, with_kind(offer.title or offer.label, offer.kind), FAR)


def spec_option(spec: TokenizerSpec) -> str:
    """An offer under one implementation in a list.

    >>> from explorer.answers.offers import bundled
    >>> spec_option(TokenizerSpec(bundled()["llama-3"], "huggingface"))
    'Llama 3 · Hugging Face · byte-level BPE · llama-3@huggingface'
    """
    return found_by(spec.name, with_kind(spec.title, spec.offer.kind), " · ")


def implementation_option(implementation: str) -> str:
    """An implementation in a list.

    >>> implementation_option("huggingface")
    'Hugging Face'
    """
    return found_by(implementation, implementation_title(implementation), FAR)


def with_kind(title: str, kind: str) -> str:
    """A title, followed by the kind of tokenizer if it is known."""
    return f"{title} · {kind}" if kind else title


def found_by(name: str, option: str, gap: str) -> str:
    """An option that typing its name finds: Streamlit keeps the options that have the typed letters, in their order.

    >>> found_by("gpt-2", "GPT-2 · BPE", " "), found_by("llama-2", "Llama 2 · BPE", " ")
    ('GPT-2 · BPE', 'Llama 2 · BPE llama-2')
    """
    letters = iter(option.lower())
    return option if all(letter in letters for letter in name.lower()) else f"{option}{gap}{name}"
