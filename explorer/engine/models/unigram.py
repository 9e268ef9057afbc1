"""Unigram and PLaMo-2: the best path through the lattice of a text's pieces, from the start and from the end.

Unigram: of all segmentations of a text into pieces, the one with the highest sum of scores.

The positions of a text and the pieces between them form a lattice; a piece's score is the logarithm of its probability.
Viterbi passes through it once from the left: each piece that begins at an index is a candidate for the best path to the
index where it ends, and wins if its sum is *higher* than the best so far; of equal sums the first stays. A character
that is not a piece by itself is a candidate as the unknown token, with a penalty. At the end the best path is followed
back.

Follows `EncodeOptimized` in sentencepiece's `unigram_model.cc`, and its descendants in llama.cpp
(`llm_tokenizer_ugm_session`) and Hugging Face (`Unigram::encode_optimized`). Their differences are data, in
`UnigramRules`: above all, sentencepiece keeps sums as 32-bit floats and the others as 64-bit floats, so they
sometimes disagree where two paths are almost equal (`bb` `b` or `b` `bb`). sentencepiece is followed as of version
0.2.3: earlier versions compared before rounding, scored user-defined pieces differently and let sums grow without
limit.

Sampling and n-best lists are in `engine.sampling`. The lattice is walked in code points, so a piece that is not UTF-8
is never found (it is never on the best path in the originals either).

PLaMo-2's Unigram: the best path computed from the end, as llama.cpp runs it.

As for Unigram, the positions of a text and the pieces between them form a lattice, and the path with the highest sum
of scores wins. But the pass runs from the right: each index has its best path to the *end*, so the path can be read off
from the left. Scores are integers (ten-thousandths), of equal sums the longest piece stays, and any character may
become its bytes, with a score so low that it is the last resort.

The pieces that begin at an index are found without trying all of them: the longest prefix of the text there that is a
suffix of some piece determines them. It is found from that of the next index by prepending the character. Follows
`llm_tokenizer_plamo2` in llama.cpp's `src/llama-vocab.cpp`, whose table of suffixes has the same content in rows.

A piece whose score is exactly the last resort's (-1000, which llama.cpp's converter gives to filler tokens) ends the
rows there, so shorter pieces are never tried; this is reproduced. A byte order mark at the beginning is dropped.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import compress
from math import floor, inf, isfinite, isinf
from typing import NamedTuple

from explorer.engine.budget import MODEL, asking
from explorer.engine.part import Emit, Model, Segment, TextToken, Token, missing
from explorer.errors import InputError
from explorer.text.input import character_offsets, text_of
from explorer.vocabulary import BYTE_PIECES, PieceKind, Vocabulary


class UnigramEvent(IntEnum):
    """What a `UnigramRow` says."""

    SEGMENT = 0
    """A segment begins: start = its index among the stage's items, end = its number of code points."""
    BEST = 1
    """The piece [start, end) gives the best path to `end` so far."""
    LOST = 2
    """The piece [start, end) is not better than the best path to `end` so far."""
    UNKNOWN_BEST = 3
    """The character at `start` is not a piece: the unknown token gives the best path to `end` so far."""
    UNKNOWN_LOST = 4
    """The same, but another path to `end` is better."""
    UNUSED = 5
    """The piece [start, end) is marked UNUSED and is skipped."""
    BACK = 6
    """Following the path back: the best path to `end` comes from `start`, with this token."""
    TOKEN = 7
    """Output: the token of [start, end)."""
    JOINED = 8
    """Output: the unknown token of [start, end) joins the one before it."""
    BYTE = 9
    """Output: the unknown characters [start, end) become byte tokens; this is the next of them."""
    REBASE = 10
    """The sum at `start` is too large: it is set to 0, and those up to `end` are lowered by as much."""
    DROPPED = 11
    """The byte order mark [start, end) at the beginning is dropped."""


