"""Runs beside `xllamacpp`: reads answers by the parser that llama.cpp makes from a template.

The wheel's library is called by the names of its functions, because the package has none for it, and no model is
needed. What stands in memory is read as llama.cpp b11549 lays it out. A parser that refuses an answer throws, and
nothing here could catch that: each answer is read in a process of its own.

Reads a list of `[template, tools, parallel, texts, counts]` as JSON, each tool with the properties of its arguments,
and answers with a list for each: the message, None where it is refused, and the message while it streams, after so many
characters.
"""

import ctypes
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

POINTER = ctypes.sizeof(ctypes.c_void_p)
REFUSAL = "does not match the expected"
STRINGS = ctypes.CDLL("libstdc++.so.6")
SPEC = find_spec("xllamacpp")
LIBRARY = ctypes.CDLL(str(Path(SPEC.origin).with_name("xllamacpp.abi3.so")))
KEPT = []
"""What the library points to."""


def string(text):
    """A `std::string` as the wheel's compiler lays it out: one pointer."""
    data = text.encode()
    place = ctypes.create_string_buffer(POINTER)
    make = STRINGS["_ZNSsC1EPKcmRKSaIcE"]
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
    make(place, data, len(data), ctypes.create_string_buffer(8))
    KEPT.append(place)
    return place


def text_at(address):
    """The text of a string in memory."""
    start = ctypes.c_void_p.from_address(address).value
    length = ctypes.c_size_t.from_address(start - 3 * POINTER).value
    return ctypes.string_at(start, length).decode()


def vector(data, count, size):
    """A `std::vector` over bytes."""
    body = ctypes.create_string_buffer(data, max(1, len(data)))
    KEPT.append(body)
    start = ctypes.addressof(body)
    return b"".join((start + each).to_bytes(POINTER, "little") for each in (0, count * size, count * size))


def pointers(*strings):
    """Strings beside each other."""
    return b"".join(each.raw for each in strings)


def put(place, offset, data):
    """Bytes into an object."""
    ctypes.memmove(ctypes.addressof(place) + offset, data, len(data))


def number(value):
    """An enumerator or a truth value."""
    return value.to_bytes(4, "little")


def inputs(tools, parallel):
    """What a request asks for: a message, tools, and that reasoning is split off."""
    place = ctypes.create_string_buffer(512)
    message = ctypes.create_string_buffer(6 * POINTER + 6 * POINTER)
    empty = string("")
    put(message, 0, pointers(string("user"), string("Hi")))
    put(message, 8 * POINTER, pointers(empty, empty, empty))
    put(place, 0, vector(message.raw[: 11 * POINTER], 1, 11 * POINTER))
    put(place, 24, pointers(empty, empty))
    put(place, 40, number(1))
    put(place, 48, number(1))
    rows = b"".join(
        pointers(string(name), string("A tool."), string(json.dumps({"type": "object", "properties": properties})))
        for name, properties in tools
    )
    put(place, 56, vector(rows, len(tools), 3 * POINTER))
    put(place, 84, number(int(parallel)))
    put(place, 88, number(3))
    put(place, 92, number(1))
    header = ctypes.addressof(place) + 112  # an empty map points to itself
    put(place, 128, header.to_bytes(POINTER, "little") * 2)
    KEPT.append(place)
    return place


def session(template, tools, parallel):
    """A chat that waits for an answer."""
    place = ctypes.create_string_buffer(16_384)
    templates = ctypes.c_void_p()
    make = LIBRARY["_Z26common_chat_templates_initPK11llama_modelRKSsS3_S3_"]
    make.argtypes = [ctypes.c_void_p] * 5
    make(ctypes.byref(templates), None, string(template), string("<s>"), string("</s>"))
    begin = LIBRARY[
        "_ZN19common_chat_sessionC1EPK21common_chat_templatesPK11llama_vocabRK28common_chat_templates_inputs"
        "RK26common_chat_session_params"
    ]
    begin.argtypes = [ctypes.c_void_p] * 5
    begin(place, templates, None, inputs(tools, parallel), ctypes.create_string_buffer(8))
    return place


def piece(text):
    """Text that a model wrote, of which no token is known."""
    place = ctypes.create_string_buffer(4 * POINTER)
    put(place, 0, string(text).raw)
    count = len(text.encode())
    put(place, POINTER, vector(b"\xff" * (4 * count), count, 4))
    KEPT.append(place)
    return place


def message(chat, text, *, ends):
    """The message so far."""
    name = "finish" if ends else "feed"
    run = LIBRARY[f"_ZN19common_chat_session{len(name)}{name}ERK17common_chat_input"]
    run.argtypes, run.restype = [ctypes.c_void_p] * 2, ctypes.c_void_p
    at = None
    for each in [text] if ends else text or [""]:
        at = run(chat, piece(each))
    start, end = (ctypes.c_size_t.from_address(at + 5 * POINTER + each).value for each in (0, POINTER))
    calls = [[text_at(each), text_at(each + POINTER)] for each in range(start, end, 3 * POINTER)]
    return [text_at(at + 8 * POINTER), text_at(at + POINTER), calls]


def read(chat, text, *, ends):
    """The message, or None if it is refused."""
    out, into = os.pipe()
    err, errors = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(errors, 2)
        os.write(into, json.dumps(message(chat, text, ends=ends)).encode())
        os._exit(0)
    os.close(into)
    os.close(errors)
    with os.fdopen(out, "rb") as answer, os.fdopen(err, "rb") as said:
        value, why = answer.read(), said.read().decode("utf-8", "replace")
    os.waitpid(child, 0)
    if not value and REFUSAL not in why:
        raise RuntimeError(why)
    return json.loads(value) if value else None


def main():
    """Answers."""
    results = []
    for template, tools, parallel, texts, counts in json.load(sys.stdin):
        chat = session(template, tools, parallel)
        pairs = zip(texts, counts, strict=True)
        results.append([[read(chat, text, ends=True), read(chat, text[:count], ends=False)] for text, count in pairs])
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    main()
