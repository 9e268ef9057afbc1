"""Opens the ids that a job writes, and checks that they are complete."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.corpus.ids_file import FORMAT
from explorer.errors import InputError
from explorer.formats import strict_json


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
