"""What is cut out of a text first, as everybody else asks about it: a sentence about it, and the event about a span;
and the steppers of two stages that cut tokens out of text from left to right: user-defined pieces, and DNA.

Each event of these two is one item of its result: a token, or text that stays. The tracks are the characters, the
look-ups, and the list of fragments, in which the text that is not read yet is one fragment. The events are those of
`engine/partition/user_defined.py`.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

from explorer.engine.part import Item, Segment, Token
from explorer.engine.partition.special_tokens import PartitionEvent
from explorer.engine.partition.user_defined import (
    CLOSE,
    LETTERS,
    OPEN,
    UPPER,
    DnaEvent,
    UserDefinedEvent,
    UserDefinedSplit,
)
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.model_script import Fragment, ModelScript
from explorer.script.script import Script, ScriptBuilder, StepKind, kinds, roles
from explorer.stages.partition.story import partition_script
from explorer.stages.stage import (
    Covering,
    Covers,
    Finder,
    Painted,
    Sought,
    StageKind,
    fragments,
    kinds_of,
    pre_tokens,
    special,
)
from explorer.text import visible
from explorer.text.say import Say, Text, in_a_row, plural, shortened
from explorer.vocabulary import Vocabulary

ROLES = roles("done, hit")
FOUND, HIT = range(len(ROLES))
TEXT = -1
"""The id of a fragment that is text."""

FIELDS = "text:q id:i at looked_up:q why:t"
"""Of a step. at: the index of the first code point."""
DEFINED_CODE = """\
at = the beginning
while there is text at `at`:
    take the longest defined piece that begins here
    if there is none: go on at the next character
    what is left of it stays text
    the piece is a token of its own
    at = after it
what is left stays text
""".splitlines()
DEFINED_KINDS = kinds(
    UserDefinedEvent,
    """
SYMBOL: cut out
    look: token dot 100 landmark
    lines: 1 2 4 5 6
    say: {text} is at index {at}: a user-defined piece, token {id}.
    why: {why}
    log: {text} → {id}
    story: {text} is a user-defined piece: token {id}.

TEXT: text
    look: info dot 45
    lines: 3 4 7
    say: {text} stays text, at index {at}.
    why: {why}
    log: {text} is text
    story: {text} stays text.
""",
    fields=FIELDS,
)
DNA_CODE = """\
while there is text:
    find <dna>; what is left of it stays text
    <dna> is a token
    find </dna>; without it, DNA goes to the end
    for every six bytes of the DNA:
        in upper case; fill a short group with A
        look it up with the mark U+E000 after it
        it is a token, or it becomes <oov>
    </dna> is a token
""".splitlines()
DNA_KINDS = kinds(
    DnaEvent,
    """
open: tag
    look: token ring 60
    lines: 1 2 3
    say: {text} is at index {at}: token {id}. DNA begins.
    why: {why}
    log: {text} → {id}
    story: {text} is a token: DNA begins.

close: tag
    look: token ring 60
    lines: 8
    say: {text} is at index {at}: token {id}. DNA ends.
    log: {text} → {id}
    story: {text} is a token: DNA ends.

GROUP: six letters
    look: merge dot 100 landmark
    lines: 4 5 6 7
    say: {text} at index {at}: {looked_up} is token {id}.
    why: {why}
    log: {looked_up} → {id}
    story: {text} is a group of six: {looked_up} is token {id}.

FILLED like GROUP: filled
    say: {text} at index {at} is filled with A: {looked_up} is token {id}.
    story: {text} is the last group: filled with A, {looked_up} is token {id}.

UNKNOWN like GROUP: unknown
    look: byte diamond 100 landmark
    say: {text} at index {at}: {looked_up} is not a token of DNA and becomes <oov>, token {id}.
    log: {looked_up} → <oov>
    story: {text}: {looked_up} is not a token of DNA. It becomes <oov>, token {id}.

