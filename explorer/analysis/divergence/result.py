r"""Two runs, the text after each of their stages, and the result of their comparison: every difference with its kind,
its stage and its cause, and the answer to "where do they part?" in two sentences: what each side does there, and what
follows.

A `Run` is a tokenizer, a text and the trace of tokenizing it, with a label for sentences. Comparisons are between runs
on the same original text. A run may replace escapes first (`\\n` by a line feed). Its stages then work on another text,
but its positions still refer to the original text, with the escapes.

The text after a stage is in plain characters, so that two tokenizers can be compared however each spells it. A space
written ▁ and bytes written as printable characters are turned back. Each character keeps its span of the original text
and the index of its item. Where a tokenizer spells spaces as ▁, a ▁ is a space unless the original has a ▁ there; where
it doesn't, a ▁ that a normalizer inserts is the character ▁. Characters of special tokens are left out.

The stages are partition, normalize and pre-tokenize. A tokenizer may lack one (its state is then that of the stage
before) or have one twice (Hugging Face searches for some added tokens after normalization).

Every difference has exactly one kind. In the answer names come first, then what they do, and a space is a ·; positions
and rules are in the downloads and the panels.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from explorer.analysis.ownership import Span
from explorer.engine.part import Item, Items, Options, Segment, TextTokens, Token, initial_items, run_through, silent
from explorer.engine.pre_tokenizers.by_regex import ByteLevel
from explorer.engine.tokenizer import Encoding, Trace
from explorer.errors import InputError
from explorer.hooks import show as shown
from explorer.implementations.opened import Opened
from explorer.stages.spelling import How, Spelling, implementation_title, spelling_of
from explorer.stages.stage import Sought
from explorer.stages.table import kind_of
from explorer.tables import read_toml
from explorer.text import clean, escapes, facts, unescape
from explorer.text.say import Say, Text, dotted, in_a_row, paragraph, plain, plural, worded
from explorer.vocabulary import SPACE_MARK, bytes_of


@dataclass(frozen=True, slots=True)
class Run:
    """One tokenizer on one text.

    text: the original, which all positions refer to. trace: of `read`, with positions in `text`. label: the run's name.
    words: how a sentence about it begins, if not with the label.
    """

    tokenizer: Opened
    text: str
    trace: Trace
    label: str
    words: str = ""

    @property
    def subject(self) -> str:
        """How a sentence about it begins."""
        return self.words or self.label

    @property
    def read(self) -> str:
        """The text that the tokenizer got: the original, or with its escapes replaced."""
        return self.trace.text

    @property
    def ids(self) -> list[int]:
        """The ids."""
        return self.trace.ids

    @property
    def encoding(self) -> Encoding:
        """The tokens."""
        return self.trace.encoding

    @property
    def options(self) -> Options:
        """The options of the call."""
        return self.trace.options

    def in_read(self, at: int) -> int:
        """The position in `read` for a position in `text`. Events count in `read`."""
        if self.read == self.text:
            return at
        ends, shorter = shifts(self.text)
        return at - shorter[bisect_right(ends, at)]


def run(
    tokenizer: Opened,
    text: str,
    label: str = "",
    *,
    words: str = "",
    add_special: bool = True,
    parse_special: bool = True,
    read_escapes: bool = False,
    like: Trace | None = None,
) -> Run:
    """Traces a text. Raises InputError for an unusable text. like: as for `Tokenizer.trace_lazily`.

    >>> import explorer
    >>> run(explorer.load("gpt-2"), "\\\\n", read_escapes=True).encoding.tokens
    (Token(id=198, start=0, end=2),)
    """
    text = clean(text)
    read = unescape(text) if read_escapes else text
    trace = tokenizer.trace_lazily(read, add_special=add_special, parse_special=parse_special, like=like)
    if read_escapes:
        trace = as_typed(trace, text)
    return Run(tokenizer, text, trace, label or tokenizer.name, words)


def runs(
    tokenizers: Sequence[Opened], text: str, *, add_special: bool = True, parse_special: bool = True
) -> tuple[Run, ...]:
    """Several tokenizers on one text, each with a unique label."""
    return tuple(
        run(tokenizer, text, label, add_special=add_special, parse_special=parse_special)
        for tokenizer, label in zip(tokenizers, labels(tokenizers), strict=True)
    )


def labels(tokenizers: Sequence[Opened], titles: Mapping[str, str] = {}) -> tuple[str, ...]:
    """Unique labels for several tokenizers: names if they differ, else implementations, else numbers.

    titles: what to call a tokenizer instead of its name.

    >>> import explorer
    >>> from explorer.implementations.opened import with_pattern
    >>> labels([explorer.load("gpt-2"), with_pattern(explorer.load("gpt-2"), ".")])
    ('gpt-2', 'gpt-2 with the pattern')
    >>> labels([explorer.load(spec) for spec in ("qwen2.5", "qwen2.5@llama.cpp")])
    ('Hugging Face', 'llama.cpp')
    >>> labels([explorer.load(spec) for spec in ("gpt-2", "gpt-2@llama.cpp", "cl100k_base", "cl100k_base")])
    ('gpt-2 (Hugging Face)', 'gpt-2 (llama.cpp)', 'cl100k_base (1)', 'cl100k_base (2)')
    """
    own = {(tokenizer.name, tokenizer.implementation) for tokenizer in tokenizers if not tokenizer.origin.patterns}

    def called(tokenizer: Opened) -> str:
        """The name, marked if the same tokenizer also occurs without its custom pattern."""
        known = tokenizer.origin.patterns and (tokenizer.name, tokenizer.implementation) in own
        name = titles.get(tokenizer.name, tokenizer.name)
        return f"{name} with the pattern" if known else name

    names = Counter(map(called, tokenizers))
    both = Counter((called(tokenizer), tokenizer.implementation) for tokenizer in tokenizers)
    seen: Counter[tuple[str, str]] = Counter()
    unique = []
    for tokenizer in tokenizers:
        name, key = called(tokenizer), (called(tokenizer), tokenizer.implementation)
        title = implementation_title(tokenizer.implementation)
        seen[key] += 1
        if both[key] > 1:
            unique.append(f"{name} ({seen[key]})")
        elif names[name] == 1:
            unique.append(name)
        else:
            unique.append(title if len(names) == 1 == max(both.values()) else f"{name} ({title})")
    return tuple(unique)


@lru_cache(maxsize=2)
def shifts(typed: str) -> tuple[list[int], list[int]]:
    """Where the escapes of a text end, and by how many characters the text is shorter after each, from none on.

    >>> shifts("a\\\\nb\\\\u00e9")
    ([3, 10], [0, 1, 6])
    """
    found = list(escapes(typed))
    return [end for _, end, _ in found], [0, *accumulate(end - start - 1 for start, end, _ in found)]


def as_typed(trace: Trace, typed: str) -> Trace:
    """The trace of `unescape(typed)` with positions in `typed`: an escape's character has the span of the escape.

    Its events still count in the unescaped text.
    """
    starts, ends = array("i"), array("i")
    at = 0
    for start, end, _ in escapes(typed):
        starts.extend((*range(at, start), start))
        ends.extend((*range(at + 1, start + 1), end))
        at = end
    starts.extend(range(at, len(typed) + 1))
    ends.extend(range(at + 1, len(typed) + 1))

    def placed(start: int, end: int) -> tuple[int, int]:
        if start < 0:
            return start, end
        return starts[start], ends[end - 1] if end > start else starts[start]

    def moved(item: Item) -> Item:
        if isinstance(item, Token):
            return Token(item.id, *placed(item.start, item.end))
        spans = [placed(*span) for span in zip(item.starts, item.ends, strict=True)]
        return Segment(item.text, array("i", [a for a, _ in spans]), array("i", [b for _, b in spans]))

    stages = tuple(
        replace(stage, before=tuple(map(moved, stage.before)), after=tuple(map(moved, stage.after)))
        for stage in trace.stages
    )
    tokens = [Token(id, *placed(start, end)) for id, start, end in trace.encoding.tokens]
    return Trace(
        trace.text, trace.options, stages, Encoding.of(tokens, trace.encoding.vocabulary, trace.encoding.bytes_of)
    )


class Plain(NamedTuple):
    """A text in plain characters: for each the span of the original it comes from and the index of its item."""

    text: str
    starts: list[int]
    ends: list[int]
    items: list[int]
    reached: list[int]
    """The largest start so far: ascending, so it can be searched even where marks were reordered."""

    specials: tuple[int, ...] = ()
    """Where the special tokens begin whose characters are left out, ascending."""

    @classmethod
    def of_characters(
        cls,
        text: str,
        starts: Sequence[int],
        ends: Sequence[int],
        items: Sequence[int] | None = None,
        specials: tuple[int, ...] = (),
    ) -> Plain:
        """Characters with their spans and items; all in item 0 if `items` is None.

        >>> Plain.of_characters("ab", [0, 1], [1, 2]).reached
        [0, 1]
        """
        numbers = [0] * len(text) if items is None else list(items)
        return cls(text, list(starts), list(ends), numbers, list(accumulate(starts, max)), specials)

    def within(self, start: int, end: int) -> slice:
        """The characters that begin in [start, end) of the original, those inserted at `start` included."""
        return slice(bisect_left(self.reached, start), bisect_left(self.reached, end))

    def of(self, start: int, end: int) -> str:
        """The text of the characters that begin in [start, end) of the original."""
        return self.text[self.within(start, end)]

    def index_at(self, position: int) -> int:
        """The first character that begins at a position of the original or after it."""
        return bisect_left(self.reached, position)

    def piece(self, index: int) -> slice:
        """The characters of the item that a character is in; empty outside the text."""
        if not 0 <= index < len(self.text):
            return slice(0, 0)
        number = self.items[index]
        return slice(bisect_left(self.items, number), bisect_right(self.items, number))

    def pieces_at(self, position: int) -> tuple[int, int]:
        """The span of the original covered by the pieces that touch a position."""
        index = self.index_at(position)
        pieces = self.piece(index - 1), self.piece(index)
        starts = [start for piece in pieces for start in self.starts[piece]]
        ends = [end for piece in pieces for end in self.ends[piece]]
        return min([position, *starts]), max([position, *ends])

    def begins_piece(self, position: int) -> bool:
        """Whether the first character at a position or after it is the first of its piece."""
        index = self.index_at(position)
        return index == len(self.text) or self.piece(index).start == index


def plain_characters(items: Items, original: str, printable: bool, escaped: bool, hidden: bytearray) -> Plain:
    """The segments among `items` as plain characters, without those whose original character is hidden.

    printable: whether bytes are spelled as printable characters. escaped: whether spaces are spelled as ▁. hidden: per
    character of the original, 1 if it belongs to a special token.
    """
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    numbers: list[int] = []
    hides = any(hidden)
    specials = tuple(item.start for item in items if isinstance(item, Token))
    for number, item in enumerate(items):
        if not isinstance(item, Segment):
            continue
        segment = unspelled(item) if printable else item
        text = segment.text
        if escaped and SPACE_MARK in text:
            text = "".join(
                " " if ch == SPACE_MARK and SPACE_MARK not in original[start:end] else ch
                for ch, start, end in zip(*segment, strict=True)
            )
        if hides:
            kept = [at for at, start in enumerate(segment.starts) if start == segment.ends[at] or not hidden[start]]
            text = "".join(text[at] for at in kept)
            starts += [segment.starts[at] for at in kept]
            ends += [segment.ends[at] for at in kept]
        else:
            starts += segment.starts
            ends += segment.ends
        texts.append(text)
        numbers += [number] * len(text)
    return Plain.of_characters("".join(texts), starts, ends, numbers, specials)


def unspelled(segment: Segment) -> Segment:
    """A segment spelled in printable characters as the text they spell; unchanged if they spell none."""
    data = bytes_of(segment.text)
    try:
        text = data.decode() if data is not None else segment.text
    except UnicodeDecodeError:
        text = segment.text
    if len(text) == len(segment.text):
        return segment._replace(text=text)
    starts, ends, at = [], [], 0
    for ch in text:
        after = at + len(ch.encode())
        starts.append(segment.starts[at])
        ends.append(segment.ends[after - 1])
        at = after
    return Segment(text, starts, ends)


PARTITION = "partition"
NORMALIZE = "normalize"
PRE_TOKENIZE = "pre-tokenize"
MODEL = "model"
POST_PROCESS = "post-process"
TEXT = "text"
"""Not a stage: what happens to a text before a tokenizer sees it (escapes)."""

TEXT_STAGES = (PARTITION, NORMALIZE, PRE_TOKENIZE)
"""The stages whose output is text, in order."""

TRUNCATE = "truncate"
PAD = "pad"

ORDER = (TEXT, *TEXT_STAGES, MODEL, TRUNCATE, POST_PROCESS, PAD)
"""All stages in pipeline order."""


class States(NamedTuple):
    """A run's text after each stage.

    model: the index of the model's stage. specials: the tokens found before it runs. tokens: all tokens after it. ends:
    per stage of TEXT_STAGES how many parts belong to it or an earlier one. last: the index of its last occurrence in
    the trace, None if the tokenizer lacks it.
    """

    run: Run
    spelling: Spelling
    model: int
    specials: TextTokens
    tokens: TextTokens
    ends: dict[str, int]
    last: dict[str, int | None]
    plain: dict[str, Plain]

    @property
    def before_model(self) -> Plain:
        """The model's input."""
        return self.plain[PRE_TOKENIZE]


