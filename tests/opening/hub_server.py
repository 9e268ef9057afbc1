"""A server of the tests' own that speaks the Hub's interface, with the faults that a test asks for.

    with serving() as hub:
        commit = hub.put("org/name", {"tokenizer.json": b"…"})
        hub.fault = "cut off"

It answers what `huggingface_hub` asks: the information about a model, its files (HEAD, ranges, a redirect to the
storage for those that git LFS holds, and one below the endpoint for the others), and a search. `requests` has what was
asked, in order.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

LARGE = 1000
"""Bytes from which a file is held by git LFS."""


@dataclass
class Hub:
    """The repositories: name → commit → path → content; branches: (name, branch) → commit.

    fault: of all answers; faults: name → of those about one repository. target: of redirects elsewhere. release: ends
    what a slow answer waits for.
    """

    port: int = 0
    repositories: dict[str, dict[str, dict[str, bytes]]] = field(default_factory=dict)
    branches: dict[tuple[str, str], str] = field(default_factory=dict)
    fault: str = ""
    faults: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)
    target: str = ""
    release: threading.Event = field(default_factory=threading.Event)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def storage(self) -> str:
        """Another host than the endpoint's, by its name."""
        return f"localhost:{self.port}"

    def put(self, name: str, files: Mapping[str, bytes], branch: str = "main") -> str:
        """Adds a commit with these files to a branch."""
        made = hashlib.sha1(repr((name, sorted(files.items()))).encode()).hexdigest()
        self.repositories.setdefault(name, {})[made] = dict(files)
        self.branches[name, branch] = made
        return made

    def asked(self, method: str) -> list[str]:
        return [path for each, path, _ in self.requests if each == method]


