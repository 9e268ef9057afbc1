"""Offsets as an original gives them, where its convention is another than that of `Encoding.spans`.

`Encoding.spans` has one convention for all originals: a token's span is the text it was made of, all tokens of a
split character have the character's span, and an added token (BOS) has none. The originals:

| original | offsets |
|---|---|
| sentencepiece (`offset_mapping`) | a token ends where the next one begins, the last one where the text ends that was |
|                                  | not trimmed: dropped characters belong to the token before them, and of a split  |
|                                  | character only the last byte has a span; there are none with BOS or EOS          |
| Hugging Face, transformers       | those of `spans`, and (0, 0) for an added token                                  |
| llama.cpp, tiktoken, RWKV, mistral-common | none                                                                    |
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from explorer.engine.items import Segment
from explorer.engine.tokenizer import Tokenizer

HUGGING_FACE: Final = ("huggingface", "transformers-5", "transformers-4")


def offsets(
    tokenizer: Tokenizer, text: str, *, add_special: bool = True, parse_special: bool = True
) -> list[tuple[int, int] | None] | None:
    """The offset [start, end) of each token as its original gives it, in code points of the text.

    None for an original that gives no offsets, and for a token that it gives none (sentencepiece's BOS). Raises
    InputError as `Tokenizer.encode` does.

    >>> import explorer
    >>> tok = explorer.load("mistral-v1")
    >>> tok.encode("🤗").spans
    [None, (0, 0), (0, 1), (0, 1), (0, 1), (0, 1)]
    >>> offsets(tok, "🤗")
    [None, (0, 0), (0, 0), (0, 0), (0, 0), (0, 1)]
    """
    if tokenizer.implementation in HUGGING_FACE:
        spans = tokenizer.encode(text, add_special=add_special, parse_special=parse_special).spans
        return [span or (0, 0) for span in spans]
    if tokenizer.implementation != "sentencepiece":
        return None
    trace = tokenizer.trace_lazily(text, add_special=add_special, parse_special=parse_special)
    kept = [item for item in trace.stages[0].after if isinstance(item, Segment) and item.text]
    starts = [token.start for token in trace.encoding.tokens if token.start >= 0]
    ends = iter(pairwise([*starts, kept[-1].ends[-1] if kept else 0]))
    return [next(ends) if token.start >= 0 else None for token in trace.encoding.tokens]
