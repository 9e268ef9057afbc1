"""What does not come back when ids are decoded and encoded again, or a text encoded and decoded, and which stage lost
it.

Ids traced backwards have the shape of a trace, with the ids as tokens on the text they decode to, so that everything
that draws the end of a trace draws it. Bytes that are not UTF-8 are U+FFFD in the text, and their tokens lie on that
character.

A program that keeps only the text of an answer and encodes it later gets the canonical ids, which need not be those
that the model produced (reinforcement learning calls this retokenization drift). The tokens that encoding adds around a
text are compared by themselves: a list may begin with BOS or not. The stage is found from the items alone: the first
one before the model that has a cut inside a token of the list, makes a special token of its text, puts a space in front
or changes its characters. Otherwise the model chooses other tokens.

Lines of files are encoded and decoded one at a time; only a line that doesn't come back is traced. The losses of one
text are found in `stages/decoders/`.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from explorer.analysis.divergence.changes import points
from explorer.analysis.divergence.result import where
from explorer.analysis.expected.expected_ids import characters_of, contents, laid_out, stretches
from explorer.analysis.expected.explainer import added_around, explain
from explorer.analysis.export import picked, plain_values
from explorer.analysis.inputs import Line, read_ids
from explorer.analysis.ownership import Span
from explorer.engine.budget import many_runs
from explorer.engine.part import Item, Items, Options, Segment, TextTokens
from explorer.engine.tokenizer import DecodeTrace, Encoding, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.decoders.losses import DECODE, MODEL, Insertion, Loss, Losses, RoundTrip, looks_same, losses
from explorer.stages.spelling import How, Spelling, spelling_of
from explorer.tables import Record
from explorer.text import visible
from explorer.text.input import is_utf8
from explorer.text.say import Say, number, plural, shortened
from explorer.vocabulary import SPACE_MARK, PieceKind

LONGEST = 20_000
"""Ids that are decoded at once."""


class Decoding(NamedTuple):
    """trace: of empty stages, with the ids as tokens. again: the ids that the text gives. say: how those compare."""

    trace: Trace
    round_trip: RoundTrip
    again: list[int]
    say: Say

    @property
    def same(self) -> bool:
        """Whether encoding the text gives the ids."""
        return self.again == self.trace.ids


def decoding(tokenizer: Opened, ids: Sequence[int], *, add_special: bool = True) -> Decoding:
    """Decodes ids and encodes the text again. Raises InputError naming the first id that the vocabulary lacks.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> found = decoding(explorer.load("llama-2"), [1, 1724, 338])
    >>> found.trace.text, found.trace.encoding.spans, found.same
    ('What is', [None, (0, 4), (4, 7)], True)
    >>> print(plain(decoding(explorer.load("llama-2"), [1, 338]).say))
    Encoding this text gives exactly these ids.
    """
    if len(ids) > LONGEST:
        raise InputError(
            f"{number(len(ids))} ids are too many for this page, which decodes {number(LONGEST)}; use `explorer decode`"
        )
    decoded = tokenizer.trace_decode(ids, remove_special=add_special)
    text, options = decoded.text, Options(add_special, True)
    tokens = tokens_on_bytes(tokenizer, ids, decoded.parts)
    encoding = Encoding.of(tokens, tokenizer.vocabulary, tokenizer.decoder.alone)
    again = tokenizer.encode(text, add_special=add_special).ids
    # the stages tell how the vocabulary spells; no text went through them
    trace = Trace(text, options, tokenizer.trace("").stages, encoding)
    back = RoundTrip(decoded, Losses((), ()), of_text=False)
    return Decoding(trace, back, again, compared(tokenizer, list(ids), again, trace))


def tokens_on_bytes(tokenizer: Opened, ids: Sequence[int], parts: Sequence[bytes]) -> TextTokens:
    """Ids as tokens on the text that all their bytes make, with U+FFFD for each run that is not UTF-8."""
    return laid_out(tokenizer, ids, parts, characters_of(b"".join(parts)))


def compared(tokenizer: Opened, ids: list[int], again: list[int], trace: Trace) -> Say:
    """Whether encoding the text gives the ids, and if not, where and why."""
    if not ids:
        given = [Say("Encoding the empty text gives {0:t}.", plural(len(again), "token"))] if again else []
        return Say("No ids, no text.").then(*given)
    if ids == again:
        return Say("Encoding this text gives exactly these ids.")
    differs = Say("Encoding this text does not give these ids.")
    if not is_utf8(b"".join(trace.encoding.bytes)) and "\ufffd" in trace.text:
        return differs.then(Say("Their bytes are not UTF-8: � in the text has bytes of its own."))
    why = explain(tokenizer, trace.text, ids, add_special=trace.options.add_special).sentence
    return Say("{0:t} {1:t}", differs, why.replace("The expected ids", "These ids", 1))


PER = 1_000
"""Rates are per so many ids."""


class Drift(NamedTuple):
    """A stretch of ids that encoding their text does not give.

    start, end: the ids [start, end) of the list. canonical: what encoding gives instead. text: their bytes. stage: the
    one that makes them differ.
    """

    start: int
    end: int
    ids: tuple[int, ...]
    canonical: tuple[int, ...]
    text: bytes
    stage: str


class IdsAgain(NamedTuple):
    """A list of ids and what encoding its text gives. drifts: the stretches that differ, in order."""

    ids: tuple[int, ...]
    text: str
    canonical: tuple[int, ...]
    drifts: tuple[Drift, ...]

    @property
    def same(self) -> bool:
        """Whether encoding the text gives the ids."""
        return not self.drifts

    @property
    def changed(self) -> int:
        """How many ids of the list are not canonical; at least one for each stretch that differs."""
        return sum(max(1, each.end - each.start) for each in self.drifts)

    def record(self) -> Record:
        """As plain values."""
        drifts = [each._asdict() | {"text": each.text.decode("utf-8", "replace")} for each in self.drifts]
        return self._asdict() | {"drifts": drifts}


def changed_say(found: IdsAgain) -> Say:
    """How many ids of a list are not canonical."""
    if found.same:
        return Say("Encoding the text gives these ids again.")
    return Say("{0} of {1:t} is not canonical: encoding the text gives others.", found.changed,
               plural(len(found.ids), "id"),
               many="{0} of {1:t} are not canonical: encoding the text gives others.")  # fmt: skip


def stages_say(found: IdsAgain) -> Say:
    """Which stages make the ids differ."""
    stages = Counter(each.stage for each in found.drifts)
    return Say("Changed by {0:t}.", ", ".join(f"{name} in {plural(count, 'stretch', 'stretches')}"
                                                 for name, count in stages.most_common()))  # fmt: skip


@dataclass
class DriftTotals:
    """Sums over many lists. lists, ids: how many; drifting: lists that differ. stages: stretches by their stage."""

    lists: int = 0
    drifting: int = 0
    ids: int = 0
    changed: int = 0
    stages: Counter[str] = field(default_factory=Counter)

    def add(self, found: IdsAgain) -> None:
        """Counts a list."""
        self.lists += 1
        self.drifting += not found.same
        self.ids += len(found.ids)
        self.changed += found.changed
        self.stages.update(each.stage for each in found.drifts)

    @property
    def rate(self) -> float:
        """How many of 1,000 ids are not canonical."""
        return PER * self.changed / self.ids if self.ids else 0.0

    def record(self) -> Record:
        """As plain values."""
        return picked(self, "lists", "drifting", "ids", "changed") | {
            "per_1000": self.rate,
            "stages": dict(self.stages),
        }


def drifts(tokenizer: Opened, lines: Iterable[Line]) -> Iterator[tuple[Line, IdsAgain]]:
    """The same for the id lists of files, one list a line; empty lines are left out.

    >>> import explorer
    >>> lines = [Line("x", 1, "[464, 318]"), Line("x", 2, "25 1003")]
    >>> [found.same for _, found in drifts(explorer.load("gpt-2"), lines)]
    [True, False]
    """
    for line in lines:
        if not line.text.strip():
            continue
        try:
            yield line, ids_again(tokenizer, read_ids(line.text))
        except InputError as error:
            raise InputError(f"{line.location}: {error}") from None


def ids_again(tokenizer: Opened, ids: Sequence[int]) -> IdsAgain:
    """Decodes ids and encodes their text. Raises InputError for an id outside the vocabulary.

    >>> import explorer
    >>> found = ids_again(explorer.load("gpt-2"), [5450, 25, 1003])
    >>> found.text, found.canonical, found.drifts[0][:4], found.drifts[0].stage
    ('https://', (5450, 1378), (1, 3, (25, 1003), (1378,)), 'model')
    """
    ids = tuple(ids)
    with many_runs("a round trip", len(ids)) as budget:
        front, back = added(tokenizer, ids)
        inner = ids[len(front) : len(ids) - len(back)]
        decoded = tokenizer.trace_decode(inner, remove_special=False)
        budget.grow(6 * len(decoded.text))
        again = tokenizer.encode(decoded.text, add_special=False).ids
        canonical = (*front, *again, *back)
        if canonical == ids:
            return IdsAgain(ids, decoded.text, canonical, ())
        search = _Stages(tokenizer, inner, decoded)
        found = []
        for part in stretches(inner, again, contents=lambda some: contents(tokenizer, some, remove_special=False)):
            if part.same:
                continue
            one, other = part.expected, part.given
            given, instead = inner[one.start : one.stop], tuple(again[other.start : other.stop])
            text = b"".join(decoded.parts[one.start : one.stop])
            stage = search.stage(one.start, one.stop, instead)
            shift = len(front)
            found.append(Drift(one.start + shift, one.stop + shift, given, instead, text, stage))
        return IdsAgain(ids, decoded.text, canonical, tuple(found))


def added(tokenizer: Opened, ids: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which ids at both ends are those that encoding adds around a text."""
    front, back = added_around(tokenizer)
    if tuple(ids[: len(front)]) != front:
        front = ()
    if len(ids) < len(front) + len(back) or tuple(ids[len(ids) - len(back) :]) != back:
        back = ()
    return front, back


