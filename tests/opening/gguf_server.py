"""A server of files that answers requests for ranges, rightly or wrongly."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "c0ffee" * 6 + "abcd"


@dataclass
class Behavior:
    """How the server answers. fault: the name of a wrong way, from request number `after` on.

    data, size: the beginning of the file and its size; the rest are zeros. redirect: an address, with which files
    below /org are answered. asked: the path, the range and the token of each request.
    """

    data: bytes
    size: int
    fault: str = ""
    after: int = 0
    redirect: str = ""
    tag: str = '"one"'
    status: int = 0
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    sent: int = 0


@contextmanager
def serving(behavior: Behavior) -> Iterator[str]:
    """The address of a running server, without a slash at its end."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            number = len(behavior.asked)
            given = self.headers.get("Range", "")
            behavior.asked.append((self.path, given, self.headers.get("Authorization", "")))
            self.close_connection = True
            with suppress(OSError):  # the client has seen enough
                answer(self, behavior, behavior.fault if number >= behavior.after else "", given)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def answer(handler: BaseHTTPRequestHandler, behavior: Behavior, fault: str, given: str) -> None:
    """Answers one request."""

    def head(status: int, **headers: object) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            if value is not None:
                handler.send_header(name.replace("_", "-"), str(value))
        handler.send_header("Connection", "close")
        handler.end_headers()

    if fault == "status":
        return head(behavior.status, Content_Length=0, Retry_After=7 if behavior.status == 429 else None)
    if fault == "redirects" or (behavior.redirect and handler.path.startswith("/org")):
        to = handler.path if fault == "redirects" else behavior.redirect
        return head(302, Location=to, Content_Length=0, X_Repo_Commit=COMMIT)
    if fault == "silent":
        time.sleep(0.6)
        return None
    if fault == "closed":
        return handler.connection.shutdown(socket.SHUT_RDWR)
    size = behavior.size + (fault == "changed size")
    tag = '"two"' if fault == "changed tag" else behavior.tag or None
    found = re.fullmatch(r"bytes=(\d+)-(\d+)", given)
    assert found, "every request asks for a range"
    start, stop = int(found[1]), min(int(found[2]) + 1, size)
    if fault == "whole":
        start, stop = 0, size
        head(200, Content_Length=size, ETag=tag, X_Repo_Commit=COMMIT)
    else:
        if fault == "other part":
            start, stop = start + 1, stop + 1
        said = f"bytes {start}-{stop - 1}/{size}" if fault != "no part" else None
        length = stop - start - (5 if fault == "short length" else 0)
        zipped = "gzip" if fault == "compressed" else None
        head(206, Content_Length=length, Content_Range=said, ETag=tag, Content_Encoding=zipped, X_Repo_Commit=COMMIT)
    if fault.startswith("cut off"):
        stop = (start + stop) // 2
        if fault == "cut off once":
            behavior.fault = ""
    if fault == "drip":
        for _ in range(200):
            handler.wfile.write(b"G")
            time.sleep(0.02)
    for at in range(start, stop, 1 << 15):
        piece = behavior.data[at : min(at + (1 << 15), stop)].ljust(min(1 << 15, stop - at), b"\0")
        behavior.sent += len(piece)  # first: who asked may look once the last piece has come
        handler.wfile.write(piece)
