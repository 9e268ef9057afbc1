"""The steps of reading UTF-8: their sentences, and the code they run."""

from __future__ import annotations

from enum import IntEnum

from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import Story, with_stories

CODE = (
    "at the first byte:",
    "while there is a byte:",
    "    if it begins with 0:",
    "        its other 7 bits are the character",
    "    else if it begins with 110, 1110 or 11110:",
    "        2, 3 or 4 bytes make the character",
    "        number = its bits after that",
    "        for each further byte:",
    "            it must begin with 10",
    "            number = number · 64 + its other 6 bits",
    "        the number must need this many bytes,",
    "            be no surrogate and at most 10FFFF",
    "    else: it is an error, written as �",
    "    go on after these bytes",
)
SOURCE = (
    "cpts_from_utf8: while offset < utf8.size():",
    "  result ← unicode_cpt_from_utf8(utf8, offset)",
    "  if that throws: offset += 1, result ← 0xFFFD",
    "unicode_cpt_from_utf8: b = utf8 + offset",
    "  b[0] & 0x80 is 0: offset += 1, return b[0]",
    "  b[0] & 0x40 is 0: throw",
    "  b[0] & 0x20 is 0: is b[1] & 0xC0 == 0x80?",
    "    offset += 2",
    "    return (b[0] & 0x1F) << 6 | b[1] & 0x3F",
    "  b[0] & 0x10 is 0: are b[1], b[2]?",
    "    offset += 3",
    "    return (b[0] & 0x0F) << 12 | (b[1] & 0x3F) << 6 | b[2] & 0x3F",
    "  b[0] & 0x08 is 0: are b[1], b[2], b[3]?",
    "    offset += 4",
    "    return (b[0] & 0x07) << 18 | (b[1] & 0x3F) << 12 | (b[2] & 0x3F) << 6 | b[3] & 0x3F",
    "  throw",
)


class Utf8Step(IntEnum):
    """What a step does."""

    SINGLE = 0
    LEAD2 = 1
    LEAD3 = 2
    LEAD4 = 3
    NEXT = 4
    TWO = 5
    THREE = 6
    FOUR = 7
    STRAY = 8
    TRUNCATED = 9
    OVERLONG = 10
    SURROGATE = 11
    TOO_HIGH = 12
    IMPOSSIBLE = 13
    END = 14
    BROKEN_END = 15


def _lead(mask: str, rest: str, size: int, source: int) -> StepKind:
    return StepKind(
        "first byte", "push", f"utf8[{{1:i}}] = {{0:t}}: b[0] & {mask} is 0, so {size} bytes make the character.",
        "{0:t} begins a character", f"b[0] & {rest} leaves {{2:t}}.", (4, 5, 6), "dot", 55, source=(3, source),
    )  # fmt: skip


def _whole(source: int) -> StepKind:
    return StepKind(
        "character", "merge", "{3:t} → {6:t} = {5:t}; offset goes {1} → {8}. It is code point {7}: {4:q}.",
        "{3:t} → {4:q}", "", (10, 11, 13), "dot", 100, True, source=(source, source + 1),
    )  # fmt: skip


def _error(label: str, say: str, why: str, lines: tuple[int, ...], source: tuple[int, ...] = (2,)) -> StepKind:
    return StepKind(label, "stale", say, f"{label}: {{0:t}}", why, lines, "diamond", 90, True, source=source)


REPLACED = "Unicode's rule: {4:t} one U+FFFD. {3:t}."

