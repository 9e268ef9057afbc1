"""JupyterLab for tests, in an environment of its own in `.jupyter/` of the repository, created on first use.

Its kernels run the project from the repository, with the libraries of the tests.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.environment import environment

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]


def executable() -> Path:
    """The Python of the environment."""
    return environment(ROOT / ".jupyter", "jupyterlab==4.6.6", "ipykernel==7.4.0", "anywidget==0.11.0")


WITH_PROJECT = f"import sys\nsys.path += {[str(ROOT), *(each for each in sys.path if 'site-packages' in each)]}"
SETTINGS = {"apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False}}


class Lab(NamedTuple):
    """JupyterLab over a folder. token: who has it may ask its server for anything."""

    folder: Path
    address: str
    token: str

    def write(self, name: str, *cells: str) -> Path:
        """A notebook with these cells after one that makes the project importable."""
        empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
        made = [empty | {"id": f"cell-{at}", "source": each} for at, each in enumerate((WITH_PROJECT, *cells))]
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        path = self.folder / name
        notebook = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        path.write_text(json.dumps(notebook), "utf-8")
        return path

    def open(self, page: Page, name: str) -> None:
        """Opens a notebook in a workspace of its own, and waits for its cells."""
        page.goto(f"{self.address}/lab/tree/{name}?reset&token={self.token}")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=60_000)

    def run(self, page: Page) -> None:
        """Runs all cells, once the kernel is there."""
        page.get_by_text("| Idle").wait_for(timeout=60_000)
        self.choose(page, "Run", "Run All Cells")

    def choose(self, page: Page, menu: str, item: str) -> None:
        page.get_by_role("menuitem", name=menu, exact=True).click()
        page.locator(".lm-Menu").get_by_text(item, exact=True).click()

    def ask(self, method: str, path: str) -> Any:
        """Asks the server."""
        request = urllib.request.Request(f"{self.address}/api/{path}", method=method)
        request.add_header("Authorization", f"token {self.token}")
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def end_kernels(self) -> None:
        """Ends every kernel, and with them their sessions, which would start others."""
        for session in self.ask("GET", "sessions"):
            self.ask("DELETE", f"sessions/{session['id']}")
        assert self.ask("GET", "kernels") == []


@contextmanager
def serving(folder: Path) -> Iterator[Lab]:
    """JupyterLab over a folder below this one, in which it also keeps its own files."""
    python, own = executable(), folder / "jupyter"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for name, values in SETTINGS.items():
        path = own / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    made = Lab(folder / "notebooks", f"http://127.0.0.1:{port}", "test")
    made.folder.mkdir()
    command = [python, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", f"--IdentityProvider.token={made.token}"]
    folders = {f"JUPYTER_{name.upper()}_DIR": str(own / name) for name in ("config", "data", "runtime")}
    folders["JUPYTERLAB_SETTINGS_DIR"] = str(own / "settings")
    with (own / "log.txt").open("w") as log:
        process = subprocess.Popen(
            command, cwd=made.folder, stdout=log, stderr=subprocess.STDOUT, env=os.environ | folders
        )
        try:
            for _ in range(600):
                try:
                    made.ask("GET", "status")
                    break
                except OSError:
                    assert process.poll() is None, (own / "log.txt").read_text()
                    time.sleep(0.1)
            yield made
        finally:
            process.terminate()
            process.wait(20)
