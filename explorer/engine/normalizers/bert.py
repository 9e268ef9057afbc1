"""BERT's normalization, twice: as Hugging Face's `BertNormalizer` does it and as llama.cpp's WPM does.

Hugging Face makes several passes over the whole text, each a normalizer of its own here (`bert_normalizers`): controls
out, white space to spaces, spaces around every Chinese character (`IsolateHan`), NFD, nonspacing marks out, lower case.
llama.cpp makes one pass with its flags (`NfdFirst`): of every decomposition only the first code point stays, controls
and what is left of the marks go, the rest gets the simple lower case. Both agree on Å; on 각 Hugging Face keeps three
jamo, llama.cpp one.

Two surprises in the original, kept. Hugging Face drops vertical tab, form feed and next line as controls, where
llama.cpp and the first BERT take them for white space. And of the Han extensions both leave U+2B820 to U+2B91F out, a
typing error in `tokenizers` that llama.cpp repeats on purpose.
"""

from __future__ import annotations

from array import array

from explorer.engine.items import Segment
from explorer.engine.normalizers.alignment import Step, rewritten
from explorer.engine.normalizers.huggingface import Drop, Lowercase, ToSpace
from explorer.engine.normalizers.stage import Normalize, Normalizer
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.trace import Emit
from explorer.engine.unicode.versions import is_control, is_mark
from explorer.text.code_points import WHITE_SPACE, Flag, first_of_nfd, flags_of, simple_lower

HAN = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""First and last code point of what both originals take for Chinese characters. Kana and Hangul are not among them."""


def is_han(ch: str) -> bool:
    """Whether a character stands alone as Chinese ones do.

    >>> is_han("漢"), is_han("か"), is_han("\\U0002b820")
    (True, False, False)
    """
    return ch >= "\u3400" and any(first <= ord(ch) <= last for first, last in HAN)


def is_white_space(ch: str) -> bool:
    return ord(ch) in WHITE_SPACE


def is_dropped(ch: str) -> bool:
    """What `clean_text` drops.

    >>> [is_dropped(ch) for ch in "\\t\\u200d\\v"]
    [False, True, True]
    """
    return ch not in "\t\n\r" and (ch in "\0\ufffd" or is_control(ch))


class IsolateHan:
    """Puts a space on either side of every Chinese character.

    >>> IsolateHan().apply(Segment.of("ab漢"), 0, False, lambda *row: None).text
    'ab 漢 '
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        han = {ch for ch in set(segment.text) if is_han(ch)}
        if not han:
            return segment
        steps: list[Step] = []
        for at, ch in enumerate(segment.text):
            if ch in han:
                emit(Normalize.ISOLATE, item, at, ord(ch))
                steps += ((" ", 0), (ch, 1), (" ", 1))
            else:
                steps.append((ch, 0))
        return rewritten(segment, steps)


def bert_normalizers(
    *, clean_text: bool = True, handle_chinese_chars: bool = True, strip_accents: bool | None = None,
    lowercase: bool = True,
) -> list[Normalizer]:  # fmt: skip
    """The passes of Hugging Face's `BertNormalizer`, by its settings; strip_accents None: as `lowercase` is.

    >>> [type(one).__name__ for one in bert_normalizers(clean_text=False, lowercase=False)]
    ['IsolateHan']
    """
    passes: list[Normalizer] = []
    if clean_text:
        passes += (Drop(is_dropped, Normalize.DROP_CONTROL), ToSpace(is_white_space))
    if handle_chinese_chars:
        passes.append(IsolateHan())
    if lowercase if strip_accents is None else strip_accents:
        passes += (UnicodeForm("NFD"), Drop(is_mark, Normalize.DROP_MARK))
    if lowercase:
        passes.append(Lowercase())
    return passes


DROPPED = ""


class NfdFirst:
    """llama.cpp's one pass: first code point of the decomposition, no controls, no marks, simple lower case.

    strip_accents: decompose and drop marks. lowercase: the lower case. White space stays, it cuts the words later.
    Follows `llm_tokenizer_wpm_session::preprocess` in llama.cpp's `src/llama-vocab.cpp`.

    >>> NfdFirst().apply(Segment.of("ÅWhat 각\\u200d"), 0, False, lambda *row: None).text
    'awhat ᄀ'
    """

    def __init__(self, *, strip_accents: bool = True, lowercase: bool = True) -> None:
        self.strip_accents, self.lowercase = strip_accents, lowercase

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
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

    def of(self, ch: str) -> tuple[tuple[Normalize, str], ...]:
        """The changes to one character: what is done and what stands there then."""
        steps: list[tuple[Normalize, str]] = []
        first = first_of_nfd(ch) if self.strip_accents else ch
        if first != ch:
            steps.append((Normalize.FIRST_OF_NFD, first))
        flags = flags_of(ord(first))
        if Flag.WHITESPACE in flags:
            return tuple(steps)
        if first in "\0\ufffd" or Flag.CONTROL in flags:
            return (*steps, (Normalize.DROP_CONTROL, DROPPED))
        if self.strip_accents and Flag.ACCENT_MARK in flags:
            return (*steps, (Normalize.DROP_MARK, DROPPED))
        lower = simple_lower(first) if self.lowercase else first
        if lower != first:
            steps.append((Normalize.LOWER, lower))
        return tuple(steps)
