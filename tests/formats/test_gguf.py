"""GGUF: what a small writer writes is read back, real files are read fast, and no damage escapes as anything else."""

import array
import math
import os
import random
import re
import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.formats import gguf
from tests.formats.gguf_writer import (
    ARRAY,
    BOOL,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    STRING,
    U8,
    U16,
    U32,
    U64,
    Writer,
)  # fmt: skip

VOCABS = Path(__file__).parents[2] / "vocabs"
SPM = VOCABS / "ggml-vocab-llama-spm.gguf"

W = Writer()
ONE_OF_EACH = [
    (b"u8", U8, 200),
    (b"i8", I8, -3),
    (b"u16", U16, 60_000),
    (b"i16", I16, -3000),
    (b"u32", U32, 4_000_000_000),
    (b"i32", I32, -5),
    (b"f32", F32, 0.5),
    (b"yes", BOOL, True),
    (b"no", BOOL, False),
    (b"text", STRING, "▁Å\n".encode()),
    (b"empty", STRING, b""),
    (b"u64", U64, 1 << 63),
    (b"i64", I64, -(1 << 62)),
    (b"f64", F64, 1e300),
    (b"tokens", ARRAY, STRING, [b"<s>", b"", b"\xff", "▁".encode()]),
    (b"scores", ARRAY, F32, [0.0, -1.5, 2.0]),
    (b"types", ARRAY, I32, [1, -2, 3]),
    (b"bytes", ARRAY, U8, [0, 255]),
    (b"wide", ARRAY, U64, [1 << 60]),
    (b"truths", ARRAY, BOOL, [True, False]),
    (b"none", ARRAY, STRING, []),
    (b"no numbers", ARRAY, F64, []),
    (b"nested", ARRAY, ARRAY, [(I16, [1, 2]), (STRING, [b"x"]), (ARRAY, [(U8, [7])])]),
]
EXPECTED = {
    "u8": 200,
    "i8": -3,
    "u16": 60_000,
    "i16": -3000,
    "u32": 4_000_000_000,
    "i32": -5,
    "f32": 0.5,
    "yes": True,
    "no": False,
    "text": "▁Å\n",
    "empty": "",
    "u64": 1 << 63,
    "i64": -(1 << 62),
    "f64": 1e300,
    "tokens": [b"<s>", b"", b"\xff", "▁".encode()],
    "scores": array.array("f", [0.0, -1.5, 2.0]),
    "types": array.array("i", [1, -2, 3]),
    "bytes": array.array("B", [0, 255]),
    "wide": array.array("Q", [1 << 60]),
    "truths": array.array("B", [1, 0]),
    "none": [],
    "no numbers": array.array("d"),
    "nested": (array.array("h", [1, 2]), [b"x"], (array.array("B", [7]),)),
}


def refused(source, **options) -> str:
    """The message with which `source` is refused: one line, which says what to do after the last semicolon."""
    with pytest.raises(InputError) as caught:
        gguf.read(source, **options)
    message = str(caught.value)
    assert message.isprintable()
    assert "; " in message
    return message


# --- What is read ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("from_path", [True, False])
def test_every_type(tmp_path, order, version, from_path):
    data = Writer(order).file(*ONE_OF_EACH, version=version, tensors=7) + b"tensors, not read"
    path = tmp_path / "model.gguf"
    path.write_bytes(data)
    head = gguf.read(path if from_path else data)
    assert (head.version, head.tensor_count) == (version, 7)
    assert head.metadata == EXPECTED
    assert list(head.metadata) == list(EXPECTED)
    for key, value in EXPECTED.items():
        assert type(head.metadata[key]) is type(value), key
        if isinstance(value, array.array):
            assert head.metadata[key].typecode == value.typecode


def test_no_keys_at_all():
    assert gguf.read(W.file()) == gguf.Gguf(3, 0, {})


def test_values_nobody_wants_are_passed_over():
    data = W.file(*ONE_OF_EACH)
    for key, value in EXPECTED.items():
        assert gguf.read(data, wanted=lambda name, key=key: name == key).metadata == {key: value}
    assert gguf.read(data, wanted=lambda _: False).metadata == {}


