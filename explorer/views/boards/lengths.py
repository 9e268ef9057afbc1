"""Truncation and padding: which tokens were cut off, and which pad the text."""

from __future__ import annotations

from typing import cast

from explorer.engine.items import Token
from explorer.engine.post_processors.lengths import LengthEvent, Padding, Truncation
from explorer.engine.results import Trace
from explorer.text import visible
from explorer.text.quantities import number, plural
from explorer.text.say import Say
from explorer.views.boards.board import Board, cell, row
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

MOST, FEW = 300, 32
"""Cells drawn at first: of truncated tokens, and of padding, which repeats one token."""


def truncation_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """The tokens that were cut off, within the window."""
    stage = trace.stage("truncate")
    part = cast(Truncation, stage.part)
    cut = [item for event in stage.events for item in stage.before[event.start : event.end]]
    drawn = [item for item in cut if isinstance(item, Token) and window.holds(item.start)]
    cells = [
        cell(visible(vocabulary.spelling(token.id)), token.start, token.end, id=token.id, sub=str(token.id),
             look="dropped", tip=[["cut off", "it is not among the ids"], ["id", str(token.id)]])
        for token in drawn
    ]  # fmt: skip
    before = sum(isinstance(item, Token) and item.start < window.start for item in cut)
    say = truncation_say(part, len(stage.before), part.room(trace.options))
    if not cut:
        return Board(say, [])
    outside = (before, len(cut) - len(drawn) - before)
    return Board(
        say,
        [
            row(
                "chips",
                "Cut off",
                cells,
                limit=MOST,
                empty="None of them is in this part of the text.",
                outside=outside,
            )
        ],
    )


def truncation_say(part: Truncation, size: int, room: int | None) -> Say:
    """How many tokens were cut off, where, and how many parts the original makes of them."""
    if room is None:
        return Say.of(
            "Changed nothing: {0:t} allowed and {1:t} added, so the original's limit is below zero and nothing is cut.",
            plural(part.longest, "token is", "tokens are"), plural(part.added, "is", "are"),
        )  # fmt: skip
    besides = f" besides the {part.added} added" if room != part.longest else ""
    if size <= room:
        return Say.of("Changed nothing: the text has {0:t}, and {1:t} room{2:t}.", plural(size, "token"),
                      plural(room, "has", "have"), besides)  # fmt: skip
    others = len(list(part.parts(size, room))) - 1
    overlap = f" that overlap by {plural(part.stride, 'token')}" if part.stride else ""
    return Say.of(
        "{0:t} cut off at the {1:t}: the text has {2:t}, and {3:t} room{4:t}. tokenizers returns the rest as "
        "{5:t}{6:t}; they are not among these ids.",
        plural(size - room, "token is", "tokens are"),
        "beginning" if part.left else "end",
        number(size),
        plural(room, "has", "have"),
        besides,
        plural(others, "further part"),
        overlap,
    )


def padding_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """The padding tokens."""
    stage = trace.stage("pad")
    part = cast(Padding, stage.part)
    cells = [
        cell(visible(vocabulary.spelling(event.token)), -1, -1, id=event.token, sub=str(event.token), top=str(index),
             look="inserted", tag="added", tip=[["offset in the list", str(index)], ["id", str(event.token)]])
        for event in stage.events
        for index in range(event.start, event.end)
    ]  # fmt: skip
    filled = [event for event in stage.events if event.kind == LengthEvent.FILLED]
    if filled:
        say = Say.of(
            "{0:t} of {1:q} ({2:t}) {5:t} the text to {3:t} {4:t}.",
            plural(len(cells), "token"),
            visible(vocabulary.spelling(part.token)),
            str(part.token),
            plural(len(stage.after), "token"),
            "at the beginning" if part.left else "at the end",
            "pads" if len(cells) == 1 else "pad",
        )
        return Board(say, [row("chips", "Padding", cells, limit=FEW, empty="")])
    if part.length is None:
        reason = "a single text is the longest of its batch"
        reason += f", and its length is a multiple of {part.multiple}" if part.multiple else ""
    else:
        reason = f"the text has {number(len(stage.before))} tokens already"
    return Board(Say.of("Changed nothing: {0:t}.", reason), [])
