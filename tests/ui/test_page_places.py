"""Pages are drawn two at a time, and one that takes long keeps nobody out."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from explorer.ui.frame import AT_ONCE, HOLD_SECONDS, Places


class LeftError(Exception):
    """The visitor has left."""


def leave() -> None:
    raise LeftError


def has_room(places: Places) -> bool:
    """Whether a page that comes now is drawn at once."""
    try:
        with places.place(leave):
            return True
    except LeftError:
        return False


def test_so_many_pages_are_drawn_at_once_and_who_left_waits_no_longer() -> None:
    places = Places(clock=lambda: 0.0)
    with ExitStack() as drawn:
        for _ in range(AT_ONCE):
            assert has_room(places)
            drawn.enter_context(places.place(leave))
        for _ in range(3):
            assert not has_room(places)
    assert has_room(places)


def test_a_page_that_takes_long_keeps_nobody_out() -> None:
    now = 0.0
    places = Places(1, clock=lambda: now)
    with places.place(leave):
        assert not has_room(places)
        now += HOLD_SECONDS
        assert has_room(places)


def test_pages_are_drawn_in_the_order_they_were_asked_for() -> None:
    places, drawn = Places(1), list[int]()
    waits = [threading.Event() for _ in range(5)]

    def draw(number: int) -> None:
        with places.place(waits[number].set):
            drawn.append(number)

    with places.place(leave):
        threads = [threading.Thread(target=draw, args=(number,)) for number in range(5)]
        for thread, waiting in zip(threads, waits, strict=True):
            thread.start()
            assert waiting.wait(10)
    for thread in threads:
        thread.join(10)
    assert drawn == [0, 1, 2, 3, 4]


def test_a_page_that_fails_gives_its_place_up() -> None:
    places = Places(1, clock=lambda: 0.0)
    with pytest.raises(ZeroDivisionError), places.place(leave):
        _ = 1 / 0
    assert has_room(places)
