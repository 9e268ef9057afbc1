"""A vocabulary, and the printable spelling of bytes in the files of byte-level BPE.

A vocabulary has pieces, ids, scores and kinds. It is immutable and shared, and only looked up. A piece is bytes, never
text: tiktoken, RWKV and byte fallback have pieces that aren't valid UTF-8. The kinds are those of sentencepiece, with
GGUF's numbers (`tokenizer.ggml.token_type`). Tokenizing is the engine's job; the state of one call (symbols, queue,
lattice) is local to that call.

GPT-2's vocabulary is a text file, so every byte is one visible character in it: its pieces had to be text without
spaces and controls. `bytes_to_unicode` in OpenAI's `encoder.py` keeps the bytes that are printable in Latin-1 and maps
the other 68, in order, to the characters from U+0100: the space (0x20) becomes Ġ, the line feed (0x0A) Ċ. Hugging Face
and llama.cpp run on these spellings; tiktoken runs on the bytes themselves.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import count
from math import isnan
from operator import eq
from typing import Any, TypeVar

from explorer.errors import InputError, shown
from explorer.text.say import Text

THIS = Text("this vocabulary")

T = TypeVar("T")
LATEST = 32
"""Results that `Vocabulary.once` keeps."""
MOST_PIECES = 2_000_000
"""Maximum size. The largest known vocabularies have 250,000 pieces; each takes some hundred bytes of memory."""

SPACE_MARK = "▁"
"""U+2581, which SentencePiece and its relatives write for a space, so that pieces can contain spaces."""

BYTE_PIECE = re.compile(rb"<0x([0-9A-F]{2})>")
"""The piece of a byte."""

BYTE_PIECES = tuple(b"<0x%02X>" % byte for byte in range(256))
"""The pieces of all bytes."""


class PieceKind(IntEnum):
    """The purpose of a piece, with the values of GGUF and sentencepiece's `ModelProto.SentencePiece.Type`."""

    UNDEFINED = 0
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary:
    """Pieces by id and ids by piece.

    pieces: the piece of each id, as bytes.
    scores: the score of each id (higher is merged first), or empty for a model without scores.
    kinds: one `PieceKind` value per id, as bytes.
    ids: the id of each piece; computed from `pieces`.
    known: what functions make of it alone, by their names, where that was made before.

    `of` raises InputError if two ids share one piece, or if the number of scores or kinds differs from that of pieces.

    >>> v = Vocabulary.of([b"a", b"b", b"ab"], scores=[0.0, 0.0, -1.0])
    >>> v.ids[b"ab"], v.scores[2], v.kind(2).name
    (2, -1.0, 'NORMAL')
    """

    pieces: Sequence[bytes]
    scores: Sequence[float]
    kinds: bytes
    ids: Mapping[bytes, int] = field(repr=False)
    known: Mapping[str, Any] = field(default_factory=dict, repr=False, kw_only=True)
    _made: dict[Any, tuple[Any, tuple[Any, ...]]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls, pieces: Iterable[bytes], scores: Sequence[float] = (), kinds: Iterable[int] | None = None
    ) -> Vocabulary:
        """A vocabulary, checked. Scores become 32-bit floats, as the originals compare them."""
        pieces = tuple(pieces)
        kinds = bytes(kinds) if kinds is not None else bytes([PieceKind.NORMAL]) * len(pieces)
        scores = array("f", scores)
        ids = dict(zip(pieces, range(len(pieces)), strict=True))
        if len(ids) != len(pieces):
            twice = next((p, i) for i, p in enumerate(pieces) if ids[p] != i)
            raise InputError(
                f"token {twice[1]} and token {ids[twice[0]]} are both spelled {shown(spelled(twice[0]))}; "
                "each piece may occur once: repair the file it comes from"
            )
        for name, values in (("scores", scores), ("kinds", kinds)):
            if len(values) not in (0 if name == "scores" else len(pieces), len(pieces)):
                raise InputError(f"{len(pieces)} pieces but {len(values)} {name}; there must be one for each piece")
        # a NaN makes the sum one; infinite scores may do so, too
        for id, score in enumerate(scores if isnan(sum(scores)) else ()):
            if score != score:
                raise InputError(f"token {id} has the score NaN, which cannot be ordered; repair the file")
        return cls(pieces, scores, kinds, ids)

    def __len__(self) -> int:
        return len(self.pieces)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self)} pieces>"

    def once(self, make: Callable[..., T], *of: Any) -> T:
        """What a function makes of this vocabulary and some of its tokenizer's parts: made once, as nothing changes.

        Of more than `LATEST` results the oldest goes.

        >>> v = Vocabulary.of([b"a"])
        >>> v.once(lambda vocabulary: len(vocabulary))
        1
        """
        key = make, *map(id, of)
        known = self._made.get(key)
        if known is None:
            value = make(self, *of) if of or make.__name__ not in self.known else self.known[make.__name__]
            # `of` is kept, too, so that no other object gets its id
            known = self._made[key] = value, of
            if len(self._made) > LATEST:
                self._made.pop(next(iter(self._made)), None)
        found: T = known[0]
        return found

    def kind(self, id: int) -> PieceKind:
        """The kind of a token."""
        return PieceKind(self.kinds[id])

    def is_special(self, id: int) -> bool:
        """Whether a token is a control or unknown token. An added token that is not special is not."""
        return self.kinds[id] in (PieceKind.CONTROL, PieceKind.UNKNOWN)

    def spelling(self, id: int) -> str:
        """The piece of `id` as text; malformed bytes are written `\\xHH`."""
        return spelled(self.pieces[id])

    def has(self, id: int) -> bool:
        """Whether an id has a token. Between two tokens there may be ids without one."""
        return 0 <= id < len(self.pieces) and (bool(self.pieces[id]) or self.kinds[id] != PieceKind.UNDEFINED)

    def lacks(self, id: int, name: str = THIS) -> str:
        """Why an id has no token, as a clause that follows the id. name: of the vocabulary.

        >>> found = Vocabulary.of([b"a", b"", b"c"], kinds=[1, 0, 1])
        >>> found.has(1), found.lacks(1), found.lacks(3)
        (False, 'is an id of this vocabulary without a token', 'is not in this vocabulary, whose ids are 0 to 2')
        """
        if 0 <= id < len(self.pieces):
            return Text("is an id of {0:t} without a token", name)
        return Text("is not in {0:t}, whose ids are 0 to {1:i}", name, len(self.pieces) - 1)

    def byte_of(self, id: int) -> int | None:
        """The byte of a BYTE piece such as `<0x0A>`, None for other pieces."""
        if self.kinds[id] != PieceKind.BYTE:
            return None
        match = BYTE_PIECE.fullmatch(self.pieces[id])
        return int(match[1], 16) if match else None

    def of_kind(self, kind: PieceKind) -> Iterator[int]:
        """The ids of the tokens of a kind, ascending.

        >>> [*Vocabulary.of([b"a", b"b", b"c"], kinds=[1, 3, 1]).of_kind(PieceKind.NORMAL)]
        [0, 2]
        """
        id = self.kinds.find(kind)
        while id >= 0:
            yield id
            id = self.kinds.find(kind, id + 1)

    @cached_property
    def count_by_kind(self) -> Mapping[PieceKind, int]:
        """The number of pieces of each kind that occurs."""
        return {kind: self.kinds.count(kind) for kind in PieceKind if self.kinds.count(kind)}


