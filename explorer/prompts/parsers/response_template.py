"""Response templates: how transformers reads an answer, as a file of regions says, and what is wrong with such a file.

Follows `transformers.utils.chat_parsing` 5.23: a region opens and closes at literals or patterns, its text is read by
a content parser, a transform brings it into shape. What streams is decided as there: a delimiter that may still grow is
held back. Left out: the content parser kv-lines, and
types of arguments by the tools' schemas (`tools=`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Literal, NamedTuple

import msgspec
import regex

from explorer.engine import budget
from explorer.engine.regexes.safe import compiled, too_costly
from explorer.errors import InputError
from explorer.prompts.llama_cpp.conversation import by_path
from explorer.tables import Json, Record
from explorer.text.say import Say

OPEN, CLOSE = "\x01", "\x02"
"""Stand for strings in delimiters of their own while JSON is read."""
PLACEHOLDER = regex.compile(r"\{(\w+(?:\.\w+)*)\}")
STREAMED = ("text", "int", "float", "bool")
"""Content parsers whose text is sent as it comes."""
MOST_FIELDS = 50
PATTERN_SECONDS = 0.5
"""For one search of a delimiter."""


class Field(msgspec.Struct, forbid_unknown_fields=True):
    """A region of an answer, as the file has it."""

    open: str | list[str] | None = None
    open_pattern: str | None = None
    close: str | list[str] | None = None
    close_pattern: str | None = None
    content: Literal["text", "int", "float", "bool", "json", "xml-inline"] = "text"
    content_args: Record = {}
    repeats: bool = False
    join: str | None = None
    optional: bool = True
    transform: Any = None
    transform_each: bool = False


class Spec(msgspec.Struct, forbid_unknown_fields=True):
    """A response template, as the file has it."""

    fields: dict[str, Field]
    version: Literal[1] = 1
    defaults: Record = {}
    start_anchor: str | list[str] | None = None
    start_anchor_pattern: str | None = None


class Edge(NamedTuple):
    """A delimiter. grows: whether more text may lengthen a match at the end of it."""

    pattern: regex.Pattern[str]
    grows: bool

    def search(self, text: str, at: int, *, partial: bool) -> Any:
        """The first match. Raises InputError where the pattern takes too long."""
        try:
            return self.pattern.search(text, at, partial=partial, timeout=PATTERN_SECONDS)
        except (TimeoutError, MemoryError) as error:
            raise too_costly(error, f"The pattern {self.pattern.pattern!r}", text) from None


Watched = tuple[Edge | None, str | None, str]
"""A delimiter, the field that it opens, None where it closes one, and whose it is."""


class Part(NamedTuple):
    """A region of an answer: of which field, where it stands with its delimiters and without, and its value."""

    field: str
    start: int
    inner: int
    inner_end: int
    end: int
    value: Any = None


class ResponseTemplate:
    """A response template, checked and compiled. Raises InputError."""

    def __init__(self, value: Any) -> None:
        try:
            self.spec = msgspec.convert(value, Spec)
        except msgspec.ValidationError as error:
            raise InputError(f"The response template: {error}.") from None
        fields = self.spec.fields
        if not 0 < len(fields) <= MOST_FIELDS:
            raise InputError(f"The response template: fields has {len(fields)} fields; give 1 to {MOST_FIELDS}.")
        anchor = edge("start_anchor", self.spec.start_anchor, self.spec.start_anchor_pattern)
        if anchor is None:
            raise InputError("The response template has no start_anchor: say what an answer begins after.")
        self.anchor = anchor
        self.opens = {name: edge(f"fields.{name}.open", each.open, each.open_pattern) for name, each in fields.items()}
        self.closes = {
            name: edge(f"fields.{name}.close", each.close, each.close_pattern) for name, each in fields.items()
        }
        for name, each in fields.items():
            check_field(name, each, self.opens[name], self.closes[name])
        free = [name for name, opens in self.opens.items() if opens is None]
        if len(free) > 1:
            raise InputError(
                f"The response template: {' and '.join(free)} have no open; at most one field may lack it."
            )
        self.implicit = free[0] if free else None

    def faults(self) -> Iterator[Say]:
        """What reads an answer otherwise than meant, though the file is valid."""
        for name, each in self.spec.fields.items():
            if name == self.implicit and not each.repeats and len(self.opens) > 1:
                yield Say(
                    "{0:q} may come twice, and only the last is kept: white space after another field overwrites it. "
                    "Give it repeats: true and join.",
                    name,
                )
            if name != self.implicit and self.closes[name] is None:
                yield Say("{0:q} has no close: all that follows belongs to it.", name)
            if name != self.implicit and not each.repeats and "call" in name:
                yield Say("{0:q} may come twice, and only the last is kept. Give it repeats: true.", name)


def edge(where: str, literals: str | list[str] | None, pattern: str | None) -> Edge | None:
    """A delimiter of literals or a pattern, None if neither is given. Raises InputError."""
    if literals is not None and pattern is not None:
        raise InputError(f"The response template: {where} and {where}_pattern are both given; leave one out.")
    if literals is not None:
        each = sorted({literals} if isinstance(literals, str) else set(literals), key=len, reverse=True)
        if not each or "" in each:
            raise InputError(f"The response template: {where} is empty; give a text.")
        grows = any(a != b and a.startswith(b) for a in each for b in each)
        return Edge(regex.compile("|".join(map(regex.escape, each)), cache_pattern=False), grows)
    if pattern is None:
        return None
    try:
        return Edge(compiled(pattern, regex.DOTALL), grows=True)
    except InputError as error:
        raise InputError(f"The response template: {where}_pattern: {error}") from None


def check_field(name: str, field: Field, opens: Edge | None, closes: Edge | None) -> None:
    """Raises InputError for a field that contradicts itself."""
    where = f"The response template: fields.{name}"
    groups = {group for each in (opens, closes) if each for group in each.pattern.groupindex}
    if field.join is not None and not field.repeats:
        raise InputError(f"{where}.join needs repeats: true.")
    if field.transform is None and (groups or field.transform_each):
        raise InputError(f"{where} has no transform; one must use {', '.join(sorted(groups)) or 'each item'}.")
    for _, text in by_path(field.transform):
        if isinstance(text, str) and PLACEHOLDER.search(text) and not PLACEHOLDER.fullmatch(text):
            raise InputError(f"{where}.transform: {text!r} mixes a placeholder with text; give it alone.")


class Reader:
    """The state of reading: text is fed, regions open and close, a message grows. begins: where the answer starts."""

    def __init__(self, template: ResponseTemplate) -> None:
        self.template, self.text, self.at, self.begins = template, "", 0, 0
        self.message: Record = deepcopy(template.spec.defaults)
        self.parts: list[Part] = []
        self._back()

    def _back(self) -> None:
        self.field, self.is_open, self.body = self.template.implicit, False, ""
        self.captures: dict[str, str] = {}
        self.start = self.inner = self.at

    def begin(self, prefix: str) -> None:
        """Reads the end of the prompt, from its last start anchor on. Raises InputError."""
        try:
            ends = [match.end() for match in self.template.anchor.pattern.finditer(prefix, timeout=PATTERN_SECONDS)]
        except (TimeoutError, MemoryError) as error:
            raise too_costly(error, "start_anchor_pattern", prefix) from None
        prefix = prefix[ends[-1] if ends else 0 :]
        self.begins = len(prefix)
        self.feed(prefix)

    def feed(self, text: str) -> None:
        """Reads more. Raises InputError where a region can't be read."""
        self.text += text
        self._read(ends=False)

    def finish(self) -> Record:
        """The message. Raises InputError where a region can't be read or is missing."""
        self._read(ends=True)
        spec = self.template.spec
        missing = [name for name, each in spec.fields.items() if not each.optional and name not in self.message]
        if missing:
            raise InputError(f"The answer lacks {', '.join(missing)}, which the response template requires.")
        return {
            name: value
            for name, value in self.message.items()
            if name in spec.defaults or not (value is None or (isinstance(value, list | dict | str) and not value))
        }

    @property
    def all_parts(self) -> list[Part]:
        """The regions that are closed, and the one that is open, or that can't be read."""
        return [*self.parts, Part(self.field or "", self.start, self.inner, self.at, self.at)]

    def shown(self) -> dict[str, str]:
        """What a client that streams has been sent so far, by field."""
        sent: dict[str, str] = {}
        for part in self.all_parts:
            if part.field and part.inner_end > self.begins:
                piece = self.text[max(self.begins, part.inner) : part.inner_end]
                sent[part.field] = sent.get(part.field, "") + piece
        return {name: text for name, text in sent.items() if text}

    def _read(self, *, ends: bool) -> None:
        while True:
            budget.ask("the response template")
            match, opens, hold = self._next(ends=ends)
            if match is None:
                self._take(len(self.text) if ends else max(hold, self.at))
                if ends:
                    self._close(self.at)
                return
            had = self.is_open
            self._take(match.start())
            had = had or self.is_open
            if opens is None:
                self.at = match.end()
            self._close(match.start())
            self.at = self.inner = match.end()
            if opens is not None:
                self.field, self.is_open = opens, True
                self.captures = {name: text for name, text in match.groupdict().items() if text is not None}
                self.start = match.start()
            elif not had and match.start() == match.end():
                return

    def _next(self, *, ends: bool) -> tuple[Any, str | None, int]:
        """The first delimiter that is sure, the field that it opens, and where one begins that is not yet sure."""
        template = self.template
        if self.field is not None and self.field != template.implicit:
            watched: list[Watched] = [(template.closes[self.field], None, self.field)]
        else:
            watched = [(each, name, name) for name, each in template.opens.items()]
            if template.implicit is not None:
                watched.append((template.closes[template.implicit], None, template.implicit))
        hold, best_key = len(self.text), None
        best: tuple[Any, str | None] = (None, None)
        for delimiter, opens, name in watched:
            match = delimiter.search(self.text, self.at, partial=not ends) if delimiter else None
            if match is None or delimiter is None:
                continue
            at_end = match.end() == len(self.text)
            if not ends and (match.partial or (at_end and (match.start() == match.end() or delimiter.grows))):
                hold = min(hold, match.start())
                continue
            key = (match.start(), match.start() - match.end(), opens is None, name)
            if best_key is None or key < best_key:
                best, best_key = (match, opens), key
        if best_key is not None and best_key[0] >= hold:
            best = (None, None)
        return *best, hold

    def _take(self, end: int) -> None:
        """Adds text to the region, which opens with it."""
        if end > self.at and self.field is not None:
            if not self.is_open:
                self.start = self.inner = self.at
            self.is_open, self.body = True, self.body + self.text[self.at : end]
        self.at = max(self.at, end)

    def _close(self, inner_end: int) -> None:
        """Closes the region at the delimiter that ends where reading stands."""
        if self.field is not None and self.is_open:
            field = self.template.spec.fields[self.field]
            value = value_of(self.field, field, self.body, self.captures)
            if field.join is not None and not isinstance(value, str):
                raise InputError(f"{self.field}: join needs texts.")
            before = self.message.get(self.field)
            if field.join is not None:
                value = value if before is None else before + field.join + value
            elif field.repeats:
                value = [*(before or []), value]
            self.message[self.field] = value
            self.parts.append(Part(self.field, self.start, self.inner, inner_end, self.at, value))
        self._back()


