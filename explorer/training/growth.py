"""Tokens of a corpus by the size of the vocabulary, from the merges alone.

Cheaper than from the events, so whole trainings can be compared: nothing is ranked. The count is that of the symbols
that the merges leave, which is also that of encoding, except for WordPiece, which encodes by the longest match.
"""

from __future__ import annotations

from typing import Any

from explorer.training.training import Learned, asking
from explorer.training.words import Words


def growth(words: Words, learned: Learned[Any], prefix: str = "") -> list[tuple[int, int]]:
    """(size of the vocabulary, tokens of the corpus) before the first merge and after each.

    prefix: of characters that do not begin a word. Characters that are not in the vocabulary are left out.

    >>> from explorer.training.huggingface import bpe
    >>> words = {"aba": 3}
    >>> growth(words, bpe.train(words, bpe.Options(vocab_size=3)).learned)
    [(2, 9), (3, 6)]
    """
    symbol = {text: number for number, text in reversed(list(enumerate(learned.symbols)))}
    written = []
    for word in words:
        texts = (ch if not at or not prefix else prefix + ch for at, ch in enumerate(word))
        written.append("".join(chr(symbol[text]) for text in texts if text in symbol))
    times = list(words.values())
    tokens = sum(n * len(word) for word, n in zip(written, times, strict=True))
    known: set[int] = set(learned.special)
    grown = []
    for _, _, made in learned.merges:
        grown.append(made not in known)
        known.add(made)
    size = len(learned.tokens) - sum(grown)
    found = [(size, tokens)]
    for (left, right, made), grows in zip(asking(learned.merges), grown, strict=True):
        pair, new = chr(left) + chr(right), chr(made)
        for at, word in enumerate(written):
            if pair in word:
                written[at] = word.replace(pair, new)
                tokens -= times[at] * (len(word) - len(written[at]))
        size += grows
        found.append((size, tokens))
    return found
