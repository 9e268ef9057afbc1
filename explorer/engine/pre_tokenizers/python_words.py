"""Words as the tokenizers of `transformers` that are written in Python find them, with the Unicode of this Python.

Follows `BasicTokenizer` of `models/bert/tokenization_bert.py`. Where another program finds the words, with a dictionary
of its own, the stages end at the text that it would get (`WordsElsewhere`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NoReturn

from explorer.engine.normalizers.huggingface import is_punctuation
from explorer.engine.part import Emit, Segment
from explorer.engine.pre_tokenizers.by_regex import Behavior, Splitter
from explorer.engine.pre_tokenizers.huggingface import CharClass, CharSplit
from explorer.engine.regexes.safe import Alternative
from explorer.errors import Unfinished, shown

WHITE: Final[CharClass] = Alternative(r"\s", "White space."), str.isspace
PUNCTUATION: Final[CharClass] = (
    Alternative(r"[\p{P}$+<=>^`|~]", "A punctuation mark, or one of ASCII's symbols."),
    is_punctuation,
)


def white_space() -> CharSplit:
    """Drops white space between words."""
    return CharSplit([WHITE], Behavior.REMOVED)


class MarksExcept(Splitter):
    """Isolates punctuation marks, but not in words that are special tokens.

    >>> [piece.text for piece in MarksExcept(["[A]"]).split(Segment.of("[A]"), 0, lambda *row: None)]
    ['[A]']
    """

    marks: Final = CharSplit([PUNCTUATION], Behavior.ISOLATED)
    alternatives: tuple[Alternative, ...] = marks.alternatives

    def __init__(self, kept: Collection[str]) -> None:
        self.kept = frozenset(kept)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces between and within the marks."""
        return [piece] if piece.text in self.kept else self.marks.split(piece, first, emit)


class WordsElsewhere(Splitter):
    """Ends the stages at any text that is not an added token. says: who finds its words.

    >>> WordsElsewhere("MeCab cuts").split(Segment.of("a"), 0, lambda *row: None)
    Traceback (most recent call last):
    explorer.errors.Unfinished: MeCab cuts; the first text that it would get is 'a'
    """

    def __init__(self, says: str) -> None:
        self.says = says

    def split(self, piece: Segment, first: int, emit: Emit) -> NoReturn:
        """Raises Unfinished."""
        raise Unfinished(f"{self.says}; the first text that it would get is {shown(piece.text)}")
