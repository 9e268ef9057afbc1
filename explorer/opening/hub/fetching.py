"""Fetches a model's tokenizer from the Hub into the cache, by a process of its own that ends with its limits.

`HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE` and the other variables of `huggingface_hub` apply. `EXPLORER_HUB_STORAGE`
names hosts to which the endpoint of a company may redirect, with spaces between them.
"""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from explorer.errors import InputError, shown
from explorer.opening.hub.names import MAIN, HubName, cache, cached, commits, parsed
from explorer.opening.sources import PACKAGE
from explorer.tables import Json, read_toml
from explorer.text.say import size

STORAGE = "EXPLORER_HUB_STORAGE"
CLIENT = "explorer.opening.hub.client"
MOST = 200_000_000
"""Bytes of a model's tokenizer files."""
SECONDS = 3600.0
"""Seconds of a whole fetch on the command line and as a library."""
LOOK = 0.05
"""Seconds between two looks whether the fetch is still wanted."""
HOME = "https://huggingface.co"

SAID: dict[str, str] = read_toml(__file__, "refusals.toml")
"""What each refusal of `client` means, and what to do."""


class Step(NamedTuple):
    """The progress of a fetch: bytes that were read, of how many (0 if unknown yet), and the file being read."""

    read: int
    of: int
    file: str


OnStep = Callable[[Step], None]


class HubError(InputError):
    """A model that can't be fetched. kind: a key of `SAID`."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return HubError, (str(self), self.kind)


def endpoint() -> str:
    """The address of the Hub, according to the environment."""
    return (os.environ.get("HF_ENDPOINT") or HOME).rstrip("/")


def without_password(address: str) -> str:
    """An address as errors quote it.

    >>> without_password("https://me:secret@hub.example.org/a")
    'https://…@hub.example.org/a'
    """
    return re.sub(r"//[^/?#]*@", "//…@", address)


def offline() -> bool:
    """Whether the environment forbids the network."""
    flag = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    return flag.upper() in {"1", "ON", "YES", "TRUE"}


def fetched(
    name: HubName,
    *,
    progress: OnStep = lambda step: None,
    check_wanted: Callable[[], None] = lambda: None,
    seconds: float = SECONDS,
    token: bool = True,
    root: Path | None = None,
) -> Path:
    """The path of a model's tokenizer, after asking the Hub and fetching its files into the cache. Raises HubError.

    progress: called as it goes on. check_wanted: raises once the fetch isn't wanted anymore. token: whether the token
    of this machine is sent, if there is one. root: of another cache than the usual one.
    """
    if offline():
        raise refused(name, "offline" if cached(name, root) is None else "not asked", token=token)
    request: dict[str, object] = {
        "repository": name.repository,
        "revision": name.revision,
        "file": name.file,
        "most": MOST,
    }
    request["cache"] = str(root or cache())
    answer = answer_of(request, token, seconds, check_wanted, progress)
    if "refused" in answer:
        raise refused(name, answer["refused"], answer, token=token, seconds=seconds)
    path = cached(name, root)
    if path is None:
        raise refused(name, "changed", {"file": "the commit"})
    return path


def search(text: str, *, seconds: float, check_wanted: Callable[[], None], token: bool = False) -> list[str]:
    """Names of models on the Hub that a text finds. Raises HubError."""
    answer = answer_of({"search": text[:100], "cache": ""}, token, seconds, check_wanted, lambda step: None)
    if "refused" in answer:
        raise refused(HubName(text), answer["refused"], answer, seconds=seconds)
    return [each for each in answer.get("found", ()) if isinstance(each, str) and parsed(each, local=False) is not None]


def answer_of(
    request: Mapping[str, object],
    token: bool,
    seconds: float,
    check_wanted: Callable[[], None],
    progress: OnStep,
) -> Json:
    """The last line of the client, which ends with this call."""
    if find_spec("huggingface_hub") is None:
        return {"refused": "no client"}
    whole = {
        **request,
        "endpoint": endpoint(),
        "storage": os.environ.get(STORAGE, "").split(),
        "token": None if token else False,
    }
    return last_line(run(whole, seconds, check_wanted), progress)


def run(
    request: Mapping[str, object], seconds: float, check_wanted: Callable[[], None], module: str = CLIENT
) -> Generator[Json, None, None]:
    """The lines of the client's process, which ends with this generator. module: what the process runs."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(request["token"] is None),
        text=True,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=read_lines, args=(process.stdout, lines), daemon=True)
    reader.start()
    end = monotonic() + seconds
    try:
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        while monotonic() < end:
            check_wanted()
            with suppress(queue.Empty):
                line = lines.get(timeout=LOOK)
                yield json.loads(line) if line else {"refused": "died"}
        yield {"refused": "late"}
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()


