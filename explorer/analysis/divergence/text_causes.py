"""Causes in the stages before the model: special tokens, characters that changed, and cuts of the pre-tokenizers.

A later difference may have an earlier cause. A special token ends the text before it, and what a character became may
decide where a pre-tokenizer cuts. So for a cut, or an inserted space, an earlier cause is searched in the pieces that
touch it, and an experiment decides whether it is the cause: one side's later stages run on the text as the other side's
earlier stage left it (`states.continued`). What still differs is not due to the earlier stage.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, partial
from itertools import groupby

from explorer.analysis.divergence.changes import FORMED, Forms, change, difference, joins, points, seen_forms
from explorer.analysis.divergence.matching import (
    Boundary,
    Spot,
    TextDifferences,
    UnmatchedSpecial,
    boundaries,
    match,
    overlap,
    touching,
)
from explorer.analysis.divergence.result import (
    NORMALIZE,
    PARTITION,
    PRE_TOKENIZE,
    TEXT,
    DifferenceKind,
    Divergence,
    Plain,
    Side,
    States,
    TextEvents,
    continued,
    text_after,
)
from explorer.analysis.ownership import Span
from explorer.engine.part import Token
from explorer.engine.pre_tokenizers.by_regex import PreTokenization
from explorer.errors import InputError
from explorer.stages.partition.stage import PartitionFinder, stripped
from explorer.stages.table import kind_of
from explorer.text.say import Say, Text, dotted, listed, shortened
from explorer.vocabulary import SPACE_MARK


def special_or_added(side: States, id: int) -> str:
    """The word for a token that is searched for in the text."""
    return "special" if side.spelling.vocabulary.is_special(id) else "added"


class PreTokens:
    """The pieces that one side's pre-tokenizer cuts."""

    def __init__(self, side: States) -> None:
        self.side = side
        self.plain = side.before_model
        self.stage = side.last[PRE_TOKENIZE]
        self.events = TextEvents(side, self.stage or 0)

    def at(self, position: int) -> Side:
        """The pieces that touch a position of the original."""
        index = self.plain.index_at(position)
        pieces = list(dict.fromkeys((self._bounds(index - 1), self._bounds(index))))
        text = " | ".join(f"“{shortened(self.plain.text[start:end])}”" for start, end in pieces)
        if self.stage is None:
            return Side(None, text, Say("does not cut the text"), None)
        why, event = self._why(index, pieces)
        how = "takes {0:t} as one pre-token{1:t}" if len(pieces) == 1 else "cuts {0:t}{1:t}"
        return Side(self.stage, text, Say(how, text, why), event)

    def pieces_of(self, start: int, end: int) -> list[str]:
        """The pieces of the characters that begin in [start, end) of the original."""
        within = self.plain.within(start, end)
        pieces = (list(group) for _, group in groupby(range(within.start, within.stop), self.plain.items.__getitem__))
        return ["".join(self.plain.text[index] for index in piece) for piece in pieces]

    def _bounds(self, index: int) -> tuple[int, int]:
        """Where the piece of a character begins and ends, in plain characters."""
        piece = self.plain.piece(index)
        return piece.start, piece.stop

    def _why(self, index: int, pieces: Sequence[tuple[int, int]]) -> tuple[str, int | None]:
        """Why the pre-tokenizer cut the pieces at a character so, as a clause that follows them, and the event."""
        part = self.side.run.trace.stages[self.stage or 0].part
        event = self.events.find(self.plain.starts[pieces[0][0]], self.plain.starts[pieces[0][0]] + 1)
        if not isinstance(part, PreTokenization):
            return "", event
        taken = self.alternative(event)
        if taken:
            return Text(" by {0:t}", taken), event
        # the first piece is what was left between two matches: the next match made the cut
        for at in range(self.plain.ends[index - 1], self.plain.starts[index] + 1) if len(pieces) > 1 else ():
            after = self.events.find(at, at + 1)
            taken = self.alternative(after)
            if taken:
                return Text(" before what {0:t}, takes", taken), after
        return "", event

    def alternative(self, event: int | None) -> str:
        """The alternative of the pattern that took a piece, according to an event; empty if none did."""
        stage = self.side.run.trace.stages[self.stage or 0]
        alternatives = stage.part.alternatives if isinstance(stage.part, PreTokenization) else ()
        choice = -1 if event is None else stage.events[event].choice
        if choice < 0:
            return ""
        return Text("alternative {0:i}, {1:t}", choice + 1, shortened(alternatives[choice].regex, 60))


