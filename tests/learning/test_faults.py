"""All that is wrong with a lesson's file, each fault at its line."""

from __future__ import annotations

import pytest

from explorer.answers.learn import ENGINE
from explorer.learning.checks.claims import faults_of
from explorer.learning.lessons import library
from explorer.learning.lessons.lines import key_lines, line_of
from explorer.learning.lessons.reading import EMPTY
from tests.learning.test_lessons import GOOD

BAD = '''title = "T"
about = "A."
minutes = 5
[panel]
text = "a [b] = 'c'"
tokenizer = "gpt-2"
[[card]]
title = "Claims"
words = """
words = 3
[[card]]
"""
claims = { tokens = 99, code_points = 11, says = "nothing of the kind" }
[[card]]
title = "Unreadable"
words = "W."
stepp = 3
[[card]]
title = "Asks"
words = "W."
text = "a"
question = { seed = 1, kind = "next-merge" }
[[card]]
title = "Own question"
words = "W."
text = "b"
[card.question]
ask = "How many?"
find = "tokens"
because = "So."
[card.question.wrong]
"1" = "Not it."
[[card]]
title = "Task"
words = "W."
text = "hello"
[card.task]
ask = "Do it."
check = "one-token 5"
answer = "a"
'''


def test_each_fault_is_one_line_that_names_its_line_card_and_key() -> None:
    found = faults_of(ENGINE, BAD, "x.toml")
    assert [each.line for each in found] == sorted(each.line for each in found)
    lines = BAD.splitlines()
    by_place = {each.says.partition(": ")[0]: lines[each.line - 1] for each in found}
    assert by_place.pop("card 1, claims, tokens").startswith("claims = ")
    assert by_place.pop("card 1, claims, says").startswith("claims = ")
    assert by_place.pop("card 2, stepp") == "stepp = 3"
    assert by_place.pop("card 3, question").startswith("question = ")
    assert by_place.pop("card 4, question, wrong") == "[card.question.wrong]"
    assert by_place.pop("card 5, task, answer") == 'answer = "a"'
    assert by_place.pop("card 5, task") == "[card.task]"
    assert not by_place
    assert all("\n" not in each.shown and f"line {each.line}, card" in each.shown for each in found)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("title = ", 1),
        ('title = "T"\nabout = = "A"', 2),
        ('title = "T"\nabout = "A"\nminutes = 3\n\n[panel]\nstep = 3\n[[card]]', 6),
        (b"title = '\xff'", 1),
        (GOOD.replace("[panel]", "[panel]\na.b.c.d.e.f.g.h.i = 3"), 6),
    ],
)
@pytest.mark.sample(5)
def test_a_file_that_cant_be_read_has_one_fault(source: str | bytes, line: int) -> None:
    (fault,) = faults_of(ENGINE, source, "x.toml")
    assert fault.line == line
    assert not fault.says.startswith("x.toml")


def test_lines_are_those_of_keys_not_of_words_that_look_like_them() -> None:
    lines = key_lines(BAD)
    assert lines[1, "words"] == 9
    assert lines[2, "title"] == 15
    assert (1, "words", "words") not in lines
    assert line_of(BAD, "card 4, question, wrong: x") == BAD.splitlines().index("[card.question.wrong]") + 1
    assert line_of(BAD, "card 5, nothing: x") == BAD.splitlines().index('title = "Task"')


def test_the_lesson_to_start_from_has_no_faults() -> None:
    assert faults_of(ENGINE, EMPTY.read_bytes(), "x.toml") == []


@pytest.mark.long  # opens most bundled tokenizers
def test_the_lessons_have_no_faults() -> None:
    assert [each for key, lesson in library().items() for each in faults_of(ENGINE, lesson.source, key)] == []
