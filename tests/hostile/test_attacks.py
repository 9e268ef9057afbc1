"""`benchmarks.attacks`: an attack that did not happen, or that a defense did not hold, fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import attacks
from benchmarks.attackers import BrokenError, NotAttackedError


class FakeOthers:
    """Others who wait as long as the test says."""

    waits: list[float]

    def __init__(self, address: str) -> None:
        self.waits = [0.1]

    def measured(self, seconds: float) -> list[float]:
        return [0.1]

    def end(self) -> None:
        return


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measures without a server and without waiting."""

    @contextmanager
    def served(port: int, folder: Path, *arguments: object, **given: object) -> Iterator[Any]:
        yield SimpleNamespace(wait=lambda: None, address="http://x", pid=1, cpu=0.0)

    monkeypatch.setattr(attacks, "served", served)
    monkeypatch.setattr(attacks, "visitor", lambda address, query, page: nullcontext())
    monkeypatch.setattr(attacks, "Others", FakeOthers)
    monkeypatch.setattr(attacks.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(attacks, "children", lambda pid: [])


@pytest.mark.sample(6)
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("error", "holds"),
    [(None, True), (TimeoutError(), True), (ConnectionResetError(), True), (KeyError("pattern"), False),
     (NotAttackedError("no field"), False), (BrokenError("it is loaded"), False)],
    ids=repr,
)  # fmt: skip
def test_what_did_not_happen_fails(error: Exception | None, holds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def attack(address: str, folder: Path) -> list[str]:
        if error is not None:
            raise error
        return ["refused"]

    monkeypatch.setattr(attacks, "ATTACKS", {"one": attack})
    monkeypatch.setattr("sys.argv", ["attacks"])
    assert attacks.main() == (0 if holds else 1)


@pytest.mark.usefixtures("quick")
def test_what_costs_others_too_much_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def attack(address: str, folder: Path) -> list[str]:
        others[0].waits.append(5.0)
        return []

    others: list[FakeOthers] = []

    class Waiting(FakeOthers):
        def __init__(self, address: str) -> None:
            super().__init__(address)
            others.append(self)

    monkeypatch.setattr(attacks, "Others", Waiting)
    monkeypatch.setattr(attacks, "ATTACKS", {"one": attack})
    assert attacks.attacked("one", Path())["broken"] == ["others wait 5.0 s"]
