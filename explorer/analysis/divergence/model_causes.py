"""Causes in the model stage: why two models make different tokens of the same pieces.

The questions, in this order: did one side not try a word that long; did one fall back to unknown or bytes; is only the
numbering different; does one vocabulary contain a piece that the other lacks; did one take a piece whole; are they
different algorithms; and for two models of one algorithm, the first decision that only one of them took. Every region
gets an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.changes import quoted
from explorer.analysis.divergence.events import Merged, Output, merges, outputs, within
from explorer.analysis.divergence.kinds import DifferenceKind
from explorer.analysis.divergence.result import Divergence, Side, TokenRanges
from explorer.analysis.divergence.states import MODEL, States
from explorer.engine.items import Token
from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.engine.models.unigram import UnigramRow
from explorer.engine.models.wordpiece import WordPieceEvent, WordPieceRow
from explorer.text.say import Say
from explorer.text.visible import shortened
from explorer.vocabulary import PieceKind

ALGORITHMS: Mapping[str, str] = {
    "WordPiece": "takes the longest piece that fits, by characters,",
    "Wpm": "takes the longest piece that fits, by bytes,",
    "Unigram": "takes the best path through a lattice",
    "TrieMatch": "takes the longest token along a trie",
    "FirstMiss": "adds characters until the string is not a token",
    "CharWord": "looks each character or word up",
    "LookedUp": "looks each character or word up",
    "WordLevel": "looks each word up",
    "ByteValues": "numbers each byte by its value",
    "CodePoints": "numbers each character by its code point",
}
"""What a model does, by the name of its class, as a clause that follows the name of a tokenizer."""

MERGES_BY = {"score": "merges by score", "merge": "merges by a list", "rank": "merges by the rank of the joined bytes"}
"""What a merging model does, by what it orders pairs by."""


class ModelSide:
    """One side's model and its output."""

    def __init__(self, side: States) -> None:
        self.side, self.spelling = side, side.spelling
        self.stage = side.run.trace.stages[side.model]
        self.part = side.run.tokenizer.model
        self.row = self.part.row
        # the same tokens occur in many regions
        self.content, self.quoted = cache(self.spelling.content), cache(self.spelling.quoted)

    @cached_property
    def outputs(self) -> dict[int, Output]:
        """The event that output each token, by the token's index."""
        return outputs(self.side)

    @cached_property
    def merges(self) -> list[Merged]:
        """All merges, by position."""
        return merges(self.side)

    def tokens(self, indices: range) -> list[Token]:
        """The tokens of a region."""
        return [self.side.tokens[index] for index in indices]

    def kinds(self, indices: range) -> set[int]:
        """The kinds of the events that output the tokens of a region."""
        return {self.outputs[index].kind for index in indices if index in self.outputs}

    def event(self, indices: range, number: int) -> int | None:
        """The event that output the token with a number in a region, or the region's last token."""
        index = indices[min(number, len(indices) - 1)] if indices else -1
        return self.outputs[index].event if index in self.outputs else None

    def shown(self, indices: range, with_ids: bool = False) -> str:
        """The tokens of a region for a sentence, separated by vertical bars. with_ids: for tokens that look alike."""
        tokens = self.tokens(indices)
        listed = (self.quoted(token.id) + (f" ({token.id})" if with_ids else "") for token in tokens[:MOST])
        return (" | ".join(listed) or "nothing") + (f" and {len(tokens) - MOST} more" if len(tokens) > MOST else "")

    def fell_back(self, indices: range) -> list[Token]:
        """The tokens of a region that are not pieces: the unknown token, and single bytes."""
        unknown = self.part.unknown
        kinds = self.spelling.vocabulary.kinds
        return [
            token for token in self.tokens(indices)
            if token.id == unknown or kinds[token.id] in (PieceKind.UNKNOWN, PieceKind.BYTE)
        ]  # fmt: skip

    @property
    def algorithm(self) -> str:
        """What the model does, as a clause that follows its name."""
        if self.part.priority is not None:
            return MERGES_BY[self.part.priority]
        return ALGORITHMS.get(type(self.part).__name__, "chooses its pieces by an algorithm of its own")


MOST = 8
"""Tokens written out in a sentence."""


