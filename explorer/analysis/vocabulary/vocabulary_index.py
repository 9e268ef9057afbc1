"""What is known of every token of a vocabulary: bytes, text, class, script, lengths. `index` computes it once per
tokenizer.

The bytes are what the decoder gives for the token alone (`Decoder.alone`). 256,000 tokens take about a second and
50 MB. A facet is a property with few values; each of its values is a set of ids. A vocabulary of all code points is
indexed by rule (`index.CodePointIndex`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from explorer.analysis.vocabulary.classes import (
    NO_SCRIPT,
    Runs,
    Selection,
    TokenClass,
    class_and_script,
    everything,
    ids_in,
    of_flags,
    selection_of,
)
from explorer.analysis.vocabulary.derivation import built_pieces, lattice_of, merging
from explorer.implementations.opened import Opened
from explorer.stages.spelling import How, Spelling
from explorer.vocabulary import SPACE_MARK, PieceKind

BY_KIND: Final[dict[int, TokenClass]] = {
    PieceKind.UNKNOWN: TokenClass.SPECIAL,
    PieceKind.CONTROL: TokenClass.SPECIAL,
    PieceKind.BYTE: TokenClass.BYTE,
    PieceKind.USER_DEFINED: TokenClass.ADDED,
    PieceKind.UNUSED: TokenClass.UNUSED,
}
"""The classes that the vocabulary itself names."""

LONGEST: Final = 4_096
"""Bytes of a token that are classified; what is longer counts by these."""

BYTES_A_TOKEN: Final = 700
"""Memory that an index takes for each token."""


@dataclass(frozen=True, eq=False, repr=False)
class VocabularyIndex:
    """The tokens of one tokenizer.

    data: the bytes of each id. texts: those as text, a malformed byte as a lone surrogate. classes, scripts: by id.
    """

    tokenizer: Opened
    spelling: Spelling
    data: Sequence[bytes]
    texts: Sequence[str]
    classes: Sequence[TokenClass]
    scripts: Sequence[str]

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<VocabularyIndex of {self.tokenizer.name}, {len(self)} tokens>"

    @property
    def weight(self) -> int:
        """Bytes of memory, as a cache counts them."""
        return BYTES_A_TOKEN * len(self)

    def ids_by_data(self) -> Mapping[bytes, int]:
        """The id of each token by its bytes; of several the last."""
        return {data: id for id, data in enumerate(self.data) if data}

    @cached_property
    def lowered(self) -> Sequence[str]:
        """The texts in lower case."""
        return tuple(map(str.lower, self.texts))

    @cached_property
    def letters(self) -> Mapping[str, tuple[int, ...]]:
        """The ids by their text in lower case without white space around it: those of more than one token."""
        found: dict[str, list[int]] = defaultdict(list)
        for id, text in enumerate(self.lowered):
            found[text.strip()].append(id)
        return {text: tuple(ids) for text, ids in found.items() if text and len(ids) > 1}

    @cached_property
    def same_bytes(self) -> Mapping[bytes, tuple[int, ...]]:
        """The ids by their bytes, where several tokens have the same ones. Special tokens don't count."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for id, data in enumerate(self.data):
            if data and self.classes[id] is not TokenClass.SPECIAL:
                found[data].append(id)
        return {data: tuple(ids) for data, ids in found.items() if len(ids) > 1}

    @cached_property
    def kinds(self) -> Mapping[str, Selection]:
        """By class, the ids."""
        return by_value(self.classes)

    @cached_property
    def facets(self) -> Mapping[str, Mapping[str, Selection]]:
        """By facet and value, the ids; values with most ids first."""
        return {
            "kind": self.kinds,
            "script": by_value(self.scripts),
            "with": {"a space first": self.spaced, "whole words": self.whole_words, "no valid UTF-8": self.broken},
        }

    @cached_property
    def spaced(self) -> Selection:
        """The tokens that begin with a space."""
        return of_flags(bytes(data[:1] == b" " for data in self.data))

    @cached_property
    def whole_words(self) -> Selection:
        """The tokens that can be a word by themselves: those that begin one, and their twins without the space."""
        kinds, texts = self.kinds, self.texts
        begin = kinds.get(TokenClass.WORD_START, 0)
        if not begin:
            return 0
        starts = {texts[id] for id in ids_in(begin, len(self))}
        letters = ids_in(kinds.get(TokenClass.LETTERS, 0), len(self))
        return begin | selection_of((id for id in letters if f" {texts[id]}" in starts), len(self))

    @cached_property
    def built(self) -> bytes:
        """A flag for each token: whether it is known that merges alone build it, without merging its symbols."""
        model, pieces = merging(self.tokenizer), self.tokenizer.vocabulary.pieces
        return bytes(map(built_pieces(model).__contains__, pieces)) if model is not None else bytes(len(self))

    @cached_property
    def uncut(self) -> frozenset[str]:
        """Pieces that are known to be the best path through their own lattice; none of a model without one."""
        # numpy takes a tenth of a second
        from explorer.analysis.vocabulary.uncut_pieces import uncut_pieces

        lattice = lattice_of(self.tokenizer)
        return uncut_pieces(lattice.scores) if lattice is not None else frozenset()

    @cached_property
    def broken(self) -> Selection:
        """The tokens whose bytes aren't valid UTF-8."""
        return selection_of((id for id, text in enumerate(self.texts) if is_broken(text)), len(self))

    @cached_property
    def byte_lengths(self) -> Mapping[int, Selection]:
        """By length in bytes, the ids."""
        return of_lengths([len(data) for data in self.data])

    @cached_property
    def character_lengths(self) -> Mapping[int, Selection]:
        """By length in code points, the ids; a malformed byte counts as one."""
        return of_lengths([len(text) for text in self.texts])

    @cached_property
    def all(self) -> Selection:
        """All ids with a token."""
        return everything(len(self)) & ~self.kinds.get(TokenClass.NO_TOKEN, 0)


