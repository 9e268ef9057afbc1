"""The process that talks to the Hub: `huggingface_hub` within limits. `fetching` starts it and says what came of it.

It reads one request from standard input as a line of JSON, and writes lines of JSON: progress, then a result or a
refusal. It ends when its standard input is closed, so that none is left behind.

Only the files of a tokenizer are fetched (`wanted`), settings first, so that a folder with a vocabulary has them. Every
request is checked, also after a redirect: its host is the endpoint or the endpoint's storage. Responses are counted as
they arrive, compressed ones are refused, and each file is compared with the digest that the repository's list states.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from explorer.formats.files import ADDITIONAL, PARTNERS, SETTINGS, TEMPLATES, TOKENIZER_CONFIG, VOCABULARIES
from explorer.opening.hub.names import COMMIT, is_path, remove_abandoned
from explorer.tables import Json, Record, read_toml

STORAGE = ("hf.co", "huggingface.co")
"""Domains of the Hub's own storage, to which it redirects requests for large files."""

LISTING = 20_000_000
"""The most bytes of a response that is no file."""

MOST_FILES = 40
"""The most files of one tokenizer."""

MEMORY = 2_000_000_000
"""Bytes of this process's address space, where the system limits it."""

NICENESS = 10
"""By how much this process yields to those that answer visitors. Importing the client keeps a processor busy."""

WAIT = float(os.environ.get("HF_HUB_ETAG_TIMEOUT") or 10)
"""Seconds without an answer of the server."""

BLOCK = 1 << 18
"""Bytes between two reports of progress."""

FOUND = 8
"""The most models that a search returns."""

UNFINISHED = "*.????????.incomplete"
"""Names of the client's unfinished files. Those of older releases, which resume them, have no such part."""

OTHER_NAMES = ((".tiktoken",), (".model", ".spm"), (".vocab", ".txt"))
"""Suffixes of vocabularies with names of their own, the likeliest first, fetched only if no file has a usual name."""

TAG = re.compile(r'(W/)?"?([\w.+-]{1,200})"?', re.ASCII)
"""A usable ETag, which becomes the name of a file."""


class Refusal(Exception):
    """What was asked for is not fetched. kind: which of `fetching.SAID` says so."""

    def __init__(self, kind: str, **more: object) -> None:
        super().__init__(kind)
        self.kind, self.more = kind, more


def main() -> None:
    say(**answer(received()))


def received() -> Record:
    """The request of standard input, after limiting this process."""
    request: Record = json.loads(sys.stdin.readline())
    # Windows has no such limit
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.nice(NICENESS)
    threading.Thread(target=end_with_parent, daemon=True).start()
    return request


def answer(request: Json) -> dict[str, object]:
    try:
        return search(request) if "search" in request else fetch(request)
    except Exception as error:
        refused = refusal(error)
        return {"refused": refused.kind, **refused.more}


def end_with_parent() -> None:
    """Ends this process once nobody waits for it."""
    sys.stdin.read()
    os._exit(1)


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


def search(request: Json) -> dict[str, object]:
    """The names of models that a text finds, the most used first."""
    api = guarded(request, Bounds(LISTING, ""))
    models = api.list_models(search=request["search"], sort="downloads", limit=FOUND)
    return {"found": [each.id for each in models][:FOUND]}


def fetch(request: Json) -> dict[str, object]:
    """Fetches the files of a tokenizer into the cache."""
    repository, revision, file = request["repository"], request["revision"], request["file"]
    bounds = Bounds(request["most"], revision if COMMIT.fullmatch(revision) else "")
    api = guarded(request, bounds)
    info = api.model_info(repository, revision=revision, files_metadata=True, timeout=WAIT)
    commit = info.sha
    if not isinstance(commit, str) or COMMIT.fullmatch(commit) is None or bounds.commit not in ("", commit):
        raise Refusal("unusable")
    bounds.commit = commit
    files = {each.rfilename: each for each in info.siblings or () if is_path(each.rfilename)}
    names = wanted(list(files), file)
    sizes = {name: size_of(files[name]) for name in names}
    total = sum(sizes.values())
    if total > request["most"]:
        raise Refusal("large", bytes=total)
    folder = Path(request["cache"]) / ("models--" + repository.replace("/", "--"))
    remove_abandoned((folder / "blobs").glob(UNFINISHED))
    done = 0
    say(file="", read=0, of=total)
    for name in names:
        path = download(request, name, bounds, done, total, sizes[name])
        check(path, commit, name, files[name])
        done += sizes[name]
    if file not in files:
        mark_absent(folder / ".no_exist" / commit / file, {name.removeprefix(f"{file}/") for name in files})
    if COMMIT.fullmatch(revision) is None:
        write_reference(folder / "refs" / revision, commit)
    return {"done": commit, "files": len(names), "bytes": total}


