"""The byte-to-printable map of byte-level BPE: every byte as one visible character, and back.

GPT-2's vocabulary is a text file, so its pieces had to be text without spaces and controls. `bytes_to_unicode` in
OpenAI's `encoder.py` keeps the bytes that are printable in Latin-1 and maps the other 68, in order, to the characters
from U+0100: the space (0x20) becomes Ġ, the line feed (0x0A) Ċ. Hugging Face and llama.cpp run on these spellings;
tiktoken runs on the bytes themselves.
"""

from __future__ import annotations

from typing import Final

_KEPT = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_MOVED = [byte for byte in range(256) if byte not in _KEPT]

PRINTABLE: Final = tuple(chr(byte) if byte in _KEPT else chr(0x100 + _MOVED.index(byte)) for byte in range(256))
"""The character of each byte."""

BYTE_OF: Final = {ch: byte for byte, ch in enumerate(PRINTABLE)}
"""The byte of each of these 256 characters."""

_TO_BYTES = dict.fromkeys(range(256), 0xFFFF) | {ord(ch): byte for ch, byte in BYTE_OF.items()}
_TO_PRINTABLE = {byte: ord(ch) for byte, ch in enumerate(PRINTABLE)}


def printable(data: bytes) -> str:
    """Bytes as the vocabulary spells them.

    >>> printable(" é\\n".encode())
    'ĠÃ©Ċ'
    """
    return data.decode("latin-1").translate(_TO_PRINTABLE)


def bytes_of(text: str) -> bytes | None:
    """The bytes that a text spells; None if it has a character that is not in the map.

    >>> bytes_of("ĠÃ©"), bytes_of("a b")
    (b' \\xc3\\xa9', None)
    """
    try:
        return text.translate(_TO_BYTES).encode("latin-1")
    except UnicodeEncodeError:
        return None
