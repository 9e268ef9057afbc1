"""What a class answered: the result files of a quiz, one per student, counted question by question.

The files are those of `quiz_export` in `analysis/tokenizer_exports.py`. A teacher sees which question was hard and
which wrong choice was taken, by how many. Names stay in the files: nothing here reads them.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from explorer.csv_text import exact
from explorer.errors import InputError
from explorer.text.say import Text, plural

MOST_FILES = 200
MOST_BYTES = 200_000
"""Of one file; a quiz of 30 questions takes about 20,000."""
NEEDED = "quiz_seed number question text answer right_answer correct".split()


class QuestionResult(NamedTuple):
    """A question and its answers. wrong: each wrong choice taken, with how many took it, the most frequent first."""

    number: int
    question: str
    right: int
    left_out: int
    wrong: tuple[tuple[str, int], ...]

    @property
    def asked(self) -> int:
        """How many were asked."""
        return self.right + self.left_out + sum(count for _, count in self.wrong)


def count_answers(files: Iterable[tuple[str, bytes]]) -> list[QuestionResult]:
    """The questions of some result files, the hardest first. files: names and contents.

    Raises InputError for a file that is not the result of a quiz; it names the file.

    >>> row = b"quiz_seed,number,question,text,answer,right_answer,correct\\r\\n1,1,How many?,abc,3,2,False\\r\\n"
    >>> (result,) = count_answers([("ann.csv", row), ("ben.csv", row.replace(b"3,2,False", b"2,2,True"))])
    >>> result.question, result.right, result.asked, result.wrong
    ('How many?', 1, 2, (('3', 1),))
    """
    answers: dict[tuple[str, int, str, str, str], Counter[str]] = {}
    for name, data in files:
        for row in read(name, data):
            key = (row["quiz_seed"], int(row["number"]), row["question"], row["text"], row["right_answer"])
            answers.setdefault(key, Counter())[row["answer"]] += 1
    results = []
    for (_, number, question, _, right), taken in answers.items():
        wrong = tuple((answer, count) for answer, count in taken.most_common() if answer not in ("", right))
        results.append(QuestionResult(number, question, taken[right], taken[""], wrong))
    return sorted(results, key=lambda each: (each.right / each.asked, each.number))


def read(name: str, data: bytes) -> list[dict[str, str]]:
    """The rows of one file."""
    if len(data) > MOST_BYTES:
        raise InputError(f"{name} has {len(data):,} bytes; the result of a quiz has at most {MOST_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = [{key: exact(row[key]) for key in NEEDED} for row in reader]
        for row in rows:
            if not row["number"].isdecimal() or len(row["number"]) > 4:
                raise ValueError("number")
    except (UnicodeDecodeError, csv.Error, KeyError, ValueError, AttributeError, TypeError):
        raise InputError(
            f"{name} is not the result of a quiz; use the file from “Result as CSV” or `explorer quiz --csv`"
        ) from None
    return rows


def say_results(results: list[QuestionResult], files: int) -> str:
    """One sentence: which question was the hardest.

    >>> say_results([QuestionResult(3, "How many?", 1, 1, (("3", 4),))], 6)
    '6 students: question 3 was the hardest, with 1 of 6 right; 4 chose 3.'
    """
    if not results:
        return Text("These files hold no answers.")
    hardest, students = results[0], plural(files, "student")
    if hardest.right == hardest.asked:
        return Text("{0:t}: everybody had every answer right.", students)
    values = students, hardest.number, hardest.right, hardest.asked
    if not hardest.wrong:
        return Text("{0:t}: question {1} was the hardest, with {2} of {3} right.", *values)
    answer, taken = hardest.wrong[0]
    return Text("{0:t}: question {1} was the hardest, with {2} of {3} right; {4} chose {5:t}.", *values, taken, answer)


def right_of(right: int, count: int) -> Text:
    """How many answers of a quiz are right."""
    return Text("{1} of {0} answer right", count, right, many="{1} of {0} answers right")
