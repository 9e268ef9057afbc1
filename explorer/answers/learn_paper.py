"""A card's panel on paper: what does not move of it, at the card's step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from explorer.answers.explore import encoding_of
from explorer.answers.learn import spec_of
from explorer.answers.learn_claims import bare, shown_by
from explorer.learning.lessons.lesson import Card, ComparePanel
from explorer.text.quantities import plural
from explorer.views.running_text import Piece


class Handout(NamedTuple):
    """A card's panel on paper.

    pieces: the text in its tokens. ribbon: stages with their results. sentence: of the step. rows: for each tokenizer
    of a comparison, how many tokens it needs.
    """

    pieces: Sequence[Piece]
    ribbon: Sequence[tuple[str, str]]
    sentence: str
    rows: Sequence[tuple[str, str]]


def handout_of(card: Card) -> Handout:
    """What a printed card shows of its panel. Raises InputError for a stage or step that isn't there."""
    shown, panel = shown_by(card), card.panel
    nodes = [] if shown.view is None else [(node.name, node.result) for node in shown.view.nodes if node.changed]
    pieces = [] if shown.view is None else shown.view.pieces
    rows = []
    if isinstance(panel, ComparePanel):
        for label in panel.tokenizers:
            spec = spec_of(label)
            rows.append((spec.title, plural(len(encoding_of(bare(spec, panel.text)).ids), "token")))
    return Handout(pieces, nodes, shown.sentence, rows)
