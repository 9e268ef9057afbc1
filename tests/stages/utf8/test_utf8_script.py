"""The stepper for bytes, replayed: it ends where Python, Hugging Face and llama.cpp end."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import decoders

from explorer.script.script import Replay, Script, Window
from explorer.stages.utf8 import bytes_script, utf8_script
from explorer.text import decode_utf8, visible
from explorer.text.input import read_by_llama_cpp, shown
from explorer.vocabulary import PRINTABLE
from tests.originals.generators import texts
from tests.tiers import amount
from tests.views.replays import boxes, play

FAULTY = st.lists(
    st.sampled_from([b"A", b"\xc3", b"\x85", b"\x80", b"\xbf", b"\xe0", b"\xed", b"\xa0", b"\xf0", b"\x90", b"\xf4",
                     b"\xf5", b"\xff", b"\xc0", b"\xe2\x82", "é🤗".encode()]) | st.binary(max_size=3),
    max_size=8,
).map(b"".join)  # fmt: skip


def whole(text: str) -> Script:
    """The script of a whole text."""
    return utf8_script(text, Window(0, len(text), 0, 0))


@given(text=texts())
@settings(max_examples=amount(60))
def test_the_last_state_is_the_text_and_back_the_bytes(text: str) -> None:
    script = whole(text)

    def look(replay: Replay) -> None:
        assert sum(size for _, size in boxes(replay)) == len(text.encode()), "every byte lies in one box"

    replay = play(script, look)
    assert boxes(replay) == [(ord(ch), len(ch.encode())) for ch in text]
    assert [row[1:4] for row in replay.rows("output").values()] == [(ord(ch), i, i + 1) for i, ch in enumerate(text)]
    names = [script.data["texts"][row[4]] for row in replay.rows("output").values()]
    assert names == [f"U+{ord(ch):04X}" for ch in text]
    offsets = [len(text[:index].encode()) for index in range(len(text))]
    assert [row[:2] for row in replay.rows("offsets").values()] == list(enumerate(offsets))


def lossy(data: bytes) -> str:
    """What Rust's `String::from_utf8_lossy` makes of bytes: a decoder of Hugging Face's tokenizers calls it."""
    return str(decoders.ByteLevel().decode(["".join(PRINTABLE[byte] for byte in data)]))


def strict(data: bytes) -> str:
    """The text, or the error of Python's decoder."""
    try:
        return visible(data.decode())
    except UnicodeDecodeError as error:
        return f"UnicodeDecodeError at byte {error.start}: {error.reason}"


def llama_cpp(data: bytes) -> list[int]:
    """`unicode_cpts_from_utf8` once more, by an expression over the forms it accepts."""
    form = re.compile(
        rb"(?s)[\x00-\x7f]|[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}|(?P<bad>.)"
    )
    numbers = []
    for found in form.finditer(data):
        bits = "".join(f"{byte:08b}"[2:] for byte in found[0][1:])
        size = len(found[0])
        lead = f"{found[0][0]:08b}"[1 if size == 1 else size + 1 :]
        numbers.append(0xFFFD if found["bad"] else int(lead + bits, 2))
    return numbers


@given(data=FAULTY)
@example(b"\xc3\x85\xe2\x82A\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xff\xf5")
@settings(max_examples=amount(150))
def test_each_program_reads_bytes_as_it_does_itself(data: bytes) -> None:
    script = bytes_script(data)
    replay = play(script)
    python, strictly, llama, rust = (script.data["texts"][row[1]] for row in replay.rows("output").values())
    assert python == visible(data.decode("utf-8", "replace"))
    assert rust == visible(lossy(data))
    assert [each.number for each in read_by_llama_cpp(data)] == llama_cpp(data)
    assert llama == "".join(map(shown, llama_cpp(data)))
    assert strictly == strict(data)
    wrong = [step for step in range(1, len(script) + 1) if script.kind(step)["tone"] == "stale"]
    assert len(wrong) == sum(run.fault is not None for run in decode_utf8(data))


def told(script: Script) -> list[str]:
    return [script.sentence(step) for step in range(1, len(script) + 1)]


def test_the_notes_example() -> None:
    script = whole("ÅWhat is LoRA?")
    said = told(script)
    assert script.opening() == "15 bytes to read. Which of them make a character together?"
    assert said[0].startswith("utf8[0] = C3: b[0] & 0x20 is 0, so 2 bytes make the character.")
    assert said[1].startswith("utf8[1] = 85: & 0xC0 is 0x80. Shift the number left by 6, add 000101: 0xC5.")
    assert said[2] == "C3 85 → 0xC5 = U+00C5; offset goes 0 → 2. It is code point 1: “Å”."
    assert said[-1].startswith("15 bytes of UTF-8: 14 code points.")
    assert said[-1].endswith("uint32_t, they take 56 bytes.")


def test_each_rule_is_named_where_it_fails() -> None:
    labels = {b"\x85": "lone", b"\xe2\x82A": "cut short", b"\xe2": "cut short", b"\xc0\x80": "overlong",
              b"\xe0\x80\x80": "overlong", b"\xed\xa0\x80": "surrogate", b"\xf4\x90\x80\x80": "too high",
              b"\xf5": "too high", b"\xff": "no such byte"}  # fmt: skip
    for data, label in labels.items():
        script = bytes_script(data)
        kinds = [script.kind(step)["label"] for step in range(1, len(script) + 1)]
        assert next(kind for kind in kinds if kind not in ("first byte", "next byte")) == label


def test_a_window_counts_from_the_beginning_of_the_text() -> None:
    script = utf8_script("ÅÅÅ", Window(1, 2, 0, 0))
    assert "offset goes 2 → 4. It is code point 2" in script.sentence(3)
    assert [row[:2] for row in play(script).rows("offsets").values()] == [(1, 2)]