def states(run: Run) -> States:
    """The states of a run.

    >>> import explorer
    >>> from explorer.analysis.divergence.result import run
    >>> [states(run(explorer.load(name), "A é")).before_model.text for name in ("llama-2", "gpt-2", "bert-uncased")]
    [' A é', 'A é', 'ae']
    """
    stages = run.trace.stages
    model = [stage.name for stage in stages].index(MODEL)
    spelling = spelling_of(run.tokenizer)
    specials = tuple(item for item in stages[model].before if isinstance(item, Token))
    names, outputs = [stage.name for stage in stages[:model]], [stage.after for stage in stages[:model]]
    tokens = tuple(item for item in stages[model].after if isinstance(item, Token))
    ends = ends_of(names)
    last = {
        name: max((index for index in range(end) if names[index] == name), default=None) for name, end in ends.items()
    }
    texts = plain_texts(ends, [stages[0].before, *outputs], run.text, spelling)
    return States(run, spelling, model, specials, tokens, ends, last, texts)


def ends_of(names: Sequence[str]) -> dict[str, int]:
    """How many of the parts before the model belong to each stage of TEXT_STAGES or an earlier one.

    >>> ends_of(["partition", "normalize", "partition"])
    {'partition': 1, 'normalize': 3, 'pre-tokenize': 3}
    """
    ends, at = {}, 0
    for number, name in enumerate(TEXT_STAGES):
        later = TEXT_STAGES[number + 1 :]
        while at < len(names) and names[at] not in later:
            at += 1
        ends[name] = at
    return ends


