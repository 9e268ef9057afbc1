"""The arguments of compiled functions, grouped: what belongs together is one named tuple of arrays and numbers.

In Python an array is anything that is indexed; compiled, it is a bare pointer to numbers of the kind that its
annotation names (`build`).
"""

from __future__ import annotations

from typing import Annotated, Any, Final, NamedTuple, TypeAlias

Octets: TypeAlias = Annotated[Any, "uint8"]
Numbers: TypeAlias = Annotated[Any, "int32"]
Words: TypeAlias = Annotated[Any, "int64"]
Floats: TypeAlias = Annotated[Any, "float64"]


class Scanner(NamedTuple):
    """What belongs to a pattern. family, digits, flags: of `scanners.scan`. classes: of every code point."""

    family: int
    digits: int
    flags: int
    classes: Octets


class Generation(NamedTuple):
    """One generation of the memory of pieces. slots, mask, texts: a table of `tables`. pool: longer lists of
    ids. counters: how much is used."""

    slots: Words
    mask: int
    pool: Numbers
    pool_room: int
    texts: Octets
    text_room: int
    counters: Words


class Model(NamedTuple):
    """What belongs to a vocabulary.

    does: bits of `solving`. slots, mask, texts: its symbols by their bytes. byte_symbols: the symbol, or id, of each
    byte. ids_of: the id of each symbol. pairs, pair_mask: merges by pair. nodes, tokens: its pieces as a trie, and the
    id at each node. scores: of Unigram. rules: words whose meaning each model names.
    """

    does: int
    slots: Words
    mask: int
    texts: Octets
    byte_symbols: Numbers
    ids_of: Numbers
    pairs: Words
    pair_mask: int
    nodes: Words
    tokens: Numbers
    scores: Floats
    rules: Words


class Respelling(NamedTuple):
    """What is done to a piece before its model sees it. does: bits of `respelling`. units, strings: the character
    map."""

    does: int
    units: Words
    strings: Octets


class Spelled(NamedTuple):
    """What characters become before WordPiece. characters: by code point, the index of its spelling, whose size comes
    first, in `spellings`; 0 where it is not known, negative where it depends on its neighbors. word: memory for a word.
    """

    characters: Numbers
    spellings: Octets
    word: Octets
    word_room: int


class Scratch(NamedTuple):
    """Memory for solving a piece of up to `room` bytes. symbols: a word each; links: `solving.SCRATCH` words each.
    text: the piece respelled, `text_room` bytes. sums: of Unigram."""

    room: int
    symbols: Words
    links: Words
    text: Octets
    text_room: int
    sums: Floats


class Output(NamedTuple):
    """Memory for `room` ids, and for how many there are after each text."""

    ids: Numbers
    room: int
    text_ends: Words


# words of the state, which says how far a call came
PIECE: Final = 0
"""Index of the next piece."""
START: Final = 1
"""The offset at which it begins."""
WRITTEN: Final = 2
"""Ids written."""
TEXTS: Final = 3
"""Texts ended."""
COUNT: Final = 4
"""Pieces found, of which the next one is a part."""

# why a call stops
DONE: Final = 0
FULL: Final = 1
"""The young generation has no room."""
UNSOLVED: Final = 2
"""The model in Python has to solve this piece."""
TOO_LONG: Final = 3
"""The scratch memory is too small for this piece."""
NO_SPACE: Final = 4
"""The output may be too small for the ids of the next piece."""
MORE: Final = 5
"""As much was done as was asked for."""
