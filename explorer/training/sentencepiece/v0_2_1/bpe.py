"""BPE as sentencepiece 0.2.1 and all versions before learn it: of many pairs only the most frequent are looked at.

The rules are those of 0.2.3 (`bpe`): the most frequent pair, of equals the shortest, then the first in the order of
code points. But before the first merge, and then after each hundred, the trainer chooses the pairs that it looks at
from then on: the 1,000 most frequent, or 5 % of all symbols where that is more. Pairs that arise later are looked at as
well; the others wait for the next choice, even if they have become the most frequent. So a corpus with more than 1,000
pairs can give other pieces than 0.2.3; every BPE model made before 0.2.2 was learned that way.

Which of equally frequent pairs are chosen at the edge follows from the order of a hash map and a heap of the C++
library; `hash_order` reproduces both, as the wheels for Linux have them. Follows `bpe_model_trainer.cc` of 0.2.1.

Where a character of required_chars does not occur, or a word has more than 65,536 characters, the original stops the
whole process; here that is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from explorer.engine.limits.budget import asking
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.training.rows import Train
from explorer.training.sentencepiece.bpe import finished, merged
from explorer.training.sentencepiece.options import Options, Version, special_pieces
from explorer.training.sentencepiece.pieces import Pieces
from explorer.training.sentencepiece.sentences import Corpus, load, single
from explorer.training.sentencepiece.v0_2_1.hash_order import HashOrder, fingerprint, largest
from explorer.training.symbols import ids
from explorer.training.training import TRAINER, Learned, Training

LEAST: Final = 1_000
"""Pairs that are looked at, where there are so many."""

SHARE: Final = single(0.05)
"""The share of all symbols that is looked at, where that is more."""

EVERY: Final = 100
"""Merges between two choices."""

LONGEST: Final = 1 << 16
"""Characters of a word."""


def train(texts: Iterable[str], options: Options = Options()) -> Training[str]:  # noqa: B008  # immutable
    """Learns pieces from texts (`sentences.lines_given` or `lines_read`).

    >>> train(["abab"], Options(vocab_size=8)).learned.tokens
    ('<unk>', '<s>', '</s>', 'ab', '▁ab', 'a', 'b', '▁')
    """
    return Training(partial(learn, list(texts), options))


def learn(texts: Sequence[str], options: Options, emit: Emit) -> Learned[str]:
    """The training itself, with a sink for its events."""
    special = special_pieces(options, Version.OLD)
    corpus = load(texts, options, Version.OLD, special, emit)
    check(corpus)
    size = options.vocab_size - len(special) - len(corpus.required)
    merges = merged(corpus, Pieces(options, Version.OLD), size, emit, MostFrequent(corpus, emit))
    return finished(corpus, merges, special, options, emit)


def check(corpus: Corpus) -> None:
    """Raises InputError where the original stops its process."""
    for ch, n in corpus.required.items():
        if not n:
            raise InputError(f"required_chars holds {ch!r}, which does not occur; leave it out, or use 0.2.3")
    longest = max(map(len, corpus.words), default=0)
    if longest > LONGEST:
        raise InputError(
            f"a word has {longest:,} characters, and at most {LONGEST:,} can be counted; lower max_sentence_length"
        )


class MostFrequent:
    """The most frequent pairs, chosen anew every hundred merges.

    corpus: its words are read for the order in which characters occur.
    """

    def __init__(self, corpus: Corpus, emit: Emit) -> None:
        self.emit = emit
        self.order = HashOrder()
        """fingerprints of characters and pairs"""
        self.pairs: dict[int, str] = {}
        self.prints = [ord(text) for text in corpus.texts]
        """by symbol"""
        seen: dict[str, None] = {}
        for word in asking(corpus.words, TRAINER):
            seen.update(dict.fromkeys(word))
        for symbol in seen:
            self.order.add(self.prints[ord(symbol)])

    def print_of(self, pair: str) -> int:
        """The fingerprint of a pair."""
        left, right = ids(pair)
        return fingerprint(self.prints[left], self.prints[right])

    def add(self, pairs: Iterable[str]) -> None:
        """These pairs have arisen, in this order."""
        for pair in pairs:
            key = self.print_of(pair)
            self.pairs[key] = pair
            self.order.add(key)

    def remove(self, pair: str) -> None:
        """This pair can no longer win."""
        key = self.print_of(pair)
        del self.pairs[key]
        self.order.remove(key)

    def add_symbol(self, pair: str) -> None:
        """This pair becomes the next symbol."""
        self.prints.append(self.print_of(pair))

    def chosen(self, number: int, counts: Mapping[str, int]) -> list[str] | None:
        """The pairs that are looked at from now on, None where they stay the same. number: of the next merge."""
        if number % EVERY:
            return None
        found = [self.pairs[key] for key in self.order if key in self.pairs]
        size = min(max(LEAST, int(single(single(len(self.order)) * SHARE))), len(found))
        values = [counts[pair] for pair in found]
        kept = [found[position] for position in largest(values, size)]
        self.emit(Train.ACTIVE, len(found), size, min((counts[pair] for pair in kept), default=0))
        return kept
