"""Lists of edits with a name, for a vocabulary in RWKV's format.

`emoji`: for text of people who write Japanese or any other language in signs. English words and code go, all emoji and
a list of kaomoji come.

Removed is every token of two or more ASCII characters with a letter or a sign in it: words (` the`, `Norwegian`) and
code (`);`, `!=`, `----`). What remains of ASCII are the single bytes, numbers and white space, so ids 1 to 256 are the
bytes as before and every text can be encoded. Added is every emoji of Unicode's list in all its spellings
(`emoji.txt`), then the kaomoji (`kaomoji.txt`); one that is a token already keeps its place.

Left out: Japanese words of several characters, which a corpus would have to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from explorer.editing.step import Notes
from explorer.errors import InputError

FOLDER: Final = Path(__file__).parent

BYTES: Final = tuple(bytes([byte]) for byte in range(256))


def listed(name: str) -> list[bytes]:
    """The tokens of a list: a line each, after the lines of its head, which begin with `# `.

    >>> len(listed("emoji.txt")) > 5_000, "😀".encode() in listed("emoji.txt")
    (True, True)
    """
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [line.encode() for line in lines if line and not line.startswith("# ")]


def is_word_or_code(token: bytes) -> bool:
    """Whether a token goes: several ASCII characters with a letter or a sign.

    >>> [is_word_or_code(each) for each in (b" the", b"();", b"a", b"  ", b" 42", "né".encode())]
    [True, True, False, False, False, False]
    """
    return len(token) > 1 and token.isascii() and any(33 <= byte < 127 and not 48 <= byte < 58 for byte in token)


def emoji(tokens: Sequence[bytes]) -> tuple[list[bytes], Notes]:
    """The preset: the tokens with the ids 1, 2, 3 …, and what was done. Raises InputError for a list without bytes."""
    if tuple(tokens[:256]) != BYTES:
        raise InputError("the preset keeps the bytes as ids 1 to 256, and they are others here; open RWKV World")
    kept = [token for token in tokens if not is_word_or_code(token)]
    there = set(kept)
    notes = [f"{len(tokens) - len(kept):,} tokens of ASCII words and code are removed."]
    for name in ("emoji", "kaomoji"):
        new = [token for token in dict.fromkeys(listed(f"{name}.txt")) if token not in there]
        kept += new
        there.update(new)
        notes.append(f"{len(new):,} {name} are added.")
    notes.append(f"{len(kept) + 1:,} of 65,536 ids are used; 0 and the bytes, 1 to 256, are as before.")
    return kept, tuple(notes)


PRESETS: Final[Mapping[str, Callable[[Sequence[bytes]], tuple[list[bytes], Notes]]]] = {"emoji": emoji}
"""The presets by name: tokens by id, from 1, to tokens."""
