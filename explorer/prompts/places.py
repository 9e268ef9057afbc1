"""Where the parts of a template stand in its source: `jinja2` keeps only the line of a node.

`Places` is an extension that gives each token of the template's lexer a line number that knows its offset, too. The
parser copies line numbers from tokens to nodes, so a node knows where it begins. `span_of` adds where it ends.

Offsets count code points of the source as the lexer reads it: line ends are "\\n", the last one is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from jinja2 import Environment, nodes
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream, ignored_tokens, newline_re

ANCHORED: Final = (
    *(nodes.Name, nodes.Const, nodes.TemplateData, nodes.Getattr, nodes.Getitem, nodes.Filter, nodes.Test, nodes.Call),
    *(nodes.List, nodes.Dict, nodes.Tuple),
)
"""The nodes that keep the line of their own token. Operators keep that of a token around them."""

OPENS: Final = {"(": ")", "[": "]", "{": "}"}


class Place(int):
    """A line number that knows the offsets [start, end) of its token."""

    start: int
    end: int

    def __new__(cls, line: int, start: int, end: int) -> Place:
        """Line `line`, counted from 1."""
        self = super().__new__(cls, line)
        self.start, self.end = start, end
        return self


def normalized(source: str) -> str:
    """A template's source as the lexer reads it.

    >>> normalized("a\\r\\nb\\n")
    'a\\nb'
    """
    lines = newline_re.split(source)[::2]
    return "\n".join(lines[:-1] if lines[-1] == "" else lines)


class Places(Extension):
    """Gives the tokens of a template `Place`s as line numbers. It adds no tag."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Keeps the source for `filter_stream`, which the lexer calls next."""
        self._source = source
        return source

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        """The same tokens; their line numbers know their offsets."""
        raw = located_tokens(self.environment, self._source)
        return (Token(place, token.type, token.value) for token, place in zip(stream, raw, strict=False))


def located_tokens(environment: Environment, source: str) -> Iterator[Place]:
    """The place of each token that the parser sees. Raises TemplateSyntaxError."""
    text, at = normalized(source), 0
    # what the lexer strips around a block stands between two tokens, and is skipped
    for line, kind, value in environment.lexer.tokeniter(source, None):
        start = text.index(value, at)
        at = start + len(value)
        if kind not in ignored_tokens and kind not in ("raw_begin", "raw_end"):
            yield Place(line, start, at)


class Spans:
    """The spans of a template's nodes in its source."""

    def __init__(self, source: str) -> None:
        """The spans in this source, which is normalized first."""
        self.source = normalized(source)

    def of(self, node: nodes.Node) -> tuple[int, int]:
        """[start, end) of a node: from its first token to its last, with the brackets that it opens."""
        places = [
            (each, each.lineno)
            for each in (node, *node.find_all(ANCHORED))
            if isinstance(each, ANCHORED) and isinstance(each.lineno, Place)
        ]
        if not places:
            return 0, 0
        start = min(place.start for _, place in places)
        end = max(self._end(each, place) for each, place in places)
        return start, self._closed(start, end)

    def _end(self, node: nodes.Node, place: Place) -> int:
        """The end of a node's own token, with the name behind it."""
        name = node.attr if isinstance(node, nodes.Getattr) else node.name if isinstance(node, nodes.Test) else ""
        return self.source.index(name, place.end) + len(name) if name else place.end

    def _closed(self, start: int, end: int) -> int:
        """Where the brackets are closed that open between `start` and `end`."""
        open_brackets: list[str] = []
        quote = ""
        index = start
        while index < len(self.source) and (index < end or open_brackets):
            character = self.source[index]
            if quote:
                if character == "\\":
                    index += 1
                elif character == quote:
                    quote = ""
            elif character in "'\"":
                quote = character
            elif character in OPENS:
                open_brackets.append(OPENS[character])
            elif open_brackets and character == open_brackets[-1]:
                open_brackets.pop()
            index += 1
        return max(index, end)
