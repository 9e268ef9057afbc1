"""Turns of the processors, in a simulation: short questions do not wait for long ones, and nobody starves."""

from __future__ import annotations

from contextlib import ExitStack

from hypothesis import given
from hypothesis import strategies as st

from explorer.answers.turns import SLICE, Account, LeftAccounts, Turn, Turns
from explorer.answers.worker_process import TEMPLATE_WEIGHT

STEP = 0.05


class Machine:
    """Questions that need so many seconds, on a clock of its own."""

    def __init__(self, places: int) -> None:
        self.now = 100.0
        self.turns = Turns(places, clock=lambda: self.now)
        self.needs: dict[Turn, float] = {}
        self.done: dict[Turn, float] = {}
        self.most = 0

    def ask(self, account: Account, seconds: float) -> Turn:
        turn = self.turns.enter(account)
        self.needs[turn] = seconds
        return turn

    def step(self) -> None:
        computing = [turn for turn in self.needs if self.turns.runs(turn)]
        self.most = max(self.most, len(computing))
        self.now += STEP
        for turn in computing:
            self.needs[turn] -= STEP
            if self.needs[turn] <= 1e-9:
                del self.needs[turn]
                self.turns.leave(turn)
                self.done[turn] = self.now


def test_a_short_question_is_answered_while_forty_long_ones_compute() -> None:
    machine = Machine(2)
    long = [machine.ask(Account(), 20.0) for _ in range(40)]
    for _ in range(400):
        machine.step()
    for _ in range(5):
        asked = machine.now
        short = machine.ask(Account(), 0.3)
        while short not in machine.done:
            machine.step()
        assert machine.done[short] - asked <= 0.3 + SLICE + 3 * STEP
    while machine.needs:
        machine.step()
    assert set(long) <= set(machine.done)


def test_who_asks_much_lets_others_go_first() -> None:
    machine = Machine(1)
    busy, calm = Account(), Account()
    machine.ask(busy, 3.0)
    while machine.needs:
        machine.step()
    first, second = machine.ask(busy, 1.0), machine.ask(calm, 1.0)
    while machine.needs:
        machine.step()
    assert machine.done[second] < machine.done[first]


def test_a_first_question_goes_before_templates_that_compute_on() -> None:
    machine = Machine(2)
    for _ in range(10):
        machine.ask(Account(), 100.0).weight = TEMPLATE_WEIGHT
    for _ in range(100):
        machine.step()
    asked, first = machine.now, machine.ask(Account(), 2.0)
    while first not in machine.done:
        machine.step()
    assert machine.done[first] - asked <= 2.0 + SLICE + 3 * STEP


def test_who_leaves_and_comes_again_goes_on_with_the_same_account() -> None:
    machine, left = Machine(2), LeftAccounts()
    calm = Account()
    there: list[tuple[Turn, float]] = []
    waited = []
    asked, short = 0.0, None
    for step in range(1_200):
        for turn, until in there[:]:
            if machine.now >= until:  # it leaves with its question unanswered
                machine.needs.pop(turn, None)
                machine.turns.leave(turn)
                left.add(turn.account)
                there.remove((turn, until))
        while len(there) < 10:
            there.append((machine.ask(left.take(machine.now), 20.0), machine.now + 2.0 + 0.07 * len(there)))
        if step > 400 and step % 60 == 0 and short is None:
            asked, short = machine.now, machine.ask(calm, 0.3)
        machine.step()
        if short in machine.done:
            waited.append(machine.done[short] - asked)
            short = None
    assert len(waited) > 10
    assert max(waited) <= 0.3 + SLICE + 3 * STEP


@given(st.lists(st.floats(0.05, 5.0), min_size=1, max_size=8), st.integers(1, 3))
def test_all_is_computed_by_as_many_as_there_are_places(seconds: list[float], places: int) -> None:
    machine = Machine(places)
    for each in seconds:
        machine.ask(Account(), each)
    steps = 0
    while machine.needs:
        machine.step()
        steps += 1
        assert steps < 10_000
    assert machine.most <= places
    assert len(machine.done) == len(seconds)


def test_a_question_waits_and_says_how_many_are_before_it() -> None:
    turns, said = Turns(1), list[tuple[int, float]]()
    with ExitStack() as first:
        first.enter_context(turns.turn(Account(), lambda: None, lambda *_: None))

        def waits(before: int, seconds: float) -> None:
            said.append((before, seconds))
            first.close()

        with turns.turn(Account(), lambda: None, waits):
            pass
    assert said == [(1, turns.expected)] or said[0][0] == 1


def test_a_question_that_is_not_wanted_leaves_the_queue() -> None:
    class Gone(Exception):
        pass

    def gone() -> None:
        raise Gone

    turns = Turns(1)
    with turns.turn(Account(), lambda: None, lambda *_: None):
        try:
            with turns.turn(Account(), gone, lambda *_: None):
                raise AssertionError
        except Gone:
            pass
        assert not turns._waiting
    assert not turns._computing
