"""Ranks files."""

from __future__ import annotations

import pytest

from explorer.errors import InputError
from explorer.formats.tiktoken_ranks import looks_like, read


def test_tokens_and_ranks_are_read() -> None:
    assert read(b"IQ== 0\r\n4pY= 2\n\n") == {b"!": 0, b"\xe2\x96": 2}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no file of tokens and ranks"),
        (b"IQ== 0\nIg==\n", "line 2 is no base64"),
        (b"IQ== 0\nI 1\n", "line 2 is no base64"),
        (b"IQ== 0\nIg== x\n", "line 2 is no base64"),
        (b"IQ== 0\nIg== -1\n", "line 2 is not one token"),
        (b"IQ== 0\nIg== 1 2\n", "line 2 is not one token"),
        (b"IQ== 0\nIQ== 1\n", "line 2 gives the token of rank 0 again"),
        (b"IQ== 99999999999\n", "line 1 is not"),
    ],
)
def test_a_wrong_line_is_named(data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read(data, "f.tiktoken")


def test_the_first_line_tells_the_format() -> None:
    assert looks_like(b"IQ== 0\n")
    for other in (b"", b"\n", b"IQ==\n", b"{}", b"GGUF\3", b"[PAD]\n[unused0]\n", b"1 '\\x00' 1\n"):
        assert not looks_like(other)
