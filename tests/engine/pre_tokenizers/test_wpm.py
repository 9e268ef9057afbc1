"""llama.cpp's loop for WordPiece: its events against a plain loop, written from the original's source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.part import Events, Options, Segment, Token
from explorer.engine.pre_tokenizers.wpm import WpmEvent, WpmRow, WpmWords
from explorer.text.code_points import flags_of
from tests.originals.generators import texts
from tests.originals.llama_cpp import codepoint_flags
from tests.tiers import amount

CHINESE = (
    (0x04E00, 0x09FFF), (0x03400, 0x04DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0x0F900, 0x0FAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


def preprocess(text: str, strip_accents: bool, lowercase: bool) -> tuple[list[str], list[tuple[str, int]]]:
    """The loop with numbers for flags, as the original has it: its words, and what each turn did at which index."""
    words, turns = [""], [("BEGIN", 0)]
    for at, ch in enumerate(text):
        cpt, flags = ord(ch), int(flags_of(ord(ch)))
        if flags & 0x0100:
            if words[-1]:
                words.append("")
            turns.append(("WHITE_SPACE", at))
            continue
        if cpt == 0 or cpt == 0xFFFD or flags & 0x0080:
            turns.append(("DROP", at))
            continue
        if strip_accents and flags & 0x0010:
            turns.append(("DROP_MARK", at))
            continue
        # the simple lower case is one code point
        s = (ch.lower()[0] if len(ch.lower()) == 1 or ch == "İ" else ch) if lowercase else ch
        chinese = any(first <= cpt <= last for first, last in CHINESE)
        if flags & 0x0020 or (cpt < 0x7F and flags & 0x0040) or chinese:
            if words[-1]:
                words.append("")
            words[-1] = s
            words.append("")
            turns.append(("ALONE", at))
        else:
            words[-1] += s
            turns.append(("APPEND", at))
    if not words[-1]:
        words.pop()
        turns.append(("POP", len(text)))
    return words, turns


def run(text: str, **options: bool) -> tuple[list[str], list[WpmRow]]:
    events: Events[WpmRow] = Events(WpmRow)
    words = WpmWords(**options).run([Segment.of(text)], Options(), events.emit)
    return [word.text for word in words if isinstance(word, Segment)], list(events)


@pytest.mark.parametrize("strip_accents", [True, False])
@pytest.mark.parametrize("lowercase", [True, False])
@given(text=st.one_of(texts(), st.text("aÉ \t漢かб!$\0\u0301\u200d\ufffd٠€", max_size=40)))
@settings(max_examples=amount(60))
def test_words_and_events_are_those_of_the_loop(text: str, strip_accents: bool, lowercase: bool) -> None:
    # code points that a Python newer than llama.cpp's tables lowercases
    text = "".join(ch for ch in text if int(flags_of(ord(ch))) & 0xFF == int(codepoint_flags(ord(ch))) & 0xFF)
    words, turns = preprocess(text, strip_accents, lowercase)
    found, rows = run(text, strip_accents=strip_accents, lowercase=lowercase)
    assert found == words
    assert [(WpmEvent(row.kind).name, row.at) for row in rows] == turns
    assert len(rows) == len(text) + 1 + (not words or turns[-1][0] == "POP")


def test_the_list_of_words_grows_as_the_events_say() -> None:
    text = "AWhat is 漢$x\u0301?\0 "
    _, rows = run(text)
    words: list[str] = []
    seen = []
    for row in rows:
        if row.kind == WpmEvent.BEGIN:
            words = [""]
        elif row.kind == WpmEvent.APPEND:
            words[-1] += chr(row.code_point)
        elif row.kind == WpmEvent.ALONE:
            words = [*(words if words[-1] else words[:-1]), chr(row.code_point), ""]
        elif row.kind == WpmEvent.WHITE_SPACE:
            words = [*words, ""] if words[-1] else words
        elif row.kind == WpmEvent.POP:
            words = words[:-1]
        seen.append(list(words))
    assert seen[:3] == [[""], ["a"], ["aw"]]
    assert seen[-1] == ["awhat", "is", "漢", "$", "x", "?"] == run(text)[0]


def test_words_keep_the_spans_of_their_code_points_and_tokens_pass() -> None:
    events: Events[WpmRow] = Events(WpmRow)
    after = WpmWords().run([Token(9, 0, 3), Segment.of("a\u200db!", 3)], Options(), events.emit)
    assert [(list(item.starts), list(item.ends)) for item in after if isinstance(item, Segment)] == [
        ([3, 5], [4, 6]),
        ([6], [7]),
    ]
    assert after[0] == Token(9, 0, 3)
    assert {row.item for row in events} == {1}
