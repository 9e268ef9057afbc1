"""The strategy of BERT: white space splits the text, the text between is normalized and split into words, and each word
is looked up.

White space is dropped, and nothing that is done to a word looks beyond it: every pass of the normalization changes a
character by itself, or (a Unicode form) together with the marks after it. So the ids of the text between two spaces can
be cached. What a character becomes, and whether it is white space or a word by itself, is looked up in a table. The
stages run only where marks may be reordered or composed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.fast.piece_encoder import PieceEncoder, texts_after
from explorer.engine.items import Segment
from explorer.engine.normalizers.huggingface import Drop, IsolateChineseChars, Lowercase, NfdFirst, ToSpace
from explorer.engine.normalizers.stage import Lower, Normalization
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Part
from explorer.engine.pre_tokenizers.by_regex import Behavior, PreTokenization
from explorer.engine.pre_tokenizers.huggingface import CharSplit
from explorer.engine.pre_tokenizers.wpm import WpmEvent, WpmWords
from explorer.engine.unicode.versions import combining_class

LOCAL: Final = (Drop, ToSpace, IsolateChineseChars, UnicodeForm, Lowercase, Lower, NfdFirst)
"""Normalizers that do not look across white space, and map each ASCII character by itself to ASCII."""

WHITE: Final = " \t\n\r"
BETWEEN_WHITE: Final = re.compile(f"[^{WHITE}]+")


class AtWhiteSpace:
    """Splits at white space, then looks words up.

    stages: normalization and pre-tokenizer. characters: what each character becomes.
    """

    def __init__(self, stages: Sequence[Part], characters: NormalizedCharacters, encoder: PieceEncoder) -> None:
        self.stages, self.characters = tuple(stages), characters
        self.encoder = encoder
        self.words = PieceCache(encoder)
        """the ids of words"""
        self.cache = PieceCache(self.solve)
        """the ids of text between white space"""

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        return self.cache.all_of(BETWEEN_WHITE.findall(fragment.text))

    def solve(self, text: str) -> Ids:
        """The ids of the text between two white spaces."""
        now = text.translate(self.characters)
        words = texts_after(self.stages, Segment.of(text)) if IN_CONTEXT in now else WORDS.findall(now)
        return tuple(self.words.all_of(words))


Spaced: TypeAlias = Callable[[str], str]
"""From a character to what the pre-tokenizer makes of it: a space, the character between spaces, or within a word."""


class NormalizedCharacters(dict[int, str]):
    """Code point → its normalized text, with a space for white space and around characters that are words.

    `IN_CONTEXT` marks a character whose neighbors may change it: where a form decomposes, one with a combining class;
    where it composes, any beyond ASCII.

    normalization: the stage. spaced: what the pre-tokenizer makes of a normalized character.
    """

    def __init__(self, normalization: Normalization, spaced: Spaced) -> None:
        self.normalization, self.spaced = normalization, spaced
        self.forms = [one for one in normalization.normalizers if isinstance(one, UnicodeForm)]
        self.composes = any(form.composes for form in self.forms)

    def __missing__(self, code: int) -> str:
        text = "".join(texts_after([self.normalization], Segment.of(chr(code))))
        depends = code >= 0x80 if self.composes else bool(self.forms) and any(map(combining_class, text))
        made = IN_CONTEXT if depends else "".join(map(self.spaced, text))
        if len(self) < MOST:
            self[code] = made
        return made


IN_CONTEXT: Final = "\udcff"
"""Marks text that the stages must normalize: a character that no text contains."""

MOST: Final = 1 << 16
"""Characters that are cached."""

WORDS: Final = re.compile("[^ ]+")


def spaced_by(part: Part) -> Spaced | None:
    """What a pre-tokenizer does to each character by itself; None if it does more."""
    if isinstance(part, WpmWords):

        def by_turn(ch: str) -> str:
            kind, now = part.turn(ch)
            if now < 0:
                return " " if kind == WpmEvent.WHITE_SPACE else ""
            return f" {chr(now)} " if kind == WpmEvent.ALONE else chr(now)

        return by_turn
    all_splitters = part.splitters if isinstance(part, PreTokenization) else ()
    splitters = [splitter for splitter in all_splitters if isinstance(splitter, CharSplit)]
    if [each.behavior for each in splitters] != [Behavior.REMOVED, Behavior.ISOLATED] or len(all_splitters) > 2:
        return None
    white_space, words = splitters

    def by_class(ch: str) -> str:
        if white_space.class_of(ch) >= 0:
            return " "
        return f" {ch} " if words.class_of(ch) >= 0 else ch

    return by_class


def at_white_space(between: Sequence[Part], model: Part) -> AtWhiteSpace | None:
    """The strategy, None where these stages do more than drop white space and process words."""
    if len(between) != 2 or not isinstance(between[0], Normalization) or (spaced := spaced_by(between[1])) is None:
        return None
    if not all(isinstance(normalizer, LOCAL) for normalizer in between[0].normalizers):
        return None
    if any(texts_after(between, Segment.of(f"a{white}a")) != ["a", "a"] for white in WHITE):
        return None
    return AtWhiteSpace(between, NormalizedCharacters(between[0], spaced), PieceEncoder(model))
