"""The sums of one fragment's lattice, computed again from its events, in the arithmetic of the model.

Each candidate is a piece [start, end). Unigram adds from the left: a candidate's sum is that of the best path to its
start plus its score, and it competes at its end. PLaMo-2 adds from the right: the sum is that of the best path from its
end, and it competes at its start.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

from explorer.engine.models.unigram import AS_BYTES, CANDIDATES, UNIT, Plamo2, Unigram, UnigramEvent, UnigramRow


@dataclass(slots=True)
class Candidate:
    """A piece that competed.

    score: its own. sum: with the best path up to it. won: whether it was the best at that moment. unknown: whether it
    is the unknown token, or a character as its bytes.
    """

    event: int
    start: int
    end: int
    token: int
    score: float
    sum: float
    won: bool
    unknown: bool


class LatticeReplay:
    """One fragment.

    at: by index of the text, the candidates that competed there, in order. best: by index, the winner; none at the
    index where paths begin. backwards: whether sums run from the end of the text.
    """

    def __init__(self, model: Unigram | Plamo2, count: int, rows: Iterable[tuple[int, UnigramRow]]) -> None:
        self.model, self.count = model, count
        self.backwards = isinstance(model, Plamo2)
        self.at: dict[int, list[Candidate]] = {}
        self.best: dict[int, Candidate] = {}
        self.sums = array("f" if isinstance(model, Unigram) and model.rules.single else "d", [0.0]) * (count + 1)
        self.passed_over: dict[tuple[int, int], int] = {}
        """by span, the event of a piece that was skipped"""
        for event, row in rows:
            if row.kind in CANDIDATES:
                self._candidate(event, row)
            elif row.kind == UnigramEvent.REBASE:
                self._rebase(row.start, row.end)
            elif row.kind == UnigramEvent.UNUSED:
                self.passed_over[row.start, row.end] = event

    def unit_score(self, token: int, unknown: bool) -> float:
        """The score of a candidate, in the units in which the model adds."""
        if isinstance(self.model, Plamo2):
            return self.model.score(AS_BYTES if unknown else token)
        return self.model.rules.unknown_score if unknown else self.model.score(token)

    def _candidate(self, event: int, row: UnigramRow) -> None:
        unknown = row.kind in (UnigramEvent.UNKNOWN_BEST, UnigramEvent.UNKNOWN_LOST)
        won = row.kind in (UnigramEvent.BEST, UnigramEvent.UNKNOWN_BEST)
        before, here = (row.end, row.start) if self.backwards else (row.start, row.end)
        score = self.unit_score(row.token, unknown)
        # rounded as the model rounds it
        rounded = self.sums[:1]
        rounded[0] = self.sums[before] + score
        found = Candidate(event, row.start, row.end, row.token, score, rounded[0], won, unknown)
        self.at.setdefault(here, []).append(found)
        if won:
            self.best[here] = found
            self.sums[here] = rounded[0]

    def _rebase(self, start: int, furthest: int) -> None:
        """Follows `_Lattice.rebase`; candidates are lowered along with the best sums they compete with."""
        here = self.sums[start]
        lowered = self.sums[:1]
        self.sums[start] = 0.0
        for index in range(start + 1, furthest + 1):
            if index in self.best:
                self.sums[index] -= here
            for candidate in self.at.get(index, ()):
                lowered[0] = candidate.sum - here
                candidate.sum = lowered[0]

    def readable(self, sum: float) -> float:
        """A sum or score as the vocabulary's file counts."""
        return sum / UNIT if self.backwards else sum

    def candidate(self, start: int, end: int) -> Candidate | None:
        """The candidate [start, end), a piece before the unknown token."""
        found = [
            each for each in self.at.get(start if self.backwards else end, ()) if (each.start, each.end) == (start, end)
        ]
        return min(found, key=lambda each: each.unknown, default=None)

    def way(self, candidate: Candidate, stop: int) -> list[Candidate]:
        """A candidate and the best path it continues, as far as an index, in text order."""
        way = [candidate]
        if self.backwards:
            while way[-1].end < stop:
                way.append(self.best[way[-1].end])
            return way
        while way[-1].start > stop:
            way.append(self.best[way[-1].start])
        return way[::-1]

    def best_within(self, start: int, end: int) -> list[Candidate] | None:
        """The candidates with the highest sum that cover exactly [start, end), in text order; None if none do."""
        sums, last = {start: 0.0}, dict[int, Candidate]()
        by_end: dict[int, list[Candidate]] = {}
        for here in range(start, end + 1):
            for each in self.at.get(here, ()):
                if start <= each.start and each.end <= end:
                    by_end.setdefault(each.end, []).append(each)
        for here in range(start + 1, end + 1):
            for each in by_end.get(here, ()):
                sum = sums.get(each.start)
                if sum is not None and (here not in sums or sum + each.score > sums[here]):
                    sums[here], last[here] = sum + each.score, each
        if end not in sums:
            return None
        way: list[Candidate] = []
        while end > start:
            way.append(last[end])
            end = way[-1].start
        return way[::-1]

    def nodes(self, candidate: Candidate) -> list[int]:
        """The indices that the path of a candidate goes through, from the candidate on."""
        at = candidate.end if self.backwards else candidate.start
        found = [at]
        while at in self.best:
            at = self.best[at].end if self.backwards else self.best[at].start
            found.append(at)
        return found

    def fork(self, candidates: Iterable[Candidate]) -> int:
        """The nearest index that the paths of all candidates go through."""
        first, *rest = (self.nodes(each) for each in candidates)
        common = set(first).intersection(*rest)
        return next(index for index in first if index in common)
