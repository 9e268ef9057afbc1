"""The ids of one piece, and the strategy that needs nothing else. A long piece is first cut where no token crosses.

Where two adjacent characters of a text are adjacent in no piece, no token crosses the boundary between them: no merge
can join them, and no longest match and no path through a lattice reaches across. So the text can be cut there before
the algorithm runs, and the parts cached. A long piece, such as a sentence of Chinese, becomes short ones.

A piece may begin or end within a character (byte-level BPE, RWKV). Then a character's bytes are compared with the
bytes at the piece's end or beginning.

`ByStages` is the strategy that is always safe: the stages before the model run as they are, and the model sees only new
pieces.

A solver gives the ids of a piece that the cache does not know. Short pieces are merged without a queue, or solved
without a lattice of rows or events. Anything unusual (a long piece, a character outside the vocabulary) goes to the
model itself, and so does every other model.

`merged` makes the same merges as `merges.merge` in the same order: the best pair first, equal pairs from the left. The
ranks of the pairs are kept in a list, and `min` finds the best. For so few symbols that is several times as fast as a
heap with its stale entries. `best_path` finds the same path as `Unigram.best_path` and adds in the same order: of equal
sums, the path whose last token begins first. A piece is looked up by characters, not bytes, and only lengths are tried
that some piece has which begins with the next two characters. Neither emits events, so the traced path does not use
them; property tests hold them equal to the models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf
from operator import add
from typing import AnyStr

from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.models.bpe import BETWEEN, Bpe, Bytes, KnownCharacters, MergeableRanks, MergeKeys, MergeList
from explorer.engine.models.longest_match import TrieMatch
from explorer.engine.models.spm import RenumberedSpm, Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Options, Part, Segment, Token, run_through, silent
from explorer.text.input import text_of
from explorer.vocabulary import BYTE_PIECES, PieceKind, bytes_of, printable

SHORT = 160
"""Symbols. A longer chain is merged with the queue: `min` scans all of it each time, which costs more from about 200
symbols."""


def merged(parts: list[AnyStr], ranks: Mapping[AnyStr, float], between: AnyStr) -> list[AnyStr]:
    """The symbols left when no pair may merge any more. Consumes `parts`.

    ranks: by two neighbors with `between` between them, lowest first; a pair that is missing may not merge.

    >>> merged(list("abbc"), {"ab": 1, "bc": 0}, "")
    ['ab', 'bc']
    """
    rank = ranks.get
    by_pair = [rank(left + between + right, inf) for left, right in pairwise(parts)]
    while by_pair:
        best = min(by_pair)
        if best == inf:
            break
        at = by_pair.index(best)
        parts[at] += parts.pop(at + 1)
        del by_pair[at]
        if at < len(by_pair):
            by_pair[at] = rank(parts[at] + between + parts[at + 1], inf)
        if at:
            by_pair[at - 1] = rank(parts[at - 1] + between + parts[at], inf)
    return parts


Lengths = dict[str, tuple[int, ...]]


def lengths_by_two(texts: Iterable[str]) -> Lengths:
    """First two characters → the lengths of the texts that begin with them, ascending.

    >>> lengths_by_two(["a", "ab", "abcd", "ba"])
    {'ab': (2, 4), 'ba': (2,)}
    """
    by_two: dict[str, set[int]] = {}
    for text in texts:
        if len(text) > 1:
            by_two.setdefault(text[:2], set()).add(len(text))
    return {two: tuple(sorted(lengths)) for two, lengths in by_two.items()}


def best_path(piece: str, scores: Mapping[str, float], lengths: Lengths) -> list[str] | None:
    """The texts of the best tokens in order; None where a character is not a piece.

    scores: of every text that may be a token; finite. lengths: from `lengths_by_two`.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5}
    >>> best_path("aab", scores, lengths_by_two(scores)), best_path("ac", scores, {})
    (['a', 'ab'], None)
    """
    count = len(piece)
    best = [0.0, *[-inf] * count]
    came_from = [0] * (count + 1)
    score_of = scores.get
    for start, ch in enumerate(piece):
        score = score_of(ch)
        if score is None:
            return None
        here = best[start]
        end = start + 1
        if here + score > best[end]:
            best[end] = here + score
            came_from[end] = start
        for length in lengths.get(piece[start : start + 2], ()):
            end = start + length
            if end > count:
                break
            score = score_of(piece[start:end])
            if score is not None and here + score > best[end]:
                best[end] = here + score
                came_from[end] = start
    path = []
    while count:
        start = came_from[count]
        path.append(piece[start:count])
        count = start
    path.reverse()
    return path


Solve = Callable[[str], Ids]

BYTE = tuple(bytes([byte]) for byte in range(256))
"""Every byte as a symbol."""


def run_model(model: Part) -> Solve:
    """Runs the model on a piece."""

    def solve(piece: str) -> Ids:
        items = model.run([Segment.of(piece)], Options(), silent)
        return tuple([item.id for item in items if isinstance(item, Token)])

    return solve


def solver(model: Part) -> Solve:
    """The fastest function that gives a model's ids for a piece. Callers try `taken_whole` first.

    >>> from explorer.vocabulary import Vocabulary
    >>> solver(Bpe(Vocabulary.of([b"a", b"b", b"ab"]), MergeList([b"a b"])))("abba")
    (2, 1, 0)
    """
    if isinstance(model, Bpe):
        return bpe_solver(model)
    exact = run_model(model)
    if isinstance(model, Unigram) and not model.rules.single:
        lattice = LatticeSolver(model, exact)
        return lattice if all(abs(score) < ORDINARY for score in lattice.scores.values()) else exact
    if not isinstance(model, Spm) or isinstance(model, RenumberedSpm) or model.takes_apart:
        return exact
    ranks, between = pair_ranks(model)
    ids = {piece: model.vocabulary.ids[piece] for piece in ranks}
    return merging(ids, ranks, between, in_characters, exact)


def bpe_solver(model: Bpe) -> Solve:
    """The ids of a piece by merges alone."""

    def exact(piece: str) -> Ids:
        return tuple([token.id for token in model.merged(piece)])

    if not is_plain(model):
        return exact
    symbols = in_bytes if isinstance(model.initial, Bytes) else in_characters
    return merging(model.ids, *pair_ranks(model), symbols, exact, known=isinstance(model.initial, KnownCharacters))


def merging(
    ids: Mapping[bytes, int],
    ranks: Mapping[bytes, float],
    between: bytes,
    symbols: Callable[[str], list[bytes]],
    exact: Solve,
    *,
    known: bool = False,
) -> Solve:
    """Merges short pieces without a queue. exact: for all others. known: every symbol has to be a piece."""

    def solve(piece: str) -> Ids:
        parts = symbols(piece)
        if len(parts) > SHORT or (known and not all(map(ids.__contains__, parts))):
            return exact(piece)
        try:
            return tuple(map(ids.__getitem__, merged(parts, ranks, between)))
        except KeyError:
            return exact(piece)

    return solve


def in_bytes(piece: str) -> list[bytes]:
    """The bytes of a piece."""
    return [BYTE[byte] for byte in piece.encode()]


def in_characters(piece: str) -> list[bytes]:
    """The characters of a piece in UTF-8."""
    return [ch.encode() for ch in piece]


def taken_whole(model: Part) -> Callable[[str], int | None] | None:
    """A look-up of pieces that a model takes whole, without merging; None for a model that does not.

    It is for pieces, not for parts of one: merges may turn the part into something else.
    """
    if not isinstance(model, Bpe) or model.whole is False:
        return None
    ids, may_be_whole = model.ids, model.may_be_whole
    return lambda piece: ids.get(piece.encode()) if may_be_whole(piece) else None


def is_plain(model: Bpe) -> bool:
    """Whether a symbol's spelling does not depend on its position, and one of the two known rules merges."""
    marked = bool(model.prefix or model.suffix)
    return not model.dropped and not marked and isinstance(model.rule, MergeableRanks | MergeList)


