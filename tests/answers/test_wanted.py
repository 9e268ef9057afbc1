"""What the server computes for a visitor ends with the visitor."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from explorer.answers.questions import LOCAL, Store, material, question
from explorer.answers.sessions import Session
from explorer.engine import budget


class LeftError(BaseException):
    """The visitor is gone."""


@question
def endless(name: str) -> int:
    """Computes for ever unless its asker leaves."""
    for _ in budget.turns(1_000, "the model"):
        pass
    return 0


@material(lambda answer: 0, Store.TOKENIZERS)
def opening(name: str) -> int:
    """Computes in a thousand steps."""
    for _ in range(1_000):
        budget.ask("opening")
    return 7


@pytest.fixture
def leave(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Raises when it is asked for the third time."""
    monkeypatch.setattr(budget, "WANTED_SECONDS", 0.0)
    left = iter((False, False, True))

    def check_wanted() -> None:
        if next(left, True):
            raise LeftError

    return check_wanted


def test_a_computation_ends_with_its_asker(leave: Callable[[], None]) -> None:
    with pytest.raises(LeftError):
        Session(leave).answer(endless, ("a",))
    assert budget.thread_state().wanted is None
    budget.ask("another run of this thread")


def test_what_nobody_waited_for_is_computed_again(leave: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LeftError):
        Session(leave).answer(endless, ("b",))
    monkeypatch.setattr(endless, "function", lambda name: 3)
    assert Session().answer(endless, ("b",)) == 3


def test_a_tokenizer_is_opened_to_the_end(leave: Callable[[], None]) -> None:
    assert Session(leave).answer(opening, ("c",)) == 7
    assert LOCAL.answer(opening, ("c",)) == 7
