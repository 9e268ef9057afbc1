"""Causes in the model and in the stages after it: why two models make different tokens of the same pieces, and where
post-processing, truncation and padding differ.

Of a model's tokens it asks, in this order: did one side not try a word that long; did one fall back to unknown or
bytes; is only the numbering different; does one vocabulary contain a piece that the other lacks; did one take a piece
whole; are they different algorithms; and for two models of one algorithm, the first decision that only one of them
took. Every region gets an answer.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from explorer.analysis.divergence.result import (
    MODEL,
    PAD,
    POST_PROCESS,
    TRUNCATE,
    DifferenceKind,
    Divergence,
    Run,
    Side,
    States,
    TokenRanges,
)
from explorer.analysis.ownership import Span
from explorer.engine.part import ADDED, Token
from explorer.engine.post_processors import Padding, Truncation
from explorer.engine.tokenizer import Stage
from explorer.stages.merging.stage import Merged, merges_of, merges_within
from explorer.stages.post_processors import positions_after
from explorer.stages.stage import Output
from explorer.stages.table import model_kind
from explorer.text.say import Say, plural, quoted, shortened, worded
from explorer.vocabulary import PieceKind

BothStates = tuple[States, States]


def added_tokens(sides: BothStates, size: int) -> tuple[Divergence | None, Divergence | None]:
    """What post-processing adds before and after a text of `size` characters, where it differs."""
    (left_front, left_back), (right_front, right_back) = (_added_by(side.run) for side in sides)
    if _ids([*left_front, *left_back]) == _ids([*right_front, *right_back]):
        return None, None
    return (
        _at_end(sides, (left_front, right_front), 0, "at the start"),
        _at_end(sides, (left_back, right_back), size, "at the end"),
    )


def _added_by(run: Run) -> tuple[list[Token], list[Token]]:
    """The tokens that post-processing adds before and after the text."""
    stage = next((each for each in run.trace.stages if each.name == POST_PROCESS), run.trace.stages[-1])
    tokens = [item for item in stage.after if isinstance(item, Token)]
    # the events say on which side a token goes: an empty text has no tokens between front and back
    last = positions_after(stage)
    added = [index for index, token in enumerate(tokens) if token.start == ADDED]
    return [tokens[index] for index in added if index not in last], [tokens[index] for index in added if index in last]


def _at_end(
    sides: BothStates, tokens: tuple[Sequence[Token], Sequence[Token]], at: int, where: str
) -> Divergence | None:
    """The tokens added at one end of the text, where they differ."""
    if _ids(tokens[0]) == _ids(tokens[1]):
        return None
    halves = []
    for side, own in zip(sides, tokens, strict=True):
        shown = [shortened(side.spelling.vocabulary.spelling(token.id)) for token in own]
        named = ", ".join(f"“{text}” ({token.id})" for text, token in zip(shown, own, strict=True))
        (number, _), last = stage_of(side.run, POST_PROCESS), side.run.trace.stages[-1]
        rows = last.events if own and last.name == POST_PROCESS else ()
        event = next((event for event, row in enumerate(rows) if row.token == own[0].id), None)
        says = Say("adds {0:t} {1:t}", named or "nothing", where)
        halves.append(Side(number, " ".join(shown), says, event, tuple(own)))
    return Divergence.at(POST_PROCESS, DifferenceKind.ADDED_TOKENS, Span(at, at), halves)


def _ids(tokens: Sequence[Token]) -> list[int]:
    return [token.id for token in tokens]


def lengths(left: Run, right: Run) -> Iterator[Divergence]:
    """What truncation and padding do, where it differs. Both work on whole lists, so each differs once at most."""
    sides = truncation(left), truncation(right)
    cut = [[token[1:] for token in side.tokens] for side in sides]
    if cut[0] != cut[1]:
        edges = [edge for spans in cut for span in spans for edge in span]
        yield Divergence.at(TRUNCATE, DifferenceKind.TRUNCATED, Span(min(edges), max(edges)), sides)
    sides = padding(left), padding(right)
    if _ids(sides[0].tokens) != _ids(sides[1].tokens):
        stages = (stage for run in (left, right) for stage in run.trace.stages if stage.name == PAD)
        in_front = all(isinstance(stage.part, Padding) and stage.part.left for stage in stages)
        at = 0 if in_front else len(left.text)
        yield Divergence.at(PAD, DifferenceKind.PADDED, Span(at, at), sides)


def truncation(run: Run) -> Side:
    """What a run truncates."""
    number, stage = stage_of(run, TRUNCATE)
    tokens = [] if stage is None else [item for row in stage.events for item in stage.before[row.start : row.end]]
    found = tuple(item for item in tokens if isinstance(item, Token))
    if stage is None or not found:
        return Side(number, "", Say("truncates nothing"), None)
    assert isinstance(stage.part, Truncation)
    end = "beginning" if stage.part.left else "end"
    says = Say(f"truncates {{0:t}} at the {end}, leaving {{1:i}}", plural(len(found), "token"), stage.part.longest)
    return Side(number, "", says, 0, found)


def padding(run: Run) -> Side:
    """How a run pads."""
    number, stage = stage_of(run, PAD)
    rows = [] if stage is None else list(stage.events)
    if stage is None or not rows:
        return Side(number, "", Say("adds no padding"), None)
    assert isinstance(stage.part, Padding)
    tokens = tuple(item for row in rows for item in stage.after[row.start : row.end] if isinstance(item, Token))
    spelled = shortened(run.tokenizer.vocabulary.spelling(stage.part.token))
    where = "start" if stage.part.left else "end"
    says = Say(f"adds {{0}} × {{1:q}} ({{2:i}}) at the {where}", len(tokens), spelled, stage.part.token)
    return Side(number, "", says, 0 if tokens else None, tokens)


def stage_of(run: Run, name: str) -> tuple[int | None, Stage | None]:
    """A run's stage with this name, and its index; None if it has none."""
    return next(((number, stage) for number, stage in enumerate(run.trace.stages) if stage.name == name), (None, None))


