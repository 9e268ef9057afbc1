"""The ids of a corpus on disk: a file of ids, a file of document offsets, and a manifest.

    ids.bin      every id, 16 bits each for vocabularies of up to 65,536 entries, else 32 bits; little endian
    offsets.bin  64 bits each, little endian: the index of each document's first id, then the number of all ids
    manifest.json

Document i is `ids[offsets[i]:offsets[i + 1]]`, in the order of the files. Workers write such files for each task
(`TaskIds`); at the end they are concatenated (`joining`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from explorer.corpus.atomic import all_written
from explorer.corpus.counter import Ids, Whole

FORMAT = "tokenizer-explorer ids 1"


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
