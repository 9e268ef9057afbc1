"""Makes an offer of an upload: its label, and the implementations that can run it."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from explorer.answers.offers import Offer, Origin
from explorer.answers.upload_groups import Upload, UploadGroup
from explorer.formats.model_files import COMPANIONS
from explorer.implementations.opened import Opened
from explorer.opening.formats import HEAD, Choices, Source, format_of, open_source, runs_of
from explorer.text.quantities import size

MAX_NAME = 40
"""Characters of a file's name in a label."""


class UploadOpener(NamedTuple):
    """Opens a tokenizer from uploaded files.

    others: the files besides the main one, by the name the reader looks for. file: the main file's name for the
    reader. name: its name in errors. whole: whether the files are a model's folder. repository: as in `origin.Origin`.
    """

    main: Upload
    others: tuple[tuple[str, Upload], ...]
    file: str
    name: str
    whole: bool
    repository: str = ""

    @property
    def source(self) -> Source:
        """The files as a `Source`."""
        return Source(self.main.data, {name: file.data for name, file in self.others}, self.file, whole=self.whole)

    def contents(self) -> bytes:
        """The bytes of its main file. Raises InputError once they are released."""
        return self.main.data

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """Opens it as this implementation, with these choices."""
        found = format_of(self.main.data[:HEAD], self.file)
        made = open_source(self.source, found, self.name, implementation, choices)
        return replace(made, origin=replace(made.origin, repository=self.repository)) if self.repository else made


def offer_of(files: UploadGroup) -> Offer:
    """An offer of one group, whose first file determines the format. Raises InputError if it isn't a tokenizer."""
    main, *others = files
    name = short_name(main.name)
    format = format_of(main.data[:HEAD], name)
    bytes = sum(len(file.data) for file in files)
    digest = sha256_of(files)
    by_name = {file.base_name: file for file in others}
    # the reader derives the partner's name from the first file's, which may have been shortened
    if format.beside(name) and len(others) == 1 and others[0].base_name not in COMPANIONS:
        by_name = {format.beside(name)[0]: others[0]}
    whole = any(file.base_name in COMPANIONS for file in others)
    opener = UploadOpener(main, tuple(by_name.items()), main.base_name if whole else name, name, whole)
    return Offer(
        label=f"{name} ({digest[:8]})",
        key=f"upload {name} {digest}",
        origin=Origin.UPLOAD,
        format=format.name,
        bytes=bytes,
        implementations=tuple(runs_of(format, opener.source)),
        about=(
            ("file", " + ".join(short_name(file.name) for file in files)),
            ("format", format.name),
            ("size", size(bytes)),
            ("sha256", digest),
        ),
        open=opener,
        files=files,
        title=main.title,
    )


def hub_offer_of(files: UploadGroup, name: str) -> Offer:
    """An offer of a model on the Hub. name: with its commit, as in URLs. Raises InputError if it isn't a tokenizer."""
    offer = offer_of(files)
    repository, _, commit = name.partition("@")
    commit, _, file = commit.partition(":")
    by_name = tuple((each.name, each) for each in files[1:])
    whole = not file or file.endswith("/")
    made_of = repository if whole else files[0].name  # as `explorer.load` names them
    opener = UploadOpener(files[0], by_name, files[0].name, made_of, whole, f"{repository}@{commit}")
    format = format_of(files[0].data[:HEAD], files[0].name)
    return replace(
        offer,
        label=name,
        key=f"hub {name} {sha256_of(files)}",
        origin=Origin.HUB,
        implementations=tuple(runs_of(format, opener.source)),
        about=(("from", f"{name} on the Hugging Face Hub"), *offer.about),
        open=opener,
    )


def sha256_of(files: UploadGroup) -> str:
    """The digest of all files, one after the other."""
    digest = sha256()
    for file in files:
        digest.update(file.data)
    return digest.hexdigest()


def short_name(name: str) -> str:
    """A file's name that is safe on a page and in a URL: its last part, on one line, without invisible characters.

    >>> short_name("../../etc/my\\u202e model.json"), short_name("C:\\\\x\\\\a.gguf"), short_name("/")
    ('my model.json', 'a.gguf', 'file')
    >>> short_name("x" * 10_000 + ".json")
    'xxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxx.json'
    """
    last = Upload(name, b"").base_name
    shown = "".join(" " if ch.isspace() else ch for ch in last if ch.isspace() or unicodedata.category(ch)[0] != "C")
    shown = " ".join(shown.split()) or "file"
    return shown if len(shown) <= MAX_NAME else f"{shown[: MAX_NAME - 13]}…{shown[-12:]}"
