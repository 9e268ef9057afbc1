"""What stops a template in llama.cpp's engine, before it becomes an error for people."""

from __future__ import annotations

from explorer.prompts.traced_text import TracedText


class Failed(Exception):
    """An error of the lexer, the parser or the interpreter. at: an offset in the source, in bytes; -1 if unknown."""

    def __init__(self, message: str, at: int = -1) -> None:
        super().__init__(message)
        self.at = at


class Raised(Failed):
    """What the template's own `raise_exception` raises."""


class Jump(Exception):
    """What ends a turn of a loop. text: what the blocks inside the turn had written."""

    text: TracedText = TracedText("")


class Break(Jump):
    """`{% break %}`."""


class Continue(Jump):
    """`{% continue %}`."""
