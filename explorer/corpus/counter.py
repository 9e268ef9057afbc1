"""Encodes documents with every tokenizer of a job and counts the tokens, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.compiled import build
from explorer.compiled.blocks import Block, Encoded, block_of
from explorer.compiled.kept import NOTHING_KEPT, Keeper
from explorer.compiled.layout import Call, Numbers
from explorer.corpus.documents import DocumentBatch, LineBatch
from explorer.corpus.sources import InvalidTextPolicy
from explorer.corpus.tally import LENGTHS, OF_TEXT, Tally, Whole, bucket_of, checked, width
from explorer.engine import budget
from explorer.engine.budget import TooSlow
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text.input import is_utf8
from explorer.vocabulary import PieceKind

Ids = NDArray[np.uint32]

UNKNOWN, FALLBACK, SINGLE = FLAGS = (1, 2, 4)
"""Properties of a token in `TokenizerStats.flags`, in the order of OF_TOKENS after the numbers of tokens."""


@dataclass(frozen=True)
class TokenizerStats:
    """A tokenizer and the properties of its tokens that are counted. keep: these."""

    tokenizer: Opened
    keep: Keeper = NOTHING_KEPT

    @cached_property
    def added(self) -> int:
        """How many tokens `add_special` adds to a text: the same for every text, an empty one included."""
        encode = self.tokenizer.encode
        return len(encode("", add_special=True).ids) - len(encode("", add_special=False).ids)

    @property
    def flags(self) -> NDArray[np.uint8]:
        """For each id: whether it is the unknown token, a fallback token, a single byte.

        A fallback token is a byte token or holds part of a character.
        """
        return self.properties[0]

    @property
    def sizes(self) -> Whole:
        """For each id the number of bytes it means, not of its spelling."""
        return self.properties[1]

    @cached_property
    def properties(self) -> tuple[NDArray[np.uint8], Whole]:
        """`flags` and `sizes`."""
        return self.keep("properties", self.computed)

    def computed(self) -> tuple[NDArray[np.uint8], Whole]:
        """`properties`, from the bytes that each id means."""
        # imported here, because mostly they are kept
        from explorer.stages.spelling import spelling_of

        spelling = spelling_of(self.tokenizer)
        contents = [spelling.content(id) for id in range(len(self.tokenizer.vocabulary))]
        unknown, kinds = self.tokenizer.model.unknown, self.tokenizer.vocabulary.kinds
        flags = np.zeros(len(kinds), np.uint8)
        for id, (kind, content) in enumerate(zip(kinds, contents, strict=True)):
            if id == unknown or kind == PieceKind.UNKNOWN:
                flags[id] = UNKNOWN
            elif kind != PieceKind.CONTROL:
                broken = kind == PieceKind.BYTE or not is_utf8(content)
                flags[id] = (SINGLE if len(content) == 1 else 0) | (FALLBACK if broken else 0)
        return flags, np.fromiter(map(len, contents), np.int64, len(contents))

    @cached_property
    def flagged(self) -> tuple[Whole, ...]:
        """The ids with each of FLAGS."""
        return tuple(np.flatnonzero(self.flags & flag) for flag in FLAGS)


SPACES: Final = np.array([chr(code).isspace() for code in range(0x3002)])
"""Which characters are white space, those after U+3000 as the last one."""

SHORT: Final = 1000
"""Characters that Python splits sooner than an array is made of them."""

LONG: Final = 100_000
"""Characters that compiled code counts sooner than numpy does, and without Python's lock."""


def words(text: str) -> int:
    """The number of runs of characters other than white space, as `wc -w` counts on ordinary text.

    >>> words("What is\\tLoRA?\\n"), words("東京は晴れ"), words("")
    (3, 1, 0)
    """
    if len(text) < SHORT:
        return len(text.split())
    if text.isascii():
        space = SPACES[np.frombuffer(text.encode(), np.uint8)]
    else:
        space = SPACES[np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), len(SPACES) - 1)]
    # a word begins after white space, or with the text
    return int(np.count_nonzero(space[:-1] & ~space[1:])) + (not space[0])


Keep = Callable[[int, Ids, Whole], None]
"""Receives the index of a tokenizer, the ids of a batch, and the number of ids per document."""


class Counted(NamedTuple):
    """The ids of a batch, how many belong to each document, the numbers of OF_TOKENS; those of OF_TEXT if known."""

    stats: TokenizerStats
    ids: Ids
    sizes: Whole
    tokens: Whole
    text: Whole | None


