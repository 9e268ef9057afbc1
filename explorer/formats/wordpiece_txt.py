"""vocab.txt: a WordPiece vocabulary, one piece per line; the first line has id 0.

The file of the first BERT and its successors. It has no settings, such as whether the text is lowercased. Follows
`WordPiece::read_file` of Hugging Face's `tokenizers`: white space at the end of a line is not part of the piece.

Left out: files with two equal pieces or an empty one, which the originals read in different ways.
"""

from __future__ import annotations

from explorer.errors import InputError
from explorer.formats.text_lines import lines_of
from explorer.text import WHITE_SPACE

TRAILING = "".join(map(chr, sorted(WHITE_SPACE)))
"""The characters that Rust's `trim_end` removes."""


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: some early line is just `[PAD]`, `[UNK]` or `[CLS]`.

    >>> looks_like(b"[PAD]\\n[unused0]\\n"), looks_like(b"{")
    (True, False)
    """
    lines = {line.rstrip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:200]}
    return not lines.isdisjoint({b"[PAD]", b"[UNK]", b"[CLS]"})


def read(data: bytes, name: str) -> list[str]:
    """The pieces in the order of their ids. name: what errors call the file.

    Raises InputError for bytes that aren't UTF-8, an empty line, a piece that occurs twice, or no piece at all.

    >>> read(b"[UNK]\\na\\n##b\\n", "toy")
    ['[UNK]', 'a', '##b']
    """
    lines = [line.rstrip(TRAILING) for line in lines_of(data, name)]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise InputError(f"{name}: the file has no pieces; fetch it again")
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line:
            raise InputError(f"{name}: line {number} is empty; a vocab.txt has one piece on each line")
        if seen.setdefault(line, number) != number:
            raise InputError(f"{name}: line {number} is the same piece as line {seen[line]}; repair the file")
    return lines
