"""llama.cpp's words for WordPiece: one loop over the code points, by their flags, that fills a list of words.

Follows `llm_tokenizer_wpm_session::preprocess` of llama.cpp's `src/llama-vocab.cpp`, after its first line: the text is
decomposed before (`normalizers.huggingface.NfdFirst`). The loop looks at each code point once. White space ends a word;
controls, NULL, U+FFFD and (with strip_accents) marks are dropped; punctuation marks, ASCII symbols and Chinese
characters are words by themselves; all others are appended to the last word. What is kept is lowercased on its own,
after its flags have been read. No pattern is involved.
"""

from array import array
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.budget import asking
from explorer.engine.normalizers.huggingface import is_chinese_char
from explorer.engine.part import BySegment, Emit, Segment
from explorer.text.code_points import Flag, flags_of, simple_lower

WHAT = "the pre-tokenizer"


class WpmEvent(IntEnum):
    """What a `WpmRow` says."""

    BEGIN = 0
    """A fragment of text begins: its list of words is one empty word."""
    WHITE_SPACE = 1
    """White space: a new word begins, unless the last one is empty."""
    DROP = 2
    """A control, NULL or U+FFFD: it is dropped."""
    DROP_MARK = 3
    """A combining mark: it is dropped."""
    ALONE = 4
    """A punctuation mark, an ASCII symbol or a Chinese character: a word by itself, with a new word after it."""
    APPEND = 5
    """Any other code point: it is appended to the last word."""
    POP = 6
    """The loop is over, and the last word is empty: it is removed."""


class WpmRow(NamedTuple):
    """One turn of the loop, or what comes before and after it."""

    kind: int
    """A `WpmEvent`."""
    item: int
    """Index among the stage's items."""
    at: int
    """Index of the code point in the item's text; its length for POP."""
    code_point: int
    """The code point as it is written into a word, in lower case; -1 if none is."""


@dataclass(eq=False, kw_only=True)
class WpmWords(BySegment):
    """The stage: each fragment of text becomes its words.

    strip_accents: drop marks. lowercase: lowercase what is kept.

    >>> from explorer.engine.part import Options
    >>> [word.text for word in WpmWords().run([Segment.of("AWhat is LoRA?")], Options(), lambda *row: None)]
    ['awhat', 'is', 'lora', '?']
    """

    name = "pre-tokenize"
    what = WHAT
    row = WpmRow
    kinds = WpmEvent

    strip_accents: bool = True
    lowercase: bool = True

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Segment]:
        """The words of one fragment."""
        text, starts, ends = segment
        turn_of = {ch: self.turn(ch) for ch in set(text)}
        words: list[list[int]] = [[]]
        """The indices of the code points of each word; their lower case is that of `turn_of`."""
        emit(WpmEvent.BEGIN, index, 0, -1)
        for at in asking(range(len(text)), WHAT):
            kind, now = turn_of[text[at]]
            emit(kind, index, at, now)
            if kind is WpmEvent.APPEND:
                words[-1].append(at)
            elif kind is WpmEvent.ALONE:
                if words[-1]:
                    words.append([])
                words[-1].append(at)
                words.append([])
            elif kind is WpmEvent.WHITE_SPACE and words[-1]:
                words.append([])
        if not words[-1]:
            emit(WpmEvent.POP, index, len(text), -1)
            words.pop()
        return [
            Segment(
                "".join([chr(turn_of[text[at]][1]) for at in word]),
                array("i", [starts[at] for at in word]),
                array("i", [ends[at] for at in word]),
            )
            for word in words
        ]

    def turn(self, ch: str) -> tuple[WpmEvent, int]:
        """What a turn of the loop does with a code point, and what is written into a word; -1 for nothing.

        >>> WpmWords().turn("Å"), WpmWords().turn("\\t")
        ((<WpmEvent.APPEND: 5>, 229), (<WpmEvent.WHITE_SPACE: 1>, -1))
        """
        flags = flags_of(ord(ch))
        if Flag.WHITESPACE in flags:
            return WpmEvent.WHITE_SPACE, -1
        if ch in "\0\ufffd" or Flag.CONTROL in flags:
            return WpmEvent.DROP, -1
        if self.strip_accents and Flag.ACCENT_MARK in flags:
            return WpmEvent.DROP_MARK, -1
        alone = Flag.PUNCTUATION in flags or (ch < "\x7f" and Flag.SYMBOL in flags) or is_chinese_char(ch)
        return WpmEvent.ALONE if alone else WpmEvent.APPEND, ord(simple_lower(ch) if self.lowercase else ch)
