"""Several processes of the app behind nginx, as `explorer app --processes N` starts them, and the site of deploy/."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Final

from benchmarks.served import Spender, free_port, wait_for
from explorer.cli.processes import MAIN
from tests.browser.conftest import ROOT

SITE: Final = ROOT / "deploy" / "nginx.conf"
NGINX: Final = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
STARTED: Final = re.compile(r"\[(\d+)\] starts as process (\d+) at port")


def configuration(folder: Path, listen: int = 80, ports: Mapping[int, int] | None = None) -> Path:
    """Writes deploy's configuration of nginx into a folder and returns its path. ports: those to replace."""
    site = SITE.read_text("utf-8").replace("listen 80;", f"listen 127.0.0.1:{listen};")
    site = site.replace("/var/cache/nginx/explorer", f"{folder}/cache")
    for port, other in (ports or {}).items():
        site = site.replace(str(port), str(other))
    (folder / "site.conf").write_text(site, "utf-8")
    main = folder / "nginx.conf"
    main.write_text(MAIN.format(folder=folder).replace("error_log stderr", f"error_log {folder}/error.log"), "utf-8")
    return main


class Front:
    """A running `explorer app --processes`. servers: by their number, the newest of each; log: its lines so far."""

    def __init__(self, count: int, folder: Path = ROOT) -> None:
        self.port, self.servers, self.log = free_port(), dict[int, Spender](), list[str]()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "explorer", "app", "--processes", str(count), "--open-first",
             "--server.port", str(self.port)],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.reader = Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.rstrip())
            if started := STARTED.search(line):
                self.servers[int(started[1])] = Spender(int(started[2]))

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.reader.join(10)
        assert self.process.stderr is not None
        self.process.stderr.close()


@contextmanager
def served_behind_nginx(count: int = 2) -> Iterator[Front]:
    """The app by so many processes, as soon as it answers."""
    assert NGINX is not None, "needs nginx (Debian package nginx-light)"
    front = Front(count)
    try:
        wait_for(front.address)
        yield front
    finally:
        front.end()


def kill(server: Spender) -> None:
    """Ends a server as a crash does."""
    os.kill(server.pid, signal.SIGKILL)
