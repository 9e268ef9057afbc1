"""Bytes instead of a text: typed in hexadecimal, or those of a file."""

from __future__ import annotations

from explorer.answers.typed_bytes import MOST
from tests.ui.app import html_of, page


def test_the_bytes_of_a_file_go_into_the_field() -> None:
    at = page(m="gpt-2", stage="utf8")
    data = bytes(range(256))
    at.file_uploader(key="bytes file 0").set_value([("all.bin", data, "")]).run()
    assert not at.exception
    assert bytes.fromhex(at.text_input(key="bytes").value) == data
    assert not at.file_uploader(key="bytes file 1").value, "the field is empty for the next file"
    # one byte too many, and none: each with one error that names the file, until bytes are typed
    for number, (size, says) in enumerate([(MOST + 1, "big.bin has 2,001 bytes"), (0, "big.bin is empty")], 1):
        at.file_uploader(key=f"bytes file {number}").set_value([("big.bin", b"a" * size, "")]).run()
        assert not at.exception
        assert html_of(at).count("The file is not read.") == 1
        assert says in html_of(at)
        assert bytes.fromhex(at.text_input(key="bytes").value) == data
    at.text_input(key="bytes").set_value("41").run()
    assert "The file is not read." not in html_of(at)
