"""What the scripts over bytes share: the bytes of the text as cells, the current path as lines, tokens as boxes.

Used for the walk through a trie (`trie_script.py`) and for the loop that stops at the first miss
(`first_miss_script.py`). Only walks that begin within the window become steps.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from explorer.engine.items import Segment
from explorer.engine.models.trie import ByteMatch
from explorer.engine.results import Stage
from explorer.script.model_script import Fragment, ModelScript
from explorer.script.script import Script, ScriptBuilder, StepKind, Values, table
from explorer.script.walk_track import WalkTrack
from explorer.script.window import Window
from explorer.text import visible, visible_char
from explorer.text.say import plural
from explorer.text.utf8 import character_of_each_byte
from explorer.vocabulary import Vocabulary, spelled

ROLES = (("", "done"), ("", "reject"), ("seen", "next"), ("", "gone"), ("", "hit"))
PATH, NOWHERE, SEEN, BACK, HIT = range(len(ROLES))

SEGMENT: Final = """
SEGMENT: fragment
    look: info dot 60
    fields: size:t
    say: A new fragment of {size} begins.
    log: new fragment, {size}
    story: The next part of the text begins, with {size}.
    story_why: No token crosses from one part to the next.
"""
"""A fragment begins, for a walk over its bytes."""

Told: TypeAlias = tuple[Hashable, Values]
"""The key of a kind of step, and what its fields are."""


def begins(count: int, what: str = "token") -> str:
    """How many tokens begin with a prefix.

    >>> begins(1), begins(2, "longer token")
    ('1 token begins', '2 longer tokens begin')
    """
    return f"{plural(count, what)} {'begins' if count == 1 else 'begin'}"


class ByteFragment(Fragment):
    """One fragment with a cell for each byte. of: byte → index of its character in the fragment."""

    def __init__(self, segment: Segment, window: Window) -> None:
        self.data = segment.text.encode()
        self.of = character_of_each_byte(self.data)
        starts, ends = segment.starts, segment.ends
        super().__init__(segment, window, [starts[i] for i in self.of], [ends[i] for i in self.of])

    def ends_character(self, at: int) -> bool:
        """Whether a byte is the last one of its character."""
        return at + 1 == len(self.of) or self.of[at + 1] != self.of[at]

    def character(self, at: int) -> str:
        """The character a byte belongs to."""
        return self.segment.text[self.of[at]]


class ByteScript(ModelScript[ByteFragment]):
    """A script over bytes. Rows have the fields kind, at, start and token; kind 0 begins a fragment.

    ends: the kinds of row that put a token out. Subclasses write in `event` what a row changes.
    """

    ends: Sequence[int]
    kinds: Mapping[Any, StepKind]
    """Of the events, of which 0 begins a fragment, and "follow"."""
    opening: str
    """How the algorithm begins, in one sentence."""
    beside: Sequence[dict[str, Any]] = ()
    """Tracks beside the output."""

    def __init__(
        self,
        stage: Stage,
        vocabulary: Vocabulary,
        window: Window,
        title: str,
        path_note: str,
        code: Sequence[str],
        walk: WalkTrack,
    ) -> None:
        super().__init__(stage, vocabulary, window)
        self.walk = walk
        beside = [track["name"] for track in self.beside]
        self.builder = ScriptBuilder(
            title=title,
            landmark="token",
            kinds=self.kinds,
            tracks=(
                self.strip("Bytes", "one cell per byte, the bytes of a character side by side", inline=True),
                table(
                    "path",
                    "Path",
                    "offset number, byte text, so far quoted, token text",
                    "Nothing read yet.",
                    newest_first=True,
                    note=path_note,
                ),
                walk.track,
                self.output("No tokens yet. They appear when a walk ends."),
                *self.beside,
            ),
            roles=ROLES,
            layout=(("cells",), ("walk",), ("path", "output", *beside), ("log", "code")),
            code=code,
            levels={
                "story": {"top": ("cells", "walk")},
                "algorithm": {"top": ("cells",), "left": ("path", "walk"), "right": ("code",)},
            },
        )  # fmt: skip
        walk.builder = self.builder
        for index, item in enumerate(self.items):
            if isinstance(item, Segment):
                fragment = ByteFragment(item, window)
                self.draw(index, fragment, self._cell_text, self._cell_title)
                for at in fragment.drawn():  # a cell of ASCII shows its character
                    self.cells[fragment.base + at].append(self.builder.plain(f"{fragment.data[at]:02X}"))
        self.rows = self._rows_in_window()
        self.start = -1
        """byte at which the current walk began"""
        self.lines = 0

    def _cell_text(self, fragment: ByteFragment, at: int) -> int:
        ch = fragment.character(at)
        return self.builder.text(ch) if ch.isascii() else self.builder.plain(f"{fragment.data[at]:02X}")

    def _cell_title(self, fragment: ByteFragment, at: int) -> str | None:
        """The character whose bytes begin here; ASCII needs no title."""
        if at > fragment.low and fragment.of[at] == fragment.of[at - 1]:
            return None
        ch = fragment.character(at)
        return "" if ch.isascii() else visible_char(ch)[0]

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        self.put_single_cells()
        rows = self.rows
        builder.phase("Walks")
        if not rows:
            self.pass_all()
            builder.begin("There is no text to tokenize.", "It is empty.")
            return builder.script()
        size = sum(len(fragment.data) for fragment in self.fragments.values())
        builder.begin(f"The text has {{size}}. {self.opening}", lines=(0,), size=plural(size, "byte"))
        walks = sum(row.kind in self.ends for _, row, _ in rows)
        done = 0
        for index, (fragment, row, builder.event) in enumerate(rows):
            if not row.kind:
                self.pass_tokens(row.start)
                if index:
                    builder.step(row.kind, size=plural(row.at, "byte"))
                continue
            if row.start not in (self.start, len(fragment.data)):
                self.begin_walk(row.start, index)
                if done:
                    self.phase_of(done, walks, f"Token {done + 1}")
            key, told = self.event(fragment, row)
            builder.step(key, **told)
            done += row.kind in self.ends
        self.follow()
        return builder.script()

    def _rows_in_window(self) -> list[tuple[ByteFragment, Any, int]]:
        """The fragments and walks that begin among the bytes drawn: their events and indices."""
        rows: list[tuple[ByteFragment, Any, int]] = []
        fragment: ByteFragment | None = None
        for event, row in enumerate(self.stage.events):
            if not row.kind:
                fragment = self.fragments[row.start]
                if fragment.low < fragment.high:
                    rows.append((fragment, row, event))
            elif fragment is not None and (fragment.holds(row.start) or row.start == fragment.high == len(fragment.of)):
                rows.append((fragment, row, event))
        return rows

    def begin_walk(self, start: int, index: int) -> None:
        """Begins a walk at a byte, with the row at `index` of `rows`."""
        self.builder.delete("path", *range(self.lines))
        self.start, self.lines = start, 0

    def event(self, fragment: ByteFragment, row: Any) -> Told:
        """Writes what an event changes."""
        raise NotImplementedError

    # --- tracks and arguments -------------------------------------------------------------------------------------

    def line(self, fragment: ByteFragment, row: Any, read: int, found: str, failed: bool) -> None:
        """Adds a line to the path."""
        so_far = self.text(fragment, row.start, row.at + 1)
        self.builder.write("path", self.lines, row.at, read, so_far, found)
        self.builder.mark("path", self.lines, NOWHERE if failed else HIT)
        self.lines += 1

    def take(self, fragment: ByteFragment, found: ByteMatch) -> None:
        """Draws the bytes of a token as one box and puts the token out."""
        self.put_box(fragment, range(found.start, min(found.end, fragment.high)), found.id)
        self.mark(fragment, [found.start], HIT)
        self.put_out(found.id, fragment.starts[found.start], fragment.ends[found.end - 1])

    def next_text(self, fragment: ByteFragment, at: int) -> int:
        """What begins at a byte: a character, or the byte within one; -1 at the end."""
        if at >= len(fragment.data):
            return -1
        if at and fragment.of[at] == fragment.of[at - 1]:
            return self.builder.plain(f"{fragment.data[at]:02X}")
        return self.builder.text(fragment.character(at))

    def read(self, byte: int) -> int:
        """A byte as `2D “-”`, or as `E7` if it is not ASCII."""
        shown = f" “{visible(chr(byte))}”" if byte < 0x80 else ""
        return self.builder.plain(f"{byte:02X}{shown}")

    def name(self, data: bytes) -> int:
        """Bytes for people: as text, and an incomplete character as `F0 9F`."""
        whole = data.decode("utf-8", "ignore")
        while whole and not data.startswith(whole.encode()):
            whole = whole[:-1]
        rest = data[len(whole.encode()) :].hex(" ").upper()
        return self.builder.text(whole) if not rest else self.builder.plain(f"{visible(whole)} {rest}".lstrip())

    def text(self, fragment: ByteFragment, start: int, end: int) -> int:
        """What the bytes [start, end) spell."""
        return self.builder.text(spelled(fragment.data[start:end]))
