"""Documents are encoded with every tokenizer of a job and counted, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.divergence.spelling import is_broken, spelling_of
from explorer.corpus.documents import Batch
from explorer.corpus.reading import Judge
from explorer.corpus.tally import LENGTHS, OF_TEXT, Tally, Whole, bucket_of, checked, width
from explorer.engine.tokenizer import Tokenizer
from explorer.vocabulary import PieceKind

Ids = NDArray[np.uint32]

UNKNOWN, FALLBACK, SINGLE = FLAGS = (1, 2, 4)
"""What a token may be, in `Gauge.flags`; in the order of OF_TOKENS, behind the numbers of tokens."""


@dataclass(frozen=True)
class Gauge:
    """A tokenizer, and what each of its tokens counts as."""

    tokenizer: Tokenizer

    @cached_property
    def added(self) -> int:
        """How many tokens `add_special` adds to a text: the same for every text, an empty one too."""
        encode = self.tokenizer.encode
        return len(encode("", add_special=True).ids) - len(encode("", add_special=False).ids)

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

    def __init__(
        self, gauges: Sequence[Gauge], add_special: bool, parse_special: bool, keep: Keep | None = None
    ) -> None:
        self.gauges, self.add_special, self.parse_special, self.keep = gauges, add_special, parse_special, keep
        self.files: dict[str, Whole] = {}
        self.labels: dict[str, Whole] = {}
        self.counts = [np.zeros(len(gauge.tokenizer.vocabulary), np.int64) for gauge in gauges]
        self.lengths = [np.zeros(LENGTHS, np.int64) for _ in gauges]
        self.longest = [0] * len(gauges)

    def count(self, file: str, batch: Batch) -> int:
        """Counts documents of one file; gives the bytes they have."""
        encoded = [self.encoded(place, gauge, batch.texts) for place, gauge in enumerate(self.gauges)]
        total = np.concatenate([of_texts(batch.texts), *(self.of_ids(*each, self.add_special) for each in encoded)])
        self.row(self.files, file)[:] += total
        if batch.labels is not None:
            self.count_labels(batch.texts, batch.labels, encoded)
        return int(total[OF_TEXT.index("bytes")])

    def encoded(self, place: int, gauge: Gauge, texts: Sequence[str]) -> tuple[Gauge, Ids, Whole]:
        """The ids of texts one behind the other, and how many belong to each; counted by id and by length."""
        encode, add, parse = gauge.tokenizer.encode, self.add_special, self.parse_special
        per_text = [encode(text, add_special=add, parse_special=parse).ids for text in texts]
        sizes = np.fromiter(map(len, per_text), np.int64, len(per_text))
        ids = np.fromiter(chain.from_iterable(per_text), np.uint32, int(sizes.sum()))
        self.counts[place] += np.bincount(ids, minlength=len(self.counts[place]))
        self.lengths[place] += np.bincount(bucket_of(sizes), minlength=LENGTHS)
        self.longest[place] = max(self.longest[place], int(sizes.max(initial=0)))
        if self.keep is not None:
            self.keep(place, ids, sizes)
        return gauge, ids, sizes

    @staticmethod
    def of_ids(gauge: Gauge, ids: Ids, sizes: Whole, add_special: bool) -> Whole:
        """The numbers of OF_TOKENS of all of them."""
        flags = gauge.flags[ids]
        added = gauge.added * len(sizes) * add_special
        return np.array([len(ids), added, *(np.count_nonzero(flags & flag) for flag in FLAGS)], np.int64)

    def count_labels(
        self, texts: Sequence[str], labels: Sequence[str], encoded: Sequence[tuple[Gauge, Ids, Whole]]
    ) -> None:
        """Adds each document to the row of its label."""
        of_text = np.stack([of_texts([text]) for text in texts])
        sums = np.concatenate([of_text, *(per_document(*each, self.add_special) for each in encoded)], axis=1)
        places: dict[str, list[int]] = {}
        for place, label in enumerate(labels):
            places.setdefault(label, []).append(place)
        for label, own in places.items():
            self.row(self.labels, label)[:] += sums[own].sum(axis=0)
        checked(self.labels)

    def judged(self, file: str, judge: Judge) -> None:
        """Counts what a judge left out or changed in a file. A file without a document is counted, too."""
        row = self.row(self.files, file)
        row[OF_TEXT.index("skipped")] += judge.skipped
        row[OF_TEXT.index("replaced")] += judge.replaced

    def row(self, rows: dict[str, Whole], name: str) -> Whole:
        """The sums under a name, which may be changed."""
        if name not in rows:
            rows[name] = np.zeros(width(len(self.gauges)), np.int64)
        return rows[name]

    def tally(self) -> Tally:
        """What was counted."""
        return Tally(self.files, self.labels, tuple(self.counts), tuple(self.lengths), self.longest)


def of_texts(texts: Sequence[str]) -> Whole:
    """The numbers of OF_TEXT of texts together: counted at once, with a line end between them that is taken off again.

    >>> of_texts(["a b", "c\\n"]).tolist()
    [2, 5, 5, 3, 1, 0, 0]
    """
    joined = "\n".join(texts)
    between = max(len(texts) - 1, 0)
    return np.array(
        [len(texts), utf8_size(joined) - between, len(joined) - between, words(joined), joined.count("\n") - between,
         0, 0], np.int64,
    )  # fmt: skip


def per_document(gauge: Gauge, ids: Ids, sizes: Whole, add_special: bool) -> Whole:
    """The numbers of OF_TOKENS of each document."""
    flags, ends = gauge.flags[ids], np.cumsum(sizes)
    found = [sizes, np.full_like(sizes, gauge.added * add_special)]
    for flag in FLAGS:
        until = np.concatenate(([0], np.cumsum((flags & flag) != 0)))
        found.append(until[ends] - until[ends - sizes])
    return np.stack(found, axis=1)
