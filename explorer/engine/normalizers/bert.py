"""BERT's normalization, as Hugging Face's `BertNormalizer` and as llama.cpp's WPM.

Hugging Face makes several passes over the text, each a normalizer here (`bert_normalizers`): drop controls, turn white
space into spaces, put spaces around Chinese characters (`IsolateChineseChars`), NFD, drop nonspacing marks, lowercase.
llama.cpp keeps only the first code point of each decomposition (`NfdFirst`); the rest happens in the loop that also
finds the words (`pre_tokenizers.wpm`). Both agree on Å; of 각 Hugging Face keeps three jamo, llama.cpp one.

Two quirks of the originals are kept. Hugging Face drops vertical tab, form feed and next line as controls; llama.cpp
and the first BERT treat them as white space. And both omit U+2B820 to U+2B91F from the Han extensions: a typo in
`tokenizers` that llama.cpp repeats on purpose.
"""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.normalizers.huggingface import Drop, Lowercase, ToSpace
from explorer.engine.normalizers.stage import ByCharacter, NormalizeEvent, Normalizer, each
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.trace import Emit
from explorer.engine.unicode.versions import is_control, is_mark
from explorer.text.code_points import HAN_RANGES, first_of_nfd, is_white_space

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
        for at, ch in enumerate(segment.text):
            if ch in chinese:
                emit(NormalizeEvent.ISOLATE, item, at, ord(ch))
        return each(segment, lambda ch: f" {ch} " if ch in chinese else ch)


def bert_normalizers(
    *,
    clean_text: bool = True,
    handle_chinese_chars: bool = True,
    strip_accents: bool | None = None,
    lowercase: bool = True,
) -> list[Normalizer]:
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


class NfdFirst(ByCharacter):
    """llama.cpp's decomposition: each character becomes the first code point of its canonical decomposition.

    Follows `unicode_cpts_normalize_nfd` of llama.cpp's `src/unicode.cpp`; the table it searches is in `nfd_ranges`.
    The other code points are lost. What llama.cpp does next is in `pre_tokenizers.wpm`.

    >>> NfdFirst().apply(Segment.of("ÅWhat 각"), 0, False, lambda *row: None).text
    'AWhat ᄀ'
    """

    def __init__(self) -> None:
        super().__init__(first_of_nfd, NormalizeEvent.FIRST_OF_NFD)
