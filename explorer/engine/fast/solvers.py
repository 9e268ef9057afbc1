"""The ids of one piece, as its model gives them: what the memory asks when it does not know a piece.

A short chain is merged without a queue (`chains`), and a short lattice gone through without telling of it (`lattices`);
whatever is out of the ordinary there (a long piece, a character the vocabulary does not hold) is given to the model
itself, and every other model always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import singledispatch
from math import inf
from typing import Final

from explorer.engine.fast.cache import Ids
from explorer.engine.fast.chains import SHORT, merged
from explorer.engine.fast.lattices import best_way, lengths_by_two
from explorer.engine.items import Segment, Token
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.bpe_rules import BETWEEN, JoinedRanks, MergeKeys, MergeList
from explorer.engine.models.bpe_symbols import Bytes, KnownCharacters
from explorer.engine.models.spm import Spm
from explorer.engine.models.trie import TrieMatch
from explorer.engine.models.unigram import Unigram
from explorer.engine.options import Options
from explorer.engine.part import Part
from explorer.engine.trace import silent
from explorer.vocabulary import PieceKind

Solve = Callable[[str], Ids]

BYTE = tuple(bytes([byte]) for byte in range(256))
"""Every byte as a symbol."""


def by_itself(model: Part) -> Solve:
    """The model, run on the piece."""

    def solve(piece: str) -> Ids:
        items = model.run([Segment.of(piece)], Options(), silent)
        return tuple([item.id for item in items if isinstance(item, Token)])

    return solve


@singledispatch
def solver(model: Part) -> Solve:
    """What gives the ids of a piece under a model, as fast as it can be had. See `taken_whole` for what comes first.

    >>> from explorer.vocabulary import Vocabulary
    >>> solver(Bpe(Vocabulary.of([b"a", b"b", b"ab"]), MergeList([b"a b"])))("abba")
    (2, 1, 0)
    """
    return by_itself(model)


@solver.register
def _(model: Bpe) -> Solve:
    def exact(piece: str) -> Ids:
        return tuple([cut.id for cut in model.merged(piece)])

    if not is_plain(model):
        return exact
    rule, ids = model.rule, model.ids
    ranks: Mapping[bytes, float]
    if isinstance(rule, JoinedRanks):
        ranks, between = rule.ranks, b""
    else:
        assert isinstance(rule, MergeList)
        ranks, between = rule.ranks, BETWEEN
    in_bytes, known = isinstance(model.start, Bytes), isinstance(model.start, KnownCharacters)

    def solve(piece: str) -> Ids:
        parts = [BYTE[byte] for byte in piece.encode()] if in_bytes else [ch.encode() for ch in piece]
        if len(parts) > SHORT or (known and not all(map(ids.__contains__, parts))):
            return exact(piece)
        try:
            return tuple(map(ids.__getitem__, merged(parts, ranks, between)))
        except KeyError:
            return exact(piece)

    return solve


def taken_whole(model: Part) -> Callable[[str], int | None] | None:
    """The token that a piece is as a whole, where a model takes it so without merging; None where none does.

    A piece, but no part of one: what merges make of the part may be something else.
    """
    if not isinstance(model, Bpe) or model.whole is False:
        return None
    ids, may_be_whole = model.ids, model.may_be_whole
    return lambda piece: ids.get(piece.encode()) if may_be_whole(piece) else None


def is_plain(model: Bpe) -> bool:
    """Whether symbols are spelled alike wherever they stand, and merged by one of the two known rules."""
    start = model.start
    marked = isinstance(start, KnownCharacters) and bool(start.prefix or start.suffix)
    return not model.dropped and not marked and isinstance(model.rule, JoinedRanks | MergeList)


@solver.register
def _(model: Spm) -> Solve:
    if model.resegment_unused and PieceKind.UNUSED in model.vocabulary.kinds:
        return by_itself(model)
    vocabulary, exact = model.vocabulary, by_itself(model)
    usable = [model.usable[kind] for kind in vocabulary.kinds]
    ids = {piece: id for piece, id in vocabulary.ids.items() if usable[id]}
    ranks = {piece: -vocabulary.scores[id] for piece, id in ids.items()}

    def solve(piece: str) -> Ids:
        if len(piece) > SHORT:
            return exact(piece)
        try:
            return tuple(map(ids.__getitem__, merged([ch.encode() for ch in piece], ranks, b"")))
        except KeyError:
            return exact(piece)

    return solve


@solver.register
def _(model: Unigram) -> Solve:
    exact, rules, kinds = by_itself(model), model.rules, model.vocabulary.kinds
    if rules.single:
        return exact
    kept = rules.pieces - rules.passed_over
    usable = bytes(kind in kept for kind in range(len(PieceKind)))
    ids: dict[str, int] = {}
    for piece, id in model.ids.items():
        if piece and usable[kinds[id]] and (text := text_of(piece)) is not None:
            ids[text] = id
    scores = {text: model.score(id) for text, id in ids.items()}
    if not all(abs(score) < ORDINARY for score in scores.values()):
        return exact
    lengths = lengths_by_two(scores)

    def solve(piece: str) -> Ids:
        way = best_way(piece, scores, lengths) if len(piece) <= SHORT else None
        if way is None:
            return exact(piece)
        found = tuple(map(ids.__getitem__, way))
        # the unknown token joins others of its like, wherever it comes from
        return exact(piece) if model.unknown in found else found

    return solve


ORDINARY: Final = 1e100
"""A sum of so small scores is finite."""


def text_of(piece: bytes) -> str | None:
    """A piece as text, None where it is none: then no text holds it."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


