"""Tokenizers a visitor can choose: bundled, a file on the server, a model of the Hub, or an upload.

A page treats them all alike, as a `TokenizerSpec`: an `Offer`, and how it is opened. Uploaded files are grouped into
tokenizers: a single file, a file with its partner, or a model's folder. Settings (tokenizer_config.json and the like)
join the vocabulary they were uploaded with. If they come alone, they wait for a vocabulary or join the current one.
Files of several models in one upload are an error: a browser sends names of files, not their folders.
"""

from __future__ import annotations

import io
import pickle
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from hashlib import sha256
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple, Protocol

from explorer.analysis.card import about
from explorer.errors import ChoiceNeeded, ChoicePairs, Choices, InputError
from explorer.facts import listed
from explorer.formats.files import ADAPTER, COMPANIONS, NAMED, PARTNERS, TOKENIZER_CONFIG, VOCABULARIES
from explorer.implementations.opened import Opened, with_pattern
from explorer.opening.catalog import catalog, load
from explorer.opening.formats import (
    Source,
    format_at,
    format_of,
    is_vocabulary,
    open_path,
    open_source,
    runs_of,
    source_at,
)
from explorer.opening.sources import standard_name
from explorer.stages.spelling import implementation_title
from explorer.text.say import size


class Upload:
    """One uploaded file: its name as sent, which may be anything, and its bytes until they are released.

    title: what people see as its name, where that is not the file's.

    Many objects of a page refer to an upload, and the web framework keeps some of them for minutes after the visitor
    has left. Only this object holds the bytes, so `release` frees them at once.

    >>> file = Upload("x.json", b"{}")
    >>> len(file.data), file.release()
    (2, None)
    >>> file.data
    Traceback (most recent call last):
    explorer.errors.InputError: x.json: this upload was removed while your browser was away; drop the file here again
    """

    __slots__ = ("_data", "name", "title")

    def __init__(self, name: str, data: bytes, title: str = "") -> None:
        self.name, self._data, self.title = name, [data], title

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Upload) and (self.name, self._data) == (other.name, other._data)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def data(self) -> bytes:
        """Its bytes. Raises InputError once they are released."""
        if not self._data:
            raise InputError(
                f"{self.base_name[:LONGEST_NAME]}: this upload was removed while your browser was away; "
                "drop the file here again"
            )
        return self._data[0]

    def release(self) -> None:
        """Frees the bytes."""
        self._data.clear()

    @property
    def base_name(self) -> str:
        """The name without folders, with either kind of slash."""
        return PureWindowsPath(self.name).name


LONGEST_NAME = 60
"""Characters of a name in an error."""

UploadGroup = tuple[Upload, ...]
"""The files of one tokenizer, the one with the vocabulary first."""

MODEL_FILES = frozenset({*VOCABULARIES, *PARTNERS})
"""Files of a model's folder that hold its vocabulary; there may be several."""


class UploadGroups(NamedTuple):
    """groups: one for each tokenizer. unclaimed: settings whose vocabulary is not among the files."""

    groups: list[UploadGroup]
    unclaimed: list[Upload]


def group_uploads(files: Sequence[Upload]) -> UploadGroups:
    """Groups files by tokenizer. Raises InputError if they belong to several models.

    >>> names = {"config.json": b"{}", "x.gguf": b"GGUF", "tokenizer.json": b"{}"}
    >>> found = group_uploads([Upload(name, data) for name, data in names.items()])
    >>> [[file.name for file in group] for group in found.groups], found.unclaimed
    ([['tokenizer.json', 'config.json'], ['x.gguf']], [])
    """
    settings = [file for file in files if file.base_name in COMPANIONS]
    rest = [file for file in files if file.base_name not in COMPANIONS]
    if not settings:
        return UploadGroups(pair_files(files), [])
    require_one_model([*settings, *(file for file in rest if file.base_name in MODEL_FILES)])
    main = standard_name([file.base_name for file in rest])
    if main:
        own = [file for file in rest if file.base_name in MODEL_FILES]
        own.sort(key=lambda file: file.base_name != main)
        others = pair_files([file for file in rest if file.base_name not in MODEL_FILES])
        return UploadGroups([(*own, *settings), *others], [])
    vocabularies = [file for file in rest if is_vocabulary(file.data, file.base_name)]
    if len(vocabularies) > 1:
        raise InputError(
            f"{listed([file.base_name for file in settings])}: this may belong to "
            f"{listed([file.base_name for file in vocabularies])}; drop it with the one it belongs to"
        )
    others = pair_files([file for file in rest if file not in vocabularies])
    if vocabularies:
        return UploadGroups([(vocabularies[0], *settings), *others], [])
    config = next((file for file in settings if file.base_name == TOKENIZER_CONFIG), None)
    if config is not None and any(NAMED.search(file.data) for file in settings):
        return UploadGroups([(config, *(file for file in settings if file is not config)), *others], [])
    # an adapter has no tokenizer to wait for: what opens it names its base model
    adapters = [(file,) for file in settings if file.base_name == ADAPTER]
    return UploadGroups([*others, *adapters], [file for file in settings if file.base_name != ADAPTER])


