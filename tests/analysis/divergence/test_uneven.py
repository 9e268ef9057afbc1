"""Only what may differ is compared character by character: the differences are those of a full comparison."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.divergence import matching
from explorer.analysis.divergence.matching import SHORT, PlainPair, aligned_groups, characters, match, uneven
from explorer.analysis.divergence.result import TEXT_STAGES, Plain, run, states
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

Changes = list[tuple[int, str, int, int]]
changes: st.SearchStrategy[Changes] = st.lists(
    st.tuples(
        st.integers(0, 200), st.sampled_from(["", " ", "a", "ab", "\u0301"]), st.integers(-1, 2), st.integers(-2, 2)
    ),
    max_size=8,
)


def changed(text: str, edits: Changes) -> Plain:
    """A text in which characters were replaced, with spans that may be wide, empty or out of order."""
    letters = [(ch, at, at + 1) for at, ch in enumerate(text)]
    for at, instead, width, shift in edits:
        if at < len(letters):
            _, start, end = letters[at]
            start = max(0, min(start + shift, len(text)))
            end = max(start, min(end + width, len(text)))
            letters[at : at + 1] = [(ch, start, end) for ch in instead]
    return Plain.of_characters("".join(ch for ch, *_ in letters), [a for _, a, _ in letters], [b for *_, b in letters])


def whole(left: Plain, right: Plain) -> list[PlainPair]:
    return [PlainPair(range(len(left.text)), range(len(right.text)))]


long_texts = st.text("ab e", min_size=3 * SHORT, max_size=12 * SHORT)


@given(long_texts, changes, changes)
@settings(max_examples=amount(300), deadline=None)
def test_differences_are_those_of_a_full_comparison(text: str, one: Changes, other: Changes) -> None:
    left, right = changed(text, one), changed(text, other)
    found = match(left, right, text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matching, "uneven", whole)
        assert match(left, right, text) == found


@given(long_texts, changes, changes)
@settings(max_examples=amount(300), deadline=None)
def test_outside_the_stretches_both_sides_are_equal_and_cut(text: str, one: Changes, other: Changes) -> None:
    left, right = changed(text, one), changed(text, other)
    found = list(uneven(left, right))
    edges = [(0, 0), *((each.lefts.stop, each.rights.stop) for each in found)]
    begins = [*((each.lefts.start, each.rights.start) for each in found), (len(left.text), len(right.text))]
    for (first, other_first), (last, other_last) in zip(edges, begins, strict=True):
        assert last - first == other_last - other_first
        for this, that in zip(left[:3], right[:3], strict=True):
            assert this[first:last] == that[other_first:other_last]
    # the groups of the stretches include all groups of the whole texts that differ
    size = len(text)
    groups = list(matching.uneven_groups(left, right, size))
    assert all(one.end <= other.start for one, other in pairwise(groups))
    for group in aligned_groups(
        characters(left, range(len(left.text))), characters(right, range(len(right.text))), size
    ):
        lefts, rights = (slice(each.start, each.stop) for each in group.ranges)
        if left.text[lefts] != right.text[rights]:
            assert group in groups


@given(texts())
@settings(max_examples=amount(60), deadline=None)
def test_real_stages_differ_where_a_full_comparison_says(text: str) -> None:
    text = text * 4
    names = ("llama-2", "gpt-2", "bert-uncased", "xlm-r")
    sides = [states(run(bundled(name), text)).plain for name in names]
    for one, other in pairwise(sides):
        for stage in TEXT_STAGES:
            found = match(one[stage], other[stage], text)
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(matching, "uneven", whole)
                assert match(one[stage], other[stage], text) == found


def test_little_of_a_long_text_is_compared_by_character() -> None:
    text = json.dumps(list(range(5_000)))
    other = text.replace("777,", "778,", 1)
    sides = [Plain.of_characters(each, range(len(text)), range(1, len(text) + 1)) for each in (text, other)]
    found = list(uneven(*sides))
    assert sum(len(each.lefts) for each in found) <= SHORT
