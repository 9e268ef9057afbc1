"""Models of SentencePiece's kind as tables: merges by score, Unigram, and what is done to a piece before them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from explorer.engine.fast.compiled import build, respelling, scored_merges, solving, viterbi
from explorer.engine.fast.compiled.arrays import Numbers, Octets, Words, octets
from explorer.engine.fast.compiled.trie_tables import trie_of
from explorer.engine.fast.compiled.utf8 import NOTHING, PADDING
from explorer.engine.fast.compiled.vocabulary import (
    LONGEST_SYMBOLS,
    NO_MODEL,
    Colliding,
    Tables,
    joined,
    pairs_by_rank,
    slots_of,
    tables_of,
)
from explorer.engine.fast.solvers import ORDINARY, pair_ranks, pieces_of_paths
from explorer.engine.fast.spaces import SPACE, Spaces
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Part
from explorer.text.utf8 import is_utf8
from explorer.vocabulary import PieceKind

NO_SCORES: Final = np.zeros(1, np.float64)
NO_RULES: Final = np.zeros(256, np.int64)
"""The units of a character map without rules."""


class Respelling(NamedTuple):
    """What is done to a piece, as arguments of `pieces.encode`. model: those of the model that are not in `Tables`."""

    spaces: int
    units: Words
    strings: Octets
    model: Mapping[str, Any]


NO_RESPELLING: Final = Respelling(0, NO_RULES, octets(PADDING), {"scores": NO_SCORES})
"""A model that sees a piece as it is."""


def respelled_tables(model: Part, spaces: Spaces, functions: build.Functions) -> tuple[Tables, Respelling]:
    """The tables of a model whose texts are cut at spaces; NO_MODEL where its pieces are solved in Python."""
    done = respelling_of(spaces)
    try:
        if done is not None and isinstance(model, Unigram):
            found, more = lattice_of(model, functions)
        elif done is not None and isinstance(model, Spm):
            found, more = scores_of(model, functions)
        elif done is not None and isinstance(model, Bpe) and not callable(model.whole):
            found, more = tables_of(model, functions, bytes_spelled=False), {}
        else:
            return NO_MODEL, NO_RESPELLING
    except Colliding:
        return NO_MODEL, NO_RESPELLING
    return found, done._replace(model={**NO_RESPELLING.model, **more})


def respelling_of(spaces: Spaces) -> Respelling | None:
    """What is done to a piece, None where only Python can do it."""
    if not spaces.mapped_only:
        return None
    what = respelling.RESPELLED | (0 if spaces.written == SPACE else respelling.MARKED)
    if spaces.dropped:
        what |= respelling.WORDS
    if spaces.maps:
        what |= respelling.MAPPED
    units, strings = NO_RULES, octets(PADDING)
    if spaces.charsmap is not None:
        if not is_utf8(spaces.charsmap.strings):
            return None
        units, strings = np.array(spaces.charsmap.units, np.int64), octets(spaces.charsmap.strings)
    return NO_RESPELLING._replace(spaces=what, units=units, strings=strings)


def lattice_of(model: Unigram, functions: build.Functions) -> tuple[Tables, dict[str, Any]]:
    """The tables of Unigram with sums in 64 bits. Raises Colliding."""
    rules = model.rules
    id_of = pieces_of_paths(model)
    pieces = [*map(str.encode, id_of)]
    scores = np.zeros(len(model.vocabulary) + 1)
    scores[0] = rules.unknown_score
    numbers = np.fromiter(id_of.values(), np.int64, len(pieces))
    scores[numbers + 1] = np.fromiter(map(model.score, id_of.values()), np.float64, len(pieces))
    if rules.single or rules.by_spelling or not np.all(np.abs(scores) < ORDINARY):
        raise Colliding
    what = rules.fuse_unknown * viterbi.FUSED | rules.byte_fallback * viterbi.FALLBACK
    unknown = -1 if model.unknown is None else model.unknown
    nodes, tokens = trie_of(zip(pieces, id_of.values(), strict=True), functions)
    found = NO_MODEL._replace(model=solving.LATTICE, byte_symbols=of_bytes(model.bytes))
    longest = max(map(len, pieces), default=1)
    words = np.array([unknown, what, longest], np.int64)
    return found, {"nodes": nodes, "tokens": tokens, "scores": scores, "rules": words}


def scores_of(model: Spm, functions: build.Functions) -> tuple[Tables, dict[str, Any]]:
    """The tables of merges by score. Raises Colliding."""
    vocabulary = model.vocabulary
    given, _ = pair_ranks(model)
    usable = {piece: vocabulary.ids[piece] for piece in given if piece}
    scores = np.array([given[piece] for piece in usable], np.float64)
    if np.isnan(scores).any() or sum(len(piece) ** 2 for piece in usable) > LONGEST_SYMBOLS:
        raise Colliding
    # in order and without gaps: only the order of scores counts
    ranks = np.unique(scores, return_inverse=True)[1].astype(np.int64)
    symbols = dict(zip(usable, range(len(usable)), strict=True))
    ids_of = [*usable.values()]
    if model.takes_apart:
        unused = NOTHING + 1
        ids_of = [-unused if vocabulary.kinds[id] == PieceKind.UNUSED else id for id in ids_of]
    # a pair may merge though its characters are not pieces
    for ch in sorted({ch for piece in usable for ch in piece.decode("utf-8", "ignore")}):
        if (data := ch.encode()) not in symbols:
            symbols[data] = len(symbols)
            ids_of.append(-1 - ord(ch))
    texts, starts = joined(symbols, False)
    slots, mask = slots_of(texts, starts, functions)
    pairs = pairs_by_rank(slots, mask, texts, starts, ranks, functions)
    fallback = of_bytes([None if one is None else one.token for one in model.fallback])
    words = np.zeros(3, np.int64)
    words[scored_merges.UNKNOWN] = -1 if model.unknown is None else model.unknown
    words[scored_merges.FALLBACK] = model.byte_fallback
    found = Tables(solving.SCORED, slots, mask, texts, fallback, np.array(ids_of, np.int32), pairs, len(pairs) // 2 - 1)
    return found, {"rules": words}


def of_bytes(ids: list[int | None]) -> Numbers:
    """The ids of bytes as an array, -1 for none."""
    return np.array([-1 if id is None else id for id in ids or [None] * 256], np.int32)
