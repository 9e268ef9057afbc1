"""A run: a tokenizer, a text and the trace of tokenizing it, with a label for sentences.

Comparisons are between runs on the same original text. A run may replace escapes first (`\\n` by a line feed). Its
stages then work on another text, but its positions still refer to the original text, with the escapes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

from explorer.engine.items import Item, Segment, Token
from explorer.engine.part import Options
from explorer.engine.tokenizer import Encoding, Trace
from explorer.implementations.opened import Opened
from explorer.stages.spelling import implementation_title
from explorer.text import clean, escapes, unescape


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