@singledispatch
def pieces(model: Part) -> Iterable[bytes] | None:
    """Every piece a model can make, None where its tokens cannot be told from the characters beside them.

    A text may be cut where no piece crosses, if what comes before the cut cannot change what comes behind it.
    """
    return None


@pieces.register
def _(model: Bpe) -> Iterable[bytes] | None:
    if not is_plain(model):
        return None
    rule = model.rule
    # Hugging Face refuses a merge that makes no piece; llama.cpp merges it and takes it apart at the end
    if isinstance(rule, MergeList) and not isinstance(rule, MergeKeys):
        made = [key.replace(BETWEEN, b"", 1) for key in rule.ranks]
        return {*model.ids, *made}
    return model.ids


def leaves_out(model: Part) -> bool:
    """Whether characters that are no pieces are left out, so that those beside them come together."""
    start = model.start if isinstance(model, Bpe) else None
    if not isinstance(start, KnownCharacters) or start.unknown is not None:
        return False
    return not (start.byte_fallback and all(b"<0x%02X>" % byte in start.ids for byte in range(256)))


@pieces.register
def _(model: Spm) -> Iterable[bytes] | None:
    return model.vocabulary.pieces


@pieces.register
def _(model: TrieMatch) -> Iterable[bytes] | None:
    return model.vocabulary.pieces


@pieces.register
def _(model: Unigram) -> Iterable[bytes] | None:
    # sums in 32 bits depend on all that came before
    if model.rules.single or can_make_unknown(model):
        return None
    return model.ids


def can_make_unknown(model: Unigram) -> bool:
    """Whether the unknown token is a piece that a text may hold: it then joins unknown characters beside it."""
    if model.unknown is None:
        return False
    kind, piece = model.vocabulary.kinds[model.unknown], model.vocabulary.pieces[model.unknown]
    return kind in model.rules.pieces and model.ids.get(piece) == model.unknown


def alone(model: Part) -> frozenset[str] | None:
    """The characters that are pieces by themselves, None where nobody asks.

    Where a run of characters without a piece becomes *one* unknown token, a text may not be cut within such a run: it
    may be cut only if each of its characters is a piece.
    """
    if isinstance(model, Bpe):
        found: Iterable[bytes] | None = model.ids if isinstance(model.start, KnownCharacters) else None
    elif isinstance(model, Spm):
        found = None if model.byte_fallback else model.vocabulary.pieces
    elif isinstance(model, Unigram):
        passed_over = model.rules.passed_over
        kinds = model.vocabulary.kinds
        found = [piece for piece, id in model.ids.items() if kinds[id] not in passed_over]
    else:
        found = None
    if found is None:
        return None
    texts = (piece.decode("utf-8", "surrogateescape") for piece in found if len(piece) <= 4)
    return frozenset(text for text in texts if len(text) == 1)


PRECISION: Final = 53
"""Bits of a 64-bit sum."""


def longest_exact(model: Part) -> float:
    """How long a text may be so that sums of scores in 64 bits are exact: all are multiples of one power of two.

    Only then is a part of a text cut as it is within the whole. The best way to a place is no worse than the one that
    goes there character by character, and no better than the highest score for each.
    """
    if not isinstance(model, Unigram):
        return inf
    vocabulary = model.vocabulary
    scores = {*vocabulary.scores, model.rules.unknown_score}
    steps = max(score.as_integer_ratio()[1] for score in scores)
    single = (vocabulary.scores[id] for piece, id in model.ids.items() if len(piece) <= 4 and is_one(piece))
    a_character = max(abs(model.rules.unknown_score), *map(abs, single), *scores)
    return (2.0**PRECISION / steps - max(map(abs, scores))) / a_character if a_character else inf


def is_one(piece: bytes) -> bool:
    """Whether a piece is one character, or may be."""
    return len(piece.decode("utf-8", "replace")) == 1
