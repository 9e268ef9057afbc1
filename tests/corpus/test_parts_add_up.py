"""The parts of a corpus add up to the whole, wherever it is cut."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.corpus import sources
from explorer.corpus.counter import LENGTHS, Counter, Tally, bounds_of, bucket_of, chosen, stats_of
from explorer.corpus.documents import DocumentBatch
from explorer.corpus.record import quantile, renyi_efficiency
from explorer.corpus.sources import CorpusFile, FileKind, tasks
from explorer.errors import InputError
from tests.corpus.texts import plain

MODELS = chosen(["gpt-2", "llama-2"], {})
TEXTS = st.text(st.sampled_from("ab é東🙂 \n\r\t\u2028"), max_size=12)
DOCUMENTS = st.tuples(st.sampled_from(("a.txt", "b.txt")), TEXTS, st.sampled_from(("", "en", "de")))


def tally(documents: list[tuple[str, str, str]]) -> Tally:
    counter = Counter([stats_of(model) for model in MODELS], False, False)
    for file, text, label in documents:
        counter.count(file, DocumentBatch([text], [label]))
    return counter.tally()


def total(tallies: Iterable[Tally], nothing: Tally) -> Tally:
    """The tally of all."""
    for each in tallies:
        nothing.take(each)
    return nothing


@given(st.lists(st.lists(DOCUMENTS, max_size=4), min_size=1, max_size=5), st.randoms())
def test_tallies_add_up_in_any_order_and_grouping(parts: list[list[tuple[str, str, str]]], random: object) -> None:
    whole = tally([document for part in parts for document in part])
    tallies = [tally(part) for part in parts]
    sizes = [len(each) for each in whole.counts]
    assert plain(total(tallies, Tally.nothing(sizes))) == plain(whole)
    random.shuffle(tallies)  # type: ignore[attr-defined]
    half = len(tallies) // 2
    halves = [total(part, Tally.nothing(sizes)) for part in (tallies[:half], tallies[half:])]
    assert plain(total(halves, Tally.nothing(sizes))) == plain(whole)
    assert plain(Tally.from_bytes(whole.to_bytes())) == plain(whole)


@given(st.lists(DOCUMENTS, min_size=1, max_size=8))
def test_a_batch_counts_what_its_documents_count(documents: list[tuple[str, str, str]]) -> None:
    counter = Counter([stats_of(model) for model in MODELS], False, False)
    counter.count("a.txt", DocumentBatch([text for _, text, _ in documents], [label for *_, label in documents]))
    whole = tally([("a.txt", text, label) for _, text, label in documents])
    assert plain(counter.tally()) == plain(whole)


@pytest.mark.parametrize("buffer", [1, 3, 1 << 20])
@given(data=st.text("ab\r\n", max_size=40), cuts=st.lists(st.integers(0, 50), max_size=5))
def test_each_line_is_in_one_range_wherever_the_cuts_are(buffer: int, data: str, cuts: list[int]) -> None:
    given_bytes = data.encode()
    edges = [0, *sorted(cuts)]
    ranges = list(zip(edges, [*edges[1:], None], strict=True))
    with mock.patch.object(sources, "BUFFER", buffer):
        found = [line for cut in ranges for line in sources.lines(io.BytesIO(given_bytes), "toy", 99, *cut)]
        longest = max((len(line) for _, line in found), default=0)
        if longest > 1:
            with pytest.raises(InputError, match=rf"{longest - 1}"):
                list(sources.lines(io.BytesIO(given_bytes), "toy", longest - 1))
    by_hand = [line for line in re.split(r"(?<=\n)", data) if line]
    assert [line.decode() for _, line in found] == by_hand
    assert [at for at, _ in found] == [sum(map(len, by_hand[:index])) for index in range(len(by_hand))]


@given(st.lists(st.integers(0, 300), min_size=1, max_size=12), st.integers(1, 120))
def test_tasks_cover_every_file_in_order(sizes: list[int], size: int) -> None:
    files = [CorpusFile(f"/{n}", f"{n}.txt", FileKind.TEXT, "", bytes, 0) for n, bytes in enumerate(sizes)]
    made = tasks(files, size, False, lambda file: [])
    assert [task.number for task in made] == list(range(len(made)))
    pieces = [file_range for task in made for file_range in task.ranges]
    for file in files:
        own = [file_range for file_range in pieces if file_range.file == file]
        assert own[0].start == 0
        assert own[-1].stop is None
        assert [file_range.stop for file_range in own[:-1]] == [file_range.start for file_range in own[1:]]
        assert sum(file_range.size for file_range in own) == file.size
    assert [file_range.file for file_range in pieces] == sorted(
        (file_range.file for file_range in pieces), key=files.index
    )
    assert all(task.size <= size or len(task.ranges) == 1 for task in made)


@given(st.integers(0, 1 << 40))
def test_a_length_is_within_its_bucket(length: int) -> None:
    (bucket,) = bucket_of(np.array([length])).tolist()
    first, last = bounds_of(bucket)
    assert first <= length <= last
    assert last - first <= length / 8


@given(st.lists(st.integers(0, 500), min_size=1, max_size=50), st.sampled_from((0.5, 0.95)))
def test_a_quantile_is_the_upper_bound_of_its_bucket(values: list[int], share: float) -> None:
    found = quantile(np.bincount(bucket_of(np.array(values)), minlength=LENGTHS), share, 10**9)
    assert found is not None
    assert sum(value <= found for value in values) >= share * len(values)
    exact = sorted(values)[max(0, int(np.ceil(share * len(values))) - 1)]
    assert exact <= found <= exact + exact / 8


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=40))
def test_renyi_efficiency_by_the_definition(counts: list[int]) -> None:
    found = renyi_efficiency(np.array(counts, np.int64))
    total = sum(counts)
    if not total:
        assert found is None
        return
    power = sum((count / total) ** 2.5 for count in counts if count)
    assert found is not None
    assert abs(found - max(0, np.log(power) / -1.5 / np.log(len(counts)))) < 1e-12
