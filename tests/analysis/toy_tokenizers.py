"""Tokenizers small enough to check by eye, built from the engine's parts."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.decoders.pieces import RwkvDecoder
from explorer.engine.models.bpe import Bpe, MergeList
from explorer.engine.models.longest_match import TrieMatch, WordPiece
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram, llama_cpp_rules, sentencepiece_rules
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, Normalizer, SpacePrefix
from explorer.engine.part import Part
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition
from explorer.engine.post_processors import AddSpecial
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import GPT2
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind, Vocabulary

LETTERS = tuple("abcdefgh")


def toy(vocabulary: Vocabulary, *parts: Part) -> Opened:
    """A tokenizer of these parts."""
    return Opened("toy", "toy", "toy", vocabulary, tuple(parts), RwkvDecoder(vocabulary))


def vocabulary(*pieces: str, unknown: bool = False, scores: Sequence[float] = ()) -> Vocabulary:
    """Pieces with the ids 0, 1, 2 …; `unknown`: the first is the unknown token."""
    kinds = [PieceKind.NORMAL] * len(pieces)
    if unknown:
        kinds[0] = PieceKind.UNKNOWN
    return Vocabulary.of([piece.encode() for piece in pieces], scores, kinds)


def bpe(
    *merges: str, cut: bool = False, whole: bool = False, added: Sequence[AddedToken] = (), first: int | None = None,
    more: Sequence[str] = (),
) -> Opened:  # fmt: skip
    """Merges by a list over the letters a to h and the space. added: special tokens with their ids."""
    joined = [merge.replace(" ", "") for merge in merges]
    pieces = ["<s>", " ", *LETTERS, *dict.fromkeys([*joined, *more])]
    special = {token.id for token in added if token.special}
    kinds = [PieceKind.CONTROL if id in special else PieceKind.NORMAL for id in range(len(pieces))]
    made = Vocabulary.of([piece.encode() for piece in pieces], (), kinds)
    parts: list[Part] = [AddedTokenPartition(added)]
    if cut:
        parts.append(PreTokenization([RegexSplit(GPT2)]))
    return toy(made, *parts, Bpe(made, MergeList([merge.encode() for merge in merges]), whole=whole), AddSpecial(first))


def spm(*pieces: tuple[str, float], prefix: bool = True) -> Opened:
    """Merges by score."""
    made = Vocabulary.of([b"<unk>", *(piece.encode() for piece, _ in pieces)], [0.0, *(score for _, score in pieces)],
                         [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * len(pieces)])  # fmt: skip
    normalizers: list[Normalizer] = [SpacePrefix(), EscapeWhitespace()] if prefix else [EscapeWhitespace()]
    return toy(made, Normalization(normalizers), Spm(made, 0), AddSpecial())


def unigram(*pieces: tuple[str, float], single: bool = False) -> Opened:
    """The best path; `single`: with sums in 32 bits."""
    made = Vocabulary.of([b"<unk>", *(piece.encode() for piece, _ in pieces)], [0.0, *(score for _, score in pieces)],
                         [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * len(pieces)])  # fmt: skip
    rules = sentencepiece_rules(made) if single else llama_cpp_rules(made)
    return toy(made, Unigram(made, 0, rules), AddSpecial())


def trie(*pieces: str) -> Opened:
    """The longest match over bytes."""
    made = vocabulary(*pieces)
    return toy(made, TrieMatch(made))


def word_piece(*pieces: str, max_characters: int = 100) -> Opened:
    """The longest match with ##."""
    made = vocabulary("[UNK]", *pieces, unknown=True)
    return toy(made, WordPiece(made, 0, max_characters=max_characters), AddSpecial())
