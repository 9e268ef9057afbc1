"""Why, for models that walk over bytes: a trie's walk, and the loop that stops at the first miss. A unit is a byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from explorer.engine.models.trie import FirstMiss, FirstMissEvent, TrieEvent, TrieMatch
from explorer.stages.why import (
    Account,
    CutAccount,
    CutCause,
    Family,
    Joined,
    Made,
    OriginKind,
    SegmentEvents,
    TokenText,
    WhyStep,
)
from explorer.text.say import Say


class Bytewise(Family):
    """What both models share."""

    item_field = 2

    def data(self, made: Made) -> bytes:
        """The bytes of a token's fragment."""
        return self.fragments[made.item].segment.text.encode()

    def prefix(self, data: bytes, start: int, end: int) -> str:
        """Bytes for people."""
        return self.speller.symbol(data[start:end])

    def seam(self, pair: tuple[Made, Made]) -> tuple[list[bytes], Joined]:
        """The units of both tokens, and their text as one."""
        data = self.data(pair[0])[pair[0].start : pair[1].end]
        return [data[at : at + 1] for at in range(len(data))], self.joined(data)

    def units(self, made: Made) -> Sequence[bytes] | None:
        """The bytes of a token."""
        data = self.data(made)[made.start : made.end]
        return [data[at : at + 1] for at in range(len(data))]

    def first_event(self, made: Made) -> int:
        """The first event about the bytes from the start of a token on."""
        first, start = made.event, self.events[made.event].start
        while first - 1 > self.fragments[made.item].first and self.events[first - 1].start == start:
            first -= 1
        return first


