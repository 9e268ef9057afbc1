"""A small GGUF writer, written from the specification, for tests that need a file of their own."""

import struct
from array import array

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


def written(metadata):
    """A file with these keys; the types are those that llama.cpp expects of tokenizer keys."""

    def value(x):
        if isinstance(x, bool):
            return BOOL, x
        if isinstance(x, int):
            return U32, x
        if isinstance(x, str):
            return STRING, x.encode()
        if isinstance(x, array):
            return ARRAY, {"f": F32, "i": I32, "b": I8}[x.typecode], list(x)
        return ARRAY, STRING, x

    return Writer().file(*((key.encode(), *value(x)) for key, x in metadata.items()))
