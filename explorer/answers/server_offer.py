"""A tokenizer in a file of the server's, which whoever started the app offers to everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from explorer.answers.offers import Offer, Origin
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import ChoiceNeeded, InputError
from explorer.opening.formats import Choices, format_at, open_path, runs_of, source_at
from explorer.text.quantities import size


class AtPath(NamedTuple):
    """Opens the tokenizer at a path. label: what errors call it."""

    path: Path
    label: str

    def __call__(self, implementation: str, choices: Choices) -> Tokenizer:
        with called(self.path, self.label):
            return open_path(self.path, implementation, choices)


def offer_of(path: Path, label: str, files: Sequence[Path]) -> Offer:
    """The tokenizer in a file of the server's, or in a model's folder."""
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
            ("folder" if source.whole else "file", label), *files_said(files), ("format", found.name),
            ("size", size(bytes)),
        ),
        open=AtPath(path, label),
    )  # fmt: skip


def files_said(files: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """The files of a model that has several."""
    return (("files", ", ".join(path.name for path in files)),) if len(files) > 1 else ()


@contextmanager
def called(path: Path, label: str) -> Iterator[None]:
    """Errors call the file by its label: where it lies on the server is no visitor's business."""
    try:
        yield
    except ChoiceNeeded as error:
        message = str(error).replace(str(path), label)
        raise ChoiceNeeded(message, error.key, error.options, free=error.free) from None
    except InputError as error:
        raise InputError(str(error).replace(str(path), label)) from None
