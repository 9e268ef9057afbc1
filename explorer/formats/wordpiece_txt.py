"""vocab.txt: a WordPiece vocabulary, one piece per line; the first line has id 0.

The file of the first BERT and its successors. It has no settings, such as whether the text is lowercased. The originals
read lines in two ways. `WordPiece::read_file` of Hugging Face's `tokenizers`, which transformers 5 calls, too, ends a
line at a line feed and drops white space at its end; Python's `readlines` in transformers 4 also ends a line at a
carriage return and drops nothing else. Both count every line: a blank one is a piece, and of two equal pieces the last
has the id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from explorer.errors import InputError
from explorer.formats.text_lines import lines_in_python, lines_of
from explorer.text import WHITE_SPACE

TRAILING = "".join(map(chr, sorted(WHITE_SPACE)))
"""The characters that Rust's `trim_end` removes."""

_FIRST = {b"[PAD]", b"[UNK]", b"[CLS]"}


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: some early line is just `[PAD]`, `[UNK]` or `[CLS]`.

    >>> looks_like(b"[PAD]\\n[unused0]\\n"), looks_like(b"{")
    (True, False)
    """
    lines = {line.rstrip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:200]}
    return not lines.isdisjoint(_FIRST)


def read(data: bytes, name: str) -> dict[str, int]:
    """Piece → id, as `tokenizers` and transformers 5 read the file. name: what errors call it.

    Raises InputError for bytes that aren't UTF-8, or no piece at all.

    >>> read(b"[UNK]\\na\\n \\n##b\\na\\n", "toy")
    {'[UNK]': 0, '': 2, '##b': 3, 'a': 4}
    """
    return _numbered((line.rstrip(TRAILING) for line in lines_of(data, name)), name)


def read_in_python(data: bytes, name: str) -> dict[str, int]:
    """Piece → id, as transformers 4 reads the file. Raises InputError as `read` does.

    >>> read_in_python(b"[UNK]\\na \\n\\n##b\\rc", "toy")
    {'[UNK]': 0, 'a ': 1, '': 2, '##b': 3, 'c': 4}
    """
    lines = lines_in_python(data, name)
    return _numbered(lines if lines[-1] else lines[:-1], name)


def _numbered(lines: Iterable[str], name: str) -> dict[str, int]:
    """Line → its number, in the order of the numbers; of equal lines the last counts."""
    found: dict[str, int] = {}
    for id, line in enumerate(lines):
        found.pop(line, None)
        found[line] = id
    if not any(found):
        raise InputError(f"{name}: the file has no pieces; fetch it again")
    return found


def unread(pieces: Mapping[str, int]) -> int:
    """How many lines have no piece of their own, because a later one is equal.

    >>> unread({"[UNK]": 0, "a": 2})
    1
    """
    return max(pieces.values(), default=-1) + 1 - len(pieces)
