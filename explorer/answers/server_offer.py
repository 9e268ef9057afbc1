"""Makes an offer of a tokenizer file on the server, which the operator offers to every visitor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from explorer.answers.offers import Offer, Origin
from explorer.errors import ChoiceNeeded, InputError
from explorer.implementations.opened import Opened
from explorer.opening.formats import Choices, format_at, open_path, runs_of, source_at
from explorer.text.quantities import size


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


def offer_of(path: Path, label: str, files: Sequence[Path]) -> Offer:
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
            *file_facts(files),
            ("format", found.name),
            ("size", size(bytes)),
        ),
        open=PathOpener(path, label),
    )


def file_facts(files: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """The card's row about a model's files, if it has several."""
    return (("files", ", ".join(path.name for path in files)),) if len(files) > 1 else ()


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
