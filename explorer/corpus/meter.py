"""Documents are encoded with every tokenizer of a job and counted, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.parallel import is_broken
from explorer.analysis.spelling import spelling_of
from explorer.corpus.documents import Document
from explorer.corpus.reading import Judge
from explorer.corpus.tally import LENGTHS, OF_TEXT, OF_TOKENS, Tally, Whole, bucket_of, checked, width
from explorer.engine.tokenizer import Tokenizer
from explorer.vocabulary import PieceKind

Ids = NDArray[np.uint32]

UNKNOWN, FALLBACK, SINGLE = 1, 2, 4
"""What a token may be, in `Gauge.flags`."""


@dataclass(frozen=True)
class Gauge:
    """A tokenizer, and what each of its tokens counts as."""

    tokenizer: Tokenizer

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """For each id: whether it is the unknown token, whether it spells less than a character, whether one byte.

        Fallback is a token that stands for a byte or for part of a character, for want of a piece.
        """
        vocabulary, spelling = self.tokenizer.vocabulary, spelling_of(self.tokenizer)
        unknown = next((getattr(part, "unknown", None) for part in self.tokenizer.parts if part.name == "model"), None)
        made = np.zeros(len(vocabulary), np.uint8)
        for id in range(len(vocabulary)):
            if id == unknown or vocabulary.kinds[id] == PieceKind.UNKNOWN:
                made[id] = UNKNOWN
            elif vocabulary.kinds[id] != PieceKind.CONTROL:
                single = SINGLE if len(spelling.content(id)) == 1 else 0
                made[id] = single | (FALLBACK if is_broken(spelling, id) else 0)
        return made

    @cached_property
    def sizes(self) -> Whole:
        """For each id: the bytes it says, not those it is spelled in."""
        spelling = spelling_of(self.tokenizer)
        ids = range(len(self.tokenizer.vocabulary))
        return np.fromiter((len(spelling.content(id)) for id in ids), np.int64, len(ids))


def words(text: str) -> int:
    """Runs of characters that are no white space, as `wc -w` counts them on ordinary text.

    >>> words("What is\\tLoRA?\\n"), words("東京は晴れ")
    (3, 1)
    """
    return len(text.split())


def utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


Keep = Callable[[int, Ids, Whole], None]
"""Told the place of a tokenizer, the ids of a batch, and how many belong to each document."""


class Meter:
    """Counts batches of documents into what becomes a tally.

    keep: is given all ids, where somebody wants them.
    """

    ROWS_OF_TEXT: Final = len(OF_TEXT)

    def __init__(
        self, gauges: Sequence[Gauge], add_special: bool, parse_special: bool, labelled: bool, keep: Keep | None = None
    ) -> None:
        self.gauges, self.add_special, self.parse_special = gauges, add_special, parse_special
        self.labelled, self.keep = labelled, keep
        self.files: dict[str, Whole] = {}
        self.labels: dict[str, Whole] = {}
        self.counts = [np.zeros(len(gauge.tokenizer.vocabulary), np.int64) for gauge in gauges]
        self.lengths = [np.zeros(LENGTHS, np.int64) for _ in gauges]
        self.longest = [0] * len(gauges)

    def row(self, rows: dict[str, Whole], name: str) -> Whole:
        """The sums under a name, which may be changed."""
        if name not in rows:
            rows[name] = np.zeros(width(len(self.gauges)), np.int64)
        return rows[name]

    def count(self, file: str, batch: Sequence[Document]) -> int:
        """Counts documents of one file; gives the bytes they have."""
        texts = [document.text for document in batch]
        sums = np.empty((len(batch), width(len(self.gauges))), np.int64)
        # in the order of OF_TEXT
        of_text = [(1, utf8_size(text), len(text), words(text), text.count("\n"), 0, 0) for text in texts]
        sums[:, : self.ROWS_OF_TEXT] = of_text
        for place, gauge in enumerate(self.gauges):
            first = self.ROWS_OF_TEXT + place * len(OF_TOKENS)
            sums[:, first : first + len(OF_TOKENS)] = self.encoded(place, gauge, texts)
        total = sums.sum(axis=0)
        self.row(self.files, file)[:] += total
        if self.labelled:
            places: dict[str, list[int]] = {}
            for place, document in enumerate(batch):
                places.setdefault(document.label, []).append(place)
            for name, own in places.items():
                self.row(self.labels, name)[:] += sums[own].sum(axis=0)
            checked(self.labels)
        return int(total[1])

    def encoded(self, place: int, gauge: Gauge, texts: Sequence[str]) -> Whole:
        """The numbers of OF_TOKENS for each text."""
        encode, add, parse = gauge.tokenizer.encode, self.add_special, self.parse_special
        per_text = [encode(text, add_special=add, parse_special=parse).ids for text in texts]
        sizes = np.fromiter(map(len, per_text), np.int64, len(per_text))
        ids = np.fromiter(chain.from_iterable(per_text), np.uint32, int(sizes.sum()))
        self.counts[place] += np.bincount(ids, minlength=len(self.counts[place]))
        self.lengths[place] += np.bincount(bucket_of(sizes), minlength=LENGTHS)
        self.longest[place] = max(self.longest[place], int(sizes.max(initial=0)))
        if self.keep is not None:
            self.keep(place, ids, sizes)
        flags = gauge.flags[ids]
        ends = np.cumsum(sizes)
        found = [sizes]
        for flag in (UNKNOWN, FALLBACK, SINGLE):
            until = np.concatenate(([0], np.cumsum((flags & flag) != 0)))
            found.append(until[ends] - until[ends - sizes])
        return np.stack(found, axis=1)

    def judged(self, file: str, judge: Judge) -> None:
        """Counts what a judge left out or changed in a file. A file without a document is counted, too."""
        row = self.row(self.files, file)
        row[OF_TEXT.index("skipped")] += judge.skipped
        row[OF_TEXT.index("replaced")] += judge.replaced

    def tally(self) -> Tally:
        """What was counted."""
        return Tally(self.files, self.labels, tuple(self.counts), tuple(self.lengths), tuple(self.longest))
