"""The ids of a corpus on disk: a file of ids, a file of document offsets, and a manifest.

    ids.bin      every id, 16 bits each for vocabularies of up to 65,536 entries, else 32 bits; little endian
    offsets.bin  64 bits each, little endian: the index of each document's first id, then the number of all ids
    manifest.json

Document i is `ids[offsets[i]:offsets[i + 1]]`, in the order of the files. Workers write such files for each task
(`TaskIds`); at the end they are concatenated (`joining`).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.corpus.atomic import all_written
from explorer.corpus.counter import Ids
from explorer.corpus.tally import Whole
from explorer.errors import InputError
from explorer.formats import strict_json

FORMAT: Final = "tokenizer-explorer ids 1"


def type_of(vocabulary: int) -> str:
    """The numpy type that stores an id.

    >>> type_of(65_536), type_of(65_537)
    ('<u2', '<u4')
    """
    return "<u2" if vocabulary <= 1 << 16 else "<u4"


def folder_name(label: str) -> str:
    """The folder of a tokenizer's ids.

    >>> folder_name("gpt-2 (Hugging Face)"), folder_name("../x")
    ('gpt-2-Hugging-Face', 'x')
    """
    return re.sub(r"[^\w.+-]+", "-", label).strip("-._")[:80] or "tokenizer"


def part_names(folder: Path, key: str, tokenizer: int) -> tuple[Path, Path]:
    """The files of a task's ids and of the number of ids per document."""
    return folder / f"{key}-{tokenizer}.ids", folder / f"{key}-{tokenizer}.sizes"


class TaskIds:
    """Writes the ids of one task batch by batch: a pair of files per tokenizer, renamed when complete."""

    def __init__(self, folder: Path, key: str, types: Sequence[str]) -> None:
        self.types = types
        self.names = [part_names(folder, key, index) for index in range(len(types))]
        self.open = ExitStack()
        self.files: list[tuple[BinaryIO, BinaryIO]] = []

    def __enter__(self) -> TaskIds:
        ids_and_sizes = self.open.enter_context(all_written([path for pair in self.names for path in pair]))
        self.files = list(zip(ids_and_sizes[::2], ids_and_sizes[1::2], strict=True))
        return self

    def __exit__(self, *raised: Any) -> bool | None:
        return self.open.__exit__(*raised)

    def keep(self, tokenizer: int, ids: Ids, sizes: Whole) -> None:
        """Writes the ids of a batch."""
        into_ids, into_sizes = self.files[tokenizer]
        into_ids.write(ids.astype(self.types[tokenizer], copy=False).data)
        into_sizes.write(sizes.astype("<u8").data)


class IdsFolder(NamedTuple):
    """Ids memory-mapped from disk."""

    ids: NDArray[Any]
    offsets: NDArray[np.uint64]
    manifest: dict[str, Any]

    def document(self, number: int) -> NDArray[Any]:
        """The ids of a document, counted from 0."""
        return self.ids[int(self.offsets[number]) : int(self.offsets[number + 1])]


def open_ids(folder: Path) -> IdsFolder:
    """Opens a tokenizer's ids. Raises InputError if files are incomplete or don't match the manifest."""
    try:
        manifest = strict_json.read((folder / "manifest.json").read_bytes(), f"{folder}/manifest.json", "a manifest")
        type = manifest.get("type") if isinstance(manifest, dict) and manifest.get("format") == FORMAT else None
        if type not in ("<u2", "<u4"):
            raise InputError(f"{folder}: manifest.json does not describe ids; give a folder that --write made")
        ids, offsets = mapped(folder / "ids.bin", type), mapped(folder / "offsets.bin", "<u8")
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); give a folder that --write made") from None
    is_complete = len(ids) == manifest.get("ids") and len(offsets) - 1 == manifest.get("documents")
    if not is_complete or not len(offsets) or int(offsets[-1]) != len(ids):
        raise InputError(f"{folder}: the files don't have the lengths in manifest.json; write them again")
    return IdsFolder(ids, offsets, manifest)


def mapped(path: Path, type: str) -> NDArray[Any]:
    """A file of numbers. numpy can't map an empty file."""
    with contextlib.suppress(ValueError):
        if path.stat().st_size:
            return np.memmap(path, type, "r")
        return np.zeros(0, type)
    raise InputError(f"{path}: its size is not a multiple of a number's; write it again")