CANDIDATES = frozenset({UnigramEvent.BEST, UnigramEvent.LOST, UnigramEvent.UNKNOWN_BEST, UnigramEvent.UNKNOWN_LOST})
"""Kinds that compare a piece, or the unknown token, with the best path so far."""


class UnigramRow(NamedTuple):
    """One decision of the lattice."""

    kind: int
    """A `UnigramEvent`."""
    start: int
    """First code point of the segment."""
    end: int
    """One after the last."""
    token: int
    """The id of the piece, -1 for SEGMENT."""


Path = list[tuple[int, int, int]]
"""Tokens in order: (start, end, token) in code points of the segment."""

UNKNOWN_PENALTY = 10.0
"""The unknown token scores this much less than the lowest score."""

LARGEST_FLOAT = 3.4028234663852886e38
"""FLT_MAX, the lowest score of a vocabulary without normal pieces."""


def single(value: float) -> float:
    """The value rounded to a 32-bit float."""
    return array("f", (value,))[0]


def unknown_score(vocabulary: Vocabulary) -> float:
    """The score of the unknown token, below that of every normal piece."""
    # int: comparing with an enum member takes three times as long, 250,000 times
    normal = compress(vocabulary.scores, map(int(PieceKind.NORMAL).__eq__, vocabulary.kinds))
    return single(min(normal, default=LARGEST_FLOAT) - UNKNOWN_PENALTY)


def endless(vocabulary: Vocabulary) -> int | None:
    """The first token with an infinite score; None if there is none."""
    return next((id for id, score in enumerate(vocabulary.scores) if isinf(score)), None)


def first_lengths(vocabulary: Vocabulary) -> tuple[tuple[tuple[int, ...], str], ...]:
    """Lengths of pieces in code points, ascending, and the characters that pieces of just these lengths begin with.

    >>> first_lengths(Vocabulary.of([b"a", b"abc", b"b", b"cd", b"bad"]))
    (((1, 3), 'ab'), ((2,), 'c'))
    """
    lengths: dict[str, set[int]] = {}
    for text in filter(None, map(text_of, vocabulary.ids)):
        lengths.setdefault(text[0], set()).add(len(text))
    alike: dict[tuple[int, ...], str] = {}
    for first, found in lengths.items():
        of = tuple(sorted(found))
        alike[of] = alike.get(of, "") + first
    return tuple(alike.items())


