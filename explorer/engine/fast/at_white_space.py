"""The way of BERT: white space cuts the text, what lies between is normalized and cut into words, and each word looked
up.

White space is dropped, and nothing that is done to a word looks beyond it: every pass of the normalization changes a
character by itself, or (a Unicode form) together with marks behind it. So the ids of what lies between two spaces can
be remembered. What becomes of a character, and whether it is white space or a word by itself, is looked up; only where
marks may be put in order or be composed the stages are run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from explorer.engine.fast.by_stages import texts_after
from explorer.engine.fast.cache import Ids, Memory
from explorer.engine.fast.piece_encoder import Pieces
from explorer.engine.items import Segment
from explorer.engine.normalizers.bert import IsolateChineseChars, NfdFirst
from explorer.engine.normalizers.huggingface import Drop, Lowercase, ToSpace
from explorer.engine.normalizers.llama_cpp import Lower
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Part
from explorer.engine.pre_tokenizers.huggingface import CharSplit
from explorer.engine.pre_tokenizers.stage import Behavior, PreTokenization
from explorer.engine.unicode.versions import combining_class

LOCAL: Final = (Drop, ToSpace, IsolateChineseChars, UnicodeForm, Lowercase, Lower, NfdFirst)
"""Normalizers that do not look across white space, and leave ASCII ASCII, each character by itself."""

WHITE: Final = " \t\n\r"
BETWEEN_WHITE: Final = re.compile(f"[^{WHITE}]+")


class AtWhiteSpace:
    """stages: normalization and pre-tokenizer."""

    def __init__(self, stages: Sequence[Part], becomes: Becomes, pieces: Pieces) -> None:
        self.stages, self.becomes = tuple(stages), becomes
        self.words = Memory(pieces)
        """the ids of words"""
        self.memory = Memory(self.solve)

    def ids(self, fragment: Segment) -> list[int]:
        return self.memory.all_of(BETWEEN_WHITE.findall(fragment.text))

    def solve(self, text: str) -> Ids:
        """The ids of what lies between two white spaces."""
        now = text.translate(self.becomes)
        words = texts_after(self.stages, Segment.of(text)) if ASK in now else WORDS.findall(now)
        return tuple(self.words.all_of(words))


class Becomes(dict[int, str]):
    """Code point → what normalization makes of it, a space for white space and around what stands alone.

    normalization: the stage. white, alone: what the pre-tokenizer drops and isolates. `ASK` stands for a character that
    those beside it may change: where a form decomposes one that has a combining class after all, where it composes
    any beyond ASCII.
    """

    def __init__(self, normalization: Normalization, white: CharSplit, alone: CharSplit) -> None:
        self.normalization, self.white, self.alone = normalization, white, alone
        self.forms = [one for one in normalization.normalizers if isinstance(one, UnicodeForm)]
        self.composes = any(form.composes for form in self.forms)

    def __missing__(self, code: int) -> str:
        text = "".join(texts_after([self.normalization], Segment.of(chr(code))))
        asks = code >= 0x80 if self.composes else bool(self.forms) and any(map(combining_class, text))
        made = ASK if asks else "".join(map(self.spaced, text))
        if len(self) < MOST:
            self[code] = made
        return made

    def spaced(self, ch: str) -> str:
        if belongs(self.white, ch):
            return " "
        return f" {ch} " if belongs(self.alone, ch) else ch


ASK: Final = "\udcff"
"""Stands for what the stages must be asked for: a character of no text."""

MOST: Final = 1 << 16
"""Characters that are remembered."""

WORDS: Final = re.compile("[^ ]+")


def belongs(splitter: CharSplit, ch: str) -> bool:
    return splitter.class_of(ch) >= 0


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
    return AtWhiteSpace(between, Becomes(between[0], *splitters), Pieces(model))
