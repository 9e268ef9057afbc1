"""The stepper's script for PLaMo-2's Unigram: the lattice from the end, then the way through it from the left.

Replays the events of the model stage on four tracks: the characters, the candidates as arcs over them, a table with the
best way from each place to the end, and the output. A window limits the script to the cells drawn; sums are those of
the whole text all the same.
"""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.engine.models.plamo2 import LAST_RESORT, UNIT, Backward
from explorer.engine.models.unigram import UnigramRow, Unigrams
from explorer.engine.tokenizer import Stage
from explorer.text.quantities import number, plural
from explorer.views.steppers.model_script import FOLLOW, ModelScript, Part
from explorer.views.steppers.script import Kind, Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "best[end] = 0",
    "for each place, from the right:",
    "    for each piece that begins here, longest first:",
    "        sum = score of the piece + best[its end]",
    "        if there is none yet, or sum > best[place]:",
    "            best[place] = sum, by this piece",
    "    the same for the character as its bytes",
    "place = 0",
    "while place < the end:",
    "    output the piece that is best from place, or bytes",
    "    place = where it ends",
)
WON, FAILED, BYTES_WON, BYTES_FAILED, BACKWARD, OUT = (2, 3, 4, 5), (2, 3, 4), (6, 3, 4, 5), (6, 3, 4), (8, 10), (9,)

ROLES = (("piece", "done"), ("piece", "reject"), ("best", "hit"), ("", "next"))
PIECE, LOSER, HIT, NEXT = range(len(ROLES))
CANDIDATE, BEST, LOST = range(3)
"""The states of an arc: the best from its beginning so far, on the best path, beaten."""

EQUAL = "It has to be higher: of equal sums the longer piece stays, which was tried before."
RESORT = f"As its bytes a character scores {number(LAST_RESORT / UNIT)}: that way is taken where nothing else fits."

KINDS = {
    "segment": Kind("segment", "info", "A new fragment of {0:t} begins.", "new fragment, {0:t}",
                    "Its lattice begins anew: no piece reaches over a token."),
    "first": Kind("reaches", "push", "From place {0} to {1}: {2:q} scores {3:t}, {4:t} to the end. It is the first way "
                  "from there.", "{0}: {2:q} {4:t}", "", WON, "dot", 60, True),
    "beats": Kind("beats", "merge", "From place {0} to {1}: {2:q} scores {3:t}, {4:t} to the end. That beats {5:q} "
                  "with {6:t}.", "{0}: {2:q} beats {5:q}, {4:t}", "", WON, "dot", 100, True),
    "loses": Kind("loses", "miss", "From place {0} to {1}: {2:q} scores {3:t}, {4:t} to the end. {5:q} with {6:t} "
                  "stays the best.", "{0}: {2:q} loses to {5:q}", EQUAL, FAILED, "ring", 25),
    "bytes": Kind("bytes", "byte", "From place {0}: {2:q} as its bytes scores {3:t}, {4:t} to the end. It is the first "
                  "way from there.", "{0}: {2:q} as bytes", RESORT, BYTES_WON, "dot", 60, True),
    "bytes beat": Kind("bytes", "byte", "From place {0}: {2:q} as its bytes scores {3:t}, {4:t} to the end, and still "
                       "beats {5:q} with {6:t}.", "{0}: {2:q} as bytes beats {5:q}", RESORT, BYTES_WON, "dot", 60,
                       True),
    "bytes lose": Kind("bytes", "byte", "From place {0}: {2:q} as its bytes scores {3:t}, {4:t} to the end. {5:q} with "
                       "{6:t} stays the best.", "{0}: {2:q} as bytes loses", RESORT, BYTES_FAILED, "ring", 25),
    "mark": Kind("dropped", "stale", "The byte order mark at the beginning is dropped.", "byte order mark dropped", "",
                 (), "diamond", 45),
    "best": Kind("follow", "merge", "From place {0} the best way is {2:q}, to place {1}.", "{0} → {1} by {2:q}", "",
                 BACKWARD, "dot", 80),
    "token": Kind("token", "token", "{2:q} from place {0} to {1} is token {3:t}.", "{2:q} {3:t}", "", OUT, "dot", 70),
    "byte": Kind("byte", "byte", "Byte {5} of {2:q} becomes {4:q}, token {3:t}.", "byte {4:q} {3:t}",
                 "With its bytes nothing is lost.", OUT, "dot", 70),
    "follow": FOLLOW,
}  # fmt: skip
KIND_AT = {name: place for place, name in enumerate(KINDS)}