def plain_texts(ends: Mapping[str, int], items: Sequence[Items], text: str, spelling: Spelling) -> dict[str, Plain]:
    """The plain text after each of TEXT_STAGES. items: the input of the first part, and each part's output."""
    hidden = bytearray(len(text))
    for item in items[-1]:
        if isinstance(item, Token):
            hidden[item.start : item.end] = b"\1" * (item.end - item.start)
    escaped = spelling.how == How.ESCAPED
    return {
        name: plain_characters(items[end], text, end > 0 and spelling.printable[end - 1], escaped, hidden)
        for name, end in ends.items()
    }


def continued(side: States, other: States, name: str) -> dict[str, Plain]:
    """The texts of a side if it continued with the other side's output of the stage `name`.

    The plain texts of the stages up to `name` are the other side's. Special tokens are kept as they are.

    >>> import explorer
    >>> from explorer.analysis.divergence.result import run
    >>> bert, gpt2 = (states(run(explorer.load(name), "É a")) for name in ("bert-uncased", "gpt-2"))
    >>> continued(gpt2, bert, "normalize")["pre-tokenize"].text
    'e a'
    """
    texts = plain_texts(side.ends, continued_items(side, other, name), side.run.text, side.spelling)
    return other.plain | {later: texts[later] for later in TEXT_STAGES[TEXT_STAGES.index(name) + 1 :]}


