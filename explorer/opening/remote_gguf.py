"""A GGUF on the Hub, of which only the beginning is read: `https://huggingface.co/org/name/resolve/main/model.gguf`.

Requests for ranges of bytes fetch the file in blocks until its keys are complete (`formats.gguf`). What was read is
kept (`Heads`); the next time one small request asks whether the file is still the same.

Only the configured endpoint is asked (`HF_ENDPOINT`), and only its own storage may be redirected to. Every answer is
checked: status, range, length, and that the file stays the same between two blocks. The rest of an answer that is cut
off is requested once.

The beginnings are kept in the cache folder of the user.

    tokenizer-explorer/gguf/ADDRESS/CONTENT/model.gguf    the file up to the end of its keys, or all of a small one
    tokenizer-explorer/gguf/ADDRESS/CONTENT/from.json     its address, commit, ETag and size

Such a file opens like the whole one. The note beside it gives it the whole one's size, so both have the same origin.

For a visitor of a page, a process of its own reads it, within limits of memory and time (`fetched`). It runs this
module and speaks as `hub.client` does: a request as a line of JSON on standard input, then lines of progress, and the
path or the refusal.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

from explorer.compiled.kept import last_used, root
from explorer.errors import InputError
from explorer.formats import gguf
from explorer.formats.files import on_one_line
from explorer.opening.hub import client, fetching
from explorer.opening.hub.client import STORAGE as HUB_STORAGE
from explorer.opening.hub.client import allowed, seconds
from explorer.opening.hub.fetching import STORAGE, HubError, OnStep, Step, endpoint, offline, without_password
from explorer.opening.hub.names import HubName, is_repository, remove_abandoned
from explorer.opening.sources import NOTE as NOTE
from explorer.origin import WHOLE

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector


MOST = 500_000_000
"""Bytes of all beginnings. One has about 10 million."""


class Source(NamedTuple):
    """Where a beginning is from. commit, tag: as the server states them, "" if it doesn't. size: of the whole file."""

    url: str
    commit: str
    tag: str
    size: int

    @property
    def repository(self) -> str:
        """The model on the Hub with its commit, "" if the server doesn't name one.

        >>> Source("https://huggingface.co/org/name/resolve/main/a.gguf", 40 * "a", "", 1).repository
        'org/name@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
        """
        name = re.search(r"/([^/]+/[^/]+)/resolve/", self.url)
        return f"{name[1]}@{self.commit}" if name and self.commit else ""

    @property
    def pinned(self) -> Source | None:
        """The same with the address of its commit, None without one.

        >>> Source("https://hf.co/org/name/resolve/main/a.gguf", "c0ffee", "", 1).pinned.url
        'https://hf.co/org/name/resolve/c0ffee/a.gguf'
        """
        url = re.sub(r"/resolve/[^/]+/", f"/resolve/{self.commit}/", self.url, count=1)
        return self._replace(url=url) if self.commit else None


def name_of(url: str) -> str:
    """A name for a file, with no other characters than those of names.

    >>> name_of("https://huggingface.co/org/name/resolve/main/a%20b.gguf")
    'a_b.gguf'
    """
    return re.sub(r"[^\w.-]", "_", unquote(urlsplit(url).path.rpartition("/")[2]), flags=re.ASCII)[-100:].lstrip(".")


