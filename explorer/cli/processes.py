"""Several servers of the app behind one address: `explorer app --processes N`.

nginx, the machine's own, stands in front with the configuration that deploy/ has for systemd (nginx.conf beside this
module): a cookie keeps each session on its process. A process that ends, or does not answer three times in a row, is
started again; its visitors go on with the next one at once. All of them write into one log, each line with the number
of its process. Leaves out TLS and a path below the host's root, which deploy/README.md sets up in nginx.
"""

import argparse
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Event, Thread

from explorer.cli.shared import say
from explorer.errors import InputError
from explorer.opening.sources import APP

MOST = 64
SITE = Path(__file__).with_name("nginx.conf")
MAIN = """daemon off;
pid {folder}/nginx.pid;
error_log stderr;
worker_processes 1;
worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
"""What a distribution's /etc/nginx/nginx.conf does, in a folder of its own."""
SERVER = "server 127.0.0.1:{} max_fails=1 fail_timeout=5s;"
PAUSE = 2.0
"""Seconds until a process that ended is started again."""
SHORT = 30.0
"""Seconds: a process that has never answered and ends within them ends again when it is started again."""
CHECKED = 15.0
"""Seconds between two questions whether a process answers."""
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Of a class (`ui/serving/classes.py`): no I and no O, which look like digits. The first names its process."""
UNANSWERED = 3
"""Questions in a row without an answer after which a process is started again."""


def site(ports: Sequence[int], listen: str = "80", cache: str = "/var/cache/nginx/explorer") -> str:
    """nginx's configuration for processes at these ports of this machine. listen: a port, or address:port.

    >>> [line.strip() for line in site([8501, 8502]).splitlines() if "backup" in line]
    ['server 127.0.0.1:8502 backup;', 'server 127.0.0.1:8501 backup;']
    """
    own = dict(enumerate(ports, 1))
    parts = {
        "ANY": [SERVER.format(port) for port in ports],
        "EACH": [
            line
            for number, port in own.items()
            for line in (
                f"upstream explorer_{number} {{",
                f"    zone explorer_{number} 64k;",
                f"    {SERVER.format(port)}",
                *(f"    server 127.0.0.1:{other} backup;" for other in ports if other != port),
                "}",
            )
        ],
        "NAMES": [f"{number} explorer_{number};" for number in own],
        "LETTERS": [
            f"~/_class/[{LETTERS[number - 1 :: len(own)]}] explorer_{number};"
            for number in own
            if number <= len(LETTERS)
        ],
        "NUMBERS": [rf"~127\.0\.0\.1:{port}$ {number};" for number, port in own.items()],
    }
    lines = []
    for line in SITE.read_text("utf-8").replace("@LISTEN@", listen).replace("@CACHE@", cache).splitlines():
        name = line.strip().strip("@")
        filled = parts.get(name, []) if line.strip() == f"@{name}@" else [""]
        lines += [line.replace(f"@{name}@", each) for each in filled]
    return "\n".join(lines) + "\n"


class Process:
    """One server, kept running by a thread. number: from 1, as the cookie and the log name it."""

    def __init__(self, number: int, port: int, command: Sequence[str], environment: dict[str, str]) -> None:
        self.number, self.port, self.environment = number, port, environment
        self.command = [*command[: command.index("--")], "--server.port", str(port), *command[command.index("--") :]]
        self.ready, self.ending, self.failed = Event(), Event(), Event()
        self.running: subprocess.Popen[str] | None = None
        self.thread = Thread(target=self.keep, daemon=True)
        self.thread.start()

    def keep(self) -> None:
        """Runs the server, again whenever it ends, until `end`."""
        while not self.ending.is_set():
            began = time.monotonic()
            self.running = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace", start_new_session=True,
            )  # fmt: skip
            self.say(f"starts as process {self.running.pid} at port {self.port}")
            Thread(target=self.log, args=(self.running,), daemon=True).start()
            self.watch(self.running)
            if self.ending.is_set():
                return
            if not self.ready.is_set() and time.monotonic() - began < SHORT:
                self.failed.set()
                return
            self.say(f"has ended with status {self.running.wait()}; it starts again in {PAUSE:.0f} seconds")
            self.ending.wait(PAUSE)

    def watch(self, running: subprocess.Popen[str]) -> None:
        """Returns when the server has ended; ends one that does not answer."""
        unanswered, checked = 0, time.monotonic()
        while running.poll() is None and not self.ending.wait(0.1):
            if self.ready.is_set() and time.monotonic() - checked < CHECKED:
                continue
            checked = time.monotonic()
            if self.answers():
                self.ready.set()
                unanswered = 0
            elif self.ready.is_set() and (unanswered := unanswered + 1) >= UNANSWERED:
                self.say("does not answer; it is ended")
                running.kill()

    def answers(self) -> bool:
        """Whether the server says that it is well."""
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_stcore/health", timeout=10):
            return True
        return False

    def log(self, running: subprocess.Popen[str]) -> None:
        """Passes on what the server prints."""
        assert running.stdout is not None
        for line in running.stdout:
            if line.strip() and "URL: " not in line and "view your Streamlit app" not in line:  # of the inner port
                self.say(line.rstrip())

    def say(self, line: str) -> None:
        say(f"[{self.number}]", line, error=True)

    def end(self) -> None:
        """Ends the server."""
        self.ending.set()
        if self.running is not None:
            self.running.terminate()
            try:
                self.running.wait(20)
            except subprocess.TimeoutExpired:
                self.running.kill()


def serve(count: str, flags: Sequence[str], own: Sequence[str]) -> int:
    """Serves the app by so many processes until it is interrupted. flags: Streamlit's; own: the app's.

    Raises InputError for a count, a flag or a machine it can't be done with.
    """
    number = processes(count)
    if os.name != "posix":
        raise InputError("--processes needs Linux or macOS, or WSL on Windows; leave it out for one process")
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")
    if nginx is None:
        raise InputError("--processes needs nginx; install it (Debian's package nginx-light, Homebrew's nginx)")
    address, port, rest = place(flags)
    command = [sys.executable, "-m", "streamlit", "run", str(APP), *rest, "--server.address", "127.0.0.1",
               "--server.headless", "true", "--", *own]  # fmt: skip
    # Streamlit signs what a browser brings along; a session may move to another process
    environment = {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32), "PYTHONUNBUFFERED": "1"} | os.environ
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="explorer-")))
        folder.chmod(0o711)  # nginx's workers have another user where root starts it
        running = [Process(each, inner, command, environment) for each, inner in enumerate(free_ports(number), 1)]
        for process in running:
            stack.callback(process.end)
        for process in running:
            while not process.ready.wait(0.1):
                if process.failed.is_set():
                    raise InputError(f"process {process.number} ends before it answers; the lines above say why")
        listen = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        written = site([each.port for each in running], listen, f"{folder}/cache")
        (folder / "site.conf").write_text(written, "utf-8")
        (folder / "nginx.conf").write_text(MAIN.format(folder=folder), "utf-8")
        front = subprocess.Popen([nginx, "-e", "stderr", "-c", folder / "nginx.conf"])
        stack.callback(front.wait, 20)
        stack.callback(front.terminate)
        say(f"The app is at http://{listen} with {number} processes. Ctrl-C ends it.")
        sys.stdout.flush()
        front.wait()
    raise InputError("nginx has ended; the lines above say why")


def processes(count: str) -> int:
    """How many processes the user asks for; `auto` is one for each core. Raises InputError.

    >>> processes("2"), processes("auto") >= 1
    (2, True)
    """
    if count == "auto":
        return min(os.cpu_count() or 1, MOST)
    if not (count.isascii() and count.isdigit() and 1 <= int(count) <= MOST):
        raise InputError(f"--processes takes a number from 1 to {MOST}, or auto, not {count!r}")
    return int(count)


def place(flags: Sequence[str]) -> tuple[str, int, list[str]]:
    """The address and the port of the front, and the flags that remain. Raises InputError for a port that is taken.

    >>> place(["--server.port", "0", "--theme.base=dark"])
    ('127.0.0.1', 0, ['--theme.base=dark'])
    """
    reader = argparse.ArgumentParser(prog="explorer app", add_help=False, allow_abbrev=False)
    reader.add_argument("--server.address", default=os.environ.get("STREAMLIT_SERVER_ADDRESS", "127.0.0.1"))
    reader.add_argument("--server.port", default=os.environ.get("STREAMLIT_SERVER_PORT", "8501"), type=int)
    known, rest = reader.parse_known_args(flags)
    given = vars(known)
    for flag in rest:
        if flag.startswith(("--server.ssl", "--server.baseUrlPath")):
            raise InputError(f"{flag.partition('=')[0]} can't be used with --processes; deploy/README.md sets nginx up")
    address, port = given["server.address"], given["server.port"]
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((address, port))
        except OSError as error:
            raise InputError(
                f"{address}:{port} can't be listened on ({error.strerror}); choose another --server.port"
            ) from None
    return address, port, rest


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens on."""
    with ExitStack() as stack:
        tried = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in tried:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in tried]
