"""A traced text is the text that `str` makes, and what it copied is where it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.prompts.bounds import LONGEST, TooLong
from explorer.prompts.traced_text import TracedText, json_text

texts = st.text(" \n\tabAßİﬁςΣé🤗", max_size=12)
separators = st.text(" abß", min_size=1, max_size=2)
counts = st.integers(-1, 3)

COPYING: dict[str, Callable[[Any, str, int], Any]] = {
    "strip": lambda x, s, n: x.strip(s),
    "strip spaces": lambda x, s, n: x.strip(),
    "lstrip": lambda x, s, n: x.lstrip(s),
    "rstrip": lambda x, s, n: x.rstrip(),
    "removeprefix": lambda x, s, n: x.removeprefix(s),
    "removesuffix": lambda x, s, n: x.removesuffix(s),
    "split": lambda x, s, n: x.split(s, n),
    "split spaces": lambda x, s, n: x.split(None, n),
    "rsplit": lambda x, s, n: x.rsplit(s, n),
    "rsplit spaces": lambda x, s, n: x.rsplit(),
    "splitlines": lambda x, s, n: x.splitlines(),
    "splitlines with ends": lambda x, s, n: x.splitlines(True),
    "partition": lambda x, s, n: x.partition(s),
    "rpartition": lambda x, s, n: x.rpartition(s),
    "slice": lambda x, s, n: x[n:],
    "reversed": lambda x, s, n: x[::-1],
    "characters": lambda x, s, n: list(x),
}
CHANGING: dict[str, Callable[[Any, str, int], Any]] = {
    "replace": lambda x, s, n: x.replace(s, "é", n),
    "replace nothing": lambda x, s, n: x.replace("", s, n),
    "join": lambda x, s, n: x.join([s, s, "b"]),
    "add": lambda x, s, n: x + s,
    "add in front": lambda x, s, n: s + x,
    "repeat": lambda x, s, n: x * n,
    "repeat in front": lambda x, s, n: n * x,
    "upper": lambda x, s, n: x.upper(),
    "lower": lambda x, s, n: x.lower(),
    "title": lambda x, s, n: x.title(),
    "capitalize": lambda x, s, n: x.capitalize(),
    "swapcase": lambda x, s, n: x.swapcase(),
    "casefold": lambda x, s, n: x.casefold(),
    "center": lambda x, s, n: x.center(9, "-"),
    "ljust": lambda x, s, n: x.ljust(9),
    "rjust": lambda x, s, n: x.rjust(9),
    "format": lambda x, s, n: f"{x}{s}",
    "percent": lambda x, s, n: "%s" % x,  # noqa: UP031
    "str": lambda x, s, n: str(x),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", COPYING)
@given(text=texts, separator=separators, count=counts)
def test_what_is_copied_has_its_own_offsets(name: str, text: str, separator: str, count: int) -> None:
    operation = COPYING[name]
    result, expected = operation(TracedText.from_source(text, 7), separator, count), operation(text, separator, count)
    assert result == expected
    for part in [result] if isinstance(result, str) else result:
        assert isinstance(part, TracedText)
        assert [(7, text[offset]) for source, offset in part.origins() if source == 7] == [(7, c) for c in str(part)]


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", CHANGING)
@given(text=texts, separator=separators, count=counts)
def test_what_is_changed_is_the_text_that_str_makes(name: str, text: str, separator: str, count: int) -> None:
    operation = CHANGING[name]
    result = operation(TracedText.from_source(text, 7), separator, count)
    assert result == operation(text, separator, count)
    if isinstance(result, TracedText):
        assert len(result.origins()) == len(result)


values = st.recursive(
    texts.map(lambda text: TracedText.from_source(text, 7)) | st.none() | st.booleans() | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
layouts = st.sampled_from(
    [
        {},
        {"indent": 2},
        {"indent": "\t"},
        {"indent": 0},
        {"ensure_ascii": True},
        {"separators": (",", ":")},
        {"sort_keys": True},
    ]
)


@given(value=values, layout=layouts)
def test_json_is_that_of_the_library(value: Any, layout: dict[str, Any]) -> None:
    text = json_text(value, **layout)
    assert text == json.dumps(value, **{"ensure_ascii": False, **layout})


def test_json_keeps_origins() -> None:
    text = json_text({"city": TracedText.from_source('K"ö', 7)}, indent=2)
    copied = [
        (str(character), offset)
        for character, (source, offset) in zip(text, text.origins(), strict=True)
        if source == 7
    ]
    assert copied == [("K", 0), ("\\", 1), ('"', 1), ("ö", 2)]


@pytest.mark.parametrize("build", [lambda x: x * LONGEST, lambda x: x.join("a" * LONGEST), lambda x: "a" * LONGEST + x])
def test_nothing_too_long_is_built(build: Callable[[TracedText], str]) -> None:
    with pytest.raises(TooLong):
        build(TracedText("ab"))
