"""The tokenizers of a job, named so that another process or machine opens the same ones.

A tokenizer is identified by the content of its files. A worker with a different file refuses to work, and a job can't
be resumed after a tokenizer was changed. What is computed of it is kept between jobs under the same digest
(`compiled.kept`).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

from explorer.analysis.divergence.states import labels
from explorer.compiled.kept import NOTHING_KEPT, Keeper
from explorer.corpus.counter import TokenizerStats
from explorer.errors import InputError
from explorer.formats.files import COMPANIONS
from explorer.implementations.opened import Opened
from explorer.opening.catalog import exists, file_of, load, parse_spec
from explorer.opening.formats import Source, files_at, format_of, open_source
from explorer.opening.sources import PACKAGE

MOST: Final = 16
"""The most tokenizers of one job; a worker opens them all."""

DECIDE: Final = ("analysis/divergence", "compiled", "corpus", "engine", "formats", "implementations", "opening", "text")
"""The folders of the package whose code reads a vocabulary."""


class Chosen(NamedTuple):
    """A tokenizer as it was requested. choices: for what its file leaves open. digest: of its files.

    name, title: what results call it, if not by the name of its file. kept: names of its files and paths of their
    copies, which have other names; the one with the vocabulary first. Without them, `spec` says where it is.
    """

    spec: str
    choices: tuple[tuple[str, str], ...]
    digest: str
    name: str = ""
    title: str = ""
    kept: tuple[tuple[str, str], ...] = ()


def chosen(specs: Sequence[str], choices: Mapping[str, str]) -> tuple[Chosen, ...]:
    """The tokenizers of a job. Raises InputError for one that can't be opened or is given twice."""
    if len(specs) > MOST:
        raise InputError(f"{len(specs)} tokenizers are too many for one job; give up to {MOST}")
    twice = next((spec for index, spec in enumerate(specs) if spec in specs[:index]), None)
    if twice is not None:
        raise InputError(f"-m {twice} is given twice; give each tokenizer once")
    return tuple(Chosen(absolute(spec), tuple(sorted(choices.items())), digest(spec), name_of(spec)) for spec in specs)


def name_of(spec: str) -> str:
    """What results call a model that another program keeps: its name there, not that of its file. "" for any other."""
    from explorer.opening import model_names

    path, implementation = parse_spec(spec)
    name = spec.removesuffix(f"@{implementation}") if implementation else spec
    return name if isinstance(path, Path) and model_names.is_stored(name) and not exists(Path(name)) else ""


def absolute(spec: str) -> str:
    """A name of the catalog unchanged, a path as an absolute path."""
    model, implementation = parse_spec(spec)
    if not isinstance(model, Path) or not exists(model):
        return spec
    return f"{model.absolute()}@{implementation}" if implementation else str(model.absolute())


def digest(spec: str, kept: Sequence[tuple[str, str]] = ()) -> str:
    """The digest of a tokenizer's files. Of a GGUF only the keys are hashed.

    kept: as in `Chosen`; of these, all is hashed.
    """
    hashed = hashlib.sha256()
    for _, copy in kept:
        hashed.update(Path(copy).read_bytes())
    if kept:
        return hashed.hexdigest()
    model, _ = parse_spec(spec)
    if not isinstance(model, Path):
        return file_of(model)[0].sha256 + (model.name if model.is_made else "")
    if exists(model):
        for path in files_at(model):
            hashed.update(f"{path.name} {path.stat().st_size} ".encode("utf-8", "surrogateescape"))
            hashed.update(Source(path, name=path.name).deciding())
    return hashed.hexdigest()


@lru_cache(maxsize=MOST)
def stats_of(model: Chosen) -> TokenizerStats:
    """The tokenizer, opened once per process. Raises InputError if its file differs from the job's."""
    if digest(model.spec, model.kept) != model.digest:
        raise InputError(
            f"{model.spec}: the file differs from the one the job was planned with; give all workers the same"
        )
    opened = open_kept(model) if model.kept else load(model.spec, **dict(model.choices))
    opened = replace(opened, name=model.name) if model.name else opened
    # a visitor's file leaves nothing behind
    opened.batches.keep = keep = NOTHING_KEPT if model.kept else Keeper(key(model))
    return TokenizerStats(opened, keep)


def open_kept(model: Chosen) -> Opened:
    """The tokenizer whose files lie under other names. Raises InputError, which names it as `spec` does."""
    name, _, implementation = model.spec.rpartition("@")
    (main, data), *others = ((each, Path(path).read_bytes()) for each, path in model.kept)
    source = Source(data, dict(others), main, whole=any(each in COMPANIONS for each, _ in others))
    return open_source(source, format_of(data, name), name, implementation, dict(model.choices))


@cache
def sources() -> str:
    """The digest of all code and data that decide what is computed of a vocabulary."""
    hashed = hashlib.sha256(f"{sys.version_info[:2]} {sys.byteorder} {version('regex')}".encode())
    for folder, pattern in (("", "*"), *((each, "**/*") for each in DECIDE)):
        for path in sorted((PACKAGE / folder).glob(pattern)):
            if path.suffix in (".py", ".tsv"):
                hashed.update(path.read_bytes())
    return hashed.hexdigest()


def key(model: Chosen) -> str:
    """What everything computed of a tokenizer is kept under."""
    return hashlib.sha256(json.dumps([*model[:3], sources()]).encode()).hexdigest()[:32]


def tokenizers(models: Sequence[Chosen]) -> dict[str, Opened]:
    """The tokenizers by their labels in results."""
    opened = [stats_of(model).tokenizer for model in models]
    titles = {model.name: model.title for model in models if model.title}
    return dict(zip(labels(opened, titles), opened, strict=True))
