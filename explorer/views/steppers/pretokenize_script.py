"""The stepper's script for pre-tokenizing: which alternatives are tried at each position, and what matches.

Replays the events of the pre-tokenize stage on three tracks: the code points of the text, grouped into pieces as they
are cut; the alternatives of the pattern, with how often each was tried and how often it matched; and the pieces. If a
stage has several splitters, each cuts the pieces of the one before. The byte-to-printable map makes no decisions; the
board shows it.
"""

from __future__ import annotations

from typing import cast

from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.tokenizer import Stage
from explorer.engine.unicode.scripts import NAMES
from explorer.text.quantities import plural
from explorer.views.alternatives import LONGEST, lost_by_rewriting, takes
from explorer.views.steppers.model_script import Fragment, ModelScript
from explorer.views.steppers.script import Script, ScriptBuilder, StepKind
from explorer.views.steppers.stories import Story, with_stories
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "at = the beginning",
    "while there is text at `at`:",
    "    for each alternative, in order:",
    "        if it does not match here: try the next",
    "        else: what it matches is a piece;",
    "            go on after it",
)
ROLES = (("tried here", "reject"), ("piece", "done"), ("", "hit"))
TRIED, TAKEN, HIT = range(len(ROLES))

_FAILED = "Alternative {0}, {2:q}, does not match at character {1}."
_NEXT = "The next one is tried here."

KINDS: dict[PreTokenizeEvent | str, StepKind] = {
    PreTokenizeEvent.FAILED: StepKind(
        "no match", "miss", _FAILED, "{0}: {2:t}", f"It takes this: {{3:t}} {_NEXT}", (2, 3), "ring", 25),
    "rewritten": StepKind(
        "no match", "miss", _FAILED, "{0}: {2:t}", "The model's own pattern has {4:q} here and would take {5:q}. "
        f"llama.cpp has rewritten it: {{3:t}} {_NEXT}", (2, 3), "diamond", 45),
    PreTokenizeEvent.PIECE: StepKind(
        "piece", "merge", "Alternative {0} matches: {1:q} is a piece.", "{0} → {1:q}", "It takes this: {2:t} The first "
        "alternative that matches wins, even if a later one would take more.", (2, 4, 5), "dot", 100, True),
    PreTokenizeEvent.GAP: StepKind(
        "rest", "info", "No alternative matches within {1:q}: it stays a piece.", "rest {1:q}",
        "Text between two matches is a piece of its own.", (2, 3), "dot", 70),
    PreTokenizeEvent.REMOVED: StepKind(
        "removed", "stale", "Alternative {0} matches {1:q}, a separator: it is removed.", "{1:q} removed", "",
        (2, 4, 5), "diamond", 70),
    PreTokenizeEvent.PREFIX: StepKind(
        "prefix", "info", "{2:t} is put before the piece at character {1}.", "{2:t} added",
        "A word then gets the same tokens at the beginning as after a space.", (), "dot", 40),
    PreTokenizeEvent.CUT: StepKind(
        "cut", "info", "{0:t} at character {1} without taking anything: the text is cut there.", "cut", "", (2, 4),
        "diamond", 50),
    PreTokenizeEvent.MERGED_PREVIOUS: StepKind(
        "joins the piece before", "merge", "{0:t} {2:q}: it joins the piece before it, now {1:q}.", "{2:q} to {1:q}",
        "", (2, 4, 5), "dot", 100, True),
    PreTokenizeEvent.MERGED_NEXT: StepKind(
        "begins a piece", "merge", "{0:t} {1:q}: it begins a piece, and the text after it joins it.", "{1:q} …", "",
        (2, 4, 5), "dot", 100, True),
    PreTokenizeEvent.JOINED: StepKind(
        "joined", "merge", "{0:t} {2:q}: it joins the text before it, now {1:q}.", "{2:q} to {1:q}", "", (2, 4, 5),
        "dot", 80),
    PreTokenizeEvent.REST_REMOVED: StepKind(
        "removed", "stale", "{1:q} is removed.", "{1:q} removed", "Only what a pattern or a script takes is kept.",
        (2, 3), "diamond", 70),
    PreTokenizeEvent.SPELLED: StepKind(
        "spelled", "info", "The space at character {1} is written {0:t}.", "{0:t} for a space",
        "Pieces can then contain what were spaces.", (), "dot", 30),
    PreTokenizeEvent.NO_PREFIX: StepKind(
        "no prefix", "miss", "Nothing is put before character {1}: {0:t}.", "no prefix", "", (), "ring", 30),
    PreTokenizeEvent.SCRIPT: StepKind(
        "script", "merge", "{1:q} is a piece: its script is {0:t}.", "{1:q}",
        "Spaces, and characters without a script, go to the piece before them.", (), "dot", 100, True),
}  # fmt: skip
KINDS = with_stories(KINDS, {
    PreTokenizeEvent.FAILED: Story("{2:q} does not match here.", "It takes this: {3:t} The next part of the pattern is "
                                   "tried."),
    "rewritten": Story("{2:q} does not match here.", "The model's own pattern has {4:q} and would take {5:q}."),
    PreTokenizeEvent.PIECE: Story("{1:q} is a piece.", "It takes this: {2:t} Tokens never cross from one piece to the "
                                  "next."),
    PreTokenizeEvent.REMOVED: Story("{1:q} is a separator: it is removed."),
    PreTokenizeEvent.PREFIX: Story("{2:t} is put before the piece.",
                                   "A word then gets the same tokens at the beginning as after a space."),
    PreTokenizeEvent.CUT: Story("{0:t} without taking anything: the text is cut here."),
    PreTokenizeEvent.SPELLED: Story("The space is written {0:t}.", "Pieces can then contain what were spaces."),
    PreTokenizeEvent.NO_PREFIX: Story("Nothing is put before the piece: {0:t}."),
})  # fmt: skip
JOINS = (PreTokenizeEvent.MERGED_PREVIOUS, PreTokenizeEvent.JOINED)
REMOVALS = (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED)
KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}


