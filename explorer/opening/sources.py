"""What is opened: the bytes of a file or its path, with whatever came with it or lies beside it.

Nothing is believed of a file: what it is called says nothing, how long it says it is neither, and it is read only as
far as any of its kind reaches. Which files were read is kept, for whoever wants to make the same ids again.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from explorer.errors import InputError
from explorer.origin import File

if TYPE_CHECKING:
    from explorer.engine.tokenizer import Tokenizer
    from explorer.formats.model_folder import Settings

HEAD = 4096
"""How many bytes of a file its format is told by."""

MAX_FILE = 1 << 27
"""Bytes of a file that is read whole. The largest known tokenizer.json has 35 million."""

Choices = Mapping[str, str]
"""What the person answered to a `ChoiceNeeded`, by its key. A format that does not ask for a key ignores it."""

NONE: Choices = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be opened, and what came with it.

    data: its bytes, or its path where it need not be read whole. others: the files given with it, by name; those of a
    path are the ones in its folder. name: of the file. read: the files that were read, by name; filled on the way.
    whole: it is one model with them, so their settings are read.
    """

    data: bytes | Path
    others: Mapping[str, bytes] = field(default_factory=dict)
    name: str = ""
    read: dict[str, File] = field(default_factory=dict, repr=False, compare=False)
    whole: bool = False

    def contents(self) -> bytes:
        """All bytes of the file. Raises InputError where it cannot be read, or is far larger than any of its kind."""
        return self.kept(self.name, self.data if isinstance(self.data, bytes) else contents(self.data))

    def kept(self, name: str, data: bytes) -> bytes:
        """Keeps in mind what was read."""
        if name not in self.read:
            self.read[name] = File.of(name, data)
        return data

    def files(self) -> tuple[File, ...]:
        """The files that were read, the one that was opened first. Raises InputError where it cannot be read."""
        if self.name not in self.read:  # a GGUF is not read whole
            if isinstance(self.data, bytes):
                self.contents()
            else:
                try:
                    self.read[self.name] = File.at(self.data)
                except OSError as error:
                    raise unreadable(self.data, error) from None
        return (self.read[self.name], *(each for name, each in self.read.items() if name != self.name))

    def beside(self, name: str) -> bytes | None:
        """The bytes of another file, None where there is none of that name. Raises InputError as `contents` does.

        >>> Source(b"", {"merges.txt": b"a b"}).beside("merges.txt")
        b'a b'
        """
        if isinstance(self.data, bytes):
            found = self.others.get(name)
        else:
            path = self.data.with_name(name)
            found = contents(path) if path.is_file() else None
        return None if found is None else self.kept(name, found)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name beside it."""
        return name in self.others if isinstance(self.data, bytes) else self.data.with_name(name).is_file()

    def settings(self) -> Settings | None:
        """What the files beside it say; None where it is by itself. Raises InputError naming file and key."""
        if not self.whole:
            return None
        from explorer.formats import model_folder

        return model_folder.read(self.beside, self.has)


Opener = Callable[[Source, str, Choices], "Tokenizer"]
"""Opens a file under a name. Raises InputError, ChoiceNeeded where the file leaves something open."""


def contents(path: Path) -> bytes:
    """The bytes of a file. Raises InputError where it cannot be read or is too large."""
    data = first_bytes(path, MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(f"{path}: such a file has at most {MAX_FILE} bytes, and this one more; give another one")
    return data


def first_bytes(path: Path, count: int) -> bytes:
    """So many bytes of a file, however long it says it is. Raises InputError where it cannot be read."""
    try:
        # asked before opening: a pipe would wait for somebody to write into it
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError(f"{path}: this is a folder; name a file in it")
        if not stat.S_ISREG(mode):
            raise InputError(f"{path}: this is no ordinary file; give the file itself")
        with path.open("rb") as file:
            return file.read(count)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> InputError:
    """What is said of a file that is there and cannot be read."""
    return InputError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions")