class Unigram(Model):
    """The model stage of a Unigram vocabulary.

    vocabulary: pieces with scores. unknown: id of the unknown token or None. ids: the pieces the model may make, by
    default the whole vocabulary. Raises InputError for a vocabulary without finite scores, and when running, for an
    unknown character where there is no unknown token.

    >>> from explorer.engine.part import Options
    >>> from explorer.engine.models.unigram import llama_cpp_rules
    >>> v = Vocabulary.of([b"<unk>", b"a", b"b", b"ab"], [0.0, -1.0, -1.0, -1.5], [2, 1, 1, 1])
    >>> [token.id for token in Unigram(v, 0, llama_cpp_rules(v)).run([Segment.of("aba?!")], Options(),
    ...                                                              lambda *row: None)]
    [3, 1, 0]
    """

    row = UnigramRow
    kinds = UnigramEvent
    of_vocabulary = endless, unknown_score, first_lengths

    def __init__(
        self, vocabulary: Vocabulary, unknown: int | None, rules: UnigramRules, ids: Mapping[bytes, int] | None = None
    ) -> None:
        if len(vocabulary.scores) != len(vocabulary):
            raise InputError("a Unigram vocabulary needs a score for each piece, and this one has none")
        if (token := vocabulary.once(endless)) is not None:
            raise InputError(f"token {token} has an infinite score, which makes sums meaningless; repair the file")
        self.vocabulary, self.unknown, self.rules = vocabulary, unknown, rules
        self.ids = vocabulary.ids if ids is None else ids
        self.usable = bytes(kind in rules.pieces for kind in range(len(PieceKind)))
        """by kind: whether it is looked up"""
        self.special = bytes(
            kind in rules.passed_over or (kind == PieceKind.USER_DEFINED and rules.bonus is not None)
            for kind in range(len(PieceKind))
        )
        """by kind: whether it is skipped, or its score is not the vocabulary's"""
        self.bytes = [*map(self.ids.get, BYTE_PIECES)] if rules.byte_fallback else []

    @cached_property
    def lengths(self) -> Mapping[str, tuple[int, ...]]:
        """First character → lengths in code points of the pieces that begin with it, ascending, and of others that the
        model may not make."""
        return {first: lengths for lengths, alike in self.vocabulary.once(first_lengths) for first in alike}

    def score(self, token: int) -> float:
        """The score of a piece in the lattice. The unknown token scores `rules.unknown_score` instead."""
        rules = self.rules
        if rules.bonus is not None and self.vocabulary.kinds[token] == PieceKind.USER_DEFINED:
            return single(rules.bonus * (len(self.vocabulary.pieces[token]) - 1))
        return self.vocabulary.scores[token]

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        emit(UnigramEvent.SEGMENT, index, len(segment.text), -1)
        return self.output(segment, self.best_path(segment, emit), emit)

    def output(self, segment: Segment, path: Path, emit: Emit) -> list[Token]:
        """The tokens of a path."""
        if self.rules.by_spelling:
            path = self.joined(path)
        tokens: list[Token] = []
        after_unknown = False
        for start, end, token in path:
            span = segment.starts[start], segment.ends[end - 1]
            unknown = token == self.unknown
            if unknown:
                token, fallback = self.instead_of_unknown(segment.text[start:end].encode())
                for id in fallback:
                    emit(UnigramEvent.BYTE, start, end, id)
                    tokens.append(Token(id, *span))
                if fallback:
                    continue
            if unknown and after_unknown and self.rules.fuse_unknown:
                emit(UnigramEvent.JOINED, start, end, token)
                tokens[-1] = tokens[-1]._replace(end=span[1])
            else:
                emit(UnigramEvent.TOKEN, start, end, token)
                if unknown and self.rules.by_spelling:
                    tokens.append(TextToken.of(token, *span, segment.text[start:end]))
                else:
                    tokens.append(Token(token, *span))
            after_unknown = unknown
        return tokens

    def instead_of_unknown(self, data: bytes) -> tuple[int, list[int]]:
        """The token for unknown text, and the byte tokens that replace it, if there are any."""
        assert self.unknown is not None, "the path has no unknown token without one"
        known = self.ids.get(data) if self.rules.by_spelling else None
        if known is not None:
            return known, []
        fallback = [self.bytes[byte] for byte in data] if self.rules.byte_fallback else []
        return self.unknown, [] if None in fallback else [id for id in fallback if id is not None]

    def joined(self, path: Path) -> Path:
        """The path with each run of unknown tokens joined."""
        done: Path = []
        for start, end, token in path:
            if token == self.unknown and done and done[-1][2] == token:
                done[-1] = (done[-1][0], end, token)
            else:
                done.append((start, end, token))
        return done

    def best_path(self, segment: Segment, emit: Emit) -> Path:
        """The best path from end to end."""
        count = len(segment.text)
        lattice = _Lattice(
            array("f" if self.rules.single else "d", [0.0]) * (count + 1),
            array("i", [-1]) * (count + 1),
            array("i", [-1]) * (count + 1),
        )
        self.forward(segment, lattice, emit)
        return lattice.path(emit)

    def forward(self, segment: Segment, lattice: _Lattice, emit: Emit) -> None:
        """Fills the lattice from the left: at each index, every piece that begins there is a candidate.

        The inner loop is written out, because it runs for each pair of start and length.
        """
        text, rules, lengths = segment.text, self.rules, self.lengths
        data, count = text.encode(), len(text)
        offsets = character_offsets(data)
        ids, scores, kinds = self.ids, self.vocabulary.scores, self.vocabulary.kinds
        usable, special = self.usable, self.special
        best, came_from, by = lattice
        challenge = best[:1]
        """the sum of a candidate, rounded like the sums it is compared with"""
        none: tuple[int, ...] = ()
        limit = rules.limit or inf
        furthest = 0
        """the last index that a candidate has reached"""
        for start in asking(range(count), MODEL):
            here = best[start]
            if not -limit <= here <= limit:
                lattice.rebase(start, furthest)
                emit(UnigramEvent.REBASE, start, furthest, -1)
                here = 0.0
            first = offsets[start]
            alone = False
            for length in lengths.get(text[start], none):
                end = start + length
                if end > count:
                    break
                token = ids.get(data[first : offsets[end]])
                if token is None or not usable[kinds[token]]:
                    continue
                if special[kinds[token]]:
                    if kinds[token] in rules.passed_over:
                        emit(UnigramEvent.UNUSED, start, end, token)
                        continue
                    score = self.score(token)
                else:
                    score = scores[token]
                if length == 1:
                    alone = True
                if end > furthest:
                    furthest = end
                challenge[0] = here + score
                if came_from[end] < 0 or challenge[0] > best[end]:
                    best[end], came_from[end], by[end] = challenge[0], start, token
                    emit(UnigramEvent.BEST, start, end, token)
                else:
                    emit(UnigramEvent.LOST, start, end, token)
            if not alone:
                self.unknown_candidate(segment, lattice, start, here, emit)
                furthest = max(furthest, start + 1)

    def unknown_candidate(self, segment: Segment, lattice: _Lattice, start: int, here: float, emit: Emit) -> None:
        """The unknown token as a candidate for one character. here: the best sum before it."""
        unknown, end = self.unknown, start + 1
        best, came_from, by = lattice
        challenge = best[:1]
        challenge[0] = here + self.rules.unknown_score
        won = came_from[end] < 0 or challenge[0] > best[end]
        if unknown is None:
            if won or not self.rules.by_spelling:
                raise missing(segment.text[start], segment.starts[start])
        elif won:
            best[end], came_from[end], by[end] = challenge[0], start, unknown
            emit(UnigramEvent.UNKNOWN_BEST, start, end, unknown)
        else:
            emit(UnigramEvent.UNKNOWN_LOST, start, end, unknown)


