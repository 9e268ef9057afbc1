"""Which of the files that were dropped belong to one tokenizer: one alone, one with its partner, or a model's folder.

Settings (tokenizer_config.json and the like) go to the vocabulary they were dropped with. They may come before it or
after it, too: then they wait for it, or join the one that is there. Files of several models at once are not guessed at:
a browser says what files are called, not which folder they were in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PureWindowsPath
from typing import NamedTuple, TypeAlias

from explorer.errors import InputError
from explorer.facts import listed
from explorer.formats.model_files import COMPANIONS, VOCABULARIES
from explorer.opening.folders import known
from explorer.opening.formats import HEAD, format_of, is_vocabulary


class Dropped:
    """One file: the name its sender gave it, which may be anything, and its bytes until they are given back.

    Many things on a page know of a file, and the web framework holds some of them for minutes after the visitor has
    left: its bytes hang on this alone.

    >>> file = Dropped("x.json", b"{}")
    >>> len(file.data), file.give_back()
    (2, None)
    >>> file.data
    Traceback (most recent call last):
    explorer.errors.InputError: x.json: the file was given back when your browser was away; drop it here again
    """

    __slots__ = ("_held", "name")

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self._held = name, [data]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dropped) and (self.name, self._held) == (other.name, other._held)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def data(self) -> bytes:
        """Its bytes. Raises InputError where they are gone."""
        if not self._held:
            raise InputError(
                f"{self.last[:LONGEST_SAID]}: the file was given back when your browser was away; drop it here again"
            )
        return self._held[0]

    def give_back(self) -> None:
        """Lets go of the bytes."""
        self._held.clear()

    @property
    def last(self) -> str:
        """Its name without the folders before it, of either kind of slash."""
        return PureWindowsPath(self.name).name


LONGEST_SAID = 60
"""Characters of a name in an error."""

Group: TypeAlias = tuple[Dropped, ...]
"""The files of one tokenizer, the one with the vocabulary first."""

PARTS = frozenset({*VOCABULARIES, "merges.txt"})
"""What a model's folder may hold several of, all of one model."""


class Sorted(NamedTuple):
    """groups: of one tokenizer each. loose: settings whose vocabulary is not among them."""

    groups: list[Group]
    loose: list[Dropped]


def sorted_out(files: Sequence[Dropped]) -> Sorted:
    """Which files belong together. Raises InputError where they are of several models.

    >>> names = {"config.json": b"{}", "x.gguf": b"GGUF", "tokenizer.json": b"{}"}
    >>> found = sorted_out([Dropped(name, data) for name, data in names.items()])
    >>> [[file.name for file in group] for group in found.groups], found.loose
    ([['tokenizer.json', 'config.json'], ['x.gguf']], [])
    """
    settings = [file for file in files if file.last in COMPANIONS]
    rest = [file for file in files if file.last not in COMPANIONS]
    if not settings:
        return Sorted(pairs(files), [])
    counts = Counter(file.last for file in (*settings, *(file for file in rest if file.last in PARTS)))
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise InputError(
            f"{listed(twice)}: there is more than one, so this is of several models; drop the files of one at a time"
        )
    main = known([file.last for file in rest])
    if main:
        own = [file for file in rest if file.last in PARTS]
        own.sort(key=lambda file: file.last != main)
        return Sorted([(*own, *settings), *pairs([file for file in rest if file.last not in PARTS])], [])
    found = [file for file in rest if is_vocabulary(file.data[:HEAD], file.last)]
    if len(found) > 1:
        raise InputError(
            f"{listed([file.last for file in settings])}: this may belong to {listed([file.last for file in found])}; "
            "drop it with the one it belongs to"
        )
    others = pairs([file for file in rest if file not in found])
    return Sorted([(found[0], *settings), *others], []) if found else Sorted(others, settings)


def pairs(files: Sequence[Dropped]) -> list[Group]:
    """Files without settings: each by itself, or with the one it needs beside it.

    >>> vocab, merges, other = Dropped("vocab.json", b'{"a": 0}'), Dropped("merges.txt", b"a b"), Dropped("x.gguf", b"")
    >>> [[file.name for file in group] for group in pairs([merges, other, vocab])]
    [['x.gguf'], ['vocab.json', 'merges.txt']]
    """
    named = {file.last: file for file in files}
    groups: list[Group] = []
    partners = set()
    for file in files:
        partner = next((named[name] for name in wanted_beside(file) if name in named), None)
        groups.append((file,) if partner is None else (file, partner))
        partners.add(id(partner))
    return [group for group in groups if id(group[0]) not in partners]


def wanted_beside(file: Dropped) -> tuple[str, ...]:
    """What a file that belongs to this one may be called; a file of no known format wants none."""
    try:
        return format_of(file.data[:HEAD], file.name).beside(file.last)
    except InputError:
        return ()


def joined(group: Group, settings: Sequence[Dropped]) -> Group:
    """A tokenizer's files with settings that came later; one of the same name takes the place of the one before.

    >>> files = (Dropped("x.json", b"x"), Dropped("config.json", b"1"))
    >>> [file.data for file in joined(files, [Dropped("config.json", b"2")])]
    [b'x', b'2']
    """
    new = {file.last for file in settings}
    return (*(file for file in group if file.last not in new), *settings)
