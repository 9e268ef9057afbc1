"""A string that remembers where each of its characters comes from.

`TracedText` is a `str`: templates, filters and tests treat it as one. Its methods, operators and slices give traced
strings again, so an origin survives concatenation, `strip`, `split`, `replace`, `join`, case changes, `tojson` and
`safe`. An operation that isn't followed gives a plain `str`, whose origin is unknown; whoever writes it out decides
what to call it. Two integers are stored per character: a source, whose meaning the caller knows, and an offset in it.

The text itself is always what `str` makes of it. Only origins are this module's own.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, SupportsIndex, TypeAlias

from jinja2 import Undefined
from markupsafe import Markup, escape

from explorer.engine import budget
from explorer.prompts.bounds import bounded, bounded_parts, weighed

Numbers: TypeAlias = "array[int]"

UNKNOWN = -1
"""The source of characters that no followed operation produced, and an offset that points at nothing."""


def _split(cut: Callable[..., list[str]]) -> Callable[..., list[Any]]:
    """A method that takes a text apart as one of `str` does."""

    def split(self: TracedText, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[Any]:
        texts = cut(self, sep, maxsplit)
        bounded_parts(len(texts))
        if sep is None:  # runs of white space stand between, and no part is empty
            return self._parts(texts)
        parts, at = [], 0
        for text in texts:
            parts.append(self._part(at, at + len(text)))
            at += len(text) + len(sep)
        return parts

    return split


def _three(cut: Callable[..., tuple[str, str, str]]) -> Callable[..., tuple[Any, Any, Any]]:
    """A method that cuts at a separator as one of `str` does."""

    def partition(self: TracedText, *sep: str) -> tuple[Any, Any, Any]:
        before, middle, _ = map(len, cut(self, *sep))
        return self._part(0, before), self._part(before, before + middle), self._part(before + middle, len(self))

    return partition


def _padded(pad: Callable[..., str]) -> Callable[..., TracedText]:
    """A method that puts characters around a text as one of `str` does."""

    def padded(self: TracedText, *given: Any) -> TracedText:
        text = pad(self, *given)
        before = text.index(self)
        return joined((text[:before], self, text[before + len(self) :]))

    return padded


def _mapped(change: Callable[..., str]) -> Callable[..., TracedText]:
    """A method that changes case as one of `str` does. What a character becomes may be longer, and may depend on those
    around it."""

    def mapped(self: TracedText, *given: Any) -> TracedText:
        text = change(self.plain, *given)
        if len(text) == len(self):
            return TracedText(text, self._sources, self._offsets)
        alone = self.each(change)
        return TracedText(text, *sources_of(alone)) if len(alone) == len(text) else TracedText(text)

    return mapped


class TracedText(str):
    """Text with a source and an offset for each character.

    >>> hello = TracedText.from_source("  hello ", 7)
    >>> (hello.strip() + "!").origins()
    [(7, 2), (7, 3), (7, 4), (7, 5), (7, 6), (-1, -1)]
    """

    _sources: Numbers
    _offsets: Numbers

    def __new__(cls, text: object = "", sources: Numbers | None = None, offsets: Numbers | None = None) -> TracedText:
        """The text with these origins; without them, those of `text`, or unknown ones."""
        self = super().__new__(cls, text)
        if sources is None or offsets is None:
            sources, offsets = sources_of(text) if isinstance(text, str) else _unknown(len(self))
        self._sources, self._offsets = sources, offsets
        return self

    @classmethod
    def from_source(cls, text: str, source: int) -> TracedText:
        """All of a source's text."""
        return cls(text, array("i", [source]) * len(text), array("i", range(len(text))))

    def origins(self) -> list[tuple[int, int]]:
        """(source, offset) of each character."""
        return list(zip(self._sources, self._offsets, strict=True))

    @property
    def plain(self) -> str:
        """The text without origins."""
        return str.__getitem__(self, slice(None))

    def or_computed(self, source: int) -> TracedText:
        """The text, its unknown characters given to a source that computed them."""
        if UNKNOWN not in self._sources:
            return self
        sources = array("i", [source if each == UNKNOWN else each for each in self._sources])
        return TracedText(self, sources, self._offsets)

    def _part(self, start: int, end: int) -> TracedText:
        return TracedText(str.__getitem__(self, slice(start, end)), self._sources[start:end], self._offsets[start:end])

    def _parts(self, texts: Sequence[str]) -> list[Any]:
        """Substrings that follow each other in this text, with what stands between them skipped."""
        parts, at = [], 0
        for text in budget.asking(texts, "the template"):
            at = str.index(self, text, at)
            parts.append(self._part(at, at + len(text)))
            at += len(text)
        return parts

    # Python asks `str` and `repr` for a str; of a subclass they keep what these return.
    def __str__(self) -> str:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return TracedText, (self.plain, self._sources, self._offsets)

    def __getitem__(self, key: SupportsIndex | slice) -> TracedText:
        text = str.__getitem__(self, key)
        if isinstance(key, slice):
            return TracedText(text, self._sources[key], self._offsets[key])
        return TracedText(text, array("i", [self._sources[key]]), array("i", [self._offsets[key]]))

    def __iter__(self) -> Iterator[TracedText]:
        bounded_parts(len(self))
        for index in budget.asking(range(len(self)), "the template"):
            yield self._part(index, index + 1)

    def __add__(self, other: str) -> TracedText:
        if isinstance(other, Markup):
            return NotImplemented  # it escapes what is put in front of it
        if isinstance(other, str):
            return joined((self, other))
        # an Undefined raises its own error, anything else that of `str`
        return NotImplemented if isinstance(other, Undefined) else TracedText(str.__add__(self, other))

    def __radd__(self, other: str) -> TracedText:
        return joined((other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, count: SupportsIndex) -> TracedText:
        if isinstance(count, int):
            bounded(len(self) * count)
        text: str = str.__mul__(self, count)
        if text is NotImplemented:
            return NotImplemented
        times = max(0, int(count))
        return TracedText(text, self._sources * times, self._offsets * times)

    __rmul__ = __mul__

    def strip(self, chars: str | None = None) -> TracedText:
        return self.lstrip(chars).rstrip(chars)

    def lstrip(self, chars: str | None = None) -> TracedText:
        return self._part(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None) -> TracedText:
        return self._part(0, len(str.rstrip(self, chars)))

    def removeprefix(self, prefix: str, /) -> TracedText:
        return self._part(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> TracedText:
        return self._part(0, len(str.removesuffix(self, suffix)))

    split, rsplit = _split(str.split), _split(str.rsplit)

    def splitlines(self, keepends: bool = False) -> list[Any]:
        bounded_parts(str.count(self, "\n"))
        parts, at = [], 0
        for line, whole in zip(str.splitlines(self, keepends), str.splitlines(self, True), strict=True):
            parts.append(self._part(at, at + len(line)))
            at += len(whole)
        return parts

    partition, rpartition = _three(str.partition), _three(str.rpartition)

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> TracedText:
        if old:
            return TracedText(joined(self.split(old, count), new))
        limit = len(self) + 1 if int(count) < 0 else min(int(count), len(self) + 1)
        bounded(len(self) + max(0, limit) * len(new))
        pieces: list[str] = []
        for index in budget.asking(range(len(self) + 1), "the template"):
            pieces += [new] if index < limit else []
            pieces += [self._part(index, index + 1)]
        return joined(pieces)

    center, ljust, rjust = _padded(str.center), _padded(str.ljust), _padded(str.rjust)

    def join(self, iterable: Iterable[str], /) -> TracedText:
        texts = list(iterable)
        if any(not isinstance(each, str) for each in texts):
            return TracedText(str.join(self, texts))  # raises the error of `str`
        return joined(texts, self)

    upper, lower, casefold = _mapped(str.upper), _mapped(str.lower), _mapped(str.casefold)
    swapcase, title, capitalize = _mapped(str.swapcase), _mapped(str.title), _mapped(str.capitalize)

    def each(self, change: Callable[[str], str]) -> TracedText:
        """Each character replaced by what `change` makes of it alone, which keeps the character's origin.

        >>> TracedText.from_source("a<", 7).each(lambda character: "&lt;" if character == "<" else character).origins()
        [(7, 0), (7, 1), (7, 1), (7, 1), (7, 1)]
        """
        texts = [change(character) for character in budget.asking(self.plain, "the template")]
        sources, offsets = array("i"), array("i")
        for index, text in enumerate(texts):
            sources.extend(self._sources[index : index + 1] * len(text))
            offsets.extend(self._offsets[index : index + 1] * len(text))
        return TracedText("".join(texts), sources, offsets)

    __hash__ = str.__hash__


class SafeText(Markup):
    """What the filter `safe` makes of a text: the same for `jinja2`, and its origins are kept beside it.

    >>> sources_of(SafeText.of(TracedText.from_source("a", 7)))[0].tolist()
    [7]
    """

    traced: TracedText | None = None

    @classmethod
    def of(cls, value: Any) -> SafeText:
        """The markup of a value."""
        return cls(value)._as(text_of(value))

    def _as(self, traced: TracedText) -> SafeText:
        self.traced = traced if str.__eq__(traced, self) else None
        return self

    def __str__(self) -> str:
        return super().__str__() if self.traced is None else self.traced

    def __repr__(self) -> str:
        return f"Markup({str.__repr__(self)})"

    def __add__(self, other: Any) -> Any:
        made = super().__add__(other)
        return made._as(joined((self, _as_markup(other)))) if isinstance(made, SafeText) else made

    def __radd__(self, other: Any) -> Any:
        made = super().__radd__(other)
        return made._as(joined((_as_markup(other), self))) if isinstance(made, SafeText) else made

    __hash__ = str.__hash__


def _as_markup(text: str) -> str:
    """A text as markup takes it up: escaped, unless it is markup itself."""
    return text if isinstance(text, Markup) else TracedText(text).each(lambda character: str(escape(character)))


def _unknown(length: int) -> tuple[Numbers, Numbers]:
    unknown = array("i", [UNKNOWN]) * length
    return unknown, unknown


def sources_of(text: str) -> tuple[Numbers, Numbers]:
    """The sources and the offsets of a text's characters, unknown for plain text.

    >>> sources_of("ab")[0].tolist()
    [-1, -1]
    """
    if isinstance(text, SafeText) and text.traced is not None:
        text = text.traced
    if isinstance(text, TracedText):
        return text._sources, text._offsets
    return _unknown(len(text))


def joined(texts: Iterable[str], between: str = "") -> TracedText:
    """Texts one after the other, each with its origins, as `between.join(texts)`.

    >>> joined([TracedText.from_source("a", 1), "b"], TracedText.from_source("-", 2)).origins()
    [(1, 0), (2, 0), (-1, -1)]
    """
    texts = list(texts)
    bounded(sum(map(len, texts)) + len(between) * (len(texts) - 1))
    sources, offsets = array("i"), array("i")
    between_sources, between_offsets = sources_of(between)
    for index, text in enumerate(texts):
        if index and between:
            sources.extend(between_sources)
            offsets.extend(between_offsets)
        own_sources, own_offsets = sources_of(text)
        sources.extend(own_sources)
        offsets.extend(own_offsets)
    return TracedText(str.join(between.plain if isinstance(between, TracedText) else between, texts), sources, offsets)


def text_of(value: Any) -> TracedText:
    """`str(value)`, where the strings inside lists and dicts keep their origins.

    >>> print(text_of({"q": [TracedText.from_source("a'", 3)]}))
    {'q': ["a'"]}
    >>> text_of([TracedText.from_source("a", 3)]).origins()
    [(-1, -1), (-1, -1), (3, 0), (-1, -1), (-1, -1)]
    """
    text = str(value)
    if isinstance(value, list | tuple | dict):
        # what weighs too much, or holds itself, is refused here
        weighed(value)
        traced = joined(_repr(value))
        return traced if traced == text else TracedText(text)
    return TracedText(text, *sources_of(value)) if isinstance(value, str) else TracedText(text)


def _repr(value: Any) -> Iterator[str]:
    """The parts of `repr(value)`."""
    if isinstance(value, TracedText):
        text = repr(value.plain)
        quote = text[0]
        yield quote
        yield value.each(lambda character: _escaped(character, quote)) if len(text) > len(value) + 2 else value
        yield quote
    elif isinstance(value, dict):
        yield "{"
        for index, (key, item) in enumerate(value.items()):
            yield ", " if index else ""
            yield from _repr(key)
            yield ": "
            yield from _repr(item)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "[" if isinstance(value, list) else "("
        for index, item in enumerate(value):
            yield ", " if index else ""
            yield from _repr(item)
        yield "]" if isinstance(value, list) else ",)" if len(value) == 1 else ")"
    else:
        yield repr(value)


def _escaped(character: str, quote: str) -> str:
    """A character as `repr` writes it between quotes."""
    if character in "'\"":
        return "\\" + character if character == quote else character
    return repr(character)[1:-1]


def json_text(
    value: Any,
    *,
    ensure_ascii: bool = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> TracedText:
    """`json.dumps` of a value, where strings and keys inside it keep their origins. Raises what `json.dumps` raises.

    >>> json_text({"q": TracedText.from_source('a"b', 3)})
    '{"q": "a\\\\"b"}'
    >>> json_text([TracedText.from_source('a"b', 3)]).origins()[2:6]
    [(3, 0), (3, 1), (3, 1), (3, 2)]
    """
    settings: dict[str, Any] = {"ensure_ascii": ensure_ascii, "sort_keys": sort_keys}
    if isinstance(indent, int):
        bounded(indent)
    marks = len(indent) if isinstance(indent, str) else indent or 0
    bounded(weighed(value) * (1 + marks + sum(map(len, separators or ()))) // 10)
    text = json.dumps(value, indent=indent, separators=separators, **settings)
    if indent is not None and not isinstance(indent, str):
        indent = " " * indent
    between, colon = separators or (", " if indent is None else ",", ": ")

    def dumped(value: Any) -> str:
        return json.dumps(value, **settings)

    def string(value: str) -> Iterator[str]:
        if not isinstance(value, TracedText):
            yield dumped(value)
            return
        yield '"'
        yield value if dumped(value)[1:-1] == value else value.each(lambda character: dumped(character)[1:-1])
        yield '"'

    def name(key: Any) -> str:
        # numbers and None become text as keys, as `json` spells them as values
        return key if isinstance(key, str) else json.dumps(key)

    traced = joined(json_parts(value, string, dumped, name, between, colon, indent, sort_keys=sort_keys))
    return traced if traced == text else TracedText(text)


def json_parts(
    value: Any,
    string: Callable[[str], Iterator[str]],
    other: Callable[[Any], str],
    name: Callable[[Any], str],
    between: str,
    colon: str,
    indent: str | None,
    line: str = "\n",
    *,
    sort_keys: bool = False,
) -> Iterator[str]:
    """A value as JSON, piece by piece.

    string, other: how a text is written, and what is neither a text nor a list or object. name: a key as a text.
    indent: of what is inside, None for a single line. line: the line break before the value, with its indent.
    """
    if isinstance(value, str):
        yield from string(value)
    elif isinstance(value, dict | list | tuple):
        opens, closes = "{}" if isinstance(value, dict) else "[]"
        outer, inner = ("", "") if indent is None else (line, line + indent)
        pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        yield opens
        for index, (key, item) in enumerate(sorted(pairs) if sort_keys and isinstance(value, dict) else pairs):
            yield (between if index else "") + inner
            if isinstance(value, dict):
                yield from string(name(key))
                yield colon
            yield from json_parts(item, string, other, name, between, colon, indent, inner, sort_keys=sort_keys)
        yield (outer if value else "") + closes
    else:
        yield other(value)
