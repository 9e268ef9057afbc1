"""Untrusted TOML: read completely or refused, in memory and time bounded by the file's size.

Python's reader remembers every prefix of a dotted key, so a key of 29,000 parts takes gigabytes, and recurses into
nested values. So the keys and brackets of a file are counted before it is parsed; strings and comments are skipped as
the reader skips them. Where a file is damaged, the count may go wrong, but the reader stops there as well. Numbers are
those of TOML's specification: whole ones of 64 bits, and no infinity or NaN.

Left out: the length of the file, which its kind decides.
"""

import re
import tomllib
from math import isfinite
from typing import Any

from explorer.errors import InputError, shown

MAX_PARTS = 8
"""Parts of a dotted key. Those of lessons have up to 3."""
MAX_DEPTH = 16
"""Nesting of lists and tables in brackets."""
MAX_KEYS = 20_000
"""Parts of all keys together; each takes about a kilobyte. A list of 1,000 edits has up to 8,000."""
LARGEST = 2**63
"""Whole numbers are smaller than this, and at least its negative."""

PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
TOKEN = re.compile(
    rf"""
    (?P<text>"{{3}}(?:[^"\\]|\\.|"(?!""))*+"{{3,5}}|'{{3}}(?:[^']|'(?!''))*+'{{3,5}}|\#[^\n]*+)
    |(?P<key>{PART}(?:[ \t]*+\.[ \t]*+{PART})*+[ \t]*+(?P<end>[=\]]?))
    |(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<line>\n)|(?P<quote>["'])
    """,
    re.VERBOSE | re.DOTALL,
)
ONE_PART = re.compile(PART, re.DOTALL)


def read(text: str, name: str) -> dict[str, Any]:
    """The tables of a file. name: what errors call it. Raises InputError.

    >>> read('[a.b]\\nc = [1, 2.5]', "toy")
    {'a': {'b': {'c': [1, 2.5]}}}
    >>> read("a." * 29_000 + "a = 1", "toy")
    Traceback (most recent call last):
    explorer.errors.InputError: toy, line 1: a key has more than 8 parts; shorten it
    """
    check_keys(text, name)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: this is not TOML: {error}. Correct it there.") from None
    except ValueError:  # Python refuses numbers of more than 4,300 digits
        raise InputError(f"{name}: a number in it has thousands of digits; shorten it") from None
    except RecursionError:  # a caller that is nested deeply itself
        raise InputError(f"{name}: its values are nested too deeply; flatten them") from None
    place = _large(tables)
    if place is not None:
        raise InputError(f"{name}: {place}: this is not a number of 64 bits; write a smaller one")
    return tables


def check_keys(text: str, name: str) -> None:
    """Raises InputError if the keys of a file are too long or too many, or its values nested too deeply."""
    depth = keys = 0
    after_equals = False
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "end" or kind == "key":
            written = token["key"]
            parts = len(ONE_PART.findall(written)) if "." in written else 1
            if parts > MAX_PARTS:
                raise InputError(f"{_line(text, token, name)}: a key has more than {MAX_PARTS} parts; shorten it")
            if token["end"] == "=" or not after_equals:
                keys += parts
                if keys > MAX_KEYS:
                    raise InputError(f"{_line(text, token, name)}: more than {MAX_KEYS:,} keys; make two files of it")
            after_equals |= token["end"] == "="
            depth -= token["end"] == "]"
        elif kind == "open":
            depth += 1
            if depth > MAX_DEPTH:
                raise InputError(
                    f"{_line(text, token, name)}: values are nested more than {MAX_DEPTH} deep; flatten them"
                )
        elif kind == "close":
            depth -= 1
        elif kind == "line" and depth <= 0:
            depth, after_equals = 0, False
        elif kind == "quote":  # a string that does not end, which the reader reports
            return


def _line(text: str, token: re.Match[str], name: str) -> str:
    return f"{name}, line {text.count(chr(10), 0, token.start()) + 1}"


def _large(value: Any) -> str | None:
    """The place of a number that is infinite, NaN or beyond 64 bits, as "edit 1, score", or None."""
    if isinstance(value, (int, float)):
        return None if -LARGEST <= value < LARGEST or (isinstance(value, float) and isfinite(value)) else ""
    if isinstance(value, (dict, list)):
        numbered = isinstance(value, list)
        for key, each in enumerate(value, 1) if isinstance(value, list) else value.items():
            place = _large(each)
            if place is not None:
                here = f" {key}" if numbered else shown(key).strip("'")
                return f"{here}{', ' if place and place[0] != ' ' else ''}{place}"
    return None
