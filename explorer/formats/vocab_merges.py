"""vocab.json and merges.txt: a BPE model in two files, pieces with their ids, and merges in order of priority.

The files of GPT-2, RoBERTa and similar models (OpenAI called them encoder.json and vocab.bpe). Follows `BPE::read_file`
of Hugging Face's `tokenizers`: a line that begins with `#version` is skipped, any other is two pieces separated by one
space. The files have neither the pattern nor the special tokens.

Stricter than the original, which uses the last of two entries for one piece and skips ids that aren't numbers. A byte
order mark is allowed in the JSON, but not before the first pair.
"""

from __future__ import annotations

import re
from typing import Any, Final

from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.formats.files import check_size
from explorer.formats.text_lines import lines_of
from explorer.formats.tokenizer_json import KEYS, few_enough

MAX_FILE = 1 << 26
"""Bytes of a vocab.json. The largest known have 10 million."""
VERSION = "#version"
SECTIONS: Final = "|".join(KEYS)
VOCAB: Final = re.compile(
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
    if not isinstance(vocab, dict):
        raise InputError(f"{name}: this is not an object of pieces and ids; give a vocab.json")
    if not vocab:
        raise InputError(f"{name}: the file has no pieces; fetch it again")
    few_enough(vocab, "the vocabulary", name)
    _check(vocab, name)
    return vocab


def _check(vocab: dict[str, Any], name: str) -> None:
    """Raises InputError for the first piece that is wrong."""
    highest = 2 * len(vocab) + 100_000
    for piece, id in vocab.items():
        if type(id) is not int or not 0 <= id < highest:
            raise InputError(
                f"{name}: the piece {shown(piece)} has the id {shown(id)}, but the ids of {len(vocab)} pieces must be "
                f"whole numbers from 0 and below {highest}; repair the file"
            )
    if len(set(vocab.values())) < len(vocab):
        of: dict[int, str] = {}
        for piece, id in vocab.items():
            if of.setdefault(id, piece) != piece:
                raise InputError(f"{name}: {shown(of[id])} and {shown(piece)} both have the id {id}; repair the file")


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
