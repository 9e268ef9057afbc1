"""Why, for what happens before the model: special tokens found in the text, and cuts that no token crosses."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from explorer.analysis.divergence.events import PIECES
from explorer.engine.items import Items, Segment, Token
from explorer.engine.part import Model
from explorer.engine.partition.dna import DnaEvent, DnaRow
from explorer.engine.partition.rows import PartitionEvent, PartitionRow
from explorer.engine.partition.user_defined import UserDefinedEvent, UserDefinedRow
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.wpm import WpmEvent, WpmRow
from explorer.engine.results import Stage, Trace
from explorer.stages.answers import Cut, CutCause, Joined, OriginKind, TokenOrigin, TokenText, WhyStep
from explorer.stages.speller import Speller
from explorer.text import visible
from explorer.text.say import Say
from explorer.vocabulary import PieceKind

FOUND: Mapping[Callable[..., Any], tuple[int, ...]] = {
    PartitionRow: (PartitionEvent.TOKEN,),
    UserDefinedRow: (UserDefinedEvent.SYMBOL,),
    DnaRow: (DnaEvent.TAG, DnaEvent.GROUP, DnaEvent.FILLED, DnaEvent.UNKNOWN),
}
"""By type of row, the kinds that report a token found in the text."""


TURNS: Mapping[WpmEvent, Say] = {
    WpmEvent.WHITE_SPACE: Say("white space: it ends a word"),
    WpmEvent.DROP: Say("a control: it is dropped"),
    WpmEvent.DROP_MARK: Say("a mark: it is dropped"),
    WpmEvent.ALONE: Say("punctuation, an ASCII symbol or a Chinese character: a word by itself"),
    WpmEvent.APPEND: Say("appended to the last word"),
}
"""What a turn of llama.cpp's loop does."""


class Found(NamedTuple):
    """A token found before the model: the index of the stage that found it, and the event, None if none tells."""

    stage: int
    event: int | None