FEW = 700
"""Look-ups by search: enough to open a bundled vocabulary and for a first text. Whoever traces more needs a table, and
soon, so that no later edit waits for it."""
K = TypeVar("K")


class SortedIds(Mapping[K, int]):
    """The index of each of many keys, such as the id of each piece, searched for among the sorted ones. A table of all
    is made once many are looked up, or all are asked for: of 250,000 it takes 40 ms, and a first text needs a hundred.

    order: the indices in the order of the keys (`order_of`); of equal keys the last. others: numbers of more keys,
    which come first.

    >>> ids = SortedIds([b"b", b"a"], [1, 0], {b"c": 7})
    >>> ids[b"a"], ids.get(b"d"), b"b" in ids, dict(ids)
    (1, None, True, {b'b': 0, b'a': 1, b'c': 7})
    """

    def __init__(self, keys: Any, order: Sequence[int], others: Mapping[K, int] | None = None) -> None:
        self.all, self.order, self.others, self.left = keys, order, others or {}, FEW

    @cached_property
    def table(self) -> dict[K, int]:
        """All keys and their indices."""
        table = dict(zip(self.all, count(), strict=False))
        table.update(self.others)
        self.left, self.get = 0, table.get  # type: ignore[method-assign]
        return table

    def __getitem__(self, key: Any) -> int:
        if self.left <= 0 or key is None:  # which sorts with no key
            return self.table[key]
        self.left -= 1
        if key in self.others:
            return self.others[key]
        at = bisect_left(self.order, key, key=self.all.__getitem__)
        if at == len(self.order) or self.all[self.order[at]] != key:
            raise KeyError(key)
        return self.order[at]

    def __iter__(self) -> Iterator[K]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table if self.others else self.order)

    def items(self) -> ItemsView[K, int]:
        """All keys with their indices."""
        return self.table.items()


