"""RWKV vocabularies (`tokenizer.ggml.model` = `rwkv`) as llama.cpp runs them: the longest match, repeatedly.

Follows `llama_unescape_rwkv_token` and `llm_tokenizer_rwkv_session` in llama.cpp's `src/llama-vocab.cpp`. A GGUF file
has these tokens escaped (`\\n`, `\\xff`), because strings in the format must be UTF-8. Special tokens are searched for
in their escaped spelling; BOS and EOS are never added.

Two faults of llama.cpp are refused here: a byte that begins no token becomes the id -1 if the file has no unknown
token; and if a token's first byte is not a token itself, llama.cpp can restart the text forever.
"""

from __future__ import annotations

from explorer.engine.decoders.events import special_ids
from explorer.engine.decoders.pieces import PieceDecoder, raw
from explorer.engine.models.trie import TrieMatch
from explorer.errors import InputError, errors_of
from explorer.implementations.llama_cpp.vocabulary import Metadata, assembled, corrected, special_tokens, vocabulary_of
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind, Vocabulary

ESCAPES = {ord("t"): 0x09, ord("n"): 0x0A, ord("r"): 0x0D}
BACKSLASH, X = b"\\x"
LETTERS = range(ord("a"), 0x80)
"""Bytes read as hexadecimal digits from 10 on, without further checks."""


def rwkv_tokenizer(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say(
        "model", "RWKV: at each position of the text the longest token that fits, found in a tree of bytes.", "model"
    )
    escaped = corrected(vocabulary_of(keys, scored=False), keys)
    special = special_tokens(escaped, keys)
    keys.say("vocabulary", "Tokens are spelled escaped in the file, such as \\n for a line feed.", "tokens")
    pieces = list(map(unescaped, escaped.pieces))
    try:
        vocabulary = Vocabulary.of(pieces, (), escaped.kinds)
    except InputError as error:
        raise InputError(f"{keys.name}: once their escapes are read, {error}") from None
    unknown = keys.id("unknown", None, len(vocabulary))
    keys.say_token("The unknown token", "unknown", unknown, vocabulary)
    check_beginnings(vocabulary, keys.name)
    with errors_of(keys.name):
        walk = TrieMatch(vocabulary, unknown, kinds=frozenset(PieceKind))
    decoder = PieceDecoder(vocabulary, raw, special=special_ids(vocabulary), strip_space=keys.strips_space())
    return assembled(keys, "RWKV", vocabulary, (special, walk), decoder)


def unescaped(piece: bytes) -> bytes:
    """The bytes of an escaped token.

    >>> unescaped(rb"\\xe4\\n\\'a\\\\"), unescaped(rb"\\xZ9")
    (b"\\xe4\\n'a\\\\", b'\\xa9')
    """
    if b"\\" not in piece:
        return piece
    done = bytearray()
    rest = iter(piece)
    for byte in rest:
        if byte != BACKSLASH:
            done.append(byte)
            continue
        after = next(rest, None)
        if after == X:
            value = 0
            for digit in (next(rest, None), next(rest, None)):
                if digit is None:  # the piece ends within the number, which is dropped
                    return bytes(done)
                value = (value << 4) + (digit - ord("a") + 10 if digit in LETTERS else digit - ord("0")) & 0xFF
            done.append(value)
        elif after is not None:
            done.append(ESCAPES.get(after, after))
    return bytes(done)


def check_beginnings(vocabulary: Vocabulary, name: str) -> None:
    """Raises InputError for a token whose first byte is not a token: llama.cpp hangs on a text that begins like it."""
    ids = vocabulary.ids
    for id, piece in enumerate(vocabulary.pieces):
        if piece and piece[:1] not in ids:
            raise InputError(
                f"{name}: token {id} begins with the byte 0x{piece[0]:02X}, which is not a token itself; llama.cpp "
                "then never finishes on some texts: repair the file"
            )
