"""The numbers of each document that measures for a paper need (`measures`), beside the tally of a task.

Of the text: its sizes, what gzip and zstd write while they read it, its words, numbers and identifiers. Under each
tokenizer: its tokens, those after a window, and the tokens of its words, numbers and identifiers, encoded by
themselves. Of a large corpus only the sums of consecutive documents are kept, which bounds memory.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from explorer.corpus.counter import Ids, TokenizerStats, Whole

ITEMS: Mapping[str, Callable[[str], list[str]]] = {
    "words": str.split,
    "numbers": re.compile(r"\d{2,}").findall,
    "identifiers": re.compile(r"\b[A-Za-z_]\w*?(?:[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9])\w*").findall,
}
"""What is encoded by itself: numbers of two digits or more, names in camelCase or with underscores."""

UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Characters of scripts without spaces between words: Thai, Lao, Tibetan, Burmese, Khmer, kana, Chinese."""

BEFORE = "x "
"""Before a word it makes running text for every family of tokenizers."""


def packers() -> dict[str, Any]:
    """A compressor for gzip, and for zstd where it is installed."""
    known: dict[str, Any] = {"gzip": zlib.compressobj(9, zlib.DEFLATED, 31)}
    try:
        from zstandard import ZstdCompressor
    except ImportError:
        return known
    return known | {"zstd": ZstdCompressor(level=3).compressobj()}


@dataclass
class DocumentRows:
    """A row of numbers for each document, or for so many consecutive ones of a file or label (`unit`).

    window: tokens of a context.
    """

    all_stats: Sequence[TokenizerStats]
    add_special: bool
    parse_special: bool
    window: int
    unit: int
    sizes: list[Whole] = field(default_factory=list)
    frames: list[pd.DataFrame] = field(default_factory=list)
    packers: dict[str, Any] = field(default_factory=packers)

    ENCODINGS: ClassVar[int] = 4
    """So many times a text is encoded at most."""

    def keep(self, index: int, ids: Ids, sizes: Whole) -> None:
        """Receives what a tokenizer makes of a batch, as `counter.Keep`."""
        self.sizes.append(sizes)

    def add(self, texts: Sequence[str], groups: Sequence[str]) -> None:
        """Adds the rows of a batch. groups: the file or label of each text."""
        items = {name: pd.Series([find(text) for text in texts]).explode().dropna() for name, find in ITEMS.items()}
        lines = [(text.removesuffix("\n") + "\n").encode() for text in texts]
        columns: dict[str, Any] = {
            "documents": 1,
            "bytes": [len(text.encode()) for text in texts],
            "characters": [*map(len, texts)],
            "unspaced": [len(UNSPACED.findall(text)) for text in texts],
            **{name: [len(packer.compress(line)) for line in lines] for name, packer in self.packers.items()},
        }
        for at, stats in enumerate(self.all_stats):
            tokens = self.sizes[at] - stats.added * self.add_special
            after = np.maximum(tokens - self.window, 0)
            columns |= {f"tokens {at}": tokens, f"cut {at}": after > 0, f"lost {at}": after}
        for name, parts in items.items():
            codes, known = pd.factorize(parts)
            sums = partial(np.bincount, parts.index, minlength=len(texts))
            columns[name] = sums()
            for at, stats in enumerate(self.all_stats):
                alone = self.tokens_of(stats, known)[codes]
                columns[f"{name}_tokens {at}"] = sums(alone)
                if name == "words":
                    running = self.tokens_of(stats, BEFORE + known) - self.tokens_of(stats, [BEFORE.strip()])
                    columns |= {f"single {at}": sums(alone == 1), f"kept {at}": sums(running[codes] == 1)}
        self.sizes.clear()
        self.frames.append(pd.DataFrame(columns, index=list(groups)).astype("int64"))

    def tokens_of(self, stats: TokenizerStats, texts: Iterable[str]) -> Whole:
        """How many tokens each text has."""
        batch = stats.tokenizer.encode_batch(list(texts), add_special=False, parse_special=self.parse_special)
        return np.diff(np.asarray(batch.offsets, np.int64))

    def as_bytes(self) -> bytes:
        """The rows as Parquet, their index the file or label."""
        rows = pd.concat(self.frames)
        last = np.arange(len(rows)) == len(rows) - 1
        for name, packer in self.packers.items():
            rows[name] += last * len(packer.flush())
        return summed(rows, self.unit).to_parquet()


def summed(rows: pd.DataFrame, unit: int) -> pd.DataFrame:
    """Sums of so many consecutive rows with the same index.

    >>> summed(pd.DataFrame({"n": [1, 2, 3, 4]}, index=["a", "a", "b", "a"]), 2).n.to_dict()
    {'a': 4, 'b': 3}
    """
    if unit == 1:
        return rows
    return rows.groupby([rows.index, rows.groupby(level=0).cumcount() // unit], sort=False).sum().droplevel(1)