class Counter:
    """Counts batches of documents into a tally.

    keep: receives all ids, if they are to be written.
    """

    def __init__(
        self, all_stats: Sequence[TokenizerStats], add_special: bool, parse_special: bool, keep: Keep | None = None
    ) -> None:
        self.all_stats, self.add_special, self.parse_special, self.keep = all_stats, add_special, parse_special, keep
        self.files: dict[str, Whole] = {}
        self.labels: dict[str, Whole] = {}
        self.counts = [np.zeros(len(stats.tokenizer.vocabulary), np.int64) for stats in all_stats]
        self.lengths = [np.zeros(LENGTHS, np.int64) for _ in all_stats]
        self.longest = [0] * len(all_stats)

    def count(self, file: str, batch: DocumentBatch | LineBatch) -> int:
        """Counts documents of one file; returns their number of bytes."""
        encoded = [self.encoded(index, stats, batch) for index, stats in enumerate(self.all_stats)]
        text = next((each.text for each in encoded if each.text is not None), None)
        text = of_texts(batch.texts) if text is None else text
        total = np.concatenate([text, *(each.tokens for each in encoded)])
        self.row(self.files, file)[:] += total
        if batch.labels is not None:
            self.count_labels(batch.texts, batch.labels, encoded)
        return int(total[OF_TEXT.index("bytes")])

    def encoded(self, index: int, stats: TokenizerStats, batch: DocumentBatch | LineBatch) -> Counted:
        """The ids of a batch under one tokenizer, counted by id and by length of document."""
        lines = self.encoded_lines(stats, batch.data) if isinstance(batch, LineBatch) else None
        if lines is not None:
            ids, offsets, text = lines.ids.view(np.uint32), lines.offsets, of_lines(batch.size, lines.block)
            kinds = self.compiled_counts(index, stats, lines.ids)
        else:
            add, parse = self.add_special, self.parse_special
            batch_ids = stats.tokenizer.encode_batch(batch.texts, add_special=add, parse_special=parse)
            ids, offsets, text = np.asarray(batch_ids.ids, np.uint32), np.asarray(batch_ids.offsets, np.int64), None
            counts = np.bincount(ids, minlength=len(self.counts[index]))
            self.counts[index] += counts
            kinds = np.array([counts[flagged].sum() for flagged in stats.flagged])
        sizes = np.diff(offsets)
        self.lengths[index] += np.bincount(bucket_of(sizes), minlength=LENGTHS)
        self.longest[index] = max(self.longest[index], int(sizes.max(initial=0)))
        if self.keep is not None:
            self.keep(index, ids, sizes)
        added = stats.added * len(sizes) * self.add_special
        return Counted(stats, ids, sizes, np.array([len(ids), added, *kinds], np.int64), text)

    def encoded_lines(self, stats: TokenizerStats, data: bytes) -> Encoded | None:
        """The ids of lines in bytes, None where they have to be texts."""
        with budget.run(budget.growing()) as all_of_them:
            all_of_them.grow(len(data))
            options = Options(self.add_special, self.parse_special)
            try:
                return stats.tokenizer.batches.encode_lines(data, options)
            except TooSlow:
                raise
            except InputError:
                # as texts, so that the error can name one
                return None

    def compiled_counts(self, index: int, stats: TokenizerStats, ids: Numbers) -> Whole:
        """Counts ids that the compiled encoder made; returns how many have each of FLAGS."""
        counts, kinds = self.counts[index], np.zeros(1 << len(FLAGS), np.int64)
        assert int(ids.max(initial=0)) < len(counts), "an id outside of the vocabulary"
        Call("count_ids", build.loaded())(ids=ids, count=len(ids), kind_of=stats.flags, counts=counts, kinds=kinds)
        return np.array([kinds[np.arange(len(kinds)) & flag != 0].sum() for flag in FLAGS])

    def count_labels(self, texts: Sequence[str], labels: Sequence[str], encoded: Sequence[Counted]) -> None:
        """Adds each document to the row of its label."""
        of_text = np.stack([of_texts([text]) for text in texts])
        sums = np.concatenate([of_text, *(per_document(*each[:3], self.add_special) for each in encoded)], axis=1)
        documents: dict[str, list[int]] = {}
        for index, label in enumerate(labels):
            documents.setdefault(label, []).append(index)
        for label, own in documents.items():
            self.row(self.labels, label)[:] += sums[own].sum(axis=0)
        checked(self.labels)

    def count_invalid(self, file: str, policy: InvalidTextPolicy) -> None:
        """Counts the documents that a policy skipped or changed in a file; also in a file without documents."""
        row = self.row(self.files, file)
        row[OF_TEXT.index("skipped")] += policy.skipped
        row[OF_TEXT.index("replaced")] += policy.replaced

    def row(self, rows: dict[str, Whole], name: str) -> Whole:
        """The sums under a name, to be changed in place."""
        if name not in rows:
            rows[name] = np.zeros(width(len(self.all_stats)), np.int64)
        return rows[name]

    def tally(self) -> Tally:
        """The counts so far."""
        return Tally(self.files, self.labels, tuple(self.counts), tuple(self.lengths), self.longest)


def of_texts(texts: Sequence[str]) -> Whole:
    """The numbers of OF_TEXT for several texts: counted at once on the joined text, minus the separators.

    >>> of_texts(["a b", "c\\n"]).tolist()
    [2, 5, 5, 3, 1, 0, 0]
    """
    joined = "\n".join(texts)
    between = max(len(texts) - 1, 0)
    if len(joined) >= LONG and build.is_loaded():
        data = joined.encode()
        block = block_of(data, b"", build.loaded())
        assert block is not None  # Python wrote this UTF-8
        sizes = len(data) - between, block.characters - between, block.words, block.line_ends - between
        return np.array([len(texts), *sizes, 0, 0], np.int64)
    size = len(joined) if joined.isascii() else len(joined.encode())
    sizes = size - between, len(joined) - between, words(joined), joined.count("\n") - between
    return np.array([len(texts), *sizes, 0, 0], np.int64)


def of_lines(size: int, block: Block) -> Whole:
    """The numbers of OF_TEXT for a block of `size` bytes."""
    return np.array([block.texts, size, block.characters, block.words, block.line_ends, 0, 0], np.int64)


def per_document(stats: TokenizerStats, ids: Ids, sizes: Whole, add_special: bool) -> Whole:
    """The numbers of OF_TOKENS for each document."""
    flags, ends = stats.flags[ids], np.cumsum(sizes)
    columns = [sizes, np.full_like(sizes, stats.added * add_special)]
    for flag in FLAGS:
        until = np.concatenate(([0], np.cumsum((flags & flag) != 0)))
        columns.append(until[ends] - until[ends - sizes])
    return np.stack(columns, axis=1)
