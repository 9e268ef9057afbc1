"""Names of models on the Hub, `org/name[@REVISION][:FILE]`, and their copies on this machine.

REVISION is a branch, a tag or a commit. FILE is a file of the repository, or a folder with a tokenizer's files. What is
not such a name is the path of a file.

Copies of the Hub's files on this machine, in the layout of `huggingface_hub`: its cache, which other programs share.

models--org--name/refs/main                 the commit of a branch or tag
models--org--name/snapshots/COMMIT/…        its files, links to blobs/
models--org--name/.no_exist/COMMIT/…        an empty file for each that the repository is known not to have
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from time import time
from typing import NamedTuple

from explorer.errors import InputError, shown
from explorer.formats.files import TOKENIZER_CONFIG, VOCABULARIES

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
"""Valid names of a repository (`huggingface_hub.utils.validate_repo_id`)."""

REVISION = re.compile(r"(?!.*(\.\.|//|\.lock\Z))\w[\w./+-]{0,199}(?<![./])", re.ASCII)
"""Valid names of a revision, as git restricts them."""

COMMIT = re.compile(r"[0-9a-f]{40}")

PART = re.compile(r"(?!\.{1,2}\Z)[^\\/:*?\"<>|]{1,200}")
"""A valid part of a file's path, on every system."""

PATHS = re.compile(r"\.(json|model|txt|gguf|tiktoken|bin|safetensors)\Z", re.IGNORECASE)

SNAPSHOT = re.compile(r"(?:.*[/\\])?models--([^/\\]+)--([^/\\]+)[/\\]snapshots[/\\]([0-9a-f]{40})(?:[/\\].*)?")
"""The path of a copy in the cache."""

MAIN = "main"


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
    match = SNAPSHOT.fullmatch(str(path.absolute()))
    return "" if match is None else f"{match[1]}/{match[2]}@{match[3]}"


OWN_NAMES = (".gguf", ".tiktoken", ".model", ".spm", ".vocab", ".txt")
"""Suffixes of vocabularies that have names of their own."""


MOST_REFERENCES = 1_000
"""Branches and tags that are looked at."""
ABANDONED = 3600.0
"""Seconds after which a file that nobody writes to is known to be unfinished for good."""


def cache() -> Path:
    """The folder of the cache, according to the environment."""
    own = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if own:
        return expanded(own)
    home = os.environ.get("HF_HOME")
    if home:
        return expanded(home) / "hub"
    return expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface" / "hub"


def expanded(path: str) -> Path:
    """A path of the environment, as the client reads it."""
    return Path(os.path.expandvars(os.path.expanduser(path)))


def folder_of(repository: str, root: Path | None = None) -> Path:
    """The folder of a repository in a cache. root: of that cache; by default, of the usual one."""
    return (root or cache()) / ("models--" + repository.replace("/", "--"))


def commit_of(name: HubName, root: Path | None = None) -> str:
    """The commit of its revision, as far as the cache knows; "" if it doesn't."""
    if COMMIT.fullmatch(name.revision):
        return name.revision
    try:
        commit = (folder_of(name.repository, root) / "refs" / name.revision).read_text("ascii").strip()
    except (OSError, ValueError):
        return ""
    return commit if COMMIT.fullmatch(commit) else ""


def cached(name: HubName, root: Path | None = None) -> Path | None:
    """The path of its tokenizer in the cache, None if it isn't there, or only a part of it.

    A folder counts as whole if its settings are there, too, or known not to exist: the client fetches them first.
    """
    commit = commit_of(name, root)
    if not commit:
        return None
    path = folder_of(name.repository, root) / "snapshots" / commit / name.file
    if name.file and path.is_file():
        return path
    try:
        files = [each.name for each in path.iterdir() if each.is_file()]
    except OSError:
        return None
    settings = TOKENIZER_CONFIG in files or marked(name, commit, TOKENIZER_CONFIG, root)
    has_one = any(each in VOCABULARIES or each.endswith(OWN_NAMES) for each in files)
    # ByT5 and CANINE have none
    return path if settings and (has_one or marked(name, commit, VOCABULARIES[0], root)) else None


def marked(name: HubName, commit: str, file: str, root: Path | None = None) -> bool:
    """Whether a file beside the tokenizer is known not to exist."""
    return (folder_of(name.repository, root) / ".no_exist" / commit / name.file / file).is_file()


class Reference(NamedTuple):
    """A branch or tag that pointed to a commit when the Hub was last asked, at a time in seconds since 1970."""

    name: str
    asked: float


def references(path: Path) -> list[Reference]:
    """The branches and tags that the cache has for the commit of a snapshot, the last one asked for first."""
    at = path.absolute()
    snapshot = next((each for each in (at, *at.parents) if each.parent.name == "snapshots"), None)
    if snapshot is None:
        return []
    folder, listed = snapshot.parent.parent / "refs", []
    with suppress(OSError, ValueError):
        for each in islice(folder.rglob("*"), MOST_REFERENCES):
            if each.is_file() and each.read_text("ascii").strip() == snapshot.name:
                listed.append(Reference(each.relative_to(folder).as_posix(), each.stat().st_mtime))
    return sorted(listed, key=lambda each: each.asked, reverse=True)


def remove_abandoned(unfinished: Iterable[Path]) -> None:
    """Deletes unfinished files that a killed process left. Nothing can resume them: each has a name of its own."""
    for path in unfinished:
        with suppress(OSError):
            if path.stat().st_mtime < time() - ABANDONED:
                path.unlink()


def commits(repository: str) -> list[str]:
    """The commits of which the cache has a tokenizer, the newest first."""
    try:
        snapshots = [path for path in (folder_of(repository) / "snapshots").iterdir() if COMMIT.fullmatch(path.name)]
    except OSError:
        return []
    snapshots.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    return [path.name for path in snapshots if cached(HubName(repository, path.name)) is not None]
