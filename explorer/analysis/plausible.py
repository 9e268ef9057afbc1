"""Whether ids can be those of a text at all, asked without tokenizing it.

Every bundled tokenizer lets the letters a to z and the digits of a text through, in their order, if perhaps in lower
case; only a mark may be composed to the one before it. So they are in what the ids say, too, unless one of these is the
unknown token, which may stand for anything. And of an ASCII text none makes any up: special tokens aside, what the ids
say is in the text. Of the ids of another text, or of another vocabulary, that is hardly ever true, and it is seen in
milliseconds. Most of the time the catalogue alone tells (`rules_out`), and the file needs not be opened.

Of other files nothing can be said this way: a tokenizer.json may hold a normalizer that takes letters out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from explorer.engine.tokenizer import Tokenizer
from explorer.opening.catalog import Model, catalog
from explorer.vocabulary import PieceKind

LETTERS: Final = re.compile(r"[0-9A-Za-z](?![^\x00-\x7F])")
"""What a tokenizer may neither change nor leave out: a letter or digit that nothing is composed to."""

NO_LETTERS: Final = bytes(byte for byte in range(256) if not chr(byte).isalnum() or byte > 0x7F)

SAYS_ITSELF: Final = (PieceKind.NORMAL, PieceKind.BYTE)
"""What the other kinds say when they are decoded need not be how they are spelled in a text."""


def is_plausible(tokenizer: Tokenizer, ids: Sequence[int], text: str) -> bool:
    """False where a tokenizer cannot give these ids for this text, whatever the options.

    >>> import explorer
    >>> tok = explorer.load("gpt-2")
    >>> is_plausible(tok, tok.encode("Hello world").ids, "Hello world"), is_plausible(tok, [15496], "Hello world")
    (True, False)
    """
    if not is_bundled(tokenizer):
        return True
    vocabulary, alone = tokenizer.vocabulary, tokenizer.decoder.alone
    said, least = dict[int, bytes](), dict[int, bytes]()
    for id in dict.fromkeys(ids):
        if not 0 <= id < len(vocabulary):
            return False
        kind = vocabulary.kind(id)
        if kind == PieceKind.UNKNOWN or id == tokenizer.model.unknown:
            return True
        itself = kind in SAYS_ITSELF
        said[id] = alone(id) if itself else alone(id) + vocabulary.pieces[id]
        least[id] = said[id] if itself else b""
    few = letters(text)
    if not is_within(few, only_letters(b"".join(map(said.__getitem__, ids)))):
        return False
    return not text.isascii() or is_within(only_letters(b"".join(map(least.__getitem__, ids))), few)


def rules_out(model: Model, ids: Sequence[int], text: str) -> bool:
    """Whether the catalogue's figures alone say that a model cannot give these ids for this text.

    >>> from explorer.opening.catalog import Model, catalog
    >>> rules_out(catalog()["gpt-2"], [50257], ""), rules_out(catalog()["gpt-2"], [1, 2], "a" * 100)
    (True, True)
    """
    if ids and not 0 <= max(ids) < model.tokens:
        return True
    return len(ids) * model.letters < len(letters(text)) and not set(model.unknown).intersection(ids)


def is_bundled(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer is a file of the catalogue as it is: nothing chosen, no pattern put in by hand."""
    files, choices, patterns = tokenizer.origin.files, tokenizer.origin.choices, tokenizer.origin.patterns
    return not choices and not patterns and len(files) == 1 and files[0].sha256 in digests()


@cache
def digests() -> frozenset[str]:
    """The sha256 of every bundled file."""
    return frozenset(model.sha256 for model in catalog().values())


def only_letters(data: bytes) -> bytes:
    """The letters and digits of bytes, in lower case."""
    return data.lower().translate(None, NO_LETTERS)


def letters(text: str) -> bytes:
    """The letters and digits of a text that every tokenizer lets through, in lower case.

    >>> letters("Is A\\u030a 1?")
    b'is1'
    """
    if text.isascii():
        return only_letters(text.encode())
    return "".join(LETTERS.findall(text)).lower().encode()


def is_within(few: bytes, many: bytes) -> bool:
    """Whether some bytes come among others, in this order.

    >>> is_within(b"ace", b"abcde"), is_within(b"aec", b"abcde")
    (True, False)
    """
    if len(few) >= len(many):
        return few == many
    at = 0
    for byte in few:
        at = many.find(byte, at) + 1
        if at == 0:
            return False
    return True
