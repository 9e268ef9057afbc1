"""The files of slow tokenizers, in folders without a tokenizer.json, and what both versions read from them."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.formats.sentencepiece_model import SentencePieceModel
from explorer.implementations.transformers.arguments import Token
from explorer.vocabulary import PieceKind


class Slow(NamedTuple):
    """The contents of a slow tokenizer's files. name: of the file with the vocabulary.

    model: a SentencePiece model. vocab, merges: of vocab.json and merges.txt, pairs separated by one space. A vocab.txt
    has a vocabulary but no merges.
    """

    name: str
    model: SentencePieceModel | None = None
    vocab: Mapping[str, int] | None = None
    merges: Sequence[str] | None = None


def id_in(model: SentencePieceModel, key: str, default: int) -> int:
    """An id of the model's trainer settings, such as `unk_id`."""
    found = [int(each.value) for each in model.unused if each.path == f"trainer_spec.{key}"]
    return found[-1] if found else default


def spelled(model: SentencePieceModel) -> list[str]:
    """The pieces of a model as text. The originals only open models whose pieces are UTF-8."""
    return [piece.decode("utf-8", "replace") for piece in model.pieces]


def charsmap(model: SentencePieceModel) -> str | None:
    """The character map as base64, None if there is none."""
    found = model.normalizer.precompiled_charsmap
    return b64encode(found).decode() if found else None


def added(model: SentencePieceModel) -> list[Token]:
    """Control and user-defined pieces, which are added tokens; the former are special."""
    return [
        Token(piece, said=False, special=kind == PieceKind.CONTROL)
        for piece, kind in zip(spelled(model), model.kinds, strict=True)
        if kind in (PieceKind.CONTROL, PieceKind.USER_DEFINED)
    ]


def merges_by_score(vocab: Mapping[str, int], scored: Iterable[tuple[str, float]]) -> list[str]:
    """The merges of a SentencePiece BPE: every pair of pieces that makes a piece, the best score first (version 4).

    >>> merges_by_score({"a": 0, "b": 1, "ab": 2, "ba": 3}, [("ba", -1.0), ("ab", -2.0)])
    ['b a', 'a b']
    """
    pairs = [(score, left, right) for piece, score in scored for left, right in _halves(piece, vocab)]
    # of equal scores the pair with the longer left half comes first; otherwise the order is kept
    pairs.sort(key=lambda pair: (pair[0], len(pair[1]), len(pair[2])), reverse=True)
    return [f"{left} {right}" for _, left, right in pairs]


def merges_by_id(vocab: Mapping[str, int]) -> list[str]:
    """The same by the id of the result, the smallest first (version 5, which ignores the scores).

    >>> merges_by_id({"a": 0, "b": 1, "ab": 2, "ba": 3})
    ['a b', 'b a']
    """
    pairs = [(id, left, right) for piece, id in vocab.items() for left, right in _halves(piece, vocab)]
    pairs.sort(key=lambda pair: (pair[0], len(pair[1]), len(pair[2])))
    return [f"{left} {right}" for _, left, right in pairs]


def _halves(piece: str, vocab: Mapping[str, int]) -> list[tuple[str, str]]:
    """The ways to split a piece into two pieces, in the order of their ids."""
    both = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
    known = [(left, right) for left, right in both if left in vocab and right in vocab]
    return sorted(known, key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