def test_not_a_number_is_a_number():
    found = gguf.read(W.file((b"x", F32, math.nan), (b"y", ARRAY, F64, [math.inf]))).metadata
    assert math.isnan(found["x"])
    assert found["y"][0] == math.inf


def test_a_real_vocabulary():
    head = gguf.read(SPM)
    assert (head.version, head.tensor_count) == (3, 0)
    assert head.metadata["tokenizer.ggml.model"] == "llama"
    assert head.metadata["tokenizer.ggml.bos_token_id"] == 1
    tokens, scores, types = (head.metadata[f"tokenizer.ggml.{key}"] for key in ("tokens", "scores", "token_type"))
    assert len(tokens) == len(scores) == len(types) == 32_000
    assert tokens[:4] == [b"<unk>", b"<s>", b"</s>", b"<0x00>"]
    assert (tokens[1724], scores[1724], types[1724]) == ("▁What".encode(), -1465.0, 1)
    assert head == gguf.read(SPM.read_bytes())


def test_the_tensors_are_never_read(tmp_path):
    """A sparse file of 64 GB behind a header: its pages would not fit into memory."""
    path = tmp_path / "large.gguf"
    with path.open("wb") as file:
        file.write(W.file(*ONE_OF_EACH, tensors=300))
        file.truncate(1 << 36)
    assert gguf.read(path).metadata == EXPECTED


# --- What is refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this is no GGUF file, it is empty"),
        (b"[PAD]\n[unused0]\n", "this is no GGUF file, it begins with 5B 50 41 44"),
        (b"GGU", "this is no GGUF file, it begins with 47 47 55"),
        (b"gguf\3\0\0\0", "this is no GGUF file, it begins with 67 67 75 66"),
        (b"\x80", "this is no GGUF file, it begins with 80"),
        (b"\0" * 40, "this is no GGUF file, it begins with 00 00 00 00"),
    ],
)
def test_other_files_are_refused(tmp_path, data, message):
    path = tmp_path / "some file"
    path.write_bytes(data)
    assert refused(path).startswith(f"{path}: {message}")
    assert refused(data, name="upload").startswith(f"upload: {message}")
    assert refused(data).startswith("these bytes: ")


def test_paths_that_are_no_file(tmp_path):
    assert refused(tmp_path) == f"{tmp_path}: this is a folder; name the .gguf file in it"
    assert refused(tmp_path / "no.gguf") == f"{tmp_path}/no.gguf: there is no such file; check the path"
    assert refused(tmp_path / ("x" * 300)).endswith("check the path")
    assert refused(Path("a\0b.gguf")).startswith(r"'a\x00b.gguf': cannot be opened (embedded null byte)")
    assert refused(tmp_path / "a\nb\udce9").startswith("'")
    os.mkfifo(tmp_path / "pipe")
    assert "no ordinary file" in refused(tmp_path / "pipe")
    file = tmp_path / "file"
    file.touch()
    assert "cannot be opened" in refused(file / "below")


def test_a_file_without_permission(tmp_path, monkeypatch):
    def deny(*_, **__):  # instead of chmod, which does not stop root
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "mine.gguf"
    path.write_bytes(W.file())
    monkeypatch.setattr("builtins.open", deny)
    assert refused(path) == f"{path}: cannot be read (Permission denied); check its permissions"