def continued_items(side: States, other: States, name: str) -> list[Items]:
    """The same as items: what a side's stages get, and its model at the end."""
    upto, end, theirs = side.ends[name], other.ends[name], other.run.trace.stages
    exchanged: Items = theirs[end - 1].after if end else theirs[0].before
    spelled = end > 0 and other.spelling.printable[end - 1]
    spells, escaped = (upto > 0 and each[upto - 1] for each in (side.spelling.printable, side.spelling.escaped))
    if end or upto:
        escapes = other.spelling.how == How.ESCAPED
        exchanged = [respelled(item, side.run.text, spelled, escapes, escaped) for item in exchanged]
    if spells:
        exchanged = [item if isinstance(item, Token) else ByteLevel().split(item, 0, silent)[0] for item in exchanged]
    items = [exchanged] * (upto + 1)
    for stage in side.run.trace.stages[upto : side.model]:
        items.append(stage.part.run(items[-1], side.run.options, silent))
    return items


def is_decided(left: Run, right: Run, name: str, region: Span, tokens: tuple[int, int]) -> bool | None:
    """Whether a stage decides how many tokens a region has; None where nothing is known.

    The experiment: one side continues with the other's output of the stage, and then gives as many tokens as the other.
    tokens: how many each side gives there.
    """
    sides = (states(left), states(right))
    counts = []
    for number, side in enumerate(sides):
        own = [token for token in side.tokens if is_within(region, token, len(left.text))]
        if len(own) != tokens[number]:
            return None
        try:
            given = continued_items(side, sides[1 - number], name)[-1]
            spans = (item[1:] if isinstance(item, Token) else (min(item.starts), max(item.ends)) for item in given)
            near = [item for item, (first, last) in zip(given, spans, strict=True)
                    if first <= region.end and region.start <= last]  # fmt: skip
            output = side.run.trace.stages[side.model].part.run(near, side.run.options, silent)
        except InputError:
            return None
        counts.append(sum(isinstance(token, Token) and is_within(region, token, len(left.text)) for token in output))
    return counts[0] == tokens[1] or counts[1] == tokens[0]