class ModelSide:
    """One side's model and its output."""

    def __init__(self, side: States) -> None:
        self.side, self.spelling = side, side.spelling
        self.stage = side.run.trace.stages[side.model]
        self.part = side.run.tokenizer.model
        self.kind = model_kind(self.part)
        # the same tokens occur in many regions
        self.content, self.quoted = cache(self.spelling.content), cache(self.spelling.quoted)

    @cached_property
    def outputs(self) -> dict[int, Output]:
        """By index of a token in the model's output, the event that output it. Empty if the events don't tell."""
        side, events = self.side, self.stage.events
        emitted = self.kind.outputs(self.stage)
        specials, indices = list(reversed(side.specials)), []
        for index, token in enumerate(side.tokens):
            if specials[-1:] == [token]:
                specials.pop()
            else:
                indices.append(index)
        # the token is the last field of every row
        ids = events.data[events.width - 1 :: events.width]
        if [ids[each.event] for each in emitted] != [side.tokens[index].id for index in indices]:
            return {}
        return dict(zip(indices, emitted, strict=True))

    @cached_property
    def merges(self) -> list[Merged]:
        """Every merge, ordered by its start; empty if the model doesn't merge."""
        return sorted(merges_of(self.stage, self.spelling.plain)) if self.part.priority else []


MOST = 8
"""Tokens written out in a sentence."""


class RegionTokens(NamedTuple):
    """One side's model, and its tokens of a region as indices into its output."""

    model: ModelSide
    indices: range

    @property
    def tokens(self) -> list[Token]:
        """The tokens."""
        return [self.model.side.tokens[index] for index in self.indices]

    @property
    def kinds(self) -> set[int]:
        """The kinds of the events that output them."""
        outputs = self.model.outputs
        return {outputs[index].kind for index in self.indices if index in outputs}

    @property
    def refusal(self) -> Say | None:
        """Why the model did not try a text, as a clause."""
        return self.model.kind.refusal(self.model.stage, self.kinds)

    @property
    def is_whole(self) -> bool:
        """Whether a pre-token was taken as it stands."""
        return self.model.kind.takes_whole(self.kinds)

    def event(self, number: int) -> int | None:
        """The event that output the token with a number in the region, or the region's last token."""
        output = self.model.outputs.get(self.indices[min(number, len(self.indices) - 1)] if self.indices else -1)
        return output and output.event

    def shown(self, with_ids: bool = False) -> str:
        """The tokens for a sentence, separated by vertical bars. with_ids: for tokens that look alike."""
        tokens, quoted = self.tokens, self.model.quoted
        listed = (quoted(token.id) + (f" ({token.id})" if with_ids else "") for token in tokens[:MOST])
        return (" | ".join(listed) or "nothing") + (f" and {len(tokens) - MOST} more" if len(tokens) > MOST else "")

    @property
    def fell_back(self) -> list[Token]:
        """The tokens that are not pieces: the unknown token, and single bytes."""
        kinds, unknown = self.model.spelling.vocabulary.kinds, self.model.part.unknown
        return [
            token
            for token in self.tokens
            if token.id == unknown or kinds[token.id] in (PieceKind.UNKNOWN, PieceKind.BYTE)
        ]


