"""Why, for what happens before the model: special tokens found in the text, and cuts that no token crosses."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token
from explorer.engine.part import Model
from explorer.engine.partition.special_tokens import SpecialTokenPartition
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.engine.pre_tokenizers.wpm import WpmWords
from explorer.engine.results import Trace
from explorer.stages.answers import Cut, CutCause, Joined, OriginKind, TokenOrigin, TokenText, WhyStep
from explorer.stages.finders import Seam
from explorer.stages.partition.stage import DNA
from explorer.stages.speller import Speller
from explorer.stages.table import kind_of
from explorer.text import visible
from explorer.text.say import Say
from explorer.vocabulary import PieceKind


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
        kinds = kind_of(stage).found
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
        if kind_of(stage) is DNA:
            said = Say.of("{0:q} is DNA: between <dna> and </dna> every six letters are a token.", spelled)
        elif kind in (PieceKind.CONTROL, PieceKind.UNKNOWN):
            said = Say.of(
                "{0:q} is in the text. It is a special token, and these are taken out before all else.", spelled
            )
        else:
            said = Say.of(
                "{0:q} is in the text. It is an added token, and these are taken out before the model runs.", spelled
            ).then(*self.anyway(number, item))
        return TokenOrigin(
            token, OriginKind.SPECIAL, said, number, event, (), tuple(self.found_steps(Found(number, event)))
        )

    def anyway(self, stage: int, item: Token) -> Iterator[Say]:
        """Why a token is found though special tokens are read as text."""
        if self.trace.options.parse_special or self.special(item):
            return
        if isinstance(self.stages[stage].part, SpecialTokenPartition):
            yield Say("Special tokens are read as text here, but llama.cpp always finds user-defined tokens.")
        else:
            yield Say("Special tokens are read as text here, but added tokens that are not special are always found.")

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
        notes: list[Say] = []
        for item in items:
            if isinstance(item, Token):
                places.append(self.found(item))
                steps += self.found_steps(places[-1])
                notes = notes or [*self.anyway(places[-1].stage, item)]
        if isinstance(items[0], Token):
            said = Say.of(
                "The special token {0:q} ends here." if self.special(items[0]) else "The added token {0:q} ends here.",
                left.text,
            )
        else:
            said = Say.of("The special token {0:q} begins here." if self.special(items[1]) else
                          "The added token {0:q} begins here.", right.text)  # fmt: skip
        said = said.then(Say("Text and such tokens are separated before the model runs."), *notes)
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
        steps = tuple(kind_of(stage).seam(Seam(number, stage, pair, self.starts, self.trace.text)))
        between = self.text(self.end(pair[0]), self.start(pair[1]))
        if isinstance(stage.part, PreTokenization) and stage.part.alternatives:
            said = Say(
                "The pattern cuts here before any merge."
                if self.merges
                else "The pattern cuts here before the model runs."
            )
        elif isinstance(stage.part, PreTokenization | WpmWords):
            said = Say("The pre-tokenizer cuts here before the model runs.")
        else:
            said = Say.of("The stage {0:q} cuts here before the model runs.", stage.name)
        if between:
            said = said.then(Say.of("{0:q} between the two belongs to neither.", visible(between)))
        elif joined is not None and joined.id is not None:
            said = said.then(Say.of("{0:q} is a piece, but no token crosses such a cut.", joined.text))
        else:
            said = said.then(Say("No token crosses such a cut."))
        event = steps[-1].event if steps else None
        return Cut(left, right, CutCause.PRE_TOKENIZER, said, number, event, None if between else joined, steps)

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
