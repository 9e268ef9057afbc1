"""The difference of two patterns: every text tells them apart, and none that is shorter was passed over."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import combinations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.pattern_difference import (
    KNOWN,
    difference,
    difference_of_sides,
    known_pattern,
    known_side,
    most_alike,
    name_of,
    pieces,
    searched_texts,
    sides_of,
    summary,
    verdict,
)
from explorer.engine.part import Options, Segment, silent
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.errors import InputError
from explorer.implementations.llama_cpp.pre_tokenizers import Pre
from explorer.implementations.opened import with_pattern
from explorer.views.patterns import difference_html
from tests.bundled import bundled
from tests.meaning import mentions
from tests.tiers import amount

PAIRS = (
    ("gpt-2", "llama-3"), ("llama-3", "cl100k_base"), ("llama-3", "llama-3 (llama.cpp)"),
    ("jais-2 (llama.cpp)", "kimi-k2 (llama.cpp)"),
)  # fmt: skip


def cut(name: str, text: str) -> tuple[str, ...]:
    """The pieces that the stage with this pattern makes."""
    pattern = KNOWN[name]
    splitters = [RegexSplit(pattern)] if name in PATTERNS else Pre((pattern,)).splitters
    items = PreTokenization(splitters).run([Segment.of(text)], Options(), silent)
    return tuple(item.text for item in items if isinstance(item, Segment))


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_every_text_is_cut_as_is_said(left: str, right: str) -> None:
    found = difference(KNOWN[left], KNOWN[right])
    assert [p.left for p in found.pairs if p.left is not None] == list(range(len(known_side(KNOWN[left]).alternatives)))
    assert [p.right for p in found.pairs if p.right is not None] == list(
        range(len(known_side(KNOWN[right]).alternatives))
    )
    for pair in found.pairs:
        if pair.left is not None and pair.right is not None:
            assert pair.same == (found.left[pair.left].regex == found.right[pair.right].regex)
        for text in pair.texts:
            assert (cut(left, text.text), cut(right, text.text)) == (text.left, text.right)
            assert text.left != text.right
            assert pair.left == text.left_alternative or pair.right == text.right_alternative


@pytest.mark.parametrize(("left", "right"), [("qwen-2", "llama-3"), ("gpt-2", "r50k_base")])
def test_no_shorter_text_tells_them_apart(left: str, right: str) -> None:
    """The plain expressions, run by the regex module, on all texts up to the first one found."""
    found = difference(KNOWN[left], KNOWN[right])
    texts = [text.text for pair in found.pairs for text in pair.texts]
    order = searched_texts()
    first = min(map(order.index, texts), default=len(order))
    one, other = (regex.compile("|".join(a.runs for a in KNOWN[name].alternatives)) for name in (left, right))
    ends = [[m.end() for m in one.finditer(text)] == [m.end() for m in other.finditer(text)] for text in order]
    assert ends.index(False) == first if texts else all(ends)
    assert [len(text) for text in order] == sorted(map(len, order))


def test_qwen_2_and_llama_3_differ_in_the_numbers_alone() -> None:
    found = difference(KNOWN["qwen-2"], KNOWN["llama-3"])
    (pair,) = [pair for pair in found.pairs if not pair.same]
    assert (found.left[2].regex, found.right[2].regex) == (r"\p{N}", r"\p{N}{1,3}")
    assert found == difference(KNOWN["qwen-2"], KNOWN["llama-3"]), "the search finds the same again"
    assert (pair.left, pair.right, pair.texts[0].text) == (2, 2, "11")
    assert all(not each.texts for each in found.pairs if each.same)
    assert mentions(summary(found), "1 of 7 alternatives is spelled differently.")


def test_patterns_that_only_look_different() -> None:
    found = difference(KNOWN["gpt-2"], KNOWN["r50k_base"])
    assert found.different == 6
    assert mentions(summary(found), "all into the same pre-tokens.")
    assert {verdict(pair) for pair in found.pairs} == {"the same", "no text tells them apart"}


def test_patterns_of_tokenizers_have_names() -> None:
    for spec, name in {"gpt-2": "gpt-2", "qwen2.5@llama.cpp": "qwen-2 (llama.cpp)", "llama-3": "llama-3",
                       "gpt-2@llama.cpp": "gpt-2", "o200k_base": "o200k_base"}.items():  # fmt: skip
        assert name_of(bundled(spec).pattern_slots[0].regex) == name
    with pytest.raises(InputError, match=r"'gpt-9'.*2.*3"):
        known_pattern("gpt-9")


def test_the_table_escapes_what_is_in_a_pattern() -> None:
    found = difference(KNOWN["gpt-2"], KNOWN["llama-3"])
    html = difference_html(found, "<b>", "x")
    assert "&lt;b&gt;" in html
    assert "<b>&#x27;S</b>" in html
    assert pieces(("\n", " ")) == "↵ | ␣"


@given(one=st.lists(st.sampled_from(["a+", "b", "a?b", "\\\\s"]), min_size=1, max_size=5), data=st.data())
@settings(max_examples=amount(60))
def test_alternatives_stand_beside_those_most_alike(one: list[str], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.sampled_from(["a+", "c", "ab"]), max_size=len(one)))
    found = most_alike(one, range(len(one)), other, range(len(other)))

    def likeness(chosen: tuple[int, ...]) -> float:
        return sum(SequenceMatcher(None, one[i], other[j]).ratio() for j, i in enumerate(chosen))

    best = max(map(likeness, combinations(range(len(one)), len(other))))
    assert [j for _, j in found if j is not None] == list(range(len(other)))
    assert likeness(tuple(i for i, j in found if j is not None)) == pytest.approx(best)


def test_a_typed_pattern_beside_the_one_of_the_file() -> None:
    gpt2 = bundled("gpt-2")
    typed = with_pattern(gpt2, r" ?\p{L}+|\p{N}|[^\p{L}\p{N}]+")
    (left,), (right,) = sides_of(typed), sides_of(gpt2)
    found = difference_of_sides(left, right)
    assert found.different > 0
    texts = [text for pair in found.pairs for text in pair.texts]
    assert "11" in [text.text for text in texts]
    for text in texts:
        assert text.left == tuple(text.text[m.start : m.end] for m in left.matches(text.text))
        assert "".join(text.right) == text.text


def test_seven_alternatives_find_their_places_among_thirty_at_once() -> None:
    # all ways to choose seven of thirty would take minutes
    one, other = [f"x{{{count}}}" for count in range(30)], [f"x{{{count}}}" for count in range(3, 24, 3)]
    found = most_alike(one, range(30), other, range(7))
    assert [i for i, j in found if j is not None] == list(range(3, 24, 3))
