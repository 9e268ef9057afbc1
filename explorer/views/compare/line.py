"""A line of sentences, parts of which stand out: in bold, or in the color of what they are about."""

from __future__ import annotations

from typing import Any, NamedTuple

from explorer.text.say import Say, plain

BOLD = "b"
FEWER, MORE, ELSEWHERE, FOCUS = "k1", "k2", "k3", "k4"
"""Styles: a color as `aligned.css` has it, by what it means; several are separated by spaces."""


class Line(NamedTuple):
    """Sentences and parts of sentences in a row, each with its style, "" for plain."""

    parts: tuple[tuple[Say, str], ...]

    @classmethod
    def of(cls, *parts: Say | str | tuple[Say | str, str]) -> Line:
        """A line from sentences and fixed texts, plain or with a style.

        >>> str(Line.of("It is ", (Say.of("{0}", 7), BOLD), "."))
        'It is 7.'
        """
        pairs = (part if isinstance(part, tuple) and not isinstance(part, Say) else (part, "") for part in parts)
        return cls(tuple((Say(each) if isinstance(each, str) else each, style) for each, style in pairs))

    def __str__(self) -> str:
        """The line without its styles."""
        return "".join(plain(say) for say, _ in self.parts)

    @property
    def data(self) -> list[Any]:
        """The line as the browser takes it."""
        return [[say._asdict(), style] for say, style in self.parts]
