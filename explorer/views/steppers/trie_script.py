"""The stepper's script for RWKV World: the path through the trie, the last token seen on it, and the fallback.

One step per event of `engine/models/trie.py`. If the loop that stops at the first miss (`engine/models/first_miss.py`)
would stop here and miss the token this walk finds, the step says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from explorer.engine.models.first_miss import FirstMiss
from explorer.engine.models.trie import ByteMatch, TrieEvent, TrieMatch
from explorer.engine.results import Stage
from explorer.engine.trace import silent
from explorer.errors import InputError
from explorer.text.quantities import plural
from explorer.views.steppers.byte_strip import BACK, NOWHERE, PATH, SEEN, SEGMENT, ByteFragment, ByteScript
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Script, StepKind
from explorer.views.steppers.walk_track import WalkTrack
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

NOTE = "Thin lines: edges not taken, with the number of tokens behind them. A filled dot is a token."
_NODE = "Byte {0:t} has an edge. {1:q} is not a token, but a longer one begins with it: walk on."
_TOKEN = "The last token seen is {0:q}, token {1:t}: output it. The next walk begins after it."
_CHEAPER = (
    "The character {4:q} costs {5:t} by the trie, because {3:q} is a token. The loop that stops at the first miss "
    "pays {6:t}, one for each byte."
)
_LAST = "The last token passed was {%d:q}."
_GOES_ON = "{2:q} is not a token, but {4:t} through it."

EVENTS = (
    SEGMENT,
    StepKind(
        "node", "miss", _NODE, "{1:q}: no token yet", "", (3, 4, 6), "ring", 30, False,
        "An edge for {3:q}: walk on.", _GOES_ON),
    StepKind(
        "token seen", "push", "Byte {0:t} has an edge. {1:q} is token {2:t}: remember it.", "{1:q} seen, {2:t}",
        "{5:t}", (3, 4, 6), "dot", 60, False,
        "An edge for {3:q}: {4:q} is token {2:t}. Remember it.", "{5:t}"),
    StepKind(
        "path ends", "stale", "After {1:q} there is no edge for byte {0:t}: the walk ends.", "ends at {0:t}", "",
        (3, 4, 5), "diamond", 30, False, f"No edge for {{2:q}}: the walk ends. {_LAST % 3}"),
    StepKind(
        "path ends", "stale", "The text ends after {0:q}, so the walk ends.", "ends with the text", "", (3,), "diamond",
        30, False, f"The text ends, and so does the walk. {_LAST % 1}"),
    StepKind(
        "token", "merge", _TOKEN, "{0:q} {1:t}", "", (7,), "dot", 100, True, "{2:q} is taken: token {1:t}.", "{3:t}"),
    StepKind(
        "fall back", "merge", "Fall back to the last token seen, {0:q}, token {1:t}. The walk went {2:t} further; the "
        "next walk reads that again.", "back to {0:q} {1:t}", "", (7,), "diamond", 100, True,
        "Back to the last token passed: {3:q} is taken, token {1:t}.",
        "The walk went {2:t} further. The next walk reads that again."),
    StepKind(
        "unknown", "byte", "The walk saw no token: byte {0:t} becomes {1:q}, token {2:t}.", "unknown {1:q}",
        "The byte is skipped, so the algorithm always ends.", (7,), "ring", 70, True,
        "The walk passed no token: {3:q} becomes {1:q}.", "What it was is lost."),
)  # fmt: skip
"""In the order of `TrieEvent`."""

KINDS = (
    *EVENTS,
    replace(
        EVENTS[TrieEvent.NODE],
        why="A loop that stops at the first miss would stop here and never find {2:q}, which this walk reaches.",
        story="An edge for {3:q}: walk on.",
        story_why="{4:q} is not a token: a loop that stops at the first miss would never find {2:q}.",
    ),
    replace(EVENTS[TrieEvent.TAKE], why=_CHEAPER, story="{3:q} is taken: token {1:t}.", story_why=_CHEAPER),
    replace(EVENTS[TrieEvent.FALL_BACK], why=_CHEAPER, story_why=_CHEAPER),
    replace(EVENTS[TrieEvent.NO_EDGE], story="No edge for {2:q}: the walk ends. It passed no token."),
    replace(EVENTS[TrieEvent.END], story="The text ends, and so does the walk. It passed no token."),
    FOLLOW,
)
MISSED_BY_LOOP, CHEAPER, CHEAPER_BACK, NOTHING_SEEN, NOTHING_SEEN_AT_END = range(len(EVENTS), len(KINDS) - 1)


def trie_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of an RWKV trace, within a window.

    >>> from explorer.views.steppers.model_script import example
    >>> example(trie_script, "rwkv-world", "!--").sentence(2)
    'Byte 2D “-” has an edge. “!-” is not a token, but a longer one begins with it: walk on. A loop that stops at the \
first miss would stop here and never find “!--”, which this walk reaches.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(ByteScript):
    kinds = KINDS
    ends = (TrieEvent.TAKE, TrieEvent.FALL_BACK, TrieEvent.UNKNOWN)
    opening = "Every walk begins at the root of the trie, a tree with an edge for each byte that may come next."

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        walk = WalkTrack("Tokens passed on the way", NOTE, "The longest is taken:")
        super().__init__(stage, vocabulary, window, "Trie walk", "one line per node reached", CODE, walk)
        self.model = cast(TrieMatch, stage.part)
        self.seen = self.reached = -1
        """last byte of the token seen on the walk, and the index after the last byte read"""
        self.passed = 0
        """tokens on the walk so far"""
        self.found = ByteMatch(-1, 0, 0)
        """what the current walk will find"""
        self.loop_goes_on = False
        """whether the loop that stops at the first miss would still be running"""
        self.loop = loop_over(vocabulary)

    def begin_walk(self, start: int, index: int) -> None:
        super().begin_walk(start, index)
        self.seen, self.reached, self.passed, self.loop_goes_on = -1, start, 0, True
        fragment = self.rows[index][0]
        self.walk.begin(self._branches(fragment, start, start))
        while self.rows[index][1].kind not in self.ends:
            index += 1
        end = self.rows[index][1]
        self.found = ByteMatch(end.token, start, end.at)

    def event(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        kind, at, start, token = row
        if kind in self.ends:
            return self._token(fragment, row)
        self.mark(fragment, range(start, min(at, len(fragment.data)) + (kind != TrieEvent.NO_EDGE)), PATH)
        if kind == TrieEvent.END:
            self.walk.stop(b"", "the text ends")
            args = [self.text(fragment, start, len(fragment.data)), *self._last(fragment)]
            return (kind if self.seen >= 0 else NOTHING_SEEN_AT_END, *args)
        byte = fragment.data[at : at + 1]
        read, name = self.read(byte[0]), self.name(byte)
        found = {TrieEvent.NO_EDGE: "no edge", TrieEvent.NODE: "no token"}.get(kind, f"token {token}")
        self.line(fragment, row, read, found, failed=kind == TrieEvent.NO_EDGE)
        so_far, shown = self.text(fragment, start, at + 1), self.name(fragment.data[start : at + 1])
        if kind == TrieEvent.NO_EDGE:
            self._mark_seen(fragment)
            self.mark(fragment, [at], NOWHERE)
            self.walk.stop(byte, "no edge")
            args = [read, self.text(fragment, start, at), name, *self._last(fragment)]
            return (kind if self.seen >= 0 else NOTHING_SEEN, *args)
        branches = self._branches(fragment, start, at + 1)
        self.walk.node(byte, token, shown if token >= 0 else -1, at + 1 - start, branches)
        through = self.model.prefixes.count(fragment.data[start : at + 1])
        if kind == TrieEvent.SEEN:
            self.reached, self.seen, self.passed = at + 1, at, self.passed + 1
            return kind, read, so_far, self.token_id(token), name, shown, self._longer(through - 1)
        self._mark_seen(fragment)
        self.reached = at + 1
        goes_on = self.builder.plain(f"{plural(through, 'token')} {'goes' if through == 1 else 'go'}")
        if fragment.ends_character(at) and self.loop_goes_on:
            self.loop_goes_on = False
            if self.found.end > at + 1:
                return MISSED_BY_LOOP, read, so_far, self.spelling(self.found.id), name, shown
        return kind, read, so_far, shown, name, goes_on

    def _token(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        """A walk ends with a token."""
        kind, at, start, token = row
        self.take(fragment, ByteMatch(token, start, at))
        if kind == TrieEvent.UNKNOWN:
            byte = self.name(fragment.data[start : start + 1])
            return kind, self.read(fragment.data[start]), self.spelling(token), self.token_id(token), byte
        self.walk.take(at - start, self.next_text(fragment, at))
        args = [self.spelling(token), self.token_id(token)]
        shown = self.name(self.vocabulary.pieces[token])
        character = self._cheaper(fragment, start, at)
        if kind == TrieEvent.FALL_BACK:
            self.mark(fragment, range(at, self.reached), BACK)
            args += [self.builder.plain(plural(self.reached - at, "byte")), shown]
            return (CHEAPER_BACK, *args, *character) if character else (kind, *args)
        passed = "It is the only token on the way." if self.passed == 1 else (
            f"{self.passed} tokens lay on the way. The last one is the longest match, and no shorter one is looked at "
            "again."
        )  # fmt: skip
        if character:
            return CHEAPER, *args, shown, shown, *character
        return kind, *args, shown, self.builder.plain(passed)

    # --- arguments ------------------------------------------------------------------------------------------------

    def _branches(self, fragment: ByteFragment, start: int, at: int) -> int:
        prefix = fragment.data[start:at]
        return self.walk.branches_of(prefix, fragment.data[at : at + 1], self.model.prefixes.by_byte(prefix))

    def _mark_seen(self, fragment: ByteFragment) -> None:
        if self.seen >= 0:
            self.mark(fragment, [self.seen], SEEN)

    def _last(self, fragment: ByteFragment) -> list[int]:
        """The last token passed, if there is one."""
        return [self.name(fragment.data[self.start : self.seen + 1])] if self.seen >= 0 else []

    def _longer(self, count: int) -> int:
        """How many longer tokens begin like this one."""
        if not count:
            return self.builder.plain("No longer token begins with it.")
        return self.builder.plain(f"{plural(count, 'longer token')} {'begins' if count == 1 else 'begin'} with it.")

    def _cheaper(self, fragment: ByteFragment, start: int, end: int) -> list[int]:
        """A character whose first bytes are a token: itself, its tokens by the trie and by the loop, if those differ.

        It counts the character alone, as if nothing followed it.
        """
        if self.loop is None or end - start < 2 or fragment.of[start] != fragment.of[end - 1]:
            return []
        first = start == 0 or fragment.of[start - 1] != fragment.of[start]
        if not first or fragment.ends_character(end - 1):
            return []
        data = fragment.character(start).encode()
        by_trie, by_loop = len(self.model.tokenize(data, silent)), len(self.loop.tokenize(data, silent))
        if by_trie == by_loop:
            return []
        counts = [self.builder.plain(text) for text in (plural(by_trie, "token"), plural(by_loop, "token"))]
        return [self.builder.text(fragment.character(start)), *counts]


def loop_over(vocabulary: Vocabulary) -> FirstMiss | None:
    """The loop that stops at the first miss, for comparison; None if its tokens 1 to 256 are not the bytes."""
    try:
        return FirstMiss(vocabulary)
    except InputError:
        return None