def pair_ranks(model: Bpe | Spm) -> tuple[Mapping[bytes, float], bytes]:
    """The ranks of pairs, lowest first, by both spellings with the second result between them. A BPE must be plain.

    >>> from explorer.vocabulary import Vocabulary
    >>> pair_ranks(Spm(Vocabulary.of([b"a", b"b", b"ab"], [-1.0, -2.0, -3.0])))
    ({b'a': 1.0, b'b': 2.0, b'ab': 3.0}, b'')
    """
    if isinstance(model, Spm):
        vocabulary = model.vocabulary
        usable = [model.usable[kind] for kind in vocabulary.kinds]
        return {piece: -vocabulary.scores[id] for piece, id in vocabulary.ids.items() if usable[id]}, b""
    if isinstance(model.rule, MergeableRanks):
        return model.rule.ranks, b""
    assert isinstance(model.rule, MergeList), "a plain BPE has one of the two rules"
    return model.rule.ranks, BETWEEN


class LatticeSolver:
    """The ids of the best path through a lattice whose sums are kept in 64 bits.

    exact: for long pieces and unknown characters. ids, scores: of the pieces that a path may use, by text.
    """

    def __init__(self, model: Unigram, exact: Solve) -> None:
        self.exact, self.unknown = exact, model.unknown
        self.ids = pieces_of_paths(model)
        self.scores = {text: model.score(id) for text, id in self.ids.items()}

    def __call__(self, piece: str) -> Ids:
        """The ids of a piece."""
        path = best_path(piece, self.scores, self.lengths) if len(piece) <= SHORT else None
        if path is None:
            return self.exact(piece)
        found = tuple(map(self.ids.__getitem__, path))
        # the model joins neighboring unknown tokens, whatever made them
        return self.exact(piece) if self.unknown in found else found

    @cached_property
    def lengths(self) -> Lengths:
        """For `best_path`."""
        return lengths_by_two(self.scores)


