"""Pre-tokenizing for WordPiece: a text cut into words at white space, punctuation and Chinese characters.

Hugging Face's `BertPreTokenizer` drops white space and lets every punctuation mark and ASCII symbol stand alone;
Chinese characters it need not know, the normalizer has put spaces around them. llama.cpp does it in one loop of
`llm_tokenizer_wpm_session::preprocess`, by its flags, and lets Chinese characters stand alone there. The two are one
splitter with another classifier.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.bert_normalizer import is_han, is_white_space
from explorer.engine.items import Item, Items, Segment
from explorer.engine.old_unicode import is_punctuation
from explorer.engine.options import Options
from explorer.text.code_points import Flag, flags_of
from explorer.trace import Emit


class Words(IntEnum):
    """What a `WordsRow` says of a stretch of the text."""

    WORD = 0
    """A word: it ends at white space, or where a character stands alone."""
    WHITE_SPACE = 1
    """White space: it is dropped."""
    PUNCTUATION = 2
    """A punctuation mark: a word of its own."""
    SYMBOL = 3
    """One of ASCII's symbols, such as `$` and `+`: a word of its own."""
    HAN = 4
    """A Chinese character: a word of its own."""


class WordsRow(NamedTuple):
    """One stretch of the text and what it is."""

    kind: int
    """A `Words`."""
    item: int
    """Which item of the stage it lies in, from 0."""
    start: int
    """First code point in that item's text."""
    end: int
    """One after the last."""


Classify = Callable[[str], Words]


def as_hugging_face(ch: str) -> Words:
    """What a character is to `BertPreTokenizer`."""
    if is_white_space(ch):
        return Words.WHITE_SPACE
    if not is_punctuation(ch):
        return Words.WORD
    return Words.SYMBOL if ch in "$+<=>^`|~" else Words.PUNCTUATION


def as_llama_cpp(ch: str) -> Words:
    """What a character is to llama.cpp's WPM."""
    flags = flags_of(ord(ch))
    if Flag.WHITESPACE in flags:
        return Words.WHITE_SPACE
    if Flag.PUNCTUATION in flags:
        return Words.PUNCTUATION
    if Flag.SYMBOL in flags and ch < "\x7f":
        return Words.SYMBOL
    return Words.HAN if is_han(ch) else Words.WORD


class WordSplit:
    """Cuts every segment into its words.

    >>> split = WordSplit(as_hugging_face)
    >>> [word.text for word in split.run([Segment.of("what is lora?")], Options(), lambda *row: None)]
    ['what', 'is', 'lora', '?']
    """

    name = "pre-tokenize"
    row = WordsRow
    kinds = Words

    def __init__(self, classify: Classify) -> None:
        self.classify = classify

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        for place, item in enumerate(items):
            if isinstance(item, Segment):
                done += self.split(item, place, emit)
            else:
                done.append(item)
        return done

    def split(self, segment: Segment, place: int, emit: Emit) -> list[Segment]:
        """The words of one segment; `place` is where it stands among the items, for the trace only."""
        text, starts, ends = segment
        kinds = {ch: self.classify(ch) for ch in set(text)}
        words: list[Segment] = []
        stop = 0
        while stop < len(text):
            first, kind = stop, kinds[text[stop]]
            stop += 1
            # words and white space run on, every other kind stands alone
            while kind <= Words.WHITE_SPACE and stop < len(text) and kinds[text[stop]] == kind:
                stop += 1
            emit(kind, place, first, stop)
            if kind != Words.WHITE_SPACE:
                words.append(Segment(text[first:stop], starts[first:stop], ends[first:stop]))
        return words
