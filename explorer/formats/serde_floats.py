"""Numbers as Rust's serde_json reads them, which Hugging Face's tokenizers does with a tokenizer.json.

Without its feature `float_roundtrip`, serde_json reads the digits as an integer of 64 bits, converts it to a float, and
multiplies or divides it by a power of ten. Each step rounds, so the last bit of a quarter of the scores of a Unigram
model differs from the nearest float, which Python reads, and sums that are equal for one are unequal for the other.

Follows `parse_integer`, `parse_decimal`, `parse_exponent` and `f64_from_parts` of serde_json's src/de.rs.
"""

from __future__ import annotations

from math import inf
from typing import Final

from explorer.errors import shown
from explorer.formats.strict_json import RefusedError

MOST: Final = 308
"""The largest power of ten that a float can hold."""
POWERS: Final = tuple(float(f"1e{exponent}") for exponent in range(MOST + 1))
LARGEST: Final = (1 << 64) - 1
"""The largest integer of 64 bits."""
FITS: Final = 19
"""So many digits always fit into 64 bits."""


def serde_float(text: str) -> float:
    """The number that serde_json reads, given its JSON text, which has a point or an exponent.

    Raises RefusedError for a number that is too large for a float, as the original does.

    >>> serde_float("-0.9385958677423489"), float("-0.9385958677423489")
    (-0.9385958677423488, -0.9385958677423489)
    """
    # almost all scores take this path; the other one also has the sign of -0.0
    if len(text) <= FITS and "e" not in text and "E" not in text:
        return int(text.replace(".", "")) / POWERS[len(text) - text.index(".") - 1] or _any(text)
    return _any(text)


def _any(text: str) -> float:
    """The same for a text of any length, with or without an exponent."""
    mantissa, _, written = text.lower().partition("e")
    whole, _, decimals = mantissa.removeprefix("-").partition(".")
    significand, left = _appended(0, whole)
    significand, left_decimals = _appended(significand, decimals)
    digits = written.lstrip("+-").lstrip("0")
    # more digits are out of range anyway, and Python refuses to read thousands
    exponent = int(digits[:11] or 0) * (-1 if written.startswith("-") else 1)
    value = _scaled(float(significand), exponent + left - (len(decimals) - left_decimals))
    if value == inf:
        raise RefusedError(f"the number {shown(text)} is too large")
    return -value if text.startswith("-") else value


def _appended(significand: int, digits: str) -> tuple[int, int]:
    """A significand with the digits appended up to the first that does not fit, and the number of digits left."""
    for index, digit in enumerate(digits):
        longer = significand * 10 + int(digit)
        if longer > LARGEST:
            return significand, len(digits) - index
        significand = longer
    return significand, 0


def _scaled(value: float, exponent: int) -> float:
    """The value times a power of ten, in one step where a float can hold the power. Too large ones become inf."""
    while value and exponent < -MOST:
        value /= POWERS[MOST]
        exponent += MOST
    if not value:
        return 0.0
    if exponent > MOST:
        return inf
    return value * POWERS[exponent] if exponent >= 0 else value / POWERS[-exponent]
