"""Untrusted JSON: read completely or refused, in memory bounded by the file's size.

Stricter than Python's reader: refuses a key that occurs twice, NaN and Infinity, half of a surrogate pair, and
encodings other than UTF-8 (a byte order mark is allowed). Also refuses what would cost unbounded time or memory: deep
nesting, numbers of thousands of digits, and more values than any vocabulary has.
"""

import gc
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from explorer.errors import InputError, errors_of, shown
from explorer.tables import read_toml
from explorer.text import first_fault

MAX_FILE = 1 << 27
"""Bytes. The largest tokenizer.json known has 35 million."""
MAX_VALUES = 4_000_000
"""Commas, colons and brackets. The largest tokenizer.json known has half of that."""
MAX_DEPTH = 64

SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""An escape for half of a surrogate pair, unless its backslash is itself escaped."""


class Sent(NamedTuple):
    """How errors name where a text comes from, and what whoever sent it does: about a part that is missing, about
    one that is wrong, and about too much of it.
    """

    noun: str
    complete: str
    repair: str
    reduce: str


FILE = Sent("the file", "fetch the file again", "repair the file", "give another file")
TYPED = Sent("the text", "complete it", "correct it", "make it shorter")
LINK = Sent("the link", "copy the whole link again", "ask its sender for another", "ask its sender for another")


class RefusedError(ValueError):
    """Raised by hooks of the reader; its text becomes that of an InputError."""


@contextmanager
def collecting_later() -> Iterator[None]:
    """Keeps the garbage collector from searching what is read again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def read(
    data: bytes, name: str, what: str, *, sent: Sent = FILE, endless: bool = False,
    floats: Callable[[str], float] | None = None,
) -> Any:  # fmt: skip
    """The value in these bytes.

    name: what errors call it. what: what it should be, with an article. sent: where it comes from. endless: whether NaN
    and Infinity are allowed, as Python writes them. floats: reads a number with a point or an exponent, None for the
    nearest float.
    Raises InputError naming the byte offset or key, if there is one.

    >>> read(b'\\xef\\xbb\\xbf{"a": [1]}', "toy", "a list of merges")
    {'a': [1]}
    """
    with errors_of(name):
        if len(data) > MAX_FILE:
            raise InputError(f"{len(data)} bytes are more than {what} has (at most {MAX_FILE}); {sent.reduce}")
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            fault = first_fault(data)
            assert fault is not None
            raise InputError(f"byte offset {fault[0]} is not UTF-8 ({fault[2].value}); give {what} in UTF-8") from None
        if sum(map(data.count, (b",", b":", b"[", b"{"))) > MAX_VALUES:
            raise InputError(f"{sent.noun} has more than {MAX_VALUES} values, more than {what} has; {sent.reduce}")
        half = half_pair(data)
        if half is not None:
            raise InputError(f"byte offset {half}: half of a surrogate pair; {sent.repair}")
        try:
            # a million lists, and JSON has no cycles
            with collecting_later():
                constant = float if endless else _constant
                return json.loads(text, object_pairs_hook=_unique, parse_float=floats, parse_constant=constant)
        except RecursionError:
            raise InputError(f"the JSON is nested too deeply for {what}; {sent.repair}") from None
        except json.JSONDecodeError as error:
            raise InputError(json_fault(text, error, sent)) from None
        except RefusedError as error:
            raise InputError(f"{error}; {sent.repair}") from None
        except ValueError:  # Python refuses numbers of more than 4,300 digits
            raise InputError(f"a number in it has thousands of digits; {sent.repair}") from None


LONGEST_PATH = 200
"""Characters: Python 3.14 reads lists in lists some ten thousand deep."""

_SKIPPED = re.compile(r"[ \t\r\n]*")
_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)


