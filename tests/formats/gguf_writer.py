"""A small GGUF writer for tests, written from the specification."""

import array
import struct

import pytest

from explorer.errors import InputError
from explorer.formats import gguf

U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 = range(13)
LETTERS = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", I64: "q", F64: "d"}


class Writer:
    """Writes GGUF. A value is (type, x), an array (ARRAY, element type, list of x)."""

    def __init__(self, order="<"):
        self.order = order

    def number(self, letter, x):
        return struct.pack(self.order + letter, x)

    def string(self, data):
        return self.number("Q", len(data)) + data

    def payload(self, kind, *value):
        if kind == STRING:
            return self.string(value[0])
        if kind == ARRAY:
            element, items = value
            items = [item if element == ARRAY else (item,) for item in items]
            return (
                self.number("I", element)
                + self.number("Q", len(items))
                + b"".join(self.payload(element, *item) for item in items)
            )
        return self.number(LETTERS[kind], value[0])

    def pair(self, key, kind, *value):
        return self.string(key) + self.number("I", kind) + self.payload(kind, *value)

    def file(self, *pairs, version=3, tensors=0, count=None):
        count = len(pairs) if count is None else count
        head = b"GGUF" + self.number("I", version) + self.number("Q", tensors) + self.number("Q", count)
        return head + b"".join(pair if isinstance(pair, bytes) else self.pair(*pair) for pair in pairs)


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
]
"""One key per value type, for `Writer.file`."""
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
}
"""The values a reader must return for them."""


def refused(source, **options) -> str:
    """The message of the InputError for `source`: one line that ends with advice."""
    with pytest.raises(InputError) as caught:
        gguf.read(source, **options)
    message = str(caught.value)
    assert message.isprintable()
    assert "; " in message
    return message


def written(metadata):
    """A file with these keys, in the types that llama.cpp expects."""

    def value(x):
        if isinstance(x, bool):
            return BOOL, x
        if isinstance(x, int):
            return U32, x
        if isinstance(x, str):
            return STRING, x.encode()
        if isinstance(x, array.array):
            return ARRAY, {"f": F32, "i": I32, "b": I8}[x.typecode], list(x)
        return ARRAY, STRING, x

    return Writer().file(*((key.encode(), *value(x)) for key, x in metadata.items()))
