"""The work of a comparison grows linearly with the text: calls are counted, no clock is read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Run, run
from explorer.analysis.ownership import align
from tests.bundled import bundled

SMALL, TIMES = 600, 4
MORE = 1.5
"""The most calls per character of the long text, as a multiple of those for the short text."""

TEXTS = {
    "one letter": "a",
    "prose": "The quick brown fox jumps. ",
    "special tokens of one side": "<s>a ",
    "special tokens of the other": "<|endoftext|> b",
    "marks": "A\u030a\u0301 e",
    "capitals": "ABC ÀÉÎ",
    "what one side drops": "\u0001\ufffd\u0007 ",
    "white space": "   \n  x",
    "escapes": "\\n\\u00e9 x",
}
PAIRS = [("llama-2", "gpt-2"), ("bert-uncased", "gpt-2"), ("xlm-r", "mistral-v1")]


def calls(function: Callable[[], object]) -> int:
    """How many functions are called, those written in C included."""
    count = 0

    def tokenizer_label(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tokenizer_label)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def sides(specs: tuple[str, str], piece: str, size: int, read_escapes: bool) -> list[Run]:
    text = (piece * (size // len(piece) + 1))[: size // len(piece) * len(piece)]
    return [
        run(bundled(spec), text, spec, read_escapes=read_escapes and number == 1) for number, spec in enumerate(specs)
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("specs", PAIRS, ids=" and ".join)
def test_a_comparison_grows_with_the_text(specs: tuple[str, str], name: str) -> None:
    counted = []
    for size in (SMALL, SMALL, SMALL * TIMES):  # the first call builds tables
        both = sides(specs, TEXTS[name], size, name == "escapes")
        for each in both:
            for stage in each.trace.stages:
                len(stage.events)
        counted.append(calls(lambda both=both: compare(*both)))  # type: ignore[misc]
    assert counted[2] <= MORE * TIMES * counted[1], counted


@pytest.mark.parametrize("name", TEXTS)
def test_an_alignment_grows_with_the_text(name: str) -> None:
    counted = []
    for size in (SMALL, SMALL * TIMES):
        both = sides(PAIRS[0], TEXTS[name], size, False)
        rows = [(each.label, each.encoding) for each in both]
        counted.append(calls(lambda both=both, rows=rows: align(both[0].text, rows)))  # type: ignore[misc]
    assert counted[1] <= MORE * TIMES * counted[0], counted
