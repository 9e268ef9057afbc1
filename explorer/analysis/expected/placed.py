"""What ids say: their bytes one by one, and as tokens on the text they spell."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.engine.decoders.chain import ChainDecoder
from explorer.engine.items import ADDED, Token
from explorer.engine.tokenizer import Encoding, Tokenizer
from explorer.engine.trace import silent
from explorer.text.utf8 import character_of_each_byte
from explorer.vocabulary import PieceKind


def contents(tokenizer: Tokenizer, ids: Sequence[int], *, remove_special: bool = True) -> list[bytes]:
    """What each id says when all are decoded; every id must be one of the vocabulary.

    An added token whose `normalized` is true decodes to its normalized spelling, which nobody wrote: it says what the
    file calls it.
    """
    decoder = tokenizer.decoder
    parts = decoder.run(ids, remove_special, True, silent)
    if isinstance(decoder, ChainDecoder) and decoder.strings:
        pieces = tokenizer.vocabulary.pieces
        parts = [pieces[id] if part and id in decoder.strings else part for id, part in zip(ids, parts, strict=True)]
    return parts


def placed(
    tokenizer: Tokenizer, ids: Sequence[int], text: str, parts: Sequence[bytes] | None = None
) -> Encoding | None:
    """Ids as tokens on the text they spell, None where they spell another one. parts: what each of them says.

    >>> import explorer
    >>> placed(explorer.load("gpt-2"), [2061, 318], "What is").spans
    [(0, 4), (4, 7)]
    """
    parts = contents(tokenizer, ids) if parts is None else parts
    data = text.encode()
    if b"".join(parts) != data:
        return None
    of = character_of_each_byte(data)
    tokens, at = [], 0
    for id, part in zip(ids, parts, strict=True):
        after = at + len(part)
        if part:
            tokens.append(Token(id, of[at], of[after - 1] + 1))
        elif tokenizer.vocabulary.kinds[id] == PieceKind.CONTROL:
            tokens.append(Token(id, ADDED, ADDED))
        else:
            place = of[at] if at < len(of) else len(text)
            tokens.append(Token(id, place, place))
        at = after
    return Encoding.of(tuple(tokens), tokenizer.vocabulary, tokenizer.decoder.alone)