def require_one_model(files: Sequence[Upload]) -> None:
    """Raises InputError if two files have one name, as in the folders of two models."""
    repeated = [name for name, count in Counter(file.base_name for file in files).items() if count > 1]
    if repeated:
        raise InputError(
            f"{listed(repeated)}: uploaded more than once, so these files belong to several models; "
            "drop the files of one model at a time"
        )


def pair_files(files: Sequence[Upload]) -> list[UploadGroup]:
    """Groups files that come without settings: each alone, or with the partner it needs.

    >>> vocab, merges, other = Upload("vocab.json", b'{"a": 0}'), Upload("merges.txt", b"a b"), Upload("x.gguf", b"")
    >>> [[file.name for file in group] for group in pair_files([merges, other, vocab])]
    [['x.gguf'], ['vocab.json', 'merges.txt']]
    """
    by_name = {file.base_name: file for file in files}
    groups: list[UploadGroup] = []
    partners = set()
    for file in files:
        partner = next((by_name[name] for name in partner_names(file) if name in by_name), None)
        groups.append((file,) if partner is None else (file, partner))
        partners.add(id(partner))
    return [group for group in groups if id(group[0]) not in partners]


def partner_names(file: Upload) -> tuple[str, ...]:
    """Names that the partner of this file may have; none if the file's format is unknown."""
    try:
        return format_of(file.data, file.name).beside(file.base_name)
    except InputError:
        return ()


def add_settings(group: UploadGroup, settings: Sequence[Upload]) -> UploadGroup:
    """A tokenizer's files with settings that came later; they replace files of the same name.

    >>> files = (Upload("x.json", b"x"), Upload("config.json", b"1"))
    >>> [file.data for file in add_settings(files, [Upload("config.json", b"2")])]
    [b'x', b'2']
    """
    new = {file.base_name for file in settings}
    return (*(file for file in group if file.base_name not in new), *settings)


class Origin(StrEnum):
    """Where a tokenizer comes from, in words for visitors."""

    BUNDLED = "comes with the explorer"
    SERVER = "a file of this server"
    HUB = "a model on the Hugging Face Hub, which runs as an upload does"
    UPLOAD = "your upload: it lives in this session and nobody else sees it"


class Opener(Protocol):
    """Opens a tokenizer. It is plain data, so that it can be sent to another process."""

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """The tokenizer. Raises InputError, ChoiceNeeded."""

    def contents(self) -> bytes:
        """The bytes of its main file. Raises InputError."""


@dataclass(frozen=True, eq=False)
class Offer:
    """A tokenizer that can be chosen.

    label: its name in the URL. key: identifies its contents; two offers with one key are equal. implementations: who
    can run it, the default first. about: what its card says about the file. files: the upload it was made of. title,
    kind: the name that people know and the kind of tokenizer, "" if unknown.
    """

    label: str
    key: str
    origin: Origin
    format: str
    bytes: int
    implementations: tuple[str, ...]
    about: tuple[tuple[str, str], ...]
    open: Opener = field(repr=False)
    files: UploadGroup = field(default=(), repr=False)
    title: str = ""
    kind: str = ""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.title or self.label

    def spec(self, implementation: str = "", choices: ChoicePairs = ()) -> TokenizerSpec:
        """It as this implementation runs it, by default the first."""
        return TokenizerSpec(self, implementation or self.implementations[0], choices)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Offer) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class TokenizerSpec(NamedTuple):
    """An offer and how to open it: an implementation, choices, and optionally the visitor's own pattern or template."""

    offer: Offer
    implementation: str
    choices: ChoicePairs = ()
    pattern: str | None = None
    pattern_index: int = 0
    """Which of the tokenizer's patterns `pattern` replaces, from 0."""
    template: str | None = None
    """The source of a chat template of the visitor's own."""

    @property
    def name(self) -> str:
        """Its name in URLs and on the command line: the label, and the implementation if there are several."""
        several = len(self.offer.implementations) > 1
        return f"{self.offer.label}@{self.implementation}" if several else self.offer.label

    @property
    def title(self) -> str:
        """The same as people call it: `GPT-2 · llama.cpp`."""
        title, several = self.offer.name, len(self.offer.implementations) > 1
        return f"{title} · {implementation_title(self.implementation)}" if several else title

    @property
    def private(self) -> bool:
        """Whether this belongs to one session, so that its answers must not be shared."""
        return self.untrusted or bool(self.choices)

    @property
    def untrusted(self) -> bool:
        """Whether it runs something of a visitor's: an upload, a model of the Hub, a pattern or a template."""
        return self.offer.origin in (Origin.UPLOAD, Origin.HUB) or self.pattern is not None or self.template is not None

    @property
    def without_pattern(self) -> TokenizerSpec:
        """The same spec with the tokenizer's own patterns and templates."""
        return self._replace(pattern=None, pattern_index=0, template=None)

    def open(self) -> Opened:
        """The tokenizer, with its own patterns."""
        return self.offer.open(self.implementation, dict(self.choices))

    def apply_pattern(self, tokenizer: Opened) -> Opened:
        """That tokenizer with the visitor's pattern, if there is one. Raises PatternError."""
        return tokenizer if self.pattern is None else with_pattern(tokenizer, self.pattern, self.pattern_index)


