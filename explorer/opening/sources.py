"""What is opened: the bytes of a file or its path, the files next to it, and the vocabulary in a model's folder.

A file is not trusted: neither its name nor its stated length counts, and at most MAX_FILE bytes of it are read. The
files that were read are recorded, so that an export can name them.

In a folder, or among files given together, the names that `transformers` knows come first, in its order. If none of
them exists, the content decides, and exactly one file must be a vocabulary. The links of a Hugging Face cache are
followed.

The paths of the vocabularies and of the script that Streamlit runs: in a clone they are next to `explorer/`; an
installed package contains them (`force-include` in pyproject.toml).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import Choices, InputError
from explorer.formats.files import ADDITIONAL, CLASSES, COMPANIONS, TOKENIZER_CONFIG, VOCABULARIES, regular_size
from explorer.origin import File

if TYPE_CHECKING:
    from explorer.formats.model_folder import Settings
    from explorer.implementations.opened import Opened


PACKAGE = Path(__file__).parents[1]
INSTALLED = PACKAGE / "bundle"
TOP = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent

VOCABS = TOP / "vocabs"
APP = TOP / "app.py"
"""Its settings are next to it, in .streamlit/config.toml, where Streamlit finds them in any current directory."""

DOCUMENTS = INSTALLED / "docs" if INSTALLED.is_dir() else TOP / "dist" / "docs"
"""The site of the documents, where it was built."""

LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
"""Addresses of a server that this machine alone reaches."""

HEAD = 4096
"""The first bytes of a file, which decide its format."""

MAX_FILE = 1 << 27
"""Bytes of a file that is read whole. The largest known tokenizer.json has 35 million."""

NOTE = "from.json"
"""The file beside the beginning of a GGUF that was read from the Hub: where it is from (`remote_gguf`)."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to open, and the files next to it.

    data: its bytes, or its path if it need not be read whole. others: the files given with it, by name; for a path the
    files in its folder are used. name: of the file. read: the files read so far, by name. whole: whether the files are
    one model, so that its settings are read. keeps: whether what is read of the file is kept (`compiled_forms`).
    """

    data: bytes | Path
    others: Mapping[str, bytes] = field(default_factory=dict)
    name: str = ""
    read: dict[str, File] = field(default_factory=dict, repr=False, compare=False)
    whole: bool = False
    keeps: bool = False

    def contents(self) -> bytes:
        """All bytes of the file. Raises InputError if it cannot be read or is larger than MAX_FILE."""
        return self.recorded(self.name, self.data if isinstance(self.data, bytes) else contents(self.data))

    def deciding(self) -> bytes:
        """The bytes that decide the ids: all, and of a GGUF those up to the end of its keys. Raises InputError."""
        from explorer.formats import gguf

        start = self.data[:4] if isinstance(self.data, bytes) else first_bytes(self.data, 4)
        return gguf.read(self.data, lambda key: False).head if start == b"GGUF" else self.contents()

    def recorded(self, name: str, data: bytes) -> bytes:
        """The data, after recording that the file was read."""
        if name not in self.read:
            self.read[name] = File.of(name, data)
        return data

    def files(self) -> tuple[File, ...]:
        """The files that were read, the opened one first. Raises InputError if it cannot be read."""
        if self.name not in self.read:
            self.contents()
        return (self.read[self.name], *(each for name, each in self.read.items() if name != self.name))

    def beside(self, name: str) -> bytes | None:
        """The bytes of another file next to this one, None if there is none. Raises InputError as `contents` does.

        >>> Source(b"", {"merges.txt": b"a b"}).beside("merges.txt")
        b'a b'
        """
        if isinstance(self.data, bytes):
            data = self.others.get(name)
        else:
            path = self.data.parent / name
            data = contents(path) if path.is_file() else None
        return None if data is None else self.recorded(name, data)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name next to it."""
        return name in self.others if isinstance(self.data, bytes) else self.data.with_name(name).is_file()

    def additional(self) -> list[str]:
        """The names of the files in additional_chat_templates/."""
        if not isinstance(self.data, bytes):
            return [path.name for path in self.data.parent.glob(f"{ADDITIONAL}*.jinja")]
        return [name.removeprefix(ADDITIONAL) for name in self.others if name.startswith(ADDITIONAL)]

    def settings(self) -> Settings:
        """The settings in the files next to it; a single file has none. Raises InputError naming file and key."""
        from explorer.formats import model_folder

        return model_folder.read(self.beside, self.has) if self.whole else model_folder.Settings()


Opener = Callable[[Source, str, Choices], "Opened"]
"""Opens a source under a name. Raises InputError, and ChoiceNeeded if the file leaves a setting open."""


