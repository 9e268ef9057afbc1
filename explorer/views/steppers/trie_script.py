"""The stepper's script for RWKV World: the path through the trie, the last token seen on it, and the fallback.

One step per event of `engine/models/trie.py`. If the loop that stops at the first miss (`engine/models/first_miss.py`)
would stop here and miss the token this walk finds, the step says so.
"""

from __future__ import annotations

from typing import Any

from explorer.engine.models.trie import ByteMatch, TrieEvent
from explorer.engine.tokenizer import Stage
from explorer.text.quantities import plural
from explorer.views.steppers.byte_strip import BACK, NOWHERE, PATH, SEEN, SEGMENT, ByteFragment, ByteScript
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Script, StepKind
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "start = 0",
    "while start < the end of the text:",
    "    node = root; nothing seen",
    "    for each byte from start on:",
    "        node = the node that byte leads to",
    "        if there is none: leave the loop",
    "        if node is a token: seen = node",
    "    output the token seen; start = its end",
)

_NODE = "Byte {0:t} has an edge. {1:q} is not a token, but longer tokens begin with it: walk on."

KINDS = (
    SEGMENT,
    StepKind("node", "miss", _NODE, "{1:q}: no token yet", "", (3, 4, 6), "ring", 30),
    StepKind(
        "token seen", "push", "Byte {0:t} has an edge. {1:q} is token {2:t}: remember it.", "{1:q} seen, {2:t}",
        "A longer token may follow.", (3, 4, 6), "dot", 60),
    StepKind(
        "path ends", "stale", "After {1:q} there is no edge for byte {0:t}: the walk ends.", "ends at {0:t}", "",
        (3, 4, 5), "diamond", 30),
    StepKind(
        "path ends", "stale", "The text ends after {0:q}, so the walk ends.", "ends with the text", "", (3,), "diamond",
        30),
    StepKind(
        "token", "merge", "The last token seen is {0:q}, token {1:t}: output it. The next walk begins after it.",
        "{0:q} {1:t}", "", (7,), "dot", 100, True),
    StepKind(
        "fall back", "merge", "Fall back to the last token seen, {0:q}, token {1:t}. The walk went {2:t} further; the "
        "next walk reads that again.", "back to {0:q} {1:t}", "", (7,), "diamond", 100, True),
    StepKind(
        "unknown", "byte", "The walk saw no token: byte {0:t} becomes {1:q}, token {2:t}.", "unknown {1:q}",
        "The byte is skipped, so the algorithm always ends.", (7,), "ring", 70, True),
    StepKind(
        "node", "miss", _NODE, "{1:q}: no token yet", "A loop that stops at the first miss would stop here and never "
        "find {2:q}, which this walk reaches.", (3, 4, 6), "ring", 30),
    FOLLOW,
)  # fmt: skip
"""In the order of `TrieEvent`, then two more."""
MISSED_BY_LOOP = len(TrieEvent)


def trie_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of an RWKV trace, within a window.

    >>> from explorer.views.steppers.model_script import example
    >>> example(trie_script, "rwkv-world", "!--").sentence(2)
    'Byte 2D “-” has an edge. “!-” is not a token, but longer tokens begin with it: walk on. A loop that stops at the \
first miss would stop here and never find “!--”, which this walk reaches.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(ByteScript):
    kinds = KINDS
    ends = (TrieEvent.TAKE, TrieEvent.FALL_BACK, TrieEvent.UNKNOWN)
    opening = "Every walk begins at the root of the trie, a tree with an edge for each byte that may come next."

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window, "Trie walk", "one line per node reached", CODE)
        self.seen = self.reached = -1
        """last byte of the token seen on the walk, and the index after the last byte read"""
        self.found = ByteMatch(-1, 0, 0)
        """what the current walk will find"""
        self.loop_goes_on = False
        """whether the loop that stops at the first miss would still be running"""

    def begin_walk(self, start: int, index: int) -> None:
        super().begin_walk(start, index)
        self.seen, self.reached, self.loop_goes_on = -1, start, True
        while self.rows[index][1].kind not in self.ends:
            index += 1
        end = self.rows[index][1]
        self.found = ByteMatch(end.token, start, end.at)

    def event(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        kind, at, start, token = row
        if kind in self.ends:
            return kind, *self._token(fragment, row)
        self.mark(
            fragment, range(start, min(at + 1, len(fragment.data))), NOWHERE if kind == TrieEvent.NO_EDGE else PATH
        )
        if kind == TrieEvent.END:
            return kind, self.text(fragment, start, len(fragment.data))
        read = self.read(fragment.data[at])
        found = {TrieEvent.NO_EDGE: "no edge", TrieEvent.NODE: "no token"}.get(kind, f"token {token}")
        self.line(fragment, row, read, found, failed=kind == TrieEvent.NO_EDGE)
        so_far = self.text(fragment, start, at + 1)
        if kind == TrieEvent.SEEN:
            self.reached, self.seen = at + 1, at
            return kind, read, so_far, self.token_id(token)
        if self.seen >= 0:
            self.mark(fragment, [self.seen], SEEN)
        if kind == TrieEvent.NO_EDGE:
            return kind, read, self.text(fragment, start, at)
        self.reached = at + 1
        if fragment.ends_character(at) and self.loop_goes_on:
            self.loop_goes_on = False
            if self.found.end > at + 1:
                return MISSED_BY_LOOP, read, so_far, self.spelling(self.found.id)
        return kind, read, so_far

    def _token(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        """A walk ends with a token."""
        kind, at, start, token = row
        self.take(fragment, ByteMatch(token, start, at))
        if kind == TrieEvent.UNKNOWN:
            return self.read(fragment.data[start]), self.spelling(token), self.token_id(token)
        if kind == TrieEvent.TAKE:
            return self.spelling(token), self.token_id(token)
        self.mark(fragment, range(at, self.reached), BACK)
        return self.spelling(token), self.token_id(token), self.builder.plain(plural(self.reached - at, "byte"))
