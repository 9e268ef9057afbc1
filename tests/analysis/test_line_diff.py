"""Two tokenizers over the lines of files."""

from __future__ import annotations

import io

import pytest

from explorer.analysis.divergence.comparer import EXAMPLES, diff_lines
from explorer.analysis.inputs import LONGEST, Line, lines_of
from explorer.errors import InputError
from tests.bundled import bundled


def test_lines_lose_their_line_ends_only() -> None:
    found = list(lines_of(io.BytesIO(b"a\n\n b \r\nc\rd\x0be\xe2\x80\xa8f"), "x"))
    assert [(line.number, line.text) for line in found] == [(1, "a"), (2, ""), (3, " b "), (4, "c\rd\x0be\u2028f")]
    assert list(lines_of(io.BytesIO(b""), "x")) == []


def test_an_unusable_line_is_named() -> None:
    with pytest.raises(InputError, match=r"x: .*2.*0"):
        list(lines_of(io.BytesIO(b"a\n\xff"), "x"))
    with pytest.raises(InputError, match=r"x: .*1.*1000000"):
        list(lines_of(io.BytesIO(b"a" * (LONGEST + 1)), "x"))


def test_lines_are_read_one_by_one_and_progress_is_reported() -> None:
    reported: list[tuple[int, int]] = []

    def lines() -> object:
        for number, text in enumerate(("a", "A\u030a", "b"), 1):
            assert len(reported) == number - 1, "no line is read before it is needed"
            yield Line("x", number, text)

    report = diff_lines(
        bundled("qwen2.5"), bundled("qwen2.5@llama.cpp"), lines(),  # type: ignore[arg-type]
        progress=lambda count, differing: reported.append((count, differing)),
    )  # fmt: skip
    assert reported == [(1, 0), (2, 1), (3, 1)]
    assert (report.lines, report.differing, report.same) == (3, 1, False)


def test_few_examples_of_each_kind_are_kept() -> None:
    lines = [Line("x", number, f"{number} e\u0301 e\u0301 q\u0307\u0323") for number in range(1, 9)]
    report = diff_lines(bundled("qwen2.5"), bundled("qwen2.5@llama.cpp"), lines)
    assert [(group.kind.value, group.lines, group.regions) for group in report.groups] == [
        ("composition", 8, 16), ("order of marks", 8, 8)
    ]  # fmt: skip
    assert [len(group.examples) for group in report.groups] == [EXAMPLES, EXAMPLES]
    assert [example.line.number for example in report.groups[0].examples] == [1, 2, 3]
