"""The kinds of difference between two tokenizers, each with what it means. Every difference is of exactly one kind."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Kind(StrEnum):
    """Why two tokenizers give other ids. The value is what it is called; `says` explains it."""

    SAME = "same ids"
    ESCAPES = "escapes"
    SPECIAL_TOKEN = "special token"
    SWALLOWED = "swallowed white space"
    COMPOSITION = "composition"
    EQUIVALENT = "canonical equivalent"
    ORDER_OF_MARKS = "order of marks"
    DECOMPOSITION = "decomposition"
    FIRST_CODE_POINT = "first of a decomposition"
    COMPATIBILITY = "compatibility form"
    MARKS = "marks dropped"
    CASE = "case"
    WHITE_SPACE = "white space"
    REMOVED = "removed"
    INSERTED = "inserted"
    REPLACED = "replaced"
    PREFIX_SPACE = "prefix space"
    PRE_TOKEN = "pre-token boundary"
    WHOLE_PIECE = "whole piece"
    UNKNOWN = "unknown or byte fallback"
    WORD_LENGTH = "length of a word"
    UNUSED_PIECE = "unused piece"
    MERGE_ORDER = "merge order"
    BEST_PATH = "best path"
    ALGORITHM = "model algorithm"
    OTHER_PIECES = "other pieces"
    OTHER_IDS = "other ids"
    TRUNCATED = "truncation"
    ADDED_TOKENS = "added tokens"
    PADDED = "padding"

    @property
    def says(self) -> str:
        """What this kind of difference is, in one sentence."""
        return SAYS[self]


SAYS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        Kind.SAME: "Both give the same ids.",
        Kind.ESCAPES: "One side reads an escape such as \\n as the character it names, the other as it is written.",
        Kind.SPECIAL_TOKEN: "One side finds a special or added token where the other leaves its spelling as text.",
        Kind.SWALLOWED: "A special or added token swallows the white space beside it on one side only.",
        Kind.COMPOSITION: "One side composes a letter and its marks to fewer code points (NFC), the other does not.",
        Kind.EQUIVALENT: "One side replaces a character by another one that Unicode holds for the same (NFC, NFD).",
        Kind.ORDER_OF_MARKS: "One side puts combining marks in their canonical order, the other does not.",
        Kind.DECOMPOSITION: "One side takes a character apart to a letter and marks (NFD), the other does not.",
        Kind.FIRST_CODE_POINT: "One side keeps only the first code point of a decomposition, so that the rest is lost.",
        Kind.COMPATIBILITY: "One side writes a character in its plain compatibility form (NFKC), such as fi for ﬁ.",
        Kind.MARKS: "One side drops combining marks, the other keeps them.",
        Kind.CASE: "One side writes capitals as small letters, or does so by other rules.",
        Kind.WHITE_SPACE: "White space is written as another kind of it, or dropped, on one side only.",
        Kind.REMOVED: "One side removes characters that the other keeps.",
        Kind.INSERTED: "One side inserts characters that the other does not.",
        Kind.REPLACED: "Both sides see other characters in the same place of the text.",
        Kind.PREFIX_SPACE: "One side puts a space in front of the text, the other does not.",
        Kind.PRE_TOKEN: "The pre-tokenizers cut the text in other places, and no token reaches over a cut.",
        Kind.WHOLE_PIECE: "One side takes a piece that is a token whole (ignore_merges), the other has to merge it.",
        Kind.UNKNOWN: "One side has no piece for the text and gives the unknown token, bytes or nothing.",
        Kind.WORD_LENGTH: "One side does not try words above a certain length.",
        Kind.UNUSED_PIECE: "One side takes a piece that is marked unused apart again, the other gives it out.",
        Kind.MERGE_ORDER: "Both merge pairs, but other pairs, or in another order.",
        Kind.BEST_PATH: "Both look for the best path through a lattice and find another one.",
        Kind.ALGORITHM: "The models choose pieces in other ways: merges, the longest match, the best path.",
        Kind.OTHER_PIECES: "The vocabularies hold other pieces, so the text is cut otherwise.",
        Kind.OTHER_IDS: "The text is cut in the same places, but the vocabularies number their pieces otherwise.",
        Kind.TRUNCATED: "One side cuts tokens off to have no more than so many, as its file asks.",
        Kind.ADDED_TOKENS: "Post-processing adds other tokens around the text, such as BOS and EOS.",
        Kind.PADDED: "One side fills its tokens up to a length with a padding token, as its file asks.",
    }
)
"""One sentence for each kind."""
