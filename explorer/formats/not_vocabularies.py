"""Recognizes common files that aren't vocabularies by their first bytes, and says what to give instead.

Each row of not_vocabularies.toml has what such a file is and what to do. The first row that matches counts; of a folder
without a vocabulary the file with the earliest row is named.
"""

import json
import re
from itertools import count

from explorer.errors import shown
from explorer.tables import Record, read_toml
from explorer.text.say import Text

_DATA = read_toml(__file__, "not_vocabularies.toml")


def _whole(text: str) -> str:
    """A text of the table with what its names mean."""
    for name, meaning in reversed(_DATA["names"].items()):
        text = text.replace(f"<{name}>", meaning)
    return text


OWN = _DATA["names"]["OWN"]
OBJECTS = tuple((row["keys"], _whole(row["says"])) for row in _DATA["object"])
KINDS = tuple((re.compile(_whole(row["begins"]).encode(), re.DOTALL), _whole(row["says"])) for row in _DATA["kind"])


def ranked(head: bytes) -> tuple[int, str]:
    """The number of the row that recognizes a file with these first bytes, and what it is; empty if none does.

    >>> ranked(b"PK\\x03\\x04...")[1]
    "this is a zip archive (PyTorch weights are one); give the tokenizer's own file"
    >>> ranked(b"[PAD]")[1]
    ''
    """
    number = count()
    keys = first_keys(head)
    for names, says in OBJECTS:
        at, key = next(number), next((each for each in names.split() if each in keys), None)
        if key is not None:
            value = keys[key]
            return at, Text(says, value if isinstance(value, str) and value.isprintable() else shown(value))
    for pattern, says in KINDS:
        at = next(number)
        if match := pattern.match(head):
            detail = (match.groupdict().get("detail") or b"").decode("utf-8", "replace").strip()
            return at, Text(says, detail if detail.isprintable() else shown(detail))
    return next(number), ""


_KEY = re.compile(r'[\s,]*"((?:[^"\\]|\\.)*)"\s*:\s*')


def first_keys(head: bytes) -> Record:
    """The keys of a JSON object that begin within its first bytes, and their values; None for one that is cut off.

    Nothing for a list of pieces with ids.

    >>> first_keys(b'{"peft_type": "LORA", "r": 8, "x": {'), first_keys(b'{"a": 0, "b": 1')
    ({'peft_type': 'LORA', 'r': 8, 'x': None}, {})
    """
    text = head.decode("utf-8-sig", "ignore").lstrip()
    values: Record = {}
    at, decoder = 1, json.JSONDecoder()
    while text.startswith("{") and (match := _KEY.match(text, at)):
        values[match[1]] = None
        try:
            values[match[1]], at = decoder.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            break
    whole = [type(value) is int for value in values.values() if value is not None]
    return {} if whole and all(whole) else values