class Heads(NamedTuple):
    """The beginnings in a folder, which may not exist yet."""

    folder: Path

    def path_of(self, source: Source) -> Path:
        """The path of a beginning, whether it is there or not."""
        content = sha256(f"{source.tag} {source.size}".encode()).hexdigest()[:32]
        return self.folder_of(source.url) / content / name_of(source.url)

    def folder_of(self, url: str) -> Path:
        """The folder of the beginnings of an address."""
        return self.folder / sha256(url.encode()).hexdigest()[:32]

    def source_of(self, path: Path) -> Source | None:
        """Where a beginning is from; None for any other file."""
        with suppress(OSError, ValueError, TypeError, RuntimeError):
            if path.absolute().is_relative_to(self.folder):
                source = Source(**json.loads(path.with_name(NOTE).read_text("utf-8")))
                if [*map(type, source)] == [str, str, str, int]:
                    return source
        return None

    def has(self, source: Source) -> bool:
        """Whether the beginning of this content is kept. Another commit may have the same content."""
        known = self.source_of(self.path_of(source))
        return bool(source.tag) and known is not None and known._replace(commit=source.commit) == source

    def newest(self, url: str) -> Path | None:
        """The beginning of this address that was used last."""
        with suppress(OSError):
            paths = [path for path in self.folder_of(url).glob(f"*/{name_of(url)}") if self.source_of(path) is not None]
            return max(paths, key=lambda path: path.stat().st_mtime, default=None)
        return None

    def keep(self, source: Source, data: bytes) -> None:
        """Writes a beginning. It gets its name when it is complete. Raises OSError."""
        path = self.path_of(source)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write(path, data)
        self.note(source)
        self.trim(path)

    def note(self, source: Source) -> None:
        """Notes where a beginning is from, also under the address of its commit, which opens without a request."""
        path = self.path_of(source)
        for each in (source, source.pinned):
            if each is not None:
                beside = self.path_of(each)
                beside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not beside.exists():
                    try:
                        os.link(path, beside)
                    except FileExistsError:  # another process was faster
                        pass
                    except OSError:  # a file system without hard links
                        write(beside, path.read_bytes())
                write(beside.with_name(NOTE), json.dumps(each._asdict()).encode())

    def trim(self, newest: Path) -> None:
        """Deletes the beginnings that were used least recently, beyond MOST. newest: stays in any case."""
        with suppress(OSError):
            remove_abandoned(self.folder.glob("*/*/*.incomplete"))
            files: dict[tuple[int, int], list[Path]] = {}  # one may have two names
            for path in self.folder.glob("*/*/*.gguf"):
                stat = path.stat()
                files.setdefault((stat.st_dev, stat.st_ino), []).append(path)
            left = MOST
            for paths in sorted(files.values(), key=lambda each: last_used(each[0].stat()), reverse=True):
                left -= paths[0].stat().st_size
                for path in paths if left < 0 and newest not in paths else ():
                    path.unlink()
                    path.with_name(NOTE).unlink(missing_ok=True)
                    path.parent.rmdir()


def own() -> Heads:
    """The beginnings that the person who runs this program has opened."""
    return Heads(root() / "gguf")


def source_of(path: Path) -> Source | None:
    """Where one of the own beginnings is from; None for any other file."""
    with suppress(RuntimeError):
        return own().source_of(path)
    return None


def write(path: Path, data: bytes) -> None:
    """Writes a file under another name first."""
    import tempfile

    handle, new = tempfile.mkstemp(dir=path.parent, suffix=".incomplete")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


FIRST = 1 << 16
"""Bytes of the first block: enough to know the file again, and to refuse what is no GGUF."""
BLOCK = 1 << 21
"""Bytes of the others."""
PIECE = 1 << 16
"""Bytes received between two looks at the clock."""
WAIT = 10.0
"""Seconds without an answer of the server."""
SECONDS = 60.0
"""Seconds for all blocks."""
REDIRECTS = 5

COMMIT = re.compile(r"/resolve/[0-9a-f]{40}/")
RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", re.ASCII)
URL = re.compile(r"https?://[!-~]{1,2000}", re.IGNORECASE)

SAID = {
    401: "it is private or gated, or your token is not valid; set HF_TOKEN to a token that may read it",
    403: "you may not read it; accept the model's terms on its page, and set HF_TOKEN to your token",
    404: "there is no such file; check the address",
    416: "it is empty or its size changed; check the address",
    429: "there were too many requests; try again later",
}
"""What a status means, and what to do."""
KINDS = {401: "token", 403: "forbidden"}
"""The kinds of such refusals, for a visitor of a page, who has no token to set (`answers.hub_models`)."""


