"""The form for one edit: its kind, and a field for each of its keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, Final, get_type_hints

import streamlit as st

from explorer.editing.edits import KINDS, NAMES, Edit, edit_of
from explorer.errors import InputError

TITLES: Final = {
        "add-token": "Add a token", "add-merges": "Add merges", "add-pieces": "Add pieces", "add-entries": "Add tokens",
        "remove": "Remove tokens", "set-flag": "Switch a flag", "set-pattern": "Set a pattern",
        "set-normalizer": "Set the normalizer", "set-pre-tokenizer": "Set the pre-tokenizer", "preset": "Preset",
    }  # fmt: skip
"""The kinds as the form calls them."""

HINTS: Final = {
    "words": "Texts that shall be one token, one a line",
    "merges": "Pairs as the vocabulary spells them, one a line",
    "pieces": "As the vocabulary spells them, one a line",
    "tokens": "One a line",
    "hex": "Bytes such as E3 81, one a line",
    "ids": "Such as 5 17 300",
    "flag": "Such as lstrip, or byte_fallback",
    "token": "Whose flag; empty: the tokenizer's",
    "pattern": "A regular expression",
    "normalizer": "NFC, none, identity or JSON",
    "score": "Below all others if empty",
}
"""What a field takes."""


SWITCH: Final = "<class 'bool'>"
"""The type of a key that is on or off."""


def draw_form(kinds: tuple[type, ...], key: str) -> Callable[[], Edit]:
    """Draws the form; returns a function that reads the edit.

    The function reads the fields when it is called, since a click may arrive with what was typed just before. It raises
    InputError for what is typed wrong.
    """
    names = [NAMES[each] for each in kinds]
    kind = st.selectbox("Edit", names, format_func=TITLES.__getitem__, key=f"{key} kind", label_visibility="collapsed")
    made: Any = KINDS[kind]
    hints = {name: str(hint) for name, hint in get_type_hints(made).items()}
    keys: dict[str, str] = {}
    texts, switches = st.container(gap="small"), st.container(horizontal=True, gap="medium")
    for field in sorted(fields(made), key=lambda each: hints[each.name] == SWITCH):
        keys[field.name] = f"{key} {kind} {field.name}"
        if hints[field.name] == SWITCH:
            switches.toggle(words(field.name), key=keys[field.name])
            continue
        with texts:
            draw_field(field.name, hints[field.name], "emoji" if kind == "preset" else "", keys[field.name])

    def edit() -> Edit:
        table: dict[str, object] = {"kind": kind}
        for field in fields(made):
            value = read_field(st.session_state[keys[field.name]], hints[field.name], field.name)
            if value not in (None, "", []) or field.default is MISSING:
                table[field.name] = value
        return edit_of(table, "This edit")

    return edit


def words(name: str) -> str:
    """A key as the form calls it.

    >>> words("single_word")
    'Single word'
    """
    return name.replace("_", " ").capitalize()


def draw_field(name: str, hint: str, fill: str, key: str) -> None:
    """Draws the field of a key."""
    label, help = words(name), HINTS.get(name, "")
    if hint.startswith("tuple") and "int" not in hint:
        st.text_area(label, fill, key=key, placeholder=help, height=80)
    else:
        st.text_input(label, fill or ("1" if name == "number" else ""), key=key, placeholder=help)


def read_field(typed: str | bool, hint: str, name: str) -> object:
    """What is typed, as a file of edits has it. Raises InputError.

    >>> read_field("5, 17", "tuple[int, ...]", "ids"), read_field(" a\\nb\\n", "tuple[str, ...]", "words")
    ([5, 17], [' a', 'b'])
    """
    if isinstance(typed, bool):
        return typed
    for begins, reader in READERS.items():
        if hint.startswith(begins):
            try:
                return reader(typed)
            except ValueError:
                raise InputError(f"{name}: “{typed[:40]}” can't be read; {HINTS.get(name, 'give a number')}") from None
    return typed


def lines(typed: str) -> list[str]:
    """The lines that are not empty."""
    return [line for line in typed.split("\n") if line]


def pairs(typed: str) -> list[list[str]]:
    """Two sides a line, with a space between. Raises ValueError."""
    found = [line.split(" ") for line in lines(typed)]
    if any(len(pair) != 2 for pair in found):
        raise ValueError
    return found


READERS: Final[dict[str, Callable[[str], object]]] = {
    "tuple[tuple": pairs,
    "tuple[str": lines,
    "tuple[int": lambda typed: [int(each) for each in re.split(r"[,\s]+", typed.strip()) if each],
    "float": lambda typed: float(typed) if typed.strip() else None,
    "<class 'int'>": int,
}
"""How a field is read, by how its type begins."""
