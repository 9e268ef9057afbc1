r"""How a template's source is laid out: where its parts stand, its tags, the blocks that they open, the space they cut.

Both engines read the same Jinja, so one lexer tells it of both: jinja2's, with `trim_blocks` and `lstrip_blocks` as
`transformers` sets them. jinja2 keeps only the line of a node. `Places` is an extension that gives each token of the
template's lexer a line number that knows its offset, too. The parser copies line numbers from tokens to nodes, so a
node knows where it begins; `Spans` adds where it ends.

Offsets count code points of the source as the lexer reads it: line ends are "\n", the last one is dropped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream, ignored_tokens, newline_re

ANCHORED = (
    nodes.Name,
    nodes.Const,
    nodes.TemplateData,
    nodes.Getattr,
    nodes.Getitem,
    nodes.Filter,
    nodes.Test,
    nodes.Call,
    nodes.List,
    nodes.Dict,
    nodes.Tuple,
)
"""The nodes that keep the line of their own token. Operators keep that of a token around them."""

BRACKETS = {"(": ")", "[": "]", "{": "}"}


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
            elif character in BRACKETS:
                open_brackets.append(BRACKETS[character])
            elif open_brackets and character == open_brackets[-1]:
                open_brackets.pop()
            index += 1
        return max(index, end)


OPENS = frozenset({"if", "for", "macro", "call", "filter", "generation", "block", "with", "raw"})
BRANCHES = frozenset({"elif", "else"})


class Tag(NamedTuple):
    """A tag, or the text between two. kind: "statement", "write", "comment" or "text". word: the statement's first."""

    kind: str
    word: str
    start: int
    end: int
    depth: int


class Block(NamedTuple):
    """What a statement encloses, up to the next branch or its end. start, end: of that body. after: of the whole block.

    word: "if", "elif", "else", "for", "macro" and so on. tag: where its tag begins.
    """

    word: str
    tag: int
    start: int
    end: int
    after: int


class Layout(NamedTuple):
    """The layout of a source, which is normalized. cut: [start, end) of white space that is dropped."""

    source: str
    tags: tuple[Tag, ...]
    blocks: tuple[Block, ...]
    cut: tuple[tuple[int, int], ...]

    def block_at(self, tag_of: int) -> Block | None:
        """The block whose tag holds an offset. Tags don't overlap."""
        at = bisect_right(self.blocks, tag_of, key=lambda block: block.tag) - 1
        return self.blocks[at] if at >= 0 and tag_of < self.blocks[at].start else None


@lru_cache(maxsize=32)
def layout(source: str) -> Layout:
    """The layout of a template's source. One that is no Jinja is text up to where it stops to be one.

    >>> made = layout("{% if a -%}\\n  b{% endif %}")
    >>> [(tag.word or tag.kind, tag.depth) for tag in made.tags], made.cut
    ([('if', 0), ('text', 1), ('endif', 0)], ((11, 14),))
    >>> made.blocks
    (Block(word='if', tag=0, start=11, end=15, after=26),)
    """
    text = normalized(source)
    tags, cut = _tags(text)
    return Layout(text, tuple(tags), tuple(_blocks(tags)), tuple(cut))


def _tags(text: str) -> tuple[list[Tag], list[tuple[int, int]]]:
    lexer = Environment(trim_blocks=True, lstrip_blocks=True).lexer
    tags: list[Tag] = []
    cut: list[tuple[int, int]] = []
    at = begun = depth = 0
    word = ""
    try:
        for _, kind, value in lexer.tokeniter(text, None):
            start = text.index(value, at)
            if start > at and kind.endswith("_begin"):
                cut.append((at, start))
            at = start + len(value)
            if kind == "data":
                tags.append(Tag("text", "", start, at, depth))
            elif kind.endswith("_begin"):
                begun, word = start, "raw" if kind == "raw_begin" else ""
            elif kind == "name" and not word:
                word = value
            if not kind.endswith("_end") and kind != "raw_begin":
                continue
            end = start + len(value.rstrip())
            if end < at:
                cut.append((end, at))
            if kind.startswith("variable"):
                tags.append(Tag("write", "", begun, end, depth))
            elif kind.startswith("comment"):
                tags.append(Tag("comment", "", begun, end, depth))
            else:
                word = "endraw" if kind == "raw_end" else word
                block_set = word == "set" and "=" not in text[begun:end]
                if word.startswith("end") or word in BRANCHES:
                    depth = max(0, depth - 1)
                tags.append(Tag("statement", "set block" if block_set else word, begun, end, depth))
                depth += word in OPENS or word in BRANCHES or block_set
    except (TemplateSyntaxError, ValueError):
        pass
    if at < len(text):
        tags.append(Tag("text", "", at, len(text), depth))
    return tags, cut


def _blocks(tags: list[Tag]) -> list[Block]:
    found: list[Block] = []
    open_tags: list[list[Tag]] = []
    for tag in tags:
        if tag.kind != "statement":
            continue
        if tag.word in OPENS or tag.word == "set block":
            open_tags.append([tag])
        elif tag.word in BRANCHES and open_tags:
            open_tags[-1].append(tag)
        elif open_tags and tag.word == "end" + open_tags[-1][0].word.removesuffix(" block"):
            for one, following in pairwise([*open_tags.pop(), tag]):
                found.append(Block(one.word, one.start, one.end, following.start, tag.end))
    return sorted(found, key=lambda block: block.tag)
