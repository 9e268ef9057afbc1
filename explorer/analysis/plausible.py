"""Whether ids can be those of a text at all, asked without tokenizing it.

Every bundled tokenizer lets the letters a to z and the digits of a text through, in their order, if perhaps in lower
case; but a mark may be composed to the one before it. So they are in what the ids say, too, unless one of these is the
unknown token, which may stand for anything. Of the ids of another text, or of another vocabulary, that is hardly ever
true, and seen in milliseconds.

A tokenizer.json may hold a normalizer that takes letters out: of other files nothing can be said this way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from explorer.engine.tokenizer import Tokenizer
from explorer.vocabulary import PieceKind

LETTERS: Final = re.compile(r"[0-9A-Za-z](?![^\x00-\x7F])")
"""What a tokenizer may neither change nor leave out: a letter or digit that nothing is composed to."""

SAYS_ITSELF: Final = (PieceKind.NORMAL, PieceKind.BYTE)
"""What the other kinds say when they are decoded need not be how they are spelled in a text."""


def is_plausible(tokenizer: Tokenizer, ids: Sequence[int], text: str) -> bool:
    """False where a bundled tokenizer cannot give these ids for this text, whatever the options.

    >>> import explorer
    >>> tok = explorer.load("gpt-2")
    >>> is_plausible(tok, tok.encode("Hello world").ids, "Hello world"), is_plausible(tok, [15496], "Hello world")
    (True, False)
    """
    vocabulary = tokenizer.vocabulary
    model = next(part for part in tokenizer.parts if part.name == "model")
    unknown = {getattr(model, "unknown", None)}
    said: list[bytes] = []
    for id in ids:
        kind = vocabulary.kind(id)
        if kind == PieceKind.UNKNOWN or id in unknown:
            return True
        said.append(tokenizer.token_bytes(id))
        if kind not in SAYS_ITSELF:
            said.append(vocabulary.pieces[id])
    return is_within("".join(LETTERS.findall(text)).lower().encode(), b"".join(said).lower())


def is_within(few: bytes, many: bytes) -> bool:
    """Whether some bytes come among others, in this order.

    >>> is_within(b"ace", b"abcde"), is_within(b"aec", b"abcde")
    (True, False)
    """
    if len(few) > len(many):
        return False
    at = 0
    for byte in few:
        at = many.find(byte, at) + 1
        if at == 0:
            return False
    return True
