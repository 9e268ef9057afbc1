"""Why, for models that merge: SentencePiece's BPE and byte-level BPE.

A token's origin is the tree of the merges within it. A cut's cause is what became of the pair of symbols at the seam.
Two symbols left side by side may not merge, so either their joined text is not a piece, or (with a list of merges) the
list has no such pair. If another pair of the list would make the same text, its boundary lies within one of the two
symbols, and the merge that removed this boundary is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, cast

from explorer.analysis.why.answers import Cut, CutCause, Node, OriginKind, TokenOrigin, TokenText, WhyStep
from explorer.analysis.why.family import Family, Made, SegmentEvents, decoded
from explorer.analysis.why.spellings import Speller
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.merge_replay import MergeReplay, Pair, priority_value
from explorer.engine.models.merges import STALE, MergeEvent, MergeModel
from explorer.engine.models.spm import Spm
from explorer.text.quantities import number
from explorer.text.say import Say
from explorer.vocabulary import PieceKind, Vocabulary

AS_BYTES: Final = frozenset({MergeEvent.BYTE, MergeEvent.RAW_BYTE, MergeEvent.UNKNOWN})
"""Kinds that output one byte of a symbol; UNKNOWN is a byte without a token."""

OUTPUTS: Final = AS_BYTES | {MergeEvent.TOKEN, MergeEvent.WHOLE, MergeEvent.UNKNOWN_SYMBOL}


class Merging(Family):
    """The account of merging. A unit is an initial symbol."""

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """One token for each output event; a joined unknown symbol extends the one before it."""
        found: list[Made] = []
        for event, row in self.rows(fragment):
            if row.kind == MergeEvent.UNKNOWN_JOINED:
                found[-1] = found[-1]._replace(end=row.right)
            elif row.kind in OUTPUTS:
                end = row.left + 1 if row.kind in AS_BYTES else row.right
                found.append(Made(row.token, fragment.item, event, row.kind, row.left, end))
        return found

    @lru_cache(maxsize=2)  # noqa: B019  # the account lives for one question
    def replay(self, item: int) -> MergeReplay:
        """The merges of a fragment."""
        fragment = self.fragments[item]
        return MergeReplay(self.model, fragment.segment.text, self.rows(fragment))

    @property
    def model(self) -> MergeModel:
        """The model."""
        return cast(MergeModel, self.stage.part)

    @property
    def unit(self) -> str:
        """What merges sort by."""
        return self.model.priority

    def priority_value(self, left: bytes, right: bytes) -> float | None:
        """The score, rank, or number in the list (from 1) of a pair."""
        value = priority_value(self.model, left, right)
        return None if value is None else value + (self.unit == "merge")

    # --- a token ------------------------------------------------------------------------------------------------------

    def origin(self, made: Made, token: TokenText) -> TokenOrigin:
        """The merge tree of a token, or how its character became bytes or the unknown token."""
        if made.kind == MergeEvent.WHOLE:
            said = Say.of("{0:q} is a piece as a whole: it is taken without any merge.", token.text)
            root = Node(token.text, token.stored, token.id, 0, made.end)
            return TokenOrigin(token, OriginKind.WHOLE, said, self.number, made.event, (root,), ())
        replay = self.replay(made.item)
        if made.kind == MergeEvent.UNKNOWN_SYMBOL:
            return self.unknown(made, token, self.characters(replay, made.start, made.end))
        if made.kind in AS_BYTES:
            return self.byte(made, token, replay)
        if made.end - made.start == 1 and made.start in replay.stand_ins:
            return self.unknown(made, token, self.characters(replay, made.start, made.end))
        if made.end - made.start == 1 and made.start in replay.fallback:
            event, first, last = replay.fallback[made.start]
            byte, count = made.start - first + 1, last - first
            said = of_byte(self.characters(replay, first, last), token.text, byte, count, token.id)
            note = Say.of("byte {0} of {1}", byte, count)
            step = self.step(event, (self.characters(replay, first, last),), token.text, note)
            return TokenOrigin(token, OriginKind.BYTE, said, self.number, made.event, (), (step,))
        return self.merged(made, token, replay)

    def merged(self, made: Made, token: TokenText, replay: MergeReplay) -> TokenOrigin:
        """A token that is a symbol."""
        merges = replay.within(made.start, made.end)
        tree = self.tree(made, replay, merges)
        steps = [self.pair_step(pair, replay) for pair in merges]
        apart = [event for boundary, (event, _) in replay.unmerged.items() if boundary in (made.start, made.end)]
        if apart:
            how = OriginKind.TAKEN_APART
            said = Say.of("{0:q} is a part of a larger piece that may not be output: it was taken apart.", token.text)
            steps += [self.unmerge_step(event, replay) for event in sorted(apart)]
        elif not merges:
            how, said = OriginKind.SINGLE, Say.of("{0:q} is a piece, and no merge joins it to a neighbor.", token.text)
        elif len(merges) == 1:
            how, said = OriginKind.MERGED, Say.of("One merge makes {0:q}.", token.text)
        else:
            how, said = OriginKind.MERGED, Say.of("{0} merges make {1:q}.", len(merges), token.text)
        meaning = None
        if merges:
            meaning = meaning_of_score(self.vocabulary, merges, self.speller) if self.unit == "score" else (
                LIST if self.unit == "merge" else RANKS
            )  # fmt: skip
        return TokenOrigin(token, how, said, self.number, made.event, tree, tuple(steps), "", meaning)

    def tree(self, made: Made, replay: MergeReplay, merges: Sequence[Pair]) -> tuple[Node, ...]:
        """Leaves and merges of a token."""
        nodes: list[Node] = []
        root_of = {}
        for at in range(made.start, made.end):
            piece = replay.symbols.pieces[at]
            root_of[at] = len(nodes)
            nodes.append(self.node(piece, at - made.start, at + 1 - made.start))
        for merge in merges:
            children = root_of[merge.start], root_of[merge.middle]
            root_of[merge.start] = len(nodes)
            start, end = merge.start - made.start, merge.end - made.start
            node = self.node(replay.piece(merge.start, merge.end), start, end)
            value = self.priority_value(merge.left, merge.right)
            nodes.append(node._replace(event=merge.event, value=value, unit=self.unit, children=children))
        return tuple(nodes)

    def node(self, piece: bytes, start: int, end: int) -> Node:
        """A node without its merge."""
        return Node(self.speller.symbol(piece), decoded(piece), self.vocabulary.ids.get(piece), start, end)

    def byte(self, made: Made, token: TokenText, replay: MergeReplay) -> TokenOrigin:
        """A token that is one byte of a symbol."""
        text = self.characters(replay, made.start, replay.ends[made.start])
        piece = replay.piece(made.start, replay.ends[made.start])
        which = self.events[made.event].right
        byte = f"{piece[which]:02X}"
        if made.kind == MergeEvent.UNKNOWN:
            said = Say.of("{0:q} is not a piece, and its byte {1:t} has no token: it becomes {2:q}.",
                          text, byte, token.text)  # fmt: skip
            how, lost = OriginKind.UNKNOWN, text
        else:
            said, how, lost = of_byte(text, byte, which + 1, len(piece), token.id), OriginKind.BYTE, ""
        step = self.step(made.event, (text,), token.text, Say.of("byte {0} of {1}", which + 1, len(piece)))
        return TokenOrigin(token, how, said, self.number, made.event, (), (step,), lost)

    def unknown(self, made: Made, token: TokenText, lost: str) -> TokenOrigin:
        """The unknown token."""
        said = Say.of("{0:q} is not a piece, and it has no byte tokens: it becomes {1:q}. Its text is lost.",
                      lost, token.text)  # fmt: skip
        return TokenOrigin(token, OriginKind.UNKNOWN, said, self.number, made.event, lost=lost)

    # --- a cut --------------------------------------------------------------------------------------------------------

    def cut(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> Cut:
        """What became of the two symbols at the seam."""
        one, other = pair
        replay = self.replay(one.item)
        middle, end = other.start, replay.ends[other.start] if other.kind in AS_BYTES else other.end
        if one.start == other.start:
            return self.within_symbol(one, left, right, replay)
        steps = [self.pair_step(each, replay) for each in replay.at_seam(middle)]
        apart = replay.unmerged.get(middle)
        if apart is not None:
            joined = self.joined(self.vocabulary.pieces[apart[1]])
            steps.append(self.unmerge_step(apart[0], replay))
            said = Say.of("{0:q} was one piece. It may not be output, so it is taken apart the way it was merged.",
                          joined.text)  # fmt: skip
            return Cut(left, right, CutCause.TAKEN_APART, said, self.number, apart[0], joined, tuple(steps))
        before = replay.ends[one.start] if one.kind in AS_BYTES else one.end
        if before != middle:
            lost = self.characters(replay, before, middle)
            said = Say.of("{0:q} between them is not a piece, has no token and is dropped.", lost)
            return Cut(left, right, CutCause.DROPPED, said, self.number, None, None, tuple(steps))
        for side in (middle - 1, middle):
            found = self.replaced(side, left, right, replay, steps)
            if found is not None:
                return found
        return self.of_symbols((one.start, middle, end), left, right, replay, steps)

    def within_symbol(self, one: Made, left: TokenText, right: TokenText, replay: MergeReplay) -> Cut:
        """Between two bytes of one symbol."""
        text = self.characters(replay, one.start, replay.ends[one.start])
        piece = replay.piece(one.start, replay.ends[one.start])
        said = Say.of("{0:q} is not a piece: it becomes one token for each of its {1} bytes.", text, len(piece))
        which = self.events[one.event].right + 1
        step = self.step(one.event, (text,), left.text, Say.of("byte {0} of {1}", which, len(piece)))
        return Cut(left, right, CutCause.BYTES, said, self.number, one.event, self.joined(piece, text), (step,))

    def replaced(
        self, symbol: int, left: TokenText, right: TokenText, replay: MergeReplay, steps: list[WhyStep]
    ) -> Cut | None:  # fmt: skip
        """Next to a symbol that replaced a character before any merge."""
        if symbol in replay.fallback:
            event, first, last = replay.fallback[symbol]
            text = self.characters(replay, first, last)
            said = Say.of("{0:q} is not a piece: before any merge it becomes byte tokens ({1}). This pair never joins.",
                          text, last - first)  # fmt: skip
            kinds, makes = CutCause.BYTES, ""
        elif symbol in replay.stand_ins:
            event, _ = replay.stand_ins[symbol]
            text, makes = self.characters(replay, symbol, symbol + 1), decoded(replay.symbols.pieces[symbol])
            said = Say.of("{0:q} is not a piece: before any merge it becomes {1:q}. This pair never joins.",
                          text, makes)  # fmt: skip
            kinds = CutCause.UNKNOWN
        else:
            return None
        step = self.step(event, (text,), makes, Say("not a piece"), good=False)
        return Cut(left, right, kinds, said, self.number, event, None, (step, *steps))

    def of_symbols(
        self, seam: tuple[int, int, int], left: TokenText, right: TokenText, replay: MergeReplay, steps: list[WhyStep]
    ) -> Cut:
        """Between two symbols that may not merge. seam: the initial symbols [start, middle) and [middle, end)."""
        start, middle, end = seam
        stored = replay.piece(start, end)
        joined = self.joined(stored)
        units = replay.symbols.pieces[start:end]
        others = self.others(units, joined.text)
        # the last look-up of the pair is about the two final symbols
        looked_up = [step.event for step in steps if step.kind == MergeEvent.MISS.name]
        event = looked_up[-1] if looked_up else None
        if not self.is_piece(units):
            cause, said = self.absent(joined)
            return Cut(left, right, cause, said, self.number, event, joined, tuple(steps), others)
        ways = []
        for boundary in range(start + 1, end):
            parts = replay.piece(start, boundary), replay.piece(boundary, end)
            priority_value = self.priority_value(*parts)
            if priority_value is not None and boundary != middle:
                ways.append((priority_value, boundary, parts))
        if not ways:
            said = Say.of("{0:q} is a piece, but no merge in the list makes it, neither {1:q} + {2:q} nor another.",
                          joined.text, left.text, right.text)  # fmt: skip
            return Cut(left, right, CutCause.NO_MERGE, said, self.number, event, joined, tuple(steps), others)
        priority_value, boundary, parts = min(ways)
        first = replay.merges[boundary]
        texts = [self.speller.symbol(piece) for piece in (first.left, first.right, *parts)]
        said = Say.of(
            "{0:q} is a piece, made of {3:q} + {4:q}. But {1:q} + {2:q} had priority and merged first, so this pair "
            "could not form.", joined.text, *texts,
        )  # fmt: skip
        known = {step.event for step in steps}
        steps += [
            self.pair_step(replay.merges[each], replay) for each in {boundary for _, boundary, _ in ways}
            if replay.merges[each].event not in known
        ]  # fmt: skip
        steps.sort(key=lambda step: step.event)
        return Cut(left, right, CutCause.BETTER_PAIR, said, self.number, first.event, joined, tuple(steps), others)

    def characters(self, replay: MergeReplay, start: int, end: int) -> str:
        """The text of the initial symbols [start, end), for people."""
        return self.speller.text(replay.characters(start, end))

    # --- events -------------------------------------------------------------------------------------------------------

    def pair_step(self, pair: Pair, replay: MergeReplay) -> WhyStep:
        """An event about two symbols."""
        stored = replay.piece(pair.start, pair.end)
        left, right, makes = map(self.speller.symbol, (pair.left, pair.right, stored))
        value = self.priority_value(pair.left, pair.right)
        if pair.kind == MergeEvent.MERGE:
            return self.step(pair.event, (left, right), makes, Say("joined"), value=value, unit=self.unit)
        if pair.kind == MergeEvent.PUSH:
            return self.step(pair.event, (left, right), makes, Say("waits"), value=value, unit=self.unit)
        if pair.kind in STALE:
            return self.step(pair.event, (left, right), makes, self.stale(pair, replay), good=False)
        absent = stored not in self.vocabulary.ids
        what = "no such piece" if absent else "no such merge" if self.unit == "merge" else "never made from text"
        if self.is_last(pair, replay):
            what += ", and nothing is left to join"
        return self.step(pair.event, (left, right), makes, Say(what), good=False)

    def is_last(self, pair: Pair, replay: MergeReplay) -> bool:
        """Whether no merge follows a look-up of two final symbols."""
        final = pair.middle not in replay.merges and not {pair.start, pair.end} & replay.merges.keys()
        return final and pair.event > replay.last_merge >= 0

    def stale(self, pair: Pair, replay: MergeReplay) -> Say:
        """Why an entry of the queue is out of date: the symbol that another merge has taken."""
        if pair.kind == MergeEvent.STALE_LEFT:
            by, piece = replay.merges[pair.start], pair.left
        elif pair.kind == MergeEvent.STALE_RIGHT:
            # only its left neighbor could absorb the right symbol: another pair at the same boundary
            by, piece = replay.merges[pair.middle], pair.right
        else:
            by, piece = replay.merges[pair.end], pair.right
        whole = replay.piece(by.start, by.end)
        return Say.of("out of date: {0:q} is part of {1:q} now", self.speller.symbol(piece), self.speller.symbol(whole))

    def unmerge_step(self, event: int, replay: MergeReplay) -> WhyStep:
        """A piece taken apart."""
        text = self.speller.token(self.events[event].token)
        return self.step(event, (text,), "", Say("may not be output: taken apart"), good=False)

    # --- pieces -------------------------------------------------------------------------------------------------------

    def units(self, made: Made) -> Sequence[bytes] | None:
        """The initial symbols of a token; None for a token that is not made of them alone.

        Also None where pieces have a prefix or a suffix: symbols of two words have no common spelling.
        """
        if self.model.prefix or self.model.suffix:
            return None
        if made.kind == MergeEvent.WHOLE:
            return self.model.initial_symbols(self.fragments[made.item].segment.text).pieces
        if made.kind != MergeEvent.TOKEN:
            return None
        replay = self.replay(made.item)
        if any(symbol in replay.fallback or symbol in replay.stand_ins for symbol in range(made.start, made.end)):
            return None
        return replay.symbols.pieces[made.start : made.end]

    def stored(self, units: Sequence[bytes]) -> bytes:
        """The spelling of symbols merged."""
        return self.model.join(units)

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether the model may make a token of these symbols."""
        stored, part = self.model.join(units), self.stage.part
        if isinstance(part, Spm):
            return part.token_of(stored) is not None
        return isinstance(part, Bpe) and stored in part.ids


