"""What ids spell: the bytes of each, and the ids as tokens on the text they spell."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.decoders.chain import ChainDecoder
from explorer.engine.items import ADDED, Token
from explorer.engine.results import Encoding
from explorer.engine.trace import silent
from explorer.implementations.opened import Opened
from explorer.text.utf8 import character_of_each_byte
from explorer.vocabulary import PieceKind


def contents(tokenizer: Opened, ids: Sequence[int], *, remove_special: bool = True) -> list[bytes]:
    """The bytes of each id when all are decoded. Every id must be in the vocabulary.

    An added token whose `normalized` is true decodes to its normalized spelling, which is in no original text; for it,
    the result has its spelling in the file.
    """
    decoder = tokenizer.decoder
    parts = decoder.run(ids, remove_special, True, silent)
    if isinstance(decoder, ChainDecoder) and decoder.strings:
        pieces = tokenizer.vocabulary.pieces
        parts = [pieces[id] if part and id in decoder.strings else part for id, part in zip(ids, parts, strict=True)]
    return parts


def tokens_on(
    tokenizer: Opened, ids: Sequence[int], text: str, parts: Sequence[bytes] | None = None
) -> Encoding | None:
    """Ids as tokens on the text they spell; None if they spell another text. parts: the bytes of each id.

    >>> import explorer
    >>> tokens_on(explorer.load("gpt-2"), [2061, 318], "What is").spans
    [(0, 4), (4, 7)]
    """
    parts = contents(tokenizer, ids) if parts is None else parts
    data = text.encode()
    if b"".join(parts) != data:
        return None
    tokens = laid_out(tokenizer, ids, parts, character_of_each_byte(data))
    return Encoding.of(tokens, tokenizer.vocabulary, tokenizer.decoder.alone)


def laid_out(tokenizer: Opened, ids: Sequence[int], parts: Sequence[bytes], of: Sequence[int]) -> tuple[Token, ...]:
    """Ids as tokens on a text. parts: the bytes of each id. of: for each byte of all parts, the index of its character.

    >>> import explorer
    >>> laid_out(explorer.load("llama-2"), [1, 1724], [b"", b"What"], range(4))
    (Token(id=1, start=-1, end=-1), Token(id=1724, start=0, end=4))
    """
    tokens, start = [], 0
    for id, part in zip(ids, parts, strict=True):
        end = start + len(part)
        if part:
            tokens.append(Token(id, of[start], of[end - 1] + 1))
        elif tokenizer.vocabulary.kinds[id] == PieceKind.CONTROL:
            tokens.append(Token(id, ADDED, ADDED))
        else:
            position = of[start] if start < len(of) else of[-1] + 1 if of else 0
            tokens.append(Token(id, position, position))
        start = end
    return tuple(tokens)
