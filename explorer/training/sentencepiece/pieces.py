"""Which strings may be pieces, and the pieces of a finished training in the order of a `.model` file.

Follows `IsValidSentencePiece` and `Serialize` of sentencepiece's `trainer_interface.cc`. A piece has a limited number
of characters, ▁ only where words begin (or end), and one script. Han, Hiragana, Katakana and ー count as one script,
and a combining mark takes that of the character before it. Scripts are those of Unicode 9; a character without one is
Common, as are digits, so "F1" is not a piece.

Surprise that is kept: with split_by_number off a digit has any script, and so has what follows it: "a1б" is a piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Final

from explorer.engine.unicode.versions import NAMES, script_of
from explorer.errors import InputError
from explorer.training.sentencepiece.options import BOUNDARY, SPACE, UNKNOWN_CHARACTER, Options
from explorer.training.training import Learned
from explorer.vocabulary import PieceKind

COMMON: Final = NAMES.index("Common")
INHERITED: Final = NAMES.index("Inherited")
ANY: Final = -1


class Fault(IntEnum):
    """Why a string is not a piece."""

    NONE = 0
    """It may be one."""
    LENGTH = 1
    """It has too many characters."""
    RESERVED = 2
    """It holds an unknown character, a boundary, a space or NUL."""
    WHITE_SPACE = 3
    """It holds a ▁ where no word begins."""
    DIGITS = 4
    """It holds a digit beside another character."""
    SCRIPTS = 5
    """It holds two scripts."""


class Pieces:
    """Says of strings whether they may be pieces.

    >>> pieces = Pieces(Options())
    >>> [pieces.fault(text).name for text in ("▁low", "low▁", "F1", "漢かナー", "lоw")]
    ['NONE', 'WHITE_SPACE', 'SCRIPTS', 'NONE', 'SCRIPTS']
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.reserved = frozenset((UNKNOWN_CHARACTER, BOUNDARY, " ", "\0"))

    def fault(self, text: str) -> Fault:
        """Why the string is not a piece, `Fault.NONE` where it may be one."""
        options = self.options
        if not 0 < len(text) <= options.max_sentencepiece_length:
            return Fault.LENGTH
        if not self.reserved.isdisjoint(text):
            return Fault.RESERVED
        only_space = options.allow_whitespace_only_pieces and not text.strip(SPACE)
        last = len(text) - 1
        before = ANY
        for at, ch in enumerate(text):
            if ch == SPACE:
                if not only_space and self.misplaced(at, last):
                    return Fault.WHITE_SPACE
                continue
            script = script_of(ch)
            if script < 0:
                script = COMMON
            elif script == INHERITED:
                script = before
            if is_digit(ch):
                if options.split_digits and last:
                    return Fault.DIGITS
                if not options.split_by_number:
                    script = ANY
            if options.split_by_unicode_script and ANY not in (script, before) and script != before:
                return Fault.SCRIPTS
            before = script
        return Fault.NONE

    def misplaced(self, at: int, last: int) -> bool:
        """Whether a ▁ may not be at this position."""
        if self.options.treat_whitespace_as_suffix:
            return at < last and (self.options.split_by_whitespace or at == 0)
        return at > 0 and (self.options.split_by_whitespace or at == last)


def is_digit(ch: str) -> bool:
    """Whether sentencepiece calls a character a number: 0-9, also full width.

    >>> [is_digit(ch) for ch in "7７½٣"]
    [True, True, False, False]
    """
    return "0" <= ch <= "9" or "０" <= ch <= "９"


def model(
    learned: Sequence[tuple[str, float]],
    special: Mapping[int, tuple[str, PieceKind]],
    options: Options,
    symbols: Sequence[str] = (),
    merges: Sequence[tuple[int, int, int]] = (),
) -> Learned[str]:
    """The model. Raises InputError where a piece comes twice, or there are fewer pieces than asked.

    learned: pieces with their scores, the best first.

    >>> model([("a", 0.0)], {0: ("<unk>", PieceKind.UNKNOWN)}, Options(vocab_size=2)).tokens
    ('<unk>', 'a')
    """
    tokens: list[str] = []
    scores: list[float] = []
    kinds: list[PieceKind] = []
    left = iter(learned)
    for id in range(options.vocab_size):
        if id in special:
            text, kind = special[id]
            if len(tokens) != id:
                raise InputError(
                    f"the special piece {text!r} has the id {id}, and only {len(tokens)} pieces come before it; choose "
                    "a lower id"
                )
            score = 0.0
        else:
            piece = next(left, None)
            if piece is None:
                continue
            (text, score), kind = piece, PieceKind.NORMAL
        tokens.append(text)
        scores.append(score)
        kinds.append(kind)
    if len(set(tokens)) < len(tokens):
        twice = next(text for at, text in enumerate(tokens) if text in tokens[:at])
        raise InputError(f"the piece {twice!r} is special and learned as well; give the special one another spelling")
    if options.hard_vocab_limit and len(tokens) < options.vocab_size:
        raise InputError(
            f"vocab_size is {options.vocab_size}, and this corpus gives {len(tokens)} pieces; choose {len(tokens)} or "
            "less, or hard_vocab_limit=False"
        )
    return Learned(tuple(symbols), tuple(tokens), tuple(merges), tuple(scores), tuple(sorted(special)), tuple(kinds))
