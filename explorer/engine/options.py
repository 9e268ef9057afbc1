"""The options of one call, the same for every tokenizer (names as in llama.cpp)."""

from __future__ import annotations

from typing import NamedTuple


class Options(NamedTuple):
    """What the caller asks for.

    add_special: add the tokens the model wants around a text (BOS, EOS, CLS …).
    parse_special: take the spelling of a special token in the text for that token.
    """

    add_special: bool = True
    parse_special: bool = True
