"""Why two models make other tokens of the same pieces: the part of a divergence that lies in the model stage.

What is asked, in this order: did one of them fall back to unknown or bytes; is only the numbering different; does one
vocabulary hold a piece that the other lacks; did one take a piece whole; are they different algorithms; and then, for
two of one algorithm, the first decision that only one of them took. There is no last case without an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.changes import quoted, shortened
from explorer.analysis.divergence.events import Merged, Output, merges, outputs, within
from explorer.analysis.divergence.kinds import Kind
from explorer.analysis.divergence.states import MODEL, States
from explorer.engine.items import Token
from explorer.engine.models.merges import Merge, MergeRow
from explorer.engine.models.unigram import UnigramRow
from explorer.engine.models.wordpiece import Match, MatchRow
from explorer.vocabulary import PieceKind

Places = tuple[range, range]
"""For each side its tokens in a region, by their places behind the model."""

ALGORITHMS: Mapping[str, str] = {
    "WordPiece": "takes the longest piece that fits, by characters,",
    "Wpm": "takes the longest piece that fits, by bytes,",
    "Unigram": "takes the best path through a lattice",
    "TrieMatch": "takes the longest token along a trie",
    "FirstMiss": "adds characters until one is no token",
    "LookUp": "looks each character or word up",
    "WordLevel": "looks each word up",
}
"""The name of a model's class → what it does, in words that follow the name of a tokenizer."""

MERGES_BY = {"score": "merges by score", "merge": "merges by a list", "rank": "merges by the rank of the joined bytes"}
"""What a merging model judges a pair by → what it does."""


class Cause(NamedTuple):
    """Why a region differs: the stage, the kind, the place, and for each side its stage, text, words and event.

    events: None where they are to be looked for by the place. token: the special token in question. is_plain: whether
    the texts are what stands there, character by character, and no list of pieces.
    """

    stage: str
    kind: Kind
    spot: Span
    stages: tuple[int | None, int | None]
    texts: tuple[str, str]
    does: tuple[str, str]
    events: tuple[int | None, int | None] | None = None
    token: int | None = None
    is_plain: bool = False


class Model:
    """One side's model and what it gave out."""

    def __init__(self, side: States) -> None:
        self.side, self.spelling = side, side.spelling
        self.stage = side.run.trace.stages[side.model]
        self.row = self.stage.part.row
        # the same tokens come in many regions
        self.content, self.quoted = cache(self.spelling.content), cache(self.spelling.quoted)

    @cached_property
    def outputs(self) -> dict[int, Output]:
        return outputs(self.side)

    @cached_property
    def merges(self) -> list[Merged]:
        return merges(self.side)

    def tokens(self, places: range) -> list[Token]:
        return [self.side.tokens[place] for place in places]

    def kinds(self, places: range) -> set[int]:
        """The kinds of event that gave out the tokens of a region."""
        return {self.outputs[place].kind for place in places if place in self.outputs}

    def event(self, places: range, number: int) -> int | None:
        """The event that gave out the token with a number in a region, or the last of the region."""
        place = places[min(number, len(places) - 1)] if places else -1
        return self.outputs[place].event if place in self.outputs else None

    def shown(self, places: range) -> str:
        """The tokens of a region for a sentence: what each says, with lines between."""
        tokens = self.tokens(places)
        listed = " | ".join(self.quoted(token.id) for token in tokens[:MOST])
        return (listed or "nothing") + (f" and {len(tokens) - MOST} more" if len(tokens) > MOST else "")

    def shown_with_ids(self, places: range) -> str:
        """The same, each with its id: where what two tokens say may look alike."""
        tokens = self.tokens(places)
        listed = " | ".join(f"{self.quoted(token.id)} ({token.id})" for token in tokens[:MOST])
        return (listed or "nothing") + (f" and {len(tokens) - MOST} more" if len(tokens) > MOST else "")

    def fell_back(self, places: range) -> list[Token]:
        """The tokens of a region that stand for no piece: the unknown token, or a byte on its own."""
        unknown = getattr(self.stage.part, "unknown", None)
        kinds = self.spelling.vocabulary.kinds
        return [
            token for token in self.tokens(places)
            if token.id == unknown or kinds[token.id] in (PieceKind.UNKNOWN, PieceKind.BYTE)
        ]  # fmt: skip

    @property
    def algorithm(self) -> str:
        """What the model does, in words that follow its name."""
        if self.row is MergeRow:
            return MERGES_BY.get(getattr(self.stage.part, "worth", ""), "merges pairs")
        return ALGORITHMS.get(type(self.stage.part).__name__, "takes its pieces in its own way")


