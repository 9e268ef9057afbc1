"""The options of one call, the same for every tokenizer. Names as in llama.cpp."""

from __future__ import annotations

from typing import NamedTuple


class Options(NamedTuple):
    """The options of a call.

    add_special: add the tokens the model wants around a text (BOS, EOS, CLS, …).
    parse_special: turn the spelling of a special token in the text into that token.
    """

    add_special: bool = True
    parse_special: bool = True
