"""The answers to "Why?": how a token came about, and why there is a cut between two tokens.

Everything is plain, immutable data. A sentence is a `Say`, whose texts are kept apart so that a page can draw them as
chips. An event is named by the index of its stage in the trace and its own index among that stage's events.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from explorer.text.say import Say


class OriginKind(StrEnum):
    """How a token came about."""

    MERGED = "merged"
    """Merges joined its symbols."""
    SINGLE = "single"
    """It is one initial symbol that joined with no other."""
    WHOLE = "whole"
    """The text between two cuts of the pre-tokenizer is a piece and was taken without merges."""
    TAKEN_APART = "taken-apart"
    """A larger piece may not be output and was taken apart; this is one part of it."""
    BYTE = "byte"
    """A character is not a piece; this is one of its bytes."""
    UNKNOWN = "unknown"
    """The text is not a piece; the unknown token takes its place."""
    LONGEST_MATCH = "longest-match"
    """The longest piece that matches here."""
    FIRST_MISS = "first-miss"
    """The last token before the first prefix that is not one."""
    BEST_PATH = "best-path"
    """A piece on the path with the highest sum of scores."""
    LOOKED_UP = "looked-up"
    """A unit of the text, found in the vocabulary as a whole."""
    SPECIAL = "special"
    """A special, added or user-defined token found in the text before the model ran."""
    ADDED = "added"
    """Added around the text by post-processing."""
    PADDING = "padding"
    """Added to fill a length."""
    COPY = "copy"
    """Another copy of a token of the text, made by a template that contains the text twice."""


class CutCause(StrEnum):
    """Why there is a cut between two tokens."""

    NOT_A_PIECE = "not-a-piece"
    """The joined text is not in the vocabulary."""
    NOT_FOR_TEXT = "not-for-text"
    """The joined text is in the vocabulary, as a piece that the model does not make of text."""
    NO_MERGE = "no-merge"
    """The joined text is a piece, but no merge in the list makes it."""
    BETTER_PAIR = "better-pair"
    """The joined text is a piece, but another pair joined first, across the seam of the pair that makes it."""
    TAKEN_APART = "taken-apart"
    """Both were one piece that may not be output, and were taken apart."""
    PRE_TOKENIZER = "pre-tokenizer"
    """A stage before the model cuts here."""
    SPECIAL_TOKEN = "special-token"
    """A special, added or user-defined token begins or ends here."""
    ADDED_TOKEN = "added-token"
    """Post-processing or padding added one of the two."""
    TEMPLATE = "template"
    """The template of post-processing puts the two side by side: they are not neighbors in the text."""
    LONGEST_MATCH = "longest-match"
    """The longest match ends here."""
    FIRST_MISS = "first-miss"
    """With the next character, the prefix is not a token."""
    BETTER_SUM = "better-sum"
    """The joined text is a piece, but its path has a lower sum."""
    UNITS = "units"
    """The text is split into units without the vocabulary, and a unit ends here."""
    BYTES = "bytes"
    """The text is not a piece and became bytes; one of the two is such a byte."""
    UNKNOWN = "unknown"
    """The text is not a piece; one of the two is the unknown token in its place."""
    DROPPED = "dropped"
    """Text between the two is dropped."""


class TokenText(NamedTuple):
    """A token of the trace.

    number: index among the ids. text: for people (`spellings`). stored: the vocabulary's spelling. start, end: code
    points of the original text, None for an added token.
    """

    number: int
    id: int
    text: str
    stored: str
    start: int | None
    end: int | None


class WhyStep(NamedTuple):
    """One event.

    stage: its stage's index in the trace. event: its index among that stage's events. kind: the name of its kind.
    parts: the texts it is about. makes: what they make, or would make; empty where there is nothing. value: the score,
    merge number (from 1), rank or sum, None where there is none. unit: which of these it is. good: whether it made or
    found something, as opposed to a rejection.
    """

    stage: int
    event: int
    kind: str
    parts: tuple[str, ...]
    makes: str
    note: Say
    value: float | None = None
    unit: str = ""
    good: bool = True


class Node(NamedTuple):
    """A node of a merge tree.

    id: of the piece, None where the symbol is not a piece. start, end: its symbols [start, end), counted in the token.
    event: of the merge, None for a leaf. value, unit: as in `WhyStep`. children: indices of two earlier nodes; none for
    a leaf.
    """

    text: str
    stored: str
    id: int | None
    start: int
    end: int
    event: int | None = None
    value: float | None = None
    unit: str = ""
    children: tuple[int, ...] = ()


class TokenOrigin(NamedTuple):
    """How a token came about.

    stage, event: of the event that output it; event is None where no event tells.
    tree: for merges, the leaves in text order, then the merges in the order they were made; the last node is the root
    (a token that was taken out of a larger piece may have several roots). steps: the decisive events in order.
    lost: the text that an unknown token replaces, for people. meaning: what the numbers of the steps and nodes mean.
    """

    token: TokenText
    how: OriginKind
    sentence: Say
    stage: int
    event: int | None
    tree: tuple[Node, ...] = ()
    steps: tuple[WhyStep, ...] = ()
    lost: str = ""
    meaning: Say | None = None


class Joined(NamedTuple):
    """The text of two tokens as one.

    id: of the piece of the vocabulary spelled so, None if there is none. score: of that piece, if it has one.
    """

    text: str
    stored: str
    id: int | None
    score: float | None


class OtherCuts(NamedTuple):
    """In how many ways the vocabulary can spell the joined text, ours among them.

    total: how many. fewest: tokens of the shortest.
    """

    total: int
    fewest: int
    sentence: Say


class Cut(NamedTuple):
    """Why there is a cut between two neighboring tokens.

    joined: their text as one, None where they are not neighbors in one text. steps: the events that touch both, in
    order. stage, event: of the decisive event; event is None where no event tells. others: the cuts of the joined text
    that the vocabulary allows; None where they are not defined or the text is too long.
    """

    left: TokenText
    right: TokenText
    cause: CutCause
    sentence: Say
    stage: int
    event: int | None
    joined: Joined | None = None
    steps: tuple[WhyStep, ...] = ()
    others: OtherCuts | None = None