def backward_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a PLaMo-2 trace, within a window."""
    return _Writer(stage, vocabulary, window).write()


class _Part(Part):
    """The lattice of one fragment as it grows; place i of it is before cell i."""

    def __init__(self, segment: Segment, window: Window) -> None:
        super().__init__(segment, segment.starts, segment.ends, window)
        places = len(segment.text) + 1
        self.sums = [0] * places
        self.by: list[tuple[int, str]] = [(-1, "")] * places
        """place → where the best way from it goes next, and the piece as it is written"""
        self.arc = [-1] * places
        """place → key of the arc that is best from it"""

    def holds_piece(self, row: UnigramRow) -> bool:
        return self.low <= row.start and row.end <= self.high and self.low < self.high


class _Writer(ModelScript[_Part]):
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        assert isinstance(stage.part, Backward)
        self.model = stage.part
        self.builder = ScriptBuilder(
            title="Lattice, from the end",
            landmark="better way",
            kinds=list(KINDS.values()),
            tracks=(
                self.strip("Characters", ""),
                {"name": "arcs", "type": "lattice", "of": "cells", "title": "Lattice", "note": "one cell per code "
                 "point; place i is before cell i"},
                {"name": "best", "type": "table", "title": "Best way from each place", "layout": "rows",
                 "note": "the piece that begins there, and the sum of all scores from there to the end",
                 "columns": [{"name": "place", "as": "number"}, {"name": "to", "as": "number"},
                             {"name": "piece", "as": "quoted"}, {"name": "score", "as": "text"},
                             {"name": "sum", "as": "text"}],
                 "empty": "No place is reached yet."},
                self.output("No tokens yet. They appear when the best way is followed from the left."),
            ),
            roles=ROLES,
            layout=(("arcs",), ("best", "output"), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=CODE,
        )  # fmt: skip
        for place, item in enumerate(self.items):
            if isinstance(item, Segment):
                self._draw(place, _Part(item, window))
        if len(self.groups) > 1:
            self.groups[:] = [{"title": f"Fragment {i + 1}"} for i in range(len(self.groups))]
        self.begun = 0
        self.drawn: dict[int, tuple[int, int, int, int]] = {}
        """key of an arc of this fragment → its row without the state"""
        self.arcs = 0
        self.reached: set[int] = set()
        """keys in the table of best ways"""
        self.byte_number, self.last_byte = 0, (-1, -1)

    def _draw(self, place: int, part: _Part) -> None:
        text = self.builder.text
        self.draw(place, part, lambda i: text(part.segment.text[i]), lambda i: "" if i == part.low else None)

    def write(self) -> Script:
        builder = self.builder
        part: _Part | None = None
        for builder.event, row in enumerate(self.stage.events):
            if row.kind == Unigrams.SEGMENT:
                part = self.parts[row.start]
                if part.drawn():
                    self._segment(row.start, part)
                continue
            assert part is not None, "every event lies in a fragment"
            if row.kind <= Unigrams.UNKNOWN_LOST:
                self._candidate(row, part)
            elif part.holds_piece(row):
                self._outcome(row, part)
        if not self.begun:
            self.pass_all()
            builder.phase("From the end")
            builder.begin("There is no text to cut.", "It is empty, or all of it is tokens already.")
        self.follow(KIND_AT["follow"])
        return builder.script()

    def _segment(self, place: int, part: _Part) -> None:
        builder, size = self.builder, len(part.segment.text)
        self.pass_tokens(place)
        builder.put("cells", -1, self.begun)
        for key in self.drawn:
            builder.delete("arcs", key)
        for key in self.reached:
            builder.delete("best", key)
        self.drawn.clear()
        self.reached.clear()
        if self.begun:
            builder.step(KIND_AT["segment"], builder.plain(plural(size, "character")))
        else:
            for each in self.parts.values():
                for cell in each.drawn():
                    self.put(each, cell, 1, -1)
            builder.phase("From the end")
            builder.begin("The text has {0:t} where a piece may begin.", "From the end the sum is 0.",
                          [builder.plain(plural(size, "place"))], (0,))  # fmt: skip
        self.begun += 1

    def _candidate(self, row: UnigramRow, part: _Part) -> None:
        """Adds up as the engine does, and draws it where it lies in the window."""
        builder, place = self.builder, row.start
        as_bytes = row.token == self.model.unknown
        won = row.kind in (Unigrams.BEST, Unigrams.UNKNOWN_BEST)
        score = self.model.score(row.token)
        total, before, (came_by, rival) = part.sums[row.end] + score, part.sums[place], part.by[place]
        text = part.segment.text[place : row.end]
        if won:
            part.sums[place], part.by[place] = total, (row.end, text)
        if not part.holds_piece(row):
            return
        shown, value, sum_ = (builder.text(text), *(builder.plain(number(each / UNIT)) for each in (score, total)))
        args = [place, row.end, shown, value, sum_]
        if came_by >= 0:
            args += [builder.text(rival), builder.plain(number(before / UNIT))]
        key = self.arcs
        self.arcs += 1
        self.drawn[key] = (part.base + place, part.base + row.end, shown, value)
        builder.put("arcs", key, *self.drawn[key], CANDIDATE if won else LOST)
        self.mark(part, range(place, row.end), PIECE if won else LOSER)
        builder.mark("arcs", key, PIECE if won else LOSER)
        if won:
            if part.arc[place] >= 0:
                builder.put("arcs", part.arc[place], *self.drawn[part.arc[place]], LOST)
            part.arc[place] = key
            self.reached.add(part.base + place)
            builder.put("best", part.base + place, place, row.end, shown, value, sum_)
            builder.mark("best", part.base + place, HIT)
        kind = ("first" if came_by < 0 else "beats") if won else "loses"
        if as_bytes:
            kind = {"first": "bytes", "beats": "bytes beat", "loses": "bytes lose"}[kind]
        builder.step(KIND_AT[kind], *args)

    def _outcome(self, row: UnigramRow, part: _Part) -> None:
        """The way from the left, and what it gives."""
        builder, segment = self.builder, part.segment
        text = builder.text(segment.text[row.start : row.end])
        self.mark(part, range(row.start, row.end), HIT)
        if row.kind == Unigrams.DROPPED:
            builder.step(KIND_AT["mark"])
        elif row.kind == Unigrams.BACK:
            key = part.arc[row.start]
            builder.put("arcs", key, *self.drawn[key], BEST)
            builder.mark("arcs", key, HIT)
            builder.mark("best", part.base + row.start, HIT)
            builder.step(KIND_AT["best"], row.start, row.end, text)
        else:
            self.put_out(row.token, segment.starts[row.start], segment.ends[row.end - 1])
            for cell in range(row.start, row.end):
                width = row.end - row.start if cell == row.start else 0
                self.put(part, cell, width, row.token if width else -1)
            args = [row.start, row.end, text, builder.plain(str(row.token)),
                    builder.text(self.vocabulary.spelling(row.token))]  # fmt: skip
            if row.kind == Unigrams.BYTE:
                self.byte_number = self.byte_number + 1 if self.last_byte == (part.base, row.start) else 1
                self.last_byte = (part.base, row.start)
                args.append(self.byte_number)
            builder.step(KIND_AT["byte" if row.kind == Unigrams.BYTE else "token"], *args)
