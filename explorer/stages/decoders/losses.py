"""What of a text does not come back when its ids are decoded, and which stage lost it.

Found from the items of the stages alone, whatever the model. Every item knows the characters of the text it comes from,
so after each stage the text can be read back as the decoder would read it. A character that isn't found at its position
any more was lost there. A change that the decoder reverses is not a loss (`units.reader`).

Only characters of the text count as lost. What was inserted and removed again is not a loss. What only
the decoded text has is counted separately, with the stage that inserted it.

Where two characters could be the one that came back (one of two spaces), the earlier one counts as present.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.engine.results import DecodeTrace, Stage, Trace
from explorer.implementations.opened import Opened
from explorer.stages.decoders.units import (
    Loss,
    Unit,
    UnitGroup,
    decoded_units,
    reader,
    realigned,
    unit_groups,
    units,
    without_surrogates,
)
from explorer.vocabulary import Vocabulary

DECODE = "decode"
"""The name used for decoding, as if it were a stage."""

MODEL = "model"
"""The stage that turns the remaining text into tokens. Decoding reverses how it spells them, so insertions from here on
are put down to decoding."""


class Insertion(NamedTuple):
    """Characters that a stage inserted into the decoded text.

    size: how many. at: before which character of the text the first one is. first: that character.
    """

    stage: str
    size: int
    at: int
    first: str


class Losses(NamedTuple):
    """Lost characters in order of the text, insertions in order of the stages; both empty if the text comes back."""

    lost: tuple[Loss, ...]
    added: tuple[Insertion, ...]


class RoundTrip(NamedTuple):
    """The ids of a trace decoded, and what was lost.

    of_text: the ids came from the text; otherwise the text is only what the ids give, and nothing is compared.
    """

    decoded: DecodeTrace
    losses: Losses
    of_text: bool = True


def round_trip(tokenizer: Opened, trace: Trace) -> RoundTrip:
    """Decodes the ids of a trace, without the special tokens that encoding added."""
    decoded = tokenizer.trace_decode(trace.ids, remove_special=trace.options.add_special)
    return RoundTrip(decoded, losses(trace, decoded, tokenizer.vocabulary))


def losses(trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary) -> Losses:
    """What happened to the text of `trace` until it was decoded.

    >>> import explorer
    >>> tok = explorer.load("bert-uncased")
    >>> trace = tok.trace("W 😊")
    >>> losses(trace, tok.trace_decode(trace.ids), tok.vocabulary).lost
    (Loss(at=0, stage='normalize', start=0, end=1, became='w'), \
Loss(at=2, stage='model', start=2, end=3, became='[UNK]'))
    """
    if decoded.text == trace.text:
        return Losses((), ())
    return _LossSearch(trace, decoded, vocabulary).losses()


class _LossSearch:
    """Finds which characters come back, then goes through the stages to find which one lost each of the others."""

    def __init__(self, trace: Trace, decoded: DecodeTrace, vocabulary: Vocabulary) -> None:
        self.trace, self.text, self.decoded, self.vocabulary = trace, trace.text, decoded, vocabulary
        self.read = reader(decoded.decoder, vocabulary)
        self.returned = bytearray(len(self.text))
        """per character of the text, 1 if it comes back"""
        self.lost: dict[int, Loss] = {}
        self.blamed: set[int] = set()
        """the characters whose loss is put down to a stage before decoding"""

    def losses(self) -> Losses:
        """The result."""
        inserted = self.compare_decoded()
        growth = self.blame_stages(bool(inserted))
        growth.append((DECODE, len(inserted) - sum(count for _, count in growth)))
        return Losses(tuple(joined_losses(self.lost, self.text)), tuple(insertions(growth, inserted)))

    def groups(self, found: Iterable[Unit]) -> Iterator[UnitGroup]:
        """Units over the whole text, in groups."""
        return realigned(unit_groups(found, len(self.text)), self.text)

    def compare_decoded(self) -> list[tuple[int, str]]:
        """Records which characters come back; returns the inserted ones, each with the index it is before."""
        inserted: list[tuple[int, str]] = []
        for group in self.groups(decoded_units(self.trace, self.decoded, self.vocabulary)):
            match = group.match(self.text)
            self.returned[group.start : group.end] = match.present
            if 0 not in match.present:
                inserted += [(group.start + at, without_surrogates(ch)) for at, ch in match.inserted]
            else:
                self.lost |= {each.at: each for each in group.losses(match, DECODE)}
        return inserted

    def blame_stages(self, has_insertions: bool) -> list[tuple[str, int]]:
        """Records the first stage that lost each character; returns by how many characters each stage grew the text."""
        growth: list[tuple[str, int]] = []
        surplus, counts = 0, True
        for stage in self.trace.stages:
            if stage.after == stage.before:
                continue
            now = self.blame(stage, has_insertions)
            counts = counts and stage.name != MODEL
            if counts:
                growth.append((stage.name, now - surplus))
                surplus = now
        return growth

    def blame(self, stage: Stage, has_insertions: bool) -> int:
        """Records what one stage lost; returns how many characters its output has beyond those of the text."""
        surplus = 0
        for group in self.groups(units(stage.after, self.text, self.returned, self.vocabulary, self.read)):
            comes_back = self.returned.find(0, group.start, group.end) < 0
            if (comes_back and not has_insertions) or group.is_unchanged(self.text):
                continue
            match = group.match(self.text)
            if comes_back:
                surplus += len(match.inserted)
                continue
            for each in group.losses(match, stage.name):
                if not self.returned[each.at] and each.at not in self.blamed:
                    self.blamed.add(each.at)
                    self.lost[each.at] = each
        return surplus


def joined_losses(lost: Mapping[int, Loss], text: str) -> Iterator[Loss]:
    """The losses, those of characters that were composed together as one: e and an accent that became é.

    Where the alignment gives the composed character the span of the first one alone, the others look dropped.

    >>> found = {0: Loss(0, "normalize", 0, 1, "é"), 1: Loss(1, "normalize", 1, 2, "")}
    >>> [each.became for each in joined_losses(found, "e\\u0301")]
    ['é', 'é']
    """
    joined: dict[int, Loss] = {}
    for at, each in lost.items():
        if at in joined:
            continue
        joined[at] = each
        stop = each.end
        while each.became and (after := lost.get(stop)) and after[1:] == (each.stage, stop, stop + 1, ""):
            stop += 1
        same = [end for end in range(stop, each.end, -1) if looks_same(text[each.start : end], each.became)]
        for index in range(at, same[0] if same else at):
            joined[index] = Loss(index, each.stage, each.start, same[0], each.became)
    yield from joined.values()


def looks_same(one: str, other: str) -> bool:
    """Whether two strings differ only in their code points, not to a reader (equal in NFKC)."""
    return unicodedata.normalize("NFKC", one) == unicodedata.normalize("NFKC", other)


def insertions(growth: Sequence[tuple[str, int]], inserted: Sequence[tuple[int, str]]) -> list[Insertion]:
    """Which stages inserted the extra characters. What a later stage removed is taken from the last one before it.

    >>> insertions([("normalize", 4), ("pre-tokenize", -4), ("decode", 1)], [(1, " ")])
    [Insertion(stage='decode', size=1, at=1, first=' ')]
    """
    found: list[Insertion] = []
    left, removed = len(inserted), 0
    for stage, count in reversed(growth):
        if count < 0:
            removed -= count
            continue
        canceled = min(removed, count)
        removed -= canceled
        kept = min(count - canceled, left)
        if kept:
            left -= kept
            found.append(Insertion(stage, kept, *inserted[left]))
    return found[::-1]
