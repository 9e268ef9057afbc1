"""The stand-ins that a pattern sees for characters newer than Unicode 16."""

from __future__ import annotations

import pytest
import regex

from explorer.engine.regexes.safe import (
    CHANGED,
    LIKELY,
    PICTOGRAPHS,
    StandIns,
    as_16,
    everything,
    new_characters,
    plain_stand_in,
)
from explorer.text.code_points import after_16


def test_every_new_character_is_found_and_has_an_unassigned_stand_in_of_its_own() -> None:
    assert all(map(LIKELY.match, new_characters()))
    stand_ins = {chr(code): plain_stand_in(code) for code in after_16()}
    assert len(set(stand_ins.values())) == len(stand_ins)
    assert new_characters().isdisjoint(stand_ins.values())
    assert regex.fullmatch(r"\p{Cn}+", "".join(stand_ins.values()))
    pictographs = regex.findall(r"\p{ExtPict}", "".join(stand_ins.values()))
    assert set(pictographs) == {stand_ins[chr(code)] for code in PICTOGRAPHS}


def test_a_text_without_new_characters_is_not_copied() -> None:
    old = "".join(ch for ch in everything() if ch not in new_characters())
    assert as_16(old) is old
    new = "".join(sorted(new_characters()))
    seen = as_16(new)
    assert len(seen) == len(new)
    assert new_characters().isdisjoint(seen)


@pytest.mark.parametrize(("old", "now"), CHANGED.items())
def test_the_stand_in_of_a_changed_character_has_its_former_properties(old: str, now: str) -> None:
    assert old != now
    assert [bool(regex.match(name, now)) for name in (r"\p{Ll}", r"\p{Lo}", r"\p{GCB=Prepend}")] == [
        old == "ʕ", old != "ʕ", old != "ʕ"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "ch", "is_inside"),
    [
        (r"[\u0530-\u058f]", "\u0558", True),
        (r"[\u0530-\U0000058f]", "\u058b", True),
        ("[一-龥]", "\u0558", False),
        ("[一-龥]", "\U0003e784", False),
        ("[!-\uffff]", "\ua7ce", True),
        (r"[\x00-\uffff]", "\ua7ce", True),
        (r"[\U00030000-\U0003ffff]", "\U0003e784", True),
        (r"\p{Block=armenian}", "\u058b", True),
        (r"\p{Block=armenian}", "\u05c8", False),
        ("[ɐ-ʯ]", "ʕ", True),
    ],
)
def test_a_stand_in_is_in_the_same_ranges_as_the_character(pattern: str, ch: str, is_inside: bool) -> None:
    seen = StandIns(pattern)(ch)
    assert seen != ch
    assert bool(regex.match(pattern, seen)) == bool(regex.match(pattern, ch)) == is_inside


def test_a_character_that_the_pattern_names_is_not_replaced() -> None:
    assert StandIns("[\U0003e784]")("\U0003e784\U0003e785") == "\U0003e784" + as_16("\U0003e785")
    # all of this range is assigned now
    assert StandIns("[\U0002b700-\U0002b73f]")("\U0002b73a") == "\U0002b73a"