def wanted(files: Sequence[str], file: str = "") -> list[str]:
    """The files of a tokenizer among those of a repository, in the order in which they are fetched.

    file: the file or folder asked for. Raises Refusal.

    >>> wanted(["model.safetensors", "tokenizer.json", "tokenization_own.py", "tokenizer_config.json", "README.md"])
    ['tokenizer_config.json', 'tokenizer.json']
    >>> wanted(["a/vocab.json", "a/merges.txt", "vocab.json"], "a/vocab.json")
    ['a/merges.txt', 'a/vocab.json']
    """
    prefix = f"{file}/" if file else ""
    if file in files:
        prefix = file[: file.rfind("/") + 1]
        own = file.removeprefix(prefix)
        if own.endswith(".gguf"):
            raise Refusal("gguf", files=[file])
        if not own.endswith((".json", ".model", ".txt", ".tiktoken", ".spm", ".vocab", ".bpe")):
            raise Refusal("no tokenizer", file=file)
        beside = [*PARTNERS, own.replace("vocab.json", "merges.txt"), "vocab.bpe", "merges.txt"]
        return [*(each for name in dict.fromkeys(beside) if (each := prefix + name) in files and each != file), file]
    below = [name.removeprefix(prefix) for name in files if name.startswith(prefix)]
    if not below:
        raise Refusal("no file", file=file)
    vocabularies: list[str] = [name for name in reversed(VOCABULARIES) if name in below]
    for suffixes in OTHER_NAMES if not vocabularies else ():
        vocabularies = vocabularies or [name for name in below if "/" not in name and name.endswith(suffixes)]
    if not vocabularies:
        gguf = [name for name in files if name.startswith(prefix) and name.endswith(".gguf")]
        if gguf or TOKENIZER_CONFIG not in below:
            raise Refusal("gguf" if gguf else "no tokenizer", files=sorted(gguf)[:FOUND], file=file)
    templates = [name for name in below if name.startswith(ADDITIONAL) and name.endswith(".jinja")]
    first = [name for name in (*SETTINGS, *TEMPLATES, *templates, *PARTNERS) if name in below]
    chosen = [prefix + name for name in (*first, *vocabularies)]
    if len(chosen) > MOST_FILES:
        raise Refusal("many", count=len(chosen))
    return chosen


def size_of(listed: Any) -> int:
    """The bytes of a file, as the repository's list states. Raises Refusal."""
    if not isinstance(listed.size, int) or listed.size < 0:
        raise Refusal("unusable")
    return int(listed.size)


def download(request: Json, name: str, bounds: Bounds, done: int, total: int, size: int) -> Path:
    """Fetches one file with the client, and returns its path in the cache."""
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.utils.tqdm import tqdm

    constants.DOWNLOAD_CHUNK_SIZE = BLOCK

    class Progress(tqdm):
        """Reports each block, and ends a download that is longer than its file."""

        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **(more | {"disable": True}))  # type: ignore[no-untyped-call]
            self.read = int(more.get("initial") or 0)

        def update(self, n: float | None = 1) -> None:
            self.read += int(n or 0)
            if self.read > size:
                raise Refusal("changed", file=name)
            say(file=name, read=done + self.read, of=total)

    bounds.file = name
    path = hf_hub_download(
        request["repository"], name, revision=bounds.commit, endpoint=request["endpoint"], token=request["token"],
        cache_dir=request["cache"], etag_timeout=WAIT, tqdm_class=Progress,
    )  # fmt: skip
    return Path(path)


def check(path: Path, commit: str, name: str, listed: Any) -> None:
    """Removes a file from the cache and raises Refusal, unless it is the one that the repository's list states."""
    data = path.read_bytes()
    if listed.lfs is not None:
        same = hashlib.sha256(data).hexdigest() == listed.lfs.sha256
    else:
        same = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == listed.blob_id
    if same and path.as_posix().endswith(f"/snapshots/{commit}/{name}"):
        return
    blob = path.resolve()
    path.unlink(missing_ok=True)
    if blob.parent.name == "blobs":
        blob.unlink(missing_ok=True)
    raise Refusal("changed", file=name)


def mark_absent(folder: Path, files: set[str]) -> None:
    """Records which usual files the repository doesn't have, as the client does."""
    for name in (*SETTINGS, *TEMPLATES, *VOCABULARIES):
        if name not in files:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()


