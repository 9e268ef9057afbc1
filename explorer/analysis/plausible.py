"""Whether ids can belong to a text at all, decided without tokenizing it.

Every bundled tokenizer keeps the letters a to z and the digits of a text, in order, possibly lowercased; only a mark
may be composed with one. So they are in the decoded ids, too, unless an id is the unknown token, which may cover
anything. And no bundled tokenizer adds letters to an ASCII text: apart from special tokens, the letters of the decoded
ids are in the text. The ids of another text or vocabulary almost never pass, and the check takes milliseconds. Mostly
the catalog alone suffices (`rules_out`), without opening the file.

Other files can't be checked this way: a tokenizer.json may have a normalizer that removes letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from explorer.implementations.opened import Opened
from explorer.opening.catalog import Model, catalog
from explorer.vocabulary import PieceKind

LETTERS: Final = re.compile(r"[0-9A-Za-z](?![^\x00-\x7F])")
"""What a tokenizer neither changes nor drops: a letter or digit without a mark after it."""

NO_LETTERS: Final = bytes(byte for byte in range(256) if not chr(byte).isalnum() or byte > 0x7F)

SAYS_ITSELF: Final = (PieceKind.NORMAL, PieceKind.BYTE)
"""The kinds of pieces that decode to what they match. Others may be spelled differently in the text."""


def is_plausible(tokenizer: Opened, ids: Sequence[int], text: str) -> bool:
    """False if a tokenizer can't give these ids for this text under any options.

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
    """Whether the catalog's figures alone prove that a model can't give these ids for this text.

    >>> from explorer.opening.catalog import Model, catalog
    >>> rules_out(catalog()["gpt-2"], [50257], ""), rules_out(catalog()["gpt-2"], [1, 2], "a" * 100)
    (True, True)
    """
    if ids and not 0 <= max(ids) < model.tokens:
        return True
    return len(ids) * model.letters < len(letters(text)) and not set(model.unknown).intersection(ids)


def is_bundled(tokenizer: Opened) -> bool:
    """Whether a tokenizer is an unchanged file of the catalog: no choices, no custom pattern."""
    files, choices, patterns = tokenizer.origin.files, tokenizer.origin.choices, tokenizer.origin.patterns
    return not choices and not patterns and len(files) == 1 and files[0].sha256 in digests()


def note_on(tokenizer: Opened) -> str:
    """What distinguishes a bundled file, as its default implementation runs it, from its maker's; empty if nothing.

    >>> import explorer
    >>> "post_processor=updated" in note_on(explorer.load("llama-3")), note_on(explorer.load("llama-3@llama.cpp"))
    (True, '')
    """
    model = catalog().get(tokenizer.name)
    of_file = model is not None and tokenizer.implementation == model.implementations[0] and is_bundled(tokenizer)
    return model.note if model is not None and of_file else ""


@cache
def digests() -> frozenset[str]:
    """The sha256 of every bundled file."""
    return frozenset(model.sha256 for model in catalog().values())


def only_letters(data: bytes) -> bytes:
    """The ASCII letters and digits of bytes, lowercased."""
    return data.lower().translate(None, NO_LETTERS)


def letters(text: str) -> bytes:
    """The letters and digits of a text that every tokenizer keeps, lowercased.

    >>> letters("Is A\\u030a 1?")
    b'is1'
    """
    if text.isascii():
        return only_letters(text.encode())
    return "".join(LETTERS.findall(text)).lower().encode()


def is_within(few: bytes, many: bytes) -> bool:
    """Whether `few` is a subsequence of `many`.

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