def cut_into(pieces: Sequence[str], known: bool) -> Say:
    """How a pre-tokenizer cuts a text, as a clause. known: the text was named before.

    >>> cut_into([" 12"], False).template, cut_into([" ", "12"], True).template
    ('takes {0:q} as one piece', 'cuts it into {0:q} and {1:q}')
    """
    if len(pieces) == 1:
        return Say("takes it as one piece") if known else Say("takes {0:q} as one piece", dotted(pieces[0]))
    parts = listed([dotted(each) for each in pieces])
    return Say("cuts it into {0}", parts) if known else Say("cuts {0:q} into {1}", dotted("".join(pieces)), parts)


MOST_JOINED = 16
"""The most characters before and after a difference that are named with it."""


def forms_of(sides: tuple[States, States], stage: str, side: int) -> Forms:
    """What a side is seen to do with text up to a stage."""
    try:
        return seen_forms(lambda text: text_after(sides[side], stage, text))
    except InputError:  # its parts take no probe
        return Forms()


class TextCauses:
    """Why two runs differ before the model: in a special token, a character or a cut."""

    def __init__(self, differences: TextDifferences) -> None:
        self.differences = differences
        self.text, self.sides = text, sides = differences.text, differences.sides
        self._forms = cache(partial(forms_of, sides))
        self._pre_tokens = (PreTokens(sides[0]), PreTokens(sides[1]))
        self._stripped = cache(lambda side, stage: stripped(sides[side].run.trace.stages[stage]))
        """the white space that special tokens swallowed at a stage of a side"""
        exchanged = cache(lambda side, stage: continued(sides[side], sides[1 - side], stage))
        """the texts of a side that continues with the other side's output of a stage"""

        def texts(side: int, exchange: str, stage: str) -> tuple[Plain, Plain]:
            pair = exchanged(side, exchange)[stage], sides[1 - side].plain[stage]
            return pair if side == 0 else pair[::-1]

        def cuts(side: int, exchange: str) -> frozenset[tuple[int, bool]]:
            one, other = texts(side, exchange, PRE_TOKENIZE)
            return frozenset((cut.at, cut.left) for cut in boundaries(one, other, match(one, other, text).spots))

        # each experiment runs once
        self._spots = cache(lambda side, stage: match(*texts(side, PARTITION, stage), text).spots)
        self._cuts = cache(cuts)

    # --- experiments ------------------------------------------------------------------------------------------------

    def still_differs(self, stage: str, side: int, spot: Spot) -> bool:
        """Whether a stage still differs at a spot when `side` runs on the special tokens that the other side found."""
        return any(overlap(spot, each) for each in touching(self._spots(side, stage), spot.start, spot.end))

    def still_cuts(self, side: int, cut: Boundary, stage: str) -> bool:
        """Whether only one side cuts at a position even when `side` runs on the other side's output of a stage."""
        return cut[:2] in self._cuts(side, stage)

    # --- special tokens ---------------------------------------------------------------------------------------------

    def of_token(self, special: UnmatchedSpecial) -> Divergence:
        """A special token that one side finds and the other does not."""
        holder, other = self.sides[special.side], self.sides[1 - special.side]
        id, spelling = special.token.id, holder.spelling.vocabulary.spelling(special.token.id)
        after = bisect_right(other.specials, special.start, key=lambda token: token.end)
        overlapping = [token for token in other.specials[after : after + 1] if token.start < special.end]
        if overlapping and other.spelling.vocabulary.spelling(overlapping[0].id) == spelling:
            return self._same_token(special, overlapping[0])
        written = self.text[special.start : special.end]
        word = special_or_added(holder, id)
        takes = Say("takes {0:q} for the {1:t} token {2:i} ({3:t})", shortened(written), word, id, shortened(spelling))
        if overlapping:
            instead = Say("takes {0:q} for one", shortened(other.spelling.vocabulary.spelling(overlapping[0].id)))
        else:
            instead = Say("leaves {0:q} as text", shortened(written))
        stage = self._found_at[special.side][special.token]
        sides = Side(stage, shortened(spelling), takes), Side(other.last[PARTITION], shortened(written), instead)
        span = Span(special.start, special.end)
        return Divergence.at(PARTITION, DifferenceKind.SPECIAL_TOKEN, span, sides[:: 1 - 2 * special.side], id)

    def _same_token(self, special: UnmatchedSpecial, other: Token) -> Divergence:
        """Both sides find the token, and on one side it covers adjacent white space, too."""
        side = special.side if special.end - special.start > other.end - other.start else 1 - special.side
        front = Span(*sorted((special.start, other.start)))
        span = front if front.start < front.end else Span(*sorted((special.end, other.end)))
        found_at = self._found_at[special.side][special.token]
        stages = (found_at, self.sides[1 - special.side].last[PARTITION])[:: 1 - 2 * special.side]
        texts = ("", self.text[slice(*span)])[:: 1 - 2 * side]
        # both sides spell the token alike; the id is that of the side that has this span alone
        return self._swallowed(
            stages, texts, span, self._swallows(special.side, special.token.id, span, side), special.token.id
        )

    def of_white_space(self, spot: Spot) -> Divergence | None:
        """Characters that a special token swallowed on one side; None where none did, and where a side inserts some."""
        if spot.start == spot.end:
            return None
        for number, side in enumerate(self.sides):
            if (spot.left, spot.right)[number]:
                continue
            for index, stage in enumerate(side.run.trace.stages[: side.model]):
                if kind_of(stage).finder is not PartitionFinder:
                    continue
                at = side.run.in_read(spot.start)
                event = self._stripped(number, index).first(at, at + 1)
                if event is not None:
                    span = Span(spot.start, spot.end)
                    stages = (index, self.sides[1 - number].last[PARTITION])[:: 1 - 2 * number]
                    says = self._swallows(number, stage.events[event].token, span, number)
                    return self._swallowed(stages, (spot.left, spot.right), span, says)
        return None

    def _swallowed(
        self, stages: Iterable[int | None], texts: Iterable[str], span: Span, says: Iterable[Say],
        token: int | None = None,
    ) -> Divergence:  # fmt: skip
        """White space that a token swallows on one side."""
        sides = (Side(*side, is_plain=True) for side in zip(stages, texts, says, strict=True))
        return Divergence.at(PARTITION, DifferenceKind.SWALLOWED, span, sides, token)

    def _swallows(self, holder: int, token: int, span: Span, side: int) -> tuple[Say, ...]:
        """What each side does where `side` lets a token, an id of `holder`, swallow a span."""
        spelling = self.sides[holder].spelling.vocabulary.spelling(token)
        word = special_or_added(self.sides[holder], token)
        done = Say(
            "lets the {0:t} token {1:q} swallow {2:t}", word, shortened(spelling), points(self.text[slice(*span)])
        )
        return (done, Say("leaves it"))[:: 1 - 2 * side]

    @cached_property
    def _found_at(self) -> tuple[dict[Token, int], dict[Token, int]]:
        """For each side, the stage that took each special token out of the text."""
        found: tuple[dict[Token, int], dict[Token, int]] = ({}, {})
        for side, stages in zip(self.sides, found, strict=True):
            for index, stage in enumerate(side.run.trace.stages[: side.model]):
                for item in stage.after:
                    if isinstance(item, Token):
                        stages.setdefault(item, index)
        return found

    # --- characters -------------------------------------------------------------------------------------------------

    def of_spot(self, spot: Spot) -> Divergence:
        """Characters that differ before the model, explained at the first stage where they differ."""
        return self.at_stage(*self.differences.first_stage(spot))

    def at_stage(self, stage: str, spot: Spot) -> Divergence:
        """A spot of one stage, with its kind."""
        if stage == PARTITION and self.sides[0].run.read != self.sides[1].run.read:
            sides = (
                Side(None, text, Say("reads {0:q}", shortened(text)), is_plain=True) for text in (spot.left, spot.right)
            )
            return Divergence.at(TEXT, DifferenceKind.ESCAPES, Span(spot.start, spot.end), sides)
        swallowed = self.of_white_space(spot)
        if swallowed is not None:
            return swallowed
        if stage != PARTITION:
            special = self.differences.special_touching(*self.differences.stretch(stage, spot))
            if special is not None and not self.still_differs(stage, special.side, spot):
                return self.of_token(special)
        return self._prefix_space(stage, spot) or self._change(stage, spot)

    def _prefix_space(self, stage: str, spot: Spot) -> Divergence | None:
        """One side inserts a space before the same characters."""
        left, right = spot.left, spot.right
        shorter, longer = sorted((left, right), key=len)
        was = self.text[spot.start : spot.end]
        # before a ▁ of the text, an inserted space looks the same
        if longer not in (f" {shorter}", f"{SPACE_MARK}{shorter}" if was == shorter else None):
            return None
        begins = self._is_prefix(spot)
        if spot.start < spot.end and not begins:
            return None
        kind = DifferenceKind.PREFIX_SPACE if begins else DifferenceKind.INSERTED
        adds = Say("adds a prefix space" if begins else "inserts a space")
        adds_none = Say("adds no prefix space" if begins else "inserts no space")
        says = (adds if text == longer else adds_none for text in (left, right))
        # it is before the spot, whether a side gives it no span or that of its neighbor
        lefts, rights = (slice(len(text) - len(shorter)) for text in (left, right))
        added = Spot(spot.start, spot.start, left[lefts], right[rights], spot.lefts[lefts], spot.rights[rights])
        return self._difference(stage, kind, added, says)

    def _change(self, stage: str, spot: Spot) -> Divergence:
        """Each side does something else with the same characters.

        Where a form involves more characters than differ, such as a letter whose mark is the same on both sides, all of
        them are named: a mark that is composed with its letter is not removed.
        """
        forms = self._forms(stage, 0), self._forms(stage, 1)
        whole = self._whole(stage, spot)
        if whole != spot and (
            self._is_formed(spot.left, whole.left, spot, whole, forms[0])
            or self._is_formed(spot.right, whole.right, spot, whole, forms[1])
        ):
            spot = whole
        kind, *says = difference(self.text[spot.start : spot.end], spot.left, spot.right, forms)
        return self._difference(stage, kind, spot, says)

    def _is_formed(self, now: str, all_now: str, spot: Spot, whole: Spot, forms: Forms) -> bool:
        """Whether a side converts the whole to a Unicode form, which its part alone doesn't show."""
        part = change(self.text[spot.start : spot.end], now, forms)
        made = change(self.text[whole.start : whole.end], all_now, forms)
        return made is not None and made.kind in FORMED and (part is None or part.kind not in FORMED)

    def _whole(self, stage: str, spot: Spot) -> Spot:
        """The spot with the characters around it that a Unicode form may join with it, up to `MOST_JOINED`."""
        text, (start, end) = self.text, (spot.start, spot.end)
        if start == end:
            return spot
        while end < min(len(text), spot.end + MOST_JOINED) and joins(text[start:end], text[end]):
            end += 1
        while start > max(0, spot.start - MOST_JOINED) and joins(text[start - 1], text[start:end]):
            start -= 1
        if (start, end) == (spot.start, spot.end):
            return spot
        texts = []
        for side in self.sides:
            made = side.plain[stage].of(start, end)
            # what is inserted in front is another difference
            texts.append(made if text[start].isspace() else made.lstrip(" "))
        return spot._replace(start=start, end=end, left=texts[0], right=texts[1])

    def _difference(self, stage: str, kind: DifferenceKind, spot: Spot, says: Iterable[Say]) -> Divergence:
        sides = (
            Side(side.last[stage], text, said, is_plain=True)
            for side, text, said in zip(self.sides, (spot.left, spot.right), says, strict=True)
        )
        return Divergence.at(stage, kind, Span(spot.start, spot.end), sides)

    def _is_prefix(self, spot: Spot) -> bool:
        """Whether an inserted space is at the start of the text or after a special token, and reaches the model."""
        was = self.text[spot.start : spot.end]
        if was[:1].isspace() and was != min(spot.left, spot.right, key=len):
            return False  # the original has white space here: both write it as a space, and one drops it
        before_model = touching(self.differences.spots[PRE_TOKENIZE], spot.start, spot.end)
        lasts = any(overlap(spot, each) for each in before_model)
        return lasts and (spot.start == 0 or spot.start in self.differences.special_ends)

    # --- cuts -------------------------------------------------------------------------------------------------------

    def of_cut(self, cut: Boundary) -> Divergence:
        """A position where only one pre-tokenizer cuts; or the earlier difference in the same pieces that causes it."""
        start, end = self._pieces_at(cut.at)
        special = self.differences.special_touching(start, end)
        if special is not None and not self.still_cuts(special.side, cut, PARTITION):
            return self.of_token(special)
        for stage in (PARTITION, NORMALIZE):
            spot = self._spot_at_cut(stage, cut, start, end)
            if spot is not None and not self.still_cuts(1, cut, stage):
                return self.at_stage(stage, spot)
        briefs = self._briefly(start, end)
        sides = (each.at(cut.at)._replace(brief=brief) for each, brief in zip(self._pre_tokens, briefs, strict=True))
        return Divergence.at(PRE_TOKENIZE, DifferenceKind.PRE_TOKEN, Span(cut.at, cut.at), sides)

    def _briefly(self, start: int, end: int) -> tuple[Say | None, Say | None]:
        """What both pre-tokenizers make of the text that one of them takes for a piece, without their rules."""
        if start == end:
            return None, None
        one, other = (each.pieces_of(start, end) for each in self._pre_tokens)
        same = "".join(one) == "".join(other)
        return cut_into(one, False), cut_into(other, same)

    def _spot_at_cut(self, stage: str, cut: Boundary, start: int, end: int) -> Spot | None:
        """A difference of an earlier stage in [start, end]: at the cut, or else one that reaches the model."""
        spots = self.differences.spots
        near = touching(spots[stage], start, end)
        if stage == PARTITION:  # those at special tokens have been tried
            near = [spot for spot in near if self.differences.special_touching(spot.start, spot.end) is None]
        lasting = (spot for spot in near if spot in touching(spots[PRE_TOKENIZE], spot.start, spot.end))
        return next(iter(touching(near, cut.at, cut.at)), None) or next(lasting, None)

    def _pieces_at(self, position: int) -> tuple[int, int]:
        """The span of both sides' pieces that touch a position; the position alone where one side cuts no pieces."""
        start = end = position
        if all(side.last[PRE_TOKENIZE] is not None for side in self.sides):
            for side in self.sides:
                low, high = side.before_model.pieces_at(position)
                start, end = min(start, low), max(end, high)
        return start, end
