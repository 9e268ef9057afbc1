"""GGUF files that are refused: other files, broken rules, and any damage, each with one clear error."""

import os
import random
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.formats import gguf
from tests.formats.gguf_writer import ARRAY, BOOL, ONE_OF_EACH, STRING, U8, U64, Writer, refused

W = Writer()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this is not a GGUF file: it is empty"),
        (b"[PAD]\n[unused0]\n", "this is not a GGUF file: it begins with 5B 50 41 44"),
        (b"GGU", "this is not a GGUF file: it begins with 47 47 55"),
        (b"gguf\3\0\0\0", "this is not a GGUF file: it begins with 67 67 75 66"),
        (b"\x80", "this is not a GGUF file: it begins with 80"),
        (b"\0" * 40, "this is not a GGUF file: it begins with 00 00 00 00"),
    ],
)
def test_other_files_are_refused(tmp_path, data, message):
    path = tmp_path / "some file"
    path.write_bytes(data)
    assert refused(path).startswith(f"{path}: {message}")
    assert refused(data, name="upload").startswith(f"upload: {message}")
    assert refused(data).startswith("these bytes: ")


def test_paths_that_are_not_files(tmp_path):
    assert refused(tmp_path) == f"{tmp_path}: this is a folder; name the .gguf file in it"
    assert refused(tmp_path / "no.gguf") == f"{tmp_path}/no.gguf: there is no such file; check the path"
    assert refused(tmp_path / ("x" * 300)).endswith("check the path and its permissions")
    assert refused(Path("a\0b.gguf")).startswith(r"'a\x00b.gguf': cannot be opened (")
    assert refused(tmp_path / "a\nb\udce9").startswith("'")
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refused(tmp_path / "pipe")
    file = tmp_path / "file"
    file.touch()
    assert "cannot be opened" in refused(file / "below")


def test_a_file_without_permission(tmp_path, monkeypatch):
    def deny(*_, **__):  # root ignores permissions
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "mine.gguf"
    path.write_bytes(W.file())
    monkeypatch.setattr("builtins.open", deny)
    assert refused(path) == f"{path}: cannot be read (Permission denied); check its permissions"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (W.file(version=1), "byte offset 4: GGUF version 1 is no longer supported; convert"),
        (W.file(version=4), "byte offset 4: GGUF version 4 is unknown"),
        (W.file(version=0), "byte offset 4: GGUF version 0 is unknown"),
        (Writer(">").file(version=3), "byte offset 4: the file is of a big-endian machine, and llama.cpp refuses it"),
        (b"GGUF", "byte offset 4: 4 bytes should follow, but the file ends after 0"),
        (b"GGUF\3\0\0\0\0", "byte offset 8: 8 bytes should follow, but the file ends after 1"),
        (W.file(count=1 << 60), "byte offset 16: the file announces 1152921504606846976 keys"),
        (W.file((b"a", U8, 1), count=2), "byte offset 16: the file announces 2 keys"),
        (W.file((b"a", U64, 1), (b"b", U64, 1), count=3), "byte offset 66: 8 bytes should follow, but the"),
        (W.file((b"a", U8, 1), (b"a", U8, 1)), "byte offset 38: the key 'a' occurs twice"),
        (W.file((b"caf\xe9!", U8, 1)), "byte offset 35: a key is not UTF-8 (E9): The character breaks off"),
        (W.file((b"", U64, 1)), "byte offset 24: a key has 0 bytes (1 to 65535 are allowed)"),
        (W.file((b"k" * 65_536, U8, 1)), "byte offset 24: a key has 65536 bytes"),
        (W.file(W.number("Q", 1 << 60) + b"k" * 9), "byte offset 24: a key has 1152921504606846976 bytes"),
        (W.file(W.number("Q", 9) + b"k" * 8), "byte offset 32: 9 bytes should follow, but the file ends after 8"),
        (W.file(W.string(b"k") + W.number("I", 13) + b"x" * 8), "key 'k', byte offset 33: unknown value type 13"),
        (W.file(W.string(b"k\n") + W.number("I", 99) + b"x"), r"key 'k\n', byte offset 34: unknown value type 99"),
        (W.file((b"k", ARRAY, ARRAY, [(U8, [1])])), "key 'k', byte offset 37: an array of arrays"),
        (
            W.file(W.string(b"k") + W.number("I", ARRAY) + W.number("I", 13) + W.number("Q", 1)),
            "key 'k', byte offset 37: unknown element type 13",
        ),
        (W.file(W.string(b"k") + W.number("I", BOOL) + b"\2"), "key 'k', byte offset 37: a Boolean is 2"),
        (
            W.file(W.string(b"k") + W.number("I", ARRAY) + W.number("I", BOOL) + W.number("Q", 2) + b"\1\7"),
            "key 'k', byte offset 49: a Boolean is neither 0 nor 1",
        ),
        (W.file((b"k", STRING, b"ab\xff")), "key 'k', byte offset 47: the text is not UTF-8 (FF): No UTF-8"),
        (
            W.file(W.string(b"k") + W.number("I", STRING) + W.number("Q", 5) + b"abcd"),
            "key 'k', byte offset 45: 5 bytes should follow, but the file ends after 4",
        ),
        (
            W.file(
                W.string(b"k") + W.number("I", ARRAY) + W.number("I", STRING) + W.number("Q", 2) + W.string(b"a" * 9)
            ),
            "key 'k', byte offset 66: string 2 of 2 extends past the end",
        ),
    ],
)
def test_broken_rules(data, message):
    assert refused(data, name="m.gguf").startswith(f"m.gguf: {message}")


