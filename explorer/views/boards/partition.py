"""The partition: fragments of text, and special or user-defined tokens cut out of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from explorer.engine.items import Item, Segment, Token
from explorer.engine.partition.rows import PartitionEvent
from explorer.engine.results import Encoding, Trace
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.text.visible import hexadecimal
from explorer.views.boards.board import Board, BoardCell, cell, offsets, row, shortened
from explorer.views.boards.tokens import KINDS, NO_BYTES
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

MOST = 200
"""Cells drawn at first."""
NAMES = "TOKEN is already a token, RAW_TEXT is still text (llama.cpp's names); offset and length in code points"


def normalized_partition_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """The board for added tokens that are matched in the normalized text."""
    return partition_board(trace, vocabulary, window, "partition-normalized")


def partition_board(trace: Trace, vocabulary: Vocabulary, window: Window, name: str = "partition") -> Board:
    """The fragments in order, and special tokens that occur in the text but are not parsed."""
    stage = trace.stage(name)
    drawn = [index for index, item in enumerate(stage.after) if within(item, window)]
    outside = (drawn[0], len(stage.after) - drawn[-1] - 1) if drawn else (0, 0)
    cells = [fragment(trace.text, stage.after[index], trace.encoding) for index in drawn]
    rows = [row("chips", "Fragments", cells, note=NAMES,
                empty="No fragments: the text is empty.", limit=MOST, outside=outside)]  # fmt: skip
    passed_over = []
    stripped = []
    twice = []
    for event in stage.events:
        spelling = vocabulary.spelling(event.token) if event.token >= 0 else ""
        if event.kind == PartitionEvent.NOT_PARSED:
            for at in occurrences(trace.text, spelling):
                end = at + len(spelling)
                passed_over.append(
                    cell(visible(spelling), at, end, sub=str(event.token), look="dropped", tag="not parsed")
                )
        elif event.kind == PartitionEvent.STRIPPED and window.holds(event.start):
            text = trace.text[event.start : event.end]
            by = f"by {visible(spelling)}"
            stripped.append(cell(visible(text), event.start, event.end, look="dropped", tag="stripped", sub=by))
        elif event.kind == PartitionEvent.TAKEN_TWICE and window.holds(event.start):
            twice.append(cell(visible(spelling), event.start, event.end, id=event.token, sub=str(event.token)))
    if passed_over:
        rows.append(row("chips", "In the text, but not parsed", passed_over,
                        note="control tokens are parsed only with “parse special”"))  # fmt: skip
    if stripped:
        rows.append(row("chips", "White space stripped by a token", stripped))
    if twice:
        rows.append(row("chips", "Taken twice", twice,
                        note="the token before it had already stripped this white space; both cover it"))  # fmt: skip
    return Board(partition_say(trace, len(passed_over), name), rows)


def occurrences(text: str, spelling: str) -> Iterator[int]:
    """The positions of `spelling` in the text, from the left, without overlaps."""
    at = text.find(spelling)
    while at >= 0:
        yield at
        at = text.find(spelling, at + len(spelling))


def within(item: Item, window: Window) -> bool:
    """Whether a fragment and the window share a code point."""
    start, end = (item.start, item.end) if isinstance(item, Token) else (item.starts[0], item.ends[-1])
    return start < window.end and end > window.start


def partition_say(trace: Trace, passed_over: int, name: str = "partition") -> Say:
    """Which tokens were found, in one sentence."""
    stage = trace.stage(name)
    known = {item for item in stage.before if isinstance(item, Token)}
    found = [item.id for item in stage.after if isinstance(item, Token) and item not in known]
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    left = sum(isinstance(item, Segment) for item in stage.after)
    if passed_over and not found:
        return Say.of(
            "Changed nothing: {0:t} in the text, but special tokens are not parsed, so {1:t} text.",
            plural(passed_over, "special token is", "special tokens are"),
            "it stays" if passed_over == 1 else "they stay",
        )
    if not found:
        return Say.of("Changed nothing: the text contains no token that is cut out first.")
    also = ""
    if passed_over:
        also = f" {plural(passed_over, 'special token is', 'special tokens are')} in it, but not parsed."
    return Say.of(
        "Found {0:t} in the text: {1:t}, of which {2:t} left to tokenize.{3:t}",
        counted(found, trace.encoding.vocabulary),
        plural(len(stage.after), "fragment"),
        plural(left, "is", "are") if left else "none is",
        also,
    )


def counted(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """The number of tokens of each sort.

    >>> counted([0, 1, 1], Vocabulary.of([b"<s>", b"<x>"], kinds=[3, 4]))
    '1 special token and 2 user-defined tokens'
    """
    special = sum(vocabulary.is_special(id) for id in ids)
    sorts = (("special token", special), ("user-defined token", len(ids) - special))
    return " and ".join(plural(count, sort) for sort, count in sorts if count)


def fragment(text: str, item: Segment | Token, encoding: Encoding) -> BoardCell:
    """One fragment: TOKEN, or RAW_TEXT with offset and length."""
    if isinstance(item, Token):
        vocabulary, data = encoding.vocabulary, encoding.bytes_of(item.id)
        return cell(
            visible(vocabulary.spelling(item.id)), item.start, item.end, id=item.id, sub=str(item.id),
            look="special" if vocabulary.is_special(item.id) else None, tag="TOKEN",
            tip=[["TOKEN", "already a token: no later stage changes it"], ["id", str(item.id)],
                 ["kind", KINDS[vocabulary.kind(item.id)]],
                 ["bytes", hexadecimal(data) or NO_BYTES],
                 ["offsets", offsets(item.start, item.end)]],
        )  # fmt: skip
    start, end = item.starts[0], item.ends[-1]
    offset, length = len(text[:start].encode()), len(text[start:end].encode())
    return cell(
        shortened(item.text), start, end, tag="RAW_TEXT", sub=f"offset {start} · length {end - start}",
        tip=[["RAW_TEXT", "still text: the next stages tokenize it"],
             ["code points", f"offset {start}, length {end - start}"],
             ["bytes", f"offset {offset}, length {length}"]],
    )  # fmt: skip
