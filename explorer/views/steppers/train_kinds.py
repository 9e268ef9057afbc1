"""The steps of a training that merges pairs: their sentences at each level, and what differs between trainers.

Arguments are given with each kind. `{n:q}` is a symbol as the vocabulary spells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from explorer.training.rows import Train
from explorer.training.sentencepiece.pieces import Fault
from explorer.views.steppers.script import StepKind

COUNT: Final = (2,)
CHOOSE: Final = (4, 5)
JOIN: Final = (6, 7, 8)

Key = Train | str
"""An event, or one of the steps that several events make."""

_KINDS: Final[Mapping[Key, StepKind]] = MappingProxyType({
    # number, text of the token, its symbol
    Train.SPECIAL: StepKind(
        "special", "info", "Special token {0} is {1:q}: symbol {2:i}.", "special {1:q}",
        "Special tokens come first. No text is learned from them.", (1,), "dot", 30,
        story="{1:q} is a special token: it gets id {2:i}."),
    Train.SPECIAL_REPEATED: StepKind(
        "repeated", "miss", "Special token {0}, {1:q}, is symbol {2:i} already. It is skipped.", "{1:q} again", "",
        (1,), "ring", 30, story="{1:q} is there already, so it is skipped."),
    Train.RESERVED: StepKind(
        "special", "info", "Id {2:i} is reserved for {1:q}.", "special {1:q}",
        "Special pieces have fixed ids. No text is learned from them.", (1,), "dot", 30),
    # number of a text, bytes, limit or number of cuts
    Train.TEXT_EMPTY: StepKind("empty", "miss", "Line {0} is empty: it is skipped.", "line {0} empty", "", (0,),
                               "ring", 30),
    Train.TEXT_TOO_LONG: StepKind("too long", "miss", "Line {0} has {1} bytes, more than {2}: it is skipped.",
                                  "line {0} too long", "The option max_sentence_length sets the limit.", (0,), "ring",
                                  30),
    Train.TEXT_MARKED: StepKind("skipped", "miss", "Line {0} holds ▅, the mark of unknown characters: it is skipped.",
                                "line {0} skipped", "", (0,), "ring", 30),
    Train.TEXT_CUT: StepKind("cut", "info", "Line {0} holds {1} special pieces: it is cut there.", "line {0} cut",
                             "They are not learned from.", (0,), "ring", 30),
    # how many, a few of them
    "letters": StepKind(
        "alphabet", "token", "{0:t} of the corpus: {1:t}.", "{0:t}",
        "All other tokens are made of them. They are learned even if there is no room.", (1,), "dot", 50,
        story="The alphabet has {0:t}."),
    "affixed": StepKind(
        "alphabet", "token", "{0:t} with a prefix or suffix: {1:t}.", "{0:t} with an affix",
        "The same character inside a word is another symbol.", (1,), "dot", 50),
    # a character, its count
    Train.LETTER_KNOWN: StepKind("known", "miss", "{0:q} occurs {1:t} and is a special token already.",
                                 "{0:q} known", "", (1,), "ring", 30),
    Train.LETTER_DROPPED: StepKind(
        "dropped", "stale", "{0:q} occurs {1:t} and is left out: the alphabet is limited.", "{0:q} left out",
        "The option limit_alphabet keeps the most frequent characters.", (1,), "ring", 40),
    Train.LETTER_UNKNOWN: StepKind(
        "unknown", "stale", "{0:q} occurs {1:t} and becomes unknown.", "{0:q} unknown",
        "More frequent characters already reach character_coverage.", (1,), "ring", 40),
    Train.LETTER_SKIPPED: StepKind(
        "skipped", "stale", "{0:q} is missing from the alphabet, so a word is written without it.", "{0:q} skipped",
        "Its neighbors become adjacent.", (0,), "ring", 40),
    # different pairs, all occurrences
    "pairs": StepKind(
        "count", "push", "{0:t}; together they occur {1} times.", "{0:t} counted",
        "A pair inside a word counts as often as the word occurs. Overlaps count.", COUNT, "dot", 40,
        story="All neighbors are counted: {0:t}."),
    # left, right, what they count; entries
    Train.STALE: StepKind(
        "out of date", "stale", "{3:t} out of date, first {0:q} + {1:q} with {2}: pushed again.",
        "{3:t} out of date", "Entries are checked only when they come up.", (4,), "ring", 30,
        story="{3:t} out of date, first {0:q} + {1:q}: counted anew."),
    Train.TOO_LONG: StepKind(
        "too long", "miss", "{0:q} + {1:q} would have {2} characters: it is not counted.", "{0:q} + {1:q} too long",
        "The option max_token_length sets the limit.", (8,), "ring", 30),
    Train.FORBIDDEN: StepKind(
        "forbidden", "miss", "{0:q} + {1:q} must not be merged: it is not counted.", "{0:q} + {1:q} forbidden", "",
        COUNT, "ring", 25),
    # left, right, reason
    Train.INVALID: StepKind(
        "no piece", "miss", "{0:q} + {1:q} can't become a piece: {2:t}.", "{0:q} + {1:q}: no piece",
        "It is never counted.", COUNT, "ring", 25),
    Train.DUPLICATE: StepKind(
        "twice", "miss", "{0:q} + {1:q} spells {2:q}, which is a piece already: it is dropped.", "{2:q} again", "",
        (6,), "ring", 30),
    # pairs in all, pairs looked at, count of the least
    Train.ACTIVE: StepKind(
        "choose", "info", "Of {0} pairs the {1} most frequent are looked at from now on. The rarest occurs {2} times.",
        "{1} of {0} pairs", "sentencepiece up to 0.2.1 chooses them anew after each hundred merges.", (3,), "dot", 40),
    # left, right, count, the next one's two sides, its count, ties, tie rule; worth
    "best": StepKind(
        "best pair", "push", "{0:q} + {1:q} has {8:t}, the most: {3:q} + {4:q} is next with {9:t}.",
        "{0:q} + {1:q} is best", "{10:t}", CHOOSE, "ring", 45,
        story="{0:q} + {1:q}: {8:t}, the most. Next is {3:q} + {4:q} with {9:t}."),
    "tied": StepKind(
        "tie", "info", "{0:q} + {1:q} has {8:t}. It ties with {6} more: the tie rule decides.",
        "{0:q} + {1:q}, tied with {6}", "{7:t}", CHOOSE, "ring", 45,
        story="{0:q} + {1:q}: {8:t}. It ties with {6} more."),
    "only": StepKind(
        "best pair", "push", "{0:q} + {1:q} has {8:t}. No other pair is left.", "{0:q} + {1:q} is the last",
        "{10:t}", CHOOSE, "ring", 45),
    # left, right, made, words that change, symbols before, symbols after, pairs counted anew, id
    Train.TOKEN: StepKind(
        "merge", "merge", "{0:q} + {1:q} → {2:q}, symbol {7:i}, in {3:t}. Counted anew: {6:t}.",
        "{0:q} + {1:q} → {2:q}", "The corpus had {4} symbols and has {5}.", JOIN, "dot", 100, True,
        story="{0:q} + {1:q} → {2:q}. The corpus shrinks from {4} to {5} symbols.",
        story_why="It becomes one token in {3:t}."),
    Train.TOKEN_KNOWN: StepKind(
        "merge", "merge", "{0:q} + {1:q} → {2:q}, which is symbol {7:i} already, in {3:t}.",
        "{0:q} + {1:q} → {2:q}, known", "The corpus had {4} symbols and has {5}. The vocabulary does not grow.", JOIN,
        "dot", 100, True, story="{0:q} + {1:q} → {2:q}. The corpus shrinks from {4} to {5} symbols.",
        story_why="The vocabulary has {2:q} already, so it does not grow."),
    # symbol, count
    Train.REQUIRED: StepKind("character", "token", "The character {0:q} becomes a piece. It occurs {1:t}.",
                             "{0:q}", "Characters follow after all merges, the most frequent first.", (), "dot", 30),
    # merges, kept, tokens saved
    Train.KEPT: StepKind("kept", "info", "Of {0} merges the first {1} become pieces.", "{1} of {0} merges",
                         "With their characters and others they save {2} tokens.", (), "dot", 40),
    # tokens, wanted
    Train.STOP_SIZE: StepKind("end", "info", "The vocabulary is full: {0} of {1}.", "full", "", (3,), "diamond", 70),
    Train.STOP_NO_PAIR: StepKind("end", "info", "No pair is left. The vocabulary has {0} of the {1} asked for.",
                                 "no pair", "Every word is one token, or no pair may join.", (3,), "diamond", 70),
    # left, right, count
    Train.STOP_RARE: StepKind("end", "info", "The best pair left, {0:q} + {1:q}, occurs {2:t}: too rare.",
                              "too rare", "The option min_frequency sets the limit.", (4,), "diamond", 70),
})  # fmt: skip
"""What each step says. A comment above a kind names its arguments, for those that follow as well."""

KINDS: Final[Mapping[Key, StepKind]] = MappingProxyType(
    {key: replace(kind, story_why=kind.story_why or kind.why) for key, kind in _KINDS.items()}
)
"""The same; a reason is the same in the story, unless that has one of its own."""

FAULTS: Final[Mapping[int, str]] = MappingProxyType({
    Fault.LENGTH: "it has too many characters",
    Fault.RESERVED: "it holds an unknown character or a boundary",
    Fault.WHITE_SPACE: "it holds a ▁ inside a word",
    Fault.DIGITS: "it holds a digit beside another character",
    Fault.SCRIPTS: "it holds two scripts",
})  # fmt: skip
"""Why a pair is no piece, for `INVALID`."""

LOWEST_IDS: Final = "Ties go to the lowest left id, then the lowest right id."
SHORTEST: Final = "Ties go to the shortest, then to the first in the order of code points."
FIRST: Final = "Ties go to the pair that occurs first in the corpus."

TIE_RULES: Final[Mapping[tuple[str, str], str]] = MappingProxyType({
    ("bpe", "huggingface"): LOWEST_IDS,
    ("bpe", "sentencepiece"): SHORTEST,
    ("bpe", "sentencepiece-0.2.1"): SHORTEST,
    ("bpe", "minbpe"): FIRST,
    ("wordpiece", "huggingface"): LOWEST_IDS,
    ("wordpiece", "likelihood"): FIRST,
})  # fmt: skip
"""Which of equally good pairs a trainer takes."""

LIKELIHOOD: Final = ("wordpiece", "likelihood")
MOST_FREQUENT: Final = "The most frequent pair becomes a token."
MOST_LIKELY: Final = "The highest score becomes a token: count ÷ (left × right)."


def code(trainer_id: tuple[str, str]) -> tuple[str, ...]:
    """The algorithm of a trainer, line by line."""
    priority_value = "score, count / (left * right)" if trainer_id == LIKELIHOOD else "count"
    return (
        "words = distinct words, each in its characters",
        "vocabulary = special tokens, characters",
        "count all pairs of neighbors",
        "while the vocabulary is too small:",
        f"    best = the pair with the highest {priority_value}",
        "    if several are best: the tie rule",
        "    vocabulary += best, joined",
        "    in each word: join best, left to right",
        "    count the pairs beside it anew",
    )
