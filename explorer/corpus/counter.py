"""The tokenizers of a corpus job, and the counts of what they make of its documents.

The tokenizers of a job, named so that another process or machine opens the same ones.

A tokenizer is identified by the content of its files. A worker with a different file refuses to work, and a job can't
be resumed after a tokenizer was changed. What is computed of it is kept between jobs under the same digest
(`compiled.kept`).

Encodes documents with every tokenizer of a job, and counts the tokens as whole numbers that add up (`Tally.take`).

Addition is associative and commutative, so parts of a corpus may be counted anywhere and in any order. A part may even
be counted twice, as long as it is added once. Each file and label has a row of sums; counts by id and lengths of
documents exist for the whole corpus only, which bounds memory.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.divergence.result import labels
from explorer.compiled import build
from explorer.compiled.kept import NOTHING_KEPT, Keeper
from explorer.compiled.worker import Block, Call, Encoded, Numbers, block_of
from explorer.corpus.atomic import Damaged
from explorer.corpus.documents import DocumentBatch, LineBatch
from explorer.corpus.sources import InvalidTextPolicy
from explorer.engine import budget
from explorer.engine.budget import TooSlow
from explorer.engine.part import Options
from explorer.errors import ChoicePairs, Choices, InputError
from explorer.formats.files import COMPANIONS
from explorer.implementations.opened import Opened
from explorer.opening.catalog import exists, file_of, load, parse_spec
from explorer.opening.formats import Source, files_at, format_of, open_source
from explorer.opening.sources import PACKAGE
from explorer.text.input import is_utf8
from explorer.vocabulary import PieceKind

Whole = NDArray[np.int64]

OF_TEXT = ("documents", "bytes", "characters", "words", "lines", "skipped", "replaced")
"""A row's counts of the text. words: runs of characters other than white space. lines: line feeds. skipped, replaced:
documents with invalid text."""
OF_TOKENS = ("tokens", "added", "unknown", "byte_fallback", "single_byte")
"""A row's counts of each tokenizer's tokens, after those of the text. added: tokens that `add_special` added."""

MOST_LABELS = 10_000

EXACT = 16
STEPS = 8
LENGTHS = EXACT + STEPS * 40
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

    lengths: documents by bucket. longest: tokens of the longest document. documents: by the number of a task, the
    numbers of each of its documents (`document_rows`), if they were asked for.
    """

    files: dict[str, Whole]
    labels: dict[str, Whole]
    counts: tuple[Whole, ...]
    lengths: tuple[Whole, ...]
    longest: list[int]
    documents: dict[int, bytes] = field(default_factory=dict)

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
        for data in other.documents.values():
            self.documents[number] = data
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
        for data in self.documents.values():
            arrays["documents"] = np.frombuffer(data, np.uint8)
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
            documents = {0: arrays["documents"].tobytes()} if "documents" in arrays else {}
        files, labels = (
            {name: np.array(row, np.int64) for name, row in heading[group].items()} for group in ("files", "labels")
        )
        return cls(files, labels, tuple(counts), lengths, heading["longest"], documents)


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


SPACES = np.array([chr(code).isspace() for code in range(0x3002)])
"""Which characters are white space, those after U+3000 as the last one."""

SHORT = 1000
"""Characters that Python splits sooner than an array is made of them."""

LONG = 100_000
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


MOST = 16
"""The most tokenizers of one job; a worker opens them all."""

DECIDE = ("analysis/divergence", "compiled", "corpus", "engine", "formats", "implementations", "opening", "text")
"""The folders of the package whose code reads a vocabulary."""


class Chosen(NamedTuple):
    """A tokenizer as it was requested. choices: for what its file leaves open. digest: of its files.

    name, title: what results call it, if not by the name of its file. kept: names of its files and paths of their
    copies, which have other names; the one with the vocabulary first. Without them, `spec` says where it is.
    """

    spec: str
    choices: ChoicePairs
    digest: str
    name: str = ""
    title: str = ""
    kept: tuple[tuple[str, str], ...] = ()


def chosen(specs: Sequence[str], choices: Choices) -> tuple[Chosen, ...]:
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
