"""The characters added after a version of Unicode, compared with the originals and this Python."""

from __future__ import annotations

import unicodedata

import pytest
import regex
from tokenizers import Regex, normalizers

from explorer.engine.regexes.safe import everything
from explorer.text.code_points import after_15, after_16, code_points, in_brackets, major_category, of_15
from tests.originals.llama_cpp import codepoint_flags

FLAGS = {0x01: "", 0x02: "N", 0x04: "L", 0x08: "Z", 0x10: "M", 0x20: "P", 0x40: "S", 0x80: "C"}
"""llama.cpp's flags → categories."""


@pytest.mark.long
def test_unicode_16_is_that_of_oniguruma() -> None:
    theirs = normalizers.Replace(Regex(r"\P{Cn}"), "").normalize_str(everything())
    unassigned = set(regex.findall(r"\p{Cn}", everything()))
    assert set(theirs) == unassigned | set(map(chr, after_16()))


@pytest.mark.long
def test_categories_are_those_of_llama_cpp() -> None:
    different = [
        hex(ord(ch)) for ch in everything() if FLAGS[codepoint_flags(ord(ch)) & 0xFF] != major_category(ord(ch))
    ]
    assert different == []


def test_this_python_agrees_on_categories() -> None:
    for ch in everything():
        category, code = unicodedata.category(ch), ord(ch)
        assert category == "Cn" or code in after_15() or major_category(code) == category[0], hex(code)


def test_versions_do_not_overlap() -> None:
    assert (len(of_15()), len(after_15() - after_16()), len(after_16())) == (4_489 + 627, 5_185, 17_810)
    assert not after_15().intersection(of_15())


@pytest.mark.parametrize(
    ("ranges", "codes"), [("", set()), ("61-63 78", {0x61, 0x62, 0x63, 0x78}), ("3E784", {0x3E784})]
)
def test_ranges(ranges: str, codes: set[int]) -> None:
    assert code_points(ranges) == codes
    assert not codes or set(regex.findall(f"[{in_brackets(ranges)}]", everything())) == set(map(chr, codes))