def located(
    address: str,
    *,
    token: bool = True,
    heads: Heads | None = None,
    progress: OnStep = lambda step: None,
) -> Path:
    """The path of the kept beginning of a GGUF, fetched if necessary. Raises HubError or another InputError.

    token: whether the token of this machine is sent, if there is one. heads: what is kept; the user's own by default.
    progress: called as bytes arrive; how many it will be is known at the end.
    """
    url, heads = checked(address), heads or own()
    kept = heads.newest(url)
    if kept is not None and (offline() or COMMIT.search(url)):
        return kept
    if offline():
        says = "it was not read before, and HF_HUB_OFFLINE is set; unset it, or give a path"
        raise HubError(f"{url}: {says}", "offline")
    try:
        remote = Remote(url, token, progress)
        source = Source(url, remote.commit, remote.tag, remote.size)
        if heads.has(source):
            heads.note(source)
        else:
            head = gguf.read(remote, lambda key: False, url).head
            # the origin of a small file is the hash of all of it
            rest = remote.read(len(head), remote.size - len(head)) if remote.size <= WHOLE else b""
            heads.keep(source, head + rest)
        remote.report(complete=True)
    except TimeoutError:
        raise HubError(f"{url}: the server doesn't answer in time; {try_again(kept)}", "late") from None
    except OSError as error:
        cause = getattr(error, "reason", error)  # of a URLError
        why = on_one_line(str(getattr(cause, "strerror", None) or cause))[:200]
        raise HubError(f"{url}: it can't be fetched ({why}); {try_again(kept)}", "unreachable") from None
    path = heads.path_of(source)
    path.touch()
    return path


def address_of(name: HubName) -> str:
    """The address of a GGUF of a model on the Hub.

    >>> address_of(HubName("org/name", "a/b", "sub/x y.gguf"))
    'https://huggingface.co/org/name/resolve/a%2Fb/sub/x%20y.gguf'
    """
    return f"{endpoint()}/{name.repository}/resolve/{quote(name.revision, safe='')}/{quote(name.file)}"


def try_again(kept: Path | None) -> str:
    """What to do where the network fails."""
    return "check your connection and HF_ENDPOINT" + (
        ", or set HF_HUB_OFFLINE=1 to open what was read before" if kept is not None else ""
    )


def checked(address: str) -> str:
    """The address of the file itself. Raises InputError unless it is a GGUF of the endpoint.

    >>> checked("https://huggingface.co/org/name/blob/main/a.gguf")
    'https://huggingface.co/org/name/resolve/main/a.gguf'
    """
    name = without_password(on_one_line(address))[:300]
    if URL.fullmatch(address) is None:
        raise InputError(f"{name}: this is not an address; spell other characters as %XX")
    try:
        parts, own = urlsplit(address), urlsplit(endpoint())
        same = (parts.scheme, parts.hostname, parts.port) == (own.scheme, own.hostname, own.port)
    except ValueError:
        raise InputError(f"{name}: this is not an address; check it") from None
    if not same or parts.username is not None or parts.fragment:
        raise InputError(
            f"{name}: only files of {without_password(endpoint())} are fetched; download it and give its path, or set "
            "HF_ENDPOINT"
        )
    path = unquote(parts.path)
    if ".." in path.split("/") or "\\" in path or not path.isprintable() or not path.lower().endswith(".gguf"):
        model = "/".join(path.split("/")[1:3])
        by_name = model if is_repository(model) else "org/name"
        raise InputError(f"{name}: this is not the address of a .gguf file; give the name of the model, {by_name}")
    return parts._replace(path=parts.path.replace("/blob/", "/resolve/", 1), query="", fragment="").geturl()


# --- the network ------------------------------------------------------------------------------------------------------