class BeforeModel:
    """The account of the stages before the model. model: the index of its stage."""

    def __init__(self, trace: Trace, model: int, speller: Speller) -> None:
        self.trace, self.model, self.speller = trace, model, speller
        self.stages = trace.stages[:model]
        first = trace.stages[0].before
        self.starts = first[0].starts if first and isinstance(first[0], Segment) else range(0)
        """By code point of the text that was read, its position in the original text."""

    def in_read(self, position: int) -> int:
        """A position of the original text in the text that was read, in which events count."""
        return bisect_left(self.starts, position)

    def text(self, start: int, end: int) -> str:
        """The text that was read, by positions of the original."""
        return self.trace.text[self.in_read(start) : self.in_read(end)]

    # --- special tokens -----------------------------------------------------------------------------------------------

    def found(self, token: Token) -> Found:
        """Where a token among the model's items was found."""
        number = next(number for number, stage in enumerate(self.stages) if token in tokens(stage.after))
        stage = self.stages[number]
        kinds = FOUND.get(stage.part.row, ())
        start = self.in_read(token.start)
        near = [
            (abs(row.start - start), event)
            for event, row in enumerate(stage.events)
            if row.kind in kinds and row.token == token.id
        ]
        return Found(number, min(near)[1] if near else None)

    def origin(self, item: Token, token: TokenText) -> TokenOrigin:
        """A token found in the text."""
        number, event = self.found(item)
        stage, kind = self.stages[number], self.speller.vocabulary.kind(item.id)
        spelled = self.text(item.start, item.end)
        if stage.part.row is DnaRow:
            said = Say.of("{0:q} is DNA: between <dna> and </dna> every six letters are a token.", spelled)
        elif kind in (PieceKind.CONTROL, PieceKind.UNKNOWN):
            said = Say.of(
                "{0:q} is in the text. It is a special token, and these are taken out before all else.", spelled
            )
        else:
            said = Say.of(
                "{0:q} is in the text. It is an added token, and these are taken out before the model runs.", spelled
            )
        return TokenOrigin(
            token, OriginKind.SPECIAL, said, number, event, (), tuple(self.found_steps(Found(number, event)))
        )

    def found_steps(self, found: Found) -> Iterator[WhyStep]:
        """The event that found a token."""
        if found.event is None:
            return
        stage = self.stages[found.stage]
        row = stage.events[found.event]
        text = self.speller.token(row.token)
        spelled = self.trace.text[row.start : row.end]
        note = Say.of("token {0:t}", str(row.token))
        yield WhyStep(found.stage, found.event, stage.part.kinds(row.kind).name, (spelled,), text, note)

    def cut_at_special(self, items: tuple[Token | Segment, Token | Segment], left: TokenText, right: TokenText) -> Cut:
        """Next to a token found in the text."""
        steps: list[WhyStep] = []
        places = []
        for item in items:
            if isinstance(item, Token):
                places.append(self.found(item))
                steps += self.found_steps(places[-1])
        if isinstance(items[0], Token):
            said = Say.of(
                "The special token {0:q} ends here." if self.special(items[0]) else "The added token {0:q} ends here.",
                left.text,
            )
        else:
            said = Say.of("The special token {0:q} begins here." if self.special(items[1]) else
                          "The added token {0:q} begins here.", right.text)  # fmt: skip
        said = said.then(Say("Text and such tokens are separated before the model runs."))
        return Cut(left, right, CutCause.SPECIAL_TOKEN, said, *places[0], None, tuple(steps))

    def special(self, item: Token | Segment) -> bool:
        """Whether a token is a special one."""
        return isinstance(item, Token) and self.speller.vocabulary.is_special(item.id)

    # --- cuts of the text ---------------------------------------------------------------------------------------------

    def cut_between(
        self, pair: tuple[Segment, Segment], left: TokenText, right: TokenText, joined: Joined | None
    ) -> Cut:
        """Between two items of the model's input. joined: the text of both tokens, if nothing between them is lost."""
        number = self.cutting_stage(*pair)
        stage = self.stages[number]
        steps = tuple(self.piece_steps(number, *pair))
        between = self.text(self.end(pair[0]), self.start(pair[1]))
        if isinstance(stage.part, PreTokenization) and stage.part.alternatives:
            said = Say(
                "The pattern cuts here before any merge."
                if self.merges
                else "The pattern cuts here before the model runs."
            )
        elif stage.part.row in (PreTokenizeRow, WpmRow):
            said = Say("The pre-tokenizer cuts here before the model runs.")
        else:
            said = Say.of("The stage {0:q} cuts here before the model runs.", stage.name)
        if between:
            said = said.then(Say.of("{0:q} between the two belongs to neither.", self.shown(between)))
        elif joined is not None and joined.id is not None:
            said = said.then(Say.of("{0:q} is a piece, but no token crosses such a cut.", joined.text))
        else:
            said = said.then(Say("No token crosses such a cut."))
        event = steps[-1].event if steps else None
        return Cut(left, right, CutCause.PRE_TOKENIZER, said, number, event, None if between else joined, steps)

    def shown(self, text: str) -> str:
        """Text of the original for people."""
        return visible(text)

    @property
    def merges(self) -> bool:
        """Whether the model merges."""
        part = self.trace.stages[self.model].part
        return isinstance(part, Model) and part.priority is not None

    def start(self, segment: Segment) -> int:
        """The first position of a segment in the original text."""
        return min(segment.starts)

    def end(self, segment: Segment) -> int:
        """One after the last position of a segment in the original text."""
        return max(segment.ends)

    def cutting_stage(self, one: Segment, other: Segment) -> int:
        """The first stage after which the end of one segment and the start of another are in different items."""
        for number, stage in enumerate(self.stages):
            if not together(stage.after, (one.starts[-1], one.ends[-1]), (other.starts[0], other.ends[0])):
                return number
        return len(self.stages) - 1

    def piece_steps(self, number: int, one: Segment, other: Segment) -> Iterator[WhyStep]:
        """The events about the pieces on both sides of a cut, and about what is between them."""
        stage = self.stages[number]
        if stage.part.row is WpmRow:
            yield from self.turns(number, one, other)
        if stage.part.row is not PreTokenizeRow:
            return
        last, first = self.in_read(self.end(one)) - 1, self.in_read(self.start(other))
        seen = set()
        for event, row in enumerate(stage.events):
            # a later splitter of the stage may find the same piece again
            if row.kind not in PIECES or (row.start, row.end, row.kind) in seen:
                continue
            seen.add((row.start, row.end, row.kind))
            kept = row.kind not in (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED)
            beside = (row.start <= last < row.end) != (row.start <= first < row.end)
            # a space that normalization inserts has the span of its neighbor, which is not removed
            start, end = (row.start, row.end) if kept else (max(row.start, last + 1), min(row.end, first))
            if beside if kept else start < end:
                text = self.shown(self.trace.text[start:end])
                yield WhyStep(number, event, PreTokenizeEvent(row.kind).name, (text,), text if kept else "",
                           self.why(stage, row), good=kept)  # fmt: skip

    def turns(self, number: int, one: Segment, other: Segment) -> Iterator[WhyStep]:
        """The turns of llama.cpp's loop around a cut: the last one of a word, those between, the first of the next."""
        stage = self.stages[number]
        first, last = one.starts[-1], other.ends[0]
        for event, row in enumerate(stage.events):
            segment = stage.before[row.item]
            if row.kind in (WpmEvent.BEGIN, WpmEvent.POP) or not isinstance(segment, Segment):
                continue
            if first <= segment.starts[row.at] and segment.ends[row.at] <= last:
                text = self.shown(self.text(segment.starts[row.at], segment.ends[row.at]))
                kept = row.code_point >= 0
                yield WhyStep(number, event, WpmEvent(row.kind).name, (text,), chr(row.code_point) if kept else "",
                              TURNS[WpmEvent(row.kind)], good=kept)  # fmt: skip

    def why(self, stage: Stage, row: PreTokenizeRow) -> Say:
        """Why a piece is one."""
        part = stage.part
        if row.choice >= 0 and isinstance(part, PreTokenization):
            return Say.of("{0:t}", part.alternatives[row.choice].says)
        return Say("between two matches of the pattern")


def tokens(items: Items) -> list[Token]:
    """The tokens among items."""
    return [item for item in items if isinstance(item, Token)]


def together(items: Items, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether some segment contains code points from both spans of the original text."""
    for item in items:
        if isinstance(item, Segment):
            spans = list(zip(item.starts, item.ends, strict=True))
            if one in spans and other in spans[spans.index(one) :]:
                return True
    return False