def pretokenize_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the pre-tokenize stage of a trace, within a window.

    >>> from explorer.views.steppers.model_script import example
    >>> example(pretokenize_script, "gpt-2", "He's", "pre-tokenize").sentence(2)
    'Alternative 2 matches: “He” is a piece. It takes this: Letters, with the space in front of them. The first \
alternative that matches wins, even if a later one would take more.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(ModelScript[Fragment]):
    """One pass over the events. A cell's row is how many cells it covers as a piece, and the piece's alternative."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.alternatives = cast(PreTokenization, stage.part).alternatives
        self.builder = ScriptBuilder(
            title="Pre-tokenizer",
            landmark="piece",
            kinds=list(KINDS.values()),
            tracks=(
                self.strip("Text", "one cell per code point; a piece is drawn as one, in the colour of its "
                           "alternative"),
                {"name": "alternatives", "type": "table", "title": "Alternatives", "layout": "rows",
                 "newest_first": False, "note": "in the order they are tried",
                 "empty": "No pattern: the text is not cut.",
                 "columns": [{"name": "number", "as": "number"}, {"name": "pattern", "as": "quoted"},
                             {"name": "tried", "as": "number"}, {"name": "matched", "as": "number"}]},
                {"name": "output", "type": "output", "title": "Pieces", "empty": "No pieces yet.",
                 "counts": ["piece", "pieces"], "from": 1},
            ),
            roles=ROLES,
            layout=(("cells",), ("alternatives", "output"), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=CODE,
        )  # fmt: skip
        self.draw_segments(
            lambda segment: Fragment(segment, segment.starts, segment.ends, window),
            lambda fragment, cell: fragment.segment.text[cell],
        )
        self.key_of: dict[int, int] = {}
        """code point of the original text → its first cell"""
        for key, (_, _, _, start, _) in enumerate(self.cells):
            self.key_of.setdefault(start, key)
        self.chars = "".join(
            fragment.segment.text[cell] for fragment in self.fragments.values() for cell in fragment.drawn()
        )
        """the character of each cell"""
        self.spans = [(1, -1)] * len(self.cells)
        """cell → its row"""
        self.counts = [[0, 0] for _ in self.alternatives]
        """alternative → how often it was tried, and matched"""
        self.begun = 0
        """first cell of the last piece, which what joins it makes longer"""

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        self._begin()
        for builder.event, row in enumerate(self.stage.events):
            if row.kind != PreTokenizeEvent.BYTE and row.start in self.key_of:
                self._event(row, self.key_of[row.start])
        return builder.script()

    def _begin(self) -> None:
        builder = self.builder
        for key, row in enumerate(self.spans):
            builder.put("cells", key, *row)
        for choice in range(len(self.alternatives)):
            self._put_counts(choice)
        builder.phase("Cut")
        if not self.cells:
            builder.begin("There is no text to cut.", lines=(0,))
            return
        sizes = plural(len(self.cells), "code point"), plural(len(self.alternatives), "alternative")
        builder.begin(
            "The text has {0:t} here; the pattern has {1:t}.",
            "At each position they are tried in order.",
            [builder.plain(size) for size in sizes],
            (0,),
        )

    # --- what each event changes ----------------------------------------------------------------------------------

    def _event(self, row: PreTokenizeRow, low: int) -> None:
        """One step. low: the cell where the event begins."""
        kind = PreTokenizeEvent(row.kind)
        if kind == PreTokenizeEvent.FAILED:
            self._failed(row, low)
        elif kind == PreTokenizeEvent.CUT:
            self._count(row.choice, True)
            self._remark(row, low, self._match(row.choice))
        elif kind == PreTokenizeEvent.SPELLED:
            self._remark(row, low, self.builder.text(chr(row.choice)))
        elif kind == PreTokenizeEvent.NO_PREFIX:
            why = "it is there already" if row.end > row.start else "the text begins further left"
            self._remark(row, low, self.builder.plain(why))
        elif kind == PreTokenizeEvent.PREFIX:
            what = self.builder.plain("A space" if row.choice == ord(" ") else f"“{chr(row.choice)}”")
            self._remark(row, low, 0, what)
        else:
            self._piece(row, low)

    def _remark(self, row: PreTokenizeRow, low: int, what: int, *more: int) -> None:
        """A step that changes no piece."""
        self.builder.mark("cells", low, HIT)
        self.builder.step(KIND_INDEX[PreTokenizeEvent(row.kind)], what, row.start + 1, *more)

    def _failed(self, row: PreTokenizeRow, low: int) -> None:
        """An alternative does not match; the model's own spelling of it may."""
        builder, tried = self.builder, self.alternatives[row.choice]
        self._count(row.choice, False)
        builder.mark("cells", low, TRIED)
        args = row.choice + 1, row.start + 1, builder.text(tried.regex), builder.plain(takes(tried))
        if lost := lost_by_rewriting(tried, self.chars[low : low + LONGEST]):
            builder.step(KIND_INDEX["rewritten"], *args, builder.text(tried.rewritten), builder.text(lost))
        else:
            builder.step(KIND_INDEX[PreTokenizeEvent.FAILED], *args)

    def _piece(self, row: PreTokenizeRow, low: int) -> None:
        """A stretch of text becomes a piece, joins one, or is left out."""
        kind, high = PreTokenizeEvent(row.kind), self._end_of(row, low)
        joins, is_script = kind in JOINS, kind == PreTokenizeEvent.SCRIPT
        if not joins:
            self.begun = low
        if not is_script:
            self._count(row.choice, True)
        colour = self.spans[self.begun][1] if joins else -1 if is_script else row.choice
        text = self.builder.text(self.chars[self.begun : high])
        self._cut(high, colour)
        self.builder.mark("cells", self.begun, TAKEN)
        if kind in REMOVALS:
            self.builder.delete("output", low)
        else:
            self.builder.put("output", self.begun, text, colour, self.cells[self.begun][3], row.end)
        self.builder.step(KIND_INDEX[kind], *self._piece_args(row, text, self.chars[low:high]))

    def _end_of(self, row: PreTokenizeRow, low: int) -> int:
        """One after the last cell of what an event takes: cells of one fragment, up to the row's end."""
        high = low + 1
        group = self.cells[low][2]
        while high < len(self.cells) and self.cells[high][4] <= row.end and self.cells[high][2] == group:
            high += 1
        return high

    def _cut(self, high: int, colour: int) -> None:
        """Makes the cells [begun, high) one piece. What is left of the pieces it is cut from stays one piece each."""
        begun, spans = self.begun, self.spans
        last, first = self._head_of(high - 1), self._head_of(begun)
        after = last + spans[last][0] - high
        rest = [(high, (after, spans[last][1]))] if after > 0 else []
        if first < begun:
            rest.append((first, (begun - first, spans[first][1])))
        inside = [(key, (0, -1)) for key in range(begun + 1, high)]
        for key, row in [(begun, (high - begun, colour)), *inside, *rest]:
            spans[key] = row
            self.builder.put("cells", key, *row)

    def _head_of(self, cell: int) -> int:
        """The first cell of the piece that a cell is part of."""
        while not self.spans[cell][0]:
            cell -= 1
        return cell

    # --- arguments of sentences -----------------------------------------------------------------------------------

    def _piece_args(self, row: PreTokenizeRow, text: int, taken: str) -> tuple[int, ...]:
        """text: the piece as it is now. taken: what this event took."""
        builder = self.builder
        if row.kind in JOINS or row.kind == PreTokenizeEvent.MERGED_NEXT:
            return self._match(row.choice), text, builder.text(taken)
        if row.kind == PreTokenizeEvent.SCRIPT:
            return builder.plain(NAMES[row.choice].replace("_", " ")), text
        if row.kind == PreTokenizeEvent.PIECE:
            return row.choice + 1, text, builder.plain(takes(self.alternatives[row.choice]))
        return row.choice + 1, text

    def _match(self, choice: int) -> int:
        return self.builder.plain(f"Alternative {choice + 1} matches" if choice >= 0 else "No alternative matches")

    def _count(self, choice: int, matched: bool) -> None:
        """Counts a try of an alternative, if there is one."""
        if choice >= 0:
            self.counts[choice][0] += 1
            self.counts[choice][1] += matched
            self._put_counts(choice)
            self.builder.mark("alternatives", choice, HIT)

    def _put_counts(self, choice: int) -> None:
        regex = self.builder.text(self.alternatives[choice].regex)
        self.builder.put("alternatives", choice, choice + 1, regex, *self.counts[choice])
