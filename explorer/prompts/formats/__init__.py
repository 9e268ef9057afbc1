"""Formats that are no template, such as those of mistral-common: what runs them besides the engine of templates.

Each is a row of formats.toml and a template, whose first lines say what it follows. Control tokens are those that the
format itself spells: its own characters know where they come from, so the same ones in a message stay text. What stands
between two of them is encoded by itself.
"""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from explorer.engine.part import Token
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.layout import normalized
from explorer.prompts.program import program
from explorer.prompts.rendering import Marks, Piece, Places, moved
from explorer.prompts.templates import OwnTemplate, formats
from explorer.prompts.traced_text import UNKNOWN, TracedText, joined, json_text, sources_of
from explorer.vocabulary import PieceKind, Vocabulary

CUT = "\x1e"
"""What a format writes where a piece ends without a token."""
KINDS = (PieceKind.USER_DEFINED, PieceKind.CONTROL)
"""Of tokens that a format writes by their ids; the last is preferred."""


@cache
def _by_source() -> dict[str, OwnTemplate]:
    return {normalized(each.source): each for each in formats().values()}


def format_with(source: str) -> OwnTemplate | None:
    """The format with this source, None for a template."""
    return _by_source().get(normalized(source))


def fits(form: OwnTemplate, vocabulary: Vocabulary) -> bool:
    """Whether a vocabulary has all tokens of a format."""
    return all(_id(each, vocabulary) is not None for each in form.controls)


def _id(token: str, vocabulary: Vocabulary) -> int | None:
    """The id of a control token. A file may have a piece of text with the same spelling: the special one is meant."""
    return vocabulary.once(_controls).get(token.encode())


def _controls(vocabulary: Vocabulary) -> dict[bytes, int]:
    return {vocabulary.pieces[id]: id for kind in KINDS for id in vocabulary.of_kind(kind)}


class Controls(Marks):
    """Finds the control tokens that a format writes, and encodes what is between them."""

    def __init__(self, form: OwnTemplate) -> None:
        """Those of a format."""
        super().__init__(())
        self.format = form
        tokens = sorted(form.controls, key=len, reverse=True)
        self._tokens = re.compile("|".join(map(re.escape, (*tokens, CUT))))
        operands = program(form.source).operands
        self._own = {index for index, each in enumerate(operands) if each.kind in ("data", "literal")}

    def put(self, text: TracedText) -> TracedText:
        """The text as it is: where it comes from says what it can't be."""
        return text

    def places(self, text: TracedText) -> Places:
        """The tokens that only the format wrote."""
        sources = sources_of(text)[0]
        for token in self._tokens.finditer(text):
            if self._own.issuperset(sources[token.start() : token.end()]):
                yield token.span(), token.span() if token[0] != CUT else (token.end(), token.end())

    def tokens(self, tokenizer: Opened, text: str, pieces: Iterable[Piece]) -> Iterator[Token]:
        """The tokens of a prompt. Raises InputError where the vocabulary lacks one."""
        for piece in pieces:
            part = text[piece.start : piece.end]
            if not piece.is_marked:
                encoding = tokenizer.encode(part, add_special=False, parse_special=False) if part else None
                yield from moved(encoding.tokens if encoding else (), piece.start)
            elif part:
                id = _id(part, tokenizer.vocabulary)
                if id is None:
                    raise InputError(
                        "{0:t} writes {1:q}, which is no control token of {2:t}. "
                        "Choose a model whose vocabulary has it.",
                        self.format.full_name,
                        part,
                        tokenizer.name,
                    )
                yield Token(id, piece.start, piece.end)


def parsed(text: Any) -> Any:
    """The JSON in a text, whose strings know where they come from; the text itself if it is none.

    >>> parsed(TracedText.from_source('{"a": "b"}', 7))["a"].origins()
    [(7, 7)]
    """
    if not isinstance(text, str):
        return text
    plain = TracedText(text).plain
    try:
        value = json.loads(plain, object_pairs_hook=_Pairs)
    except json.JSONDecodeError:
        return text
    sources = sources_of(text)[0]
    literals = STRING.finditer(plain)

    def traced(value: Any) -> Any:
        if isinstance(value, str):
            start, end = (each := next(literals)).start() + 1, each.end() - 1
            if plain[start:end] == value:
                return TracedText(text)[start:end]
            # an escape: the string it stands in is known, the place in it isn't
            return TracedText(value, array("i", [sources[start - 1]]) * len(value), array("i", [UNKNOWN]) * len(value))
        if isinstance(value, _Pairs):
            return {traced(key): traced(item) for key, item in value}
        return [traced(each) for each in value] if isinstance(value, list) else value

    return traced(value)


def respelled(text: str) -> TracedText:
    """The JSON in a text as `json.dumps` writes it, each part where it comes from; as a JSON string if it is none.

    >>> respelled(TracedText.from_source('{"a":1}', 7)).origins()[4:6]
    [(7, 4), (-1, -1)]
    """
    traced = TracedText(text)
    try:
        spelling = json.dumps(json.loads(traced.plain), ensure_ascii=False)
    except json.JSONDecodeError:
        return json_text(traced)
    if spelling == traced.plain:
        return traced
    old, new = ([*TOKEN.finditer(each)] for each in (traced.plain, spelling))
    source = sources_of(traced)[0][:1]
    parts: list[str] = []
    at = 0
    for index, token in enumerate(new):
        alike = len(old) == len(new) and old[index][0] == token[0]
        unknown = source * len(token[0]), array("i", [UNKNOWN]) * len(token[0])
        parts += [spelling[at : token.start()]]
        parts += [traced[slice(*old[index].span())] if alike else TracedText(token[0], *unknown)]
        at = token.end()
    return joined(parts)


class _Pairs(list[Any]):
    """The keys and values of an object, doubled keys among them."""


def _shallow(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of JSON that says what is wrong where it is nested too deeply."""

    def read(text: Any) -> Any:
        try:
            return function(text)
        except RecursionError:
            raise ValueError("the JSON in a text is nested too deeply") from None

    return read


STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
TOKEN = re.compile(STRING.pattern + r'|[^\s",:{}\[\]]+|\S')
"""A part of JSON."""
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "parsed": _shallow(parsed),
    "respelled": _shallow(respelled),
    "matches": lambda pattern, text: bool(re.match(pattern, text)),
}
"""What a format has besides the functions of templates."""