def value_of(name: str, field: Field, body: str, captures: Mapping[str, str]) -> Any:
    """What a region becomes. Raises InputError."""
    try:
        value = READERS[field.content](body, field.content_args)
        if field.transform is None:
            return value
        if not field.transform_each:
            return shaped(field.transform, {**captures, "content": value})
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise ValueError("transform_each needs a list of objects")
        return [shaped(field.transform, {**captures, **each}) for each in value]
    except (TimeoutError, MemoryError) as error:
        raise too_costly(error, f"Reading {name}", body) from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        said = f"it is no {field.content}" if field.content in STREAMED else str(error)
        if not isinstance(error, ValueError):
            said = f"content_args aren't what {field.content} takes, or it is nested too deeply"
        raise InputError(f"{name}: {said}") from None


def shaped(shape: Any, scope: Json) -> Any:
    """A transform with its placeholders filled."""
    if isinstance(shape, dict):
        return {key: shaped(each, scope) for key, each in shape.items()}
    if isinstance(shape, list):
        return [shaped(each, scope) for each in shape]
    match = PLACEHOLDER.fullmatch(shape) if isinstance(shape, str) else None
    if match is None:
        return shape
    value: Any = scope
    for key in match[1].split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise ValueError(f"the placeholder {shape} names {key}, which is not there")
        value = value[key]
    return value


