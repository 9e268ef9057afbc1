"""An edit list as TOML, read and written.

    format = "tokenizer-explorer edits 1"

    [[edit]]
    kind = "add-token"
    text = "<tool>"
    special = true

Nothing in it is run. A key that the kind does not have is refused, so a misspelled one is not passed over.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any, Final, get_args, get_origin, get_type_hints

from explorer.editing.edits import KINDS, Edit, kind_of
from explorer.errors import InputError, shown
from explorer.formats import strict_toml
from explorer.text import from_bytes

FORMAT: Final = "tokenizer-explorer edits 1"

LONGEST: Final = 1 << 20
"""Bytes of a file. Reading so many takes up to two seconds."""

MOST: Final = 1_000
"""Edits in a file."""

HIGHEST: Final = 1e30
"""The bound of scores, which files hold in 32 bits."""

NAMES_OF: Final = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def write(edits: Iterable[Edit]) -> str:
    """The file. A value that is the default is left out.

    >>> from explorer.editing.edits import AddToken
    >>> print(write([AddToken("a", special=True)]))
    format = "tokenizer-explorer edits 1"
    <BLANKLINE>
    [[edit]]
    kind = "add-token"
    text = "a"
    special = true
    <BLANKLINE>
    """
    lines = [f'format = "{FORMAT}"']
    for edit in edits:
        lines += ["", "[[edit]]", f'kind = "{kind_of(edit)}"']
        for field in fields(edit):
            value = getattr(edit, field.name)
            if value != field.default:
                lines.append(f"{field.name} = {_value(value)}")
    return "\n".join([*lines, ""])


def _value(value: object) -> str:
    """A value in TOML, whose strings are those of JSON but for U+007F."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read(data: bytes, name: str) -> tuple[Edit, ...]:
    """The edits of a file. name: what errors call it. Raises InputError naming the edit, from 1, and the key.

    >>> read(b'format = "tokenizer-explorer edits 1"', "toy")
    ()
    """
    if len(data) > LONGEST:
        raise InputError(f"{name}: {len(data)} bytes, but a list of edits has at most {LONGEST}; give another file")
    whole = strict_toml.read(from_bytes(data, name).replace("\r\n", "\n"), name)
    if whole.get("format") != FORMAT:
        raise InputError(f'{name}: this is not a list of edits; its first line must be format = "{FORMAT}"')
    listed = whole.get("edit", [])
    if not isinstance(listed, list) or len(listed) > MOST or set(whole) - {"format", "edit"}:
        raise InputError(f"{name}: a list of edits has format and up to {MOST} times [[edit]]; repair the file")
    return tuple(edit_of(each, f"{name}: edit {number}") for number, each in enumerate(listed, 1))


def edit_of(table: object, where: str) -> Edit:
    """An edit from its table. Raises InputError that begins with `where`.

    >>> edit_of({"kind": "remove", "ids": [7]}, "toy")
    Remove(tokens=(), ids=(7,), keep_ids=False)
    """
    kind = table.get("kind") if isinstance(table, dict) else None
    if not isinstance(table, dict) or not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"{where}: its kind is {shown(kind)}; use one of {', '.join(KINDS)}")
    made: Any = KINDS[kind]
    hints = get_type_hints(made)
    given = {key: value for key, value in table.items() if key != "kind"}
    for key in given:
        if key not in hints:
            raise InputError(f"{where}: {kind} has no key {shown(key)}; it has {', '.join(hints)}")
    for field in fields(made):
        if field.name not in given and field.default is MISSING:
            raise InputError(f"{where}: {kind} needs the key {field.name}; add it")
    values = {key: _typed(value, hints[key], f"{where}: {key}") for key, value in given.items()}
    if kind in ("add-merges", "add-entries", "remove") and not any(given.values()):
        raise InputError(f"{where}: {kind} names nothing; give {' or '.join(list(hints)[:2])}")
    edit: Edit = made(**values)
    return edit


def _typed(value: object, hint: Any, where: str) -> Any:
    """A value of a key's type; lists become tuples. Raises InputError."""
    if isinstance(hint, types.UnionType):
        hint = get_args(hint)[0]
    if get_origin(hint) is tuple:
        of = get_args(hint)
        many = of[-1] is Ellipsis
        if not isinstance(value, list) or not (many or len(value) == len(of)):
            raise InputError(f"{where} is {shown(value)}; give a list" + ("" if many else f" of {len(of)}"))
        return tuple(_typed(each, of[0] if many else of[at], f"{where}[{at}]") for at, each in enumerate(value))
    if hint is float and type(value) is int:
        value = float(value)
    if type(value) is not hint:
        raise InputError(f"{where} is {shown(value)}; give {NAMES_OF[hint]}")
    if hint is str and where.rpartition(": ")[2] != "token" and not value:
        raise InputError(f"{where} is empty; give a text")
    if isinstance(value, float) and not abs(value) <= HIGHEST:
        raise InputError(f"{where} is {value}; give a number from −{HIGHEST:g} to {HIGHEST:g}")
    if type(value) is int and not -strict_toml.LARGEST <= value < strict_toml.LARGEST:
        raise InputError(f"{where} has more than 64 bits; give a smaller number")
    return value
