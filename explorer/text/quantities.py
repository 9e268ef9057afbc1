"""Quantities in words: scores, sizes, numbers, plurals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

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
