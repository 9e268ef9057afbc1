"""Sentences: a template and its texts, kept apart until they are drawn.

A token may be spelled like markup, so a sentence never has tokens pasted in. The browser fills the template with text
nodes; `plain` fills it for the command line and for tests. `{i}` is the i-th argument as a count, with separated
thousands, `{i:i}` as an id or index, without; `{i:q}` is the text it points to, quoted, `{i:t}` that text unquoted;
`{{` and `}}` are braces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from explorer.text.quantities import number

FIELD = re.compile(r"\{\{|\}\}|\{(\d+)(?::([qti]))?\}")


class Say(NamedTuple):
    """A sentence before its template is filled.

    template: with `{0}`, `{0:i}`, `{0:q}`, `{0:t}`. args: whole numbers, or indices in `texts`.

    >>> plain(Say("{0:q} is token {1:i} of {2}.", (0, 1338, 32000), ("▁is",)))
    '“▁is” is token 1338 of 32,000.'
    """

    template: str
    args: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, template: str, *values: int | str) -> Say:
        """A sentence from values: strings become texts, numbers stay arguments."""
        args: list[int] = []
        texts: list[str] = []
        for value in values:
            if isinstance(value, str):
                args.append(len(texts))
                texts.append(value)
            else:
                args.append(value)
        return cls(template, tuple(args), tuple(texts))

    def then(self, *others: Say) -> Say:
        """This sentence followed by others, as one.

        >>> plain(Say.of("{0} for {1:q}.", 2, "is").then(Say.of("Also {0:q}.", "it"), Say.of("And {0}.", 3)))
        '2 for “is”. Also “it”. And 3.'
        """
        joined = self
        for other in others:
            joined = joined._and(other)
        return joined

    def _and(self, other: Say) -> Say:
        texts: set[int] = set()
        """arguments that point to texts"""

        def moved(field: re.Match[str]) -> str:
            if field[1] is None:
                return field[0]
            if field[2] in ("q", "t"):
                texts.add(int(field[1]))
            return f"{{{int(field[1]) + len(self.args)}{':' if field[2] else ''}{field[2] or ''}}}"

        # Japanese and Chinese have no space between sentences
        space = "" if self.template.endswith("。") else " "
        template = f"{self.template}{space}{FIELD.sub(moved, other.template)}"
        args = (arg + len(self.texts) if index in texts else arg for index, arg in enumerate(other.args))
        return Say(template, (*self.args, *args), self.texts + other.texts)


def fill(template: str, args: Sequence[int], texts: Sequence[str]) -> str:
    """The template with its fields filled, as one string."""

    def field(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        value = args[int(match[1])]
        if match[2] is None:
            return number(value)
        if match[2] == "i":
            return str(value).replace("-", "−")
        return f"“{texts[value]}”" if match[2] == "q" else texts[value]

    return FIELD.sub(field, template)


def plain(say: Say) -> str:
    """The sentence as one string."""
    return fill(say.template, say.args, say.texts)