def pieces_of_paths(model: Unigram) -> dict[str, int]:
    """The pieces that a path through a lattice may use: text → id."""
    kinds, kept = model.vocabulary.kinds, model.rules.pieces - model.rules.passed_over
    usable = bytes(kind in kept for kind in range(len(PieceKind)))
    ids: dict[str, int] = {}
    for piece, id in model.ids.items():
        if piece and usable[kinds[id]] and (text := text_of(piece)) is not None:
            ids[text] = id
    return ids


ORDINARY = 1e100
"""A sum of scores below this is finite."""


def pieces_of(model: Part) -> Iterable[bytes] | None:
    """Every piece a model can make; None where text before a cut could change the tokens after it.

    A text may be cut where none of these pieces crosses.
    """
    if isinstance(model, Bpe) and is_plain(model):
        rule = model.rule
        # Hugging Face refuses a merge whose result is not a piece; llama.cpp merges it and splits it at the end
        if isinstance(rule, MergeList) and not isinstance(rule, MergeKeys):
            return {*model.ids, *(key.replace(BETWEEN, b"", 1) for key in rule.ranks)}
        return model.ids
    if isinstance(model, Unigram):
        # sums in 32 bits depend on all preceding text
        return None if model.rules.single or can_make_unknown(model) else model.ids
    if isinstance(model, Spm | TrieMatch) and not isinstance(model, RenumberedSpm):
        return model.vocabulary.pieces
    return None


def drops_characters(model: Part) -> bool:
    """Whether characters that are not pieces are dropped, so that their neighbors become adjacent."""
    initial = model.initial if isinstance(model, Bpe) else None
    if not isinstance(initial, KnownCharacters) or initial.unknown is not None:
        return False
    return not (initial.byte_fallback and all(piece in initial.ids for piece in BYTE_PIECES))


def stand_ins(model: Part) -> list[bytes]:
    """The symbols that characters without a piece become before they merge."""
    if not isinstance(model, Bpe) or not isinstance(model.initial, KnownCharacters):
        return []
    made = BYTE_PIECES if model.initial.byte_fallback else ()
    unknown = model.initial.unknown
    return [piece for piece in (unknown, *made) if piece is not None and piece in model.ids]


def can_make_unknown(model: Unigram) -> bool:
    """Whether text may contain the unknown token as a piece: it then joins unknown characters next to it."""
    if model.unknown is None:
        return False
    kind, piece = model.vocabulary.kinds[model.unknown], model.vocabulary.pieces[model.unknown]
    return kind in model.rules.pieces and model.ids.get(piece) == model.unknown