def is_within(region: Span, token: Token, size: int) -> bool:
    """Whether a token belongs to a region. An insertion belongs to what follows it; at the end, to the last region."""
    start, end = region
    return start <= token.start < end or token.start == token.end == end == size


def text_after(side: States, name: str, text: str) -> str:
    """What a side's stages up to `name` make of another text, in plain characters. Raises InputError as they do.

    >>> import explorer
    >>> from explorer.analysis.divergence.result import run
    >>> text_after(states(run(explorer.load("bert-uncased"), "")), "normalize", "É")
    'e'
    """
    end = side.ends[name]
    parts = [stage.part for stage in side.run.trace.stages[:end]]
    items = run_through(parts, initial_items(text), Options(add_special=False, parse_special=False))
    printable = end > 0 and side.spelling.printable[end - 1]
    return plain_characters(items, text, printable, side.spelling.how == How.ESCAPED, bytearray(len(text))).text


def respelled(item: Item, text: str, printable: bool, escapes: bool, into_escaped: bool) -> Item:
    """A segment in plain characters, or with ▁ for spaces; a token unchanged."""
    if isinstance(item, Token):
        return item
    written = plain_characters([item], text, printable, escapes, bytearray(len(text)))
    return Segment(
        written.text.replace(" ", SPACE_MARK) if into_escaped else written.text,
        written.starts,
        written.ends,
    )


class TextEvents:
    """Finds events by span in a stage that cuts or changes text."""

    def __init__(self, side: States, number: int) -> None:
        stage = side.run.trace.stages[number]
        self.side, self.finder = side, kind_of(stage).finder(stage)

    def find(self, start: int, end: int, code_points: str = "", token: int | None = None) -> int | None:
        """The event about [start, end) of the original; None if no event is about it.

        code_points: the characters at the span before and after the stage. token: the special token that differs.
        """
        read = self.side.run.in_read(start), self.side.run.in_read(end)
        return self.finder.find(Sought(start, end, read, code_points, token))


SAYS: Mapping[str, str] = read_toml(__file__, "words.toml")


class DifferenceKind(StrEnum):
    """Why two tokenizers give different ids. The value is its name in tables and exports."""

    SAME = "same ids"
    ESCAPES = "escapes"
    SPECIAL_TOKEN = "special token"
    SWALLOWED = "swallowed white space"
    COMPOSITION = "composition"
    EQUIVALENT = "canonical equivalent"
    ORDER_OF_MARKS = "order of marks"
    DECOMPOSITION = "decomposition"
    FIRST_CODE_POINT = "first of a decomposition"
    COMPATIBILITY = "compatibility form"
    MARKS = "marks dropped"
    CASE = "case"
    WHITE_SPACE = "white space"
    REMOVED = "removed"
    INSERTED = "inserted"
    REPLACED = "replaced"
    PREFIX_SPACE = "prefix space"
    PRE_TOKEN = "pre-token cut"
    WHOLE_PIECE = "whole piece"
    UNKNOWN = "unknown or byte fallback"
    WORD_LENGTH = "length of a word"
    UNUSED_PIECE = "unused piece"
    MERGE_ORDER = "merge order"
    BEST_PATH = "best path"
    ALGORITHM = "model algorithm"
    OTHER_PIECES = "other pieces"
    OTHER_IDS = "other ids"
    TRUNCATED = "truncation"
    ADDED_TOKENS = "added tokens"
    PADDED = "padding"

    @property
    def says(self) -> str:
        """What it is, in a sentence."""
        return SAYS[self]