class Remote:
    """A file on a server, as blocks. A server that ignores ranges is refused: it would send all of it."""

    def __init__(self, url: str, token: bool, progress: OnStep) -> None:
        self.token, self.progress = token, progress
        self.url, self.at, self.block = url, url, FIRST
        self.received = self.reported = 0
        self.end = monotonic() + SECONDS
        self.opener = opener()
        self.commit = ""
        with closing(self.request(0, FIRST)) as response:
            self.size = self.size_of(response, FIRST)
            self.tag = tag_of(response)
            count = min(FIRST, self.size)
            data = self.body(response, count)
        self.first = self.whole(0, data, count)

    def read(self, start: int, count: int) -> bytes:
        """The bytes [start, start + count) of the file. Raises InputError, OSError."""
        self.block = BLOCK
        first = self.first[start : start + count]
        start, count = start + len(first), count - len(first)
        if not count:
            return first
        return first + self.whole(start, self.part(start, count), count)

    def whole(self, start: int, data: bytes, count: int) -> bytes:
        """A block of which these bytes came: what is missing is requested once. Raises InputError, OSError."""
        if len(data) < count:
            data += self.part(start + len(data), count - len(data))
        if len(data) < count:
            raise self.error(f"the server ended the connection after {len(data)} of {count} bytes; try again")
        return data

    def part(self, start: int, count: int) -> bytes:
        """The bytes of a range, fewer if the server ends the connection."""
        with closing(self.request(start, count)) as response:
            if tag_of(response) != self.tag or self.size_of(response, count, start) != self.size:
                raise self.error("the file changed while it was read; try again")
            return self.body(response, count)

    def report(self, *, complete: bool = False) -> None:
        """Reports the bytes that have come, at most once for each piece."""
        if complete or self.received >= self.reported + PIECE:
            self.reported = self.received
            file = unquote(urlsplit(self.url).path.rpartition("/")[2])
            self.progress(Step(self.received, self.received if complete else 0, file))

    def request(self, start: int, count: int) -> HTTPResponse:
        """The answer to a request for a range, after redirects."""
        from urllib.error import HTTPError
        from urllib.request import Request

        for _ in range(REDIRECTS + 1):
            at_endpoint = urlsplit(self.at)[:2] == urlsplit(endpoint())[:2]
            headers = {
                "Range": f"bytes={start}-{start + count - 1}",
                "Accept-Encoding": "identity",
                "User-Agent": "tokenizer-explorer",
                **({"Authorization": f"Bearer {key}"} if at_endpoint and self.token and (key := token()) else {}),
            }
            left = self.end - monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                response = self.opener.open(Request(self.at, headers=headers), timeout=min(WAIT, left))
            except HTTPError as error:
                response = error
            try:
                if at_endpoint:
                    self.commit = commit_of(response) or self.commit
                if response.status == 200:
                    raise self.error("the server ignores ranges of bytes; download the file and give its path")
                if response.status == 206:
                    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                        raise self.error("the server sends it compressed, which was not asked for; check HF_ENDPOINT")
                    return response  # type: ignore[no-any-return]
                if response.status not in (301, 302, 303, 307, 308):
                    raise HubError(f"{self.url}: {self.refusal(response)}", KINDS.get(response.status, ""))
                self.at = self.redirected(response)
                response.close()
            except BaseException:
                response.close()
                raise
        raise self.error(f"the server redirects more than {REDIRECTS} times; check the address")

    def redirected(self, response: Any) -> str:
        """The address that an answer redirects to. Raises InputError if it is not the endpoint's or its storage's."""
        storage = (*HUB_STORAGE, *os.environ.get(STORAGE, "").split())
        try:
            to = urljoin(self.at, response.headers.get("Location", ""))
            fine = URL.fullmatch(to) is not None and allowed(to, endpoint(), storage)
            host = urlsplit(to).hostname or ""
        except ValueError:
            to, fine, host = "", False, ""
        if not fine:
            raise HubError(
                f"{self.url}: the server redirects to {on_one_line(host)[:100] or 'nowhere'}, which is not its "
                f"storage; check HF_ENDPOINT, or name the host in {STORAGE}",
                "unreachable",
            )
        return str(to)

    def refusal(self, response: Any) -> str:
        """What a status means."""
        wait = seconds(response.headers.get("Retry-After", ""))
        if response.status == 429 and wait:
            return f"there were too many requests; try again in {wait} seconds"
        return SAID.get(response.status, f"the server answers with status {response.status}; try again later")

    def size_of(self, response: HTTPResponse, count: int, start: int = 0) -> int:
        """The size of the whole file, after checking which part of it the answer is."""
        length = response.headers.get("Content-Length", "")
        match = RANGE.fullmatch(response.headers.get("Content-Range", ""))
        first, last, size = map(int, match.groups()) if match else (-1, -1, -1)
        if (first, last) != (start, min(start + count, size) - 1) or length not in ("", str(last + 1 - first)):
            raise self.error("the server sends another part of the file than was asked for; try again")
        return size

    def body(self, response: HTTPResponse, count: int) -> bytes:
        """The next `count` bytes of an answer, fewer if it ends earlier."""
        from http.client import HTTPException

        data = bytearray()
        try:
            while len(data) < count:
                if monotonic() > self.end:
                    raise TimeoutError
                piece = response.read1(min(PIECE, count - len(data)))
                if not piece:
                    break
                data += piece
                self.received += len(piece)
                self.report()
        except (HTTPException, ConnectionError):
            pass
        return bytes(data)

    def error(self, why: str) -> InputError:
        return InputError(f"{self.url}: {why}")


