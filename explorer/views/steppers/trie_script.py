"""The stepper's script for RWKV World: the path through the trie, the last token seen on it, and the fall back.

One step for each event of `engine/models/trie.py`. Where the loop that stops at the first miss
(`engine/models/first_miss.py`) would have stopped and missed the token that this walk finds, the step says so.
"""

from __future__ import annotations

from typing import Any

from explorer.engine.models.trie import Found, Walk
from explorer.engine.tokenizer import Stage
from explorer.text.quantities import plural
from explorer.views.steppers.byte_strip import BACK, NOWHERE, PATH, SEEN, SEGMENT, ByteFragment, ByteScript
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Kind, Script
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "start = 0",
    "while start is before the end of the text:",
    "    node = root; nothing seen",
    "    for each byte from start on:",
    "        node = where that byte leads from node",
    "        if it leads nowhere: leave the loop",
    "        if node is a token: seen = node",
    "    output the token seen; start = its end",
)

_NODE = "Byte {0:t} leads on. {1:q} is no token, but some begin so: walk through."

KINDS = (
    SEGMENT,
    Kind("node", "miss", _NODE, "{1:q} no token yet", "", (3, 4, 6), "ring", 30),
    Kind("token seen", "push", "Byte {0:t} leads on. {1:q} is token {2:t}: remember it.", "{1:q} seen, {2:t}",
         "A longer one may follow.", (3, 4, 6), "dot", 60),
    Kind("path ends", "stale", "Byte {0:t} leads nowhere after {1:q}: the walk ends.", "ends at {0:t}", "", (3, 4, 5),
         "diamond", 30),
    Kind("path ends", "stale", "The text ends after {0:q}, and the walk with it.", "ends with the text", "", (3,),
         "diamond", 30),
    Kind("token", "merge", "The last token seen is {0:q}, token {1:t}: into the output. The next walk begins behind "
         "it.", "{0:q} {1:t}", "", (7,), "dot", 100, True),
    Kind("fall back", "merge", "Fall back to the last token seen, {0:q}, token {1:t}. The walk was {2:t} further; "
         "the next one reads that again.", "back to {0:q} {1:t}", "", (7,), "diamond", 100, True),
    Kind("unknown", "byte", "No token was seen on the path: byte {0:t} becomes {1:q}, token {2:t}.", "unknown {1:q}",
         "One byte is passed over, so the walk always comes to an end.", (7,), "ring", 70, True),
    Kind("node", "miss", _NODE, "{1:q} no token yet", "A loop that stops at the first character without a token would "
         "stop here and never find {2:q}, to which this walk leads.", (3, 4, 6), "ring", 30),
    FOLLOW,
)  # fmt: skip
"""In the order of `Walk`, and two more."""
MISSED_BY_LOOP = len(Walk)


def trie_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of an RWKV trace, within a window.

    >>> import explorer
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("rwkv-world")
    >>> trace = tok.trace("!--")
    >>> trie_script(trace.stage("model"), tok.vocabulary, window_of(trace)).sentence(2)
    'Byte 2D “-” leads on. “!-” is no token, but some begin so: walk through. A loop that stops at the first character \
without a token would stop here and never find “!--”, to which this walk leads.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(ByteScript):
    kinds = KINDS
    ends = (Walk.TAKE, Walk.FALL_BACK, Walk.UNKNOWN)
    opening = "Every walk begins at the root of the trie, a tree with an edge for each byte that may come next."

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window, "Trie walk", "one line for each node of the tree walked to", CODE)
        self.seen = self.reached = -1
        """the last byte of the token seen on the walk, and one after the last byte read"""
        self.found = Found(-1, 0, 0)
        """what the walk at work will find"""
        self.loop_goes_on = False
        """whether a loop over characters would still be at it"""

    def begin_walk(self, start: int, place: int) -> None:
        super().begin_walk(start, place)
        self.seen, self.reached, self.loop_goes_on = -1, start, True
        while self.rows[place][1].kind not in self.ends:
            place += 1
        end = self.rows[place][1]
        self.found = Found(end.token, start, end.at)

    def event(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        kind, at, start, token = row
        if kind in self.ends:
            return kind, *self._token(fragment, row)
        self.mark(fragment, range(start, min(at + 1, len(fragment.data))), NOWHERE if kind == Walk.NO_EDGE else PATH)
        if kind == Walk.END:
            return kind, self.text(fragment, start, len(fragment.data))
        read = self.read(fragment.data[at])
        found = {Walk.NO_EDGE: "leads nowhere", Walk.NODE: "no token"}.get(kind, f"token {token}")
        self.line(fragment, row, read, found, failed=kind == Walk.NO_EDGE)
        so_far = self.text(fragment, start, at + 1)
        if kind == Walk.SEEN:
            self.reached, self.seen = at + 1, at
            return kind, read, so_far, self.token_id(token)
        if self.seen >= 0:
            self.mark(fragment, [self.seen], SEEN)
        if kind == Walk.NO_EDGE:
            return kind, read, self.text(fragment, start, at)
        self.reached = at + 1
        if fragment.ends_character(at) and self.loop_goes_on:
            self.loop_goes_on = False
            if self.found.end > at + 1:
                return MISSED_BY_LOOP, read, so_far, self.spelling(self.found.id)
        return kind, read, so_far

    def _token(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        """A walk ends in a token."""
        kind, at, start, token = row
        self.take(fragment, Found(token, start, at))
        if kind == Walk.UNKNOWN:
            return self.read(fragment.data[start]), self.spelling(token), self.token_id(token)
        if kind == Walk.TAKE:
            return self.spelling(token), self.token_id(token)
        self.mark(fragment, range(at, self.reached), BACK)
        return self.spelling(token), self.token_id(token), self.builder.plain(plural(self.reached - at, "byte"))
