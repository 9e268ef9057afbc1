"""How a vocabulary spells its pieces, and what a piece says in plain bytes.

Byte-level BPE spells bytes as printable characters, SentencePiece a space as ▁ and a lone byte as `<0xXX>`, BERT a
piece within a word with `##` in front, llama.cpp's BERT one that begins a word with ▁; tiktoken and RWKV spell nothing.
Which of these a tokenizer does is not asked of its classes but seen in what its model gets for a probe.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from explorer.engine.byte_map import bytes_of, printable
from explorer.engine.items import Segment
from explorer.engine.normalizers import ESCAPED_SPACE
from explorer.engine.options import Options
from explorer.engine.tokenizer import Tokenizer, start
from explorer.engine.wordpiece import MatchRow
from explorer.trace import silent
from explorer.vocabulary import Vocabulary, spelled

PROBE: Final = "a €"
"""Its € has three bytes, whose printable spelling no other spelling is like."""

SPACE: Final = ESCAPED_SPACE.encode()


class How(StrEnum):
    """A way to spell pieces."""

    RAW = "the bytes themselves"
    PRINTABLE = "bytes as printable characters"
    ESCAPED = "▁ for a space"
    PREFIXED = "a prefix within a word"
    PHANTOM = "▁ in front of a word"


class Spelling(NamedTuple):
    """How a tokenizer spells.

    printable: per stage before the model, whether the text behind it spells bytes as printable characters. prefix: in
    front of a piece within a word.
    """

    how: How
    printable: tuple[bool, ...]
    vocabulary: Vocabulary
    prefix: bytes = b""

    def content(self, id: int) -> bytes:
        """What a token says, without spelling."""
        byte = self.vocabulary.byte_of(id) if self.how == How.ESCAPED else None
        return self.plain(self.vocabulary.pieces[id]) if byte is None else bytes([byte])

    def plain(self, piece: bytes) -> bytes:
        """A piece, or a symbol on the way to one, without spelling."""
        if self.how == How.PRINTABLE:
            back = bytes_of(spelled(piece))
            return piece if back is None else back
        if self.how == How.ESCAPED:
            return piece.replace(SPACE, b" ")
        if self.how == How.PREFIXED:
            return piece.removeprefix(self.prefix)
        if self.how == How.PHANTOM:
            return piece.removeprefix(SPACE)
        return piece

    def holds(self, content: bytes) -> bool:
        """Whether some piece says this."""
        if self.how == How.PRINTABLE:
            return printable(content).encode() in self.vocabulary.ids
        if self.how == How.ESCAPED:
            content = content.replace(b" ", SPACE)
        front = SPACE if self.how == How.PHANTOM else self.prefix
        return content in self.vocabulary.ids or (bool(front) and front + content in self.vocabulary.ids)

    def shown(self, id: int) -> str:
        """A token for a sentence: what it says; its own spelling where that is no text, or tells a word's beginning."""
        if self.how not in (How.PREFIXED, How.PHANTOM):
            try:
                return self.content(id).decode() or self.vocabulary.spelling(id)
            except UnicodeDecodeError:
                pass
        return self.vocabulary.spelling(id)


def spelling_of(tokenizer: Tokenizer) -> Spelling:
    """How a tokenizer spells.

    >>> import explorer
    >>> names = ("gpt-2", "llama-2", "cl100k_base", "bert-uncased", "bert-uncased@llama.cpp")
    >>> [spelling_of(explorer.load(name)).how.name for name in names]
    ['PRINTABLE', 'ESCAPED', 'RAW', 'PREFIXED', 'PHANTOM']
    >>> spelling_of(explorer.load("gpt-2")).content(262), spelling_of(explorer.load("gpt-2")).holds(" the".encode())
    (b' the', True)
    """
    items, seen, text = start(PROBE), [], ""
    model = next(place for place, part in enumerate(tokenizer.parts) if part.name == "model")
    for part in tokenizer.parts[:model]:
        items = part.run(items, Options(add_special=False, parse_special=False), silent)
        text = "".join(item.text for item in items if isinstance(item, Segment))
        seen.append(printable(PROBE[-1].encode()) in text)
    vocabulary, last = tokenizer.vocabulary, tokenizer.parts[model]
    if any(seen):
        return Spelling(How.PRINTABLE, tuple(seen), vocabulary)
    if last.row is MatchRow:
        prefix = getattr(last, "prefix", b"")
        return Spelling(How.PREFIXED if prefix else How.PHANTOM, tuple(seen), vocabulary, prefix)
    return Spelling(How.ESCAPED if ESCAPED_SPACE in text else How.RAW, tuple(seen), vocabulary)
