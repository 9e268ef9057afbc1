"""Why, for models that take the path with the highest sum of scores: Unigram and PLaMo-2. A unit is a character.

All candidates that end where a token ends are listed with their sums (PLaMo-2 adds from the end of the text: those that
begin where it begins). Two tokens side by side lost to no piece that covers both: either their joined text is not a
piece, or its sum is lower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, cast

from explorer.engine.models.lattice_replay import Candidate, LatticeReplay
from explorer.engine.models.plamo2 import NEVER, Plamo2
from explorer.engine.models.unigram import Unigram, UnigramEvent
from explorer.stages.why import (
    Account,
    CrossingAccount,
    CutAccount,
    CutCause,
    Family,
    Made,
    OriginKind,
    SegmentEvents,
    TokenText,
    WhyStep,
    of_byte,
    of_bytes,
    unknown,
)
from explorer.text.say import Say

MEANING: Final = Say(
    "A score is the logarithm of the piece's probability. Along a path scores add up, and the highest sum wins."
)
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
        tokens: list[Made] = []
        for event, row in self.rows(fragment):
            if row.kind == UnigramEvent.JOINED:
                tokens[-1] = tokens[-1]._replace(end=row.end)
            elif row.kind in (UnigramEvent.TOKEN, UnigramEvent.BYTE):
                tokens.append(Made(row.token, fragment.item, event, row.kind, row.start, row.end))
        return tokens

    def replay(self, item: int) -> LatticeReplay:
        """The lattice of a fragment."""
        fragment = self.fragments[item]
        return self.kept(item, lambda: LatticeReplay(self.model, len(fragment.segment.text), self.rows(fragment)))

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

    def account(self, made: Made, token: TokenText) -> Account:
        """The candidates that competed where the token ends, and which won."""
        replay, text = self.replay(made.item), self.shown(made.item, made.start, made.end)
        here = made.start if replay.backwards else made.end
        steps = self.contest(made.item, here, replay)
        if made.kind == UnigramEvent.BYTE:
            says = of_byte(text, token.text, self.byte_number(made), len(self.text(made).encode()), token.id)
            return Account(OriginKind.BYTE, says, steps, meaning=MEANING)
        if not replay.best[here].unknown:
            return Account(OriginKind.BEST_PATH, self.won(made, token, replay), steps, meaning=MEANING)
        if token.id == self.model.unknown:
            return unknown(text, token, steps, MEANING)
        says = Say.of("No path of pieces covers {0:q}, but the unknown characters together are a piece.", text)
        return Account(OriginKind.LOOKED_UP, says, steps, meaning=MEANING)

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

    def crossing(self, made: Made, token: TokenText, border: int) -> CrossingAccount:
        """The piece's score beside the best sum of pieces that are cut at the border."""
        found, replay = self.account(made, token), self.replay(made.item)
        taken = replay.candidate(made.start, made.end)
        if found.how is not OriginKind.BEST_PATH or taken is None or taken.unknown:
            return CrossingAccount(found.how, found.sentence, found.steps)
        ways = replay.best_within(made.start, border), replay.best_within(border, made.end)
        shown = self.shown(made.item, made.start, made.end)
        step = self.step(taken.event, (shown,), shown, Say("on the best path"), unit="score",
                         value=replay.readable(taken.score))  # fmt: skip
        if ways[0] is None or ways[1] is None:
            says = Say.of("{0:q} is a piece on the best path, and no pieces spell it with a cut here.", shown)
            return CrossingAccount(found.how, says, (step,))
        way = [*ways[0], *ways[1]]
        sums = decimals(replay.readable(taken.score), replay.readable(sum(each.score for each in way)))
        template = "{0:q} alone scores {1:t}. With a cut here the best sum is {2:t}: " + pluses(3, way, " as unknown")
        says = Say.of(f"{template}.", shown, *sums, *self.way_texts(made.item, way))
        sides = (self.shown(made.item, made.start, border), self.shown(made.item, border, made.end))
        return CrossingAccount(found.how, says, (step,), sides)

    # --- a cut --------------------------------------------------------------------------------------------------------

    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """The sum of both tokens against that of one piece for both."""
        one, other = pair
        replay = self.replay(one.item)
        text = self.fragment(one).segment.text[one.start : other.end]
        shown = self.speller.text(text)
        joined = self.joined(text.encode(), shown)
        if (one.start, one.end) == (other.start, other.end):
            return CutAccount(CutCause.BYTES, of_bytes(shown, len(text.encode())), one.event, joined)
        here = one.start if replay.backwards else other.end
        by_event = {step.event: step for index in (one.end, here) for step in self.contest(one.item, index, replay)}
        best, rival = replay.best[here], replay.candidate(one.start, other.end)
        skipped = replay.passed_over.get((one.start, other.end))
        if rival is not None and not rival.unknown:
            sums = decimals(replay.readable(best.sum), replay.readable(rival.sum))
            direction = "from here to the end" if replay.backwards else "up to here"
            # the longer piece is tried first, so the shorter ones had to be better
            template = f"With {{0:q}} + {{1:q}} the sum {direction} is {{2:t}}, with {{3:q}} alone only {{4:t}}."
            cause, says = CutCause.BETTER_SUM, Say.of(template, left.text, right.text, sums[0], shown, sums[1])
            event = rival.event
        else:
            cause, says = self.absent(joined)
            event = best.event if skipped is None else skipped
            if skipped is not None:
                by_event[event] = self.step(event, (shown,), "", Say("may not be output: skipped"), good=False)
        others = self.others([ch.encode() for ch in text], shown)
        return CutAccount(cause, says, event, joined, [step for _, step in sorted(by_event.items())], others)

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