def single_characters(model: Part) -> frozenset[str] | None:
    """The characters that are pieces; None where it does not matter.

    Where a run of characters without a piece becomes *one* unknown token, a text may not be cut within such a run. So
    it is cut only if each of its characters is a piece.
    """
    if isinstance(model, Bpe) and isinstance(model.initial, KnownCharacters):
        pieces: Iterable[bytes] = model.ids
    elif isinstance(model, Spm) and not model.byte_fallback:
        pieces = filter(model.makes, model.vocabulary.pieces)
    elif isinstance(model, Unigram):
        makes, kinds = model.rules.pieces - model.rules.passed_over, model.vocabulary.kinds
        pieces = [piece for piece, id in model.ids.items() if kinds[id] in makes]
    else:
        return None
    texts = (piece.decode("utf-8", "surrogateescape") for piece in pieces if len(piece) <= 4)
    return frozenset(text for text in texts if len(text) == 1)


PRECISION = 53
"""Bits of a 64-bit sum."""


def longest_exact(model: Part) -> float:
    """Characters of the longest text whose sums of scores are exact in 64 bits: multiples of one power of two.

    Only then is a part of a text tokenized as within the whole. The best path to an index is at least as good as
    the path character by character, and at most the highest score for each character.
    """
    if not isinstance(model, Unigram):
        return inf
    scores, unknown = model.vocabulary.scores, float(model.rules.unknown_score)
    steps = 1
    for score in (unknown, *scores):
        if not (score * steps).is_integer():
            steps = score.as_integer_ratio()[1]
    # one character, or part of one
    short = ((piece, id) for piece, id in model.ids.items() if len(piece) <= 4)
    singles = [scores[id] for piece, id in short if len(piece.decode("utf-8", "replace")) == 1]
    highest, largest = max(unknown, *scores), max(abs(unknown), max(scores), -min(scores))
    per_character = max(abs(unknown), *map(abs, singles), highest)
    return (2.0**PRECISION / steps - largest) / per_character if per_character else inf


WORD = 8
"""Characters. A shorter piece is mostly a word, and not worth cutting."""


class PieceEncoder:
    """Called with a piece, gives its ids.

    model: the model stage. bytes_spelled: the model sees the piece's bytes, spelled as printable characters.

    >>> from explorer.engine.models.spm import Spm
    >>> from explorer.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary.of([b"a", b"b", b"ab"], [-1.0, -1.0, 0.0])
    >>> PieceEncoder(Spm(vocabulary))("ab" * 13), PieceEncoder(Spm(vocabulary)).neighbors["aa"]
    ((2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), False)
    """

    def __init__(self, model: Part, *, bytes_spelled: bool = False) -> None:
        self.model, self.bytes_spelled = model, bytes_spelled
        self.taken_whole = taken_whole(model)

    def __call__(self, piece: str) -> Ids:
        """The ids of a piece."""
        if self.taken_whole is not None:
            token = self.taken_whole(self.spelled(piece))
            if token is not None:
                return (token,)
        if len(piece) > WORD:
            cut = self.cut(piece)
            if len(cut) > 1:
                return tuple(self.parts.all_of(cut))
        return self.part(piece)

    def part(self, piece: str) -> Ids:
        """The ids of a piece or part of one, without cutting it."""
        return self.solve(self.spelled(piece))

    def spelled(self, piece: str) -> str:
        """The piece as the model sees it."""
        return printable(piece.encode()) if self.bytes_spelled else piece

    def cut(self, piece: str) -> list[str]:
        """The piece, cut where no token crosses."""
        if self.neighbors is None or len(piece) > self.most:
            return [piece]
        known = self.allowed is None or self.allowed.issuperset(piece)
        return self.neighbors.cut(piece) if known else [piece]

    @cached_property
    def solve(self) -> Solve:
        """The ids of a piece or part, spelled as the model sees it. Its tables take up to half a second."""
        return solver(self.model)

    @cached_property
    def parts(self) -> PieceCache:
        """The ids of parts of long pieces."""
        return PieceCache(self.part)

    @cached_property
    def neighbors(self) -> Neighbors | None:
        """Which characters a token may cross between; None where pieces may not be cut."""
        pieces = pieces_of(self.model)
        return None if pieces is None else Neighbors(unspelled(pieces) if self.bytes_spelled else pieces)

    @cached_property
    def most(self) -> float:
        """Characters of the longest piece that may be cut: rounding makes ties depend on preceding text."""
        return longest_exact(self.model)

    @cached_property
    def allowed(self) -> frozenset[str] | None:
        """The characters a piece that is cut must consist of; None: any."""
        found = single_characters(self.model)
        if found is None or not self.bytes_spelled:
            return found
        # a model that has all bytes knows every character
        return None if found.issuperset(printable(bytes(range(256)))) else frozenset()