NAMED = 12
"""The most code points of a difference that are listed with their names."""


TokenRanges = tuple[range, range]
"""For each side the tokens of a region, as indices into the model's output."""

UNSAID = Say("")
BY_SPAN = -1
"""Instead of an event: the one about the span of the difference, not looked up yet."""


class Side(NamedTuple):
    """One side of a difference.

    stage: the index of the stage in that side's trace, None if it has no such stage. text: that stage's output at the
    difference; is_plain: whether these are the characters there, and not a list of pieces. says: a clause that follows
    this side's name. event: the index of the stage's event at which the difference begins, None if no event is about
    it. tokens: its tokens in the region. brief: the clause without the rule behind it, where it has one.
    """

    stage: int | None
    text: str
    says: Say
    event: int | None = BY_SPAN
    tokens: TextTokens = ()
    is_plain: bool = False
    brief: Say | None = None

    @property
    def does(self) -> str:
        """The clause as plain text."""
        return plain(self.says)

    @property
    def points(self) -> tuple[str, ...]:
        """The first code points of the text, each as label and name; none for a list of pieces."""
        return tuple(f"{each.label} {each.name}" for each in map(facts, self.text[:NAMED])) if self.is_plain else ()


class Divergence(NamedTuple):
    """A difference between two runs, and why.

    stage: the name of the first stage whose output differs. spot: where that stage's output differs. region: where the
    ids differ; the spot, where they don't. Both are in code points of the original text. token: the special token that
    differs.
    """

    stage: str
    kind: DifferenceKind
    spot: Span
    region: Span
    left: Side
    right: Side
    token: int | None = None
    say: Say = UNSAID

    @classmethod
    def at(
        cls, stage: str, kind: DifferenceKind, spot: Span, sides: Iterable[Side], token: int | None = None
    ) -> Divergence:
        """A difference whose consequence for the ids is not known yet."""
        left, right = sides
        return cls(stage, kind, spot, spot, left, right, token)

    @property
    def sentence(self) -> str:
        """The stage, the position, and what each side does there."""
        return plain(self.say)


class Place(NamedTuple):
    """A difference as a place in the text. harmless: it changes no id."""

    difference: Divergence
    harmless: bool

    @property
    def only_ids(self) -> bool:
        """Whether both sides cut the text alike there, and only the numbers differ."""
        return self.difference.kind == DifferenceKind.OTHER_IDS