def write_reference(path: Path, commit: str) -> None:
    """Records the commit of a branch or tag, once its files are complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.incomplete")
    new.write_text(commit, "ascii")
    new.replace(path)


# --- the bounds of every request --------------------------------------------------------------------------------------


@dataclass(eq=False)
class Bounds:
    """What the client may do. left: bytes of files that it may still receive. file: the one being fetched.

    commit: of the repository, once it is known.
    """

    left: int
    commit: str
    file: str = ""


def guarded(request: Json, bounds: Bounds) -> Any:
    """The client's interface, every request of which is checked."""
    import huggingface_hub
    from huggingface_hub.utils import _http

    endpoint, storage = request["endpoint"], (*STORAGE, *request["storage"])

    def before(sent: Any) -> None:
        if not allowed(str(sent.url), endpoint, storage):
            raise Refusal("elsewhere", host=(urlsplit(str(sent.url)).hostname or "")[:100], file=bounds.file)
        # the size of what arrives is the size of the file, and nothing expands here
        sent.headers["accept-encoding"] = "identity"

    def after(response: Any) -> None:
        headers = response.headers
        if response.status_code == 429:
            raise Refusal("busy", seconds=seconds(headers.get("retry-after", "")))
        if response.status_code >= 500:
            raise Refusal("broken", status=response.status_code)
        if headers.get("content-encoding", "identity").lower() not in ("identity", ""):
            raise Refusal("compressed", file=bounds.file)
        own = origin(str(response.request.url)) == origin(endpoint)
        # the endpoint's become names of files
        for name in ("etag", "x-linked-etag") if own else ():
            if name in headers and TAG.fullmatch(headers[name]) is None:
                raise Refusal("unusable")
        commit = headers.get("x-repo-commit")
        if bounds.commit and commit is not None and commit != bounds.commit:
            raise Refusal("changed", file=bounds.file)
        response.stream = Counted(response.stream, bounds, own and "/api/models" in str(response.request.url))

    make = _http.default_client_factory

    def client() -> Any:
        http = make()
        hooks = http.event_hooks
        http.event_hooks = {"request": [*hooks["request"], before], "response": [*hooks["response"], after]}
        return http

    # the library that the client uses, `httpx` or its successor
    library: Any = make.__globals__.get("httpx2") or make.__globals__["httpx"]

    @dataclass(eq=False)
    class Counted(library.SyncByteStream):  # type: ignore[misc]
        """The body of a response, counted as it arrives."""

        stream: Any
        bounds: Bounds
        listing: bool

        def __iter__(self) -> Iterator[bytes]:
            read = 0
            for block in self.stream:
                read += len(block)
                if self.listing:
                    if read > LISTING:
                        raise Refusal("large", bytes=read)
                else:
                    self.bounds.left -= len(block)
                    if self.bounds.left < 0:
                        raise Refusal("large", bytes=read)
                yield block

        def close(self) -> None:
            self.stream.close()

    huggingface_hub.set_client_factory(client)
    return huggingface_hub.HfApi(endpoint=endpoint, token=request["token"])


def allowed(url: str, endpoint: str, storage: Sequence[str]) -> bool:
    """Whether a URL is the endpoint's, or its storage's.

    >>> hub, own = "https://huggingface.co", ("hf.co",)
    >>> [allowed(url, hub, own) for url in ("https://huggingface.co/a", "https://cdn.hf.co/a", "https://xhf.co/a")]
    [True, True, False]
    >>> [allowed(url, hub, own) for url in ("http://huggingface.co/a", "http://127.0.0.1/a", "https://hf.co:8443/")]
    [False, False, False]
    """
    parts, own = urlsplit(url), urlsplit(endpoint)
    if origin(url) == origin(endpoint):
        return True
    host = parts.hostname or ""
    named = f"{host}:{port(parts)}" in storage
    below = port(parts) == 443 and any(host == each or host.endswith(f".{each}") for each in storage)
    return (below or named) and parts.scheme in {"https", own.scheme} and parts.username is None


def origin(url: str) -> tuple[str, str | None, int]:
    """The scheme, host and port of a URL."""
    split = urlsplit(url)
    return split.scheme, split.hostname, port(split)


def port(url: Any) -> int:
    return url.port or {"https": 443, "http": 80}.get(url.scheme, 0)


def seconds(text: str) -> int:
    """The seconds of a Retry-After, 0 if it doesn't say."""
    return min(int(text), 86_400) if text.isascii() and text.isdigit() and len(text) < 9 else 0


# --- what went wrong --------------------------------------------------------------------------------------------------


def refusal(error: BaseException) -> Refusal:
    """What an exception of the client means."""
    from huggingface_hub import errors

    for each in chain(error):
        if isinstance(each, Refusal):
            return each
        status = getattr(getattr(each, "response", None), "status_code", 0)
        if isinstance(each, errors.GatedRepoError):
            return Refusal("gated")
        if isinstance(each, errors.RepositoryNotFoundError):
            return Refusal("missing")
        if isinstance(each, errors.RevisionNotFoundError):
            return Refusal("no revision")
        if isinstance(each, errors.EntryNotFoundError) and status == 404:
            return Refusal("changed", file="")
        if isinstance(each, errors.OfflineModeIsEnabled):
            return Refusal("offline")
        if status:
            return Refusal({401: "token", 403: "forbidden", 404: "missing"}.get(status, "broken"), status=status)
        kind = next((kind for base in type(each).__mro__ if (kind := BY_NAME.get(base.__name__))), "")
        if kind:
            return Refusal(kind)
        if isinstance(each, OSError) and each.errno is not None:
            return Refusal("disk", why=each.strerror or "")
        if isinstance(each, OSError) and "onsistency" in str(each):
            return Refusal("cut off")
    return Refusal("unusable", why=type(error).__name__)


BY_NAME: Json = read_toml(__file__, "exceptions.toml")
"""Exceptions by name: those of `httpx` have the same in its successor."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and those it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


if __name__ == "__main__":
    main()
