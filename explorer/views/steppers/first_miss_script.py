"""The stepper's script for the loop that stops at the first miss, compared with what the trie would take.

One step per event of `engine/models/first_miss.py`. If a walk through the trie from the same byte would take another
token, the step says which. With the fault of `first_length` a step takes as many bytes as the round's first character
has, so what it reads is named as bytes where it is not one character.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from explorer.engine.models.first_miss import FirstMiss, FirstMissEvent
from explorer.engine.models.trie import ByteMatch
from explorer.engine.results import Stage
from explorer.engine.trace import silent
from explorer.text.quantities import plural
from explorer.text.utf8 import width
from explorer.views.steppers.byte_strip import NOWHERE, PATH, SEGMENT, ByteFragment, ByteScript
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Script, StepKind
from explorer.views.steppers.walk_track import BEYOND, WalkTrack
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "start = 0",
    "while start < the end of the text:",
    "    so far = nothing",
    "    for each character from start on:",
    "        if so far + character is not a token: leave the loop",
    "        so far = so far + character",
    "    if so far is nothing: output byte + 1 for each byte",
    "    else: output its token; start = its end",
)
CODE_FIRST_LENGTH = (
    *CODE[:3],
    "    for each n bytes, n = length of the character at start:",
    "        if so far + these is not a token: leave the loop",
    "        so far = so far + these",
    *CODE[6:],
)
CODE_END = ("output the last token found in the last round, or −1",)

NOTE = "Thin lines: characters not taken, with the number of tokens behind them. A filled dot is a token."
_TOKEN = "The last token found is {0:q}, token {1:t}: output it. The next round begins after it."
_BYTE = "The character {0:q} is not a token: its byte {1:t} becomes token {2:t}, byte + 1."
_TRIE = "From here the trie takes {%d:q}, token {%d:t}: it walks on through prefixes that are not tokens."

_TAKEN = "{%d:q} is taken: token {1:t}."
_COSTS = "The character {0:q} costs {5:t} here, one for each byte. The trie needs {6:t}, because {7:q} is a token."
UNCHECKED = (
    "The text ends here. A loop that doesn't check what it found outputs −1 as well: keep the fault “end” to see it."
)
_LENGTH = "A fault: it reads {%d:t} at a time, the length of the round's first character."
_NO_ID = "A fault that is kept here, “end”. −1 is not an id, so no token is made of it."

EVENTS = (
    SEGMENT,
    StepKind(
        "token seen", "push", "With the character {0:q} it is {1:q}, token {2:t}: try one more character.",
        "{1:q} {2:t}", "", (3, 4, 5), "dot", 60, False, "With {0:q} it is {1:q}: token {2:t}. Try one more character.",
        "The loop goes on as long as it is a token."),
    StepKind(
        "first miss", "stale", "With the character {0:q} it is {1:q}, which is not a token: stop.", "{1:q}: no token",
        "{2:t}", (3, 4), "diamond", 45, False,
        "With {0:q} it is {1:q}: not a token, so the loop stops.", "{2:t}"),
    StepKind(
        "text ends", "stale", "The text ends after {0:q}, so the round ends.", "ends with the text", "", (3,),
        "diamond", 30, False, "The text ends after {0:q}."),
    StepKind(
        "token", "merge", _TOKEN, "{0:q} {1:t}", "", (7,), "dot", 100, True, _TAKEN % 2,
        "It was the last one found. The next round begins after it."),
    StepKind(
        "byte", "byte", _BYTE, "byte {1:t} {2:t}", "A character without a token costs one token per byte.", (6,), "dot",
        70, True, "{0:q} is not a token. Its byte {3:q} becomes token {2:t}.",
        "Tokens 1 to 256 are the bytes 0 to 255, so the id is the byte + 1."),
    StepKind(
        "−1", "stale", "The text is over, and the loop outputs the last id it found. After a character that became "
        "bytes it has found none: it outputs −1.", "−1, which is not an id", _NO_ID, (8,), "diamond", 100, True,
        "The text is over, and no id was found last: the loop outputs −1.", _NO_ID),
    StepKind(
        "past the end", "stale", "The next {0:t} would end after the text: what is there can't match, so the round "
        "ends.", "past the end", _LENGTH % 0, (3, 4), "diamond", 45, False,
        "The next {0:t} would end after the text. Nothing there matches, so the loop stops.", _LENGTH % 0),
)  # fmt: skip
"""In the order of `FirstMissEvent`."""

KINDS = (
    *EVENTS,
    replace(
        EVENTS[FirstMissEvent.TAKE], label="not the longest", log="{0:q} {1:t}, the trie {3:q}", why=_TRIE % (3, 4),
        shape="diamond", story_why="The trie takes {5:q} here: it walks on through prefixes that are not tokens.",
    ),
    replace(
        EVENTS[FirstMissEvent.BYTE], label="not the longest", log="byte {1:t} {2:t}, the trie {4:q}",
        why=_TRIE % (4, 5), shape="diamond",
        story_why="The trie takes {6:q} here: it walks on through prefixes that are not tokens.",
    ),
    replace(
        EVENTS[FirstMissEvent.BYTE], label="not the longest", log="byte {1:t} {2:t}, the trie {4:q}",
        why=f"From here the trie takes {{7:q}}, token {{8:t}}. {_COSTS}", shape="diamond", story_why=_COSTS,
    ),
    replace(EVENTS[FirstMissEvent.BYTE], why=UNCHECKED, story_why=UNCHECKED),
    replace(
        EVENTS[FirstMissEvent.CHARACTER], say="With the next {3:t}, {0:q}, it is {1:q}, token {2:t}: go on.",
        why=_LENGTH % 3, story="With the next {3:t} it is {1:q}: token {2:t}. Go on.", story_why=_LENGTH % 3,
    ),
    replace(
        EVENTS[FirstMissEvent.MISS], say="With the next {3:t}, {0:q}, it is {1:q}, which is not a token: stop.",
        why=f"{_LENGTH % 3} {{2:t}}", story="With the next {3:t} it is {1:q}: not a token, so the loop stops.",
        story_why=f"{_LENGTH % 3} {{2:t}}",
    ),
    FOLLOW,
)  # fmt: skip
LONGER = {FirstMissEvent.TAKE: len(EVENTS), FirstMissEvent.BYTE: len(EVENTS) + 1}
CHEAPER = len(EVENTS) + 2
LAST_BYTE = CHEAPER + 1
"""A byte with which the text ends."""
BY_BYTES = {FirstMissEvent.CHARACTER: LAST_BYTE + 1, FirstMissEvent.MISS: LAST_BYTE + 2}
"""What is read is not one character, because of the fault of `first_length`."""


def first_miss_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a first-miss trace, within a window.

    >>> from explorer.views.steppers.model_script import example
    >>> example(first_miss_script, "rwkv-world@first-miss", "!--").sentence(3)
    'The last token found is “!”, token 34: output it. The next round begins after it. From here the trie takes “!--”, \
token 5169: it walks on through prefixes that are not tokens.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(ByteScript):
    kinds = KINDS
    ends = (FirstMissEvent.TAKE, FirstMissEvent.BYTE)
    opening = "The loop adds one character at a time, as long as the result is a token."

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        walk = WalkTrack("Tokens found on the way", NOTE, "The last one is taken:", by_byte=False)
        self.model = cast(FirstMiss, stage.part)
        code = (*(CODE_FIRST_LENGTH if self.model.first_length else CODE), *CODE_END * self.model.unchecked_end)
        super().__init__(stage, vocabulary, window, "First miss", "one line per character tried", code, walk)

    def begin_walk(self, start: int, index: int) -> None:
        super().begin_walk(start, index)
        fragment = self.rows[index][0]
        self.walk.begin(self._branches(fragment, start, start))

    def event(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        kind, at, start, token = row
        if kind == FirstMissEvent.NO_ID:
            return (kind,)
        if kind == FirstMissEvent.PAST_END:
            self.walk.stop(b"", "past the end")
            return kind, self.builder.plain(plural(width(fragment.data[start]), "byte"))
        if kind in self.ends:
            return self._token(fragment, row)
        missed = kind == FirstMissEvent.MISS
        self.mark(fragment, range(start, min(at + 1, len(fragment.data))), NOWHERE if missed else PATH)
        if kind == FirstMissEvent.END:
            self.walk.stop(b"", "the text ends")
            return kind, self.text(fragment, start, len(fragment.data))
        length = len(fragment.character(at).encode())
        if self.model.first_length:
            length = min(width(fragment.data[start]), at + 1 - start)
        read = fragment.data[at + 1 - length : at + 1]
        ch, so_far = self.name(read), self.text(fragment, start, at + 1)
        self.line(fragment, row, ch, "no token" if missed else f"token {token}", failed=missed)
        more: tuple[int, ...] = ()
        if read != fragment.character(at).encode():
            kind, more = BY_BYTES[kind], (self.builder.plain(plural(length, "byte")),)
        if missed:
            self.walk.stop(read, "no token")
            return kind, ch, so_far, self._through(fragment.data[start : at + 1]), *more
        branches = self._branches(fragment, start, at + 1)
        self.walk.node(read, token, so_far, at + 1 - start, branches)
        return kind, ch, so_far, self.token_id(token), *more

    def _token(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        """A round ends with a token, or with the next byte of a character."""
        kind, at, start, token = row
        if kind == FirstMissEvent.TAKE:
            taken = ByteMatch(token, start, at)
            args = [self.spelling(token), self.token_id(token), self.name(fragment.data[start:at])]
            self.walk.take(at - start, self.next_text(fragment, at))
        else:
            taken = ByteMatch(token, at, at + 1)
            args = [self.builder.text(fragment.character(at)), self.read(fragment.data[at]), self.token_id(token),
                    self.name(fragment.data[at : at + 1])]  # fmt: skip
        self.take(fragment, taken)
        longest = self.model.trie.trie.longest(fragment.data, start) if taken.start == start else None
        if longest in (None, taken):
            last = kind == FirstMissEvent.BYTE and taken.end == len(fragment.data) and not self.model.unchecked_end
            return LAST_BYTE if last else kind, *args
        assert longest is not None
        args += [self.spelling(longest.id)]
        by_trie = self.name(fragment.data[start : longest.end])
        character = fragment.character(start).encode()
        if kind == FirstMissEvent.BYTE and longest.end - start < len(character):
            counts = len(character), len(self.model.trie.tokenize(character, silent))
            return (
                CHEAPER,
                *args,
                *(self.builder.plain(plural(count, "token")) for count in counts),
                by_trie,
                self.token_id(longest.id),
            )
        self._go_on(fragment, start, at, longest)
        return LONGER[kind], *args, self.token_id(longest.id), by_trie

    def _go_on(self, fragment: ByteFragment, start: int, at: int, longest: ByteMatch) -> None:
        """Draws where the trie would walk on to, character by character."""
        begin = at
        while begin < longest.end:
            end = min(longest.end, begin + len(fragment.character(begin).encode()))
            found = longest.id if end == longest.end else -1
            shown = self.name(fragment.data[start:end]) if found >= 0 else -1
            self.walk.node(fragment.data[begin:end], found, shown, end - start, 0, BEYOND)
            begin = end

    def _branches(self, fragment: ByteFragment, start: int, at: int) -> int:
        prefix = fragment.data[start:at]
        following = fragment.character(at).encode() if at < len(fragment.data) else b""
        if self.model.first_length:
            following = fragment.data[at : at + width(fragment.data[start])]
        return self.walk.branches_of(prefix, following, self.model.trie.prefixes.by_character(prefix))

    def _through(self, prefix: bytes) -> int:
        """Whether the loop misses something by stopping here."""
        count = self.model.trie.prefixes.count(prefix)
        if not count:
            return self.builder.plain("No longer token begins with it either.")
        return self.builder.plain(
            f"It doesn't look further, though {plural(count, 'token')} {'begins' if count == 1 else 'begin'} with it."
        )
