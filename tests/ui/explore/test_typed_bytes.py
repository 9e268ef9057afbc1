"""Bytes instead of a text: typed in hexadecimal, or those of a file."""

from __future__ import annotations

from tokenizers import Tokenizer

import explorer
from explorer.answers.explore import MOST_BYTES
from tests.ui.app import context_of, data_of, html_of, page, tokens_of


def test_the_bytes_of_a_file_go_into_the_field() -> None:
    at = page(m="gpt-2", stage="utf8")
    data = bytes(range(256))
    at.file_uploader(key="bytes file 0").set_value([("all.bin", data, "")]).run()
    assert not at.exception
    assert bytes.fromhex(at.text_input(key="bytes").value) == data
    assert not at.file_uploader(key="bytes file 1").value, "the field is empty for the next file"
    # one byte too many, and none: each with one error that names the file, until bytes are typed
    for number, (size, says) in enumerate([(MOST_BYTES + 1, "big.bin has 2,001 bytes"), (0, "big.bin is empty")], 1):
        at.file_uploader(key=f"bytes file {number}").set_value([("big.bin", b"a" * size, "")]).run()
        assert not at.exception
        assert html_of(at).count("The file is not read.") == 1
        assert says in html_of(at)
        assert bytes.fromhex(at.text_input(key="bytes").value) == data
    at.text_input(key="bytes").set_value("41").run()
    assert "The file is not read." not in html_of(at)


def test_bytes_run_through_all_stages_as_a_reader_reads_them() -> None:
    """What Python's replacing reader and Hugging Face's `from_utf8_lossy` make of them, tokenized by the original."""
    typed, text = "41 FF 42 E2 82 F0 9F 92", "A\ufffdB\ufffd\ufffd"
    original = Tokenizer.from_file(str(explorer.catalog()["gpt-2"].path))
    wanted = original.encode(bytes.fromhex(typed).decode("utf-8", "replace")).ids
    at = page(m="gpt-2", text="mine", bytes=typed, stage="model")
    assert not at.exception
    assert tokens_of(at) == wanted == original.encode(text).ids
    nodes = {node["key"]: node["result"] for node in data_of(at, "tokens")["stages"]}
    assert nodes["utf8"] == "8 bytes"
    assert nodes["decode"] == "other bytes", "U+FFFD does not give the bytes again"
    assert "refuses" in html_of(at)
    assert "at byte 1" in html_of(at)
    # another stage, and another text: the bytes stay, then go
    at.session_state.stage = "utf8"
    at.run()
    assert at.text_input(key="bytes").value == typed
    assert tokens_of(at) == wanted
    at.session_state.stage = "pre-tokenize"
    at.run()
    assert tokens_of(at) == wanted
    context_of(at).text, context_of(at).rev = "other", 7
    at.run()
    assert tokens_of(at) == original.encode("other").ids
    assert "refuses" not in html_of(at)


def test_valid_bytes_are_their_text_and_the_text_comes_back() -> None:
    at = page(m="gpt-2", text="mine", bytes="C3 85", stage="model")
    assert tokens_of(at) == explorer.load("gpt-2").encode("Å").ids
    assert "valid UTF-8" in html_of(at)
    at.button(key="no bytes").click().run()
    assert tokens_of(at) == explorer.load("gpt-2").encode("mine").ids
    at = page(m="gpt-2", text="mine", bytes="zz", stage="model")
    assert not at.exception
    assert tokens_of(at) == explorer.load("gpt-2").encode("mine").ids
