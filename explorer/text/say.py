"""Sentences, kept apart from the texts in them until they are drawn, and quantities in words.

A token may be spelled like markup, so a sentence never has tokens pasted in. The browser fills the template with text
nodes; `plain` fills it for the command line and for tests. `{i}` is the i-th argument as a count, with separated
thousands, `{i:i}` as an id or index, without; `{i:q}` is the text it points to, quoted, `{i:t}` that text unquoted;
`{{` and `}}` are braces. Scores, sizes, numbers, plurals and times are spelled as in American English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

KEPT: Final = 1_000
"""Numbers whose text is kept: the steps of a stepper say the same ones again and again."""


def decimal(value: float) -> str:
    """A score with a true minus sign: four significant digits, or a whole number.

    >>> decimal(-1e9), decimal(-3.46417236328125)
    ('−1,000,000,000', '−3.464')
    """
    return (f"{int(value):,}" if value == int(value) else f"{value:,.4g}").replace("-", "−")


def size(bytes: int) -> str:
    """A number of bytes in bytes, kB, MB, GB or TB.

    >>> size(999), size(1_300_000), size(35_000_000), size(2 * 10**15)
    ('999 bytes', '1.3 MB', '35.0 MB', '2,000.0 TB')
    """
    if bytes < 1000:
        return f"{bytes} bytes"
    power = min(4, (len(str(bytes)) - 1) // 3)
    return f"{bytes / 1000**power:,.1f} {'kMGT'[power - 1]}B"


def three_digits(count: int) -> str:
    """An estimated number, in three digits.

    >>> three_digits(709_519_570_542), three_digits(1_234_567), three_digits(12_345), three_digits(999_999)
    ('710 billion', '1.23 million', '12,300', '1 million')
    """
    rounded = int(float(f"{count:.3g}"))
    for size, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million")):
        if rounded >= size:
            return f"{rounded / size:,.4g} {name}"
    return f"{rounded:,}"


@lru_cache(KEPT)
def number(value: float) -> str:
    """A number with a true minus sign and separated thousands; four decimals if it is not whole.

    >>> number(-8550), number(1234567), number(-11.5123456)
    ('−8,550', '1,234,567', '−11.5123')
    """
    text = f"{int(value):,}" if value == int(value) else f"{value:,.4f}"
    return text.replace("-", "−")


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `1 token`, `2 tokens`. many: the plural, if it is not `one` + s."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


@lru_cache(KEPT)
def two_digits(value: float) -> str:
    """A number with two digits after the point, rounded once.

    >>> two_digits(-10.86498), two_digits(-0.001), two_digits(1234.5)
    ('−10.86', '0.00', '1,234.50')
    """
    shown = f"{value:,.2f}".replace("-", "\u2212")
    return shown.removeprefix("\u2212") if not shown.strip("\u22120.") else shown


def told_apart(one: float, other: float, shown: Callable[[float], str] = two_digits) -> tuple[str, str]:
    """Two numbers as `shown` writes them; with more digits if they would look the same and are not.

    >>> told_apart(-3.9312, -3.9287), told_apart(-3.93, -3.94), told_apart(1.5, 1.5)
    (('−3.931', '−3.929'), ('−3.93', '−3.94'), ('1.50', '1.50'))
    """
    found, digits = (shown(one), shown(other)), 2
    while found[0] == found[1] and one != other:
        digits += 1
        found = f"{one:,.{digits}f}".replace("-", "\u2212"), f"{other:,.{digits}f}".replace("-", "\u2212")
    return found


def clock_time(seconds: float) -> str:
    """A duration as minutes and seconds, a long one with hours.

    >>> clock_time(75), clock_time(2 * 3600 + 90)
    ('1:15', '2:01:30')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def stretches(numbers: Iterable[int]) -> list[str]:
    """Ascending whole numbers, neighbors as one stretch.

    >>> stretches([3, 5, 6, 7, 9])
    ['3', '5 to 7', '9']
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return [f"{first}" if first == last else f"{first} to {last}" for first, last in found]


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
