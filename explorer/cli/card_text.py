"""The card of a tokenizer as plain text, as `info` prints it."""

from __future__ import annotations

from collections.abc import Iterator

from explorer.card import Card, code_lines, shown
from explorer.text import visible

LISTED = 40
"""Tokens of a sort that the card as text lists."""


def lines(card: Card) -> Iterator[str]:
    """The card as plain text."""
    yield f"{card.name}: {card.family}, as {card.implementation} runs it"
    for word, what in (*card.about, *card.numbers, ("stages", " → ".join(card.stages))):
        yield f"  {word:<20}{shown(what)}"
    for title, facts in (("warnings", card.warnings), *card.topics, ("in the file, but not used", card.unused)):
        if facts:
            yield f"{title}"
            for fact in facts:
                yield f"  {shown(fact.says)}{f'  [{shown(fact.place)}]' if fact.place else ''}"
                yield from (f"      {line}" for line in code_lines(fact))
    for title, tokens in (("special tokens", card.special), ("user-defined tokens", card.user_defined)):
        if tokens:
            yield f"{title}: {len(tokens):,}"
        for token in tokens[:LISTED]:
            yield f"  {token.id:>8}  {visible(token.piece)}  ({token.kind})"
        if len(tokens) > LISTED:
            yield f"  … and {len(tokens) - LISTED:,} more; --json has all of them"