class _Stages:
    """Which stage makes a stretch of ids differ."""

    def __init__(self, tokenizer: Opened, ids: Sequence[int], decoded: DecodeTrace) -> None:
        self.ids, self.text = ids, decoded.text
        self.kinds = tokenizer.vocabulary.kinds
        self.is_text = is_utf8(decoded.data)
        self.tokens = tokens_on_bytes(tokenizer, ids, decoded.parts)
        self.trace: Trace = tokenizer.trace_lazily(decoded.text, add_special=False)
        again = tokenizer.trace_decode(self.trace.ids, remove_special=False)
        self.lost = {each.at: each.stage for each in losses(self.trace, again, tokenizer.vocabulary).lost}
        model = [stage.name for stage in self.trace.stages].index(MODEL)
        self.before_model = self.trace.stages[:model]
        self.cuts = [sorted({end_of(item) for item in stage.after}) for stage in self.before_model]

    def stage(self, start: int, end: int, canonical: Sequence[int]) -> str:
        """The stage that makes the ids [start, end) differ."""
        tokens = self.tokens[start:end]
        if not self.is_text and any("\ufffd" in self.text[token.start : token.end] for token in tokens):
            return DECODE
        if any(self.kinds[id] in SPECIAL for id in (*self.ids[start:end], *canonical)):
            return self.trace.stages[0].name
        for token in tokens:
            for at in range(token.start, token.end):
                if at in self.lost:
                    return self.lost[at]
        for stage, cuts in zip(self.before_model, self.cuts, strict=True):
            if any(bisect_right(cuts, token.start) < bisect_left(cuts, token.end) for token in tokens):
                return stage.name
        # the stage that puts a space in front of the text
        adding = (stage.name for stage in self.before_model if leading(stage.after) > leading(stage.before))
        return next(adding, MODEL) if start == 0 else MODEL


