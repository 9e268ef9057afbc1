"""Files as they are dropped, before anybody knows what they are: which belong together, what they hold, their name."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from hashlib import sha256
from pathlib import PureWindowsPath
from typing import NamedTuple

from explorer.card import size
from explorer.errors import InputError
from explorer.opening import HEAD, Source, format_of, opened
from explorer.ui.offers import Offer, Origin

LONGEST_NAME = 40


class Dropped(NamedTuple):
    """One file: the name its sender gave it, which may be anything, and its bytes."""

    name: str
    data: bytes


def together(files: Sequence[Dropped]) -> list[tuple[Dropped, ...]]:
    """The files of each tokenizer: one alone, or one with the one it needs beside it.

    >>> vocab, merges, other = Dropped("vocab.json", b'{"a": 0}'), Dropped("merges.txt", b"a b"), Dropped("x.gguf", b"")
    >>> [[file.name for file in group] for group in together([merges, other, vocab])]
    [['x.gguf'], ['vocab.json', 'merges.txt']]
    """
    named = {last_part(file.name): file for file in files}
    groups: list[tuple[Dropped, ...]] = []
    partners = set()
    for file in files:
        partner = next((named[name] for name in wanted_beside(file) if name in named), None)
        groups.append((file,) if partner is None else (file, partner))
        partners.add(id(partner))
    return [group for group in groups if id(group[0]) not in partners]


def wanted_beside(file: Dropped) -> tuple[str, ...]:
    """What a file that belongs to this one may be called; a file of no known format wants none."""
    try:
        return format_of(file.data[:HEAD], file.name).beside(last_part(file.name))
    except InputError:
        return ()


def offer_of(files: Sequence[Dropped]) -> Offer:
    """The tokenizer in files that belong together, the one it is told by first. Raises InputError where it is none."""
    main, *others = files
    name, data = short_name(main.name), main.data
    found = format_of(data[:HEAD], name)
    bytes = sum(len(file.data) for file in files)
    hashed = sha256()
    for file in files:
        hashed.update(file.data)
    digest = hashed.hexdigest()
    # the names a file is looked for by go by the name of the first, which may have been shortened
    beside = dict(zip(found.beside(name), (file.data for file in others), strict=False))
    return Offer(
        label=f"{name} ({digest[:8]})",
        key=f"upload {name} {digest}",
        origin=Origin.UPLOAD,
        format=found.name,
        bytes=bytes,
        implementations=tuple(found.implementations),
        about=(
            ("file", " + ".join(short_name(file.name) for file in files)), ("format", found.name),
            ("size", size(bytes)), ("sha256", digest),
        ),
        open=lambda run_as, choices: opened(Source(data, beside, name), found, name, run_as, choices),
    )  # fmt: skip


def last_part(name: str) -> str:
    """A file's name without the folders before it, of either kind of slash."""
    return PureWindowsPath(name).name


def short_name(name: str) -> str:
    """A file's name as it can be shown and stand in an address: its last part, in one line, nothing invisible.

    >>> short_name("../../etc/my\\u202e model.json"), short_name("C:\\\\x\\\\a.gguf"), short_name("/")
    ('my model.json', 'a.gguf', 'file')
    >>> short_name("x" * 10_000 + ".json")
    'xxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxx.json'
    """
    last = last_part(name)
    shown = "".join(" " if ch.isspace() else ch for ch in last if ch.isspace() or unicodedata.category(ch)[0] != "C")
    shown = " ".join(shown.split()) or "file"
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 13]}…{shown[-12:]}"
