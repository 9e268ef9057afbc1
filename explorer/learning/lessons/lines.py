"""The lines of a lesson's file: where the key stands that an error names.

Python's TOML reader keeps no lines, so the keys are found again by the tokens of `formats.strict_toml`, which skip
strings and comments.
"""

import re

from explorer.formats.strict_toml import ONE_PART, TOKEN

CARD = re.compile(r"card (\d+)")
LINE = re.compile(r"\bline (\d+)")

NO_TOML = "this is not TOML"
"""How `formats.strict_toml` begins what Python's reader says, which has the line at its end."""

Path = tuple[str | int, ...]
"""The number of a card, 0 outside of cards, and keys."""


def line_of(source: str, message: str) -> int:
    """The line that a message about a lesson is about, from 1. message: "card 3, question, kind: unknown …".

    The line of the innermost key that is there; of a message that names no key, 1.

    >>> source = 'title = "T"\\n[[card]]\\ntitle = "A"\\n[card.question]\\nkind = "x"\\n[[card]]\\ntitle = "B"'
    >>> line_of(source, "card 1, question, kind: unknown"), line_of(source, "card 2, words: missing")
    (5, 6)
    """
    place = message.partition(": ")[0]
    told = LINE.search(message if place == NO_TOML else place)
    if told is not None:
        return int(told[1])
    if place == NO_TOML:  # at the end of the document
        return source.rstrip().count("\n") + 1
    names = place.split(", ")
    card = CARD.fullmatch(names[0])
    wanted: Path = (int(card[1]), *names[1:]) if card else (0, *names)
    lines = key_lines(source)
    for size in range(len(wanted), 0, -1):
        if wanted[:size] in lines:
            return lines[wanted[:size]]
    return 1


def key_lines(source: str) -> dict[Path, int]:
    """The line of each key and table, by its path.

    >>> key_lines("[panel]\\ntext = 'a'\\n[[card]]\\nclaims = { tokens = 2 }")[1, "claims", "tokens"]
    4
    """
    lines: dict[Path, int] = {}
    card, header = 0, False
    table, key, tables = tuple[str, ...](), tuple[str, ...](), list[tuple[str, ...]]()
    for found in TOKEN.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        kind = found.lastgroup
        if kind in ("key", "end"):
            parts = tuple(each.strip("\"'") for each in ONE_PART.findall(found["key"]))
            if found["end"] == "=":
                key = (*table, *parts)
                lines.setdefault((card, *key), line)
            elif found["end"] == "]" and header:
                card += parts == ("card",)
                in_card = parts[0] == "card"
                table, tables = (parts[1:] if in_card else parts), []
                lines.setdefault((card if in_card else 0, *table), line)
        header = kind == "open" and not source[: found.start()].rpartition("\n")[2].strip(" \t[")
        if kind == "open" and found["open"] == "{":
            tables.append(table)
            table = key
        elif kind == "close" and found["close"] == "}" and tables:
            table = tables.pop()
    return lines
