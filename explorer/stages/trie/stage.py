"""Walks over bytes, as everybody else asks about them: the trie's, and the loop that stops at the first miss.

Why their tokens came about, a question for a quiz, a drawing for lessons, and where the loop differs from the trie. A
unit is a byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, cast

from explorer.engine.items import Segment, silent
from explorer.engine.models.trie import FirstMiss, FirstMissEvent, FirstMissRow, TrieEvent, TrieMatch, TrieRow
from explorer.engine.tokenizer import Stage, Trace
from explorer.stages.longest_match.stage import longest_match
from explorer.stages.spelling import Form, Speller
from explorer.stages.stage import (
    DRAWN,
    LONGEST_SHOWN,
    Choice,
    Draft,
    Drawing,
    ModelKind,
    Scene,
    quoted_row,
    richest,
    start_of,
)
from explorer.stages.trie.first_miss_story import FirstMissScript
from explorer.stages.trie.walk_story import TrieScript
from explorer.stages.why import (
    Account,
    CutAccount,
    CutCause,
    Family,
    Joined,
    M,
    Made,
    OriginKind,
    TokenText,
    WhyStep,
)
from explorer.text.input import character_of_each_byte
from explorer.text.say import Say, plural
from explorer.vocabulary import Vocabulary


class Bytewise(Family[M]):
    """What both models share."""

    item_field = 2

    def span(self, row: Any) -> tuple[int, int]:
        """From where the walk began."""
        return row.start, row.at

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


class Walks(Bytewise[TrieMatch]):
    """The account of the walk through a trie."""

    puts_out = (TrieEvent.TAKE, TrieEvent.FALL_BACK, TrieEvent.UNKNOWN)

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
        data, trie = b"".join(units), self.model.trie
        nodes = trie.path(data)
        return len(nodes) == len(data) > 0 and trie.token[nodes[-1]] >= 0


class FirstMisses(Bytewise[FirstMiss]):
    """The account of the loop that stops at the first prefix that is not a token."""

    puts_out = (FirstMissEvent.TAKE, FirstMissEvent.BYTE)

    def span(self, row: FirstMissRow) -> tuple[int, int]:
        """One byte of a character without a token."""
        return (row.at, row.at + 1) if row.kind == FirstMissEvent.BYTE else super().span(row)

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
        return b"".join(units) in self.model.vocabulary.ids


def in_trie(scene: Scene) -> Iterator[Draft]:
    """The longest matches of a trie: shorter tokens that the walk passed, and nodes that are none."""
    family = cast(Walks, scene.family)
    found = []
    for token in family.made:
        walk = family.walk(token) if token.kind in (TrieEvent.TAKE, TrieEvent.FALL_BACK) else []
        nodes = [step for step in walk if step.makes]
        if len(nodes) > 1 and len(nodes[-1].makes) <= LONGEST_SHOWN:
            found.append((token, walk, nodes))
    shuffled = scene.random.sample(found, len(found))
    # a walk through tokens alone asks for little
    shuffled.sort(key=lambda each: all(step.kind == TrieEvent.SEEN.name for step in each[2]))
    for token, walk, nodes in shuffled:
        yield on_walk(scene, family, token, walk, nodes)


def on_walk(scene: Scene, family: Walks, made: Made, walk: list[WhyStep], nodes: list[WhyStep]) -> Draft:
    """The longest match of a walk. nodes: the steps that lead to one."""
    data = family.data(made)
    right = family.prefix(data, made.start, made.end)
    tokens = [step for step in nodes if step.kind == TrieEvent.SEEN.name and step.makes != right]
    beyond = [step for step in nodes if family.events[step.event].at >= made.end]
    within = [step for step in nodes if step.kind == TrieEvent.NODE.name and step not in beyond]
    first_miss = list(takewhile(lambda step: step.kind == TrieEvent.SEEN.name, nodes))[-1:]
    order = [*first_miss, *beyond[-1:], *tokens[-1:], *tokens[:1], *within[-1:], *tokens, *beyond, *within]
    wrong = [
        Choice(
            quoted_row([step.makes]),
            "",
            Say("A token, but a longer one follows.")
            if step.kind == TrieEvent.SEEN.name
            else Say("A node of the trie, but not a token."),
        )
        for step in order
    ]
    end = family.events[walk[-1].event].at
    if walk[-1].kind == TrieEvent.NO_EDGE.name:
        wrong.insert(2, Choice(quoted_row([family.prefix(data, made.start, end + 1)]), "", Say("No edge leads there.")))
    rest = start_of(data[made.start :], Form.AS_TEXT.value)
    prompt = Say.of("The walk through the trie begins at {0:q}. Where does the longest match end?", rest)
    said = family.end(made, walk).then(Say.of("The last token passed is {0:q}, token {1:t}.", right, str(made.id)))
    seen = [step for step in walk if step.kind != TrieEvent.NO_EDGE.name]  # that step names the match
    return Draft(prompt, Choice(quoted_row([right])), wrong, said, scene.stage.name, seen[-1].event, made.event)


def drawing(stage: Stage, segment: Segment, rows: Sequence[tuple[int, TrieRow]], speller: Speller) -> Drawing | None:
    """The longest walk through the trie: its bytes, and the tokens it passed."""
    data = segment.text.encode()
    walks: dict[int, list[TrieRow]] = {}
    for _, row in rows:
        walks.setdefault(row.start, []).append(row)
    if not walks:
        return None
    longest = max(walks.values(), key=lambda walk: sum(row.kind in (TrieEvent.NODE, TrieEvent.SEEN) for row in walk))
    nodes: list[list[Any]] = []
    for row in longest[: DRAWN - 4]:
        if row.kind not in (TrieEvent.NODE, TrieEvent.SEEN):
            break
        seen = row.kind == TrieEvent.SEEN
        text = data[row.start : row.at + 1].decode("utf-8", "replace") if seen else ""
        nodes.append([f"{data[row.at]:02X}", row.token if seen else -1, "" if "\ufffd" in text else text])
    taken = max((at for at, node in enumerate(nodes) if node[1] >= 0), default=-1)
    stop = next((row for row in longest if row.kind == TrieEvent.NO_EDGE), None)
    return {"kind": "walk", "nodes": nodes, "taken": taken, "stop": "" if stop is None else f"{data[stop.at]:02X}"}


def first_miss_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens the loop that stops at the first miss makes, how many the trie, and where they first differ.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> tok = explorer.load("rwkv-world@first-miss")
    >>> trace = tok.trace("a!--")
    >>> plain(first_miss_result(trace, trace.stage("model"), tok.vocabulary))
    'The loop makes 3 tokens of this text, the trie 2. They first differ at character 2.'
    """
    model = cast(FirstMiss, stage.part)
    by_loop = by_trie = 0
    first = -1
    for item in stage.before:
        if isinstance(item, Segment):
            data = item.text.encode()
            loop, trie = model.tokenize(data, silent), model.trie.tokenize(data, silent)
            by_loop, by_trie = by_loop + len(loop), by_trie + len(trie)
            differ = set(loop) ^ set(trie)
            if differ and first < 0:
                character = character_of_each_byte(data)[min(match.start for match in differ)]
                first = item.starts[character]
    if first < 0:
        return Say.of("The loop and the trie make the same tokens of this text.")
    words = "The loop makes {0:t} of this text, the trie {1:t}. They first differ at character {2:t}."
    return Say.of(words, plural(by_loop, "token"), f"{by_trie:,}", f"{first + 1:,}")


TRIE: Final = ModelKind(
    title="A walk through the trie",
    purpose="Starting at each position, the bytes are followed down a tree; the last token passed is taken.",
    name="Longest match",
    script=TrieScript.of,
    account=Walks,
    clause=lambda model: "takes the longest token along a trie",
    questions=(longest_match._replace(write=richest(in_trie)),),
    drawing=drawing,
)
FIRST_MISS: Final = ModelKind(
    title="The loop that stops at the first miss",
    purpose="Starting at each position, characters are added as long as the result is a token. This common misreading "
    "of the trie is not a longest match; each step says where the trie takes another token.",
    name="First miss",
    script=FirstMissScript.of,
    result=first_miss_result,
    account=FirstMisses,
    clause=lambda model: "adds characters until the string is not a token",
)
