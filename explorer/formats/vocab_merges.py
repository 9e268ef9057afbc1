"""vocab.json and merges.txt: a BPE model in two files, pieces with their ids and the pairs that merge, best first.

The files of GPT-2, RoBERTa and their kin (OpenAI called them encoder.json and vocab.bpe). Follows `BPE::read_file` of
Hugging Face's `tokenizers`: a line that begins with `#version` is passed over, any other is two pieces with one space
between. They say nothing of the pattern, nor of special tokens.

Stricter than the original, which takes the last of two entries for one piece and passes over ids that are no numbers;
a byte order mark is allowed in the JSON, not before the first pair.
"""

from __future__ import annotations

import re
from typing import Any

from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.formats.text_lines import lines_of
from explorer.formats.tokenizer_json import few_enough

MAX_FILE = 1 << 26
"""Bytes of a vocab.json. The largest known have 10 million."""
VERSION = "#version"


def looks_like_vocab(head: bytes) -> bool:
    """Whether a file that begins so may be a vocab.json: an object whose first value is a number.

    >>> looks_like_vocab(b'{"!": 0, "a": 1}'), looks_like_vocab(b'{"version": "1.0"')
    (True, False)
    """
    return re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*-?[0-9]', head) is not None


def looks_like_merges(head: bytes) -> bool:
    """Whether a file that begins so may be a merges.txt: two pieces a line, or its version first.

    >>> looks_like_merges(b"#version: 0.2\\n"), looks_like_merges(b"a b\\nab c\\n"), looks_like_merges(b"a\\n")
    (True, True, False)
    """
    if head.startswith(VERSION.encode()):
        return True
    lines = head.split(b"\n")[:10]
    return len(lines) > 1 and all(len(line.split(b" ")) == 2 and b"" not in line.split(b" ") for line in lines[:-1])


def read_vocab(data: bytes, name: str) -> dict[str, int]:
    """Piece → id. name: what errors call the file. Raises InputError naming the piece that is wrong.

    >>> read_vocab(b'{"a": 0, "b": 1}', "toy")
    {'a': 0, 'b': 1}
    """
    if len(data) > MAX_FILE:
        raise InputError(f"{name}: {len(data)} bytes, and a vocab.json has at most {MAX_FILE}; give another file")
    vocab = strict_json.read(data, name, "a vocab.json")
    if not isinstance(vocab, dict):
        raise InputError(f"{name}: this is no object of pieces and ids; give a vocab.json")
    if not vocab:
        raise InputError(f"{name}: the file holds no pieces; fetch it again")
    few_enough(vocab, "the vocabulary", name)
    check(vocab, name)
    return vocab


def check(vocab: dict[str, Any], name: str) -> None:
    """Raises InputError for the first piece that is wrong."""
    highest = 2 * len(vocab) + 100_000
    for piece, id in vocab.items():
        if type(id) is not int or not 0 <= id < highest:
            raise InputError(
                f"{name}: the piece {shown(piece)} has the id {shown(id)}, and {len(vocab)} pieces have whole numbers "
                f"from 0 and below {highest}; repair the file"
            )
    if len(set(vocab.values())) < len(vocab):
        of: dict[int, str] = {}
        for piece, id in vocab.items():
            if of.setdefault(id, piece) != piece:
                raise InputError(f"{name}: {shown(of[id])} and {shown(piece)} both have the id {id}; repair the file")


def read_merges(data: bytes, name: str, vocab: dict[str, int]) -> list[str]:
    """The merges in order, each as `left right`. vocab: what both sides and what they make have to be in.

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
            raise InputError(f"{name}: line {number} is not two pieces with a space between ({shown(line)}); repair it")
        for piece in (left, right, left + right):
            if piece not in vocab:
                raise InputError(
                    f"{name}: line {number} merges {shown(left)} and {shown(right)}, and {shown(piece)} is no piece of "
                    "the vocab.json; give the two files of one model"
                )
        merges.append(line)
    return merges
