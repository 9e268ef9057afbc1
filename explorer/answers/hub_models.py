"""Models of the Hugging Face Hub that visitors open by name: what the operator allows, and a fetch beside the session.

A fetch runs on a thread of its own, which waits for the client's process (`opening.hub.fetching`), so that the page
stays usable; it ends when it is canceled or the session ends. What was fetched becomes an upload of the session: it
runs in the visitor's process, and counts towards the session's bytes. The files stay in a cache that all visitors
share, by commit.

On this machine alone, that is the usual cache. A server that others reach has a cache of its own, so that nobody gets
what the operator's token has fetched; the models that were asked for longest ago leave it when it is full.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from explorer.answers.offers import Upload, UploadGroup
from explorer.compiled.kept import last_used
from explorer.errors import InputError, nearest
from explorer.formats.files import TEMPLATES
from explorer.opening.formats import IMPLEMENTATIONS, files_at
from explorer.opening.hub.fetching import HubError, Step, endpoint, fetched, search
from explorer.opening.hub.names import COMMIT, SNAPSHOT, HubName, cache, cached, parsed
from explorer.opening.remote_gguf import Heads, own
from explorer.opening.sources import Source
from explorer.tables import read_toml

SECONDS = 60.0
"""Seconds of a fetch for a visitor."""
AT_ONCE = 4
"""Fetches of all visitors that run at once; each session has one."""
KEPT = 10_000_000_000
"""Bytes that the cache of a server for others keeps."""

VISITORS: Mapping[str, str] = read_toml(__file__, "words.toml")
"""What a refusal means for a visitor of a server, who sets none of its variables."""


class Rules(NamedTuple):
    """What the operator allows. on: whether models are fetched. allow: patterns of names, none for all.

    token: whether this machine's token is sent; the usual cache is used then. search: whether a text finds names.
    """

    on: bool = False
    allow: tuple[str, ...] = ()
    token: bool = False
    search: bool = False

    def name(self, typed: str) -> HubName:
        """The model that a visitor's text names. Raises InputError."""
        try:
            name = parsed(without_implementation(typed), local=False) if self.on else None
        except InputError as error:
            raise InputError(str(error)) from None
        if name is None:
            raise InputError(f"{typed[:100]!r} is not the name of a model on the Hub; write it as org/name")
        if self.allow and not any(fnmatchcase(name.repository.lower(), each.lower()) for each in self.allow):
            raise InputError(f"{name.text}: this server fetches {' and '.join(self.allow)} only; drop its files here")
        return name

    @property
    def root(self) -> Path:
        """The folder of the cache."""
        return cache() if self.token else cache().parent / "explorer-visitors"

    @property
    def heads(self) -> Heads:
        """The beginnings of GGUF files that were fetched."""
        return own() if self.token else Heads(self.root / "gguf")

    def kept(self, name: HubName) -> Path | None:
        """The path of a model in the cache; of a GGUF at a commit, its beginning is enough."""
        path = cached(name, self.root)
        if path is None and is_gguf(name) and COMMIT.fullmatch(name.revision):
            from explorer.opening.remote_gguf import address_of

            path = self.heads.newest(address_of(name))
        return path

    def said(self, error: HubError, name: str) -> str:
        """An error as the visitor reads it."""
        said = VISITORS.get(error.kind) if not self.token or error.kind == "gguf" else None
        return f"{name}: {said.format(host=host())}" if said else str(error)


def host() -> str:
    """The name of the Hub's server."""
    return urlsplit(endpoint()).hostname or "the Hub"


def without_implementation(typed: str) -> str:
    """A name without the implementation at its end.

    >>> without_implementation("org/name@v1@huggingface")
    'org/name@v1'
    """
    name, at, asked = typed.strip().rpartition("@")
    return name if at and nearest("implementation", asked) in IMPLEMENTATIONS else typed.strip()


class HubFiles(NamedTuple):
    """What was fetched. name: with the commit, as a URL has it."""

    files: UploadGroup
    name: str


class Canceled(Exception):
    """The fetch isn't wanted anymore."""


_asked: list[Fetch] = []
"""The fetches that run or wait, in the order in which they were asked for: the first `AT_ONCE` run."""
_ended = threading.Condition()
_evicting = threading.Lock()