def order_of(keys: Sequence[Any], indices: Iterable[int] | None = None) -> bytes:
    """The indices of different keys, or these indices, in the order of the keys, as 32-bit integers.

    >>> array("i", order_of("bca")), array("i", order_of("aab", [1, 2]))
    (array('i', [2, 0, 1]), array('i', [1, 2]))
    """
    of = range(len(keys)) if indices is None else indices
    return array("i", sorted(of, key=keys.__getitem__)).tobytes()


def joint(ids: Mapping[bytes, int], others: Mapping[bytes, int]) -> Mapping[bytes, int]:
    """Ids and others, which come first.

    >>> joint({b"a": 0}, {b"b": 1})
    {b'a': 0, b'b': 1}
    """
    if not others:
        return ids
    return SortedIds(ids.all, ids.order, others) if isinstance(ids, SortedIds) else {**ids, **others}


def highest(ids: Mapping[bytes, int]) -> int:
    """The highest id, -1 if there are none."""
    return len(ids) - 1 if isinstance(ids, SortedIds) else max(ids.values(), default=-1)


def by_id(ids: Mapping[bytes, int], size: int) -> tuple[list[bytes], bytearray]:
    """The normal piece and the kind of each of `size` ids; an unused one has an empty piece of kind UNDEFINED.

    >>> by_id({b"a": 0, b"b": 2}, 3)
    ([b'a', b'', b'b'], bytearray(b'\\x01\\x00\\x01'))
    """
    pieces, kinds, normal = [b""] * size, bytearray(size), int(PieceKind.NORMAL)
    listed = ids.all if isinstance(ids, SortedIds) else ids
    if listed is not ids or all(map(eq, ids.values(), range(size))):  # as in nearly every file; ten times as fast
        pieces[: len(ids)] = listed
        kinds[: len(ids)] = bytes([normal]) * len(ids)
    else:
        for piece, id in ids.items():
            pieces[id], kinds[id] = piece, normal
    return pieces, kinds


def spelled(piece: bytes) -> str:
    """Bytes as text for people; malformed bytes are written `\\xHH`.

    >>> spelled(b"\\xe2\\x96\\x81is"), spelled(b"\\xe2\\x96")
    ('▁is', '\\\\xe2\\\\x96')
    """
    return piece.decode("utf-8", "backslashreplace")


_KEPT = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_MOVED = [byte for byte in range(256) if byte not in _KEPT]

PRINTABLE = tuple(chr(byte) if byte in _KEPT else chr(0x100 + _MOVED.index(byte)) for byte in range(256))
"""The character of each byte."""

BYTE_OF = {ch: byte for byte, ch in enumerate(PRINTABLE)}
"""The byte of each of these 256 characters."""

_TO_BYTES = dict.fromkeys(range(256), 0xFFFF) | {ord(ch): byte for ch, byte in BYTE_OF.items()}
_TO_PRINTABLE = {byte: ord(ch) for byte, ch in enumerate(PRINTABLE)}


def printable(data: bytes) -> str:
    """Bytes as the vocabulary spells them.

    >>> printable(" é\\n".encode())
    'ĠÃ©Ċ'
    """
    return data.decode("latin-1").translate(_TO_PRINTABLE)


def bytes_of(text: str) -> bytes | None:
    """The bytes that a text spells; None if it has a character that is not in the map.

    >>> bytes_of("ĠÃ©"), bytes_of("a b")
    (b' \\xc3\\xa9', None)
    """
    try:
        return text.translate(_TO_BYTES).encode("latin-1")
    except UnicodeEncodeError:
        return None