Sides = tuple[RegionTokens, RegionTokens]


def shown(sides: Sides) -> tuple[str, str]:
    """Each side's tokens of a region for a sentence, with their ids where both look alike."""
    one, other = (side.shown() for side in sides)
    return (one, other) if one != other else (sides[0].shown(with_ids=True), sides[1].shown(with_ids=True))


def gives(sides: Sides) -> list[Say]:
    """The same as clauses."""
    return [Say("gives {0:t}", each) for each in shown(sides)]


class ModelCauses:
    """Why the tokens of two models differ."""

    def __init__(self, left: States, right: States) -> None:
        self.models = (ModelSide(left), ModelSide(right))

    def sides(self, ranges: TokenRanges) -> Sides:
        """Each side's tokens of a region."""
        return RegionTokens(self.models[0], ranges[0]), RegionTokens(self.models[1], ranges[1])

    def edges_matter(self, region: Span, ranges: TokenRanges) -> bool:
        """Whether it matters for a region that a pre-token ends at its edge on one side only.

        Merges, lattices and tries give the same tokens up to a cut whatever follows it. Longest match uses different
        pieces at the start of a word than within it, and a piece taken whole has to be a whole pre-token. Where the
        vocabularies differ, that alone explains the region.
        """
        sides = self.sides(ranges)
        reaches = any(side.model.kind.starts_differ or side.is_whole for side in sides)
        return reaches and not (self.same_cuts(region, sides) or other_pieces(region, sides))

    def cause(self, region: Span, ranges: TokenRanges) -> Divergence:
        """Why the tokens of a region differ although both models got the same pieces."""
        sides = self.sides(ranges)
        return (
            word_length(region, sides)
            or unknown(region, sides)
            or self.same_cuts(region, sides)
            or other_pieces(region, sides)
            or whole(region, sides)
            or by_decisions(region, sides)
        )

    def same_cuts(self, region: Span, sides: Sides) -> Divergence | None:
        """Both sides split the region at the same positions: only the ids differ."""
        one, other = (
            [(token.start, token.end, side.model.content(token.id)) for token in side.tokens] for side in sides
        )
        if one != other or all(map(self.agree, *(side.tokens for side in sides))):
            return None
        return other_ids(region, sides)

    def agree(self, one: Token, other: Token) -> bool:
        """Whether both vocabularies have the same piece at each of the two tokens' ids."""
        one_side, other_side = self.models
        known = min(len(model.spelling.vocabulary) for model in self.models)
        return all(id < known and one_side.content(id) == other_side.content(id) for id in (one.id, other.id))

    def other_ids(self, region: Span, ranges: TokenRanges) -> Divergence:
        """The same pieces with different ids."""
        return other_ids(region, self.sides(ranges))


def difference(
    kind: DifferenceKind, region: Span, sides: Sides, says: Iterable[Say], events: Iterable[int | None] | None = None
) -> Divergence:
    """A cause in the model, by default at the first token that differs."""
    if events is None:
        pairs = enumerate(zip(*(side.tokens for side in sides), strict=False))
        same = min(len(side.indices) for side in sides)
        first = next((number for number, (one, other) in pairs if one != other), same)
        events = [side.event(first) for side in sides]
    return Divergence.at(MODEL, kind, region, (
        Side(side.model.side.model, text, said, event)
        for side, text, said, event in zip(sides, shown(sides), says, events, strict=True)
    ))  # fmt: skip


# --- the questions, in order ------------------------------------------------------------------------------------------


def word_length(region: Span, sides: Sides) -> Divergence | None:
    """One side doesn't try a word that long."""
    refused = [side.refusal for side in sides]
    if (refused[0] is None) == (refused[1] is None):
        return None
    says = [
        gives if clause is None else Say("{0} and {1}", clause, gives)
        for clause, gives in zip(refused, gives(sides), strict=True)
    ]
    return difference(DifferenceKind.WORD_LENGTH, region, sides, says)


def unknown(region: Span, sides: Sides) -> Divergence | None:
    """One side has no piece for text that the other has a piece for, or only one side has bytes for it."""
    spans = [{(token.start, token.end) for token in side.fell_back} for side in sides]
    one, other = (
        (own, not side.indices, any(token.id == side.model.part.unknown for token in side.fell_back))
        for own, side in zip(spans, sides, strict=True)
    )
    if one == other:
        return None
    says = []
    for side, own in zip(sides, spans, strict=True):
        clause = Say("gives {0:t}", side.shown(with_ids=True))
        if own or not side.indices:
            states = side.model.side
            lacking = states.run.text[slice(*min(own))] if side.indices else states.before_model.of(*region)
            clause = Say("has no piece for {0:q} and {1}", shortened(lacking), clause)
        says.append(clause)
    return difference(DifferenceKind.UNKNOWN, region, sides, says)


