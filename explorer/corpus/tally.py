"""The counts of a corpus as whole numbers that add up (`Tally.take`).

Addition is associative and commutative, so parts of a corpus may be counted anywhere and in any order. A part may even
be counted twice, as long as it is added once. Each file and label has a row of sums; counts by id and lengths of
documents exist for the whole corpus only, which bounds memory.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from explorer.corpus.atomic import Damaged
from explorer.errors import InputError

Whole = NDArray[np.int64]

OF_TEXT: Final = ("documents", "bytes", "characters", "words", "lines", "skipped", "replaced")
"""A row's counts of the text. words: runs of characters other than white space. lines: line feeds. skipped, replaced:
documents with invalid text."""
OF_TOKENS: Final = ("tokens", "added", "unknown", "byte_fallback", "single_byte")
"""A row's counts of each tokenizer's tokens, after those of the text. added: tokens that `add_special` added."""

MOST_LABELS: Final = 10_000

EXACT: Final = 16
STEPS: Final = 8
LENGTHS: Final = EXACT + STEPS * 40
"""The number of length buckets: one for each length below 16, then eight per doubling."""


def width(tokenizers: int) -> int:
    """How many numbers a row has.

    >>> width(2)
    17
    """
    return len(OF_TEXT) + len(OF_TOKENS) * tokenizers


def bucket_of(lengths: Whole) -> Whole:
    """The bucket of each length.

    >>> bucket_of(np.array([0, 15, 16, 17, 18, 31, 32, 1000])).tolist()
    [0, 15, 16, 16, 17, 23, 24, 63]
    """
    power = np.frexp(np.maximum(lengths, 1).astype(np.float64))[1].astype(np.int64) - 1
    power = np.maximum(power, 4)
    long = EXACT + (power - 4) * STEPS + ((lengths >> (power - 3)) & (STEPS - 1))
    buckets: Whole = np.minimum(np.where(lengths < EXACT, lengths, long), LENGTHS - 1).astype(np.int64)
    return buckets


def bounds_of(bucket: int) -> tuple[int, int]:
    """The smallest and the largest length of a bucket.

    >>> [bounds_of(each) for each in (15, 16, 23, 24, 63)]
    [(15, 15), (16, 17), (30, 31), (32, 35), (960, 1023)]
    """
    if bucket < EXACT:
        return bucket, bucket
    power, step = divmod(bucket - EXACT, STEPS)
    first = (STEPS + step) << (power + 1)
    return first, first + (1 << (power + 1)) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums by file and by label, and for each tokenizer counts by id and by length of document.

    lengths: documents by bucket. longest: tokens of the longest document.
    """

    files: dict[str, Whole]
    labels: dict[str, Whole]
    counts: tuple[Whole, ...]
    lengths: tuple[Whole, ...]
    longest: list[int]

    @classmethod
    def nothing(cls, vocabularies: Iterable[int]) -> Tally:
        """The tally of an empty corpus. vocabularies: the size of each.

        >>> Tally.nothing([10]).total.tolist()
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        """
        sizes = tuple(vocabularies)
        return cls(
            {},
            {},
            tuple(np.zeros(size, np.int64) for size in sizes),
            tuple(np.zeros(LENGTHS, np.int64) for _ in sizes),
            [0] * len(sizes),
        )

    def take(self, other: Tally, number: int = 0) -> None:
        """Adds another tally in place, that of any task. Raises InputError if they have too many labels together."""
        for rows, more in ((self.files, other.files), (self.labels, other.labels)):
            for name, row in more.items():
                rows[name] = rows[name] + row if name in rows else row
        for index in range(len(self.counts)):
            self.counts[index][:] += other.counts[index]
            self.lengths[index][:] += other.lengths[index]
        self.longest[:] = map(max, self.longest, other.longest)
        checked(self.labels)

    def text_bytes(self) -> int:
        """How many bytes of text were counted."""
        return int(self.total[1])

    @property
    def total(self) -> Whole:
        """The sums over all files."""
        return sum(self.files.values(), np.zeros(width(len(self.counts)), np.int64))

    def to_bytes(self) -> bytes:
        """The tally for a file or another machine, to be read by `from_bytes`."""
        heading = {
            "files": {name: row.tolist() for name, row in self.files.items()},
            "labels": {name: row.tolist() for name, row in self.labels.items()},
            "sizes": [len(each) for each in self.counts],
            "longest": self.longest,
        }
        arrays: dict[str, NDArray[Any]] = {"heading": np.frombuffer(json.dumps(heading).encode(), np.uint8)}
        for index, (counts, lengths) in enumerate(zip(self.counts, self.lengths, strict=True)):
            ids = np.flatnonzero(counts)
            # small numbers in few bytes: the fastest compression then takes a fifteenth of the best one's time on all
            gaps = narrowed(np.diff(ids, prepend=0))
            arrays |= {f"gaps{index}": gaps, f"counts{index}": narrowed(counts[ids]), f"lengths{index}": lengths}
        file = io.BytesIO()
        np.savez(file, **arrays)  # type: ignore[arg-type]  # the stubs take the names for options
        packed = zlib.compress(file.getvalue(), 1)
        return sha256(packed).digest() + packed

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "a part") -> Tally:
        """Reads what `to_bytes` wrote. Raises InputError for anything else.

        >>> Tally.from_bytes(Tally.nothing([3]).to_bytes()).counts
        (array([0, 0, 0]),)
        """
        digest, packed = data[:32], data[32:]
        if sha256(packed).digest() != digest:
            raise Damaged(f"{name}: this part of a job is damaged; delete it and continue with --resume")
        with np.load(io.BytesIO(zlib.decompress(packed)), allow_pickle=False) as arrays:
            heading = json.loads(arrays["heading"].tobytes())
            counts = []
            for index, size in enumerate(heading["sizes"]):
                counts.append(np.zeros(size, np.int64))
                counts[-1][np.cumsum(arrays[f"gaps{index}"], dtype=np.int64)] = arrays[f"counts{index}"]
            lengths = tuple(arrays[f"lengths{index}"] for index in range(len(counts)))
        files, labels = (
            {name: np.array(row, np.int64) for name, row in heading[group].items()} for group in ("files", "labels")
        )
        return cls(files, labels, tuple(counts), lengths, heading["longest"])


def narrowed(numbers: Whole) -> NDArray[Any]:
    """The same numbers, none negative, in as few bits as the largest one needs.

    >>> narrowed(np.array([3, 300])).dtype, narrowed(np.array([], np.int64)).dtype
    (dtype('uint16'), dtype('uint8'))
    """
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def checked(labels: dict[str, Whole]) -> None:
    """Raises InputError if there are too many labels."""
    if len(labels) > MOST_LABELS:
        raise InputError(
            f"there are more than {MOST_LABELS} labels, such as {next(reversed(labels))[:40]!r}; "
            "choose a --label that groups records, such as a language"
        )
