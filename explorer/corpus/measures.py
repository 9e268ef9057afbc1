"""The measures of a corpus under a tokenizer, from sums, and what a corpus of any size would take at its rates.

Words are runs of characters other than white space. So fertility means nothing for scripts without spaces; use bytes
per token there. Rényi efficiency is that of Zouhar et al. (2023), alpha 2.5: the Rényi entropy of the tokens divided
by the logarithm of the vocabulary's size, 1 if all tokens are equally common. Parity compares the tokens per document
with those of the baseline label (Petrov et al. 2023). It is a premium for the same content only if the documents of
each label have the same content.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from explorer.analysis.export import Record
from explorer.corpus.counter import TokenizerStats
from explorer.corpus.tally import OF_TEXT, OF_TOKENS, Whole, bounds_of
from explorer.stages.spelling import Form, Speller

ALPHA: Final = 2.5
MOST_FREQUENT: Final = 50

WORD_RULE: Final = "a word is a run of characters other than white space"


def ratio(part: float, whole: float) -> float | None:
    """part / whole; None if whole is 0."""
    return part / whole if whole else None


def text_numbers(row: Whole) -> dict[str, int]:
    """A row's counts of the text."""
    return dict(zip(OF_TEXT, row[: len(OF_TEXT)].tolist(), strict=True))


def token_numbers(row: Whole, tokenizer: int) -> dict[str, int]:
    """A row's counts of a tokenizer's tokens."""
    first = len(OF_TEXT) + tokenizer * len(OF_TOKENS)
    return dict(zip(OF_TOKENS, row[first : first + len(OF_TOKENS)].tolist(), strict=True))


def token_measures(row: Whole, tokenizer: int) -> Record:
    """The measures of a row under a tokenizer. Rates and shares count the tokens of the text, not the added ones.

    >>> row = np.array([2, 12, 12, 3, 2, 0, 0, 8, 2, 0, 0, 3])
    >>> measures = token_measures(row, 0)
    >>> measures["bytes_per_token"], measures["fertility"], measures["single_byte_share"]
    (2.0, 2.0, 0.5)
    """
    text, tokens = text_numbers(row), token_numbers(row, tokenizer)
    count = text_tokens(tokens)
    return {
        "tokens": tokens["tokens"],
        "added": tokens["added"],
        "bytes_per_token": ratio(text["bytes"], count),
        "characters_per_token": ratio(text["characters"], count),
        "fertility": ratio(count, text["words"]),
        "unknown_share": ratio(tokens["unknown"], count),
        "byte_fallback_share": ratio(tokens["byte_fallback"], count),
        "single_byte_share": ratio(tokens["single_byte"], count),
    }


def text_tokens(tokens: Mapping[str, int]) -> int:
    """The number of tokens that come from the text."""
    return tokens["tokens"] - tokens["added"]


def parity(row: Whole, base: Whole | None, tokenizer: int) -> float | None:
    """Tokens per document, as a multiple of the baseline's."""
    if base is None:
        return None
    own, its = (
        ratio(text_tokens(token_numbers(each, tokenizer)), text_numbers(each)["documents"]) for each in (row, base)
    )
    return ratio(own, its) if own is not None and its is not None else None


def renyi_efficiency(counts: Whole, alpha: float = ALPHA) -> float | None:
    """The Rényi efficiency of token counts by id; None without tokens, or for a vocabulary of one entry.

    >>> renyi_efficiency(np.array([7, 7, 7, 7])), renyi_efficiency(np.array([9, 0])) == 0
    (1.0, True)
    """
    total = int(counts.sum())
    if not total or len(counts) < 2:
        return None
    # an exact sum, so that the result is the same on every machine
    power = math.fsum((count / total) ** alpha for count in counts[counts > 0].tolist())
    return max(0.0, math.log(power) / (1 - alpha) / math.log(len(counts)))


def vocabulary_use(counts: Whole) -> Record:
    """How many entries of the vocabulary occur."""
    used = int(np.count_nonzero(counts))
    return {"vocabulary": len(counts), "vocabulary_used": used, "vocabulary_use": ratio(used, len(counts))}


