"""The stepper's script for WordPiece: the window that shrinks, hit or miss, the word so far, and what is discarded.

One step for each event of `engine/wordpiece.py`, on four tracks: the characters (with llama.cpp's phantom ▁ in front of
each word), the attempts of the word at work, its pieces so far, and the output. Hugging Face's windows are measured in
characters and llama.cpp's in bytes; the cells are characters in both, so a window of bytes that ends within a
character takes in that whole cell, and only the sentence tells.

Of a word that is longer than the part of the text drawn only the attempts in that part are steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.engine.items import Segment, Token
from explorer.engine.tokenizer import Stage
from explorer.engine.wordpiece import PHANTOM, Match, MatchRow, WordPiece, Wpm
from explorer.views.script import Kind, Script, ScriptBuilder
from explorer.views.window import WINDOW, Window
from explorer.vocabulary import Vocabulary, spelled

MAX_PHASES = 8
MARKED = 24
"""Cells of a window that are marked one by one; of a longer one only both ends are."""

CODE = {
    "character": (
        "for each word:",
        "    if it has more than 100 characters:",
        "        output [UNK]; next word",
        "    start = 0",
        "    while start is before the end of the word:",
        "        for end from the end of the word down to start + 1:",
        "            piece = word[start:end], with ## in front if start > 0",
        "            if it is in the vocabulary: leave the loop",
        "        if no piece was found: discard, output [UNK]; next word",
        "        keep the piece; start = end",
        "    output the pieces kept",
    ),
    "byte": (
        "for each word:",
        "    word = ▁ + word",
        "    start = 0",
        "    while start is before the end of the word:",
        "        for end from start + longest piece + 1 down to start + 1:",
        "            piece = word[start:end], in bytes",
        "            if it is in the vocabulary: leave the loop",
        "        if no piece was found: discard, output [UNK]; next word",
        "        keep the piece; start = end",
        "    output the pieces kept",
    ),
}
LINES = {
    "character": {"word": (0,), "long": (1, 2), "miss": (5, 6, 7), "hit": (7, 9), "discard": (8,), "done": (10,)},
    "byte": {"word": (0, 1), "long": (), "miss": (4, 5, 6), "hit": (6, 8), "discard": (7,), "done": (9,)},
}

ROLES = (("window", "reject"), ("piece", "done"), ("", "next"), ("", "gone"), ("", "hit"))
WINDOW_ROLE, PIECE, NEXT, GONE, HIT = range(len(ROLES))
PASSED = len(Match)


def kinds(unit: str) -> list[Kind]:
    """The kinds of step, in the order of `Match`; unit: character or byte."""
    at = LINES[unit]
    shorter = (
        "The window is drawn back by one character."
        if unit == "character"
        else "The window is drawn back by one byte, even where that cuts a character."
    )
    begins = "A piece within a word is spelled with ## in front." if unit == "character" else (
        "The ▁ is a phantom: it is in no text, and tells pieces that begin a word from those that go on in one."
    )  # fmt: skip
    return [
        Kind("word", "info", "Word {0}: {1:q}, {2} " + unit + "s{3:t}.", "word {1:q}", begins, at["word"], "ring", 30),
        Kind("unknown", "byte", "The word has {0} characters, more than {1}: it is not tried and becomes {2:q}, "
             "token {3:t}.", "too long → {2:q}", "So one long word cannot cost much time.", at["long"], "dot", 100,
             True),
        Kind("miss", "miss", "{0}–{1}: {2:q} is not in the vocabulary.", "{2:q} is no piece", shorter, at["miss"],
             "ring", 25),
        Kind("hit", "merge", "{0}–{1}: {2:q} is token {3:t}, the longest piece that fits here. Go on at {1}.",
             "{2:q} {3:t}", "What fits first from the left is never taken back.", at["hit"], "dot", 80, True),
        Kind("discard", "stale", "At {0} no piece fits, however short: {2:t}, and the whole word becomes {3:q}, token "
             "{4:t}.", "discard, {3:q}", "Another split might have fitted, but longest match never looks back.",
             at["discard"], "diamond", 100, True),
        Kind("done", "token", "The word is used up: {0:t} into the output.", "{0:t} out", "", at["done"], "dot", 60),
        Kind("token", "token", "The special tokens behind it follow as they are.", "special tokens follow"),
    ]  # fmt: skip


def match_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a WordPiece trace, within a window.

    >>> import explorer
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("bert-uncased@llama.cpp")
    >>> trace = tok.trace("what")
    >>> match_script(trace.stage("model"), tok.vocabulary, window_of(trace)).sentence(2)
    '0–7: “▁what” is token 2054, the longest piece that fits here. Go on at 7. What fits first from the left is never \
taken back.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Word:
    """One word: its cells, and which of them are drawn. Cell c of the word is key `base + c` of the strip.

    of: per unit of the engine's places (character or byte) the cell it lies in, and one more for the end.
    """

    def __init__(self, segment: Segment, unit: str, window: Window, base: int) -> None:
        self.segment = segment
        front = 1 if unit == "byte" else 0
        self.data = PHANTOM + segment.text.encode() if front else b""
        self.cells = ("▁" if front else "") + segment.text
        self.starts = [-1] * front + list(segment.starts)
        self.ends = [-1] * front + list(segment.ends)
        if front:
            self.of = [cell for cell, ch in enumerate(self.cells) for _ in ch.encode()]
        else:
            self.of = list(range(len(self.cells)))
        self.of.append(len(self.cells))
        inside = [cell for cell, start in enumerate(self.starts) if start >= 0 and window.holds(start)]
        self.low, self.high = (inside[0], min(inside[-1] + 1, inside[0] + WINDOW)) if inside else (0, 0)
        if inside and self.low == front:
            self.low = 0  # the phantom goes with the first character
        self.base = base - self.low

    def drawn(self) -> range:
        return range(self.low, self.high)

    def window(self, start: int, end: int) -> range:
        """The cells drawn of a window [start, end) in units."""
        return range(max(self.of[start], self.low), min(self.of[end - 1] + 1, self.high))


class _Writer:
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        part = stage.part
        assert isinstance(part, (WordPiece, Wpm))
        self.part, self.vocabulary, self.window = part, vocabulary, window
        self.items, self.tokens = stage.before, stage.after
        cells: list[list[int]] = []
        groups: list[dict[str, str]] = []
        where = (
            "characters, the ends of a window between them" if part.unit == "character" else "bytes of ▁ and the word"
        )
        self.builder = ScriptBuilder(
            title="Longest match",
            landmark="piece",
            kinds=kinds(part.unit),
            tracks=(
                {"name": "cells", "type": "strip", "title": "Words", "note": "one cell per code point; what is found "
                 "becomes one box", "meta": ["n"] if part.unit == "byte" else [], "cells": cells, "groups": groups},
                {"name": "attempts", "type": "table", "title": "Attempts", "layout": "rows", "newest_first": True,
                 "note": f"of the word at work, from and to in {where}",
                 "columns": [{"name": "from", "as": "number"}, {"name": "to", "as": "number"},
                             {"name": "looked up", "as": "quoted"}, {"name": "found", "as": "text"}],
                 "empty": "No attempt yet."},
                {"name": "word", "type": "table", "title": "Word so far", "layout": "chips",
                 "note": "kept only if the whole word can be made of pieces",
                 "columns": [{"name": "piece", "as": "quoted"}, {"name": "id", "as": "number"}],
                 "empty": "No piece yet."},
                {"name": "output", "type": "output", "title": "Output",
                 "empty": "No tokens yet. They appear when a word is used up."},
            ),
            roles=ROLES,
            layout=(("cells",), ("attempts", ("word", "output")), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=CODE[part.unit],
        )  # fmt: skip
        self.words: dict[int, _Word] = {}
        drawn = 0
        for place, item in enumerate(self.items):
            if not isinstance(item, Segment):
                continue
            word = _Word(item, part.unit, window, drawn)
            if not word.drawn():
                continue
            self.words[place] = word
            groups.append({"title": ""})
            for cell in word.drawn():
                text = self.builder.text(word.cells[cell])
                cells.append([text, cell, len(groups) - 1, word.starts[cell], word.ends[cell]])
            drawn += len(word.drawn())
        self.count: dict[int, int] = {}
        """how many tokens the word at a place became"""
        self.rows = self._rows_by_item(stage.events)
        self.attempts: list[int] = []
        self.kept: list[int] = []
        self.output = 0

    def _rows_by_item(self, events: Iterable[MatchRow]) -> dict[int, list[MatchRow]]:
        """The events of each word that is drawn, by its place; attempts outside the part drawn are left out."""
        rows: dict[int, list[MatchRow]] = {}
        word: _Word | None = None
        place = -1
        for row in events:
            if row.kind in (Match.TOO_LONG, Match.DISCARD, Match.DONE):
                self.count[place] = row.end if row.kind == Match.DONE else 1
            if row.kind == Match.WORD:
                place = row.start
                word = self.words.get(place)
                if word is not None:
                    rows[row.start] = into = [row]
            elif word is not None and (
                row.kind not in (Match.MISS, Match.HIT) or word.low <= word.of[row.start] < word.high
            ):
                into.append(row)
        return rows

    def write(self) -> Script:
        builder, count = self.builder, len(self.words)
        for word in self.words.values():
            for cell in word.drawn():
                builder.put("cells", word.base + cell, *self._row(word, cell, 1, -1))
        if not count:
            self._pass(self.tokens)
            builder.phase("Words")
            builder.begin("There is no word to match.", "The text is empty, or nothing but special tokens and white "
                          "space was in it.")  # fmt: skip
            return builder.script()
        builder.phase("Words")
        builder.begin("Each of the {0} words is matched alone." if count > 1 else "There is one word to match.",
                      "At every place the longest piece that fits is taken.", [count], (0,))  # fmt: skip
        taken = begun = 0  # tokens of `after` that are accounted for, words begun
        waiting: list[Token] = []
        for place, item in enumerate(self.items):
            if not isinstance(item, Segment):
                waiting.append(item)
                taken += 1
                continue
            drawn, rows = self.words.get(place), self.rows.get(place)
            if drawn is None or rows is None:
                taken += self.count[place]
                continue
            self._pass(waiting)
            waiting = []
            if begun % -(-count // MAX_PHASES) == 0:
                builder.phase(f"Word {begun + 1}")
            until = taken + self.count[place]
            tokens = [token for token in self.tokens[taken:until] if isinstance(token, Token)]
            self._word(drawn, rows, begun, tokens)
            begun, taken = begun + 1, until
        if any(self.window.holds(token.start) for token in waiting):
            self._pass(waiting)
            builder.step(PASSED)
        return builder.script()

    # --- one word -------------------------------------------------------------------------------------------------

    def _word(self, word: _Word, rows: Sequence[MatchRow], number: int, tokens: Sequence[Token]) -> None:
        builder = self.builder
        for place, row in enumerate(rows):
            if row.kind == Match.WORD:
                self._clear("attempts", self.attempts)
                builder.put("cells", -1, number)
                shown = builder.text(word.cells)
                with_phantom = builder.plain(" with the ▁ in front" if self.part.unit == "byte" else "")
                args: tuple[int, ...] = (number + 1, shown, row.end, with_phantom)
                self._mark(word, word.drawn()[:MARKED], NEXT)
            elif row.kind in (Match.MISS, Match.HIT):
                args = self._attempt(word, row)
            else:
                args = self._end(word, row, tokens)
            for after in rows[place + 1 : place + 2]:
                if after.kind in (Match.MISS, Match.HIT) and after.start != row.start and row.kind != Match.WORD:
                    self._mark(word, word.window(after.start, after.start + 1), NEXT)
            builder.step(row.kind, *args)

    def _attempt(self, word: _Word, row: MatchRow) -> tuple[int, ...]:
        builder, cells = self.builder, word.window(row.start, row.end)
        text = builder.text(self._looked_up(word, row))
        hit = row.kind == Match.HIT
        found = builder.plain(f"token {row.token}" if hit else "no piece")
        key = len(self.attempts)
        self.attempts.append(key)
        builder.put("attempts", key, row.start, row.end, text, found)
        if not hit:
            self._mark(word, cells, WINDOW_ROLE)
            return row.start, row.end, text
        builder.mark("attempts", key, HIT)
        self._box(word, cells, row.token)
        self._mark(word, cells[:1], PIECE)
        kept = len(self.kept)
        self.kept.append(kept)
        builder.put("word", kept, builder.text(self.vocabulary.spelling(row.token)), row.token)
        builder.mark("word", kept, HIT)
        return row.start, row.end, text, builder.plain(str(row.token))

    def _end(self, word: _Word, row: MatchRow, tokens: Sequence[Token]) -> tuple[int, ...]:
        """The word is done, one way or another: its tokens go to the output."""
        builder = self.builder
        self._clear("word", self.kept)
        self._pass(tokens)
        if row.kind == Match.DONE:
            self._mark(word, word.drawn()[:MARKED], HIT)
            return (builder.plain(f"its {row.end} pieces go" if row.end > 1 else "its piece goes"),)
        self._box(word, word.drawn(), row.token)
        self._mark(word, word.drawn()[:1], GONE)
        spelling = builder.text(self.vocabulary.spelling(row.token))
        token = builder.plain(str(row.token))
        if row.kind == Match.TOO_LONG:
            return row.start, row.end, spelling, token
        lost = {0: "nothing was found so far", 1: "the piece found so far is discarded"}.get(
            row.end, f"the {row.end} pieces found so far are discarded"
        )
        return row.start, row.end, builder.plain(lost), spelling, token

    # --- small ones -----------------------------------------------------------------------------------------------

    def _looked_up(self, word: _Word, row: MatchRow) -> str:
        """What was looked up in the vocabulary."""
        if isinstance(self.part, WordPiece):
            return (self.part.prefix.decode() if row.start else "") + word.cells[row.start : row.end]
        return spelled(word.data[row.start : row.end])

    def _row(self, word: _Word, cell: int, span: int, token: int) -> tuple[int, ...]:
        if self.part.unit != "byte":
            return span, token
        return span, token, len(word.cells[cell : cell + span].encode())

    def _box(self, word: _Word, cells: range, token: int) -> None:
        """Draws these cells as one."""
        for cell in cells:
            row = self._row(word, cell, len(cells), token) if cell == cells[0] else self._row(word, cell, 0, -1)
            self.builder.put("cells", word.base + cell, *row)

    def _mark(self, word: _Word, cells: range, role: int) -> None:
        for cell in cells if len(cells) <= MARKED else (cells[0], cells[-1]):
            self.builder.mark("cells", word.base + cell, role)

    def _clear(self, track: str, keys: list[int]) -> None:
        for key in keys:
            self.builder.delete(track, key)
        keys.clear()

    def _pass(self, tokens: Iterable[object]) -> None:
        """Tokens go to the output, those in the window."""
        for token in tokens:
            if isinstance(token, Token) and self.window.holds(token.start):
                text = self.builder.text(self.vocabulary.spelling(token.id))
                self.builder.put("output", self.output, text, token.id, token.start, token.end)
                self.output += 1
