"""How a vocabulary spells its pieces, and what a piece says in plain bytes.

Byte-level BPE spells bytes as printable characters, SentencePiece a space as ▁ and a lone byte as `<0xXX>`, BERT a
piece within a word with `##` in front, llama.cpp's BERT one that begins a word with ▁, CLIP one that ends a word with
`</w>` behind; tiktoken and RWKV spell nothing.
Which of these a tokenizer does is not asked of its classes but seen in what its model gets for a probe.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, cast

from explorer.analysis.divergence.changes import quoted
from explorer.engine.items import Segment, start
from explorer.engine.models.merges import MergeModel, MergeRow
from explorer.engine.models.wordpiece import MatchRow
from explorer.engine.normalizers.stage import ESCAPED_SPACE
from explorer.engine.options import Options
from explorer.engine.part import Part
from explorer.engine.tokenizer import Tokenizer
from explorer.engine.trace import silent
from explorer.engine.unicode.byte_map import bytes_of, printable
from explorer.vocabulary import PieceKind, Vocabulary, spelled

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

    printable: per part before the model, whether its output spells bytes as printable characters; escaped: whether it
    spells spaces as ▁. prefix: in front of a piece within a word. suffix: behind a piece that ends one.
    """

    how: How
    printable: tuple[bool, ...]
    escaped: tuple[bool, ...]
    vocabulary: Vocabulary
    prefix: bytes = b""
    suffix: bytes = b""

    def content(self, id: int) -> bytes:
        """What a token says, without spelling."""
        byte = self.vocabulary.byte_of(id) if self.how == How.ESCAPED else None
        return self.plain(self.vocabulary.pieces[id]) if byte is None else bytes([byte])

    def plain(self, piece: bytes) -> bytes:
        """A piece, or a symbol on the way to one, without spelling."""
        piece = piece.removeprefix(self.prefix).removesuffix(self.suffix)
        if self.how == How.PRINTABLE:
            back = bytes_of(spelled(piece))
            return piece if back is None else back
        if self.how == How.ESCAPED:
            return piece.replace(SPACE, b" ")
        return piece.removeprefix(SPACE) if self.how == How.PHANTOM else piece

    def holds(self, content: bytes) -> bool:
        """Whether some piece says this, at whatever place in a word."""
        if self.how == How.PRINTABLE:
            content = printable(content).encode()
        if self.how == How.ESCAPED:
            content = content.replace(b" ", SPACE)
        front = SPACE if self.how == How.PHANTOM else self.prefix
        ways = (front + content + behind for front in {b"", front} for behind in {b"", self.suffix})
        return any(way in self.vocabulary.ids for way in ways)

    def quoted(self, id: int) -> str:
        """A token for a sentence: what it says, with what tells its place in a word; bytes that are no text as bytes.

        A piece that stands for a lone byte, and one that says nothing, is told as it is spelled.
        """
        content, piece = self.content(id), self.vocabulary.pieces[id]
        if not content or self.vocabulary.kinds[id] == PieceKind.BYTE:
            return quoted(piece)
        front = SPACE if self.how == How.PHANTOM else self.prefix
        front, behind = front if piece.startswith(front) else b"", self.suffix if piece.endswith(self.suffix) else b""
        return quoted(front + content + behind)


def spelling_of(tokenizer: Tokenizer) -> Spelling:
    """How a tokenizer spells.

    >>> import explorer
    >>> names = ("gpt-2", "llama-2", "cl100k_base", "bert-uncased", "bert-uncased@llama.cpp")
    >>> [spelling_of(explorer.load(name)).how.name for name in names]
    ['PRINTABLE', 'ESCAPED', 'RAW', 'PREFIXED', 'PHANTOM']
    >>> spelling_of(explorer.load("gpt-2")).content(262), spelling_of(explorer.load("gpt-2")).holds(" the".encode())
    (b' the', True)
    """
    items, seen, escaped = start(PROBE), [], []
    model = next(place for place, part in enumerate(tokenizer.parts) if part.name == "model")
    for part in tokenizer.parts[:model]:
        items = part.run(items, Options(add_special=False, parse_special=False), silent)
        segments = [item for item in items if isinstance(item, Segment)]
        seen.append(any(printable(PROBE[-1].encode()) in item.text for item in segments))
        escaped.append(
            any(
                ch == ESCAPED_SPACE and PROBE[begin:end] == " "
                for item in segments
                for ch, begin, end in zip(*item, strict=True)
            )
        )
    vocabulary, last = tokenizer.vocabulary, tokenizer.parts[model]
    if last.row is MatchRow:
        prefix = getattr(last, "prefix", b"")
        return Spelling(How.PREFIXED if prefix else How.PHANTOM, tuple(seen), tuple(escaped), vocabulary, prefix)
    how = How.PRINTABLE if any(seen) else How.ESCAPED if any(escaped[-1:]) else How.RAW
    return Spelling(how, tuple(seen), tuple(escaped), vocabulary, *around(last))


def around(model: Part) -> tuple[bytes, bytes]:
    """What a merging model spells in front of a symbol within a word, and behind one that ends it."""
    if model.row is not MergeRow:
        return b"", b""
    pieces = cast(MergeModel, model).units("ab").pieces
    front, found, behind = pieces[-1].partition(b"b")
    return (front, behind) if len(pieces) == 2 and found else (b"", b"")


def is_broken(spelling: Spelling, id: int) -> bool:
    """Whether a token is a byte that stands for want of a piece, or part of a character."""
    if spelling.vocabulary.kinds[id] == PieceKind.BYTE:
        return True
    try:
        spelling.content(id).decode()
    except UnicodeDecodeError:
        return True
    return False