MOST = 8
"""Tokens written out in a sentence."""


class Models:
    """The two models side by side."""

    def __init__(self, left: States, right: States) -> None:
        self.models = (Model(left), Model(right))

    def edges_matter(self, region: Span, places: Places) -> bool:
        """Whether it counts for a region if a piece ends at its edge on one side only.

        Merges, lattices and walks give the same tokens up to a cut whatever stands behind it. A word of longest matches
        begins with other pieces than it goes on with, and a piece that is taken whole has to be all of a piece. Where
        the vocabularies differ, that is reason enough.
        """
        reaches = any(
            model.row is MatchRow or (model.row is MergeRow and Merge.WHOLE in model.kinds(each))
            for model, each in zip(self.models, places, strict=True)
        )
        return reaches and not (self.same_cuts(region, places) or self.other_pieces(region, places))

    def cause(self, region: Span, places: Places) -> Cause:
        """Why the tokens of a region differ, although both models were given the same pieces."""
        found = (
            self.word_length(region, places)
            or self.unknown(region, places)
            or self.same_cuts(region, places)
            or self.other_pieces(region, places)
            or self.whole(region, places)
        )
        if found:
            return found
        one, other = self.models
        if one.row is other.row is MergeRow:
            return self.merge_order(region, places)
        if one.row is other.row is UnigramRow:
            return self.best_path(region, places)
        return self.by_algorithm(region, places)

    def made(self, kind: Kind, region: Span, places: Places, does: Sequence[str],
             events: tuple[int | None, int | None] | None = None) -> Cause:  # fmt: skip
        """A cause in the model, by default at the first token that only one side gives."""
        first = self.first_different(places)
        one, other = self.models
        return Cause(
            MODEL, kind, region, (one.side.model, other.side.model),
            (one.shown(places[0]), other.shown(places[1])), (does[0], does[1]),
            events or (one.event(places[0], first), other.event(places[1], first)),
        )  # fmt: skip

    def first_different(self, places: Places) -> int:
        """The number of the first token in a region that is not the same on both sides."""
        pairs = zip(*(model.tokens(each) for model, each in zip(self.models, places, strict=True)), strict=False)
        number = 0
        for one, other in pairs:
            if one != other:
                break
            number += 1
        return number

    # --- the questions, in their order --------------------------------------------------------------------------------

    def word_length(self, region: Span, places: Places) -> Cause | None:
        """One side does not try a word that long."""
        long = [
            Match.TOO_LONG in model.kinds(each) if model.row is MatchRow else False
            for model, each in zip(self.models, places, strict=True)
        ]
        if long[0] == long[1]:
            return None
        does = []
        for model, each, is_long in zip(self.models, places, long, strict=True):
            if is_long:
                row = next(row for row in model.stage.events if row.kind == Match.TOO_LONG)
                does.append(f"tries no word of more than {row.end} characters and gives {model.shown(each)}")
            else:
                does.append(f"gives {model.shown(each)}")
        return self.made(Kind.WORD_LENGTH, region, places, does)

    def unknown(self, region: Span, places: Places) -> Cause | None:
        """One side has no piece for something the other has."""
        spans = [{(token.start, token.end) for token in model.fell_back(each)}
                 for model, each in zip(self.models, places, strict=True)]  # fmt: skip
        dropped = [not each for each in places]
        if spans[0] == spans[1] and dropped[0] == dropped[1]:
            return None
        does = []
        for model, each, own in zip(self.models, places, spans, strict=True):
            if not each:
                does.append(f"has no piece for “{shortened(model.side.before_model.of(*region))}” and gives nothing")
            elif own:
                start, end = min(own)
                lacking = shortened(model.side.run.text[start:end])
                does.append(f"has no piece for “{lacking}” and gives {model.shown_with_ids(each)}")
            else:
                does.append(f"gives {model.shown_with_ids(each)}")
        return self.made(Kind.UNKNOWN, region, places, does)

    def same_cuts(self, region: Span, places: Places) -> Cause | None:
        """Both cut the region in the same places: only the ids are others."""
        cuts = [
            [(token.start, token.end, model.content(token.id)) for token in model.tokens(each)]
            for model, each in zip(self.models, places, strict=True)
        ]
        if cuts[0] != cuts[1] or all(
            map(self.agree, *(model.tokens(each) for model, each in zip(self.models, places, strict=True)))
        ):
            return None
        return self.other_ids(region, places)

    def agree(self, one: Token, other: Token) -> bool:
        """Whether both vocabularies have the same piece under the id of each of two tokens."""
        one_side, other_side = self.models
        known = min(len(model.spelling.vocabulary) for model in self.models)
        return all(id < known and one_side.content(id) == other_side.content(id) for id in (one.id, other.id))

    def other_ids(self, region: Span, places: Places) -> Cause:
        """The same pieces under other numbers."""
        does = []
        for model, each in zip(self.models, places, strict=True):
            tokens = model.tokens(each)
            ids = ", ".join(str(token.id) for token in tokens[:MOST]) + (" …" if len(tokens) > MOST else "")
            does.append(f"calls {model.shown(each)} {ids}")
        return self.made(Kind.OTHER_IDS, region, places, does)

    def other_pieces(self, region: Span, places: Places) -> Cause | None:
        """A token that is no piece of the other vocabulary."""
        for number, (model, each) in enumerate(zip(self.models, places, strict=True)):
            other = self.models[1 - number]
            for token in model.tokens(each):
                content = model.content(token.id)
                if token.end > token.start and content and not other.spelling.holds(content):
                    has = f"has the piece {model.quoted(token.id)} ({token.id})"
                    cuts = f"cuts {other.shown(places[1 - number])}"
                    if number == 0:
                        does = [has, f"lacks it and {cuts}"]
                    else:
                        does = [cuts, f"{has}, which {other.side.run.label} lacks"]
                    return self.made(Kind.OTHER_PIECES, region, places, does)
        return None

    def whole(self, region: Span, places: Places) -> Cause | None:
        """One side takes a piece whole that the other merges."""
        whole = [Merge.WHOLE in model.kinds(each) if model.row is MergeRow else False
                 for model, each in zip(self.models, places, strict=True)]  # fmt: skip
        if whole[0] == whole[1] or not all(model.row is MergeRow for model in self.models):
            return None
        does = [
            f"takes {model.shown(each)} whole, because it is a token" if taken else f"merges it to {model.shown(each)}"
            for model, each, taken in zip(self.models, places, whole, strict=True)
        ]
        return self.made(Kind.WHOLE_PIECE, region, places, does)

    def merge_order(self, region: Span, places: Places) -> Cause:
        """The first merge on each side that the other never does."""
        done = [within(model.merges, *region) for model in self.models]
        keys = [{merged.key for merged in each} for each in done]
        only = [next((merged for merged in each if merged.key not in keys[1 - number]), None)
                for number, each in enumerate(done)]  # fmt: skip
        if only == [None, None]:
            return self.output(region, places)
        does, events = [], []
        for model, each, merged in zip(self.models, places, only, strict=True):
            if merged is None:
                does.append(f"merges no further and gives {model.shown(each)}")
                events.append(model.event(each, 0))
            else:
                pair = f"{quoted(merged.left)} + {quoted(merged.right)}"
                does.append(f"merges {pair} ({worth(model, merged)}) and gives {model.shown(each)}")
                events.append(merged.event)
        return self.made(Kind.MERGE_ORDER, region, places, does, (events[0], events[1]))

    def output(self, region: Span, places: Places) -> Cause:
        """The same merges, but what is left is given out otherwise."""
        does = [f"gives {model.shown(each)}" for model, each in zip(self.models, places, strict=True)]
        unused = any(
            model.spelling.vocabulary.kinds[token.id] == PieceKind.UNUSED
            for model, each in zip(self.models, places, strict=True)
            for token in model.tokens(each)
        )
        return self.made(Kind.UNUSED_PIECE if unused else Kind.UNKNOWN, region, places, does)

    def best_path(self, region: Span, places: Places) -> Cause:
        """Two paths and their sums."""
        does = []
        for model, each in zip(self.models, places, strict=True):
            scores = model.spelling.vocabulary.scores
            total = sum(scores[token.id] for token in model.tokens(each))
            does.append(f"finds {model.shown(each)} best, whose scores add up to {total:.6g}")
        return self.made(Kind.BEST_PATH, region, places, does)

    def by_algorithm(self, region: Span, places: Places) -> Cause:
        """Other ways to choose pieces."""
        does = [f"{model.algorithm} and gives {model.shown(each)}"
                for model, each in zip(self.models, places, strict=True)]  # fmt: skip
        return self.made(Kind.ALGORITHM, region, places, does)


def worth(model: Model, merged: Merged) -> str:
    """What a merge is worth, with the word for it."""
    what = getattr(model.stage.part, "worth", "rank")
    if merged.worth is None:
        return f"no {what}"
    # people count a list of merges from 1
    return f"{what} {merged.worth + 1:g}" if what == "merge" else f"{what} {merged.worth:g}"