def unspelled(pieces: Iterable[bytes]) -> Iterable[bytes]:
    """The bytes that pieces in printable characters stand for, without pieces that no text becomes."""
    for piece in pieces:
        data = bytes_of(piece.decode("utf-8", "replace"))
        if data is not None:
            yield data


JOINT = "\udcff"
"""Separates joined pieces: a character that no text contains."""

MOST = 1 << 18
"""Pairs of characters that are cached."""


class Neighbors(dict[str, bool]):
    """Two characters → whether they are adjacent in a piece; filled on demand.

    pieces: everything the model can make, as bytes.

    >>> neighbors = Neighbors([b"ab", b"b", "é".encode()[1:] + b"x"])
    >>> neighbors.cut("abbéx"), neighbors["éx"], neighbors["ax"]
    (['ab', 'b', 'éx'], True, False)
    """

    __slots__ = ("broken", "whole")

    def __init__(self, pieces: Iterable[bytes]) -> None:
        texts: list[str] = []
        self.broken: set[tuple[bytes, bytes]] = set()
        """adjacent bytes in pieces that contain part of a character"""
        for piece in pieces:
            text = text_of(piece)
            if text is None:
                self.broken.update(adjacent_characters(piece))
            else:
                texts.append(text)
        whole = JOINT.join(texts)
        self.whole = frozenset(map(add, whole, whole[1:]))
        """adjacent characters in all other pieces"""

    def __missing__(self, pair: str) -> bool:
        crossed = pair in self.whole or (bool(self.broken) and self.is_crossed(pair[0].encode(), pair[1].encode()))
        if len(self) < MOST:
            self[pair] = crossed
        return crossed

    def is_crossed(self, left: bytes, right: bytes) -> bool:
        """Whether a piece that contains part of a character crosses the boundary between these two."""
        return any(
            (left[-size:], right[:length]) in self.broken
            for size in range(1, len(left) + 1)
            for length in range(1, len(right) + 1)
        )

    def cut(self, text: str) -> list[str]:
        """The text, cut wherever no piece crosses."""
        crossed = list(map(self.__getitem__, map(add, text, text[1:])))
        parts = []
        start = 0
        for _ in range(crossed.count(False)):
            end = crossed.index(False, start) + 1
            parts.append(text[start:end])
            start = end
        parts.append(text[start:])
        return parts


def adjacent_characters(piece: bytes) -> Iterable[tuple[bytes, bytes]]:
    """The bytes of each two adjacent characters, as far as the piece contains them.

    >>> list(adjacent_characters(b"\\xa9x\\xe4"))
    [(b'\\xa9', b'x'), (b'x', b'\\xe4')]
    """
    # a character begins at each byte that is not a continuation byte
    begins = [at for at, byte in enumerate(piece) if at == 0 or byte & 0xC0 != 0x80]
    return pairwise(piece[start:end] for start, end in pairwise([*begins, len(piece)]))


class ByStages:
    """Runs stages, then looks their pieces up.

    before: the stages before the model, a second partition possibly among them. encoder: of the pieces.
    """

    def __init__(self, before: Sequence[Part], encoder: PieceEncoder) -> None:
        self.before = tuple(before)
        self.cache = PieceCache(encoder)

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        items = run_through(self.before, [fragment], Options())
        if not any(isinstance(item, Token) for item in items):
            return self.cache.all_of([item.text for item in items if isinstance(item, Segment)])
        ids: list[int] = []
        for item in items:
            ids += (item.id,) if isinstance(item, Token) else self.cache.all_of([item.text])
        return ids


def texts_after(stages: Sequence[Part], fragment: Segment) -> list[str]:
    """The texts that stages make of a fragment, without alignment. The stages must not make tokens."""
    return [item.text for item in run_through(stages, [fragment], Options()) if isinstance(item, Segment)]
