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
    def of(cls, template: str, *values: int | str | Say) -> Say:
        """A sentence from values: strings become texts, numbers stay arguments, sentences are put in their place.

        >>> plain(Say.of("{0:q}: {1}.", "a", Say.of("{0} of {1:q}", 2, "b")))
        '“a”: 2 of “b”.'
        """
        args: list[int] = []
        texts: list[str] = []
        places: list[int | str] = []
        """by value, the number of its argument, or its own template"""
        for value in values:
            places.append(len(args))
            if isinstance(value, str):
                args.append(len(texts))
                texts.append(value)
            elif isinstance(value, Say):
                places[-1] = value._after(len(args))
                of_texts = {int(field[1]) for field in FIELD.finditer(value.template) if field[2] in ("q", "t")}
                args += (arg + len(texts) * (index in of_texts) for index, arg in enumerate(value.args))
                texts += value.texts
            else:
                args.append(value)

        def put(field: re.Match[str]) -> str:
            place = field[0] if field[1] is None else places[int(field[1])]
            return place if isinstance(place, str) else numbered_field(field, place)

        if any(isinstance(place, str) for place in places):
            template = FIELD.sub(put, template)
        return cls(template, tuple(args), tuple(texts))

    def _after(self, count: int) -> str:
        """The template where so many arguments come before its own."""
        return FIELD.sub(
            lambda field: field[0] if field[1] is None else numbered_field(field, int(field[1]) + count), self.template
        )

    def then(self, *others: Say) -> Say:
        """This sentence followed by others, as one.

        >>> plain(Say.of("{0} for {1:q}.", 2, "is").then(Say.of("Also {0:q}.", "it"), Say.of("And {0}.", 3)))
        '2 for “is”. Also “it”. And 3.'
        """
        joined = self
        for other in others:
            # Japanese and Chinese have no space between sentences
            joined = Say.of("{0}{1}" if joined.template.endswith("。") else "{0} {1}", joined, other)
        return joined


def listed(texts: Sequence[str], most: int = 8) -> Say:
    """Quoted texts as a list; of more than `most` the first ones, and how many more there are.

    >>> plain(listed(["a", "b", "c"])), plain(listed(["a", "b", "c"], 2))
    ('“a”, “b” and “c”', '“a”, “b” and 1 more')
    """
    shown = [Say.of("{0:q}", text) for text in texts[:most]]
    if len(texts) > most:
        shown.append(Say.of("{0} more", len(texts) - most))
    *others, last = shown
    if not others:
        return last
    return Say.of(", ".join(f"{{{index}}}" for index in range(len(others))) + f" and {{{len(others)}}}", *others, last)


def numbered_field(field: re.Match[str], number: int) -> str:
    """The field of a template with another number."""
    return f"{{{number}:{field[2]}}}" if field[2] else f"{{{number}}}"


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