class _Lattice(NamedTuple):
    """The best path to each index of a text, as far as it is known.

    best: its sum; assigning to it rounds. came_from: where its last piece begins, -1 for no path. by: that piece's id.
    """

    best: array[float]
    came_from: array[int]
    by: array[int]

    def rebase(self, start: int, furthest: int) -> None:
        """Sets the sum at `start` to 0 and lowers those up to `furthest` by as much."""
        best, here = self.best, self.best[start]
        best[start] = 0.0
        for index in range(start + 1, furthest + 1):
            if self.came_from[index] >= 0:
                best[index] -= here

    def path(self, emit: Emit) -> Path:
        """The best path to the end, followed back."""
        path = []
        end = len(self.best) - 1
        while end > 0:
            start, token = self.came_from[end], self.by[end]
            emit(UnigramEvent.BACK, start, end, token)
            path.append((start, end, token))
            end = start
        path.reverse()
        return path


SUM_LIMIT = 100_000.0
"""sentencepiece: a sum beyond ±this is set to 0 and all later ones are lowered by as much, so that 32 bits stay precise
enough on a long text."""

PIECES = frozenset((PieceKind.NORMAL, PieceKind.USER_DEFINED, PieceKind.UNUSED))


class UnigramRules(NamedTuple):
    """The differences between the originals.

    single: sums are 32-bit floats.
    unknown_score: the score of the unknown token.
    bonus: the score of a user-defined piece for each byte but the first; None: its own score.
    limit: sums beyond ±limit are rebased; None: never.
    pieces: the kinds of piece that are looked up. passed_over: those of them that are skipped.
    fuse_unknown: a run of unknown characters becomes one unknown token.
    byte_fallback: an unknown character becomes its byte tokens.
    by_spelling: a run of unknown tokens is joined and its spelling looked up again, as Hugging Face does; where one of
        its bytes has no token, the whole run becomes one unknown token.
    """

    single: bool
    unknown_score: float
    bonus: float | None
    limit: float | None = None
    pieces: frozenset[PieceKind] = PIECES
    passed_over: frozenset[PieceKind] = frozenset()
    fuse_unknown: bool = True
    byte_fallback: bool = False
    by_spelling: bool = False


