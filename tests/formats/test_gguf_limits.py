"""GGUF files that declare huge contents are refused before they cost memory or time."""

import tracemalloc

import pytest

from explorer.formats import gguf
from tests.formats.gguf_writer import ARRAY, BOOL, F32, F64, STRING, U8, U64, Writer, refused

W = Writer()


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


@pytest.mark.parametrize("element", [U8, F64, STRING, None])
def test_huge_lengths_are_refused_even_if_the_file_is_large_enough(tmp_path, monkeypatch, element):
    """The zeros of a sparse file could be two billion empty strings."""
    monkeypatch.setattr(gguf, "MAX_KEPT", 1 << 20)
    monkeypatch.setattr(gguf, "MAX_ITEMS", 1 << 40)
    kind = W.number("I", STRING) if element is None else W.number("I", ARRAY) + W.number("I", element)
    path = tmp_path / "sparse.gguf"
    with path.open("wb") as file:
        file.write(W.file(W.string(b"k") + kind + W.number("Q", 1 << 31)))
        file.truncate(1 << 36)
    assert f"more than {gguf.MAX_KEPT} bytes" in refused(path)


@pytest.mark.parametrize("wanted", [True, False])
def test_too_many_small_items_are_refused_before_they_are_read(tmp_path, wanted):
    """The zeros of a sparse file could be two billion empty strings, which would take too long to read."""
    path = tmp_path / "sparse.gguf"
    with path.open("wb") as file:
        file.write(W.file(W.string(b"k") + W.number("I", ARRAY) + W.number("I", STRING) + W.number("Q", 1 << 31)))
        file.truncate(1 << 36)
    message = refused(path, wanted=lambda _: wanted)
    assert f"key 'k', byte offset 37: more than {gguf.MAX_ITEMS} strings" in message


def test_small_items_are_counted_over_the_whole_file(monkeypatch):
    monkeypatch.setattr(gguf, "MAX_ITEMS", 5)
    pairs = [(b"a", ARRAY, STRING, [b""] * 3), (b"b", ARRAY, STRING, [b"x", b""])]
    assert len(gguf.read(W.file(*pairs)).metadata) == 2
    pairs.append((b"c", ARRAY, STRING, [b"x"]))
    for wanted in (True, False):
        message = refused(W.file(*pairs), wanted=lambda _, wanted=wanted: wanted)
        assert "key 'c', byte offset " in message


def test_too_many_keys_are_refused_before_they_are_read(monkeypatch):
    monkeypatch.setattr(gguf, "MAX_PAIRS", 2)
    pairs = [(b"%d" % number, U8, 1) for number in range(3)]
    assert len(gguf.read(W.file(*pairs[:2])).metadata) == 2
    assert "byte offset 16: the file announces 3 keys, but at most 2 are read" in refused(W.file(*pairs))


MANY = {
    "keys": lambda: ((b"%d" % number, BOOL, True) for number in range(40_000)),
    "strings": lambda: [(b"k", ARRAY, STRING, [b"%x" % number for number in range(60_000)])],
    "empty strings": lambda: [(b"k", ARRAY, STRING, [b""] * 80_000)],
    "numbers": lambda: [(b"k", ARRAY, U64, list(range(80_000)))],
    "text": lambda: [(b"k", STRING, b"x" * 600_000)],
}


@pytest.mark.parametrize("pairs", MANY.values(), ids=MANY)
def test_memory_is_a_small_multiple_of_the_file(pairs):
    data = W.file(*pairs())
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
