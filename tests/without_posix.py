"""Runs the package as on Windows, as far as Linux can play it.

`python -X warn_default_encoding -m tests.without_posix`. What only POSIX has is taken away after Python's own modules
and the dependencies are imported: modules, functions, signals, and opening a folder. `sys.platform` is "win32" while a
job holds its lock, which `msvcrt` gives there. A file that is opened without an encoding is an error. Not played: paths
with backslashes, files that are open and can't be deleted, consoles.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.process
import importlib
import json
import multiprocessing
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import altair
import anyio
import pandas
import pyarrow.parquet
import streamlit.testing.v1
import streamlit.web.bootstrap
import uvicorn

IMPORTED = (asyncio, concurrent.futures.process, multiprocessing, shutil, socket, subprocess, threading, altair, anyio,
            pandas, pyarrow.parquet, streamlit.web.bootstrap, uvicorn)  # fmt: skip
MODULES = "fcntl grp posix pty pwd resource syslog termios tty"
ABSENT: dict[Any, str] = {
    os: "chown fchmod fchown fork forkpty getegid geteuid getgid getloadavg getpgid getuid killpg mkfifo nice "
    "O_DIRECTORY O_NOFOLLOW O_NONBLOCK pread register_at_fork sched_getaffinity setsid sysconf wait4 WIFSIGNALED "
    "WTERMSIG",
    signal: "alarm ITIMER_PROF ITIMER_REAL pthread_sigmask setitimer SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE "
    "SIGPROF SIGTSTP SIGUSR1 SIGUSR2 SIGXCPU sigwait",
    select: "epoll poll",
}
ONLY_POSIX = {"explorer.answers.worker", "explorer.saved.widget"}
"""The module of worker processes, which only POSIX starts; one that needs a package of notebooks."""
locks: list[tuple[int, int]] = []


def play() -> None:
    """Takes away what Windows lacks."""
    for name in MODULES.split():
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in ABSENT.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    os.name = "neither"  # pathlib takes "nt" at its word
    real = os.open

    def opened(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        caller = sys._getframe(1).f_globals.get("__name__", "")  # shutil has its own way on Windows
        if caller.startswith("explorer.") and os.path.isdir(path):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags, mode, **more)

    os.open = opened
    there = types.ModuleType("msvcrt")
    there.LK_NBLCK = 2  # type: ignore[attr-defined]
    there.locking = lambda handle, kind, size: locks.append((kind, size))  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = there
    warnings.filterwarnings("error", category=EncodingWarning, module=r"explorer")


def main() -> None:
    """Imports every module, runs commands, and asks for what is only on POSIX."""
    play()
    import explorer

    for module in pkgutil.walk_packages(explorer.__path__, "explorer."):
        if "__main__" not in module.name and module.name not in ONLY_POSIX:
            importlib.import_module(module.name)
    from explorer.answers.corpus_jobs import JobFolder
    from explorer.answers.sessions import uses_workers
    from explorer.errors import InputError
    from tests.cli.command import command

    assert not uses_workers()
    folder = Path(tempfile.mkdtemp())
    (folder / "notes.txt").write_text("What is LoRA?\nÅ 🤗\n", "utf-8")
    (folder / "chat.json").write_text(json.dumps([{"role": "user", "content": "Hi"}]), "utf-8")
    for words in (
        "encode -m llama-2 hi",
        "info -m gpt-2",
        "why -m gpt-2 hello --at 2",
        "compare -m gpt-2 -m llama-2 hi",
        "prompt -m qwen2.5 chat.json --text",
        "save -m gpt-2 hi -o page.html",
        "train bpe --vocab-size 300 --output my.json notes.txt",
        "encode -m my.json --lines notes.txt",
        "corpus -m gpt-2 notes.txt --output result.json",
    ):
        with patch("sys.platform", "win32") if words.startswith(("train", "corpus")) else nullcontext():
            status, out, complaints = command(*words.split(), at=folder)
        assert status in (0, 1), (words, complaints.decode())
        assert out or words.startswith(("save", "train")), words
    assert len(locks) == 2, "a training or a job had no lock"
    assert {path.name for path in folder.iterdir()} == {
        "notes.txt", "chat.json", "page.html", "my.json", "result.json"
    }  # fmt: skip
    for refused in (JobFolder, lambda: command("app", "--processes", "2")):
        try:
            done = refused()
        except InputError as error:
            said = str(error)
        else:
            said = done[2].decode()
            assert done[0] == 1
        assert "needs Linux or macOS" in said, said
        assert len(said.strip().splitlines()) == 1
    from tests.ui.app import page

    at = page()
    assert not at.exception, at.exception
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
