"""Patterns run as in llama.cpp, on small texts; `tests/implementations` compares the ids."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings

from explorer.engine.part import Events, Options, Segment
from explorer.engine.pre_tokenizers import patterns_llama_cpp as p
from explorer.engine.pre_tokenizers.by_regex import (
    CollapsedSplit,
    PreTokenization,
    PreTokenizeEvent,
    PreTokenizeRow,
    Splitter,
    collapsed_regex,
    collapsed_text,
)
from explorer.engine.pre_tokenizers.scanners import LINEAR, SCANNERS, ScannerSplit, scanner_of
from explorer.engine.regexes.safe import Alternative, Pattern
from tests.originals.generators import texts
from tests.tiers import amount


def splitter(pattern: Pattern) -> Splitter:
    scanner = scanner_of(pattern)
    return ScannerSplit(scanner) if scanner else CollapsedSplit(pattern)


def cut(text: str, *patterns: Pattern) -> tuple[list[str], list[PreTokenizeRow]]:
    events: Events[PreTokenizeRow] = Events(PreTokenizeRow)
    items = PreTokenization([splitter(pattern) for pattern in patterns]).run(
        [Segment.of(text)] if text else [], Options(), events.emit
    )
    return [item.text for item in items if isinstance(item, Segment)], list(events)


@pytest.mark.parametrize("pattern", p.PATTERNS.values(), ids=lambda pattern: pattern.name)
def test_every_alternative_has_a_sentence_and_compiles(pattern: Pattern) -> None:
    assert pattern.source.startswith("llama.cpp, ")
    for alternative in pattern.alternatives:
        assert alternative.says.endswith(".")
        assert alternative.says[0].isupper() or alternative.says[0].isdigit()
        assert scanner_of(pattern) or regex.compile(collapsed_regex(alternative.runs))


@given(text=texts())
@settings(max_examples=amount(60))
def test_no_pattern_loses_or_adds_a_character(text: str) -> None:
    for pattern in p.PATTERNS.values():
        pieces, events = cut(text, pattern)
        assert "".join(pieces) == text
        assert "" not in pieces
        spans = [(row.start, row.end) for row in events if row.kind in (PreTokenizeEvent.PIECE, PreTokenizeEvent.GAP)]
        assert spans == [] or (spans[0][0], spans[-1][1]) == (0, len(text))


def test_letters_are_collapsed_if_the_pattern_names_a_category() -> None:
    assert collapsed_text("aÀ१༅́、€\u200b\u3000\x85b") == "a\xd2\xd1\xd3\xd4\xd3\xd5\xd0\x0b\x0bb"
    # \p{Lu} is any letter, so a word is never split; GPT-4o's own pattern would split it
    assert cut("helloWORLD", p.TINY_AYA)[0] == ["helloWORLD"]
    assert cut("helloWORLDé", p.GPT4O)[0] == ["hello", "WORLDé"]
    # a non-ASCII letter is neither lowercase nor uppercase
    assert cut("ÀB", p.GPT4O)[0] == ["À", "B"]


def test_without_a_category_only_white_space_is_replaced() -> None:
    assert not CollapsedSplit(p.DEEPSEEK_PUNCTUATION).collapses
    # the ideographic space is in the range 　-。, but never matches: it is a vertical tab by then
    assert cut("\u3000。", p.DEEPSEEK_PUNCTUATION)[0] == ["\u3000。"]
    assert cut("\u3000", p.DEEPSEEK_PUNCTUATION)[1] == [(PreTokenizeEvent.GAP, 0, 1, -1)]
    assert cut("a\xa0b c", p.WORDS)[0] == ["a", "\xa0", "b", " ", "c"]


def test_nested_brackets() -> None:
    assert collapsed_regex(r"[\[\p{P}\]]\p{M}") == r"[\[Ó!-#%-*,-/:-;?-@\[-\]_\{\}\]][Ô]"
    assert collapsed_regex(r"\p{Han}\d") == r"\p{Han}\d"


def test_dollar_is_the_end_of_the_piece() -> None:
    at_end = p.WHITE_SPACE_AT_THE_END
    assert cut("a \n", at_end)[0] == ["a", " \n"]
    assert cut("a  b", at_end)[0] == ["a  b"]
    assert cut(" a ", p.JUST_NUMBER, at_end)[0] == [" a", " "]
    assert cut("a 1b ", p.JUST_NUMBER, at_end)[0] == ["a", " ", "1", "b", " "]
    for text in ("", " ", "a ", " a", "a\n \n", "\n\n", " x  y  "):
        ends = [match.span() for match in regex.finditer(r"\s+\Z", text)]
        assert [match[:2] for match in CollapsedSplit(at_end).matches(text)] == ends


def test_digits_are_split_into_thousands() -> None:
    pieces, events = cut("a1234567 12", p.JUST_NUMBERS, p.THOUSANDS)
    assert pieces == ["a", "1", "234", "567", " ", "12"]
    assert [row for row in events if row.kind == PreTokenizeEvent.CUT] == [
        (PreTokenizeEvent.CUT, 2, 2, 1), (PreTokenizeEvent.CUT, 5, 5, 1)
    ]  # fmt: skip
    assert cut("123", p.THOUSANDS)[0] == ["123"]
    assert cut("１２３４", p.THOUSANDS)[0] == ["１２３４"]
    for text in ("1", "12", "123", "1234", "x123456y1", "12 3456"):
        ours = [match[:2] for match in LINEAR[p.THOUSANDS.regex].scan(text)]
        assert ours == [match[:2] for match in CollapsedSplit(p.THOUSANDS).matches(text)]


SCANNED = [
    (p.KIMI_K2, "It's漢字x 12345 !?\n a\u0301", ["It's", "漢字", "x", " ", "123", "45", " !?\n", " a", "\u0301"]),
    (p.KIMI_K2, "1漢\u0301\r\n  q", ["1", "漢", "\u0301\r\n", " ", " q"]),
    (p.KIMI_K2, "\na 'LL'", ["\n", "a", " '", "LL", "'"]),
    (p.QWEN35, "e\u0301s \u0301 12", ["e\u0301s", " \u0301", " ", "1", "2"]),
    (p.AFMOE_DIGITS, "abc1234, 12x", ["abc1", "234", ", 12", "x"]),
    (p.TINY_AYA_DIGITS, "１２３４", ["１", "２３４"]),
    (p.LINE_FEEDS, "a b\n\n c\r\n", ["a b", "\n\n", " c\r", "\n"]),
]


@pytest.mark.parametrize(("pattern", "text", "pieces"), SCANNED)
def test_scanners_do_more_than_their_pattern(pattern: Pattern, text: str, pieces: list[str]) -> None:
    assert pattern.regex in SCANNERS
    assert cut(text, pattern)[0] == pieces


def test_groups_within_an_alternative_do_not_shift_its_index() -> None:
    pattern = Pattern("toy", "test", (Alternative("(a)(b)?", "A."), Alternative("((?=c)(.))+", "B.")))
    assert [match.alternative for match in CollapsedSplit(pattern).matches("abcca")] == [0, 1, 0]