class Fetch:
    """A model's files, or the names that a text finds, as they come. text: of what is asked for.

    refresh: whether the Hub is asked for a newer commit than the cache has. result: at the end, or error. step: how far
    it is.
    """

    def __init__(self, rules: Rules, asked: HubName | str, *, refresh: bool = False) -> None:
        self.rules, self.asked, self.refresh = rules, asked, refresh
        self.text = asked if isinstance(asked, str) else asked.text
        self.step = Step(0, 0, "")
        self.result: HubFiles | list[str] | None = None
        self.error = ""
        self.ended = threading.Event()
        self._canceled = threading.Event()

    def start(self) -> None:
        """Begins on a thread of its own."""
        threading.Thread(target=self.run, daemon=True).start()

    def cancel(self) -> None:
        """Ends it within a moment."""
        self._canceled.set()

    @property
    def canceled(self) -> bool:
        """Whether it was canceled."""
        return self._canceled.is_set()

    def run(self) -> None:
        """Fetches; keeps the result or the error."""
        with _ended:
            _asked.append(self)
        try:
            with _ended:
                while self not in _asked[:AT_ONCE]:
                    self._check_wanted()
                    _ended.wait(0.1)
            self.result = self._fetched()
        except Canceled:
            pass
        except HubError as error:
            self.error = self.rules.said(error, self.text)
        except InputError as error:
            self.error = str(error)
        finally:
            with _ended:
                _asked.remove(self)
                _ended.notify_all()
            self.ended.set()

    def _fetched(self) -> HubFiles | list[str]:
        token, root = self.rules.token, self.rules.root
        if isinstance(self.asked, str):
            return search(self.asked, seconds=SECONDS, check_wanted=self._check_wanted, token=token)
        if not token:
            with _evicting:
                evict(root, KEPT)
        path = None if self.refresh else self.rules.kept(self.asked)
        if path is None and is_gguf(self.asked):
            from explorer.opening import remote_gguf

            path = remote_gguf.fetched(
                self.asked,
                token=token,
                heads=self.rules.heads,
                seconds=SECONDS,
                progress=self._progress,
                check_wanted=self._check_wanted,
            )
        path = path or fetched(
            self.asked,
            progress=self._progress,
            check_wanted=self._check_wanted,
            seconds=SECONDS,
            token=token,
            root=root,
        )
        return read(path, self.asked, self.rules.heads)

    def _progress(self, step: Step) -> None:
        self.step = step

    def _check_wanted(self) -> None:
        if self.canceled:
            raise Canceled


def is_gguf(name: HubName) -> bool:
    """Whether a name is that of a GGUF file, of which the first bytes are enough."""
    return name.file.lower().endswith(".gguf")


def read(path: Path, name: HubName, heads: Heads) -> HubFiles:
    """The files of a tokenizer in the cache, in memory; of a GGUF its beginning. Raises InputError."""
    source = heads.source_of(path)
    snapshot = SNAPSHOT.fullmatch(str(path))
    commit = source.commit if source else snapshot[3] if snapshot else ""
    if not commit:
        raise InputError(f"{name.text}: {host()} doesn't say which commit it is of; download it and drop it here")
    try:
        main, *others = files_at(path)
        templates = [each for each in map(path.joinpath, TEMPLATES) if path.is_dir() and each.is_file()]
        found = [(main.name, Source(main, name=main.name).deciding())]
        found += [(each.name, each.read_bytes()) for each in (*others, *templates)]
    except OSError as error:
        raise InputError(f"{name.text}: its files can't be read ({error.strerror}); try again") from None
    except InputError as error:
        raise InputError(str(error).replace(str(path), name.text)) from None
    # a slash at the end distinguishes a folder, which runs with its settings
    end = "/" if name.file and path.is_dir() else ""
    title = HubName(name.repository, commit[:7], name.file + end).text
    files = (Upload(*found[0], title), *(Upload(*each) for each in found[1:]))
    return HubFiles(files, HubName(name.repository, commit, name.file + end).text)


def evict(root: Path, most: int) -> None:
    """Removes the models from a cache that were fetched longest ago, until it has at most so many bytes."""
    sizes = {}
    for folder in root.glob("models--*"):
        with suppress(OSError):
            size = sum(each.stat().st_size for each in folder.rglob("*") if not each.is_symlink() and each.is_file())
            sizes[folder] = (last_used(folder.stat()), size)
    total = sum(size for _, size in sizes.values())
    for folder in sorted(sizes, key=lambda each: sizes[each][0]):
        if total <= most:
            return
        shutil.rmtree(folder, ignore_errors=True)
        total -= sizes[folder][1]
