"""Why, for models that take the path with the highest sum of scores: Unigram and PLaMo-2. A unit is a character.

All candidates that end where a token ends are listed with their sums (PLaMo-2 adds from the end of the text: those that
begin where it begins). Two tokens side by side lost to no piece that covers both: either their joined text is not a
piece, or its sum is lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, cast

from explorer.analysis.why.answers import Cut, CutCause, OriginKind, TokenOrigin, TokenText, WhyStep
from explorer.analysis.why.family import Family, Made, SegmentEvents
from explorer.engine.models.lattice_replay import Candidate, LatticeReplay
from explorer.engine.models.plamo2 import NEVER, Plamo2
from explorer.engine.models.unigram import Unigram, UnigramEvent
from explorer.text.say import Say

MEANING: Final = Say("A score is the logarithm of the piece's probability. Along a path scores add up, and the highest "
                     "sum wins.")  # fmt: skip
DIGITS: Final = 2
"""Digits of a sum in a sentence, unless two of them look the same."""


def decimals(*sums: float) -> list[str]:
    """Sums with as many digits as it takes to tell different ones apart, and a true minus.

    >>> decimals(-28.4102, -33.17), decimals(-1.00001, -1.0), decimals(-1.0, -1.0)
    (['−28.41', '−33.17'], ['−1.00001', '−1.00000'], ['−1.00', '−1.00'])
    """
    for digits in range(DIGITS, 18):
        shown = [f"{each:,.{digits}f}" for each in sums]
        if len(set(shown)) == len(set(sums)):
            break
    return [text.replace("-", "−") for text in shown]


def pluses(first: int, way: Sequence[Candidate], unknown: str) -> str:
    """Fields of a template for the texts of a way, joined by plus signs. unknown: what a text without a piece is."""
    return " + ".join(f"{{{index}:q}}{unknown if each.unknown else ''}" for index, each in enumerate(way, first))


class Paths(Family):
    """The account of the best path."""

    openings = frozenset({UnigramEvent.SEGMENT})

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """One token for each output event; a joined unknown token extends the one before it."""
        found: list[Made] = []
        for event, row in self.rows(fragment):
            if row.kind == UnigramEvent.JOINED:
                found[-1] = found[-1]._replace(end=row.end)
            elif row.kind in (UnigramEvent.TOKEN, UnigramEvent.BYTE):
                found.append(Made(row.token, fragment.item, event, row.kind, row.start, row.end))
        return found

    @lru_cache(maxsize=2)  # noqa: B019  # the account lives for one question
    def replay(self, item: int) -> LatticeReplay:
        """The lattice of a fragment."""
        fragment = self.fragments[item]
        return LatticeReplay(self.model, len(fragment.segment.text), self.rows(fragment))

    @property
    def model(self) -> Unigram | Plamo2:
        """The model."""
        return cast("Unigram | Plamo2", self.stage.part)

    def text(self, made: Made) -> str:
        """The characters of a token."""
        return self.fragment(made).segment.text[made.start : made.end]

    def shown(self, item: int, start: int, end: int) -> str:
        """Characters for people."""
        return self.speller.text(self.fragments[item].segment.text[start:end])

    # --- a token ------------------------------------------------------------------------------------------------------

    def origin(self, made: Made, token: TokenText) -> TokenOrigin:
        """The candidates that competed where the token ends, and which won."""
        replay, text = self.replay(made.item), self.shown(made.item, made.start, made.end)
        here = made.start if replay.backwards else made.end
        steps = tuple(self.contest(made.item, here, replay))
        best = replay.best[here]
        if made.kind == UnigramEvent.BYTE:
            which, data = self.byte_number(made), self.text(made).encode()
            said = Say.of("{0:q} is not a piece. Its byte {1:t}, {2} of {3}, becomes token {4:t}.",
                          text, token.text, which, len(data), str(token.id))  # fmt: skip
            return TokenOrigin(token, OriginKind.BYTE, said, self.number, made.event, (), steps, "", MEANING)
        if best.unknown and token.id != self.model.unknown:
            said = Say.of("No path of pieces covers {0:q}, but the unknown characters together are a piece.", text)
            return TokenOrigin(token, OriginKind.LOOKED_UP, said, self.number, made.event, (), steps, "", MEANING)
        if best.unknown:
            said = Say.of("{0:q} is not a piece, and there are no byte tokens: it becomes {1:q}. Its text is lost.",
                          text, token.text)  # fmt: skip
            return TokenOrigin(token, OriginKind.UNKNOWN, said, self.number, made.event, (), steps, text, MEANING)
        said = self.won(made, token, replay)
        return TokenOrigin(token, OriginKind.BEST_PATH, said, self.number, made.event, (), steps, "", MEANING)

    def won(self, made: Made, token: TokenText, replay: LatticeReplay) -> Say:
        """The winner's sum, and the best of those that lost to it."""
        here = made.start if replay.backwards else made.end
        best = replay.best[here]
        lost = [each for each in replay.at[here] if each is not best]
        direction = "from here to the end" if replay.backwards else "up to here"
        if not lost:
            (sum,) = decimals(replay.readable(best.sum))
            ends = "begins" if replay.backwards else "ends"
            return Say.of(
                f"{{0:q}} is the only piece that {ends} here. The sum {direction} is {{1:t}}.", token.text, sum
            )
        # the best piece says more than the same character as unknown
        next_best = max(lost, key=lambda each: (not each.unknown, each.sum))
        stop = replay.fork([best, next_best])
        sums = decimals(replay.readable(best.sum), replay.readable(next_best.sum))
        ways = [replay.way(each, stop) for each in (best, next_best)]
        unknown = " as bytes" if replay.backwards else " as unknown"
        one, other = pluses(2, ways[0], unknown), pluses(2 + len(ways[0]), ways[1], unknown)
        if best.sum == next_best.sum:
            template = (
                f"With {one} the sum {direction} is {{0:t}}, the same as with {other}: the first one tried stays."
            )
        else:
            template = f"With {one} the sum {direction} is {{0:t}}, higher than with {other} ({{1:t}})."
        return Say.of(template, *sums, *self.way_texts(made.item, [*ways[0], *ways[1]]))

    def way_texts(self, item: int, way: Sequence[Candidate]) -> list[str]:
        """The pieces of a way."""
        return [self.shown(item, each.start, each.end) for each in way]

    def byte_number(self, made: Made) -> int:
        """Which byte of its characters a token is, from 1."""
        first = made.event
        while self.events[first - 1].kind == UnigramEvent.BYTE and self.events[first - 1].start == made.start:
            first -= 1
        return made.event - first + 1

    def contest(self, item: int, here: int, replay: LatticeReplay) -> list[WhyStep]:
        """All candidates at an index, each with its way from where they all part."""
        found = replay.at[here]
        stop = replay.fork(found)
        best = replay.best[here]
        steps = []
        for each in found:
            parts = [self.shown(item, one.start, one.end) for one in replay.way(each, stop)]
            if each is best:
                note = Say("the best")
            elif each.won:
                note = Say("the best so far")
            elif each.sum == best.sum:
                note = Say("equal, but later")
            else:
                note = Say("lower")
            if each.unknown:
                note = Say(f"{note.template}; not a piece, with a penalty")
            sum = replay.readable(each.sum)
            makes = self.shown(item, each.start, each.end)
            steps.append(self.step(each.event, parts, makes, note, value=sum, unit="sum", good=each is best))
        return steps

    # --- a cut --------------------------------------------------------------------------------------------------------

    def cut(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> Cut:
        """The sum of both tokens against that of one piece for both."""
        one, other = pair
        replay = self.replay(one.item)
        text = self.fragment(one).segment.text[one.start : other.end]
        shown = self.speller.text(text)
        joined = self.joined(text.encode(), shown)
        if (one.start, one.end) == (other.start, other.end):
            said = Say.of("{0:q} is not a piece: it becomes one token for each of its {1} bytes.",
                          shown, len(text.encode()))  # fmt: skip
            return Cut(left, right, CutCause.BYTES, said, self.number, one.event, joined)
        here = one.start if replay.backwards else other.end
        seam = one.end
        steps = sorted(
            {step.event: step for index in (seam, here) for step in self.contest(one.item, index, replay)}.items()
        )  # fmt: skip
        found = [step for _, step in steps]
        others = self.others([ch.encode() for ch in text], shown)
        best, rival = replay.best[here], replay.candidate(one.start, other.end)
        if rival is not None and not rival.unknown:
            sums = decimals(replay.readable(best.sum), replay.readable(rival.sum))
            direction = "from here to the end" if replay.backwards else "up to here"
            # the longer piece is tried first, so the shorter ones had to be better
            template = "With {0:q} + {1:q} the sum {d} is {2:t}, with {3:q} alone only {4:t}."
            said = Say.of(template.replace("{d}", direction), left.text, right.text, sums[0], shown, sums[1])
            return Cut(left, right, CutCause.BETTER_SUM, said, self.number, rival.event, joined, tuple(found), others)
        skipped = replay.passed_over.get((one.start, other.end))
        if skipped is not None:
            note = Say("may not be output: skipped")
            found.append(self.step(skipped, (shown,), "", note, good=False))
            found.sort(key=lambda step: step.event)
        cause, said = self.absent(joined)
        event = best.event if skipped is None else skipped
        return Cut(left, right, cause, said, self.number, event, joined, tuple(found), others)

    # --- pieces -------------------------------------------------------------------------------------------------------

    def units(self, made: Made) -> Sequence[bytes] | None:
        """The characters of a token; None for a byte."""
        return None if made.kind == UnigramEvent.BYTE else [ch.encode() for ch in self.text(made)]

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether the model may use a piece of this spelling."""
        data, model = b"".join(units), self.model
        if isinstance(model, Plamo2):
            return model.pieces.get(data.decode(), (NEVER, -1))[0] > NEVER
        token = model.ids.get(data)
        if token is None:
            return False
        kind = model.vocabulary.kinds[token]
        return bool(model.usable[kind]) and kind not in model.rules.passed_over
