"""Which characters become pieces where sentencepiece 0.2.3 chooses by itself (`auto_character_coverage`).

A character that is not a piece is written as its bytes, each a token. So a character of three bytes saves two tokens
wherever it occurs, and a merge saves one. The trainer learns as many merges as the vocabulary could hold, then decides
how many of them, from the first on, to keep: each merge needs its characters as pieces, and the slots that are left go
to the characters that save most. The number of merges with the largest sum wins, of equals the larger number. Follows
`PrunePiecesWithGlobalSearch` of `bpe_model_trainer.cc`.

The slots for characters that no merge needs only ever shrink, so one pass over the merges and the sorted characters
does what the original does with two Fenwick trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.engine.limits.budget import asking
from explorer.engine.trace import Emit
from explorer.training.rows import Train
from explorer.training.training import TRAINER


def letter_counts(texts: Sequence[str], words: Sequence[str], times: Sequence[int]) -> dict[str, int]:
    """How often each character occurs. texts: of the symbols that the words consist of; the first one is a boundary."""
    counts: dict[str, int] = {}
    for at, word in enumerate(asking(words, TRAINER)):
        for symbol in word:
            if symbol != "\0":
                text = texts[ord(symbol)]
                counts[text] = counts.get(text, 0) + times[at]
    return counts


def saved(ch: str, n: int) -> int:
    """The tokens that a character saves as a piece, instead of its bytes.

    >>> saved("猫", 5), saved("a", 5)
    (10, 0)
    """
    return n * (len(ch.encode()) - 1)


class Singles:
    """The characters that no kept merge needs, those that save most first, and as many of them as have a slot."""

    def __init__(self, counts: Mapping[str, int], slots: int) -> None:
        gains = {ch: saved(ch, n) for ch, n in counts.items()}
        self.gains = {ch: gain for ch, gain in gains.items() if gain}
        self.ordered = sorted(self.gains, key=lambda ch: (-gains[ch], -counts[ch], ch))
        self.needed: set[str] = set()
        """characters of merges"""
        self.end = min(slots, len(self.ordered))
        """characters before this position have a slot, unless a merge needs them"""
        self.spare = slots - self.end
        self.sum = sum(self.gains[ch] for ch in self.ordered[: self.end])
        self.rank = {ch: rank for rank, ch in enumerate(self.ordered)}

    def need(self, ch: str) -> int:
        """A merge needs this character: it takes a slot of its own. Returns what it saves."""
        self.needed.add(ch)
        if self.rank.get(ch, self.end) < self.end:
            # the slot goes with it
            self.sum -= self.gains[ch]
        else:
            self.shrink()
        return self.gains.get(ch, 0)

    def shrink(self) -> None:
        """A slot is lost: the character that saves least goes."""
        if self.spare:
            self.spare -= 1
            return
        while self.end:
            self.end -= 1
            ch = self.ordered[self.end]
            if ch not in self.needed:
                self.sum -= self.gains[ch]
                return


def chosen(merges: Sequence[tuple[str, int]], counts: Mapping[str, int], slots: int, emit: Emit) -> list[str]:
    """The pieces: merges, the characters they need, and others.

    merges: what each spells, and how often it occurred when it was made. slots: for all of them.

    >>> chosen([("猫猫", 5), ("ab", 1)], {"猫": 12, "犬": 3, "a": 9, "b": 1}, 3, lambda *row: None)
    ['猫猫', '猫', '犬']
    """
    singles = Singles(counts, slots)
    used = gain = 0
    best, kept, left = singles.sum, 0, slots
    for number, (text, n) in enumerate(asking(merges, TRAINER), 1):
        gain += n
        used += 1
        singles.shrink()
        for ch in text:
            if ch not in singles.needed:
                used += 1
                gain += singles.need(ch)
        if used > slots:
            break
        if gain + singles.sum >= best:
            best, kept = gain + singles.sum, number
            left = slots - used
    emit(Train.KEPT, len(merges), kept, best)
    needed = {ch for text, _ in merges[:kept] for ch in text}
    others = [ch for ch in singles.ordered if ch not in needed][:left]
    return [text for text, _ in merges[:kept]] + sorted(needed) + others
