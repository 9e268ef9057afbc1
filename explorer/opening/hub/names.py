"""Names of models on the Hub: `org/name[@REVISION][:FILE]`.

REVISION is a branch, a tag or a commit. FILE is a file of the repository, or a folder with a tokenizer's files. What is
not such a name is the path of a file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from explorer.errors import InputError, shown

REPOSITORY: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
"""Valid names of a repository (`huggingface_hub.utils.validate_repo_id`)."""

REVISION: Final = re.compile(r"(?!.*(\.\.|//|\.lock\Z))\w[\w./+-]{0,199}(?<![./])", re.ASCII)
"""Valid names of a revision, as git restricts them."""

COMMIT: Final = re.compile(r"[0-9a-f]{40}")

PART: Final = re.compile(r"(?!\.{1,2}\Z)[^\\/:*?\"<>|]{1,200}")
"""A valid part of a file's path, on every system."""

PATHS: Final = re.compile(r"\.(json|model|txt|gguf|tiktoken|bin|safetensors)\Z", re.IGNORECASE)

SNAPSHOT: Final = re.compile(r"(?:.*[/\\])?models--([^/\\]+)--([^/\\]+)[/\\]snapshots[/\\]([0-9a-f]{40})(?:[/\\].*)?")
"""The path of a copy in the cache."""

MAIN: Final = "main"


class HubName(NamedTuple):
    """A model on the Hub. revision: a branch, a tag or a commit. file: a file or a folder in it, "" for the top."""

    repository: str
    revision: str = MAIN
    file: str = ""

    @property
    def text(self) -> str:
        """The name as it is written.

        >>> HubName("org/name").text, HubName("org/name", "v1", "q4.gguf").text
        ('org/name', 'org/name@v1:q4.gguf')
        """
        revision = f"@{self.revision}" if self.revision != MAIN else ""
        return f"{self.repository}{revision}{self.file and ':'}{self.file}"


def parsed(spec: str, *, local: bool = True) -> HubName | None:
    """The model that a name means, None if it is a path. Raises InputError if its revision or file can't exist.

    local: whether folders of this machine may be meant; not where a visitor names a model.

    >>> parsed("org/name@v1:a/b.gguf")
    HubName(repository='org/name', revision='v1', file='a/b.gguf')
    >>> parsed("models/tokenizer.json"), parsed("a/b/c"), parsed("gpt2")
    (None, None, None)
    """
    head, colon, file = spec.partition(":")
    repository, at, revision = head.partition("@")
    if REPOSITORY.fullmatch(repository) is None or (PATHS.search(repository) and not at + colon):
        return None
    if local and Path(repository).parent.is_dir() and not at + colon:
        return None
    if ".." in repository or "--" in repository or repository.endswith((".git", "-", ".")):
        return None
    if at and REVISION.fullmatch(revision) is None:
        raise InputError(f"{shown(spec)}: {shown(revision)} is not a revision; give a branch, a tag or a commit")
    if colon and not is_path(file):
        raise InputError(f"{shown(spec)}: {shown(file)} is not a file of a repository; give its path in the repository")
    return HubName(repository, revision or MAIN, file.rstrip("/"))


def is_path(file: str) -> bool:
    """Whether this can be the path of a file in a repository.

    >>> is_path("a/b.gguf"), is_path("../b"), is_path("/etc/passwd"), is_path("a\\x1b")
    (True, False, False, False)
    """
    parts = file.rstrip("/").split("/")
    return len(file) <= 300 and file.isprintable() and all(map(PART.fullmatch, parts))


def is_repository(spec: str) -> bool:
    """Whether a name looks like a model on the Hub rather than the path of a missing file.

    >>> [is_repository(spec) for spec in ("meta-llama/Llama-3.1-8B", "models/tokenizer.json", "a/b/c", "gpt2")]
    [True, False, False, False]
    """
    try:
        return parsed(spec) is not None
    except InputError:
        return True


def of_snapshot(path: Path) -> str:
    """The name and commit of the copy in the cache that a path is in, "" for any other path.

    >>> of_snapshot(Path(f"/c/models--org--name/snapshots/{40 * 'a'}/tokenizer.json"))
    'org/name@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
    """
    found = SNAPSHOT.fullmatch(str(path.absolute()))
    return "" if found is None else f"{found[1]}/{found[2]}@{found[3]}"
