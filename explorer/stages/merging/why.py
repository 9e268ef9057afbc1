"""Why, for models that merge: SentencePiece's BPE and byte-level BPE.

A token's origin is the tree of the merges within it. A cut's cause is what became of the pair of symbols at the seam.
Two symbols left side by side may not merge, so either their joined text is not a piece, or (with a list of merges) the
list has no such pair. If another pair of the list would make the same text, its boundary lies within one of the two
symbols, and the merge that removed this boundary is named.
"""

from bisect import bisect_left
from collections.abc import Sequence

from explorer.engine.models.bpe import Bpe
from explorer.engine.models.merges import (
    PAIRS,
    STALE,
    MergeEvent,
    MergeModel,
    MergeReplay,
    MergeRow,
    Pair,
    priority_value,
)
from explorer.engine.models.spm import Spm
from explorer.stages.spelling import Speller, learned_before
from explorer.stages.stage import (
    Account,
    CrossingAccount,
    CutAccount,
    CutCause,
    Family,
    Made,
    MadePair,
    Node,
    OriginKind,
    TokenText,
    WhyStep,
    of_byte,
    of_bytes,
    unknown,
)
from explorer.text.say import Say, number
from explorer.vocabulary import Vocabulary, spelled

AS_BYTES = frozenset({MergeEvent.BYTE, MergeEvent.RAW_BYTE, MergeEvent.UNKNOWN})
"""Kinds that output one byte of a symbol; UNKNOWN is a byte without a token."""


