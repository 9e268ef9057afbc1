"""DNA within a text: the tags and the groups of six letters, each with its token."""

from __future__ import annotations

from explorer.engine.partition.dna import DnaEvent
from explorer.engine.results import Trace
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.views.boards.board import Board, cell, row, shortened
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

WHY = {
    DnaEvent.TAG: "a tag: DNA begins or ends here",
    DnaEvent.GROUP: "six letters, one token: merges do not apply",
    DnaEvent.FILLED: "the last letters, padded with A to six",
    DnaEvent.UNKNOWN: "six letters that are not in the vocabulary: the unknown token for DNA",
    DnaEvent.TEXT: "text: it is merged as usual",
}


def dna_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One chip per tag, group of letters or run of text, in order."""
    events = list(trace.stage("dna").events)
    inside = [event for event in events if window.holds(event.start)]
    before = sum(event.start < window.start for event in events)
    cells = []
    for event in inside:
        text, is_text = trace.text[event.start : event.end], event.token < 0
        tip = [["text", shortened(text)], ["is", WHY[DnaEvent(event.kind)]]]
        if not is_text:
            tip.append(["token", f"{event.token} {visible(vocabulary.spelling(event.token))}"])
        cells.append(
            cell(shortened(text), event.start, event.end, id=None if is_text else event.token,
                 sub=None if is_text else str(event.token), tip=tip)
        )  # fmt: skip
    groups = sum(event.kind in (DnaEvent.GROUP, DnaEvent.FILLED, DnaEvent.UNKNOWN) for event in events)
    lost = sum(event.kind == DnaEvent.UNKNOWN for event in events)
    if not any(event.token >= 0 for event in events):
        say = Say.of("Changed nothing: the text contains no <dna>.")
    else:
        unknown = f", of which {lost} {'is' if lost == 1 else 'are'} unknown" if lost else ""
        say = Say.of(
            "DNA was found: {0:t}{1:t}.", plural(groups, "group of six letters", "groups of six letters"), unknown
        )
    return Board(
        say,
        [row("chips", "DNA and text", cells, empty="There is no text.", limit=300,
             outside=(before, len(events) - before - len(inside)))],
    )  # fmt: skip