@cache
def bomb() -> bytes:
    """A small file that decompresses to a large one."""
    return gzip.compress(bytes(100_000_000))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub
    fault: str

    def log_message(self, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        hub, url = self.hub, urlsplit(self.path)
        hub.requests.append((self.command, self.path, dict(self.headers)))
        path = unquote(url.path)
        about = re.match(r"(?:/api(?:/resolve-cache)?/models|/storage)?/([^/]+/[^/]+)", path)
        self.fault = hub.faults.get(about[1], hub.fault) if about else hub.fault
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if self.fault == "busy":
                self.refuse(429, retry="30")
            elif self.fault == "broken":
                self.refuse(503)
            elif self.fault == "slow":
                hub.release.wait(30)
            elif self.fault == "no hub":
                self.send(200, b"<html>", {"content-type": "text/html"})
            elif self.fault == "token":
                self.refuse(401, message="Invalid credentials in Authorization header")
            elif self.fault == "forbidden":
                self.refuse(403)
            elif path == "/api/models":
                wanted = parse_qs(url.query).get("search", [""])[0]
                self.json([{"id": name, "modelId": name} for name in hub.repositories if wanted in name])
            elif match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/(.+))?", path):
                self.info(match[1], match[2] or "main")
            elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
                self.file(match[1], match[2], match[3])
            elif match := re.fullmatch(r"/api/resolve-cache/models/([^/]+/[^/]+)/([^/]+)/(.+)", path):
                self.file(match[1], match[2], match[3], resolved=True)
            elif match := re.fullmatch(r"/storage/([^/]+/[^/]+)/([^/]+)/(.+)", path):
                data = hub.repositories[match[1]][match[2]][match[3]]
                self.body(data, match[3], {"etag": f'"{hashlib.sha256(data).hexdigest()}"'})
            else:
                self.refuse(404)

    def commit(self, name: str, revision: str) -> str | None:
        if name not in self.hub.repositories:
            self.refuse(401, code="RepoNotFound")
            return None
        commit = self.hub.branches.get((name, revision), revision)
        if commit not in self.hub.repositories[name]:
            self.refuse(404, code="RevisionNotFound")
            return None
        return commit

    def info(self, name: str, revision: str) -> None:
        commit = self.commit(name, revision)
        if commit is None:
            return
        files = self.hub.repositories[name][commit]
        listed: list[Any] = [entry(path, data) for path, data in files.items()]
        if self.fault == "states large":
            listed = [each | {"size": 10**10} for each in listed]
        if self.fault == "hostile names":
            listed += [{"rfilename": each, "size": 1, "blobId": "0"} for each in HOSTILE]
        if self.fault == "endless list":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b" " * (1 << 20))
        if self.fault == "hostile commit":
            commit = "../../../etc"
        self.json({"id": name, "modelId": name, "sha": commit, "siblings": listed, "tags": [], "downloads": 1})

    def file(self, name: str, revision: str, path: str, *, resolved: bool = False) -> None:
        hub = self.hub
        if self.fault == "gated":
            self.refuse(403, code="GatedRepo")
            return
        commit = self.commit(name, revision)
        if commit is None:
            return
        data = hub.repositories[name][commit].get(path)
        if data is None or self.fault == "gone":
            self.refuse(404, code="EntryNotFound")
            return
        headers = {"x-repo-commit": commit, "etag": f'"{blob_id(data)}"'}
        if self.fault == "moved on":
            headers["x-repo-commit"] = "f" * 40
        if self.fault == "hostile etag":
            headers["etag"] = '"../../../../evil"'
        if len(data) < LARGE and self.fault != "elsewhere" and not resolved:
            self.send(307, b"", headers | {"location": f"/api/resolve-cache/models/{name}/{commit}/{path}"})
            return
        if len(data) < LARGE and self.fault != "elsewhere":
            self.body(data, path, headers)
            return
        headers |= {"x-linked-etag": f'"{hashlib.sha256(data).hexdigest()}"', "x-linked-size": str(len(data))}
        where = hub.target if self.fault == "elsewhere" else f"http://{hub.storage}/storage/{name}/{commit}/{path}"
        self.send(302, b"", {**headers, "location": where})

    def body(self, data: bytes, path: str, more: Mapping[str, str] = {}) -> None:
        """The content of a file, or what the fault makes of it."""
        hub, last = self.hub, path.endswith("tokenizer.json")
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range", ""))
        start = int(asked[1]) if asked else 0
        if asked and asked[2]:
            part = data[start : int(asked[2]) + 1]
            if self.fault == "held" and start:
                hub.release.wait(30)
            self.send(206, part, {**more, "content-range": f"bytes {start}-{start + len(part) - 1}/{len(data)}"})
            return
        if last and self.fault in ("cut off", "cut off once"):
            if self.fault == "cut off once" and start:
                self.send(206, data[start:], {**more, "content-range": f"bytes {start}-{len(data) - 1}/{len(data)}"})
                return
            self.send(200, data[: len(data) // 2], {**more, "content-length": str(len(data))})
            self.close_connection = True
            return
        if last and self.fault == "wrong length":
            data = data[:-1]
        if last and self.fault == "other content":
            data = data[:-1] + b"!"
        if last and self.fault == "compressed":
            more = {**more, "content-encoding": "gzip"}
            data = bomb()
        if last and self.fault == "endless" and self.command == "GET":
            self.send_response(200)
            self.send_header("content-length", str(10**10))
            self.end_headers()
            while True:
                self.wfile.write(b" " * (1 << 20))
        if last and self.fault == "dripping" and self.command == "GET":
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if hub.release.wait(0.2):
                    return
        self.send(206 if start else 200, data[start:], more)

    def json(self, value: object) -> None:
        self.send(200, json.dumps(value).encode(), {"content-type": "application/json"})

    def refuse(self, status: int, code: str = "", message: str = "", retry: str = "") -> None:
        headers = {"x-error-code": code, "x-error-message": message, "retry-after": retry}
        self.send(status, b"{}", {name: value for name, value in headers.items() if value})

    def send(self, status: int, data: bytes, headers: Mapping[str, str] = {}) -> None:
        self.send_response(status)
        for name, value in ({"content-length": str(len(data))} | dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)


HOSTILE = (
    "../tokenizer.json",
    "/etc/tokenizer.json",
    "a/../../tokenizer.json",
    "tokenizer.json\x1b[31m",
    "..\\tokenizer.json",
    "additional_chat_templates/../../../x.jinja",
)


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def entry(path: str, data: bytes) -> dict[str, Any]:
    """A file as the information about a model lists it."""
    found: dict[str, Any] = {"rfilename": path, "size": len(data), "blobId": blob_id(data)}
    if len(data) >= LARGE:
        found["lfs"] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "pointerSize": 134}
    return found


def clients(hub: Hub) -> list[Path]:
    """The processes that talk to a Hub, in /proc."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (each / "cmdline").read_bytes()
            if b"hub.client" in command or b"gguf_client" in command:
                found += [each] if hub.endpoint.encode() in (each / "environ").read_bytes() else []
    return found


@contextlib.contextmanager
def serving() -> Iterator[Hub]:
    """A running server."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OfHub", (Handler,), {"hub": hub}))
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that was ended resets its connection
    hub.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
        time.sleep(0)
