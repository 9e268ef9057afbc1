r"""A run, its text after each stage, and the event of a stage that is about a span of the text or output a token.

A `Run` is a tokenizer, a text and the trace of tokenizing it, with a label for sentences. Comparisons are between runs
on the same original text. A run may replace escapes first (`\\n` by a line feed). Its stages then work on another text,
but its positions still refer to the original text, with the escapes.

The text after a stage is in plain characters, so that two tokenizers can be compared however each spells it. A space
written ▁ and bytes written as printable characters are turned back. Each character keeps its span of the original text
and the index of its item. Where a tokenizer spells spaces as ▁, a ▁ is a space unless the original has a ▁ there; where
it doesn't, a ▁ that a normalizer inserts is the character ▁. Characters of special tokens are left out.

The stages are partition, normalize and pre-tokenize. A tokenizer may lack one (its state is then that of the stage
before) or have one twice (Hugging Face searches for some added tokens after normalization).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from explorer.analysis.ownership import Span
from explorer.engine.part import Item, Items, Options, Segment, TextTokens, Token, initial_items, run_through, silent
from explorer.engine.pre_tokenizers.by_regex import ByteLevel
from explorer.engine.tokenizer import Encoding, Trace
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import How, Spelling, implementation_title, spelling_of
from explorer.stages.stage import Sought
from explorer.stages.table import kind_of
from explorer.text import clean, escapes, unescape
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


def plain(items: Items, original: str, printable: bool, escaped: bool, hidden: bytearray) -> Plain:
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
    >>> from explorer.analysis.divergence.states import run
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
        name: plain(items[end], text, end > 0 and spelling.printable[end - 1], escaped, hidden)
        for name, end in ends.items()
    }


def continued(side: States, other: States, name: str) -> dict[str, Plain]:
    """The texts of a side if it continued with the other side's output of the stage `name`.

    The plain texts of the stages up to `name` are the other side's. Special tokens are kept as they are.

    >>> import explorer
    >>> from explorer.analysis.divergence.states import run
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
    >>> from explorer.analysis.divergence.states import run
    >>> text_after(states(run(explorer.load("bert-uncased"), "")), "normalize", "É")
    'e'
    """
    end = side.ends[name]
    parts = [stage.part for stage in side.run.trace.stages[:end]]
    items = run_through(parts, initial_items(text), Options(add_special=False, parse_special=False))
    printable = end > 0 and side.spelling.printable[end - 1]
    return plain(items, text, printable, side.spelling.how == How.ESCAPED, bytearray(len(text))).text


def respelled(item: Item, text: str, printable: bool, escapes: bool, into_escaped: bool) -> Item:
    """A segment in plain characters, or with ▁ for spaces; a token unchanged."""
    if isinstance(item, Token):
        return item
    written = plain([item], text, printable, escapes, bytearray(len(text)))
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
