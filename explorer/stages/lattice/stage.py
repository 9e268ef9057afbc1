"""The best path through a lattice, as everybody else asks about it: Unigram's, and PLaMo-2's from the end.

For Why, all candidates that end where a token ends are listed with their sums (PLaMo-2 adds from the end of the text:
those that begin where it begins). Two tokens side by side lost to no piece that covers both: either their joined text
is not a piece, or its sum is lower. A unit is a character.

The question is which path wins, and by how much. The runner-up is the best path that ends with another piece. Wrong
choices: the runner-up, as if the lower sum won; a later path; and the right path with a wrong margin, that of the last
pieces alone or that to a later path.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import cast

from explorer.engine.models.lattice_replay import Candidate, LatticeReplay
from explorer.engine.models.unigram import NEVER, Plamo2, Unigram, UnigramEvent, UnigramRow
from explorer.engine.part import Segment
from explorer.engine.tokenizer import Stage
from explorer.stages.lattice.story import Plamo2Script, UnigramScript
from explorer.stages.spelling import Speller
from explorer.stages.stage import (
    DRAWN,
    NO_REASON,
    Account,
    Choice,
    CrossingAccount,
    CutAccount,
    CutCause,
    Draft,
    Drawing,
    Family,
    Kind,
    Made,
    MadePair,
    ModelKind,
    OriginKind,
    Scene,
    TokenText,
    WhyStep,
    of_byte,
    of_bytes,
    quoted_row,
    unknown,
)
from explorer.text.say import Say, two_digits

MEANING = Say(
    "A score is the logarithm of the piece's probability. Along a path scores add up, and the highest sum wins."
)
DIGITS = 2
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


class Paths(Family[Unigram | Plamo2]):
    """The account of the best path."""

    puts_out = (UnigramEvent.TOKEN, UnigramEvent.BYTE)
    joins = UnigramEvent.JOINED

    def replay(self, item: int) -> LatticeReplay:
        """The lattice of a fragment."""
        fragment = self.fragments[item]
        return self.kept(item, lambda: LatticeReplay(self.model, len(fragment.segment.text), self.rows(fragment)))

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
        says = Say("No path of pieces covers {0:q}, but the unknown characters together are a piece.", text)
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
            only = Say(f"{{0:q}} is the only piece that {ends} here.", token.text)
            return only.then(Say(f"The sum {direction} is {{0:t}}.", sum))
        # the best piece says more than the same character as unknown
        next_best = max(lost, key=lambda each: (not each.unknown, each.sum))
        stop = replay.fork([best, next_best])
        sums = decimals(replay.readable(best.sum), replay.readable(next_best.sum))
        ways = [replay.way(each, stop) for each in (best, next_best)]
        one, other = (self.way_said(made.item, way, replay.backwards) for way in ways)
        if best.sum == next_best.sum:
            tie = f"With {{0}} the sum {direction} is {{1:t}}, the same as with {{2}}: the first one tried stays."
            return Say(tie, one, sums[0], other)
        return Say(f"With {{0}} the sum {direction} is {{1:t}}, higher than with {{2}} ({{3:t}}).",
                   one, sums[0], other, sums[1])  # fmt: skip

    def way_said(self, item: int, way: Sequence[Candidate], as_bytes: bool = False) -> Say:
        """The pieces of a way, joined by plus signs. as_bytes: what a text without a piece becomes."""
        unknown = "{0:q} as bytes" if as_bytes else "{0:q} as unknown"
        said = (Say(unknown if each.unknown else "{0:q}", self.shown(item, each.start, each.end)) for each in way)
        return reduce(partial(Say, "{0} + {1}"), said)

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
                note = Say("{0}; not a piece, with a penalty", note)
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
            says = Say("{0:q} is a piece on the best path, and no pieces spell it with a cut here.", shown)
            return CrossingAccount(found.how, says, (step,))
        way = [*ways[0], *ways[1]]
        sums = decimals(replay.readable(taken.score), replay.readable(sum(each.score for each in way)))
        template = "{0:q} alone scores {1:t}. With a cut here the best sum is {2:t}: {3}."
        says = Say(template, shown, *sums, self.way_said(made.item, way))
        sides = (self.shown(made.item, made.start, border), self.shown(made.item, border, made.end))
        return CrossingAccount(found.how, says, (step,), sides)

    # --- a cut --------------------------------------------------------------------------------------------------------

    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
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
            cause, says = CutCause.BETTER_SUM, Say(template, left.text, right.text, sums[0], shown, sums[1])
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


LEAST_MARGIN = 0.01
"""A smaller difference of two sums is shown as 0.00."""
LONGEST_WAY = 6
"""Pieces of a path that a choice shows."""


@partial(Kind, "best-path", "Which path wins, and by how much?")
def best_path(scene: Scene) -> Draft | None:
    """Which path wins, and by how much?"""
    family = cast(Paths, scene.family)
    contests = []
    for item in family.fragments:
        replay = family.replay(item)
        for here in replay.at:
            ranked = contest(replay, here)
            if len(ranked) > 1 and ranked[0].sum - ranked[1].sum >= LEAST_MARGIN:
                contests.append((item, here, ranked))
    if not contests:
        return None
    # two ways to write two characters teach less
    item, here, ranked = scene.random.choice([each for each in contests if len(each[2]) > 2] or contests)
    replay, ranked = family.replay(item), ranked[:4]
    stop = replay.fork(ranked)
    best, second = ranked[:2]
    margin = best.sum - second.sum
    ways = {each.event: replay.way(each, stop) for each in ranked}
    if any(len(way) > LONGEST_WAY for way in ways.values()):
        return None

    def choice(path: Candidate, ahead: float, why: Say) -> Choice:
        joined = quoted_row([family.shown(item, each.start, each.end) for each in ways[path.event]], " + ")
        said = Say("{0} by {1:t}", joined, two_digits(ahead))
        return Choice(said, why, sums(ways[path.event]), two_digits(path.score))

    lower = Say("Its sum is lower, and the highest sum wins.")
    wrong_margin = Say("The path is right, the difference is not.")
    margins = [abs(best.score - second.score), *(best.sum - each.sum for each in ranked[2:])]
    wrong = [
        choice(second, margin, lower),
        *(choice(best, other, wrong_margin) for other in margins),
        *(choice(each, each.sum - ranked[-1].sum or margin, lower) for each in ranked[2:]),
    ]
    wrong = [each for each in wrong if two_digits(0.0) != each.shown.rpartition(" ")[2]]
    text = family.shown(item, stop, here)
    prompt = Say("Which path to the end of {0:q} wins, and how far is it ahead of the next one?", text)
    brief = prompt.then(Say("Beside each path is the score of its last piece; the panel has the sums before it."))
    totals = [two_digits(sum(each.score for each in ways[path.event])) for path in (best, second)]
    said = Say("Its pieces add up to {0:t}, those of the next path to {1:t}.", *totals).then(MEANING)
    before = min(each.event for each in replay.at[here]) - 1
    return Draft(prompt, choice(best, margin, NO_REASON), wrong, said, before,
                 max(each.event for each in replay.at[here]), brief=brief)  # fmt: skip


def contest(replay: LatticeReplay, here: int) -> list[Candidate]:
    """The pieces that compete at an index, the best path first; without the unknown token."""
    return sorted((each for each in replay.at[here] if not each.unknown), key=lambda each: -each.sum)


def sums(way: Sequence[Candidate]) -> str:
    """The scores of a path, added up in writing.

    >>> sums([Candidate(1, 0, 1, 5, -1.5, -1.5, True, False), Candidate(2, 1, 2, 6, -2.0, -3.5, True, False)])
    '−1.50 − 2.00'
    """
    first, *rest = (each.score for each in way)
    return two_digits(first) + "".join(f" {'+' if each >= 0 else '−'} {two_digits(abs(each))}" for each in rest)


def drawing(stage: Stage, segment: Segment, rows: Sequence[tuple[int, UnigramRow]], speller: Speller) -> Drawing | None:
    """The pieces that compete over a text, and the path that wins."""
    text = segment.text
    replay = LatticeReplay(cast(Unigram, stage.part), len(text), rows)
    candidates = [each for at in replay.at.values() for each in at]
    if not any(each.end - each.start > 1 for each in candidates):
        return None
    end, path = len(text), set()
    while end in replay.best:
        path.add((replay.best[end].start, end))
        end = replay.best[end].start
    arcs = sorted({(each.start, each.end, each.token) for each in candidates if each.end <= DRAWN})
    return {
        "kind": "lattice", "leaves": list(text[:DRAWN].replace("▁", "·")),
        "arcs": [[start, end, token, (start, end) in path] for start, end, token in arcs],
    }  # fmt: skip


UNIGRAM = ModelKind(
    title="The best path",
    purpose="Every way to cut the text is a path through a lattice of pieces; the highest sum of scores wins.",
    name="Best path",
    script=UnigramScript.of,
    account=Paths,
    clause=lambda model: "takes the best path through a lattice",
    sums=True,
    questions=(best_path,),
    drawing=drawing,
    in_file="Unigram",
    required=("vocab",),
    since=(("0.14.0", "byte_fallback", "byte fallback of Unigram"),),
)
PLAMO2 = replace(
    UNIGRAM,
    title="The best path, from the end",
    purpose=f"{UNIGRAM.purpose} Sums are computed from the right, so the path can be read from the left.",
    script=Plamo2Script.of,
    questions=(),
    drawing=None,
    in_file="",
)