def opener() -> OpenerDirector:
    """What opens addresses, through the proxy of the environment if there is one. It follows no redirects."""
    from urllib.request import HTTPRedirectHandler, build_opener

    class NoRedirects(HTTPRedirectHandler):
        def http_error_302(self, *_: Any) -> None:
            return None

        http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302  # type: ignore[assignment]

    return build_opener(NoRedirects)


def token() -> str:
    """The token of the user, as `huggingface_hub` finds it; "" for none."""
    key = os.environ.get("HF_TOKEN") or os.environ.get("HUGGING_FACE_HUB_TOKEN") or ""
    if not key and os.environ.get("HF_HUB_DISABLE_IMPLICIT_TOKEN", "").upper() not in {"1", "ON", "YES", "TRUE"}:
        home = Path(os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface"))
        with suppress(OSError, ValueError, RuntimeError):
            path = Path(os.environ.get("HF_TOKEN_PATH") or home / "token").expanduser()
            key = path.read_text("ascii")[:1000]
    key = key.strip()
    return key if re.fullmatch(r"[!-~]{1,500}", key) else ""


def tag_of(response: Any) -> str:
    """What changes with the file: its ETag, or else the date of its last change."""
    return on_one_line(response.headers.get("ETag") or response.headers.get("Last-Modified") or "")[:300]


def commit_of(response: Any) -> str:
    """The commit that an answer of the Hub names."""
    commit = re.fullmatch(r"[0-9a-f]{40}", response.headers.get("X-Repo-Commit", ""))
    return commit[0] if commit else ""


def fetched(
    name: HubName,
    *,
    token: bool,
    heads: Heads,
    seconds: float,
    progress: OnStep,
    check_wanted: Callable[[], None],
) -> Path:
    """The path of the beginning of a GGUF, fetched by a process that ends with this call.

    Arguments as for `remote_gguf.located` and `fetching.fetched`. Raises HubError.
    """
    request = {"address": address_of(name), "heads": str(heads.folder), "token": None if token else False}
    answer = fetching.last_line(fetching.run(request, seconds, check_wanted, __name__), progress)
    if "path" in answer:
        return Path(answer["path"])
    if "failed" in answer:
        raise HubError(answer["failed"], answer["kind"])
    raise fetching.refused(name, answer["refused"], token=token, seconds=seconds)


def main() -> None:
    request = client.received()

    def report(step: Step) -> None:
        client.say(**step._asdict())

    try:
        heads = Heads(Path(request["heads"]))
        path = located(request["address"], token=request["token"] is None, heads=heads, progress=report)
        client.say(path=str(path))
    except InputError as error:
        client.say(failed=str(error), kind=getattr(error, "kind", ""))
    except MemoryError:
        client.say(refused="memory")


if __name__ == "__main__":
    main()