def columns(
    spelling: Spelling, tokenizer: Opened, ids: Iterable[int]
) -> tuple[tuple[bytes, ...], tuple[str, ...], tuple[TokenClass, ...], tuple[str, ...]]:
    """The bytes, texts, classes and scripts of these tokens."""
    alone = tokenizer.decoder.alone
    data, texts, classes, scripts = [], [], [], []
    for id in ids:
        found = alone(id)
        text = found.decode("utf-8", "surrogateescape")
        data.append(found)
        texts.append(text)
        of_text, script = class_and_script(text[:LONGEST]) if text else (TokenClass.NO_BYTES, NO_SCRIPT)
        of = class_in(spelling, id, text[:LONGEST], of_text)
        classes.append(of)
        scripts.append(script if of is not TokenClass.SPECIAL else NO_SCRIPT)
    return tuple(data), tuple(texts), tuple(classes), tuple(scripts)


def class_in(spelling: Spelling, id: int, text: str, found: TokenClass) -> TokenClass:
    """The class of a token of this vocabulary. text: the beginning of its text. found: the class of that."""
    vocabulary = spelling.vocabulary
    kind = vocabulary.kinds[id]
    if kind in BY_KIND:
        return BY_KIND[kind]
    piece = vocabulary.pieces[id]
    if not piece and kind == PieceKind.UNDEFINED:
        return TokenClass.NO_TOKEN
    if is_broken(text):
        return TokenClass.PART
    if found is TokenClass.LETTERS and begins_word(spelling, piece):
        return TokenClass.WORD_START
    return found


def begins_word(spelling: Spelling, piece: bytes) -> bool:
    """Whether a piece is marked as the beginning of a word, or the others are marked."""
    if spelling.how is How.PHANTOM:
        return piece.startswith(SPACE_MARK.encode())
    return bool(spelling.prefix) and not piece.startswith(spelling.prefix)


def is_broken(text: str) -> bool:
    """Whether a text contains a malformed byte."""
    return not text.isascii() and MALFORMED.search(text) is not None


MALFORMED: Final = re.compile("[\udc80-\udcff]")
"""A byte of malformed UTF-8, as "surrogateescape" spells it."""


def by_value(values: Sequence[str]) -> Mapping[str, Selection]:
    """By value, the ids that have it; those with most ids first."""
    if isinstance(values, Runs):
        return most_first(values.selections())
    flags_of_value: dict[str, bytearray] = {}
    for id, value in enumerate(values):
        if value not in flags_of_value:
            flags_of_value[value] = bytearray(len(values))
        flags_of_value[value][id] = 1
    return most_first({str(value): of_flags(flags) for value, flags in flags_of_value.items()})


def most_first(selections: Mapping[str, Selection]) -> dict[str, Selection]:
    """The selections by size, the largest first."""
    return dict(sorted(selections.items(), key=lambda each: -each[1].bit_count()))


def of_lengths(lengths: list[int]) -> dict[int, Selection]:
    """By length, the ids, ascending."""
    found: dict[int, list[int]] = defaultdict(list)
    for id, length in enumerate(lengths):
        found[length].append(id)
    return {length: selection_of(ids, len(lengths)) for length, ids in sorted(found.items())}