LIST: Final = Say("The number is the merge's position in the list. The earliest merge joins first.")
RANKS: Final = Say("The rank is the number of the joined token. The smallest rank joins first.")
SCORE: Final = Say("The highest score joins first.")


def of_byte(text: str, byte: str, which: int, count: int, id: int) -> Say:
    """A byte of a character that is not a piece. which: from 1."""
    return Say.of("{0:q} is not a piece. Its byte {1:t}, {2} of {3}, becomes token {4:t}.",
                  text, byte, which, count, str(id))  # fmt: skip


def meaning_of_score(vocabulary: Vocabulary, merges: Sequence[Pair], speller: Speller) -> Say:
    """What the scores of a token's merges say.

    sentencepiece's trainer writes pieces in the order it learns them and gives each minus the number of pieces before
    it. That is said only if it holds here: as many normal pieces have a smaller id.
    """
    shown = [merges[0], merges[-1]]
    scores = [vocabulary.scores[merge.token] for merge in shown]
    before = [vocabulary.kinds[: merge.token].count(PieceKind.NORMAL) for merge in shown]
    if [-score for score in scores] != before:
        return SCORE
    texts = [speller.token(merge.token) for merge in shown]
    if scores[0] == scores[1]:
        return Say.of("A score says when the piece was learned: {0:q} after {1:t} others. Early ones join first.",
                      texts[0], number(-scores[0]))  # fmt: skip
    return Say.of(
        "A score says when the piece was learned: {0:q} after {1:t} others, {2:q} after {3:t}. Early ones join first.",
        texts[0], number(-scores[0]), texts[1], number(-scores[1]),
    )  # fmt: skip
