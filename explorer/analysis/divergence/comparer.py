"""Two tokenizers on one text: where their ids part, at which stage first, and why.

The ids are aligned on the characters of the original text and differ in *regions*, the smallest stretches at whose ends
both sides have a cut. For each region the cause is the first stage, in the order of the pipeline, whose output differs
there and goes on to differ up to the model (`states.py` says when an output is the same although it is spelled
otherwise). Inside a region nothing outside it matters: where both sides end a token, what stands beyond had no part in
merges, best path or longest match. Two things do reach over: a special token ends the text before it, and what a
character became may decide where a pre-tokenizer cuts. So for a cut, or a space put in front, an earlier cause is
looked for in the pieces that touch it.

A stage may also differ without consequence for the ids; that is listed apart, as `harmless`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

from explorer.analysis.alignment import Span, cells_of
from explorer.analysis.divergence.causes import Cause, Models
from explorer.analysis.divergence.changes import difference, points, shortened
from explorer.analysis.divergence.covers import Covering, Covers
from explorer.analysis.divergence.events import TextEvents, added_event
from explorer.analysis.divergence.kinds import Kind
from explorer.analysis.divergence.matching import Boundary, Group, Spot, boundaries, grouped, match
from explorer.analysis.divergence.pieces import Pieces
from explorer.analysis.divergence.plain import Plain
from explorer.analysis.divergence.result import NAMED, Comparison, Divergence, Half, Harmless, where
from explorer.analysis.divergence.states import (
    NORMALIZE,
    ORDER,
    PAD,
    PARTITION,
    POST_PROCESS,
    PRE_TOKENIZE,
    TEXT,
    TEXT_STAGES,
    TRUNCATE,
    States,
    continued,
    states,
)
from explorer.analysis.lengths import cut_apart, cut_off, filled_apart
from explorer.analysis.run import Run
from explorer.engine.items import ADDED, Token
from explorer.engine.limits.budget import many_runs
from explorer.engine.partition.rows import Partition, PartitionRow
from explorer.engine.post_processors.rows import PostProcess, PostProcessRow
from explorer.errors import InputError
from explorer.text import facts

LISTS: Final = (TRUNCATE, POST_PROCESS, PAD)
"""Stages that work on lists of tokens, whatever the text."""


T = TypeVar("T", bound=tuple[Any, ...])


def compare(left: Run, right: Run) -> Comparison:
    """Compares two runs on one text. Raises InputError where the texts are not the same.

    >>> import explorer
    >>> from explorer.analysis.run import runs
    >>> qwen = [explorer.load(spec) for spec in ("qwen2.5", "qwen2.5@llama.cpp")]
    >>> print(compare(*runs(qwen, "A\\u030angstrom")).sentence)
    normalize, characters 1 to 2: Hugging Face composes A + U+030A to Å (NFC); llama.cpp leaves two code points.
    """
    if left.text != right.text:
        raise InputError("the two texts are not the same; compare tokenizers on one text")
    with many_runs("a comparison", len(left.text)):
        return Comparer(left, right).comparison()


class SpecialSpot(NamedTuple):
    """A special token that only one side has: its place, and which side."""

    start: int
    end: int
    side: int
    token: Token


class Comparer:
    """What is worked out once for two runs."""

    def __init__(self, left: Run, right: Run) -> None:
        self.text, self.size = left.text, len(left.text)
        self.runs = (left, right)
        self.sides = (states(left), states(right))
        one, other = self.sides
        matchings = {name: match(one.plain[name], other.plain[name], self.text) for name in TEXT_STAGES}
        self.spots = {name: found.spots for name, found in matchings.items()}
        self.moved = matchings[PRE_TOKENIZE].moved
        spans = [{(token.start, token.end) for token in side.specials} for side in self.sides]
        self.specials = sorted(
            SpecialSpot(token.start, token.end, number, token)
            for number, side in enumerate(self.sides)
            for token in side.specials
            if (token.start, token.end) not in spans[1 - number]
        )
        self.only = [[each for each in self.specials if each.side == side] for side in (0, 1)]
        """the same by side"""
        self.boundaries = boundaries(one.before_model, other.before_model, self.spots[PRE_TOKENIZE])
        self.found_specials = (frozenset(one.specials), frozenset(other.specials))
        self.pieces = (Pieces(one), Pieces(other))
        self.model = Models(one, other)
        self.asked: dict[tuple[int, int], TextEvents] = {}
        self.experiments: dict[tuple[int, str], dict[str, Plain]] = {}
        self.runs_of_spots: dict[str, list[Span]] = {}
        self.swallows: dict[tuple[int, int], Covers] = {}
        self.again: dict[tuple[str, int], list[Spot]] = {}
        self.cuts: dict[tuple[int, str], frozenset[tuple[int, bool]]] = {}

    @cached_property
    def taken_by(self) -> tuple[dict[Token, int], dict[Token, int]]:
        """Per side the stage that took each special token out of the text."""
        found: tuple[dict[Token, int], dict[Token, int]] = ({}, {})
        for side, taken in zip(self.sides, found, strict=True):
            for place, stage in enumerate(side.run.trace.stages[: side.model]):
                for item in stage.after:
                    if isinstance(item, Token):
                        taken.setdefault(item, place)
        return found

    @cached_property
    def special_ends(self) -> frozenset[int]:
        """Where special tokens end, on either side."""
        return frozenset(token.end for side in self.sides for token in side.specials)

    def comparison(self) -> Comparison:
        divergences = [] if self.runs[0].ids == self.runs[1].ids else list(self.divergences())
        return Comparison(*self.runs, tuple(divergences), tuple(self.harmless(divergences)))

    # --- where the ids differ ---------------------------------------------------------------------------------------

    def regions(self) -> Iterator[tuple[Span, tuple[range, range]]]:
        """Where the ids differ, with the tokens there. Inserted tokens belong to what stands behind them."""
        cells = [list(cells_of(side.tokens, self.size)) for side in self.sides]
        held: Group | None = None
        for group in grouped(cells[0], cells[1], self.size):
            if held is not None:
                group = Group(held.start, group.end, joined(held.left, group.left), joined(held.right, group.right))
                held = None
            is_inserted = group.start == group.end < self.size
            if self.is_moved(group.end) or (is_inserted and self.differs(group)):
                held = group
            elif self.differs(group):
                yield Span(group.start, group.end), (group.left, group.right)

    def is_moved(self, at: int) -> bool:
        """Whether a place lies within a stretch whose characters have different spans on the two sides."""
        near = bisect_left(self.moved, at, key=lambda span: span.end)
        return near < len(self.moved) and self.moved[near].start < at < self.moved[near].end

    def differs(self, group: Group) -> bool:
        """Whether the ids of a group are not the same on both sides."""
        left, right = ([side.tokens[place].id for place in each]
                       for side, each in zip(self.sides, group[2:], strict=True))  # fmt: skip
        return left != right

    def divergences(self) -> Iterator[Divergence]:
        """The regions with their causes; neighbours with the same cause are one."""
        front, behind = self.added()
        if front:
            yield front
        yield from self.of_length()
        held: tuple[Span, tuple[range, range], Cause] | None = None
        gone = [cut_off(run) for run in self.runs]
        for region, places in self.regions():
            if all(self.sides[side].tokens[place] in gone[side] for side in (0, 1) for place in places[side]):
                continue  # neither side keeps any of it
            cause = self.cause(region, places)
            if held is not None and self.is_one(held[2], cause) and held[0].end == region.start:
                region = Span(held[0].start, region.end)
                places = joined(held[1][0], places[0]), joined(held[1][1], places[1])
                cause = held[2]
            elif held is not None:
                yield self.made(*held)
            held = region, places, cause
        if held is not None:
            yield self.made(*held)
        if behind:
            yield behind

    @staticmethod
    def is_one(one: Cause, other: Cause) -> bool:
        """Whether two neighbouring regions differ for one reason."""
        return (one.stage, one.kind) == (other.stage, other.kind) and (
            one.spot == other.spot or one.kind == Kind.OTHER_IDS
        )

    def made(self, region: Span, places: tuple[range, range], cause: Cause) -> Divergence:
        """A region and its cause, put into words."""
        if cause.kind == Kind.OTHER_IDS:  # neighbors may have been joined
            other_ids = self.special_ids if cause.stage == PARTITION else self.model.other_ids
            cause = other_ids(region, places)
        events = cause.events or self.found_events(cause)
        left, right = (
            Half(stage, text, does, tuple(side.tokens[place] for place in each), event, named(text, cause.is_plain))
            for side, each, stage, text, does, event in zip(
                self.sides, places, cause.stages, cause.texts, cause.does, events, strict=True
            )
        )
        return Divergence(cause.stage, cause.kind, region, cause.spot, left, right, self.sentence(cause))

    def sentence(self, cause: Cause) -> str:
        """Stage and place, and what each side does there."""
        one, other = (f"{run.subject} {does}" for run, does in zip(self.runs, cause.does, strict=True))
        return f"{cause.stage}, {where(cause.spot, self.size)}: {one}; {other}."

    def found_events(self, cause: Cause) -> tuple[int | None, int | None]:
        """Per side the event of the stage that is about the place of the difference."""
        texts = self.text[cause.spot.start : cause.spot.end] + "".join(cause.texts)
        one, other = (
            None if stage is None else self.events(number, stage).find(*cause.spot, texts, cause.token)
            for number, stage in enumerate(cause.stages)
        )
        return one, other

    def events(self, side: int, stage: int) -> TextEvents:
        """The events of one stage of one side."""
        if (side, stage) not in self.asked:
            self.asked[side, stage] = TextEvents(self.sides[side], stage)
        return self.asked[side, stage]

    # --- why a region differs ---------------------------------------------------------------------------------------

    def cause(self, region: Span, places: tuple[range, range]) -> Cause:
        """The first stage whose output differs in a region, and why."""
        start, end = region
        for special in self.specials_near(start, end):
            if special.start < end and start < special.end:
                return self.special_cause(special)
        if all(places) and all(
            side.tokens[index] in found
            for side, found, each in zip(self.sides, self.found_specials, places, strict=True)
            for index in each
        ):
            return self.special_ids(region, places)
        inside = [spot for spot in touching(self.spots[PRE_TOKENIZE], start, end) if self.belongs(spot, region)]
        if inside:
            return min(map(self.text_cause, inside), key=lambda cause: (ORDER.index(cause.stage), cause.spot))
        near = self.boundaries[bisect_left(self.boundaries, (start,)) : bisect_left(self.boundaries, (end + 1,))]
        cuts = [cut for cut in near if start <= cut.since and cut.at < end]
        if cuts:
            return self.cut_cause(cuts[0])
        if self.model.edges_matter(region, places):
            if near:
                return self.cut_cause(near[0])
            begins = [side.before_model.begins_piece(start) for side in self.sides]
            if begins[0] != begins[1]:
                cut = Boundary(start, begins[0], start - 1)
                if self.cuts_anyway(1, cut, NORMALIZE):
                    return self.cut_cause(cut)
                gone = self.gone_in_front(start, self.sides[begins.index(False)].before_model)
                if gone is not None:
                    return self.text_cause(gone)
        return self.model.cause(region, places)

    def gone_in_front(self, start: int, holder: Plain) -> Spot | None:
        """What differs in front of a place in the piece that goes on there on one side, nearest to it."""
        first = holder.starts[holder.piece(holder.place(start)).start]
        found = touching(self.spots[PRE_TOKENIZE], first, start)
        return found[-1] if found else None

    def belongs(self, spot: Spot, region: Span) -> bool:
        """Whether a spot lies in a region; what is inserted belongs to the region behind it, at the end before it."""
        if spot.start == spot.end:
            return region.start <= spot.start < region.end or spot.start == region.end == self.size
        return spot.start < region.end and region.start < spot.end

    def special_ids(self, region: Span, places: tuple[range, range]) -> Cause:
        """Tokens that both sides take out of the text, at the same place, under other numbers."""
        cause = self.model.other_ids(region, places)
        stages = self.sides[0].last[PARTITION], self.sides[1].last[PARTITION]
        return cause._replace(stage=PARTITION, stages=stages, events=None, token=self.sides[0].tokens[places[0][0]].id)

    def special_cause(self, special: SpecialSpot) -> Cause:
        """A special token that one side has, and the other has not."""
        holder = self.sides[special.side]
        stage = self.taken_by[special.side][special.token]
        id, spelling = special.token.id, holder.spelling.vocabulary.spelling(special.token.id)
        written = self.text[special.start : special.end]
        other = self.sides[1 - special.side]
        behind = bisect_right(other.specials, special.start, key=lambda token: token.end)
        overlapping = [token for token in other.specials[behind : behind + 1] if token.start < special.end]
        if overlapping and other.spelling.vocabulary.spelling(overlapping[0].id) == spelling:
            return self.swallowed(special, overlapping[0], stage, spelling)
        word = special_or_added(holder, id)
        does = f"takes “{shortened(written)}” for the {word} token {id} ({shortened(spelling)})"
        if overlapping:
            shown = other.spelling.vocabulary.spelling(overlapping[0].id)
            instead = f"takes “{shortened(shown)}” for one"
        else:
            instead = f"leaves “{shortened(written)}” as text"
        pairs = ((stage, shortened(spelling), does), (other.last[PARTITION], shortened(written), instead))
        (one, left, first), (two, right, second) = pairs if special.side == 0 else reversed(pairs)
        return Cause(
            PARTITION, Kind.SPECIAL_TOKEN, Span(special.start, special.end), (one, two), (left, right),
            (first, second), token=id,
        )  # fmt: skip

    def swallowed(self, special: SpecialSpot, other: Token, stage: int, spelling: str) -> Cause:
        """A special token that both sides have, of which one side's stands for the white space beside it as well."""
        longer = special.end - special.start > other.end - other.start
        side = special.side if longer else 1 - special.side
        front = Span(*sorted((special.start, other.start)))
        place = front if front.start < front.end else Span(*sorted((special.end, other.end)))
        text = self.text[place.start : place.end]
        word = special_or_added(self.sides[special.side], special.token.id)
        words = [f"lets the {word} token “{shortened(spelling)}” swallow {points(text)}", "leaves it"]
        texts, stages = ["", text], [stage, self.sides[1 - special.side].last[PARTITION]]
        if side == 1:
            words, texts = words[::-1], texts[::-1]
        if special.side == 1:
            stages = stages[::-1]
        return Cause(PARTITION, Kind.SWALLOWED, place, (stages[0], stages[1]), (texts[0], texts[1]),
                     (words[0], words[1]), token=special.token.id, is_plain=True)  # fmt: skip

    def text_cause(self, spot: Spot) -> Cause:
        """Characters that became something else on one side, by the stage where they did."""
        name = PRE_TOKENIZE
        for earlier in (NORMALIZE, PARTITION):
            found = [each for each in touching(self.spots[earlier], spot.start, spot.end) if same_place(each, spot)]
            if not found:
                break
            name, spot = earlier, found[0]
        return self.spot_cause(name, spot)

    def spot_cause(self, name: str, spot: Spot) -> Cause:
        """A spot at one stage, with its kind."""
        start, end, left, right = spot[:4]
        place = Span(start, end)
        stages = self.sides[0].last[name], self.sides[1].last[name]
        texts = left, right
        if name == PARTITION and self.runs[0].read != self.runs[1].read:
            does = [f"reads “{shortened(text)}”" for text in texts]
            return Cause(TEXT, Kind.ESCAPES, place, (None, None), texts, (does[0], does[1]), is_plain=True)
        swallower = self.swallower(spot)
        if swallower is not None:
            side, stage, token = swallower
            spelling = self.sides[side].spelling.vocabulary.spelling(token)
            word = special_or_added(self.sides[side], token)
            done = f"lets the {word} token “{shortened(spelling)}” swallow {points(self.text[start:end])}"
            does = [done, "leaves it"] if side == 0 else ["leaves it", done]
            other = self.sides[1 - side].last[PARTITION]
            stages = (stage, other) if side == 0 else (other, stage)
            return Cause(PARTITION, Kind.SWALLOWED, place, stages, texts, (does[0], does[1]), is_plain=True)
        special = None if name == PARTITION else self.special_beside(*self.stretch(name, spot))
        if special is not None and not self.differs_anyway(name, special.side, spot):
            return self.special_cause(special)
        if f" {left}" == right or f" {right}" == left:
            begins = self.begins(spot)
            if start == end or begins:
                does = [f"puts {'a' if len(text) == max(len(left), len(right)) else 'no'} space "
                        f"{'in front' if begins else 'there'}" for text in texts]  # fmt: skip
                kind = Kind.PREFIX_SPACE if begins else Kind.INSERTED
                return Cause(name, kind, place, stages, texts, (does[0], does[1]), is_plain=True)
        kind, first, second = difference(self.text[start:end], left, right)
        return Cause(name, kind, place, stages, texts, (first, second), is_plain=True)

    # Whether an earlier stage is why a later one differs is found out by an experiment: one side's later stages run on
    # the text as the other side's earlier stage left it. What still differs isn't due to the earlier stage.

    def stretch(self, name: str, spot: Spot) -> Span:
        """A spot with those of its stage that touch it and each other, one after the other."""
        if name not in self.runs_of_spots:
            self.runs_of_spots[name] = joined_spans(self.spots[name])
        found = self.runs_of_spots[name]
        return found[bisect_left(found, spot.end, key=lambda each: each.end)]

    def special_beside(self, start: int, end: int) -> SpecialSpot | None:
        """A special token of one side only that touches a stretch of the text."""
        return next(iter(self.specials_near(start, end)), None)

    def specials_near(self, start: int, end: int) -> list[SpecialSpot]:
        """The special tokens of one side only that touch a stretch, in order."""
        return sorted(each for side in self.only for each in touching(side, start, end))

    def differs_anyway(self, name: str, side: int, spot: Spot) -> bool:
        """Whether two stages differ at a spot even where both sides have the special tokens of one of them."""
        key = name, side
        if key not in self.again:
            pair = self.continued(side, PARTITION)[name], self.sides[1 - side].plain[name]
            self.again[key] = match(*(pair if side == 0 else pair[::-1]), self.text).spots
        return any(same_place(spot, each) for each in touching(self.again[key], spot.start, spot.end))

    def cuts_anyway(self, side: int, cut: Boundary, name: str) -> bool:
        """Whether only one side cuts at a place even where `side` works on what the other has after a stage."""
        key = side, name
        if key not in self.cuts:
            pair = self.continued(side, name)[PRE_TOKENIZE], self.sides[1 - side].before_model
            one, other = pair if side == 0 else pair[::-1]
            found = boundaries(one, other, match(one, other, self.text).spots)
            self.cuts[key] = frozenset((each.at, each.left) for each in found)
        return cut[:2] in self.cuts[key]

    def continued(self, side: int, name: str) -> dict[str, Plain]:
        """What a side makes of the text as the other side has it after the stage `name`."""
        key = side, name
        if key not in self.experiments:
            self.experiments[key] = continued(self.sides[side], self.sides[1 - side], name)
        return self.experiments[key]

    def begins(self, spot: Spot) -> bool:
        """Whether an inserted space stands at the beginning of the text, or behind a special token, to stay there."""
        if self.text[spot.start : spot.end][:1].isspace():
            return False  # white space that is there: written as a space by both, and taken away by one
        lasts = any(same_place(spot, each) for each in touching(self.spots[PRE_TOKENIZE], spot.start, spot.end))
        after = spot.start in self.special_ends
        return lasts and (spot.start == 0 or after)

    def swallower(self, spot: Spot) -> tuple[int, int, int] | None:
        """Who swallowed the white space of a spot: the side, its stage and the token."""
        for number, side in enumerate(self.sides):
            if (spot.left, spot.right)[number]:
                continue
            for place, stage in enumerate(side.run.trace.stages[: side.model]):
                if stage.part.row is not PartitionRow:
                    continue
                at = side.run.in_read(spot.start)
                event = self.stripped(number, place).first(at, at + 1)
                if event is not None:
                    return number, place, stage.events[event].token
        return None

    def stripped(self, side: int, stage: int) -> Covers:
        """The white space that special tokens swallowed at a stage."""
        key = side, stage
        if key not in self.swallows:
            events = enumerate(self.sides[side].run.trace.stages[stage].events)
            self.swallows[key] = Covers(
                Covering(row.start, row.end, event) for event, row in events if row.kind == Partition.STRIPPED
            )
        return self.swallows[key]

    def cut_cause(self, cut: Boundary) -> Cause:
        """A place where only one pre-tokenizer cuts; or what made it do so, at an earlier stage, in the same pieces."""
        start, end = self.hull(cut.at)
        special = self.special_beside(start, end)
        if special is not None and not self.cuts_anyway(special.side, cut, PARTITION):
            return self.special_cause(special)
        for name in (PARTITION, NORMALIZE):
            near = touching(self.spots[name], start, end)
            if name == PARTITION:  # those of special tokens have been looked at
                near = [spot for spot in near if self.special_beside(spot.start, spot.end) is None]
            at = touching(near, cut.at, cut.at)
            lasting = [spot for spot in near if spot in touching(self.spots[PRE_TOKENIZE], spot.start, spot.end)]
            if (at or lasting) and not self.cuts_anyway(1, cut, name):
                return self.spot_cause(name, (at or lasting)[0])
        pairs = [each.around(cut.at) for each in self.pieces]
        return Cause(
            PRE_TOKENIZE,
            Kind.PRE_TOKEN,
            Span(cut.at, cut.at),
            (pairs[0].stage, pairs[1].stage),
            (pairs[0].text, pairs[1].text),
            (pairs[0].does, pairs[1].does),
            (pairs[0].event, pairs[1].event),
        )

    def hull(self, at: int) -> tuple[int, int]:
        """The pieces of both sides that touch a place; only the place itself where one side cuts no pieces."""
        start = end = at
        if all(side.last[PRE_TOKENIZE] is not None for side in self.sides):
            for side in self.sides:
                low, high = side.before_model.around(at)
                start, end = min(start, low), max(end, high)
        return start, end

    # --- what is added around the text ------------------------------------------------------------------------------

    def added(self) -> tuple[Divergence | None, Divergence | None]:
        """What post-processing adds in front and behind, where it differs."""
        fronts, behinds = [], []
        for run in self.runs:
            stage = next((each for each in run.trace.stages if each.name == POST_PROCESS), run.trace.stages[-1])
            tokens = [item for item in stage.after if isinstance(item, Token)]
            rows = stage.events if stage.part.row is PostProcessRow else ()
            # the stage says where a token went: of an empty text nothing stands between front and end
            last = {row.position for row in rows if row.kind == PostProcess.LAST}
            added = [place for place, token in enumerate(tokens) if token.start == ADDED]
            fronts.append([tokens[place] for place in added if place not in last])
            behinds.append([tokens[place] for place in added if place in last])
        ids = [[token.id for token in [*front, *behind]] for front, behind in zip(fronts, behinds, strict=True)]
        if ids[0] == ids[1]:
            return None, None
        return self.around(fronts, 0, "in front"), self.around(behinds, self.size, "behind")

    def around(self, tokens: Sequence[Sequence[Token]], at: int, place: str) -> Divergence | None:
        """Tokens added at one end, where the two sides add others."""
        if [token.id for token in tokens[0]] == [token.id for token in tokens[1]]:
            return None
        halves, words = [], []
        for side, own in zip(self.sides, tokens, strict=True):
            shown = [shortened(side.spelling.vocabulary.spelling(token.id)) for token in own]
            named = ", ".join(f"“{text}” ({token.id})" for text, token in zip(shown, own, strict=True))
            does = f"adds {named} {place}" if own else f"adds nothing {place}"
            stages = side.run.trace.stages
            number = next((index for index, stage in enumerate(stages) if stage.name == POST_PROCESS), None)
            event = added_event(side, own[0].id) if own and number is not None else None
            halves.append(Half(number, " ".join(shown), does, tuple(own), event))
            words.append(f"{side.run.subject} {does}")
        span = Span(at, at)
        sentence = f"{POST_PROCESS}: {words[0]}; {words[1]}."
        return Divergence(POST_PROCESS, Kind.ADDED_TOKENS, span, span, halves[0], halves[1], sentence)

    def of_length(self) -> Iterator[Divergence]:
        """What truncation and padding do, where it differs."""
        for apart, kind in ((cut_apart(*self.runs), Kind.TRUNCATED), (filled_apart(*self.runs), Kind.PADDED)):
            if apart is not None:
                halves = [
                    Half(side.stage, "", side.does, side.tokens, 0 if side.tokens else None) for side in apart.sides
                ]
                words = [f"{run.subject} {side.does}" for run, side in zip(self.runs, apart.sides, strict=True)]
                sentence = f"{apart.stage}: {words[0]}; {words[1]}."
                yield Divergence(apart.stage, kind, apart.region, apart.region, halves[0], halves[1], sentence)

    # --- what differs without consequence ---------------------------------------------------------------------------

    def harmless(self, divergences: Iterable[Divergence]) -> Iterator[Harmless]:
        """The differences of stages where the ids are the same, one entry a stage and kind."""
        taken = [each.region for each in divergences if each.stage not in LISTS]
        found: dict[tuple[str, Kind], list[Cause]] = {}

        def note(cause: Cause) -> None:
            found.setdefault((cause.stage, cause.kind), []).append(cause)

        for special in self.specials:
            if not any(special.start < end and start < special.end for start, end in touching(taken, *special[:2])):
                note(self.special_cause(special))
        for number, name in enumerate(TEXT_STAGES):
            before = TEXT_STAGES[:number]
            for spot in self.spots[name]:
                start, end = spot[:2]
                earlier = [each for other in before for each in touching(self.spots[other], start, end)]
                known = any(same_place(spot, each) for each in earlier)
                if not known and not any(self.belongs(spot, region) for region in touching(taken, start, end)):
                    note(self.spot_cause(name, spot))
        for cut in self.boundaries:
            if not touching(taken, cut.at, cut.at):
                note(self.cut_cause(cut))
        for (stage, kind), causes in found.items():
            yield Harmless(stage, kind, len(causes), causes[0].spot, self.sentence(causes[0]))


