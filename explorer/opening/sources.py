"""What is opened: the bytes of a file or its path, and the files next to it.

A file is not trusted: neither its name nor its stated length counts, and at most MAX_FILE bytes of it are read. The
files that were read are recorded, so that an export can name them.

The paths of the vocabularies and of the script that Streamlit runs: in a clone they are next to `explorer/`; an
installed package contains them (`force-include` in pyproject.toml).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from explorer.errors import InputError
from explorer.formats.files import ADDITIONAL, regular_size
from explorer.origin import File

if TYPE_CHECKING:
    from explorer.formats.model_folder import Settings
    from explorer.implementations.opened import Opened

PACKAGE: Final = Path(__file__).parents[1]
INSTALLED: Final = PACKAGE / "bundle"
TOP: Final = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent

VOCABS: Final = TOP / "vocabs"
APP: Final = TOP / "app.py"
"""Its settings are next to it, in .streamlit/config.toml, where Streamlit finds them in any current directory."""

LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Addresses of a server that this machine alone reaches."""

HEAD = 4096
"""The first bytes of a file, which decide its format."""

MAX_FILE = 1 << 27
"""Bytes of a file that is read whole. The largest known tokenizer.json has 35 million."""

NOTE = "from.json"
"""The file beside the beginning of a GGUF that was read from the Hub: where it is from (`remote_gguf`)."""

Choices = Mapping[str, str]
"""The user's answers to `ChoiceNeeded`, by key. A format ignores keys it does not need."""

NONE: Choices = {}


@dataclass(frozen=True, slots=True)
class Source:
    """A file to open, and the files next to it.

    data: its bytes, or its path if it need not be read whole. others: the files given with it, by name; for a path the
    files in its folder are used. name: of the file. read: the files read so far, by name. whole: whether the files are
    one model, so that its settings are read.
    """

    data: bytes | Path
    others: Mapping[str, bytes] = field(default_factory=dict)
    name: str = ""
    read: dict[str, File] = field(default_factory=dict, repr=False, compare=False)
    whole: bool = False

    def contents(self) -> bytes:
        """All bytes of the file. Raises InputError if it cannot be read or is larger than MAX_FILE."""
        return self.recorded(self.name, self.data if isinstance(self.data, bytes) else contents(self.data))

    def deciding(self) -> bytes:
        """The bytes that decide the ids: all, and of a GGUF those up to the end of its keys. Raises InputError."""
        from explorer.formats import gguf

        start = self.data[:4] if isinstance(self.data, bytes) else first_bytes(self.data, 4)
        return gguf.read(self.data, lambda key: False).head if start == b"GGUF" else self.contents()

    def recorded(self, name: str, data: bytes) -> bytes:
        """The data, after recording that the file was read."""
        if name not in self.read:
            self.read[name] = File.of(name, data)
        return data

    def files(self) -> tuple[File, ...]:
        """The files that were read, the opened one first. Raises InputError if it cannot be read."""
        if self.name not in self.read:
            self.contents()
        return (self.read[self.name], *(each for name, each in self.read.items() if name != self.name))

    def beside(self, name: str) -> bytes | None:
        """The bytes of another file next to this one, None if there is none. Raises InputError as `contents` does.

        >>> Source(b"", {"merges.txt": b"a b"}).beside("merges.txt")
        b'a b'
        """
        if isinstance(self.data, bytes):
            data = self.others.get(name)
        else:
            path = self.data.parent / name
            data = contents(path) if path.is_file() else None
        return None if data is None else self.recorded(name, data)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name next to it."""
        return name in self.others if isinstance(self.data, bytes) else self.data.with_name(name).is_file()

    def additional(self) -> list[str]:
        """The names of the files in additional_chat_templates/."""
        if not isinstance(self.data, bytes):
            return [path.name for path in self.data.parent.glob(f"{ADDITIONAL}*.jinja")]
        return [name.removeprefix(ADDITIONAL) for name in self.others if name.startswith(ADDITIONAL)]

    def settings(self) -> Settings:
        """The settings in the files next to it; a single file has none. Raises InputError naming file and key."""
        from explorer.formats import model_folder

        return model_folder.read(self.beside, self.has) if self.whole else model_folder.Settings()


Opener = Callable[[Source, str, Choices], "Opened"]
"""Opens a source under a name. Raises InputError, and ChoiceNeeded if the file leaves a setting open."""


def contents(path: Path) -> bytes:
    """The bytes of a file. Raises InputError if it cannot be read or is too large."""
    data = first_bytes(path, MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(f"{path}: the file is larger than {MAX_FILE} bytes, the most that is read; give another file")
    return data


def first_bytes(path: Path, count: int) -> bytes:
    """At most `count` bytes from the start of a file. Raises InputError if it cannot be read."""
    regular_size(path, str(path), "the file")
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> InputError:
    """The error for a file that exists but cannot be read."""
    return InputError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions")
