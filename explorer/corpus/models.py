"""The tokenizers of a job, named so that another process or machine opens the same ones.

A tokenizer is identified by the content of its files. A worker with a different file refuses to work, and a job can't
be resumed after a tokenizer was changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from explorer.analysis.run import labels
from explorer.corpus.counter import TokenizerStats
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.opening.catalog import exists, load, parse_spec
from explorer.opening.formats import MAX_FILE, files_at

BLOCK: Final = 1 << 20
MOST: Final = 16
"""The most tokenizers of one job; a worker opens them all."""


class Chosen(NamedTuple):
    """A tokenizer as it was requested. choices: for what its file leaves open. digest: of its files."""

    spec: str
    choices: tuple[tuple[str, str], ...]
    digest: str


def chosen(specs: Sequence[str], choices: Mapping[str, str]) -> tuple[Chosen, ...]:
    """The tokenizers of a job. Raises InputError for one that can't be opened or is given twice."""
    if len(specs) > MOST:
        raise InputError(f"{len(specs)} tokenizers are too many for one job; give up to {MOST}")
    twice = next((spec for index, spec in enumerate(specs) if spec in specs[:index]), None)
    if twice is not None:
        raise InputError(f"-m {twice} is given twice; give each tokenizer once")
    return tuple(Chosen(absolute(spec), tuple(sorted(choices.items())), digest(spec)) for spec in specs)


def absolute(spec: str) -> str:
    """A name of the catalogue unchanged, a path as an absolute path."""
    model, asked = parse_spec(spec)
    if not isinstance(model, Path) or not exists(model):
        return spec
    return f"{model.absolute()}@{asked}" if asked else str(model.absolute())


def digest(spec: str) -> str:
    """The digest of a tokenizer's files. Of a file larger than any vocabulary, only the beginning is hashed."""
    model, _ = parse_spec(spec)
    if not isinstance(model, Path):
        return model.sha256
    hashed = hashlib.sha256()
    if exists(model):
        for path in files_at(model):
            hashed.update(f"{path.name} {path.stat().st_size} ".encode("utf-8", "surrogateescape"))
            for block in beginning(path):
                hashed.update(block)
    return hashed.hexdigest()


def beginning(path: Path) -> Iterator[bytes]:
    """The first `MAX_FILE` bytes of a file, in blocks."""
    with path.open("rb") as file:
        read = 0
        while read < MAX_FILE and (block := file.read(BLOCK)):
            read += len(block)
            yield block


@lru_cache(maxsize=MOST)
def stats_of(model: Chosen) -> TokenizerStats:
    """The tokenizer, opened once per process. Raises InputError if its file differs from the job's."""
    if digest(model.spec) != model.digest:
        raise InputError(
            f"{model.spec}: the file differs from the one the job was planned with; give all workers the same"
        )
    return TokenizerStats(load(model.spec, **dict(model.choices)))


def tokenizers(models: Sequence[Chosen]) -> dict[str, Tokenizer]:
    """The tokenizers by their labels in results."""
    opened = [stats_of(model).tokenizer for model in models]
    return dict(zip(labels(opened), opened, strict=True))