TOO_DEEP = (ARRAY, [(ARRAY, [(ARRAY, [(ARRAY, [(U8, [1])])])])])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (W.file(version=1), "byte offset 4: GGUF version 1 is no longer read; convert"),
        (W.file(version=4), "byte offset 4: GGUF version 4 is unknown"),
        (W.file(version=0), "byte offset 4: GGUF version 0 is unknown"),
        (Writer(">").file(version=1), "byte offset 4: GGUF version 1 is no longer read"),
        (Writer(">").file(version=9), "byte offset 4: GGUF version 9 is unknown"),
        (b"GGUF", "byte offset 4: 4 bytes are to follow, but the file ends after 0"),
        (b"GGUF\3\0\0\0\0", "byte offset 8: 8 bytes are to follow, but the file ends after 1"),
        (W.file(count=1 << 60), "byte offset 16: 1152921504606846976 keys are announced"),
        (W.file((b"a", U8, 1), count=2), "byte offset 16: 2 keys are announced"),
        (W.file((b"a", U64, 1), (b"b", U64, 1), count=3), "byte offset 66: 8 bytes are to follow, but the"),
        (W.file((b"a", U8, 1), (b"a", U8, 1)), "byte offset 38: the key 'a' stands there twice"),
        (W.file((b"caf\xe9!", U8, 1)), "byte offset 35: a key is not UTF-8 (E9): The character breaks off"),
        (W.file((b"", U64, 1)), "byte offset 24: a key of 0 bytes (1 to 65535 are allowed)"),
        (W.file((b"k" * 65_536, U8, 1)), "byte offset 24: a key of 65536 bytes"),
        (W.file(W.number("Q", 1 << 60) + b"k" * 9), "byte offset 24: a key of 1152921504606846976 bytes"),
        (W.file(W.number("Q", 9) + b"k" * 8), "byte offset 32: 9 bytes are to follow, but the file ends after 8"),
        (W.file(W.string(b"k") + W.number("I", 13) + b"x" * 8), "key 'k', byte offset 33: unknown value type 13"),
        (W.file(W.string(b"k\n") + W.number("I", 99) + b"x"), r"key 'k\n', byte offset 34: unknown value type 99"),
        (W.file((b"k", ARRAY, ARRAY, [TOO_DEEP])), "key 'k', byte offset 85: arrays nested more than 4 deep"),
        (
            W.file(W.string(b"k") + W.number("I", ARRAY) + W.number("I", 13) + W.number("Q", 1)),
            "key 'k', byte offset 37: unknown element type 13",
        ),
        (W.file(W.string(b"k") + W.number("I", BOOL) + b"\2"), "key 'k', byte offset 37: a truth value of 2"),
        (
            W.file(W.string(b"k") + W.number("I", ARRAY) + W.number("I", BOOL) + W.number("Q", 2) + b"\1\7"),
            "key 'k', byte offset 49: a truth value that is neither 0 nor 1",
        ),
        (W.file((b"k", STRING, b"ab\xff")), "key 'k', byte offset 47: the text is not UTF-8 (FF): No UTF-8"),
        (
            W.file(W.string(b"k") + W.number("I", STRING) + W.number("Q", 5) + b"abcd"),
            "key 'k', byte offset 45: 5 bytes are to follow, but the file ends after 4",
        ),
        (
            W.file(
                W.string(b"k") + W.number("I", ARRAY) + W.number("I", STRING) + W.number("Q", 2) + W.string(b"a" * 9)
            ),
            "key 'k', byte offset 66: string 2 of 2 reaches beyond the end",
        ),
    ],
)
def test_broken_rules(data, message):
    assert refused(data, name="m.gguf").startswith(f"m.gguf: {message}")


def test_a_long_key_is_shown_short():
    message = refused(W.file(W.string(b"k" * 9_000) + W.number("I", 99)))
    assert "k', byte offset 9032: unknown value type 99" in message
    assert len(message) < 400


@pytest.mark.parametrize("element", [U8, BOOL, F32, U64, STRING, ARRAY, None])
@pytest.mark.parametrize("lie", [1 << 60, (1 << 64) - 1, 1 << 34, 200])
@pytest.mark.parametrize("wanted", [True, False])
def test_lying_lengths_take_no_memory(element, lie, wanted):
    kind = W.number("I", STRING) if element is None else W.number("I", ARRAY) + W.number("I", element)
    data = W.file(W.string(b"k") + kind + W.number("Q", lie) + b"\0" * 100)
    tracemalloc.start()
    try:
        message = refused(data, wanted=lambda _: wanted)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "key 'k', byte offset " in message
    assert peak < 1_000_000


