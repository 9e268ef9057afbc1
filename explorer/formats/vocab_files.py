"""Vocabularies in files of text: vocab.txt, one piece a line, and vocab.json with merges.txt, a BPE model in two files.

**vocab.txt** is the file of the first BERT and its successors; the first line has id 0. It has no settings, such as
whether the text is lowercased. The originals read lines in two ways. `WordPiece::read_file` of Hugging Face's
`tokenizers`, which transformers 5 calls, too, ends a line at a line feed and drops white space at its end; Python's
`readlines` in transformers 4 also ends a line at a carriage return and drops nothing else. Both count every line: a
blank one is a piece, and of two equal pieces the last has the id.

**vocab.json and merges.txt** are the files of GPT-2, RoBERTa and similar models (OpenAI called them encoder.json and
vocab.bpe): pieces with their ids, and merges in order of priority. Follows `BPE::read_file` of Hugging Face's
`tokenizers`: a line that begins with `#version` is skipped, any other is two pieces separated by one space. The files
have neither the pattern nor the special tokens. Stricter than the original, which uses the last of two entries for
one piece and skips ids that aren't numbers.

A byte order mark is allowed in the JSON alone: it would become part of the first token of the others.
"""

import re
from collections.abc import Iterable, Mapping

from explorer.errors import InputError, errors_of, shown
from explorer.formats import strict_json
from explorer.formats.files import check_size
from explorer.formats.tokenizer_json import KEYS, check_unique, few_enough
from explorer.text import WHITE_SPACE, first_fault
from explorer.vocabulary import MOST_PIECES

MAX_LINES = MOST_PIECES
BOM = b"\xef\xbb\xbf"


def text_of(data: bytes, name: str) -> str:
    """The text of a file. name: what errors call it. Raises InputError if it isn't UTF-8 or begins with a mark."""
    if data.startswith(BOM):
        raise InputError(
            f"{name}: it begins with a byte order mark (U+FEFF), which is not part of any token; save it without"
        )
    fault = first_fault(data)
    if fault is not None:
        raise InputError(f"{name}: byte offset {fault[0]} is not UTF-8 ({fault[2].value}); give a file in UTF-8")
    return data.decode()


def lines_of(data: bytes, name: str) -> list[str]:
    """The lines without line ends. Raises InputError as `text_of` does, and for more lines than any vocabulary has.

    >>> lines_of(b"a\\r\\nb \\n\\n", "toy")
    ['a', 'b ', '']
    """
    count = data.count(b"\n")
    if count > MAX_LINES:
        raise InputError(f"{name}: {count} lines, but no vocabulary has that many tokens; give another file")
    lines = text_of(data, name).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if b"\r" in data else lines


def lines_in_python(data: bytes, name: str) -> list[str]:
    """The lines as Python's text mode splits them, with what is after the last line end. Raises as `lines_of` does.

    >>> lines_in_python(b"a\\r\\nb\\rc\\n", "toy")
    ['a', 'b', 'c', '']
    """
    lines_of(data, name)  # the limits of every list of pieces
    return text_of(data, name).replace("\r\n", "\n").replace("\r", "\n").split("\n")


TRAILING = "".join(map(chr, sorted(WHITE_SPACE)))
"""The characters that Rust's `trim_end` removes."""

_FIRST = {b"[PAD]", b"[UNK]", b"[CLS]"}


