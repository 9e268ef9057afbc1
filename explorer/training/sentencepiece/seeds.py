"""The pieces that Unigram training begins with: all characters, and valid pieces that repeat in the sentences.

A piece counts if it is followed by more than one thing (`branching`), and scores its occurrences × its characters.
Follows `MakeSeedSentencePieces` of `unigram_model_trainer.cc`, which reads whole sentences, also across spaces: the
pieces never hold one, but what follows a piece may be one.

It counts in bytes: what follows differs only if its first byte does; of equal scores the longer in bytes wins, then the
first in the order of code points.

Surprise that is kept: it takes the end of a sentence for a character that it cuts off again, so what ends several
sentences is counted twice.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from explorer.engine.items import Emit
from explorer.training.sentencepiece import options as shared
from explorer.training.sentencepiece.options import UNKNOWN_CHARACTER
from explorer.training.sentencepiece.pieces import Fault, Pieces
from explorer.training.training import UnigramTrain, bits
from explorer.training.unigram import UnigramPieces, branching

END = "\0"
"""Written behind each sentence."""

LASTING = frozenset({Fault.RESERVED, Fault.DIGITS, Fault.SCRIPTS})
"""Faults that a longer piece has as well."""


def seeds(sentences: Sequence[str], options: shared.Options, most: int, emit: Emit) -> UnigramPieces:
    """The first pieces with their scores. sentences: with marks for unknown characters. most: strings, at most."""
    letters = Counter(ch for sentence in sentences for ch in sentence if ch not in (UNKNOWN_CHARACTER, END))
    strings = list(repeated(sentences, options).items())
    sizes = array("f", (n * len(string) for string, n in strings))

    def by_bytes(at: int) -> tuple[float, int, str]:
        string, _ = strings[at]
        return -sizes[at], -len(string.encode()), string

    best = sorted(range(len(strings)), key=by_bytes)[:most]
    pieces = sorted(letters.items(), key=lambda each: (-each[1], each[0]))
    single = len(pieces)
    pieces += [strings[at] for at in best]
    covered = array("f", (n * (len(string) if at >= single else 1) for at, (string, n) in enumerate(pieces)))
    scores = log_shares(covered)
    for at, ((_, n), score) in enumerate(zip(pieces, scores, strict=True)):
        emit(UnigramTrain.SEED_LETTER if at < single else UnigramTrain.SEED, at, n, bits(score))
    return UnigramPieces(list(range(len(pieces))), [string for string, _ in pieces], scores)


def repeated(sentences: Iterable[str], options: shared.Options) -> dict[str, int]:
    """Valid pieces that repeat, in no particular order, and how often the original has them occur."""
    check = Pieces(options)
    text = "".join(f"{sentence}{END}" for sentence in sentences)
    lasting = LASTING | ({Fault.WHITE_SPACE} if options.split_by_whitespace else set())

    def grows(string: str) -> bool:
        return END not in string and check.fault(string) not in lasting

    counts: dict[str, int] = {}
    first_bytes = {ord(ch): chr(ch.encode()[0]) for ch in set(text)}
    longest = options.max_sentencepiece_length + 1  # with the end of a sentence
    for string, n in branching(text, longest, grows, text.translate(first_bytes)):
        piece = string.removesuffix(END)
        if len(piece) > 1 and not check.fault(piece):
            counts[piece] = counts.get(piece, 0) + n
    return counts


def log_shares(covered: array[float]) -> array[float]:
    """log of each one's share of the sum, in 32 bits."""
    if not covered:
        return array("f")
    total = array("d", [0.0])
    for n in covered:
        total[0] = total[0] + n
    total[0] = math.log(total[0])
    return array("f", (math.log(n) - total[0] for n in covered))
