"""Ids are joined in the corpus's order while a job runs, and a thread computes while another waits for the disk."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

from explorer.corpus import run as runs
from explorer.corpus.counter import Tally, chosen
from explorer.corpus.joining import IdsOutput
from explorer.corpus.run import OnBytes, Turn, plan
from explorer.corpus.sources import Task
from explorer.errors import InputError
from tests.corpus.ids import open_ids
from tests.corpus.texts import write_text


def begun(folder: Path) -> tuple[IdsOutput, Tally, list[int]]:
    """A job of several tasks whose parts are on disk, and whose ids are to be joined; the numbers of its tasks."""
    text = write_text(folder / "a.txt", 5_000)
    job = plan([str(text)], chosen(["gpt-2"], {}), size=1_000)
    parts = folder / "ids.parts"
    parts.mkdir()
    job = job._replace(work=job.work._replace(parts=str(parts)))
    total = job.work.nothing()
    for task in job.tasks:
        total.take(job.work.read(job.work.do(task)))
    ids = IdsOutput(folder / "ids", parts, job)
    ids.check()
    return ids, total, [task.number for task in job.tasks]


def joined(output: IdsOutput, total: Tally, numbers: list[int]) -> list[str]:
    for number in numbers:
        output.finished(number)
    return output.join(total)


def test_tasks_that_finish_in_any_order_are_joined_in_the_order_of_the_corpus(tmp_path: Path) -> None:
    output, total, numbers = begun(tmp_path)
    assert len(numbers) > 3
    (tokenizer,) = output.opened.values()
    with output:
        (said,) = joined(output, total, [*numbers[1::2], *numbers[::2]])
    found = open_ids(tmp_path / "ids/gpt-2")
    texts = (tmp_path / "a.txt").read_bytes().decode().splitlines(keepends=True)
    assert len(found.offsets) - 1 == len(texts) > 0
    for number, text in enumerate(texts):
        assert found.document(number).tolist() == list(tokenizer.encode(text, parse_special=False).ids)
    assert f"{len(found.ids):,} ids of 16 bits" in said


def test_ids_other_than_those_counted_are_refused(tmp_path: Path) -> None:
    output, total, numbers = begun(tmp_path)
    path = next(output.parts.glob("*.ids"))
    path.write_bytes(path.read_bytes()[:-2])
    with output, pytest.raises(InputError, match="these are not the ids that were counted"):
        joined(output, total, numbers)
    assert not (tmp_path / "ids/gpt-2").exists()


def test_a_part_that_is_lost_stops_the_job(tmp_path: Path) -> None:
    output, total, numbers = begun(tmp_path)
    next(output.parts.glob("*.sizes")).unlink()
    with output, pytest.raises(InputError, match=r"gpt-2: "):
        joined(output, total, numbers)


class Flushing:
    """A job whose first task has computed, and ends only once the second one computes."""

    def __init__(self) -> None:
        self.second_computes = Event()

    def key(self, task: Task) -> str:
        return str(task.number)

    def do(self, task: Task, on_progress: OnBytes, turn: Turn) -> bytes:
        with turn:
            if task.number:
                self.second_computes.set()
        return b"yes" if self.second_computes.wait(20) else b"no"

    def read(self, data: bytes, name: str = "") -> Tally:
        raise NotImplementedError

    def nothing(self) -> Tally:
        return Tally.nothing([1])


def test_a_task_that_waits_for_the_disk_keeps_none_from_computing() -> None:
    tasks = [Task(number, ()) for number in range(2)]
    assert dict(runs.in_threads(Flushing(), tasks, 1)) == {0: b"yes", 1: b"yes"}


def test_a_job_that_ends_lets_no_other_task_begin() -> None:
    turns = runs.Turns(1)
    came: list[type[BaseException]] = []

    def wait() -> None:
        try:
            with turns:
                pass
        except runs.CancelledError as error:
            came.append(type(error))

    with turns:
        waiting = Thread(target=wait)
        waiting.start()
        turns.ended = True
    waiting.join()
    assert came == [runs.CancelledError]
    assert turns.free.acquire(blocking=False), "the turn was given back"
