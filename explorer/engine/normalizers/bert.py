"""BERT's normalization, twice: as Hugging Face's `BertNormalizer` and as llama.cpp's WPM.

Hugging Face makes several passes over the text, each a normalizer here (`bert_normalizers`): drop controls, turn white
space into spaces, put spaces around Chinese characters (`IsolateChineseChars`), NFD, drop nonspacing marks, lowercase.
llama.cpp makes one pass with its flags (`NfdFirst`): it keeps only the first code point of each decomposition, drops
controls and the remaining marks, and applies the simple lower case to the rest. Both agree on Å; of 각 Hugging Face
keeps three jamo, llama.cpp one.

Two quirks of the originals are kept. Hugging Face drops vertical tab, form feed and next line as controls; llama.cpp
and the first BERT treat them as white space. And both omit U+2B820 to U+2B91F from the Han extensions: a typo in
`tokenizers` that llama.cpp repeats on purpose.
"""

from __future__ import annotations

from array import array

from explorer.engine.items import Segment
from explorer.engine.normalizers.alignment import Step, rewritten
from explorer.engine.normalizers.huggingface import Drop, Lowercase, ToSpace
from explorer.engine.normalizers.stage import NormalizeEvent, Normalizer
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.trace import Emit
from explorer.engine.unicode.versions import is_control, is_mark
from explorer.text.code_points import HAN_RANGES, Flag, first_of_nfd, flags_of, is_white_space, simple_lower

CHINESE_CHARS = (*HAN_RANGES, (0x2B920, 0x2CEAF))
"""The ranges of `is_chinese_char` in both originals, first and last code point. Kana and Hangul are not included."""


def is_chinese_char(ch: str) -> bool:
    """Whether BERT isolates a character as Chinese: `is_chinese_char` of `tokenizers` and of llama.cpp's WPM.

    >>> is_chinese_char("漢"), is_chinese_char("か"), is_chinese_char("\\U0002b820")
    (True, False, False)
    """
    return ch >= "\u3400" and any(first <= ord(ch) <= last for first, last in CHINESE_CHARS)


def is_dropped(ch: str) -> bool:
    """Whether `clean_text` drops a character.

    >>> [is_dropped(ch) for ch in "\\t\\u200d\\v"]
    [False, True, True]
    """
    return ch not in "\t\n\r" and (ch in "\0\ufffd" or is_control(ch))


class IsolateChineseChars:
    """Puts a space on either side of every Chinese character.

    >>> IsolateChineseChars().apply(Segment.of("ab漢"), 0, False, lambda *row: None).text
    'ab 漢 '
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with spaces around its Chinese characters."""
        chinese = {ch for ch in set(segment.text) if is_chinese_char(ch)}
        if not chinese:
            return segment
        steps: list[Step] = []
        for at, ch in enumerate(segment.text):
            if ch in chinese:
                emit(NormalizeEvent.ISOLATE, item, at, ord(ch))
                steps += ((" ", 0), (ch, 1), (" ", 1))
            else:
                steps.append((ch, 0))
        return rewritten(segment, steps)


def bert_normalizers(
    *, clean_text: bool = True, handle_chinese_chars: bool = True, strip_accents: bool | None = None,
    lowercase: bool = True,
) -> list[Normalizer]:  # fmt: skip
    """The passes of Hugging Face's `BertNormalizer` for its settings. strip_accents None: as `lowercase`.

    >>> [type(one).__name__ for one in bert_normalizers(clean_text=False, lowercase=False)]
    ['IsolateChineseChars']
    """
    passes: list[Normalizer] = []
    if clean_text:
        passes += (Drop(is_dropped, NormalizeEvent.DROP_CONTROL), ToSpace(is_white_space))
    if handle_chinese_chars:
        passes.append(IsolateChineseChars())
    if lowercase if strip_accents is None else strip_accents:
        passes += (UnicodeForm("NFD"), Drop(is_mark, NormalizeEvent.DROP_MARK))
    if lowercase:
        passes.append(Lowercase())
    return passes


DROPPED = ""
"""The replacement of a dropped character."""


class NfdFirst:
    """llama.cpp's single pass: first code point of the decomposition, no controls, no marks, simple lower case.

    strip_accents: decompose and drop marks. lowercase: lowercase. White space stays; the pre-tokenizer splits at it.
    Follows `llm_tokenizer_wpm_session::preprocess` in llama.cpp's `src/llama-vocab.cpp`.

    >>> NfdFirst().apply(Segment.of("ÅWhat 각\\u200d"), 0, False, lambda *row: None).text
    'awhat ᄀ'
    """

    def __init__(self, *, strip_accents: bool = True, lowercase: bool = True) -> None:
        self.strip_accents, self.lowercase = strip_accents, lowercase

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment after the pass."""
        became = {ch: self.of(ch) for ch in set(segment.text)}
        if all(steps == () for steps in became.values()):
            return segment
        text: list[str] = []
        starts, ends = array("i"), array("i")
        for at, (ch, start, end) in enumerate(zip(*segment, strict=True)):
            now = ch
            for kind, to in became[ch]:
                emit(kind, item, at, ord(to or now))
                now = to
            if now:
                text.append(now)
                starts.append(start)
                ends.append(end)
        return Segment("".join(text), starts, ends)

    def of(self, ch: str) -> tuple[tuple[NormalizeEvent, str], ...]:
        """The changes to one character, in order: the kind and what the character becomes."""
        steps: list[tuple[NormalizeEvent, str]] = []
        first = first_of_nfd(ch) if self.strip_accents else ch
        if first != ch:
            steps.append((NormalizeEvent.FIRST_OF_NFD, first))
        flags = flags_of(ord(first))
        if Flag.WHITESPACE in flags:
            return tuple(steps)
        if first in "\0\ufffd" or Flag.CONTROL in flags:
            return (*steps, (NormalizeEvent.DROP_CONTROL, DROPPED))
        if self.strip_accents and Flag.ACCENT_MARK in flags:
            return (*steps, (NormalizeEvent.DROP_MARK, DROPPED))
        lower = simple_lower(first) if self.lowercase else first
        if lower != first:
            steps.append((NormalizeEvent.LOWER, lower))
        return tuple(steps)