class Merging(Family[MergeModel]):
    """The account of merging. A unit is an initial symbol."""

    puts_out = AS_BYTES | {MergeEvent.TOKEN, MergeEvent.WHOLE, MergeEvent.UNKNOWN_SYMBOL}
    joins = MergeEvent.UNKNOWN_JOINED

    def span(self, row: MergeRow) -> tuple[int, int]:
        """One symbol for one of its bytes."""
        return row.left, row.left + 1 if row.kind in AS_BYTES else row.right

    def replay(self, item: int) -> MergeReplay:
        """The merges of a fragment."""
        fragment = self.fragments[item]
        return self.kept(item, lambda: MergeReplay(self.model, fragment.segment.text, self.rows(fragment)))

    @property
    def unit(self) -> str:
        """What merges sort by."""
        return self.model.priority

    def priority_value(self, left: bytes, right: bytes) -> float | None:
        """The score, rank, or number in the list (from 1) of a pair."""
        value = priority_value(self.model, left, right)
        return None if value is None else value + (self.unit == "merge")

    # --- a token ------------------------------------------------------------------------------------------------------

    def account(self, made: Made, token: TokenText) -> Account:
        """The merge tree of a token, or how its character became bytes or the unknown token."""
        start, end = made.start, made.end
        if made.kind == MergeEvent.WHOLE:
            says = Say("{0:q} is a piece as a whole: it is taken without any merge.", token.text)
            return Account(OriginKind.WHOLE, says, tree=(Node(token.text, token.stored, token.id, 0, end),))
        replay = self.replay(made.item)
        alone = end - start == 1
        if made.kind == MergeEvent.UNKNOWN_SYMBOL or (alone and start in replay.stand_ins):
            return unknown(self.characters(replay, start, end), token)
        if made.kind in AS_BYTES:
            return self.byte(made, token, replay)
        if alone and start in replay.fallback:
            event, first, last = replay.fallback[start]
            text, which, count = self.characters(replay, first, last), start - first + 1, last - first
            step = self.step(event, (text,), token.text, byte_note(which, count))
            return Account(OriginKind.BYTE, of_byte(text, token.text, which, count, token.id), (step,))
        return self.merged(made, token, replay)

    def merged(self, made: Made, token: TokenText, replay: MergeReplay) -> Account:
        """A token that is a symbol."""
        merges = replay.within(made.start, made.end)
        steps = [self.pair_step(pair, replay) for pair in merges]
        apart = [event for boundary, (event, _) in replay.unmerged.items() if boundary in (made.start, made.end)]
        how, meaning = OriginKind.MERGED, None
        if apart:
            how = OriginKind.TAKEN_APART
            says = Say("{0:q} is a part of a larger piece that may not be output: it was taken apart.", token.text)
            steps += [self.unmerge_step(event, replay) for event in sorted(apart)]
        elif not merges:
            how, says = OriginKind.SINGLE, Say("{0:q} is a piece, and no merge joins it to a neighbor.", token.text)
        elif len(merges) == 1:
            says = Say("One merge makes {0:q}.", token.text)
        else:
            says = Say("{0} merges make {1:q}.", len(merges), token.text)
        if merges:
            by_score = self.unit == "score"
            meaning = meaning_of_score(self.vocabulary, merges, self.speller) if by_score else RULES[self.unit]
        return Account(how, says, steps, self.tree(made, replay, merges), meaning=meaning)

    def tree(self, made: Made, replay: MergeReplay, merges: Sequence[Pair]) -> tuple[Node, ...]:
        """Leaves and merges of a token."""
        pieces = replay.symbols.pieces[made.start : made.end]
        nodes = [self.node(piece, at, at + 1) for at, piece in enumerate(pieces)]
        root_of = {made.start + at: at for at in range(len(nodes))}
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
        return Node(self.speller.symbol(piece), spelled(piece), self.vocabulary.ids.get(piece), start, end)

    def byte(self, made: Made, token: TokenText, replay: MergeReplay) -> Account:
        """A token that is one byte of a symbol."""
        text, piece = self.symbol(made, replay)
        which = self.events[made.event].right
        byte = f"{piece[which]:02X}"
        step = self.step(made.event, (text,), token.text, byte_note(which + 1, len(piece)))
        if made.kind == MergeEvent.UNKNOWN:
            template = "{0:q} is not a piece, and its byte {1:t} has no token: it becomes {2:q}."
            return Account(OriginKind.UNKNOWN, Say(template, text, byte, token.text), (step,), lost=text)
        return Account(OriginKind.BYTE, of_byte(text, byte, which + 1, len(piece), token.id), (step,))

    def symbol(self, made: Made, replay: MergeReplay) -> tuple[str, bytes]:
        """The symbol that a token is a byte of: its text for people, and its spelling."""
        span = made.start, replay.ends[made.start]
        return self.characters(replay, *span), replay.piece(*span)

    def crossing(self, made: Made, token: TokenText, border: int) -> CrossingAccount:
        """The merge that removed the boundary between two symbols."""
        # no symbol ever reaches across the ends of a token, so the pairs within it are enough: of 100,000 characters
        # those of all take 100 MB
        rows = (
            (event, row)
            for event, row in self.rows(self.fragments[made.item])
            if row.kind not in PAIRS or (made.start <= row.left and row.right < made.end)
        )
        replay = MergeReplay(self.model, self.fragments[made.item].segment.text, rows)
        self.replays[made.item] = replay
        origin = self.account(made, token)
        merge = replay.merges.get(bisect_left(replay.symbols.starts, border))
        if merge is None or origin.how not in (OriginKind.MERGED, OriginKind.TAKEN_APART):
            return CrossingAccount(origin.how, origin.sentence, origin.steps)
        step = self.pair_step(merge, replay)
        left, right = step.parts
        value = number(step.value or 0.0)
        if self.unit == "merge":
            says = Say("{0:q} + {1:q} is merge {2:t} of {3:t}.", left, right, value, self.tokenizer_label)
        else:
            template = f"{{0:q}} + {{1:q}} merge into {{2:q}}, whose {self.unit} is {{3:t}}."
            says = Say(template, left, right, step.makes, value)
        return CrossingAccount(origin.how, says, (step,), (left, right))

    # --- a cut --------------------------------------------------------------------------------------------------------

    def cut_account(self, pair: MadePair, left: TokenText, right: TokenText) -> CutAccount:
        """What became of the two symbols at the seam."""
        one, other = pair
        replay = self.replay(one.item)
        middle, end = other.start, replay.ends[other.start] if other.kind in AS_BYTES else other.end
        if one.start == other.start:
            text, piece = self.symbol(one, replay)
            step = self.step(one.event, (text,), left.text, byte_note(self.events[one.event].right + 1, len(piece)))
            joined = self.joined(piece, text)
            return CutAccount(CutCause.BYTES, of_bytes(text, len(piece)), one.event, joined, (step,))
        steps = [self.pair_step(each, replay) for each in replay.at_seam(middle)]
        apart = replay.unmerged.get(middle)
        if apart is not None:
            joined = self.joined(self.vocabulary.pieces[apart[1]])
            steps.append(self.unmerge_step(apart[0], replay))
            template = "{0:q} was one piece. It may not be output, so it is taken apart the way it was merged."
            return CutAccount(CutCause.TAKEN_APART, Say(template, joined.text), apart[0], joined, steps)
        before = replay.ends[one.start] if one.kind in AS_BYTES else one.end
        if before != middle:
            lost = self.characters(replay, before, middle)
            says = Say("{0:q} between them is not a piece, has no token and is dropped.", lost)
            return CutAccount(CutCause.DROPPED, says, None, None, steps)
        return (
            self.beside_replaced(middle - 1, replay, steps)
            or self.beside_replaced(middle, replay, steps)
            or self.of_symbols((one.start, middle, end), left, right, replay, steps)
        )

    def beside_replaced(self, symbol: int, replay: MergeReplay, steps: list[WhyStep]) -> CutAccount | None:
        """Next to a symbol that replaced a character before any merge."""
        if symbol in replay.fallback:
            event, first, last = replay.fallback[symbol]
            text, makes, cause = self.characters(replay, first, last), "", CutCause.BYTES
            says = Say("{0:q} is not a piece: before any merge it becomes byte tokens ({1}).", text, last - first)
        elif symbol in replay.stand_ins:
            event, _ = replay.stand_ins[symbol]
            text, makes = self.characters(replay, symbol, symbol + 1), spelled(replay.symbols.pieces[symbol])
            cause = CutCause.UNKNOWN
            says = Say("{0:q} is not a piece: before any merge it becomes {1:q}.", text, makes)
        else:
            return None
        step = self.step(event, (text,), makes, Say("not a piece"), good=False)
        return CutAccount(cause, says.then(Say("This pair never joins.")), event, None, (step, *steps))

    def of_symbols(
        self, seam: tuple[int, int, int], left: TokenText, right: TokenText, replay: MergeReplay, steps: list[WhyStep]
    ) -> CutAccount:
        """Between two symbols that may not merge. seam: the initial symbols [start, middle) and [middle, end)."""
        start, middle, end = seam
        joined = self.joined(replay.piece(start, end))
        units = replay.symbols.pieces[start:end]
        others = self.others(units, joined.text)
        # the last look-up of the pair is about the two final symbols
        event = next((step.event for step in reversed(steps) if step.kind == MergeEvent.MISS.name), None)
        if not self.is_piece(units):
            cause, says = self.absent(joined)
            return CutAccount(cause, says, event, joined, steps, others)
        ways = []
        for boundary in range(start + 1, end):
            parts = replay.piece(start, boundary), replay.piece(boundary, end)
            value = self.priority_value(*parts)
            if value is not None and boundary != middle:
                ways.append((value, boundary, parts))
        if not ways:
            template = "{0:q} is a piece, but no merge in the list makes it, neither {1:q} + {2:q} nor another."
            says = Say(template, joined.text, left.text, right.text)
            return CutAccount(CutCause.NO_MERGE, says, event, joined, steps, others)
        _, boundary, parts = min(ways)
        first = replay.merges[boundary]
        texts = map(self.speller.symbol, (first.left, first.right, *parts))
        says = Say(
            "{0:q} is a piece, made of {3:q} + {4:q}. But {1:q} + {2:q} had priority and merged first, so this pair "
            "could not form.",
            joined.text,
            *texts,
        )
        by_event = {step.event: step for step in steps}
        for _, boundary, _ in ways:
            merge = replay.merges[boundary]
            by_event.setdefault(merge.event, self.pair_step(merge, replay))
        steps = [step for _, step in sorted(by_event.items())]
        return CutAccount(CutCause.BETTER_PAIR, says, first.event, joined, steps, others)

    def characters(self, replay: MergeReplay, start: int, end: int) -> str:
        """The text of the initial symbols [start, end), for people."""
        return self.speller.text(replay.characters(start, end))

    # --- events -------------------------------------------------------------------------------------------------------

    def pair_step(self, pair: Pair, replay: MergeReplay) -> WhyStep:
        """An event about two symbols."""
        stored = replay.piece(pair.start, pair.end)
        left, right, makes = map(self.speller.symbol, (pair.left, pair.right, stored))
        if pair.kind in (MergeEvent.MERGE, MergeEvent.PUSH):
            note = Say("joined" if pair.kind == MergeEvent.MERGE else "waits")
            value = self.priority_value(pair.left, pair.right)
            return self.step(pair.event, (left, right), makes, note, value=value, unit=self.unit)
        if pair.kind in STALE:
            note = self.stale(pair, replay)
        else:
            absent = stored not in self.vocabulary.ids
            what = "no such piece" if absent else "no such merge" if self.unit == "merge" else "never made from text"
            note = Say(what)
            note = Say("{0}, and nothing is left to join", note) if self.is_last(pair, replay) else note
        return self.step(pair.event, (left, right), makes, note, good=False)

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
        return Say("out of date: {0:q} is part of {1:q} now", self.speller.symbol(piece), self.speller.symbol(whole))

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