class Harmless(NamedTuple):
    """Differences of one kind at one stage that change no id: the first of them, and how many."""

    first: Divergence
    times: int


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two runs on one text.

    divergences: every region in which the ids differ, in the order of the text. harmless: differences between stages
    that change no id, by stage and kind.
    """

    left: Run
    right: Run
    divergences: tuple[Divergence, ...]
    harmless: tuple[Harmless, ...]

    @property
    def sides(self) -> tuple[Run, Run]:
        """Both runs."""
        return self.left, self.right

    @property
    def same(self) -> bool:
        """Whether both sides give the same ids."""
        return not self.divergences

    @cached_property
    def first(self) -> Divergence | None:
        """The divergence at the earliest stage, the first in the text among several; None if the ids are the same.

        Different numbering alone comes last: a position where the sides split differently says more.
        """
        return min(
            self.divergences,
            key=lambda each: (
                ORDER.index(MODEL if each.kind == DifferenceKind.OTHER_IDS else each.stage),
                each.kind == DifferenceKind.OTHER_IDS,
                each.region.start,
            ),
            default=None,
        )

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every difference in the order of the text, and of those that change no id one for each stage and kind."""
        found = [Place(each, False) for each in self.divergences] + [Place(each.first, True) for each in self.harmless]
        return tuple(sorted(found, key=lambda place: (place.difference.region, place.harmless)))

    @property
    def first_place(self) -> int | None:
        """The number of the first divergence among the places; else of the first of all; None if nothing differs."""
        first = self.first or (self.places[0].difference if self.places else None)
        return next((number for number, place in enumerate(self.places) if place.difference is first), None)

    @property
    def kind(self) -> DifferenceKind:
        """The kind of the first divergence."""
        return self.first.kind if self.first else DifferenceKind.SAME

    @property
    def say(self) -> Say:
        """The result in one sentence."""
        if self.first:
            return self.first.say
        labels, ids = (self.left.label, self.right.label), plural(len(self.left.ids), "id")
        return Say("No difference: {0:t} and {1:t} give the same {2:t}.", *labels, ids)

    @property
    def sentence(self) -> str:
        """The same as plain text."""
        return plain(self.say)

    def show(self, **asked: Any) -> Any:
        """Both sides, and the steps where they part, as a page that plays in a notebook.

        place: the number of the place that is shown first, from 1. The rest as in `explorer.saved.explore.Shown`.
        """
        return shown("comparison", self, **asked)

    def _repr_html_(self) -> str:
        """The result and both sides' tokens, for notebooks; tokens that differ have a thick border."""
        from explorer.notebook import comparison_html

        halves = [(each.left, each.right) for each in self.divergences]
        sides = []
        for number, run in enumerate(self.sides):
            differing = {token for pair in halves for token in pair[number].tokens}
            indices = {index for index, token in enumerate(run.encoding.tokens) if token in differing}
            sides.append((run.label, run.encoding, indices))
        others = [each.sentence for each in self.divergences if each is not self.first]
        return comparison_html(self.sentence, sides, others[:NAMED])


def where(span: Span, size: int) -> str:
    """A span in words, counted from 1.

    >>> where(Span(0, 1), 9), where(Span(2, 5), 9), where(Span(4, 4), 9), where(Span(9, 9), 9)
    ('character 1', 'characters 3 to 5', 'before character 5', 'at the end')
    """
    start, end = span
    if start == end:
        return Text("at the end") if start == size else Text("before character {0:i}", start + 1)
    if end - start == 1:
        return Text("character {0:i}", end)
    return Text("characters {0:i} to {1:i}", start + 1, end)


def numbered_span(span: Span) -> str:
    """A span for a table, counted from 1.

    >>> numbered_span(Span(2, 5)), numbered_span(Span(0, 0))
    ('3 to 5', 'before 1')
    """
    return f"{span.start + 1} to {span.end}" if span.start < span.end else f"before {span.start + 1}"


STAGE_NAMES: Mapping[str, str] = {
    PARTITION: "Special tokens",
    NORMALIZE: "Normalize",
    PRE_TOKENIZE: "Pre-tokenize",
}
"""The stages whose differences may change no id, as pages call them."""

ONLY_NUMBERS = Say("Both cut the text the same way. Only the numbers differ.")
NOT_NEEDED = Say("No id depends on it.")


class Headline(NamedTuple):
    """say: what each side does; more: what follows."""

    say: Say
    more: Say


def headline(comparison: Comparison, number: int | None = None) -> Headline:
    """The answer for a whole text, or with `number` for one of its places.

    >>> import explorer
    >>> from explorer.analysis.divergence.comparer import compare
    >>> from explorer.analysis.divergence.result import runs
    >>> from explorer.text.say import plain
    >>> qwen = [explorer.load(spec) for spec in ("qwen2.5", "qwen2.5@llama.cpp")]
    >>> print(*map(plain, headline(compare(*runs(qwen, "A cafe\\u0301")))), sep="\\n")
    Hugging Face composes e + ◌́ to é (NFC). llama.cpp leaves two code points.
    So “·caf...” is 1 token with Hugging Face and 2 tokens with llama.cpp. Everything else gets the same ids.
    """
    if number is not None:
        return at_place(comparison, comparison.places[number])
    if comparison.same:
        return same_ids(comparison)
    first = comparison.first_place
    assert first is not None, "the ids differ"
    if all(place.only_ids for place in comparison.places if not place.harmless):
        count = len(comparison.left.ids)
        differently = Say("Their vocabularies number the same token differently.", count,
                          many="Their vocabularies number the same {0} tokens differently.")  # fmt: skip
        return Headline(ONLY_NUMBERS, differently)
    return at_place(comparison, comparison.places[first])