def looks_like_words(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: some early line is just `[PAD]`, `[UNK]` or `[CLS]`.

    >>> looks_like_words(b"[PAD]\\n[unused0]\\n"), looks_like_words(b"{")
    (True, False)
    """
    lines = {line.rstrip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:200]}
    return not lines.isdisjoint(_FIRST)


def read_words(data: bytes, name: str) -> dict[str, int]:
    """Piece → id, as `tokenizers` and transformers 5 read the file. name: what errors call it.

    Raises InputError for bytes that aren't UTF-8, or no piece at all.

    >>> read_words(b"[UNK]\\na\\n \\n##b\\na\\n", "toy")
    {'[UNK]': 0, '': 2, '##b': 3, 'a': 4}
    """
    return _numbered((line.rstrip(TRAILING) for line in lines_of(data, name)), name)


def read_words_in_python(data: bytes, name: str) -> dict[str, int]:
    """Piece → id, as transformers 4 reads the file. Raises InputError as `read` does.

    >>> read_words_in_python(b"[UNK]\\na \\n\\n##b\\rc", "toy")
    {'[UNK]': 0, 'a ': 1, '': 2, '##b': 3, 'c': 4}
    """
    lines = lines_in_python(data, name)
    return _numbered(lines if lines[-1] else lines[:-1], name)


def _numbered(lines: Iterable[str], name: str) -> dict[str, int]:
    """Line → its number, in the order of the numbers; of equal lines the last counts."""
    ids: dict[str, int] = {}
    for id, line in enumerate(lines):
        ids.pop(line, None)
        ids[line] = id
    if not any(ids):
        raise InputError(f"{name}: the file has no pieces; fetch it again")
    return ids


def unread(pieces: Mapping[str, int]) -> int:
    """How many lines have no piece of their own, because a later one is equal.

    >>> unread({"[UNK]": 0, "a": 2})
    1
    """
    return max(pieces.values(), default=-1) + 1 - len(pieces)


MAX_FILE = 1 << 26
"""Bytes of a vocab.json. The largest known have 10 million."""
VERSION = "#version"
SECTIONS = "|".join(KEYS)
VOCAB = re.compile(
    rf'(?:\xef\xbb\xbf)?\s*\{{\s*(?:"(?:{SECTIONS})"\s*:\s*-?[0-9.]+\s*,\s*)*'
    rf'"(?!(?:{SECTIONS})")(?:[^"\\]|\\.)*"\s*:\s*-?[0-9]'.encode("latin-1")
)
"""An object with a number under the first key that a tokenizer.json does not have."""


def looks_like_vocab(head: bytes) -> bool:
    """Whether a file with these first bytes may be a vocab.json: an object whose first value is a number.

    A number under a key of a tokenizer.json is a fault of that file, unless other numbers follow.

    >>> looks_like_vocab(b'{"!": 0, "a": 1}'), looks_like_vocab(b'{"model": 12}')
    (True, False)
    """
    return VOCAB.match(head) is not None


def read_vocab(data: bytes, name: str) -> dict[str, int]:
    """Piece → id. name: what errors call the file. Raises InputError naming the piece that is wrong.

    >>> read_vocab(b'{"a": 0, "b": 1}', "toy")
    {'a': 0, 'b': 1}
    """
    check_size(len(data), MAX_FILE, name)
    vocab = strict_json.read(data, name, "a vocab.json")
    with errors_of(name):
        if not isinstance(vocab, dict):
            raise InputError("this is not an object of pieces and ids; give a vocab.json")
        if not vocab:
            raise InputError("the file has no pieces; fetch it again")
        few_enough(vocab, "the vocabulary")
        highest = 2 * len(vocab) + 100_000
        for piece, id in vocab.items():
            if type(id) is not int or not 0 <= id < highest:
                raise InputError(
                    f"the piece {shown(piece)} has the id {shown(id)}, but the ids of {len(vocab)} pieces must be "
                    f"whole numbers from 0 and below {highest}; repair the file"
                )
        check_unique(vocab)
        return vocab


def read_merges(data: bytes, name: str, vocab: dict[str, int]) -> list[str]:
    """The merges in order, each as `left right`. vocab: must contain both sides and their result.

    Raises InputError naming the line that is wrong.

    >>> read_merges(b"#version: 0.2\\na b\\n", "toy", {"a": 0, "b": 1, "ab": 2})
    ['a b']
    """
    merges: list[str] = []
    for number, line in enumerate(lines_of(data, name), 1):
        if line.startswith(VERSION):
            continue
        left, space, right = line.partition(" ")
        if not space or " " in right:
            pieces = len(line.split())
            fix = (
                "write one space instead of the tab" if "\t" in line
                else "remove the blank line" if not pieces
                else "write one space, between the pieces" if pieces == 2
                else f"a merge has two pieces, and this line has {pieces}"
            )  # fmt: skip
            raise InputError(f"{name}: line {number} is not two pieces separated by a space ({shown(line)}); {fix}")
        for piece in (left, right, left + right):
            if piece not in vocab:
                raise InputError(
                    f"{name}: line {number} merges {shown(left)} and {shown(right)}, but {shown(piece)} is not in the "
                    "vocab.json; give the two files of one model"
                )
        merges.append(line)
    return merges
