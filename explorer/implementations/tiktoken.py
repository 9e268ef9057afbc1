"""Tokenizers as OpenAI's tiktoken runs them, from a ranks file.

A ranks file says nothing about patterns and special tokens; in tiktoken they stand in code (`tiktoken_ext`, and
`llama/tokenizer.py` of Llama 3). `ENCODINGS` keeps them by the file's sha256, which tiktoken checks as well.

Special tokens are cut out first, all at once, when the caller asks for it (`parse_special`; tiktoken's
`allowed_special="all"`); else their spelling is text like any other (`disallowed_special=()`). Then the pattern cuts
pieces, and each piece that is a token is taken whole, or merged by the rank of the joined bytes. Nothing is added
around a text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.engine.added_tokens import AddedToken, AddedTokenPartition
from explorer.engine.bpe import Bpe, Bytes, JoinedRanks
from explorer.engine.decode_pieces import PieceDecoder, raw
from explorer.engine.patterns import CL100K_BASE, LLAMA3, O200K_BASE, Pattern
from explorer.engine.postprocess import AddSpecial
from explorer.engine.pretokenizers import PreTokenization, RegexSplit
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats import tiktoken_ranks
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "tiktoken"


class RanksEncoding(NamedTuple):
    """What belongs to a ranks file but is not in it."""

    name: str
    pattern: Pattern
    special_tokens: Mapping[str, int]


_LLAMA3_SPECIAL = (
    "<|begin_of_text|> <|end_of_text|> <|reserved_special_token_0|> <|reserved_special_token_1|> "
    "<|reserved_special_token_2|> <|reserved_special_token_3|> <|start_header_id|> <|end_header_id|> "
    "<|reserved_special_token_4|> <|eot_id|>"
).split() + [f"<|reserved_special_token_{number}|>" for number in range(5, 251)]

ENCODINGS: Final[Mapping[str, RanksEncoding]] = MappingProxyType(
    {
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": RanksEncoding(
            "cl100k_base",
            CL100K_BASE,
            {
                "<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259,
                "<|fim_suffix|>": 100260, "<|endofprompt|>": 100276,
            },
        ),
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": RanksEncoding(
            "o200k_base", O200K_BASE, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
        ),
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": RanksEncoding(
            "llama3", LLAMA3, {token: 128000 + place for place, token in enumerate(_LLAMA3_SPECIAL)}
        ),
    }
)  # fmt: skip
"""sha256 of a ranks file → what tiktoken's code says about it."""


def from_ranks(data: bytes, name: str) -> Tokenizer:
    """The tokenizer of a ranks file, given its bytes.

    Raises InputError where the file is damaged, or is not one of those whose pattern is known.
    """
    encoding = ENCODINGS.get(hashlib.sha256(data).hexdigest())
    if encoding is None:
        tiktoken_ranks.read(data, name)  # a damaged line is the better thing to say
        known = ", ".join(each.name for each in ENCODINGS.values())
        raise InputError(
            f"{name}: a ranks file does not say which pattern cuts the text, and the sha256 of this one is none of "
            f"those known here ({known}); give one of these files unchanged"
        )
    return ranks_tokenizer(tiktoken_ranks.read(data, name), encoding, name)


def ranks_tokenizer(ranks: Mapping[bytes, int], encoding: RanksEncoding, name: str) -> Tokenizer:
    """The tokenizer of ranks, a pattern and special tokens. Raises InputError where two tokens share an id."""
    special = {token.encode(): id for token, id in encoding.special_tokens.items()}
    ids = {**ranks, **special}
    size = max(ids.values(), default=-1) + 1
    pieces = [b""] * size
    for piece, id in ids.items():
        if pieces[id]:
            raise InputError(f"{name}: two tokens have the id {id}; fetch the file again")
        pieces[id] = piece
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise InputError(
            f"{name}: the byte 0x{missing:02X} is no token, so not every text can be encoded; fetch it again"
        )
    # ids between the last rank and the special tokens may be no token at all
    kinds = bytearray(PieceKind.NORMAL if piece else PieceKind.UNUSED for piece in pieces)
    for id in special.values():
        kinds[id] = PieceKind.CONTROL
    vocabulary = Vocabulary(tuple(pieces), (), bytes(kinds), ids)
    return Tokenizer(
        name=name,
        family="BPE",
        implementation=IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=(
            AddedTokenPartition(AddedToken(id, token, special=True) for token, id in encoding.special_tokens.items()),
            PreTokenization([RegexSplit(encoding.pattern)]),
            Bpe(vocabulary, JoinedRanks(ranks), Bytes(), whole=True, ids=ranks),
            AddSpecial(),
        ),
        decoder=PieceDecoder(vocabulary, raw, special=frozenset(special.values())),
    )
