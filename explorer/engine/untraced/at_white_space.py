"""The way of BERT: white space cuts the text, what lies between is normalized and cut into words, and each word looked
up.

White space is dropped, and nothing that is done to a word looks beyond it: every pass of the normalization changes a
character by itself, or (a Unicode form) together with marks behind it. So the stages can be run on what lies between
two spaces, and its ids remembered. For ASCII all that can happen is written down when the way is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from explorer.engine.bert_normalizer import IsolateHan, NfdFirst
from explorer.engine.items import Segment
from explorer.engine.normalizers import Lower, Normalization
from explorer.engine.part import Part
from explorer.engine.pretokenizers import Behavior, PreTokenization
from explorer.engine.rewriting import Drop, Lowercase, ToSpace
from explorer.engine.splitters import CharSplit
from explorer.engine.unicode_forms import UnicodeForm
from explorer.engine.untraced.by_stages import texts_after
from explorer.engine.untraced.memory import Ids, Memory
from explorer.engine.untraced.pieces import Pieces

LOCAL: Final = (Drop, ToSpace, IsolateHan, UnicodeForm, Lowercase, Lower, NfdFirst)
"""Normalizers that do not look across white space, and leave ASCII ASCII, each character by itself."""

WHITE: Final = " \t\n\r"
BETWEEN_WHITE: Final = re.compile(f"[^{WHITE}]+")


class AtWhiteSpace:
    """stages: normalization and pre-tokenizer."""

    def __init__(self, stages: Sequence[Part], splitters: Sequence[CharSplit], pieces: Pieces) -> None:
        self.stages = tuple(stages)
        self.words = Memory(pieces)
        """the ids of words"""
        self.memory = Memory(self.solve)
        ascii = {code: texts_after(stages[:1], Segment.of(chr(code))) for code in range(0x80)}
        self.becomes = {code: "".join(texts) for code, texts in ascii.items()}
        """what becomes of an ASCII character"""
        white, alone = ("".join(filter(partial(belongs, splitter), map(chr, range(0x80)))) for splitter in splitters)
        self.ascii_words = re.compile(f"[{re.escape(alone)}]|[^{re.escape(white + alone)}]+").findall

    def ids(self, fragment: Segment) -> list[int]:
        return self.memory.all_of(BETWEEN_WHITE.findall(fragment.text))

    def solve(self, text: str) -> Ids:
        """The ids of what lies between two white spaces."""
        if text.isascii():
            words = self.ascii_words(text.translate(self.becomes))
        else:
            words = texts_after(self.stages, Segment.of(text))
        return tuple(self.words.all_of(words))


def belongs(splitter: CharSplit, ch: str) -> bool:
    return splitter.sort_of(ch) >= 0


def at_white_space(between: Sequence[Part], model: Part) -> AtWhiteSpace | None:
    """The way, None where these are not stages that drop white space and look at words alone."""
    if len(between) != 2 or not isinstance(between[0], Normalization) or not isinstance(between[1], PreTokenization):
        return None
    splitters = [splitter for splitter in between[1].splitters if isinstance(splitter, CharSplit)]
    behaviors = [splitter.behavior for splitter in splitters]
    if behaviors != [Behavior.REMOVED, Behavior.ISOLATED] or len(splitters) != len(between[1].splitters):
        return None
    if not all(isinstance(normalizer, LOCAL) for normalizer in between[0].normalizers):
        return None
    if any(texts_after(between, Segment.of(f"a{white}a")) != ["a", "a"] for white in WHITE):
        return None
    return AtWhiteSpace(between, splitters, Pieces(model))
