"""What the browser gets of a script: the part of a long text that is drawn, in its language, in a few kilobytes.

A text is always tokenized whole. A page draws a window of its code points, widened so that its edges cut no token. All
parts of a page share one window. In another language the sentences, the words put into them and the captions change;
code stays as it is, and so do texts from input and vocabulary.

The browser gets a few kilobytes of bytes instead of hundreds of JSON. Nearly all of a script are the integers of its
steps. Each list is written as 32-bit numbers, plane by plane: first the lowest bytes of all, then the second lowest,
and so on, since the upper planes are almost empty. The lists that say where each step begins only grow, so the
distances are written. Compressed at a low level, a script of 4,000 steps takes 120 kB and a fifth of the time of its
JSON. `stepper/unpack.js` reads it.

A file is written once and kept, so there the time does not count (`pack_dense`): what a step puts and marks is written
as differences from the put before it, in as few bytes as each takes, and compressed at the highest level. That saves a
third.
"""

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from operator import sub
from typing import Any, NamedTuple

import msgspec

from explorer.engine.tokenizer import Trace
from explorer.languages import ENGLISH, Phrases, phrases
from explorer.script.script import Script, StepKind, by_position
from explorer.tables import Json, Record

WINDOW = 2_000
"""Code points drawn at a time; shorter texts are drawn whole."""


class Window(NamedTuple):
    """Code points [start, end) of the original text; `first` and `last` are the tokens drawn, [first, last)."""

    start: int
    end: int
    first: int
    last: int

    def holds(self, start: int) -> bool:
        """Whether a code point lies in the window."""
        return self.start <= start < self.end


def window_of(trace: Trace, at: int = 0, size: int = WINDOW) -> Window:
    """The window that begins at code point `at`, or at the token around it; `at` is clamped to the text.

    >>> import explorer
    >>> window_of(explorer.load("llama-2").trace("What is LoRA?"), 6, 3)
    Window(start=4, end=10, first=2, last=4)
    """
    tokens, length = trace.encoding.tokens, len(trace.text)
    if length <= size:
        return Window(0, length, 0, len(tokens))
    at = max(0, min(at, length - size))
    first = next((i for i, token in enumerate(tokens) if token.end > at), len(tokens))
    last = next((i for i in range(first, len(tokens)) if tokens[i].start >= at + size), len(tokens))
    # white space stripped by a special token belongs to no token, but to the window it lies in
    start = min(at, tokens[first].start) if first < len(tokens) and tokens[first].start >= 0 else at
    end = max(at + size, tokens[last - 1].end) if last > first else at + size
    return Window(start if first or at else 0, min(end, length), first if at else 0, last)


WIDTH = 4
"""Bytes of a number."""
GROWING = "_at"
"""How the names of the lists end that only grow."""
LEVEL = 3
"""zlib's. Level 6 saves another tenth and takes three times as long."""
DENSE = "dense"
"""A key of the JSON where the lists of `RECORDS` are written as differences."""
RECORDS = {"patches": True, "marks": False}
"""The lists of steps that are records of track, key and a third number, and whether so many numbers follow that."""


def pack(script: Script, language: str = ENGLISH) -> bytes:
    """The script in a language: zlib around the length of a JSON, the JSON, and the planes of each list of `steps`.

    In the JSON, `steps` has the length of each list in its place.
    """
    said = script if language == ENGLISH else in_language(script, phrases(language))
    return zlib.compress(content_of(said.data, {}), LEVEL)


def pack_dense(data: Json) -> bytes:
    """The data of a script, packed as a file has it."""
    return zlib.compress(content_of({**data, DENSE: True}, RECORDS), 9)


def content_of(data: Json, records: Mapping[str, bool]) -> bytes:
    """What is compressed. records: the lists that are written as differences."""
    steps = data["steps"]
    counted = {**data, "steps": {name: len(numbers) for name, numbers in steps.items()}}
    head = msgspec.json.encode(counted, enc_hook=plain_text)
    lists = (
        differences(numbers, records[name])
        if name in records
        else planes(distances(numbers) if name.endswith(GROWING) else numbers)
        for name, numbers in steps.items()
    )
    return b"".join((len(head).to_bytes(WIDTH, "little"), head, *lists))


def plain_text(text: object) -> str:
    """Words that remember what they are made of, as a text. Raises TypeError for anything else."""
    if not isinstance(text, str):
        raise TypeError(f"JSON has no {type(text).__name__}")
    return str(text)


def unpack(packed: bytes) -> Record:
    """The data of a packed script."""
    content = zlib.decompress(packed)
    at = WIDTH + int.from_bytes(content[:WIDTH], "little")
    data: Record = json.loads(content[WIDTH:at])
    records = RECORDS if data.pop(DENSE, False) else {}
    for name, count in data["steps"].items():
        if name in records:
            data["steps"][name], at = from_differences(content, at, count, records[name])
            continue
        numbers = from_planes(content[at : at + WIDTH * count])
        data["steps"][name] = list(accumulate(numbers)) if name.endswith(GROWING) else numbers
        at += WIDTH * count
    return data


