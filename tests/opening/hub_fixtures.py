"""A cache, a server and the client for tests of models on the Hub; `tests/conftest.py` has them for every module."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from explorer.opening.hub import client, fetching
from tests.opening.hub_server import Hub, serving


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The server, which the environment names."""
    with serving() as made:
        monkeypatch.setenv("HF_ENDPOINT", made.endpoint)
        monkeypatch.setenv(fetching.STORAGE, made.storage)
        yield made


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the client in this process, which imports it once."""

    def run(
        request: Mapping[str, object], seconds: float, check_wanted: Callable[[], None]
    ) -> Iterator[Mapping[str, Any]]:
        said: list[Mapping[str, Any]] = []
        monkeypatch.setattr(client, "say", lambda **line: said.append(line))
        last = client.answer(request)
        import huggingface_hub

        huggingface_hub.close_session()
        yield from [*said, json.loads(json.dumps(last))]

    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(fetching, "run", generator(run))


def generator(run: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    return lambda *args: (each for each in run(*args))