@pytest.mark.parametrize("element", [U8, F64, STRING, ARRAY, None])
def test_lengths_that_a_huge_file_bears_out_are_refused_too(tmp_path, monkeypatch, element):
    """The zeros of a sparse file could be two thousand million empty strings."""
    monkeypatch.setattr(gguf, "MAX_KEPT", 1 << 20)
    monkeypatch.setattr(gguf, "MAX_ITEMS", 1 << 40)
    kind = W.number("I", STRING) if element is None else W.number("I", ARRAY) + W.number("I", element)
    path = tmp_path / "sparse.gguf"
    with path.open("wb") as file:
        file.write(W.file(W.string(b"k") + kind + W.number("Q", 1 << 31)))
        file.truncate(1 << 36)
    assert f"more than {gguf.MAX_KEPT} bytes" in refused(path)


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("element", [STRING, ARRAY])
def test_too_many_small_things_are_refused_before_they_are_read(tmp_path, element, wanted):
    """The zeros of a sparse file could be two thousand million empty strings, which nobody wants to wait for."""
    path = tmp_path / "sparse.gguf"
    with path.open("wb") as file:
        file.write(W.file(W.string(b"k") + W.number("I", ARRAY) + W.number("I", element) + W.number("Q", 1 << 31)))
        file.truncate(1 << 36)
    message = refused(path, wanted=lambda _: wanted)
    assert f"key 'k', byte offset 37: more than {gguf.MAX_ITEMS} strings and arrays" in message


def test_small_things_are_counted_over_the_whole_file(monkeypatch):
    monkeypatch.setattr(gguf, "MAX_ITEMS", 5)
    pairs = [(b"a", ARRAY, STRING, [b""] * 3), (b"b", ARRAY, ARRAY, [(U8, [1]), (STRING, [])])]
    assert len(gguf.read(W.file(*pairs)).metadata) == 2
    pairs.append((b"c", ARRAY, STRING, [b"x"]))
    for wanted in (True, False):
        message = refused(W.file(*pairs), wanted=lambda _, wanted=wanted: wanted)
        assert "key 'c', byte offset " in message


def test_too_many_keys_are_refused_before_they_are_read(monkeypatch):
    monkeypatch.setattr(gguf, "MAX_PAIRS", 2)
    pairs = [(b"%d" % number, U8, 1) for number in range(3)]
    assert len(gguf.read(W.file(*pairs[:2])).metadata) == 2
    assert "byte offset 16: 3 keys are announced, and 2 is the most" in refused(W.file(*pairs))


MANY = {
    "keys": W.file(*((b"%d" % number, BOOL, True) for number in range(40_000))),
    "strings": W.file((b"k", ARRAY, STRING, [b"%x" % number for number in range(60_000)])),
    "empty strings": W.file((b"k", ARRAY, STRING, [b""] * 80_000)),
    "arrays": W.file((b"k", ARRAY, ARRAY, [(U8, [1])] * 50_000)),
    "numbers": W.file((b"k", ARRAY, U64, list(range(80_000)))),
    "text": W.file((b"k", STRING, b"x" * 600_000)),
}


@pytest.mark.parametrize("data", MANY.values(), ids=MANY)
def test_memory_is_a_small_multiple_of_the_file(data):
    tracemalloc.start()
    try:
        found = gguf.read(data).metadata
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found
    assert peak < 12 * len(data)


@pytest.mark.parametrize("large", [(ARRAY, U8, [1] * 400), (ARRAY, STRING, [b"x" * 392]), (STRING, b"x" * 400)])
def test_many_large_values_are_refused_together(monkeypatch, large):
    monkeypatch.setattr(gguf, "MAX_KEPT", 1000)
    pairs = [(b"0", *large), (b"1", *large)]
    assert len(gguf.read(W.file(*pairs)).metadata) == 2
    pairs.append((b"last", ARRAY, STRING, [b"x" * 96, b"y" * 96]))
    message = refused(W.file(*pairs))
    assert "key 'last', byte offset " in message
    assert "more than 1000 bytes" in message
    assert gguf.read(W.file(*pairs), wanted=lambda key: key != "0").metadata["last"] == [b"x" * 96, b"y" * 96]


# --- Damage ----------------------------------------------------------------------------------------------------


def read_or_refuse(data: bytes, wanted=None) -> None:
    message = "these bytes: accepted; nothing to do"
    try:
        gguf.read(data, wanted)
    except InputError as error:
        message = str(error)
    assert re.match(r"these bytes: .+; .+", message)
    assert message.isprintable()


@pytest.mark.parametrize("order", ["<", ">"])
def test_every_truncation(order):
    data = Writer(order).file(*ONE_OF_EACH)
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


def test_several_places_damaged():
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