def json_fault(text: str, error: json.JSONDecodeError, sent: Sent) -> str:
    """Where a text stops being JSON, why, and what to do, as a sentence without its end.

    >>> try:
    ...     json.loads('{"a": [{"b": 1}, {"b": 2,}]}')
    ... except json.JSONDecodeError as error:
    ...     print(json_fault(error.doc, error, FILE))
    this is not JSON: line 1, column 26, in a[1]: a comma stands before the end of a list or an object; remove the comma
    """
    at = _end(text, error.pos)
    before = len(text[:at].rstrip(" \t\r\n")) - 1
    if error.msg.startswith("Illegal trailing comma"):
        before, at = at, _end(text, at + 1)
    rest = text[max(before, 0) : at + 40] if before >= 0 else "x" + text[:40]
    known = read_toml(__file__, "strict_json.toml")["fault"]
    fault = next(((each["why"], each["fix"]) for each in known if re.match(each["follows"], rest, re.DOTALL)), None)
    unfinished = error.msg.startswith("Unterminated string") and "\n" not in text[at:]
    if not text.strip():
        fault = "it is empty", sent.complete
    elif at >= len(text) or unfinished:
        fault = f"{sent.noun} ends before this is complete", sent.complete
    elif error.msg == "Extra data":
        fault = "something follows the end of the JSON", "remove it"
    elif error.msg.startswith(("Invalid control", "Unterminated")):
        fault = "a line break or another control character within a text", r"write \n or \u00XX for it"
    elif fault is None and error.msg.startswith("Expecting ',' delimiter"):
        closes = text[at] in "]}"
        fault = (
            ("a bracket of the other kind", "repair it") if closes else ("a comma is missing", "write one before it")
        )
    why, fix = fault or (error.msg, sent.repair)
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    path = path_to(text, at)
    if len(path) > LONGEST_PATH:
        path = f"{path[:LONGEST_PATH]}…"
    return f"this is not JSON: line {line}, column {column}{f', in {path}' if path else ''}: {why}; {fix}"


def _end(text: str, at: int) -> int:
    """The index after the white space at an index."""
    match = _SKIPPED.match(text, at)
    assert match is not None
    return match.end()


def path_to(text: str, at: int) -> str:
    """The keys and indices of the innermost list or object that an index of a JSON text is in.

    >>> path_to('{"a": [1, {"b": [', 17), path_to("[1]", 3)
    ('a[1].b', '')
    """
    stack: list[str | int] = []
    key, waits = "", False
    """the last text of an object, and whether the next one is a key"""
    for match in _MARK.finditer(text, 0, at):
        mark = match[0]
        if mark in "{[":
            if stack and isinstance(stack[-1], str):
                stack[-1] = key
            stack.append("" if mark == "{" else 0)
            waits = mark == "{"
        elif mark in "}]":
            del stack[-1:]
            waits = False
        elif mark == ",":
            if stack and isinstance(stack[-1], int):
                stack[-1] += 1
            waits = bool(stack) and isinstance(stack[-1], str)
        elif waits:
            key, waits = mark[1:-1], False
    steps = (f"[{step}]" if isinstance(step, int) else f".{shown(step)[1:-1]}" for step in stack[:-1])
    return "".join(steps).removeprefix(".")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, after checking that no key occurs twice."""
    whole = dict(pairs)
    if len(whole) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise RefusedError(f"the key {shown(key)} occurs twice in one object")
            seen.add(key)
    return whole


def half_pair(data: bytes) -> int | None:
    """The byte offset of an escape for half of a surrogate pair without the other half next to it; None if none.

    >>> half_pair(rb'"\\ud83d\\ude0a \\\\ud83d"'), half_pair(rb'"\\ud83d"')
    (None, 1)
    """
    waiting = -1
    """offset of a first half whose second half has not followed yet"""
    for match in SURROGATE.finditer(data):
        at = match.start()
        before = at
        while before and data[before - 1] == ord("\\"):
            before -= 1
        if (at - before) % 2:
            continue
        first = match[0][3:4] in b"89abAB"
        if waiting >= 0 and (first or waiting != at - 6):
            return waiting
        if waiting < 0 and not first:
            return at
        waiting = at if first else -1
    return waiting if waiting >= 0 else None


def _constant(text: str) -> float:
    raise RefusedError(f"{text} is not a number in JSON")


def check_depth(value: Any, what: str, sent: Sent = FILE) -> None:
    """Raises InputError if lists and objects are nested more than MAX_DEPTH deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inside: list[Any] = []
        for each in level:
            inside += each.values() if isinstance(each, dict) else each
        level = [each for each in inside if isinstance(each, (dict, list))]
        if not level:
            return
    raise InputError(f"the JSON is nested too deeply for {what}; {sent.repair}")