class Walks(Bytewise):
    """The account of the walk through a trie."""

    openings = frozenset({TrieEvent.SEGMENT})

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """A token for each walk."""
        kinds = (TrieEvent.TAKE, TrieEvent.FALL_BACK, TrieEvent.UNKNOWN)
        for event, row in self.rows(fragment):
            if row.kind in kinds:
                yield Made(row.token, fragment.item, event, row.kind, row.start, row.at)

    def walk(self, made: Made) -> list[WhyStep]:
        """The bytes of the walk that made a token: the tokens it passed, and where it ended."""
        data, steps = self.data(made), []
        for event in range(self.first_event(made), made.event):
            row = self.events[event]
            if row.kind == TrieEvent.END:
                steps.append(self.step(event, (), "", Say("the text ends, and so does the walk"), good=False))
                continue
            byte, text = f"{data[row.at]:02X}", self.prefix(data, row.start, row.at + 1)
            if row.kind == TrieEvent.SEEN:
                note = Say.of("token {0:i}", row.token)
            elif row.kind == TrieEvent.NODE:
                note = Say("a node that is not a token")
            else:
                note, text = Say.of("no edge for {0:t}: the walk ends", byte), ""
            steps.append(self.step(event, (byte,), text, note, good=row.kind != TrieEvent.NO_EDGE))
        return steps

    def end(self, made: Made, walk: Sequence[WhyStep]) -> Say:
        """Where the walk ended."""
        if walk and walk[-1].kind == TrieEvent.NO_EDGE.name:
            return Say.of("No edge for {0:t}: the walk ends.", walk[-1].parts[0])
        return Say("The text ends, and so does the walk.")

    def account(self, made: Made, token: TokenText) -> Account:
        """The walk."""
        walk = self.walk(made)
        if made.kind == TrieEvent.UNKNOWN:
            byte = f"{self.data(made)[made.start]:02X}"
            said = Say.of(
                "No token begins with {0:t} here: the byte becomes {1:q}, and what it was is lost.", byte, token.text
            )
            return Account(OriginKind.UNKNOWN, said, walk, lost=byte)
        passed = sum(step.kind == TrieEvent.SEEN.name for step in walk)
        last = Say.of("The last token passed is {0:q}, the longest match.", token.text) if passed > 1 else Say.of(
            "The only token passed is {0:q}.", token.text
        )  # fmt: skip
        said = self.end(made, walk).then(last)
        return Account(OriginKind.LONGEST_MATCH, said, walk)

    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """The walk that ended before it reached a token across the seam."""
        one, _ = pair
        walk = [step for step in self.walk(one) if self.at(step) >= one.end - 1]
        units, joined = self.seam(pair)
        said = Say.of("The longest match from here is {0:q}.", left.text)
        cause = CutCause.LONGEST_MATCH
        if one.kind == TrieEvent.UNKNOWN:
            byte = f"{self.data(one)[one.start]:02X}"
            said = Say.of("No token begins with {0:t} here, so this byte alone becomes {1:q}.", byte, left.text)
            cause = CutCause.UNKNOWN
        return CutAccount(cause, said, one.event, joined, walk, self.others(units, joined.text))

    def at(self, step: WhyStep) -> int:
        """The byte of a step."""
        at: int = self.events[step.event].at
        return at

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether the trie has a token of these bytes."""
        data, trie = b"".join(units), cast(TrieMatch, self.stage.part).trie
        nodes = trie.path(data)
        return len(nodes) == len(data) > 0 and trie.token[nodes[-1]] >= 0


class FirstMisses(Bytewise):
    """The account of the loop that stops at the first prefix that is not a token."""

    openings = frozenset({FirstMissEvent.SEGMENT})

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """A token for each round of the loop, or one for each byte of a character."""
        for event, row in self.rows(fragment):
            if row.kind == FirstMissEvent.TAKE:
                yield Made(row.token, fragment.item, event, row.kind, row.start, row.at)
            elif row.kind == FirstMissEvent.BYTE:
                yield Made(row.token, fragment.item, event, row.kind, row.at, row.at + 1)

    def round(self, made: Made) -> list[WhyStep]:
        """The prefixes that the loop looked up."""
        data, start = self.data(made), self.events[made.event].start
        steps = []
        for event in range(self.first_event(made), made.event):
            row = self.events[event]
            if row.kind == FirstMissEvent.END:
                steps.append(self.step(event, (), "", Say("the text ends, and so does the loop"), good=False))
            elif row.kind == FirstMissEvent.PAST_END:
                steps.append(self.step(event, (), "", Say("it reads past the end of the text and stops"), good=False))
            elif row.kind in (FirstMissEvent.CHARACTER, FirstMissEvent.MISS):
                text, good = self.prefix(data, start, row.at + 1), row.kind == FirstMissEvent.CHARACTER
                note = Say.of("token {0:i}", row.token) if good else Say("not a token: the loop stops")
                steps.append(self.step(event, (text,), text if good else "", note, good=good))
        return steps

    def character(self, made: Made) -> tuple[int, int]:
        """The bytes [start, end) of the character that a byte belongs to."""
        start = self.events[made.event].start
        end = made.event
        while end + 1 < self.fragments[made.item].last and self.events[end + 1].kind == FirstMissEvent.BYTE and (
            self.events[end + 1].start == start
        ):  # fmt: skip
            end += 1
        return start, self.events[end].at + 1

    def account(self, made: Made, token: TokenText) -> Account:
        """The loop's prefixes."""
        steps = tuple(self.round(made))
        if made.kind == FirstMissEvent.BYTE:
            start, end = self.character(made)
            said = Say.of(
                "{0:q} is not a token. Its byte {1:t}, {2} of {3}, becomes token {4:i}.",
                self.prefix(self.data(made), start, end),
                token.text,
                made.start - start + 1,
                end - start,
                token.id,
            )
            return Account(OriginKind.BYTE, said, steps)
        missed = [step for step in steps if step.kind == FirstMissEvent.MISS.name]
        if missed:
            said = Say.of(
                "{0:q} is not a token, so the loop stops and takes the prefix before it, {1:q}.",
                missed[0].parts[0],
                token.text,
            )
        elif steps[-1].kind == FirstMissEvent.PAST_END.name:
            said = Say.of("The loop would read past the end of the text, so it takes what it has: {0:q}.", token.text)
        else:
            said = Say.of("The text ends, so the loop takes what it has: {0:q}.", token.text)
        return Account(OriginKind.FIRST_MISS, said, steps)

    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """The prefix at which the loop stopped."""
        one, _ = pair
        steps = self.round(one)
        units, joined = self.seam(pair)
        others = self.others(units, joined.text)
        if one.kind == FirstMissEvent.BYTE:
            start, end = self.character(one)
            said = Say.of(
                "{0:q} is not a token: it becomes one token for each of its {1} bytes.",
                self.prefix(self.data(one), start, end),
                end - start,
            )
            return CutAccount(CutCause.BYTES, said, one.event, joined, steps, others)
        stops = FirstMissEvent.MISS.name, FirstMissEvent.PAST_END.name
        missed = [step for step in steps if step.kind in stops]
        said = Say.of("{0:q} is not a token, so the loop stops after {1:q}.", missed[0].parts[0], left.text) if (
            missed[0].parts
        ) else Say.of("The loop would read past the end of the text, so it stops after {0:q}.", left.text)  # fmt: skip
        if joined.id is not None:
            said = said.then(Say.of("It never tries {0:q}, which is token {1:i}.", joined.text, joined.id))
        tail = tuple(step for step in steps if self.events[step.event].at >= one.end - 1)
        return CutAccount(CutCause.FIRST_MISS, said, missed[0].event, joined, tail, others)

    def is_piece(self, units: Sequence[bytes]) -> bool:
        """Whether these bytes are a token that the loop may take."""
        return b"".join(units) in cast(FirstMiss, self.stage.part).vocabulary.ids