def quantile(lengths: Whole, share: float, longest: int) -> int | None:
    """The largest length in the bucket that contains the quantile, at most `longest`; None without documents."""
    total = int(lengths.sum())
    if not total:
        return None
    return min(longest, bounds_of(int(np.searchsorted(np.cumsum(lengths), math.ceil(share * total))))[1])


def document_lengths(lengths: Whole, longest: int, row: Whole, tokenizer: int) -> Record:
    """The lengths of documents in tokens. A bucket is its smallest and largest length and its number of documents."""
    return {
        "mean": ratio(token_numbers(row, tokenizer)["tokens"], text_numbers(row)["documents"]),
        "half_up_to": quantile(lengths, 0.5, longest),
        "95_percent_up_to": quantile(lengths, 0.95, longest),
        "longest": longest,
        "buckets": [[*bounds_of(int(each)), int(lengths[each])] for each in np.flatnonzero(lengths)],
    }


def token_lengths(counts: Whole, stats: TokenizerStats) -> dict[str, int]:
    """The number of tokens by length in bytes."""
    found = np.bincount(stats.sizes, weights=counts, minlength=1)
    return {str(size): int(found[size]) for size in np.flatnonzero(found)}


def most_frequent(counts: Whole, stats: TokenizerStats) -> list[Record]:
    """The most frequent tokens; on equal counts, the lower id first.

    piece: as the vocabulary stores it. text: as pages show it, with bytes that are not characters in hexadecimal.
    """
    total = int(counts.sum())
    order = [int(id) for id in np.argsort(-counts, kind="stable")[:MOST_FREQUENT] if counts[id]]
    spelling, shown = stats.tokenizer.vocabulary.spelling, Speller(stats.tokenizer.trace(""), Form.AS_TEXT)
    return [
        {
            "id": id,
            "piece": spelling(id),
            "text": shown.token(id),
            "count": int(counts[id]),
            "share": int(counts[id]) / total,
        }
        for id in order
    ]


SHORT_IDS: Final = 1 << 16
"""So many ids fit into 16 bits."""


class Needs(NamedTuple):
    """What a corpus takes, in bytes. ids_16: None for a vocabulary of more ids. words_of_bytes, words_of_ids: suffix
    arrays of 4 or 8 bytes a position. hours: None without a rate.
    """

    tokens: int
    ids_16: int | None
    ids_32: int
    suffixes_of_bytes: int
    suffixes_of_ids: int
    words_of_bytes: int
    words_of_ids: int
    hours: float | None


def needs(size: int, bytes_per_token: float, vocabulary: int, rate: float = 0.0, cores: int = 1) -> Needs:
    """What a corpus of `size` bytes takes. rate: bytes of text a second on one core, 0 for unknown.

    >>> needs(10**12, 4.0, 50_257, rate=10e6, cores=100)
    Needs(tokens=250000000000, ids_16=500000000000, ids_32=1000000000000, suffixes_of_bytes=5000000000000, \
suffixes_of_ids=1250000000000, words_of_bytes=8000000000000, words_of_ids=2000000000000, hours=0.2777777777777778)
    """
    tokens = round(size / bytes_per_token) if bytes_per_token > 0 else 0
    return Needs(
        tokens,
        2 * tokens if vocabulary <= SHORT_IDS else None,
        4 * tokens,
        size * position_bytes(size),
        tokens * position_bytes(tokens),
        size * word_bytes(size),
        tokens * word_bytes(tokens),
        size / rate / cores / 3600 if rate > 0 and cores > 0 else None,
    )


def position_bytes(places: int) -> int:
    """The bytes of a number that names any of these places.

    >>> position_bytes(256), position_bytes(257), position_bytes(10**12)
    (1, 2, 5)
    """
    return max(1, ((places - 1).bit_length() + 7) // 8) if places > 0 else 0


def word_bytes(places: int) -> int:
    """The bytes of a position in 32 bits, or in 64 where they don't suffice.

    >>> word_bytes(1 << 32), word_bytes((1 << 32) + 1)
    (4, 8)
    """
    return 4 if places <= 1 << 32 else 8
