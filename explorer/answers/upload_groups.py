"""Groups uploaded files into tokenizers: a single file, a file with its partner, or a model's folder.

Settings (tokenizer_config.json and the like) join the vocabulary they were uploaded with. If they come alone, they
wait for a vocabulary or join the current one. Files of several models in one upload are an error: a browser sends
names of files, not their folders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PureWindowsPath
from typing import NamedTuple, TypeAlias

from explorer.errors import InputError
from explorer.facts import listed
from explorer.formats.model_files import ADAPTER, COMPANIONS, NAMED, PARTNERS, TOKENIZER_CONFIG, VOCABULARIES
from explorer.opening.folders import standard_name
from explorer.opening.formats import HEAD, format_of, is_vocabulary


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
                f"{self.base_name[:MAX_NAME]}: this upload was removed while your browser was away; "
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


MAX_NAME = 60
"""Characters of a name in an error."""

UploadGroup: TypeAlias = tuple[Upload, ...]
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
    vocabularies = [file for file in rest if is_vocabulary(file.data[:HEAD], file.base_name)]
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
        return format_of(file.data[:HEAD], file.name).beside(file.base_name)
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