def stripped(text: str, settings: Json) -> str:
    """A text without white space around it, unless strip is false."""
    return text.strip() if settings.get("strip", True) else text


def json_of(text: str, settings: Json) -> Any:
    """JSON, in the dialect that a model writes."""
    working, strings = text, list[str]()

    def keep(match: Any) -> str:
        strings.append(match[1])
        return f"{OPEN}{len(strings) - 1}{CLOSE}"

    if settings.get("string_delims") and (OPEN in text or CLOSE in text):
        raise ValueError("it has the characters 1 or 2, which stand for strings here")
    for before, after in settings.get("string_delims", []):
        working = regex.sub(
            f"{regex.escape(before)}(.*?){regex.escape(after)}",
            keep,
            working,
            flags=regex.DOTALL,
            timeout=PATTERN_SECONDS,
        )
    if settings.get("unquoted_keys"):
        working = regex.sub(r"(?<=[{,])(\w+):", r'"\1":', working)
    for index, each in enumerate(strings):
        working = working.replace(f"{OPEN}{index}{CLOSE}", json.dumps(each))
    try:
        return json.loads(working)
    except json.JSONDecodeError:
        if settings.get("allow_non_json"):
            return stripped(text, settings)
        raise


def xml_of(text: str, settings: Json) -> Any:
    """Shallow tags as an object."""
    if not isinstance(settings.get("tag_pattern"), str):
        raise ValueError("content_args has no tag_pattern; give a pattern with a group key")
    pattern, values = compiled(settings["tag_pattern"], regex.DOTALL), Record()
    for match in pattern.finditer(text, timeout=PATTERN_SECONDS):
        groups = match.groupdict()
        if groups.get("key") is None:
            raise ValueError("tag_pattern has no group key")
        key, value = groups["key"], nested(groups.get("value", ""), settings)
        if key in values and settings.get("merge_duplicates"):
            known = values[key] if isinstance(values[key], list) else [values[key]]
            values[key] = [*known, value]
        else:
            values[key] = value
    return values


def nested(text: str, settings: Json) -> Any:
    """A value inside tags or lines, read by a parser of its own."""
    by = settings.get("value_parser")
    return text if by is None else READERS[by.get("name", "text")](text, by.get("args", {}))


READERS: Mapping[str, Callable[[str, Json], Any]] = {
    "text": stripped,
    "int": lambda text, settings: int(stripped(text, settings)),
    "float": lambda text, settings: float(stripped(text, settings)),
    "bool": lambda text, settings: stripped(text, settings).lower() in ("true", "1"),
    "json": json_of,
    "xml-inline": xml_of,
}
"""The content parsers."""