Specs = tuple[TokenizerSpec, ...]


class BundledOpener(NamedTuple):
    """Opens a model of the catalog."""

    name: str

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """Opens it as this implementation, with these choices."""
        return load(self.name, implementation, **choices)

    def contents(self) -> bytes:
        """The bytes of its file."""
        return catalog()[self.name].path.read_bytes()


@cache
def bundled() -> Mapping[str, Offer]:
    """The catalog's models by label."""
    return {name: bundled_offer(name) for name in catalog()}


@cache
def bundled_offer(name: str) -> Offer:
    """A model of the catalog. Its file is read."""
    model, facts = catalog()[name], about(name)
    return Offer(
        name, f"bundled {name}", Origin.BUNDLED, dict(facts)["format"], model.path.stat().st_size,
        model.implementations, facts, BundledOpener(name), title=model.title, kind=model.kind,
    )  # fmt: skip


class PathOpener(NamedTuple):
    """Opens the tokenizer at a path. label: its name in errors."""

    path: Path
    label: str

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """Opens it as this implementation, with these choices."""
        with path_hidden(self.path, self.label):
            return open_path(self.path, implementation, choices)

    def contents(self) -> bytes:
        """The bytes of its main file, of a GGUF without its tensors. Raises InputError."""
        with path_hidden(self.path, self.label):
            return source_at(self.path)[0].deciding()


def server_offer(path: Path, label: str, files: Sequence[Path]) -> Offer:
    """An offer of a file on the server, or of a model's folder."""
    source, _ = source_at(path)
    found = format_at(files[0])
    stats = [each.stat() for each in files]
    bytes = sum(stat.st_size for stat in stats)
    return Offer(
        label=label,
        key=f"server {path} {bytes} {[stat.st_mtime_ns for stat in stats]}",
        origin=Origin.SERVER,
        format=found.name,
        bytes=bytes,
        implementations=tuple(runs_of(found, source)),
        about=(
            ("folder" if source.whole else "file", label),
            *([("files", ", ".join(path.name for path in files))] if len(files) > 1 else []),
            ("format", found.name),
            ("size", size(bytes)),
        ),
        open=PathOpener(path, label),
    )


@contextmanager
def path_hidden(path: Path, label: str) -> Iterator[None]:
    """Replaces the path by the label in errors, so that visitors don't see paths of the server."""
    try:
        yield
    except ChoiceNeeded as error:
        message = str(error).replace(str(path), label)
        raise ChoiceNeeded(message, error.key, error.options, free=error.free) from None
    except InputError as error:
        raise InputError(str(error).replace(str(path), label)) from None


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
        found = format_of(self.main.data, self.file)
        made = open_source(self.source, found, self.name, implementation, choices)
        return replace(made, origin=made.origin._replace(repository=self.repository)) if self.repository else made


def upload_offer(files: UploadGroup) -> Offer:
    """An offer of one group, whose first file determines the format. Raises InputError if it isn't a tokenizer."""
    main, *others = files
    name = short_name(main.name)
    format = format_of(main.data, name)
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
    offer = upload_offer(files)
    repository, _, commit = name.partition("@")
    commit, _, file = commit.partition(":")
    by_name = tuple((each.name, each) for each in files[1:])
    whole = not file or file.endswith("/")
    made_of = repository if whole else files[0].name  # as `explorer.load` names them
    opener = UploadOpener(files[0], by_name, files[0].name, made_of, whole, f"{repository}@{commit}")
    format = format_of(files[0].data, files[0].name)
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


# --- offers in messages between processes -------------------------------------------------------------------------


class OfferPickler(pickle.Pickler):
    """Writes each offer as its key; offers that the other side doesn't know yet are collected in `new`."""

    def __init__(self, file: io.BytesIO, known: dict[str, Offer]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.known, self.new = known, dict[str, Offer]()

    def persistent_id(self, obj: object) -> str | None:
        """The key of an offer; None for everything else, which is pickled as usual."""
        if not isinstance(obj, Offer):
            return None
        if obj.key not in self.known:
            self.new[obj.key] = obj
        return obj.key


class OfferUnpickler(pickle.Unpickler):
    """Reads what `OfferPickler` wrote."""

    def __init__(self, file: io.BytesIO, known: dict[str, Offer]) -> None:
        super().__init__(file)
        self.known = known

    def persistent_load(self, key: str) -> Offer:
        """The offer of this key."""
        return self.known[key]


def dumps(value: object, known: dict[str, Offer]) -> tuple[bytes, dict[str, Offer]]:
    """A value as bytes, and the offers in it that are not in `known`."""
    file = io.BytesIO()
    pickler = OfferPickler(file, known)
    pickler.dump(value)
    return file.getvalue(), pickler.new


def loads(message: bytes, known: dict[str, Offer]) -> Any:
    """The value of a message."""
    return OfferUnpickler(io.BytesIO(message), known).load()
