"""What the readers of all kinds of vocabularies share: assembling a tokenizer, and naming the file in errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from explorer.engine.part import Decoder, Part
from explorer.errors import InputError
from explorer.implementations.llama_cpp.metadata import Metadata
from explorer.implementations.opened import Opened
from explorer.vocabulary import Vocabulary


def assembled(keys: Metadata, family: str, vocabulary: Vocabulary, parts: Sequence[Part], decoder: Decoder) -> Opened:
    """The tokenizer of a file, with the facts that its keys gave. family: the algorithm, such as "SPM"."""
    return Opened(keys.name, family, "llama.cpp", vocabulary, tuple(parts), decoder, keys.facts())


@contextmanager
def naming(keys: Metadata) -> Iterator[None]:
    """Puts the name of the file in front of every InputError raised within."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{keys.name}: {error}") from None
