"""The loop that stops at the first miss next to the walk through the trie: the tokens of both on the same text."""

from __future__ import annotations

from typing import cast

from explorer.engine.items import Segment
from explorer.engine.models.first_miss import FirstMiss
from explorer.engine.models.trie import ByteMatch
from explorer.engine.results import Trace
from explorer.engine.trace import silent
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.text.visible import hexadecimal
from explorer.views.boards.board import Board, BoardCell, BoardRow, cell, row
from explorer.views.steppers.byte_strip import ByteFragment
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


def first_miss_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """The tokens of both, differences marked.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("rwkv-world@first-miss")
    >>> trace = tok.trace("a!--")
    >>> plain(first_miss_board(trace, tok.vocabulary, window_of(trace)).say)
    'The loop makes 3 tokens of this text, the trie 2. They first differ at character 2.'
    """
    stage = trace.stage("model")
    model = cast(FirstMiss, stage.part)
    by_loop, by_trie = _Tokens(vocabulary), _Tokens(vocabulary)
    first = -1
    """start of the first token that only one of them takes"""
    for item in stage.before:
        if not isinstance(item, Segment):
            continue
        part = ByteFragment(item, window)
        loop, trie = model.tokenize(part.data, silent), model.trie.tokenize(part.data, silent)
        differ = set(loop) ^ set(trie)
        if differ and first < 0:
            first = part.starts[min(found.start for found in differ)]
        by_loop.add(part, loop, differ, window)
        by_trie.add(part, trie, differ, window)
    if first < 0:
        say = Say.of("The loop and the trie make the same tokens of this text.")
    else:
        say = Say.of(
            "The loop makes {0:t} of this text, the trie {1:t}. They first differ at character {2:t}.",
            plural(by_loop.count, "token"),
            f"{by_trie.count:,}",
            f"{first + 1:,}",
        )
    note = "a thick edge marks tokens that the other one does not take"
    return Board(say, [by_loop.row("The loop's tokens", note), by_trie.row("The trie's tokens", note)])


class _Tokens:
    """The row of one algorithm's tokens within the window."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.cells: list[BoardCell] = []
        self.count = self.before = 0

    def add(self, part: ByteFragment, tokens: list[ByteMatch], differ: set[ByteMatch], window: Window) -> None:
        """Adds the tokens of a fragment; `differ` are those that the other one does not take."""
        self.count += len(tokens)
        for found in tokens:
            start, spelling = part.starts[found.start], visible(self.vocabulary.spelling(found.id))
            self.before += start < window.start
            if part.holds(found.start):
                other = "takes another token here" if found in differ else "takes it too"
                tip = [["token", f"{found.id} {spelling}"], ["bytes", hexadecimal(part.data[found.start : found.end])],
                       ["the other one", other]]  # fmt: skip
                self.cells.append(
                    cell(spelling, start, part.ends[found.end - 1], id=found.id, sub=str(found.id), tip=tip,
                         look="changed" if found in differ else None)
                )  # fmt: skip

    def row(self, title: str, note: str) -> BoardRow:
        """The finished row."""
        after = self.count - self.before - len(self.cells)
        return row("chips", title, self.cells, note=note, empty="No tokens: the text is empty.", limit=300,
                   outside=(self.before, after))  # fmt: skip