def differences(numbers: Sequence[int], has_rows: bool) -> bytes:
    """Records as differences: of the key from the one before it in its track, of a row from the one before it in its
    track that is as long. Each takes seven bits a byte, and one bit for its sign.

    >>> differences([0, 5, 2, 100, 7, 0, 6, 2, 101, 7], True).hex(" ")
    '00 04 0a c8 01 0e 00 04 02 02 00'
    """
    keys: dict[int, int] = {}
    rows: dict[tuple[int, int], Sequence[int]] = {}
    packed = bytearray()
    at = 0
    while at < len(numbers):
        track, key, third = numbers[at : at + 3]
        end = at + 3 + (max(0, third) if has_rows else 0)
        row = numbers[at + 3 : end]
        before = rows.get((track, third), [0] * len(row))
        for number in (track, third, key - keys.get(track, 0), *map(sub, row, before)):
            left = 2 * number if number >= 0 else -2 * number - 1
            while left > 127:
                packed.append(left & 127 | 128)
                left >>= 7
            packed.append(left)
        keys[track], rows[track, third] = key, row
        at = end
    return bytes(packed)


def from_differences(content: bytes, at: int, count: int, has_rows: bool) -> tuple[list[int], int]:
    """So many numbers of such records, and the index after them.

    >>> from_differences(bytes.fromhex("00040ac8010e"), 0, 5, True)
    ([0, 5, 2, 100, 7], 6)
    """
    keys: dict[int, int] = {}
    rows: dict[tuple[int, int], list[int]] = {}
    values: list[int] = []

    def read() -> int:
        nonlocal at
        number, shift = 0, 0
        while True:
            number |= (content[at] & 127) << shift
            shift += 7
            at += 1
            if content[at - 1] < 128:
                return -(number + 1) // 2 if number % 2 else number // 2

    while len(values) < count:
        track, third = read(), read()
        keys[track] = key = keys.get(track, 0) + read()
        size = max(0, third) if has_rows else 0
        before = rows.get((track, third), [0] * size)
        rows[track, third] = row = [number + read() for number in before[:size]]
        values += (track, key, third, *row)
    return values, at


def planes(numbers: Sequence[int]) -> bytes:
    """Numbers below 2³¹ in size: the lowest bytes of all, then the next, up to the highest.

    >>> planes([1, 2, 259])
    b'\\x01\\x02\\x03\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00'
    """
    plain = struct.pack(f"<{len(numbers)}i", *numbers)
    return b"".join(plain[start::WIDTH] for start in range(WIDTH))


def from_planes(content: bytes) -> list[int]:
    """The numbers in planes.

    >>> from_planes(planes([1, -1, 70_000]))
    [1, -1, 70000]
    """
    plain = bytearray(len(content))
    count = len(content) // WIDTH
    for start in range(WIDTH):
        plain[start::WIDTH] = content[start * count : (start + 1) * count]
    return list(struct.unpack(f"<{count}i", plain))


def distances(numbers: Sequence[int]) -> list[int]:
    """The first number, then each one's distance from the one before.

    >>> distances([3, 5, 5])
    [3, 2, 0]
    """
    return [*numbers[:1], *map(sub, numbers[1:], numbers)]


SAYS = ("say", "why", "story", "story_why")
CAPTIONS = frozenset(
    {"title", "tab", "note", "taken", "empty", "idle", "heads", "counts", "layers", "columns", "lines"}
)
"""What a track shows beside its rows."""
WITHIN = frozenset({"title", "note", "name"})
"""What it shows of each of its layers and columns."""


def in_language(script: Script, to: Phrases) -> Script:
    """The same script, said in another language; the script itself in English."""
    if to.language == ENGLISH:
        return script
    data, (said, fields) = script.data, script.start
    changed: Record = {
        "title": to.caption(data["title"]),
        "landmark": to.caption(data["landmark"]),
        "texts": [text if index in script.spelled else to.text(text) for index, text in enumerate(data["texts"])],
        "start": {**data["start"], **{part: by_position(to.words(each), fields) for part, each in said.items()}},
        "kinds": [kind_in(kind, to) for kind in script.kinds],
        "phases": [{**phase, "name": to.caption(phase["name"])} for phase in data["phases"]],
        "code": {**data["code"], "title": to.caption(data["code"]["title"])},
        "roles": [{**role, "label": to.caption(role["label"])} for role in data["roles"]],
        "tracks": [
            {key: captions(value, to) if key in CAPTIONS else value for key, value in track.items()}
            for track in data["tracks"]
        ],
    }
    return replace(script, data={**data, **changed})


@lru_cache(2_000)
def kind_in(kind: StepKind, to: Phrases) -> Record:
    """A kind of step, as it is sent. Kept: the same ones come again with the next key press."""
    said = {part: by_position(to.words(words), kind.fields) for part in SAYS if (words := getattr(kind, part))}
    values = [(line, by_position(to.caption(value), kind.fields)) for line, value in kind.values]
    return {**kind.sent, **said, "values": values, "label": to.caption(kind.label)}


def captions(value: Any, to: Phrases) -> Any:
    """A caption, or those within a list."""
    if isinstance(value, str):
        return to.caption(value)
    if isinstance(value, list | tuple):
        return [captions(each, to) for each in value]
    if isinstance(value, dict):
        return {key: captions(each, to) if key in WITHIN else each for key, each in value.items()}
    return value