TEXT: text
    look: info dot 45
    lines: 1
    say: {text} stays text, at index {at}.
    why: It is tokenized like any other text.
    log: {text} is text
    story: {text} stays text.
""",
    fields=FIELDS,
)
MARKED = "In the vocabulary a mark follows the letters, so that DNA differs from the same letters of a text."
CUT_THROUGH = "Groups are counted in bytes, and this one cuts a character apart."
NO_GROUP = "The vocabulary has no such group."
FILLED = "A group has six letters; what is missing at the end is A."
OPEN_END = "No closing tag follows: everything to the end is DNA."


class CutOutScript(ModelScript[Fragment]):
    """One pass over the events; subclasses say what is read.

    A fragment's key is its index among the items of the result.
    """

    title: ClassVar[str]
    landmark: ClassVar[str]
    code: ClassVar[Sequence[str]]
    opening: ClassVar[tuple[str, str]]
    """The first sentence and its reason."""
    kinds: ClassVar[Mapping[Any, StepKind]]

    def prepare(self) -> None:
        self.builder = ScriptBuilder.laid_out(
            "cut_out",
            title=self.title,
            landmark=self.landmark,
            kinds=self.kinds,
            tracks=(
                self.strip("Text", "one cell per code point; a token that is cut out is one box"),
                "look_ups",
                "fragments",
            ),
            roles=ROLES,
            code=self.code,
        )
        self.draw_segments(Fragment)

    def write(self) -> Script:
        """The finished script."""
        builder, layout = self.builder, list(self.layout())
        self.put_single_cells()
        for item, (key, _) in zip(self.items, layout, strict=True):
            self._show(key, item, item.text if isinstance(item, Segment) else "")
        builder.phase(self.title)
        say, why = self.opening if self.items else ("There is no text to read.", "")
        builder.begin(say, why, lines=(0,))
        for index, (first, reads) in enumerate(layout):
            at = 0
            for key, (builder.event, cells) in enumerate(reads, first):
                self.fragment, self.row = self.fragments[index], self.stage.events[builder.event]
                self._event(key, cells, at)
                at = cells.stop
        return builder.script()

    def read(self, fragment: Fragment, row: Any, key: int, at: int) -> range | None:
        """The cells that an event is about; None if it is about a later fragment. at: the cell it may begin with."""
        raise NotImplementedError

    def told(self, cells: range) -> tuple[Any, str, str, str]:
        """The kind of step, what is looked up, its result, and a reason."""
        raise NotImplementedError

    def layout(self) -> Iterator[tuple[int, list[tuple[int, range]]]]:
        """Of each item: the key of its first fragment, and the index and the cells of each event about it."""
        key = number = 0
        events = self.stage.events
        for index in range(len(self.items)):
            reads: list[tuple[int, range]] = []
            at, fragment = 0, self.fragments.get(index)
            while fragment and number < len(events):
                cells = self.read(fragment, events[number], key + len(reads), at)
                if cells is None:
                    break
                reads.append((number, cells))
                number, at = number + 1, cells.stop
            yield key, reads
            key += len(reads) or 1  # a stage that lacks what it needs leaves the text as it is

    def _event(self, key: int, cells: range, at: int) -> None:
        """One step: an item of the result, and what is left of the text."""
        builder, item, fragment = self.builder, self.stage.after[key], self.fragment
        text = fragment.segment.text
        said = text[cells.start : cells.stop]
        self._show(key, item, said)
        if cells.stop < len(text):
            left = fragment.segment.slice(cells.stop)
            self._show(key + 1, left, left.text)
        own = range(max(cells.start, at), cells.stop)
        if not any(map(fragment.holds, own or cells)):
            return
        key_of_kind, looked_up, result, why = self.told(cells)
        if isinstance(item, Token):
            drawn = range(max(own.start, fragment.low), min(own.stop, fragment.high))
            if drawn:
                self.put_box(drawn, item.id)
            read = builder.text(shortened(said)), builder.text(looked_up)
            builder.write("search", builder.event, *read, result)
            builder.mark("search", builder.event, HIT)
        self.mark(cells, FOUND if isinstance(item, Token) else HIT)
        at = fragment.starts[cells.start]
        builder.step(key_of_kind, text=shortened(said), id=self.row.token, at=at, looked_up=looked_up, why=why)

    def _show(self, key: int, item: Item, text: str) -> None:
        """The chip of a fragment, if the window has a part of it."""
        if isinstance(item, Token):
            start, end, id, label, text = item.start, item.end, item.id, str(item.id), self.vocabulary.spelling(item.id)
        else:
            start, end, id, label = item.starts[0], item.ends[-1], TEXT, "text"
        if start < self.window.end and end > self.window.start:
            self.builder.write("output", key, self.builder.text(shortened(text)), id, start, end, label)


class UserDefinedScript(CutOutScript):
    """The script for the stage of user-defined pieces.

    >>> from explorer.engine.part import Segment
    >>> from explorer.engine.part import Options
    >>> from explorer.engine.partition.user_defined import UserDefinedRow
    >>> from explorer.engine.part import Events
    >>> from explorer.script.script import Window
    >>> from explorer.vocabulary import Vocabulary
    >>> from explorer.engine.tokenizer import Stage
    >>> part, events = UserDefinedSplit({"<a>": 1, "<": 0}), Events(UserDefinedRow)
    >>> before = [Segment.of("x<a>")]
    >>> stage = Stage("pre-tokenize", part, before, part.run(before, Options(), events.emit), events)
    >>> UserDefinedScript.of(stage, Vocabulary.of([b"<", b"<a>"]), Window(0, 4, 0, 2)).sentence(2)
    '“<a>” is at index 1: a user-defined piece, token 1. The longest one wins: “<” begins here too. No merge reaches \
into it.'
    """

    title = "User-defined pieces"
    landmark = "piece"
    code = DEFINED_CODE
    opening = (
        "The text is read once, from the left, before anything is merged.",
        "Where a user-defined piece begins, the longest one is taken.",
    )
    kinds = DEFINED_KINDS

    def prepare(self) -> None:
        super().prepare()
        self.symbols = cast(UserDefinedSplit, self.stage.part).symbols
        self.length = {id: len(symbol) for symbol, id in self.symbols.items()}

    def read(self, fragment: Fragment, row: Any, key: int, at: int) -> range | None:
        if at >= len(fragment.segment.text):
            return None
        item = self.stage.after[key]
        return range(at, at + (len(item.text) if isinstance(item, Segment) else self.length[row.token]))

    def told(self, cells: range) -> tuple[Any, str, str, str]:
        text = self.fragment.segment.text[cells.start : cells.stop]
        if self.row.kind == UserDefinedEvent.TEXT:
            return UserDefinedEvent.TEXT, text, "", "No user-defined piece begins at any of its characters."
        shorter = [text[:size] for size in range(len(text) - 1, 0, -1) if text[:size] in self.symbols]
        also = f"The longest one wins: “{visible(shorter[0])}” begins here too. " if shorter else ""
        return UserDefinedEvent.SYMBOL, text, Text("token {0:i}", self.row.token), f"{also}No merge reaches into it."


class DnaScript(CutOutScript):
    """The script for the DNA stage.

    >>> from explorer.engine.part import Segment
    >>> from explorer.engine.part import Options
    >>> from explorer.engine.partition.user_defined import DnaGroups, DnaRow
    >>> from explorer.engine.part import Events
    >>> from explorer.script.script import Window
    >>> from explorer.vocabulary import Vocabulary
    >>> from explorer.engine.tokenizer import Stage
    >>> v = Vocabulary.of([b"<dna>", b"</dna>", b"<oov>", "ACGTAA\\ue000".encode()])
    >>> part, before, events = DnaGroups(v), [Segment.of("<dna>acgt</dna>")], Events(DnaRow)
    >>> stage = Stage("dna", part, before, part.run(before, Options(), events.emit), events)
    >>> DnaScript.of(stage, v, Window(0, 15, 0, 3)).sentence(2)
    '“acgt” at index 5 is filled with A: “ACGTAA” is token 3. A group has six letters; what is missing at the end is A.'
    """

    title = "DNA"
    landmark = "group"
    code = DNA_CODE
    opening = (
        "The text is searched for DNA, which stands between its tags.",
        "Every six letters of it are one token, whatever the model would do.",
    )
    kinds = DNA_KINDS

    def prepare(self) -> None:
        super().prepare()
        self.letters: dict[int, bytes] = {}
        """index of an event → the letters of its group, in upper case"""
        for index, (_, reads) in enumerate(self.layout()):
            letters = b""
            for event, cells in reads:
                kind = self.stage.events[event].kind
                if kind == DnaEvent.TAG:
                    dna, _, _ = self.fragments[index].segment.text[cells.stop :].partition(CLOSE.decode())
                    letters = dna.encode().translate(UPPER)
                elif kind != DnaEvent.TEXT:
                    self.letters[event], letters = letters[:LETTERS], letters[LETTERS:]

    def read(self, fragment: Fragment, row: Any, key: int, at: int) -> range | None:
        segment = fragment.segment
        if not segment.text or row.start >= segment.ends[-1]:
            return None
        return range(bisect_right(segment.starts, row.start) - 1, bisect_left(segment.ends, row.end) + 1)

    def told(self, cells: range) -> tuple[Any, str, str, str]:
        text, event = self.fragment.segment.text, DnaEvent(self.row.kind)
        said = text[cells.start : cells.stop]
        if event == DnaEvent.TEXT:
            return event, said, "", ""
        token = Text("token {0:i}", self.row.token)
        if event == DnaEvent.TAG:
            if said != OPEN.decode():
                return "close", said, token, ""
            return "open", said, token, "" if CLOSE.decode() in text[cells.stop :] else OPEN_END
        group = self.letters[self.builder.event].ljust(LETTERS, b"A")
        shown = group.decode("utf-8", "backslashreplace")
        if event == DnaEvent.UNKNOWN:
            whole = shown.encode() == group
            return event, shown, f"<oov>, {self.row.token}", NO_GROUP if whole else CUT_THROUGH
        return event, shown, token, FILLED if event == DnaEvent.FILLED else MARKED


class PartitionFinder(Finder):
    """By token, the events that it was not parsed; the events of what was cut out, and of the remaining text."""

    def __init__(self, stage: Stage) -> None:
        self.not_parsed: dict[int | None, int] = {}
        taken: list[Covering] = []
        left: list[Covering] = []
        for event, row in enumerate(stage.events):
            if row.kind == PartitionEvent.NOT_PARSED:
                self.not_parsed.setdefault(row.token, event)
            elif row.kind != PartitionEvent.NOT_THERE:
                (left if row.kind == PartitionEvent.RAW_TEXT else taken).append((row.start, row.end, event))
        self.taken, self.left = Covers(taken), Covers(left)

    def find(self, sought: Sought) -> int | None:
        """The first event of a special token, swallowed white space or a token not parsed; else of plain text."""
        events = self.not_parsed.get(sought.token), self.taken.first(*sought.read)
        found = [event for event in events if event is not None]
        return min(found) if found else self.left.first(*sought.read)


def stripped(stage: Stage) -> Covers:
    """The white space that special tokens swallowed."""
    events = enumerate(stage.events)
    return Covers((row.start, row.end, event) for event, row in events if row.kind == PartitionEvent.STRIPPED)


def partition_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """Which tokens were found, in one sentence."""
    stored = trace.encoding.vocabulary
    unparsed = [event.token for event in stage.events if event.kind == PartitionEvent.NOT_PARSED]
    passed_over = sum(trace.text.count(stored.spelling(token)) for token in unparsed)
    known = {item for item in stage.before if isinstance(item, Token)}
    cut_out = [item.id for item in stage.after if isinstance(item, Token) and item not in known]
    if not trace.text:
        return Say("Changed nothing: the text is empty.")
    left = sum(isinstance(item, Segment) for item in stage.after)
    unread = plural(passed_over, "special token is", "special tokens are")
    if not cut_out:
        if not passed_over:
            return Say("Changed nothing: the text contains no token that is cut out first.")
        return Say(
            "Changed nothing: {0} special token is in the text, but not parsed, so it stays text.",
            passed_over,
            many="Changed nothing: {0} special tokens are in the text, but not parsed, so they stay text.",
        )
    said = Say(
        "Found {0:t} in the text: {1:t}, of which {2:t} left to tokenize.",
        counted(cut_out, stored),
        plural(len(stage.after), "fragment"),
        plural(left, "is", "are") if left else Text("none is"),
    )
    return said.then(Say("{0:t} in it, but not parsed.", unread)) if passed_over else said


def counted(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """The number of tokens of each sort.

    >>> counted([0, 1, 1], Vocabulary.of([b"<s>", b"<x>"], kinds=[3, 4]))
    '1 special token and 2 user-defined tokens'
    """
    special = sum(vocabulary.is_special(id) for id in ids)
    sorts = (("special token", special), ("user-defined token", len(ids) - special))
    return in_a_row(*(plural(count, sort) for sort, count in sorts if count), between="{0:t} and {1:t}")


def dna_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many groups of DNA were cut out."""
    if not any(event.token >= 0 for event in stage.events):
        return Say("Changed nothing: the text contains no <dna>.")
    counts = Counter(kinds_of(stage))
    lost = counts[DnaEvent.UNKNOWN]
    groups = counts[DnaEvent.GROUP] + counts[DnaEvent.FILLED] + lost
    found = plural(groups, "group of six letters", "groups of six letters")
    if lost:
        return Say("DNA was found: {0:t}, of which {1:t} unknown.", found, plural(lost, "is", "are"))
    return Say("DNA was found: {0:t}.", found)


