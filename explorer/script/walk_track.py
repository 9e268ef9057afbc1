"""The tracks that several scripts share: the path through a tree of pieces, the columns of ids and decoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from explorer.engine.models.prefixes import Continuation
from explorer.script.script import ScriptBuilder
from explorer.text import visible
from explorer.text.input import is_utf8

BRANCHES = 5
"""Edges not taken that are drawn at a node. If there are more, one line fewer and the number of the others."""

PASSED, TAKEN, BEYOND = range(3)
"""States of a node: on the path, the token taken, and a node that this algorithm does not reach but another would."""

END, NEXT = -1, -2
"""The keys of the two rows that are no nodes."""


class WalkTrack:
    """Writes the rows of the walk at work.

    title: of the list of tokens passed. note: under the tree. taken: what the list says of its last token. by_byte:
    whether an edge is a byte; else it is a character.
    """

    def __init__(self, title: str, note: str, taken: str, *, by_byte: bool = True) -> None:
        self.by_byte = by_byte
        self.branches: list[list[list[int]]] = []
        self.track: dict[str, Any] = {
            "name": "walk", "type": "tree", "title": title, "note": note, "taken": taken, "branches": self.branches,
        }  # fmt: skip
        self._known: dict[tuple[bytes, bytes], int] = {}
        self._rows: list[tuple[int, ...]] = []
        self._extra: set[int] = set()
        self.builder: ScriptBuilder

    def begin(self, branches: int) -> None:
        """A new walk begins at the root."""
        for key in range(1, len(self._rows)):
            self.builder.delete("walk", key)
        for key in self._extra:
            self.builder.delete("walk", key)
        self._rows.clear()
        self._extra.clear()
        self._put((-1, -1, -1, -1, 0, branches, PASSED))

    def node(self, edge: bytes, token: int, text: int, size: int, branches: int, state: int = PASSED) -> None:
        """The walk takes an edge. text: of the path so far, an index in the string table. size: its bytes."""
        self._put((self.edge(edge), self.character(edge), token, text, size, branches, state))

    def stop(self, edge: bytes, word: str) -> None:
        """The walk ends at an edge that does not exist, or with the text."""
        self._extra.add(END)
        self.builder.put("walk", END, self.edge(edge) if edge else -1, self.builder.plain(word))

    def take(self, size: int, next_text: int) -> None:
        """The node with this many bytes is taken. next_text: what the next walk begins with, -1 at the end."""
        for key, row in enumerate(self._rows):
            if row[4] == size and row[6] == PASSED and row[2] >= 0:
                self.builder.put("walk", key, *row[:6], TAKEN)
        self._extra.add(NEXT)
        self.builder.put("walk", NEXT, next_text)

    def branches_of(self, prefix: bytes, following: bytes, continuations: Sequence[Continuation]) -> int:
        """The edges at a prefix but the one to be taken, those with most tokens first: an index in the branches."""
        key = prefix, following
        if key not in self._known:
            others = [each for each in continuations if each.data != following]
            shown = others if len(others) <= BRANCHES else others[: BRANCHES - 1]
            lines = [
                [self.edge(each.data), self.character(self._open_character(prefix) + each.data), each.tokens]
                for each in shown
            ]
            if len(others) > len(shown):
                lines.append([-1, -1, len(others) - len(shown)])
            self._known[key] = len(self.branches)
            self.branches.append(lines)
        return self._known[key]

    def edge(self, data: bytes) -> int:
        """An edge: a byte as two digits, a character as itself, and so are bytes that are not one."""
        if self.by_byte or not is_utf8(data):
            return self.builder.plain(data.hex(" ").upper())
        return self.builder.text(data.decode())

    def character(self, data: bytes) -> int:
        """The one character that bytes are, -1 if they are none, or if the edge says it already."""
        if not self.by_byte:
            return -1
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return -1
        return self.builder.plain(visible(text)) if len(text) == 1 else -1

    def _put(self, row: tuple[int, ...]) -> None:
        self.builder.put("walk", len(self._rows), *row)
        self._rows.append(row)

    @staticmethod
    def _open_character(prefix: bytes) -> bytes:
        """The bytes at the end of a prefix that do not make a whole character yet."""
        for size in range(1, min(4, len(prefix)) + 1):
            lead = prefix[-size]
            if lead >= 0xC0:
                whole = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
                return prefix[-size:] if size < whole else b""
            if lead < 0x80:
                break
        return b""


PLAIN, GOOD, WAITS, GONE = range(4)
"""The states of a line: as it is, finished, waiting, left out."""


def columns(title: str, note: str, lines: Sequence[str], empty: str = "No tokens.") -> dict[str, Any]:
    """The track. A row is a text, the number that colors it, its span, then text (-1: none) and state of each line.

    lines: the names of the lines, that of the token first.
    """
    return {"name": "columns", "type": "columns", "title": title, "note": note, "lines": list(lines), "empty": empty}
