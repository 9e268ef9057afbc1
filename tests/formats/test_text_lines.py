"""Lines of text files: line ends, and refused files."""

from __future__ import annotations

import pytest

from explorer.errors import InputError
from explorer.formats import rwkv, vocab_files
from explorer.formats.vocab_files import lines_of


def test_lines_end_with_lf_or_crlf() -> None:
    assert lines_of(b"a\nb\r\n\rc\n\n", "toy") == ["a", "b", "\rc", ""]
    assert lines_of(b"", "toy") == lines_of(b"\n", "toy")[1:] == []
    assert lines_of("a\u2028b\x0cc\x85\n".encode(), "toy") == ["a\u2028b\x0cc\x85"]


def test_other_texts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for data, says in ((b"\xef\xbb\xbfa\n", "byte order mark"), (b"a\n\xff", "byte offset 2 is not UTF-8")):
        with pytest.raises(InputError, match=f"^bad.txt: .*{says}"):
            lines_of(data, "bad.txt")
    monkeypatch.setattr(vocab_files, "MAX_LINES", 2)
    with pytest.raises(InputError, match="3 lines"):
        lines_of(b"\n\n\n", "bad.txt")


def test_a_byte_order_mark_does_not_hide_the_format() -> None:
    """The error must name the actual problem instead of "unknown format"."""
    assert vocab_files.looks_like_words(b"\xef\xbb\xbf[PAD]\r\n")
    assert rwkv.looks_like(b"\xef\xbb\xbf1 'a' 1\r\n")
    assert vocab_files.looks_like_vocab(b'\xef\xbb\xbf {"a": 1}')


@pytest.mark.parametrize(("data", "says"), [
    (b"", "has no pieces"), (b"\n\n", "has no pieces"), (b"[UNK]\n\xff\n", "byte offset 6 is not UTF-8"),
    (b"\xef\xbb\xbf[UNK]\n", "byte order mark"),
])  # fmt: skip
def test_a_bad_vocab_txt_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        vocab_files.read_words(data, "bad.txt")


def test_white_space_after_a_piece_is_dropped() -> None:
    # white space as in Rust's trim_end; Python's rstrip would also strip the separators U+001C to U+001F
    assert vocab_files.read_words("a \t\r\nb\u3000\n\x1c\n d\n".encode(), "toy") == {"a": 0, "b": 1, "\x1c": 2, " d": 3}