LIST = Say("The number is the merge's position in the list. The earliest merge joins first.")
RANKS = Say("The rank is the number of the joined token. The smallest rank joins first.")
SCORE = Say("The highest score joins first.")
RULES = {"score": SCORE, "merge": LIST, "rank": RANKS}
"""Which merge goes first, by what a model sorts its merges by."""


def byte_note(which: int, count: int) -> Say:
    """Which byte of a character an event is about, from 1."""
    return Say("byte {0} of {1}", which, count)


def meaning_of_score(vocabulary: Vocabulary, merges: Sequence[Pair], speller: Speller) -> Say:
    """What the scores of a token's merges say, if they say when a piece was learned."""
    shown = [merges[0], merges[-1]]
    scores = [vocabulary.scores[merge.token] for merge in shown]
    if any(learned_before(vocabulary, merge.token) is None for merge in shown):
        return SCORE
    texts = [speller.token(merge.token) for merge in shown]
    first, last = ((text, number(-score)) for text, score in zip(texts, scores, strict=True))
    if scores[0] == scores[1]:
        return Say("A score says when the piece was learned: {0:q} after {1:t} others. Early ones join first.", *first)
    return Say(
        "A score says when the piece was learned: {0:q} after {1:t} others, {2:q} after {3:t}. Early ones join first.",
        *first,
        *last,
    )
