"""The card of a tokenizer as plain text, as `info` prints it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from explorer.analysis.card import Card, code_lines, shown
from explorer.text import visible

LISTED: Final = 40
"""Tokens of one kind that are listed."""
LINES: Final = 200
"""Lines of a fact's code that are shown."""
LONGEST: Final = 6_000
"""Characters of one value. A pattern has up to 5,000, but a file may contain a token of a million."""
LONGEST_LINE: Final = 2 * LONGEST


def lines(card: Card) -> Iterator[str]:
    """The card as lines of bounded length; `--json` prints all of it."""
    for line in _lines(card):
        yield clipped(line, LONGEST_LINE)


def _lines(card: Card) -> Iterator[str]:
    yield f"{card.name}: {card.family}, as {card.implementation} runs it"
    for word, what in (*card.about, *card.numbers, ("stages", " → ".join(card.stages))):
        yield f"  {word:<20}{clipped(what, LONGEST, shown)}"
    for title, facts in (("warnings", card.warnings), *card.topics, ("in the file, but not used", card.unused)):
        if facts:
            yield f"{title}"
            for fact in facts:
                place = f"  [{clipped(fact.place, LONGEST, shown)}]" if fact.place else ""
                yield f"  {clipped(fact.says, LONGEST, shown)}{place}"
                code = code_lines(fact._replace(code=clipped(fact.code, LINES * LONGEST)))
                yield from (f"      {line}" for line in code[:LINES])
                if len(code) > LINES:
                    yield f"      … and {len(code) - LINES:,} more lines; --json prints all of them"
    for title, tokens in (("special tokens", card.special), ("user-defined tokens", card.user_defined)):
        if tokens:
            yield f"{title}: {len(tokens):,}"
        for token in tokens[:LISTED]:
            yield f"  {token.id:>8}  {clipped(token.piece, LONGEST, visible)}  ({token.kind})"
        if len(tokens) > LISTED:
            yield f"  … and {len(tokens) - LISTED:,} more; --json prints all of them"


def clipped(text: str, most: int, spell: Callable[[str], str] = str) -> str:
    """At most `most` characters of a text, made visible by `spell`, and how many more it has.

    >>> clipped("abcdef", 4), clipped("abcd", 4)
    ('abcd … and 2 more characters', 'abcd')
    """
    more = len(text) - most
    return f"{spell(text[:most])} … and {more:,} more characters" if more > 0 else spell(text)
