"""Many texts encoded at once: one array of all ids, and one of the offsets at which each text begins."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from explorer.engine import arguments
from explorer.engine.limits.budget import TooSlow
from explorer.errors import InputError

Arrays: TypeAlias = "tuple[array[int], array[int]]"
"""Ids, and offsets from 0 to their number."""

CHUNK: Final = 4_000_000
"""Characters encoded at once, about."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The ids of text i are `ids[offsets[i] : offsets[i + 1]]`.

    ids: 32 bits each. offsets: 64 bits each, one more than texts. NumPy reads both without copying:
    `numpy.frombuffer(batch.ids, "uint32")`.

    >>> batch = Batch(array("I", [7, 8, 9]), array("Q", [0, 1, 1, 3]))
    >>> len(batch), [list(ids) for ids in batch]
    (3, [[7], [], [8, 9]])
    """

    ids: array[int]
    offsets: array[int]

    def __len__(self) -> int:
        """The number of texts."""
        return len(self.offsets) - 1

    def __getitem__(self, text: int) -> array[int]:
        """The ids of one text."""
        index = text + len(self) if text < 0 else text
        if not 0 <= index < len(self):
            raise IndexError(f"text {text} of {len(self)}")
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[array[int]]:
        """The ids of each text."""
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} texts, {len(self.ids)} tokens>"


def encoded(
    texts: Iterable[str], encode: Callable[[str], list[int]], at_once: Callable[[list[str]], Arrays | None]
) -> Batch:
    """The batch of these texts. Raises InputError naming the text that cannot be encoded, as `texts[i]`.

    encode: for one text. at_once: for many; None where they are to be encoded one by one.
    """
    ids, offsets = array("I"), array("Q", [0])
    for chunk in chunks(arguments.texts(texts)):
        try:
            found = at_once(chunk) if set(map(type, chunk)) == {str} else None
        except TooSlow:
            raise
        except InputError:
            # one by one, so that the error can name the text
            found = None
        if found is not None:
            before = len(ids)
            if len(offsets) == 1:
                ids, offsets = found
            else:
                ids += found[0]
                offsets += array("Q", [before + offset for offset in found[1][1:]]) if before else found[1][1:]
            continue
        for text in chunk:
            try:
                ids.fromlist(encode(arguments.text(text)))
            except InputError as error:
                raise InputError(f"texts[{len(offsets) - 1}]: {error}") from None
            offsets.append(len(ids))
    return Batch(ids, offsets)


def chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts in lists of about CHUNK characters."""
    if isinstance(texts, list) and set(map(type, texts)) == {str} and sum(map(len, texts)) <= CHUNK:
        yield texts
        return
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text) if isinstance(text, str) else 0
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
