"""The text that a character map writes, replayed from its events: chunk by chunk, then the white space rules.

An event counts in the original text. Where the search took code points as one, they are one chunk; white space rules
change the text of a chunk, or put a ▁ before or after all of them.
"""

from dataclasses import dataclass

from explorer.engine.normalizers.charsmap import (
    SPACE,
    CharsmapEvent,
    CharsmapNormalization,
    CharsmapRow,
    llama_cpp_whitespace,
)
from explorer.engine.part import Segment, silent

SEARCHES = (
    CharsmapEvent.MAP,
    CharsmapEvent.KEEP,
    CharsmapEvent.USER_DEFINED,
    CharsmapEvent.BEGINNING,
    CharsmapEvent.CUT,
)
"""Events that make a chunk."""


@dataclass(slots=True)
class ChunkText:
    """One chunk: code points [start, end) of the original, and its text so far.

    front: a ▁ written before it. done: how many code points of the text hold no space that is still to be written.
    """

    start: int
    end: int
    was: str
    text: str
    front: str = ""
    done: int = 0


class SegmentReplay:
    """The chunks of one segment, as the events so far have left them."""

    def __init__(self, part: CharsmapNormalization, segment: Segment) -> None:
        self.part, self.segment, self.space = part, segment, part.rules.space
        self.chunks: list[ChunkText] = []
        self.at: dict[int, int] = {}
        """first code point → chunk"""
        self.suffix = ""
        """a ▁ written after the last chunk"""
        self.index = {start: number for number, start in enumerate(segment.starts)}
        """code point of the original → index in the segment"""
        self.merges = part.whitespace is llama_cpp_whitespace and part.rules.remove_extra_whitespaces
        """whether a run of spaces is written as one ▁"""

    def take(self, row: CharsmapRow) -> list[int]:
        """Does what an event says. Returns the chunks that changed; their number is the index of what comes after."""
        kind = CharsmapEvent(row.kind)
        if kind == CharsmapEvent.SHORTER:
            return []
        if kind in SEARCHES:
            return [self._search(kind, row)]
        if kind == CharsmapEvent.PREFIX:
            chunk = self.at.get(row.at, len(self.chunks))
            if chunk < len(self.chunks):
                self.chunks[chunk].front = self.space
            else:
                self.suffix += self.space
            return [chunk]
        if kind == CharsmapEvent.SUFFIX:
            self.suffix += self.space
            return [len(self.chunks)]
        return self._escape(row) if kind == CharsmapEvent.ESCAPE else self._drop(row)

    def _search(self, kind: CharsmapEvent, row: CharsmapRow) -> int:
        first = self.index[row.at]
        last = first
        while last < len(self.segment.text) and self.segment.starts[last] < row.at + row.size:
            last += 1
        was = self.segment.text[first:last]
        text = was
        if kind == CharsmapEvent.MAP:
            assert self.part.charsmap is not None, "only a map maps"
            text = self.part.charsmap.string(row.value)
        elif kind == CharsmapEvent.CUT:
            text = cut_text(self.part, self.segment, first)
        self.at[row.at] = len(self.chunks)
        self.chunks.append(ChunkText(row.at, row.at + row.size, was, text))
        return len(self.chunks) - 1

    def _within(self, row: CharsmapRow) -> list[int]:
        """The chunks of an event's span."""
        found = []
        chunk = self.at.get(row.at, len(self.chunks))
        while chunk < len(self.chunks) and self.chunks[chunk].start < row.at + row.size:
            found.append(chunk)
            chunk += 1
        return found

    def _escape(self, row: CharsmapRow) -> list[int]:
        """A space becomes ▁; where runs are merged, the others of the run go."""
        written = ""
        touched = self._within(row)
        for number in touched:
            chunk = self.chunks[number]
            at = 0 if written else chunk.text.find(SPACE, chunk.done)
            if at < 0:
                continue
            rest = chunk.text[at:]
            rest = rest.lstrip(SPACE) if self.merges else rest[1:]
            kept = chunk.text[:at] + ("" if written else self.space)
            chunk.text, chunk.done, written = kept + rest, len(kept), self.space
            if rest:
                break
        return touched

    def _drop(self, row: CharsmapRow) -> list[int]:
        """Leading spaces of a chunk go, or else the space at its end."""
        if not row.size:
            return self._drop_prefix(row)
        touched = self._within(row)
        for number in touched:
            chunk = self.chunks[number]
            if self.merges:
                chunk.text = chunk.text[: chunk.done] + chunk.text[chunk.done :].rstrip(SPACE)
            else:
                chunk.text = chunk.text.lstrip(SPACE) if chunk.text.startswith(SPACE) else chunk.text[:-1]
        return touched

    def _drop_prefix(self, row: CharsmapRow) -> list[int]:
        """The space put in front goes again: there was nothing after it."""
        chunk = self.at.get(row.at, len(self.chunks))
        if chunk < len(self.chunks):
            self.chunks[chunk].front = ""
        else:
            self.suffix = ""
        return [chunk]

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(chunk.front + chunk.text for chunk in self.chunks) + self.suffix


def cut_text(part: CharsmapNormalization, segment: Segment, first: int) -> str:
    """What is left of a character that a user-defined piece cuts; the events don't say how many of its bytes."""
    chunks = part.search(part.charsmap, part.user_defined, segment.text, silent)
    return next(chunk.text for chunk in chunks if chunk.start == first)
