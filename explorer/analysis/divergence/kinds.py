"""The kinds of difference between two tokenizers, each with its meaning. Every difference has exactly one kind."""

from __future__ import annotations

from enum import StrEnum


class DifferenceKind(StrEnum):
    """Why two tokenizers give different ids. The value is its name in tables and exports; `says` explains it."""

    says: str

    def __new__(cls, name: str, says: str) -> DifferenceKind:
        kind = str.__new__(cls, name)
        kind._value_, kind.says = name, says
        return kind

    SAME = "same ids", "Both sides give the same ids."
    ESCAPES = "escapes", "One side replaces an escape such as \\n by its character, the other keeps it."
    SPECIAL_TOKEN = "special token", "One side finds a special or added token where the other reads plain text."
    SWALLOWED = "swallowed white space", "A special or added token swallows adjacent white space on one side only."
    COMPOSITION = "composition", "One side composes a letter and its marks to fewer code points (NFC)."
    EQUIVALENT = "canonical equivalent", "One side replaces a character by its canonical equivalent (NFC, NFD)."
    ORDER_OF_MARKS = "order of marks", "One side puts combining marks in canonical order."
    DECOMPOSITION = "decomposition", "One side decomposes a character to a letter and marks (NFD)."
    FIRST_CODE_POINT = "first of a decomposition", "One side keeps only the first code point of a decomposition."
    COMPATIBILITY = "compatibility form", "One side replaces a character by its compatibility form (NFKC): ﬁ by fi."
    MARKS = "marks dropped", "One side drops combining marks, the other keeps them."
    CASE = "case", "One side lowercases letters, or the sides use different case rules."
    WHITE_SPACE = "white space", "One side drops white space or replaces it by another kind."
    REMOVED = "removed", "One side removes characters that the other keeps."
    INSERTED = "inserted", "One side inserts characters that the other doesn't."
    REPLACED = "replaced", "The sides see different characters at the same position of the text."
    PREFIX_SPACE = "prefix space", "One side inserts a space before the text, the other doesn't."
    PRE_TOKEN = (
        "pre-token boundary",
        "The pre-tokenizers cut the text at different positions, and no token crosses a cut.",
    )
    WHOLE_PIECE = (
        "whole piece",
        "One side takes a pre-token that is in the vocabulary whole (ignore_merges), the other has to merge it.",
    )
    UNKNOWN = (
        "unknown or byte fallback",
        "One side has no piece for the text and gives the unknown token, bytes or nothing.",
    )
    WORD_LENGTH = "length of a word", "One side doesn't try words above a maximum length."
    UNUSED_PIECE = "unused piece", "One side splits a piece marked as unused again, the other outputs it."
    MERGE_ORDER = "merge order", "Both sides merge pairs, but different pairs or in a different order."
    BEST_PATH = "best path", "Both sides search for the best path through a lattice and find different ones."
    ALGORITHM = "model algorithm", "The models use different algorithms: merges, longest match or best path."
    OTHER_PIECES = "other pieces", "One side gives a token whose piece the other vocabulary lacks."
    OTHER_IDS = (
        "other ids",
        "The text is split at the same positions, but the vocabularies number the pieces differently.",
    )
    TRUNCATED = "truncation", "One side truncates its tokens to a maximum length, as its file says."
    ADDED_TOKENS = "added tokens", "Post-processing adds different tokens around the text, such as BOS and EOS."
    PADDED = "padding", "One side pads its tokens to a fixed length, as its file says."
