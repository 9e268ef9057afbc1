"""The app in a process of its own, and its cost: processor time of the server, bytes a page receives."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Page, WebSocket

from tests.browser.conftest import ROOT

TICKS = os.sysconf("SC_CLK_TCK")


class Spender:
    """A process and those it has started. pid: its id."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, worker processes included."""
        return sum(map(computed, (self.pid, *children(self.pid))))


class Server(Spender):
    """A running server. address: of its first page."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        super().__init__(process.pid)
        self.process, self.address = process, f"http://127.0.0.1:{port}"

    def wait(self) -> None:
        wait_for(self.address)


def wait_for(address: str) -> None:
    """Waits until an app answers, or the proxy before it."""
    while True:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.02)


def computed(pid: int) -> float:
    """Seconds of processor time of a process and its ended children, whose are counted in ticks."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own = time.clock_gettime(~pid << 3 | 2)  # the clock of another process, as clock_getcpuclockid(3) gives it
    return own + sum(map(int, fields[13:15])) / TICKS


def children(pid: int) -> list[int]:
    """The descendants of a process."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    found = [int(each) for each in listed.read_text().split()] if listed.exists() else []
    return [*found, *(below for each in found for below in children(each))]


def server_on(address: str) -> int:
    """The process id of the app at an address without the protocol. Raises LookupError."""
    port = address.rpartition(":")[2].encode()
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            command = each.read_bytes().split(b"\0")
            if b"--server.port" in command and port in command:
                return int(each.parent.name)
    raise LookupError(f"no server at {address}")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def served(
    port: int, folder: Path = ROOT, arguments: Sequence[str] = (), module: str = "streamlit", **environment: str
) -> Iterator[Server]:
    """Runs the app of a checkout as its README says; an older one, too, without a watcher. arguments: its own.

    module: what runs it, with its arguments.
    """
    command = f"-m {module} run app.py --server.fileWatcherType none --server.port {port} --"
    process = subprocess.Popen(
        [sys.executable, *command.split(), *arguments], cwd=folder, env=os.environ | environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield Server(process, port)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:  # a thread computes on in a call that nothing interrupts
            process.kill()
            process.wait()


class Wire:
    """What a page receives: bytes over its WebSocket and in responses."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        page.on("websocket", self.opened)
        page.on("requestfinished", lambda request: self.add(request.sizes()["responseBodySize"]))

    def opened(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: self.add(len(payload)))

    def add(self, count: int) -> None:
        self.bytes += count
