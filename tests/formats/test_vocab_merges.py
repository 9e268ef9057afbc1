"""Reading vocab.json and merges.txt."""

from __future__ import annotations

import pytest

from explorer.errors import InputError
from explorer.formats import vocab_files
from explorer.formats.vocab_files import looks_like_vocab, read_merges, read_vocab
from tests.refusals import refusal

VOCAB = {"a": 0, "b": 1, "ab": 2, "Ġ": 3}


def test_pieces_and_merges_are_read() -> None:
    assert read_vocab('\n{"a": 0, "\\u0120":\t3, "Ġ": 5}\r\n'.replace("Ġ", "ġ").encode(), "toy") == {
        "a": 0,
        "Ġ": 3,
        "ġ": 5,
    }
    assert read_merges(b"#version: 0.2\r\na b\r\n", "toy", VOCAB) == ["a b"]
    assert read_merges(b"a b\n#version again\n", "toy", VOCAB) == ["a b"]
    assert read_merges(b"", "toy", VOCAB) == []
    assert read_vocab(b'\xef\xbb\xbf{"a": 0}', "toy") == {"a": 0}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "this is not JSON"),
        (b'{"a": 0', "this is not JSON"),
        (b'{"a": 0} x', "this is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "thousands of digits"),
        (b"{}", "has no pieces"),
        (b'["a", "b"]', "not an object of pieces and ids"),
        (b'[["a", 0]]', "not an object of pieces and ids"),
        (b"7", "not an object of pieces and ids"),
        (b'{"a": "0"}', "the piece 'a' has the id '0'"),
        (b'{"a": true}', "the piece 'a' has the id True"),
        (b'{"a": 0.0}', "the piece 'a' has the id 0.0"),
        (b'{"a": -1}', "the piece 'a' has the id -1"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": {"b": {}}}', "the piece 'a' has the id "),
        (b'{"a": 4294967296}', "the piece 'a' has the id 4294967296"),
        (b'{"a": 0, "b": 1, "a": 2}', "the key 'a' occurs twice"),
        (b'{"a": 0, "b": 0}', "'a' and 'b' both have the id 0"),
        (b'{"\\ud800": 0}', "half of a surrogate pair"),
        (b'{"a": 0, "b": [' + b"[]," * 5_000_000 + b"[]]}", "more than 4000000 values"),
        (b'{"\xff": 0}', "byte offset 2 is not UTF-8"),
        (b'{"a\\n\\u202e": -1}', "has the id -1"),
    ],
)
def test_a_bad_vocab_json_is_refused(data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read_vocab(data, "vocab.json")
    assert str(caught.value).startswith("vocab.json: ")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"a b\nab\n", "line 2 is not two pieces"),
        (b"a b\n\n", "line 2 is not two pieces"),
        (b"a  b\n", "line 1 is not two pieces"),
        (b"a b \n", "line 1 is not two pieces"),
        (b"a \n", "line 1 merges 'a' and '', but '' is not in the"),
        (b"a c\n", "line 1 merges 'a' and 'c', but 'c' is not in the"),
        (b"b a\n", "line 1 merges 'b' and 'a', but 'ba' is not in the"),
        (b"\xef\xbb\xbf#version\na b\n", "byte order mark"),
        (b"a \xff\n", "byte offset 2 is not UTF-8"),
    ],
)
def test_bad_merges_are_refused(data: bytes, says: str) -> None:
    said = refusal(read_merges, data, "merges.txt", VOCAB)
    assert said.startswith("merges.txt: ")
    assert says in said


def test_a_large_file_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocab_files, "MAX_FILE", 5)
    with pytest.raises(InputError, match=r"8 bytes.*5"):
        read_vocab(b'{"a": 0}', "toy")


def test_the_first_bytes_identify_the_format() -> None:
    for head in (b'{"a": 0', b'{\n  "\\"": 12,', b' {"\\u0120": 3'):
        assert looks_like_vocab(head)
    for other in (b"{}", b'{"version": "1.0"', b'{"model": {', b"", b"[0]", b'{"added_tokens": [', b'{"a": null'):
        assert not looks_like_vocab(other)
    assert looks_like_vocab(b'{"model": 0, "version": 1, "a": 2}'), "pieces that are called like sections"
