"""The kinds of difference between two tokenizers, each with its meaning. Every difference has exactly one kind."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class DifferenceKind(StrEnum):
    """Why two tokenizers give different ids. The value is its name in tables and exports; `says` explains it."""

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


SAYS: Final[Mapping[DifferenceKind, str]] = {
    DifferenceKind.SAME: "Both sides give the same ids.",
    DifferenceKind.ESCAPES: "One side replaces an escape such as \\n by its character, the other keeps it.",
    DifferenceKind.SPECIAL_TOKEN: "One side finds a special or added token where the other reads plain text.",
    DifferenceKind.SWALLOWED: "A special or added token swallows adjacent white space on one side only.",
    DifferenceKind.COMPOSITION: "One side composes a letter and its marks to fewer code points (NFC).",
    DifferenceKind.EQUIVALENT: "One side replaces a character by its canonical equivalent (NFC, NFD).",
    DifferenceKind.ORDER_OF_MARKS: "One side puts combining marks in canonical order.",
    DifferenceKind.DECOMPOSITION: "One side decomposes a character to a letter and marks (NFD).",
    DifferenceKind.FIRST_CODE_POINT: "One side keeps only the first code point of a decomposition.",
    DifferenceKind.COMPATIBILITY: "One side replaces a character by its compatibility form (NFKC): ﬁ by fi.",
    DifferenceKind.MARKS: "One side drops combining marks, the other keeps them.",
    DifferenceKind.CASE: "One side lowercases letters, or the sides use different case rules.",
    DifferenceKind.WHITE_SPACE: "One side drops white space or replaces it by another kind.",
    DifferenceKind.REMOVED: "One side removes characters that the other keeps.",
    DifferenceKind.INSERTED: "One side inserts characters that the other doesn't.",
    DifferenceKind.REPLACED: "The sides see different characters at the same position of the text.",
    DifferenceKind.PREFIX_SPACE: "One side inserts a space before the text, the other doesn't.",
    DifferenceKind.PRE_TOKEN: "The pre-tokenizers cut the text at different positions, and no token crosses a cut.",
    DifferenceKind.WHOLE_PIECE: "One side takes a pre-token that is in the vocabulary whole (ignore_merges), "
    "the other has to merge it.",
    DifferenceKind.UNKNOWN: "One side has no piece for the text and gives the unknown token, bytes or nothing.",
    DifferenceKind.WORD_LENGTH: "One side doesn't try words above a maximum length.",
    DifferenceKind.UNUSED_PIECE: "One side splits a piece marked as unused again, the other outputs it.",
    DifferenceKind.MERGE_ORDER: "Both sides merge pairs, but different pairs or in a different order.",
    DifferenceKind.BEST_PATH: "Both sides search for the best path through a lattice and find different ones.",
    DifferenceKind.ALGORITHM: "The models use different algorithms: merges, longest match or best path.",
    DifferenceKind.OTHER_PIECES: "The vocabularies contain different pieces, so the text is split differently.",
    DifferenceKind.OTHER_IDS: "The text is split at the same positions, but the vocabularies number the pieces "
    "differently.",
    DifferenceKind.TRUNCATED: "One side truncates its tokens to a maximum length, as its file says.",
    DifferenceKind.ADDED_TOKENS: "Post-processing adds different tokens around the text, such as BOS and EOS.",
    DifferenceKind.PADDED: "One side pads its tokens to a fixed length, as its file says.",
}
"""One sentence for each kind."""