def test_a_long_key_is_shown_short():
    message = refused(W.file(W.string(b"k" * 9_000) + W.number("I", 99)))
    assert "k', byte offset 9032: unknown value type 99" in message
    assert len(message) < 400


# --- Damage ----------------------------------------------------------------------------------------------------


def read_or_refuse(data: bytes, wanted=None) -> None:
    message = "these bytes: accepted; nothing to do"
    try:
        gguf.read(data, wanted)
    except InputError as error:
        message = str(error)
    assert re.match(r"these bytes: .+; .+", message)
    assert message.isprintable()


def test_every_truncation():
    data = W.file(*ONE_OF_EACH)
    for end in range(len(data)):
        refused(data[:end])
        refused(data[:end], wanted=lambda _: False)


def test_every_byte_damaged():
    data = W.file(*ONE_OF_EACH)
    for at in range(len(data)):
        for value in (0, 1, 9, 0x7F, 0xFF, data[at] ^ 1, data[at] ^ 0x80):
            damaged = data[:at] + bytes([value]) + data[at + 1 :]
            read_or_refuse(damaged)
            read_or_refuse(damaged, lambda _: False)


def test_damage_at_several_offsets():
    choose = random.Random(20)
    data = W.file(*ONE_OF_EACH)
    for _ in range(3000):
        damaged = bytearray(data)
        for _ in range(choose.randint(1, 6)):
            start = choose.randrange(len(damaged))
            what = choose.randrange(4)
            if what == 0:
                damaged[start : start + 8] = struct.pack("<Q", choose.choice((0, 1, 1 << 31, 1 << 60, (1 << 64) - 1)))
            elif what == 1:
                damaged[start : start + 4] = struct.pack("<I", choose.randrange(14))
            elif what == 2:
                del damaged[start : start + choose.randint(1, 9)]
            else:
                damaged[start:start] = choose.randbytes(choose.randint(1, 9))
        read_or_refuse(bytes(damaged))


@given(st.binary(max_size=200))
def test_arbitrary_bytes_after_the_head(tail):
    read_or_refuse(W.file(count=1) + tail)
    read_or_refuse(b"GGUF" + tail)
    read_or_refuse(tail)