def touching(found: Sequence[T], start: int, end: int) -> Sequence[T]:
    """Those of disjoint spans, in order, that lie in [start, end] or reach into it.

    >>> touching([Span(0, 1), Span(2, 4), Span(6, 7)], 4, 5)
    [Span(start=2, end=4)]
    """
    low = bisect_left(found, start, key=lambda span: span[1])
    return found[low : bisect_right(found, end, lo=low, key=lambda span: span[0])]


def named(text: str, is_plain: bool) -> tuple[str, ...]:
    """The first code points of a text that stands in the place of a difference, each with its name."""
    known = [facts(ch) for ch in text[:NAMED]] if is_plain else []
    return tuple(f"{each.label} {each.name}" for each in known)


def special_or_added(side: States, id: int) -> str:
    """What to call a token that is looked for in the text."""
    return "special" if side.spelling.vocabulary.is_special(id) else "added"


def joined(one: range, other: range) -> range:
    """Two ranges that follow each other, either of which may be empty."""
    return range(one.start, other.stop) if one and other else one or other


def joined_spans(spots: Iterable[Spot]) -> list[Span]:
    """Spots that touch each other, one after the other, as one span each.

    >>> joined_spans([Spot(*span, "", "", range(0), range(0)) for span in ((0, 1), (1, 1), (1, 3), (4, 5))])
    [Span(start=0, end=3), Span(start=4, end=5)]
    """
    made: list[Span] = []
    for spot in spots:
        if made and made[-1].end == spot.start:
            made[-1] = Span(made[-1].start, spot.end)
        else:
            made.append(Span(spot.start, spot.end))
    return made


def same_place(one: Spot, other: Spot) -> bool:
    """Whether two spots share a character, or are insertions at one place."""
    if one.start == one.end or other.start == other.end:
        return (one.start, one.end) == (other.start, other.end)
    return one.start < other.end and other.start < one.end


def counted(span: Span) -> str:
    """A place for a table, counted from 1.

    >>> counted(Span(2, 5)), counted(Span(0, 0))
    ('3 to 5', 'before 1')
    """
    return f"{span.start + 1} to {span.end}" if span.start < span.end else f"before {span.start + 1}"
