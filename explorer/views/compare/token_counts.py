"""Token counts of several tokenizers for one text: a sentence, and where they part most."""

from __future__ import annotations

from typing import Any, Final

from explorer.analysis.alignment import Alignment, CellKind, Span, TokenRow, cutters, parting
from explorer.engine.results import Encoding
from explorer.facts import listed
from explorer.text.say import Say, number, plural
from explorer.views.overview import as_text
from explorer.vocabulary import PieceKind

LONGEST: Final = 40
"""Characters of a stretch, and of what is shown of its cuts."""
MOST_GROUPS: Final = 4
"""Ways to cut a stretch that are told apart."""


def rows_say(alignment: Alignment) -> Say:
    """The result in a sentence: fewest tokens, most tokens, and the cuts that all have."""
    if not alignment.text:
        return Say.of("The text is empty. Type something to compare.")
    # fewer tokens for lost text are no bargain
    fewest = min(alignment.rows, key=lambda row: (unknown(row.encoding) > 0, row.tokens))
    most = max(alignment.rows, key=lambda row: row.tokens)
    if fewest.tokens == most.tokens:
        fewest = min(alignment.rows, key=lambda row: row.tokens)
    if len(alignment.rows) == 1:
        return Say.of("{0:t} with {1:t}. Choose a second tokenizer to compare.", tokens(fewest), fewest.label)
    size = plural(len(alignment.text), "character")
    if len({row.tokens for row in alignment.rows}) == 1:
        every = Say.of("{0:t} with each of them, for the same {1:t}.", tokens(fewest), size)
        return every.then(cuts_say(alignment), *lost_say(alignment))
    return Say.of(
        "{0:t} with {1:t}, {2:t} with {3:t}, for the same {4:t}.",
        *(tokens(fewest), fewest.label, number(most.tokens), most.label, size),
    ).then(cuts_say(alignment), *lost_say(alignment))


def cuts_say(alignment: Alignment) -> Say:
    """How many of the cuts inside the text all rows have."""
    rows, counts = len(alignment.rows), cutters(alignment).values()
    shared = sum(count == rows for count in counts)
    if not counts:
        return Say.of("None of them cuts inside the text.")
    return Say.of("All {0} agree on {1} of {2:t}.", rows, shared, plural(len(counts), "cut"))


def lost_say(alignment: Alignment) -> list[Say]:
    """Who loses text: its tokens are unknown."""
    lost = [(row.label, count) for row in alignment.rows if (count := unknown(row.encoding))]
    return [Say.of("{0:t} loses text: {1:t}.", label, plural(count, "unknown token")) for label, count in lost]


def unknown(encoding: Encoding) -> int:
    """How many tokens stand for text that the vocabulary can't spell."""
    kinds = encoding.vocabulary.kinds
    return sum(kinds[token.id] == PieceKind.UNKNOWN for token in encoding.tokens)


def tokens(row: TokenRow) -> str:
    """`1 token`, `6 tokens`."""
    return plural(row.tokens, "token")


def parting_of(alignment: Alignment) -> dict[str, Any] | None:
    """Where the rows part most: the stretch, and how each cuts it, those that cut it alike together.

    sides: the rows with the fewest and with the most tokens of it, by their places in the alignment.
    """
    where = parting(alignment)
    if where is None or len(alignment.rows) < 2:
        return None
    found = [cut_up(alignment, row, where) for row in alignment.rows]
    groups: dict[tuple[str, ...], list[str]] = {}
    counts = [sum(count for _, count in pieces) for pieces in found]
    for row, pieces, count in zip(alignment.rows, found, counts, strict=True):
        texts = tuple(text if one == 1 else f"{text} ×{one}" for text, one in pieces)
        too_long = sum(map(len, texts)) + len(texts) > LONGEST
        groups.setdefault((plural(count, "token"),) if too_long else texts, []).append(row.label)
    order = sorted(groups, key=len)[:MOST_GROUPS]
    return {
        "text": as_text(alignment.text[slice(*where)], LONGEST),
        "at": list(where),
        "groups": [[listed(groups[texts]), list(texts)] for texts in order],
        "sides": [counts.index(min(counts)), len(counts) - 1 - counts[::-1].index(max(counts))],
    }


def cut_up(alignment: Alignment, row: TokenRow, where: Span) -> list[tuple[str, int]]:
    """A row's cells of a stretch: their text, and the number of their tokens."""
    return [
        (as_text(alignment.text[cell.start : cell.end], LONGEST), cell.last - cell.first)
        for cell in row.cells
        if cell.kind == CellKind.TEXT and where.start <= cell.start and cell.end <= where.end
    ]
