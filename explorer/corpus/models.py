"""The tokenizers of a job, named so that another process or machine opens the very same ones.

A tokenizer is known by what stands in its files. A worker whose file is another one refuses to work, and a job is not
gone on with after a tokenizer was changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from explorer.analysis.run import labels
from explorer.corpus.meter import Gauge
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.opening.catalog import exists, load, named
from explorer.opening.formats import MAX_FILE, files_at

BLOCK: Final = 1 << 20
MOST: Final = 16
"""Tokenizers of one job; a worker holds them all."""


class Chosen(NamedTuple):
    """A tokenizer as it was asked for. choices: what its file leaves open. digest: of its files."""

    spec: str
    choices: tuple[tuple[str, str], ...]
    digest: str


def chosen(specs: Sequence[str], choices: Mapping[str, str]) -> tuple[Chosen, ...]:
    """The tokenizers of a job. Raises InputError for one that cannot be had, or is asked for twice."""
    if len(specs) > MOST:
        raise InputError(f"{len(specs)} tokenizers are too many for one job; give up to {MOST}")
    twice = next((spec for place, spec in enumerate(specs) if spec in specs[:place]), None)
    if twice is not None:
        raise InputError(f"-m {twice} is there twice; give each tokenizer once")
    return tuple(Chosen(absolute(spec), tuple(sorted(choices.items())), digest(spec)) for spec in specs)


def absolute(spec: str) -> str:
    """A name of the catalogue as it is, a path from the root."""
    model, asked = named(spec)
    if not isinstance(model, Path) or not exists(model):
        return spec
    return f"{model.absolute()}@{asked}" if asked else str(model.absolute())


def digest(spec: str) -> str:
    """Of the files a tokenizer is made of. Of a file larger than any vocabulary only the beginning is looked at."""
    model, _ = named(spec)
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
    """The first bytes of a file in blocks, as many as any vocabulary has."""
    with path.open("rb") as file:
        read = 0
        while read < MAX_FILE and (block := file.read(BLOCK)):
            read += len(block)
            yield block


@lru_cache(maxsize=MOST)
def gauge(model: Chosen) -> Gauge:
    """The tokenizer, opened once in a process. Raises InputError where its file is not the one of the job."""
    if digest(model.spec) != model.digest:
        raise InputError(f"{model.spec}: the file is not the one the job was planned with; give all workers the same")
    return Gauge(load(model.spec, **dict(model.choices)))


def tokenizers(models: Sequence[Chosen]) -> dict[str, Tokenizer]:
    """The tokenizers by the labels they have in results."""
    opened = [gauge(model).tokenizer for model in models]
    return dict(zip(labels(opened), opened, strict=True))
