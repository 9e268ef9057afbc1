"""The stepper's script for the loop that stops at the first miss, compared with what the trie would take.

One step per event of `engine/models/first_miss.py`. If a walk through the trie from the same byte would take another
token, the step says which.
"""

from __future__ import annotations

from typing import Any, cast

from explorer.engine.models.first_miss import FirstMiss, FirstMissEvent
from explorer.engine.models.trie import ByteMatch
from explorer.engine.tokenizer import Stage
from explorer.views.steppers.byte_strip import NOWHERE, PATH, SEGMENT, ByteFragment, ByteScript
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Script, StepKind
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

_TOKEN = "The last token found is {0:q}, token {1:t}: output it. The next round begins after it."
_BYTE = "The character {0:q} is not a token: its byte {1:t} becomes token {2:t}, byte + 1."
_TRIE = "From here the trie takes {%d:q}, token {%d:t}: it walks on through prefixes that are not tokens."

KINDS = (
    SEGMENT,
    StepKind(
        "token seen", "push", "With the character {0:q} it is {1:q}, token {2:t}: try one more character.",
        "{1:q} {2:t}", "", (3, 4, 5), "dot", 60),
    StepKind(
        "first miss", "stale", "With the character {0:q} it is {1:q}, which is not a token: stop.", "{1:q}: no token",
        "The loop doesn't check whether a longer token begins with it.", (3, 4), "diamond", 45),
    StepKind(
        "text ends", "stale", "The text ends after {0:q}, so the round ends.", "ends with the text", "", (3,),
        "diamond", 30),
    StepKind("token", "merge", _TOKEN, "{0:q} {1:t}", "", (7,), "dot", 100, True),
    StepKind(
        "byte", "byte", _BYTE, "byte {1:t} {2:t}", "A character without a token costs one token per byte.", (6,), "dot",
        70, True),
    StepKind(
        "not the longest", "merge", _TOKEN, "{0:q} {1:t}, the trie {2:q}", _TRIE % (2, 3), (7,), "diamond", 100, True),
    StepKind(
        "not the longest", "byte", _BYTE, "byte {1:t} {2:t}, the trie {3:q}", _TRIE % (3, 4), (6,), "diamond", 70,
        True),
    FOLLOW,
)  # fmt: skip
"""In the order of `FirstMissEvent`, then three more."""
LONGER = {FirstMissEvent.TAKE: len(FirstMissEvent), FirstMissEvent.BYTE: len(FirstMissEvent) + 1}


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
        super().__init__(stage, vocabulary, window, "First miss", "one line per character tried", CODE)
        self.model = cast(FirstMiss, stage.part)

    def event(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        kind, at, start, token = row
        if kind in self.ends:
            return self._token(fragment, row)
        self.mark(
            fragment, range(start, min(at + 1, len(fragment.data))), NOWHERE if kind == FirstMissEvent.MISS else PATH
        )
        if kind == FirstMissEvent.END:
            return kind, self.text(fragment, start, len(fragment.data))
        ch, so_far = self.builder.text(fragment.character(at)), self.text(fragment, start, at + 1)
        missed = kind == FirstMissEvent.MISS
        self.line(fragment, row, ch, "no token" if missed else f"token {token}", failed=missed)
        return (kind, ch, so_far) if missed else (kind, ch, so_far, self.token_id(token))

    def _token(self, fragment: ByteFragment, row: Any) -> tuple[int, ...]:
        """A round ends with a token, or with the next byte of a character."""
        kind, at, start, token = row
        if kind == FirstMissEvent.TAKE:
            taken = ByteMatch(token, start, at)
            args = [self.spelling(token), self.token_id(token)]
        else:
            taken = ByteMatch(token, at, at + 1)
            args = [self.builder.text(fragment.character(at)), self.read(fragment.data[at]), self.token_id(token)]
        self.take(fragment, taken)
        longest = self.model.trie.trie.longest(fragment.data, start) if taken.start == start else None
        if longest in (None, taken):
            return kind, *args
        assert longest is not None
        return LONGER[kind], *args, self.spelling(longest.id), self.token_id(longest.id)