def other_ids(region: Span, sides: Sides) -> Divergence:
    """The same pieces with different ids."""
    says = []
    for side in sides:
        ids = ", ".join(str(token.id) for token in side.tokens[:MOST]) + (" …" if len(side.indices) > MOST else "")
        says.append(Say("numbers {0:t} {1:t}", side.shown(), ids))
    return difference(DifferenceKind.OTHER_IDS, region, sides, says)


def other_pieces(region: Span, sides: Sides) -> Divergence | None:
    """A token whose piece the other vocabulary lacks."""
    for number, side in enumerate(sides):
        other = sides[1 - number]
        for token in side.tokens:
            content = side.model.content(token.id)
            if token.end > token.start and content and not other.model.spelling.holds(content):
                has = Say("has the piece {0:t} ({1:i})", side.model.quoted(token.id), token.id)
                clause = Say("gives {0:t}", other.shown())
                if number == 0:
                    says = has, Say("lacks it and {0}", clause)
                else:
                    says = clause, Say("{0}, which {1:t} lacks", has, other.model.side.run.label)
                return difference(DifferenceKind.OTHER_PIECES, region, sides, says)
    return None


def whole(region: Span, sides: Sides) -> Divergence | None:
    """One side takes a pre-token whole that the other merges."""
    taken = [side.is_whole for side in sides]
    if taken[0] == taken[1] or not all(side.model.part.priority for side in sides):
        return None
    says = (
        Say("takes {0:t} whole, because it is a token" if is_whole else "merges it to {0:t}", text)
        for text, is_whole in zip(shown(sides), taken, strict=True)
    )
    return difference(DifferenceKind.WHOLE_PIECE, region, sides, says)


def by_decisions(region: Span, sides: Sides) -> Divergence:
    """The first decision that only one of two models took, or their algorithms if those differ."""
    if all(side.model.part.priority for side in sides):
        return merge_order(region, sides)
    sums = all(side.model.kind.sums for side in sides)
    says = []
    for side, text in zip(sides, shown(sides), strict=True):
        if sums:
            scores = side.model.spelling.vocabulary.scores
            total = sum(scores[token.id] for token in side.tokens)
            says.append(Say("finds the best path {0:t} (total score {1:t})", text, f"{total:.6g}"))
        else:
            says.append(Say("{0:t} and gives {1:t}", worded(side.model.kind.clause(side.model.part)), text))
    kind = DifferenceKind.BEST_PATH if sums else DifferenceKind.ALGORITHM
    return difference(kind, region, sides, says)


def merge_order(region: Span, sides: Sides) -> Divergence:
    """The first merge of each side that the other never makes."""
    done = [merges_within(side.model.merges, *region) for side in sides]
    keys = [{merged.key for merged in merges} for merges in done]
    only = [
        next((merged for merged in merges if merged.key not in theirs), None)
        for merges, theirs in zip(done, reversed(keys), strict=True)
    ]
    if only == [None, None]:
        return same_merges(region, sides)
    says, events = [], []
    for side, merged, clause in zip(sides, only, gives(sides), strict=True):
        if merged is None:
            says.append(Say("doesn't merge any further and {0}", clause))
            events.append(side.event(0))
        else:
            pair = quoted(merged.left), quoted(merged.right)
            value = priority_value(side.model, merged)
            says.append(Say("merges {0:t} + {1:t} ({2:t}) and {3}", *pair, value, clause))
            events.append(merged.event)
    return difference(DifferenceKind.MERGE_ORDER, region, sides, says, events)


def same_merges(region: Span, sides: Sides) -> Divergence:
    """The same merges, but the remaining symbols are output differently."""
    unused = any(
        side.model.spelling.vocabulary.kinds[token.id] == PieceKind.UNUSED for side in sides for token in side.tokens
    )
    return difference(DifferenceKind.UNUSED_PIECE if unused else DifferenceKind.UNKNOWN, region, sides, gives(sides))


def priority_value(model: ModelSide, merged: Merged) -> str:
    """A merge's score, rank or number, with the word for it."""
    what = model.part.priority
    if merged.priority_value is None:
        return f"no {what}"
    # people count a list of merges from 1
    return f"{what} {merged.priority_value + 1:g}" if what == "merge" else f"{what} {merged.priority_value:g}"
