"""The events of llama.cpp's scanners: those of an independent, plain implementation, one by one."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.part import Events, Options, Segment
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.patterns_llama_cpp import THOUSANDS
from explorer.engine.pre_tokenizers.scanners import LINEAR, SCANNERS, Scanner, ScannerSplit
from explorer.text.code_points import after_15, of_15
from tests.engine.pre_tokenizers.plain_scanners import PLAIN, Note
from tests.originals.generators import strings, texts
from tests.tiers import amount

ALL = {scanner.source.rpartition("custom_")[2]: scanner for scanner in SCANNERS.values()}
NASTY = st.text("aS'srevl漢é\u0301 19²\t\n\r!ſ３", max_size=14)


def events(scanner: Scanner, text: str) -> list[PreTokenizeRow]:
    found: Events[PreTokenizeRow] = Events(PreTokenizeRow)
    PreTokenization([ScannerSplit(scanner)]).run([Segment.of(text)], Options(), found.emit)
    return list(found)


def as_note(row: PreTokenizeRow, text: str) -> Note:
    kind = PreTokenizeEvent(row.kind)
    if kind not in (PreTokenizeEvent.LOOK, PreTokenizeEvent.RUN):
        return kind.name, row.start, row.end, row.choice
    return kind.name, row.start, row.end, "full" if row.choice == 0 else chr(row.choice)


def test_every_scanner_has_a_plain_one() -> None:
    assert set(ALL) == set(PLAIN)
    assert LINEAR[THOUSANDS.regex].source == "", "llama.cpp has no scanner for it"


@pytest.mark.parametrize("name", PLAIN)
@given(text=texts() | NASTY)
@settings(max_examples=amount(100))
def test_events_are_those_of_the_plain_loop(name: str, text: str) -> None:
    known = {ch for ch in text if ord(ch) not in after_15() and ord(ch) not in of_15()}
    if text and known == set(text):
        assert [as_note(row, text) for row in events(ALL[name], text)] == PLAIN[name](text)


@pytest.mark.parametrize("name", PLAIN)
def test_events_of_listed_texts(name: str) -> None:
    for text in strings(seed=5, count=250):
        if text and after_15().isdisjoint(map(ord, text)) and not any(unicodedata.category(ch) == "Cn" for ch in text):
            assert [as_note(row, text) for row in events(ALL[name], text)] == PLAIN[name](text)


def test_what_is_told_by_eye() -> None:
    assert [as_note(row, " He's") for row in events(ALL["gpt2"], " He's")] == [
        ("FAILED", 0, 0, 0), ("LOOK", 0, 1, "L"), ("RUN", 1, 3, "O"), ("PIECE", 0, 3, 1),
        ("LOOK", 3, 4, "L"), ("PIECE", 3, 5, 0),
    ]  # fmt: skip
    assert [as_note(row, "1234") for row in events(ALL["llama3"], "1234")] == [
        ("FAILED", 0, 0, 0), ("FAILED", 0, 0, 1), ("RUN", 0, 3, "full"), ("PIECE", 0, 3, 2),
        ("RUN", 3, 4, "E"), ("PIECE", 3, 4, 2),
    ]  # fmt: skip
    assert [as_note(row, "a  ") for row in events(ALL["llama3"], "a  ")][3:] == [
        ("FAILED", 1, 1, 0), ("LOOK", 1, 2, "S"), ("FAILED", 1, 1, 1), ("FAILED", 1, 1, 2), ("LOOK", 1, 2, "S"),
        ("FAILED", 1, 1, 3), ("RUN", 1, 3, "E"), ("FAILED", 1, 1, 4), ("LOOK", 1, 3, "E"), ("FAILED", 1, 1, 5),
        ("PIECE", 1, 3, 6),
    ]  # fmt: skip


def test_positions_are_those_of_the_original_text() -> None:
    """A look beyond the end of a fragment ends where the fragment ends."""
    found: Events[PreTokenizeRow] = Events(PreTokenizeRow)
    PreTokenization([ScannerSplit(ALL["gpt2"])]).run([Segment.of("x ", 7)], Options(), found.emit)
    assert [as_note(row, "") for row in found if row.kind == PreTokenizeEvent.LOOK] == [("LOOK", 8, 9, "E")]


@pytest.mark.parametrize("text", ["x's  y ", "a \n12"])
@pytest.mark.parametrize("name", PLAIN)
def test_rows_of_a_changed_text_point_at_the_original(name: str, text: str) -> None:
    """Every character comes from two, and there are three alternatives before."""
    starts, ends = [7 + 2 * at for at in range(len(text))], [9 + 2 * at for at in range(len(text))]
    found: Events[PreTokenizeRow] = Events(PreTokenizeRow)
    ScannerSplit(ALL[name]).split(Segment(text, starts, ends), 3, found.emit)
    expected = []
    for kind, start, end, value in PLAIN[name](text):
        looks = kind == "LOOK" and end < len(text)
        position = starts[start] if kind == "FAILED" else starts[end] if looks else ends[end - 1]
        counts = kind in ("FAILED", "PIECE") and isinstance(value, int)
        expected.append((kind, starts[start], position, value + 3 if counts else value))  # type: ignore[operator]
    assert [as_note(row, text) for row in found] == expected
