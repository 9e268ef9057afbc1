"""Files as they are dropped, before anybody knows what they are: which belong together, what they hold, their name."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from pathlib import PureWindowsPath
from typing import NamedTuple

from explorer.card import size
from explorer.opening import HEAD, format_of, open_bytes
from explorer.ui.offers import Offer, Origin

LONGEST_NAME = 40


class Dropped(NamedTuple):
    """One file: the name its sender gave it, which may be anything, and its bytes."""

    name: str
    data: bytes


def together(files: Sequence[Dropped]) -> list[tuple[Dropped, ...]]:
    """The files of each tokenizer: each on its own."""
    return [(file,) for file in files]


def offer_of(files: Sequence[Dropped]) -> Offer:
    """The tokenizer in files that belong together. Raises InputError where they are of no known format."""
    (file,) = files
    name = short_name(file.name)
    digest = sha256(file.data).hexdigest()
    found = format_of(file.data[:HEAD], name)
    return Offer(
        label=f"{name} ({digest[:8]})",
        key=f"upload {name} {digest}",
        origin=Origin.UPLOAD,
        format=found.name,
        bytes=len(file.data),
        implementations=tuple(found.implementations),
        about=(("file", name), ("format", found.name), ("size", size(len(file.data))), ("sha256", digest)),
        open=lambda run_as, choices: open_bytes(file.data, name, run_as, choices),
    )


def short_name(name: str) -> str:
    """A file's name as it can be shown and stand in an address: its last part, in one line, nothing invisible.

    >>> short_name("../../etc/my\\u202e model.json"), short_name("C:\\\\x\\\\a.gguf"), short_name("/")
    ('my model.json', 'a.gguf', 'file')
    >>> short_name("x" * 10_000 + ".json")
    'xxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxx.json'
    """
    last = PureWindowsPath(name).name  # knows both kinds of slash
    shown = "".join(" " if ch.isspace() else ch for ch in last if ch.isspace() or unicodedata.category(ch)[0] != "C")
    shown = " ".join(shown.split()) or "file"
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 13]}…{shown[-12:]}"