KINDS: dict[Utf8Step, StepKind] = {
    Utf8Step.SINGLE: StepKind(
        "character", "merge",
        "utf8[{1:i}] = {0:t}: b[0] & 0x80 is 0, so it is code point {7}, {5:t}: {4:q}. offset goes "
        "{1} → {8}.", "{0:t} → {4:q}", "One byte, as in ASCII.", (2, 3, 13), "dot", 80, True, source=(3, 4)),
    Utf8Step.LEAD2: _lead("0x20", "0x1F", 2, 6),
    Utf8Step.LEAD3: _lead("0x10", "0x0F", 3, 9),
    Utf8Step.LEAD4: _lead("0x08", "0x07", 4, 12),
    Utf8Step.NEXT: StepKind(
        "next byte", "push", "utf8[{1:i}] = {0:t}: & 0xC0 is 0x80. Shift the number left by 6, add {2:t}: 0x{3:t}.",
        "{0:t} adds {2:t}", "& 0x3F leaves these six bits.", (7, 8, 9), "dot", 40, source=(3,)),
    Utf8Step.TWO: _whole(7),
    Utf8Step.THREE: _whole(10),
    Utf8Step.FOUR: _whole(13),
    Utf8Step.STRAY: _error("lone", "utf8[{2:i}] = {0:t} begins with 10, but no character has begun.", REPLACED, (12,),
                           (2, 5)),
    Utf8Step.TRUNCATED: _error("cut short", "{0:t} needs another byte at offset {2}, but there is {1:t}.", REPLACED,
                               (8, 12)),
    Utf8Step.OVERLONG: _error("overlong", "{0:t} at offset {2}: {1:t} would make an overlong form.", REPLACED,
                              (10, 12)),
    Utf8Step.SURROGATE: _error("surrogate", "{0:t}, then {1:t} at offset {2}: half of a surrogate pair.", REPLACED,
                               (11, 12)),
    Utf8Step.TOO_HIGH: _error("too high", "{0:t} at offset {2}: {1:t} would make a number above 10FFFF.", REPLACED,
                              (11, 12)),
    Utf8Step.IMPOSSIBLE: _error("no such byte", "utf8[{2:i}] = {0:t} occurs in no UTF-8 text.", REPLACED, (12,),
                                (2, 15)),
    Utf8Step.END: StepKind(
        "end", "info", "{0:t} of UTF-8: {1:t}.", "{0:t} → {1:t}",
        "As numbers of 32 bits, as in llama.cpp's vector of uint32_t: {2:t}.", (1,), "diamond", 70,
        source=(0,)),
    Utf8Step.BROKEN_END: StepKind(
        "end", "info", "{0:t} read: {1:t}, with {3:t}.", "{0:t} → {1:t}",
        "Python and Rust write one U+FFFD for each malformed run; llama.cpp writes one for each byte it refuses.", (1,),
        "diamond", 70, source=(0,)),
}  # fmt: skip

FIRST_BITS = "The ones in front count the bytes. The {} bits after the 0 begin the number of the character."
NUMBER = "{5:t} is its number in Unicode, written in hexadecimal."
ONE_ERROR = "It is written as �, the sign for something that could not be read."

KINDS = with_stories(KINDS, {
    Utf8Step.SINGLE: Story("{0:q} begins with 0, so it is a character by itself: {4:q}, {5:t}.",
                           "The other seven bits are its number. These are the 128 characters of ASCII."),
    Utf8Step.LEAD2: Story("{0:q} begins with 110: two bytes make the next character.", FIRST_BITS.format("five")),
    Utf8Step.LEAD3: Story("{0:q} begins with 1110: three bytes make the next character.", FIRST_BITS.format("four")),
    Utf8Step.LEAD4: Story("{0:q} begins with 11110: four bytes make the next character.", FIRST_BITS.format("three")),
    Utf8Step.NEXT: Story("{0:q} begins with 10: it belongs to the same character.",
                         "Its other six bits, {2:t}, are put after the number so far."),
    Utf8Step.TWO: Story("{3:q} is one character: {4:q}, {5:t}. Two bytes.", NUMBER),
    Utf8Step.THREE: Story("{3:q} is one character: {4:q}, {5:t}. Three bytes.", NUMBER),
    Utf8Step.FOUR: Story("{3:q} is one character: {4:q}, {5:t}. Four bytes.", NUMBER),
    Utf8Step.STRAY: Story("{0:q} begins with 10: it continues a character, but none has begun.", ONE_ERROR),
    Utf8Step.TRUNCATED: Story("The character breaks off after {0:q}: what follows is {1:t}.",
                              "A byte that begins with 10 is missing. What was read of it becomes one �."),
    Utf8Step.OVERLONG: Story("{0:q} is the beginning of a spelling that is longer than needed.",
                             "Only the shortest spelling of a character counts; otherwise one character had several."),
    Utf8Step.SURROGATE: Story("{0:q}, then {1:q}: that would be half of a surrogate pair, not a character.",
                              "UTF-16 uses the numbers D800 to DFFF in pairs; UTF-8 never does."),
    Utf8Step.TOO_HIGH: Story("{0:q} begins a number above 10FFFF, where Unicode ends.", ONE_ERROR),
    Utf8Step.IMPOSSIBLE: Story("{0:q} begins with five ones: no character is that long.", ONE_ERROR),
    Utf8Step.END: Story("{0:t}, {1:t}.", "As numbers of one size, four bytes each: {2:t}."),
    Utf8Step.BROKEN_END: Story("{0:t}, {1:t}, with {3:t}.",
                               "Not every sequence of bytes is a text, and programs write different things instead."),
})  # fmt: skip
KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}