SPECIAL = frozenset({PieceKind.CONTROL, PieceKind.USER_DEFINED})
"""The kinds of tokens that are found in the text before the model runs."""


def leading(items: Items) -> int:
    """How many spaces the first item begins with, however they are spelled."""
    text = items[0].text if items and isinstance(items[0], Segment) else ""
    return len(text) - len(text.lstrip(f" Ġ{SPACE_MARK}"))


def end_of(item: Item) -> int:
    """Where an item ends in the text; -1 for one that is not from it."""
    if isinstance(item, Segment):
        return item.ends[-1] if item.text else -1
    return item.end


class Failure(NamedTuple):
    """A line that does not come back: what it becomes, what was lost and what was inserted.

    lacking: of the text that the model drops, what has no piece, by where it begins: its bytes, or the text itself.
    """

    line: Line
    decoded: str
    lost: tuple[Loss, ...]
    added: tuple[Insertion, ...]
    lacking: Mapping[int, str] = {}  # never changed

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that changed it, each once."""
        return tuple(dict.fromkeys([*(each.stage for each in self.lost), *(each.stage for each in self.added)]))

    def record(self) -> Record:
        """The failure as plain values. Offsets are code points of the line, from 0."""
        return {
            "file": self.line.file,
            "line": self.line.number,
            "text": self.line.text,
            "decoded": self.decoded,
            **plain_values(picked(self, "stages", "lost", "added")),
        }


def round_trips(
    tokenizer: Opened,
    lines: Iterable[Line],
    options: Options = Options(),  # noqa: B008  # immutable
) -> Iterator[Failure | None]:
    """For each line its failure, or None if it comes back unchanged.

    >>> import explorer
    >>> lines = [Line("x", 1, "plain"), Line("x", 2, "A 😊")]
    >>> [each and each.stages for each in round_trips(explorer.load("bert-uncased"), lines)]
    [None, ('normalize', 'model')]
    """
    for line in lines:
        try:
            with many_runs("a round trip", len(line.text)):
                found = failure_of(tokenizer, line, options)
            yield found
        except InputError as error:
            raise InputError(f"{line.location}: {error}") from None


def failure_of(tokenizer: Opened, line: Line, options: Options) -> Failure | None:
    """The failure of one line, or None if it comes back unchanged."""
    if tokenizer.decode(tokenizer.encode(line.text, **options._asdict()).ids) == line.text:
        return None
    trace = tokenizer.trace(line.text, **options._asdict())
    decoded = tokenizer.trace_decode(trace.ids)
    found = losses(trace, decoded, tokenizer.vocabulary)
    spelling = spelling_of(tokenizer)
    dropped = {
        each.start: line.text[each.start : each.end] for each in found.lost if each.stage == MODEL and not each.became
    }
    return Failure(
        line, decoded.text, *found, {at: clause for at, text in dropped.items() if (clause := lacks(spelling, text))}
    )


def lacks(spelling: Spelling, text: str) -> str:
    """What of a text has no piece: its bytes where pieces spell bytes, else itself; empty where all has one."""
    if spelling.how != How.PRINTABLE:
        return "" if spelling.holds(text.encode()) else "it"
    lacking = [byte for byte in text.encode() if not spelling.holds(bytes([byte]))]
    return f"{'bytes' if len(lacking) > 1 else 'byte'} {' '.join(f'{each:02X}' for each in lacking)}" if lacking else ""


def sentences(failure: Failure) -> Iterator[str]:
    """What happened to the line, one sentence per stretch.

    >>> import explorer
    >>> failure = failure_of(explorer.load("bert-uncased"), Line("x", 1, "É 😊"), Options())
    >>> list(sentences(failure)) if failure else ""
    ['normalize, character 1: “É” becomes “e”', 'model, character 3: “😊” becomes “[UNK]”']
    """
    text = failure.line.text
    for stage, start, end, became in dict.fromkeys(each[1:] for each in failure.lost):
        at, before = where(Span(start, end), len(text)), text[start:end]
        if not became:
            why = (
                f", because the vocabulary has no piece for {failure.lacking[start]}"
                if start in failure.lacking
                else ""
            )
            yield f"{stage}, {at}: “{shortened(before)}” is dropped{why}"
        elif looks_same(before, became):
            # in quotes both would look alike
            yield f"{stage}, {at}: {points(before)} becomes {points(became)}"
        else:
            yield f"{stage}, {at}: “{shortened(before)}” becomes “{shortened(became)}”"
    for stage, size, start, first in failure.added:
        more = f" and {size - 1} more" if size > 1 else ""
        yield f"{stage}, {where(Span(start, start), len(text))}: “{visible(first)}”{more} inserted"
