"""How a template's source is laid out: its tags, the blocks that they open, and the white space that they cut.

Both engines read the same Jinja, so one lexer tells it of both: jinja2's, with `trim_blocks` and `lstrip_blocks` as
`transformers` sets them.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from jinja2 import Environment, TemplateSyntaxError

from explorer.prompts.places import normalized

OPENS: Final = frozenset({"if", "for", "macro", "call", "filter", "generation", "block", "with", "raw"})
BRANCHES: Final = frozenset({"elif", "else"})


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