class ModelCauses:
    """Why the tokens of two models differ."""

    def __init__(self, left: States, right: States) -> None:
        self.models = (ModelSide(left), ModelSide(right))

    def _with_ranges(self, ranges: TokenRanges) -> Iterator[tuple[ModelSide, range]]:
        """Each side's model with its tokens of a region."""
        return zip(self.models, ranges, strict=True)

    def shown(self, ranges: TokenRanges) -> tuple[str, str]:
        """Each side's tokens of a region for a sentence, with their ids where both look alike."""
        one, other = (model.shown(each) for model, each in self._with_ranges(ranges))
        if one == other:
            one, other = (model.shown(each, with_ids=True) for model, each in self._with_ranges(ranges))
        return one, other

    def gives(self, ranges: TokenRanges) -> list[Say]:
        """The same as clauses."""
        return [Say.of("gives {0:t}", shown) for shown in self.shown(ranges)]

    def edges_matter(self, region: Span, ranges: TokenRanges) -> bool:
        """Whether it matters for a region that a pre-token ends at its edge on one side only.

        Merges, lattices and tries give the same tokens up to a cut whatever follows it. Longest match uses different
        pieces at the start of a word than within it, and a piece taken whole has to be a whole pre-token. Where the
        vocabularies differ, that alone explains the region.
        """
        reaches = any(
            model.row is WordPieceRow or (model.row is MergeRow and MergeEvent.WHOLE in model.kinds(each))
            for model, each in self._with_ranges(ranges)
        )
        return reaches and not (self.same_cuts(region, ranges) or self.other_pieces(region, ranges))

    def cause(self, region: Span, ranges: TokenRanges) -> Divergence:
        """Why the tokens of a region differ although both models got the same pieces."""
        found = (
            self.word_length(region, ranges)
            or self.unknown(region, ranges)
            or self.same_cuts(region, ranges)
            or self.other_pieces(region, ranges)
            or self.whole(region, ranges)
        )
        if found:
            return found
        one, other = self.models
        if one.row is other.row is MergeRow:
            return self.merge_order(region, ranges)
        if one.row is other.row is UnigramRow:
            return self.best_path(region, ranges)
        return self.by_algorithm(region, ranges)

    def difference(
        self,
        kind: DifferenceKind,
        region: Span,
        ranges: TokenRanges,
        says: Iterable[Say],
        events: Iterable[int | None] | None = None,
    ) -> Divergence:
        """A cause in the model, by default at the first token that differs."""
        first = self.first_different(ranges)
        if events is None:
            events = [model.event(each, first) for model, each in self._with_ranges(ranges)]
        sides = (
            Side(model.side.model, shown, said, event)
            for model, shown, said, event in zip(self.models, self.shown(ranges), says, events, strict=True)
        )
        return Divergence.at(MODEL, kind, region, sides)

    def first_different(self, ranges: TokenRanges) -> int:
        """The number of the first token of a region that differs between the sides."""
        pairs = zip(*(model.tokens(each) for model, each in self._with_ranges(ranges)), strict=False)
        number = 0
        for one, other in pairs:
            if one != other:
                break
            number += 1
        return number

    # --- the questions, in order --------------------------------------------------------------------------------------

    def word_length(self, region: Span, ranges: TokenRanges) -> Divergence | None:
        """One side doesn't try a word that long."""
        long = [
            WordPieceEvent.TOO_LONG in model.kinds(each) if model.row is WordPieceRow else False
            for model, each in self._with_ranges(ranges)
        ]
        if long[0] == long[1]:
            return None
        says = []
        for model, gives, is_long in zip(self.models, self.gives(ranges), long, strict=True):
            if is_long:
                row = next(row for row in model.stage.events if row.kind == WordPieceEvent.TOO_LONG)
                gives = Say.of("doesn't try words of more than {0:i} characters and {1}", row.end, gives)
            says.append(gives)
        return self.difference(DifferenceKind.WORD_LENGTH, region, ranges, says)

    def unknown(self, region: Span, ranges: TokenRanges) -> Divergence | None:
        """One side has no piece for text that the other has a piece for, or only one side has bytes for it."""
        spans = [{(token.start, token.end) for token in model.fell_back(each)}
                 for model, each in self._with_ranges(ranges)]  # fmt: skip
        unknown = [any(token.id == model.part.unknown for token in model.fell_back(each))
                   for model, each in self._with_ranges(ranges)]  # fmt: skip
        dropped = [not each for each in ranges]
        if spans[0] == spans[1] and dropped[0] == dropped[1] and unknown[0] == unknown[1]:
            return None
        says = []
        for model, each, own in zip(self.models, ranges, spans, strict=True):
            gives = Say.of("gives {0:t}", model.shown(each, with_ids=True))
            if own or not each:
                lacking = model.side.run.text[slice(*min(own))] if each else model.side.before_model.of(*region)
                gives = Say.of("has no piece for {0:q} and {1}", shortened(lacking), gives)
            says.append(gives)
        return self.difference(DifferenceKind.UNKNOWN, region, ranges, says)

    def same_cuts(self, region: Span, ranges: TokenRanges) -> Divergence | None:
        """Both sides split the region at the same positions: only the ids differ."""
        cuts = [
            [(token.start, token.end, model.content(token.id)) for token in model.tokens(each)]
            for model, each in self._with_ranges(ranges)
        ]
        if cuts[0] != cuts[1] or all(
            map(self.agree, *(model.tokens(each) for model, each in self._with_ranges(ranges)))
        ):
            return None
        return self.other_ids(region, ranges)

    def agree(self, one: Token, other: Token) -> bool:
        """Whether both vocabularies have the same piece at each of the two tokens' ids."""
        one_side, other_side = self.models
        known = min(len(model.spelling.vocabulary) for model in self.models)
        return all(id < known and one_side.content(id) == other_side.content(id) for id in (one.id, other.id))

    def other_ids(self, region: Span, ranges: TokenRanges) -> Divergence:
        """The same pieces with different ids."""
        says = []
        for model, each in self._with_ranges(ranges):
            tokens = model.tokens(each)
            ids = ", ".join(str(token.id) for token in tokens[:MOST]) + (" …" if len(tokens) > MOST else "")
            says.append(Say.of("numbers {0:t} {1:t}", model.shown(each), ids))
        return self.difference(DifferenceKind.OTHER_IDS, region, ranges, says)

    def other_pieces(self, region: Span, ranges: TokenRanges) -> Divergence | None:
        """A token whose piece the other vocabulary lacks."""
        for number, (model, each) in enumerate(self._with_ranges(ranges)):
            other = self.models[1 - number]
            for token in model.tokens(each):
                content = model.content(token.id)
                if token.end > token.start and content and not other.spelling.holds(content):
                    has = Say.of("has the piece {0:t} ({1:i})", model.quoted(token.id), token.id)
                    gives = Say.of("gives {0:t}", other.shown(ranges[1 - number]))
                    if number == 0:
                        says = has, Say.of("lacks it and {0}", gives)
                    else:
                        says = gives, Say.of("{0}, which {1:t} lacks", has, other.side.run.label)
                    return self.difference(DifferenceKind.OTHER_PIECES, region, ranges, says)
        return None

    def whole(self, region: Span, ranges: TokenRanges) -> Divergence | None:
        """One side takes a pre-token whole that the other merges."""
        whole = [MergeEvent.WHOLE in model.kinds(each) if model.row is MergeRow else False
                 for model, each in self._with_ranges(ranges)]  # fmt: skip
        if whole[0] == whole[1] or not all(model.row is MergeRow for model in self.models):
            return None
        says = (
            Say.of("takes {0:t} whole, because it is a token" if taken else "merges it to {0:t}", shown)
            for shown, taken in zip(self.shown(ranges), whole, strict=True)
        )
        return self.difference(DifferenceKind.WHOLE_PIECE, region, ranges, says)

    def merge_order(self, region: Span, ranges: TokenRanges) -> Divergence:
        """The first merge of each side that the other never makes."""
        done = [within(model.merges, *region) for model in self.models]
        keys = [{merged.key for merged in each} for each in done]
        only = [next((merged for merged in each if merged.key not in keys[1 - number]), None)
                for number, each in enumerate(done)]  # fmt: skip
        if only == [None, None]:
            return self.output(region, ranges)
        says, events = [], []
        for model, each, merged, gives in zip(self.models, ranges, only, self.gives(ranges), strict=True):
            if merged is None:
                says.append(Say.of("doesn't merge any further and {0}", gives))
                events.append(model.event(each, 0))
            else:
                pair = quoted(merged.left), quoted(merged.right)
                says.append(Say.of("merges {0:t} + {1:t} ({2:t}) and {3}", *pair, priority_value(model, merged), gives))
                events.append(merged.event)
        return self.difference(DifferenceKind.MERGE_ORDER, region, ranges, says, events)

    def output(self, region: Span, ranges: TokenRanges) -> Divergence:
        """The same merges, but the remaining symbols are output differently."""
        unused = any(
            model.spelling.vocabulary.kinds[token.id] == PieceKind.UNUSED
            for model, each in self._with_ranges(ranges)
            for token in model.tokens(each)
        )
        kind = DifferenceKind.UNUSED_PIECE if unused else DifferenceKind.UNKNOWN
        return self.difference(kind, region, ranges, self.gives(ranges))

    def best_path(self, region: Span, ranges: TokenRanges) -> Divergence:
        """Two different best paths, with their total scores."""
        says = []
        for model, each, shown in zip(self.models, ranges, self.shown(ranges), strict=True):
            scores = model.spelling.vocabulary.scores
            total = sum(scores[token.id] for token in model.tokens(each))
            says.append(Say.of("finds the best path {0:t} (total score {1:t})", shown, f"{total:.6g}"))
        return self.difference(DifferenceKind.BEST_PATH, region, ranges, says)

    def by_algorithm(self, region: Span, ranges: TokenRanges) -> Divergence:
        """Two different algorithms."""
        says = (
            Say.of("{0:t} and {1}", model.algorithm, gives)
            for model, gives in zip(self.models, self.gives(ranges), strict=True)
        )
        return self.difference(DifferenceKind.ALGORITHM, region, ranges, says)


def priority_value(model: ModelSide, merged: Merged) -> str:
    """A merge's score, rank or number, with the word for it."""
    what = model.part.priority
    if merged.priority_value is None:
        return f"no {what}"
    # people count a list of merges from 1
    return f"{what} {merged.priority_value + 1:g}" if what == "merge" else f"{what} {merged.priority_value:g}"