def pieces_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many pieces, and what that means."""
    known = {item for item in stage.before if isinstance(item, Token)}
    pieces = [item for item in stage.after if isinstance(item, Segment) or item not in known]
    before = [item.text for item in stage.before if isinstance(item, Segment)]
    symbols = sum(isinstance(piece, Token) for piece in pieces)
    if symbols:
        return Say("{0} piece is cut out and is final; no token crosses a cut.", symbols,
                   many="{0} pieces are cut out and are final; no token crosses a cut.")  # fmt: skip
    if [piece.text for piece in pieces if isinstance(piece, Segment)] == before:
        return Say("Changed nothing: the text has no cut.")
    return Say("The text is cut into {0:t}; no token crosses a cut.", plural(len(pieces), "fragment"))


PARTITION = StageKind(
    title="Special tokens",
    purpose="Special and user-defined tokens that occur in the text are cut out of it first.",
    name="Special tokens",
    script=partition_script,
    count=special,
    result=partition_result,
    finder=PartitionFinder,
    found=(PartitionEvent.TOKEN,),
)
NORMALIZED = replace(
    PARTITION,
    title="Special tokens, normalized",
    purpose="Some tokens are matched in the normalized text, with their own spelling normalized as well.",
    name="Special, normalized",
)
DNA = StageKind(
    title="DNA",
    purpose="DNA between its tags is cut into groups of six letters.",
    name="DNA",
    script=DnaScript.of,
    count=fragments,
    result=dna_result,
    found=(DnaEvent.TAG, DnaEvent.GROUP, DnaEvent.FILLED, DnaEvent.UNKNOWN),
)
USER_DEFINED = StageKind(
    title="User-defined pieces",
    purpose="Pieces that the model's maker defined are always cut out whole.",
    name="Pre-tokenize",
    script=UserDefinedScript.of,
    count=pre_tokens,
    result=pieces_result,
    finder=lambda stage: Painted((row.start, row.end, event) for event, row in enumerate(stage.events)),
    found=(UserDefinedEvent.SYMBOL,),
)
