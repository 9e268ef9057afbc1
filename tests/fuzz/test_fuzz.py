"""A short run of the fuzzing; `python -m tests.fuzz` is the long one."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from random import Random

import pytest

from explorer.errors import InputError
from explorer.opening.formats import Source, open_source
from tests.fuzz.attempt import READERS, attempt, use
from tests.tiers import amount

COUNT = amount(300)


@pytest.fixture(autouse=True)
def traced_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.parametrize("name", READERS)
def test_seeds_are_valid(name: str) -> None:
    reader = READERS[name]
    for files in reader.seeds():
        main, *others = files
        assert reader.format.matches(files[main])
        source = Source(files[main], {other: files[other] for other in others})
        choices = {"pattern": "r50k_base"} if name == "tiktoken_ranks" else {"encoder": "byte-level"}
        for place, implementation in enumerate(reader.format.implementations):
            try:
                tokenizer = open_source(source, reader.format, main, implementation, choices)
            except InputError as error:
                if not place and "this version runs" not in str(error):
                    raise  # the error must say what is unsupported
            else:
                use(tokenizer, Random(1))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", READERS)
def test_changed_files_are_opened_or_refused(name: str) -> None:
    results = [attempt(name, number) for number in range(COUNT)]
    assert [finding for _, finding in results if finding is not None] == []
    works = sum(opened for opened, _ in results)
    assert 0 < works < COUNT, "the changes are too large or too small to find anything"