def contents(path: Path) -> bytes:
    """The bytes of a file. Raises InputError if it cannot be read or is too large."""
    data = first_bytes(path, MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(f"{path}: the file is larger than {MAX_FILE} bytes, the most that is read; give another file")
    return data


def first_bytes(path: Path, count: int) -> bytes:
    """At most `count` bytes from the start of a file. Raises InputError if it cannot be read."""
    regular_size(path, str(path), "the file")
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> InputError:
    """The error for a file that exists but cannot be read."""
    return InputError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions")


SUFFIXES = frozenset(".json .gguf .model .tiktoken .txt .spm .vocab".split())
"""Suffixes of vocabulary files; the content decides the format."""

SHARD = re.compile(r"-(\d{5})-of-\d{5}(?=\.gguf\Z)", re.IGNORECASE)
"""The part of a name that numbers the files of one model; the first has the vocabulary."""
MOST = 10_000
"""The most names of a folder that are read."""
MOST_LOOKED_AT = 200
"""The most files of a folder without a vocabulary that are looked at to say what it is."""


def vocabulary_in(folder: Path, is_one: Callable[[Path], bool]) -> Path:
    """The path of the vocabulary in a model's folder. is_one: whether a file is a vocabulary, by its content.

    Raises InputError if there is none, or several and none with a known name.
    """
    try:
        names = sorted(path.name for path in islice(folder.iterdir(), MOST) if path.is_file())
    except OSError as error:
        raise unreadable(folder, error) from None
    name = standard_name(names)
    if name:
        return folder / name
    # of a GGUF in parts the first has the tokenizer, and a projector has none
    vocabularies = [
        name for name in candidates(names)
        if (is_model_file(folder / name) or not name.endswith(".gguf")) and is_one(folder / name)
    ]  # fmt: skip
    if len(vocabularies) == 1:
        return folder / vocabularies[0]
    if vocabularies:
        from explorer.facts import listed

        raise InputError(
            f"{folder}: {len(vocabularies)} of its files are vocabularies: {listed(vocabularies)}; give one of them"
        )
    if TOKENIZER_CONFIG in names and needs_no_vocabulary(folder):
        return folder / TOKENIZER_CONFIG
    from explorer.formats.not_vocabularies import OWN

    many = "(the app takes a folder of many as EXPLORER_TOKENIZERS)"
    known = known_file(folder, names)
    advice = known or "give the folder of one model, with its tokenizer.json, tokenizer.model or vocab.txt"
    # what a file of another kind is says nothing about the folder
    also = f" {many}" if not known or known.endswith(OWN) else ""
    raise InputError(f"{folder}: no file in this folder is a vocabulary; {advice}{also}")


def is_model_file(path: Path) -> bool:
    """Whether a name is that of a model's file, or of the first of several; projectors have no vocabulary."""
    shard = SHARD.search(path.name)
    is_first = shard is None or int(shard[1]) == 1
    return path.suffix == ".gguf" and is_first and "mmproj" not in path.name.lower() and path.is_file()


def known_file(folder: Path, names: Iterable[str]) -> str:
    """What the file is that says most about a folder without a vocabulary; empty if none is known."""
    from explorer.formats.not_vocabularies import ranked

    files = []
    for name in islice((each for each in names if not each.startswith(".")), MOST_LOOKED_AT):
        try:
            rank, says = ranked(first_bytes(folder / name, HEAD))
        except InputError:
            continue
        files += [(rank, f"{name}: {says}")] if says else []
    return min(files, default=(0, ""))[1]


def needs_no_vocabulary(folder: Path) -> bool:
    """Whether a folder without a vocabulary asks for a class that has none.

    The answer is that of version 5, and of version 4 where that differs.
    """
    from explorer.formats import model_folder
    from explorer.implementations.transformers.arguments import class_for

    def beside(name: str) -> bytes | None:
        path = folder / name
        return contents(path) if path.is_file() else None

    for version in (5, 4):
        try:
            kind = class_for(version, model_folder.read(beside))
        except InputError:
            continue
        if kind in CLASSES:
            return True
    return False


def is_model(folder: Path, names: Collection[str]) -> bool:
    """Whether a folder with settings has a vocabulary under a known name, or needs none. names: of its files."""
    if standard_name(names):
        return True
    try:
        return not candidates(names) and needs_no_vocabulary(folder)
    except InputError:
        return False


def standard_name(names: Collection[str]) -> str:
    """The first of the names that `transformers` knows for a vocabulary; empty if none of them is there.

    >>> standard_name(["config.json", "vocab.json", "merges.txt", "tokenizer.json"]), standard_name(["x.gguf"])
    ('tokenizer.json', '')
    """
    return next((name for name in VOCABULARIES if name in names), "")


def candidates(names: Iterable[str]) -> list[str]:
    """The names that may be a vocabulary's.

    >>> candidates(["config.json", "model.safetensors", "own.gguf", ".hidden.json"])
    ['own.gguf']
    """
    return [
        name
        for name in names
        if name not in COMPANIONS and not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES
    ]