def same_ids(comparison: Comparison) -> Headline:
    """The answer where no id differs."""
    count = len(comparison.left.ids)
    if not comparison.harmless:
        same = Say("Both give the same id.", count, many="Both give the same {0} ids.")
        return Headline(same, Say("Every stage gives the same."))
    stages = Counter[str]()
    for first, times in comparison.harmless:
        stages[STAGE_NAMES.get(first.stage, first.stage)] += times
    each = "{0:t} differs in {1:t}"
    differs = in_a_row(*(Text(each, worded(name), plural(n, "place")) for name, n in stages.items()),
                       between="{0:t} and {1:t}")  # fmt: skip
    ways = Say(
        "Both give the same id, by different ways.", count, many="Both give the same {0} ids, by different ways."
    )
    return Headline(ways, Say("{0:t}, and no id depends on it.", differs))


def at_place(comparison: Comparison, place: Place) -> Headline:
    """The answer for one place."""
    difference = place.difference
    if place.harmless:
        return Headline(what_sides_do(comparison, difference), NOT_NEEDED)
    text = comparison.left.text[slice(*difference.region)]
    if place.only_ids:
        say = Say("Both cut {0:q} the same way. Only the numbers differ.", dotted(text))
    else:
        say = what_sides_do(comparison, difference)
    more = [each for each in (what_follows(comparison, difference, text), other_places(comparison, place)) if each]
    return Headline(say, paragraph(more))


def what_sides_do(comparison: Comparison, difference: Divergence) -> Say:
    """A sentence for each side."""
    clauses = (clause(comparison.left.text, side) for side in (difference.left, difference.right))
    runs = comparison.sides
    one, other = (Say("{0:t} {1}.", run.subject, said) for run, said in zip(runs, clauses, strict=True))
    return one.then(other)


def clause(text: str, side: Side) -> Say:
    """What a side does, its spaces as · and its marks on a dotted circle."""
    said = side.brief or side.says
    space = "␣" if "␣" in text else "·"
    return said.shown(lambda each: LABEL.sub(marked, each.replace("␣", space)))


LABEL = re.compile(r"\bU\+([0-9A-F]{4,6})\b")


def marked(label: re.Match[str]) -> str:
    """The mark that a label such as U+0301 names, on a dotted circle; other labels stay."""
    ch = chr(int(label[1], 16))
    return f"◌{ch}" if unicodedata.category(ch) == "Mn" else label[0]


def what_follows(comparison: Comparison, difference: Divergence, text: str) -> Say | None:
    """What the difference means for the tokens: “So …” only where an experiment shows that it decides their number."""
    if difference.kind == DifferenceKind.OTHER_IDS:
        return None
    if difference.stage not in TEXT_STAGES or difference.kind == DifferenceKind.PRE_TOKEN or not text:
        return Say(difference.kind.says)
    runs = comparison.sides
    counts = len(difference.left.tokens), len(difference.right.tokens)
    if counts[0] == counts[1]:
        return Say("{0:q} is {1:t} on both sides, with other ids.", dotted(text), plural(counts[0], "token"))
    sides = zip(counts, runs, strict=True)
    one, other = (Say("{0:t} with {1:t}", plural(count, "token"), run.label) for count, run in sides)
    decided = is_decided(*runs, difference.stage, difference.region, counts)
    said = Say("So {0:q} is {1} and {2}." if decided else "{0:q} is {1} and {2}.", dotted(text), one, other)
    if decided is not False:
        return said
    swapped = "An experiment shows another reason: with {0:t} swapped, neither side gives as many as the other."
    return said.then(Say(swapped, worded(STAGE_NAMES[difference.stage])))


def other_places(comparison: Comparison, place: Place) -> Say:
    """What the other places are like."""
    others = [each for each in comparison.places if not each.harmless and each.difference is not place.difference]
    numbers = sum(each.only_ids for each in others)
    if not others:
        return Say("Everything else gets the same ids.")
    if numbers == len(others):
        return Say("At the other place only the numbers differ.", numbers,
                   many="At the other {0} places only the numbers differ.")  # fmt: skip
    more = Say("The ids differ in {0:t}.", plural(len(others), "other place"))
    return more.then(Say("In {0} of them both cut the text the same way.", numbers)) if numbers else more