def llama_cpp_rules(vocabulary: Vocabulary) -> UnigramRules:
    """64-bit sums; user-defined pieces score 0; UNUSED ones are used; no byte fallback."""
    return UnigramRules(single=False, unknown_score=vocabulary.once(unknown_score), bonus=0.0)


def sentencepiece_rules(vocabulary: Vocabulary, *, byte_fallback: bool = False) -> UnigramRules:
    """32-bit sums, rebased; user-defined pieces score 0.1 per byte but the first; UNUSED ones are skipped."""
    return UnigramRules(
        single=True,
        unknown_score=vocabulary.once(unknown_score),
        bonus=0.1,
        limit=SUM_LIMIT,
        passed_over=frozenset((PieceKind.UNUSED,)),
        fuse_unknown=not byte_fallback,
        byte_fallback=byte_fallback,
    )


def huggingface_rules(scores: Sequence[float], *, byte_fallback: bool = False) -> UnigramRules:
    """64-bit sums; the original does not know kinds: every piece is used with its own score.

    scores: of all the model's own pieces.
    """
    return UnigramRules(
        single=False,
        unknown_score=min(scores, default=0.0) - UNKNOWN_PENALTY,
        bonus=None,
        pieces=frozenset(PieceKind),
        byte_fallback=byte_fallback,
        by_spelling=True,
    )


UNIT = 10_000
"""Integer units per 1.0 of a score."""
NEVER = -20_000_000
"""A piece with this score or less is never used."""
LAST_RESORT = -10_000_000
"""The score of a character as its bytes."""
AS_BYTES = -1
"""Instead of an id in an event: the character becomes its bytes."""
BOM = "\ufeff"

MAX_SUFFIXES = 1 << 22
MAX_CHARACTERS = 1 << 26
"""Limits for all pieces together: every suffix of a piece is stored, and their characters grow with the square of its
length. PLaMo's 100,000 pieces have less than a million suffixes."""


