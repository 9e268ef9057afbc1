"""The part of a long text that is drawn.

A text is always tokenized whole. A page draws a window of its code points, widened so that its edges cut no token. All
parts of a page share one window.
"""

from __future__ import annotations

from typing import NamedTuple

from explorer.engine.tokenizer import Trace

WINDOW = 2_000
"""Code points drawn at a time; shorter texts are drawn whole."""


class Window(NamedTuple):
    """Code points [start, end) of the original text; `first` and `last` are the tokens drawn, [first, last)."""

    start: int
    end: int
    first: int
    last: int

    def holds(self, start: int) -> bool:
        """Whether a code point lies in the window."""
        return self.start <= start < self.end


def window_of(trace: Trace, at: int = 0, size: int = WINDOW) -> Window:
    """The window that begins at code point `at`, or at the token around it; `at` is clamped to the text.

    >>> import explorer
    >>> window_of(explorer.load("llama-2").trace("What is LoRA?"), 6, 3)
    Window(start=4, end=10, first=2, last=4)
    """
    tokens, length = trace.encoding.tokens, len(trace.text)
    if length <= size:
        return Window(0, length, 0, len(tokens))
    at = max(0, min(at, length - size))
    first = next((i for i, token in enumerate(tokens) if token.end > at), len(tokens))
    last = next((i for i in range(first, len(tokens)) if tokens[i].start >= at + size), len(tokens))
    # white space stripped by a special token belongs to no token, but to the window it lies in
    start = min(at, tokens[first].start) if first < len(tokens) and tokens[first].start >= 0 else at
    end = max(at + size, tokens[last - 1].end) if last > first else at + size
    return Window(start if first or at else 0, min(end, length), first if at else 0, last)
