"""A tokenizer in files that were dropped: what it is called, and what it can be run as."""

from __future__ import annotations

import unicodedata
from hashlib import sha256
from typing import NamedTuple

from explorer.answers.drop_groups import Dropped as Dropped
from explorer.answers.drop_groups import Group
from explorer.answers.offers import Offer, Origin
from explorer.engine.tokenizer import Tokenizer
from explorer.formats.model_files import COMPANIONS
from explorer.opening.formats import HEAD, Choices, Source, format_of, opened, runs_of
from explorer.text.quantities import size

LONGEST_NAME = 40


class InFiles(NamedTuple):
    """Opens a tokenizer from files. beside: the others by the name they are looked for. name: what errors call it."""

    main: Dropped
    beside: tuple[tuple[str, Dropped], ...]
    file: str
    name: str
    whole: bool

    @property
    def source(self) -> Source:
        beside = {name: file.data for name, file in self.beside}
        return Source(self.main.data, beside, self.file, whole=self.whole)

    def __call__(self, implementation: str, choices: Choices) -> Tokenizer:
        found = format_of(self.main.data[:HEAD], self.name)
        return opened(self.source, found, self.name, implementation, choices)


def offer_of(files: Group) -> Offer:
    """The tokenizer in files that belong together, the one it is told by first. Raises InputError where it is none."""
    main, *others = files
    name, data = short_name(main.name), main.data
    found = format_of(data[:HEAD], name)
    bytes = sum(len(file.data) for file in files)
    hashed = sha256()
    for file in files:
        hashed.update(file.data)
    digest = hashed.hexdigest()
    beside = {file.last: file for file in others}
    # the names a file is looked for by go by the name of the first, which may have been shortened
    if found.beside(name) and len(others) == 1 and others[0].last not in COMPANIONS:
        beside = {found.beside(name)[0]: others[0]}
    whole = any(file.last in COMPANIONS for file in others)

    opener = InFiles(main, tuple(beside.items()), main.last if whole else name, name, whole)

    return Offer(
        label=f"{name} ({digest[:8]})",
        key=f"upload {name} {digest}",
        origin=Origin.UPLOAD,
        format=found.name,
        bytes=bytes,
        implementations=tuple(runs_of(found, opener.source)),
        about=(
            ("file", " + ".join(short_name(file.name) for file in files)), ("format", found.name),
            ("size", size(bytes)), ("sha256", digest),
        ),
        open=opener,
        files=files,
    )  # fmt: skip


def short_name(name: str) -> str:
    """A file's name as it can be shown and stand in an address: its last part, in one line, nothing invisible.

    >>> short_name("../../etc/my\\u202e model.json"), short_name("C:\\\\x\\\\a.gguf"), short_name("/")
    ('my model.json', 'a.gguf', 'file')
    >>> short_name("x" * 10_000 + ".json")
    'xxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxx.json'
    """
    last = Dropped(name, b"").last
    shown = "".join(" " if ch.isspace() else ch for ch in last if ch.isspace() or unicodedata.category(ch)[0] != "C")
    shown = " ".join(shown.split()) or "file"
    return shown if len(shown) <= LONGEST_NAME else f"{shown[: LONGEST_NAME - 13]}…{shown[-12:]}"
