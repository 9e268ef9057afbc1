"""The results of a class: what students answered, from the files that a quiz writes."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.analysis.tokenizer_exports import Answered, quiz_export
from explorer.errors import InputError
from explorer.learning.class_results import MOST_BYTES, count_answers, say_results

TOKENIZER = explorer.load("llama-2")
CHOICES = ("=1+1", "2, or more", "é\n", "'-4")
"""Texts that a spreadsheet would evaluate, or that need quotes."""


def file_of(taken: list[int | None], name: str) -> tuple[str, bytes]:
    rows = [
        Answered(number, "how-many", 5, "a,b", f"Question {number}?", None if each is None else CHOICES[each],
                 CHOICES[0], each == 0, CHOICES)
        for number, each in enumerate(taken, 1)
    ]  # fmt: skip
    return f"{name}.csv", quiz_export(TOKENIZER, 1, rows, name).csv().encode()


@given(st.lists(st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=3, max_size=3), min_size=1, max_size=6))
def test_answers_are_counted_question_by_question(students: list[list[int | None]]) -> None:
    results = count_answers([file_of(taken, f"=student {number}") for number, taken in enumerate(students)])
    assert sorted(each.number for each in results) == [1, 2, 3]
    for result in results:
        taken = Counter(student[result.number - 1] for student in students)
        assert (result.right, result.left_out, result.asked) == (taken[0], taken[None], len(students))
        assert dict(result.wrong) == {CHOICES[each]: taken[each] for each in (1, 2, 3) if taken[each]}
    shares = [each.right / each.asked for each in results]
    assert shares == sorted(shares), "the hardest first"
    assert str(results[0].number) in say_results(results, len(students)) or shares[0] == 1


@pytest.mark.parametrize("data", [b"a,b\r\n1,2\r\n", b"\xff\xfe", b"number\r\n1\r\n", b"x" * (MOST_BYTES + 1)], ids=len)
def test_another_file_is_refused_by_its_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"notes\.csv"):
        count_answers([("notes.csv", data)])


def test_an_empty_file_holds_no_answers() -> None:
    assert count_answers([("empty.csv", b"")]) == []
