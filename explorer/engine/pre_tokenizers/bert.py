"""Hugging Face's `BertPreTokenizer`: splits text into words at white space and punctuation.

White space is dropped, and each punctuation mark and ASCII symbol is a word. Chinese characters are not handled,
because the normalizer has put spaces around them. llama.cpp's loop for the same words is in `wpm`.
"""

from __future__ import annotations

from explorer.engine.pre_tokenizers.huggingface import PUNCTUATION, WHITE, CharSplit
from explorer.engine.pre_tokenizers.stage import Behavior


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