class Plamo2(Model):
    """The model stage of a PLaMo-2 vocabulary.

    scores: as in the file; a piece whose score is not finite is never used. bytes: the token of each byte. Text may
    become pieces of all kinds except BYTE.

    >>> from explorer.engine.part import Options
    >>> v = Vocabulary.of([b"a", b"b", b"ab", b"bc", *(b"<0x%02X>" % byte for byte in range(256))], (),
    ...                   [1] * 4 + [6] * 256)
    >>> model = Plamo2(v, [-1.0, -1.0, -1.5, -1.0] + [0.0] * 256, range(4, 260))
    >>> [v.spelling(token.id) for token in model.run([Segment.of("abc!")], Options(), lambda *row: None)]
    ['a', 'bc', '<0x21>']
    """

    row = UnigramRow
    kinds = UnigramEvent

    def __init__(self, vocabulary: Vocabulary, scores: Sequence[float], bytes: Sequence[int]) -> None:
        self.vocabulary, self.bytes = vocabulary, bytes
        self.pieces: dict[str, tuple[int, int]] = {}
        """piece → its score in units and its id"""
        self.suffixes: set[str] = set()
        """all suffixes of pieces, the pieces included"""
        suffixes = characters = 0
        for id, (piece, score, kind) in enumerate(zip(vocabulary.pieces, scores, vocabulary.kinds, strict=True)):
            # no text contains a piece that is not UTF-8
            if kind == PieceKind.BYTE or (text := text_of(piece)) is None:
                continue
            suffixes, characters = suffixes + len(text), characters + len(text) * (len(text) + 1) // 2
            if suffixes > MAX_SUFFIXES or characters > MAX_CHARACTERS:
                raise InputError(
                    f"up to token {id} the pieces have more than {MAX_SUFFIXES} suffixes, or {MAX_CHARACTERS} "
                    "characters in them, far more than any real vocabulary; give another file"
                )
            self.pieces[text] = (in_units(score), id)
            self.suffixes.update(text[start:] for start in range(len(text)))

    def score(self, token: int) -> int:
        """The score of a piece, in units."""
        return LAST_RESORT if token == AS_BYTES else self.pieces[self.vocabulary.spelling(token)][0]

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        emit(UnigramEvent.SEGMENT, index, len(segment.text), -1)
        text, starts, ends = segment
        begin = 0
        if text.startswith(BOM):
            emit(UnigramEvent.DROPPED, 0, 1, -1)
            begin = 1
        to, by = self.best_paths(text, begin, emit)
        tokens: list[Token] = []
        at = begin
        while at < len(text):
            after, token = to[at], by[at]
            emit(UnigramEvent.BACK, at, after, token)
            span = starts[at], ends[after - 1]
            if token == AS_BYTES:
                for byte in text[at].encode():
                    emit(UnigramEvent.BYTE, at, after, self.bytes[byte])
                    tokens.append(Token(self.bytes[byte], *span))
            else:
                emit(UnigramEvent.TOKEN, at, after, token)
                tokens.append(Token(token, *span))
            at = after
        return tokens

    def best_paths(self, text: str, begin: int, emit: Emit) -> tuple[list[int], list[int]]:
        """By index, for the best path from there to the end: where its first piece ends, and its id."""
        count = len(text)
        best, to, by = [0] * (count + 1), [-1] * (count + 1), [-1] * (count + 1)
        known = 0
        """characters of the longest prefix of the text at the index that is a suffix of some piece"""
        for start in asking(range(count - 1, begin - 1, -1), MODEL):
            known = self.grown(text, start, known)
            for end, score, token in self.candidates(text, start, known):
                total = best[end] + score
                won = to[start] < 0 or total > best[start]
                if won:
                    best[start], to[start], by[start] = total, end, token
                if token == AS_BYTES:
                    emit(UnigramEvent.UNKNOWN_BEST if won else UnigramEvent.UNKNOWN_LOST, start, end, token)
                else:
                    emit(UnigramEvent.BEST if won else UnigramEvent.LOST, start, end, token)
        return to, by

    def candidates(self, text: str, start: int, known: int) -> Iterator[tuple[int, int, int]]:
        """The pieces that begin at an index, longest first: the end, score and id of each."""
        for length in range(known, 0, -1):
            score, token = self.pieces.get(text[start : start + length], (NEVER, -1))
            if score > NEVER:
                yield start + length, score, token
            if score == LAST_RESORT:
                return
        yield start + 1, LAST_RESORT, AS_BYTES

    def grown(self, text: str, start: int, known: int) -> int:
        """`known` for the index `start`, computed from that of the next index."""
        ch = text[start]
        for length in range(known, 0, -1):
            after = text[start + 1 : start + 1 + length]
            if after not in self.suffixes:
                continue
            if ch + after in self.suffixes:
                return length + 1
            if self.pieces.get(after, (NEVER, -1))[0] == LAST_RESORT:
                return 0
        return int(ch in self.suffixes)


def in_units(score: float) -> int:
    """A score in units, rounded half away from zero; `NEVER` if it is not finite or does not fit into 32 bits.

    >>> in_units(-1.5), in_units(-0.00005), in_units(float("nan"))
    (-15000, -1, -20000000)
    """
    if not isfinite(score):
        return NEVER
    units = floor(abs(score) * UNIT + 0.5)
    return (units if score > 0 else -units) if units < 1 << 31 else NEVER
