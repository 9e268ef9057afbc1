"""Reading tiktoken ranks files."""

from __future__ import annotations

import pytest

from explorer.errors import InputError
from explorer.formats import tiktoken_ranks
from explorer.formats.tiktoken_ranks import looks_like, read
from tests.refusals import refusal


def test_tokens_and_ranks_are_read() -> None:
    assert read(b"IQ== 0\r\n4pY= 2\n\n") == {b"!": 0, b"\xe2\x96": 2}
    assert read(b"\xef\xbb\xbfIQ== 0\rIg== 1") == {b"!": 0, b'"': 1}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not a file of tokens and ranks"),
        (b"\xef\xbb\xbf", "not a file of tokens and ranks"),
        (b"IQ== 0\nIg==\n", "line 2 is not a base64"),
        (b"IQ== 0\nI 1\n", "line 2 is not a base64"),
        (b"IQ== 0\n  \n", "line 2 is not a base64"),
        (b"IQ== 0\nI\xffg== 1\n", "line 2 is not a base64"),
        (b"IQ== 0\nIg== x\n", "line 2 is not a base64"),
        (b"IQ== 0\nIg== " + b"9" * 5_000, "line 2 is not a base64"),
        (b"IQ== 0\nIg== -1\n", "line 2 is not one token"),
        (b"IQ== 0\nIg== 1 2\n", "line 2 is not one token"),
        (b"IQ== 0 Ig== 1\n", "line 1 is not one token"),
        (b"IQ== 0\nIQ== 1\n", "line 2 repeats the token of line 1;"),
        (b"IQ== 0\n\nIg== 0\n", "line 3 repeats the rank of line 1;"),
        (b"IQ== 99999999999\n", "line 1 has the rank 99999999999, far above"),
    ],
)
def test_a_wrong_line_is_named(data: bytes, says: str) -> None:
    said = refusal(read, data, "f.tiktoken")
    assert said.startswith("f.tiktoken: ")
    assert says in said


def test_too_many_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken_ranks, "MAX_TOKENS", 2)
    with pytest.raises(InputError, match=r"3"):
        read(b"IQ== 0\nIg== 1\nIw== 2\n")


def test_the_first_line_identifies_the_format() -> None:
    for head in (b"IQ== 0\n", b"\xef\xbb\xbfIQ== 0\r\n", b"\nIQ== 7\n", b"IQ== 0"):
        assert looks_like(head)
    for other in (b"", b"\n", b"IQ==\n", b"{}", b"GGUF\3", b"[PAD]\n[unused0]\n", b"1 '\\x00' 1\n", b"#version: 0.2\n"):
        assert not looks_like(other)
