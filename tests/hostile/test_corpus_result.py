"""A visitor's result of a corpus job is read in the visitor's own process, within its limits."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from explorer.answers.corpus_jobs import corpus_result, result_spec
from explorer.answers.processes import Limits
from explorer.answers.sessions import Session, uses_workers
from explorer.answers.worker_process import WorkerProcess
from explorer.corpus.sample import RESULT, sample_result
from explorer.errors import InputError

pytestmark = pytest.mark.skipif(not uses_workers(), reason="no worker processes here")


def test_a_result_comes_back_as_it_is() -> None:
    visitor = Session(process=WorkerProcess())
    try:
        spec = result_spec("the sample", gzip.decompress(RESULT.read_bytes()))
        assert visitor.answer(corpus_result, (spec,)) == sample_result()
        assert visitor.process is not None
        assert visitor.process.pid is not None
        with pytest.raises(InputError, match="x: this is not the result of a corpus job"):
            visitor.answer(corpus_result, (result_spec("x", b"{}"),))
    finally:
        visitor.release()


def test_the_server_keeps_no_second_copy_of_what_it_hands_on() -> None:
    visitor = Session(process=WorkerProcess())
    try:
        with pytest.raises(InputError, match="x: this is not the result of a corpus job"):
            visitor.answer(corpus_result, (result_spec("x", b"{}"),))
        spec = result_spec("x", b'{"a": "' + b"x" * 20_000_000 + b'"}')
        tracemalloc.start()
        with pytest.raises(InputError, match="x: this is not the result of a corpus job"):
            visitor.answer(corpus_result, (spec,))
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
        visitor.release()


def test_reading_has_a_deadline() -> None:
    visitor = Session(process=WorkerProcess(Limits(seconds=0.2)))
    try:
        data = b'{"a": "' + b"\\\\" * 10_000_000 + b'"}'
        with pytest.raises(InputError, match=r"takes more than 0\.2 seconds of computing"):
            visitor.answer(corpus_result, (result_spec("x", b"[" + b",".join([data] * 3) + b"]"),))
    finally:
        visitor.release()
