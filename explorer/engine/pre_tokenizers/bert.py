"""Pre-tokenization for WordPiece: splits text into words at white space, punctuation and Chinese characters.

Hugging Face's `BertPreTokenizer` drops white space and isolates each punctuation mark and ASCII symbol; it does not
handle Chinese characters, because the normalizer has put spaces around them. llama.cpp does all of it in one loop of
`llm_tokenizer_wpm_session::preprocess`, by its flags, and isolates Chinese characters there. Both are the same pair of
splitters with different tables.
"""

from __future__ import annotations

from explorer.engine.normalizers.bert import is_chinese_char
from explorer.engine.pre_tokenizers.huggingface import PUNCTUATION, WHITE, CharSplit
from explorer.engine.pre_tokenizers.stage import Behavior
from explorer.engine.regexes.pattern import Alternative
from explorer.text.code_points import Flag, flags_of


def bert_pre_tokenizer() -> list[CharSplit]:
    """Hugging Face's `BertPreTokenizer`.

    >>> from explorer.engine.items import Segment
    >>> white, marks = bert_pre_tokenizer()
    >>> [word.text for word in white.split(Segment.of("is lora?"), 0, lambda *row: None)]
    ['is', 'lora?']
    >>> [word.text for word in marks.split(Segment.of("lora?"), 0, lambda *row: None)]
    ['lora', '?']
    """
    return [CharSplit([WHITE], Behavior.REMOVED), CharSplit([PUNCTUATION], Behavior.ISOLATED)]


def wpm_pre_tokenizer() -> list[CharSplit]:
    """llama.cpp's splitting for WPM."""
    alone = (
        (Alternative(r"\p{P}", "A punctuation mark."), lambda ch: Flag.PUNCTUATION in flags_of(ord(ch))),
        (
            Alternative(r"[\x00-\x7E&&\p{S}]", "One of ASCII's symbols, such as $ and +."),
            lambda ch: ch < "\x7f" and Flag.SYMBOL in flags_of(ord(ch)),
        ),
        (Alternative(r"\p{Han}", "A Chinese character, a word of its own."), is_chinese_char),
    )
    white = Alternative(r"\s", "White space."), lambda ch: Flag.WHITESPACE in flags_of(ord(ch))
    return [CharSplit([white], Behavior.REMOVED), CharSplit(alone, Behavior.ISOLATED)]