def last_line(lines: Generator[Json, None, None], progress: OnStep) -> Json:
    """The result of a client's process, which ends with this call. progress: called for the lines before it."""
    with closing(lines):
        for line in lines:
            if "of" not in line:
                return line
            progress(Step(line["read"], line["of"], line["file"]))
    return {"refused": "died"}


def read_lines(stream: Any, lines: queue.SimpleQueue[str]) -> None:
    """Passes on each line; an empty one at the end."""
    for line in stream:
        lines.put(line)
    lines.put("")


def environment(token: bool) -> dict[str, str]:
    """The environment of the client's process: this one, without what fetches by other ways than checked requests."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    changed = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *paths]),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_SYMLINKS_WARNING": "1",
    }
    if not token:
        changed["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1"
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
            changed.pop(name, None)
    return changed


def refused(
    name: HubName, kind: str, answer: Mapping[str, Any] = {}, *, token: bool = True, seconds: float = SECONDS
) -> HubError:
    """The error of one line: which model, what happened, what to do."""
    wait = answer.get("seconds")
    files = [str(each) for each in answer.get("files") or ()]
    sentence = SAID.get(kind, SAID["unusable"]).format(
        host=without_password(endpoint()) if kind in LINKED else urlsplit(endpoint()).hostname or "the Hub",
        repository=name.repository,
        revision=name.revision,
        file=on_line(answer.get("file") or name.file or "a file"),
        files=on_line(", ".join(files[:3]) + (", …" if len(files) > 3 else "")),
        count=answer.get("count", 0),
        most=size(MOST),
        status=answer.get("status", 0),
        limit=f"{seconds:g}",
        later=f"in {wait} seconds" if wait else "later",
        elsewhere=on_line(answer.get("host") or "another host"),
        why=on_line(answer.get("why") or "unknown"),
    )
    kept = commits(name.repository) if kind in ("offline", "unreachable", "slow") and name.revision == MAIN else []
    if kept:
        sentence += f"; the cache has {name.repository}@{kept[0]}"
    return HubError(f"{shown(name.text)[1:-1]}: {sentence}", kind)


LINKED = ("gated", "no file", "no tokenizer", "no client")
"""The refusals that quote an address."""


def on_line(text: object) -> str:
    """What the Hub says, on one line and short."""
    return re.sub(r"\s+", " ", "".join(ch if ch.isprintable() else "�" for ch in str(text)))[:200]


class Reporter:
    """Prints the progress of a fetch to standard error: one line that changes, if that is a terminal."""

    def __init__(self, name: str) -> None:
        self.name, self.width = on_line(name), 0

    def __call__(self, step: Step) -> None:
        if sys.stderr is None or not sys.stderr.isatty():
            return
        line = f"{self.name}: {size(step.read)} {f'of {size(step.of)}' if step.of else 'so far'} {on_line(step.file)}"
        end = "\n" if step.read == step.of else ""
        print(f"\r{line:<{self.width}}", end=end, file=sys.stderr, flush=True)
        self.width = len(line)
