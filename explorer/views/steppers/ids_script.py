"""The steppers' scripts for the stages after the model: the template filled slot by slot, truncation, padding.

Each draws a column for every place of the list of ids, empty until its step comes, and the list itself. What a slot is
comes from the events and from the tokens after the stage: an added token has no span.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import cast

from explorer.engine.items import ADDED, Token
from explorer.engine.post_processors.lengths import LengthEvent, Padding, Truncation
from explorer.engine.post_processors.rows import PostProcessEvent, PostProcessRow
from explorer.engine.results import Stage, Trace
from explorer.text.quantities import plural
from explorer.views.spelled import shown_text
from explorer.views.steppers.columns import GONE, GOOD, PLAIN, columns
from explorer.views.steppers.ids_kinds import (
    KIND_INDEX,
    KINDS,
    PADDING_CODE,
    TEMPLATE_CODE,
    TRUNCATION_CODE,
    Filling,
)
from explorer.views.steppers.script import Script, ScriptBuilder
from explorer.views.window import WINDOW, Window
from explorer.vocabulary import Vocabulary

ROLES = (("", "done"), ("", "gone"))
AT_WORK, CUT_OFF = range(len(ROLES))
MARKED = 24
"""Columns marked one by one; of a longer run only the first and the last."""


def post_process_script(trace: Trace, stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for post-processing, within a window.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is")
    >>> post_process_script(trace, trace.stage("post-process"), tok.vocabulary, Window(0, 2, 0, 2)).sentence(1)
    'ids[0] = 1: “<s>”, before the text. It has no span because it is not part of the text.'
    """
    writer = _Writer("Ids", stage, vocabulary, window, TEMPLATE_CODE, "slot")
    tokens = cast(Sequence[Token], stage.after)
    events = list(stage.events)
    how = {row.position: row for row in events if row.kind in PLACED}
    writer.begin(range(len(tokens)), [None] * len(tokens),
                 "The model made {0:t}. Now the list of ids is put together.", len(stage.before))  # fmt: skip
    for writer.builder.event, row in enumerate(events):
        if row.kind in (PostProcessEvent.NOT_ASKED, PostProcessEvent.LEFT_OUT, PostProcessEvent.PRESENT):
            writer.remark(row)
    for sort, run in groupby(range(len(tokens)), lambda index: sort_of(tokens[index], how.get(index))):
        writer.fill(sort, list(run), tokens, events)
    for number, row in enumerate(events):
        if row.kind == PostProcessEvent.SPARE:
            writer.builder.event = max(number, writer.builder.event)
            writer.remark(row)
    return writer.end(len(tokens))


PLACED = (PostProcessEvent.FIRST, PostProcessEvent.LAST, PostProcessEvent.AGAIN)


def sort_of(token: Token, row: PostProcessRow | None) -> Filling:
    """What fills a place of the list."""
    if row is not None:
        return {PostProcessEvent.FIRST: Filling.FIRST, PostProcessEvent.LAST: Filling.LAST}.get(
            PostProcessEvent(row.kind), Filling.AGAIN
        )
    return Filling.TEXT


def truncation_script(trace: Trace, stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for truncation, within a window."""
    part = cast(Truncation, stage.part)
    writer = _Writer("Truncation", stage, vocabulary, window, TRUNCATION_CODE, "")
    tokens = cast(Sequence[Token], stage.before)
    writer.begin(range(len(tokens)), tokens, "The text has {0:t}.", len(tokens))
    room = part.room(trace.options)
    allowed = plural(part.longest, "token is", "tokens are")
    if room is None:
        said = f"The limit of {part.longest} is below the {part.added} tokens that are added: nothing is cut off."
    elif room == part.longest:
        said = f"At most {allowed} allowed."
    else:
        said = f"At most {allowed} allowed, {part.added} of them added: the text may have {room}."
    writer.step(Filling.ROOM, why=said)
    for writer.builder.event, row in enumerate(stage.events):
        writer.cut(range(row.start, row.end), tokens, "beginning" if part.left else "end")
    if not stage.events:
        writer.step(Filling.FITS, count=plural(len(tokens), "token"))
    return writer.builder.script()


def padding_script(trace: Trace, stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for padding, within a window."""
    part = cast(Padding, stage.part)
    writer = _Writer("Padding", stage, vocabulary, window, PADDING_CODE, "")
    tokens = cast(Sequence[Token], stage.after)
    filled = {at for row in stage.events if row.kind == LengthEvent.FILLED for at in range(row.start, row.end)}
    writer.begin(range(len(tokens)), [None if at in filled else token for at, token in enumerate(tokens)],
                 "The list has {0:t}.", len(stage.before))  # fmt: skip
    said = (
        "A single text is as long as the longest of its batch"
        if part.length is None
        else f"The length is {part.length}"
    )
    said += f", rounded up to a multiple of {part.multiple}." if part.multiple else "."
    writer.step(Filling.LENGTH, why=said)
    for writer.builder.event, row in enumerate(stage.events):
        writer.pad(range(row.start, row.end), row.token)
    if not stage.events:
        writer.step(Filling.LONG_ENOUGH, count=plural(len(tokens), "token"))
    return writer.builder.script()


class _Writer:
    """Columns, the list of ids, and the steps that fill them. slot: the name of the third line, empty for none."""

    def __init__(
        self, title: str, stage: Stage, vocabulary: Vocabulary, window: Window, code: Sequence[str], slot: str
    ) -> None:
        self.stage, self.vocabulary, self.window = stage, vocabulary, window
        self.lines = ("Id", "Slot") if slot else ("Id",)
        self.builder = ScriptBuilder(
            title=title,
            landmark="slot" if slot else "change",
            kinds=dict(enumerate(KINDS.values())),
            tracks=(
                columns("Tokens", "a column for each place of the list", ("Token", *self.lines)),
                {"name": "slots", "type": "table", "title": "What was put in", "layout": "rows", "newest_first": False,
                 "tab": "Slots", "empty": "Nothing yet.",
                 "columns": [{"name": "slot", "as": "text"}, {"name": "token", "as": "quoted"},
                             {"name": "ids", "as": "number"}]},
                {"name": "output", "type": "output", "title": "Ids", "tab": "Ids", "empty": "The list is empty.",
                 "labeled": True, "counts": ["id", "ids"]},
            ),
            roles=ROLES,
            layout=(("columns",), ("slots", "output"), ("log", "code")),
            code_title="The algorithm",
            code=code,
        )  # fmt: skip
        # the window counts places of the final list
        self.stop = window.last if slot else window.first + WINDOW
        self.rows = 0
        """rows in the table `slots`"""

    def begin(self, places: range, tokens: Sequence[Token | None], say: str, count: int) -> None:
        """The columns: empty where `tokens` has None."""
        builder = self.builder
        for place in places:
            token = tokens[place]
            if not self._holds(place):
                continue
            if token is None:
                builder.put("columns", place, -1, -1, -1, -1, *[-1, PLAIN] * len(self.lines))
            else:
                self._show(place, token, "")
        builder.phase("Fill")
        builder.begin(say, "", [builder.plain(plural(count, "token"))], (0,))

    def _holds(self, place: int) -> bool:
        """Whether a place of the list is drawn."""
        return self.window.first <= place < self.stop

    def _show(self, place: int, token: Token, slot: str, state: int = PLAIN) -> None:
        builder = self.builder
        more = (builder.plain(slot), state) if len(self.lines) > 1 else ()
        text, id = builder.plain(shown_text(self.vocabulary, token.id)), builder.plain(str(token.id))
        builder.put("columns", place, text, token.id, token.start, token.end, id, state, *more)
        builder.put("output", place, id, token.id, token.start, token.end, text)

    def _mark(self, places: Sequence[int], role: int) -> None:
        drawn = [place for place in places if self._holds(place)]
        for place in drawn if len(drawn) <= MARKED else [drawn[0], drawn[-1]]:
            self.builder.mark("columns", place, role)

    def step(self, kind: Filling, token: int = -1, count: str = "", at: int = 0, why: str = "") -> None:
        """Closes a step."""
        builder = self.builder
        text = builder.plain(shown_text(self.vocabulary, token)) if token >= 0 else builder.plain("")
        builder.step(KIND_INDEX[kind], text, token, builder.plain(count), at, builder.plain(why))

    def _slot(self, slot: str, token: int, count: int) -> None:
        builder = self.builder
        text = builder.plain(shown_text(self.vocabulary, token)) if token >= 0 else builder.plain("")
        builder.put("slots", self.rows, builder.plain(slot), text, count)
        self.rows += 1

    def remark(self, row: PostProcessRow) -> None:
        """An event that fills no place."""
        kind = {
            PostProcessEvent.NOT_ASKED: Filling.NOT_ASKED, PostProcessEvent.SPARE: Filling.SPARE,
            PostProcessEvent.PRESENT: Filling.PRESENT,
        }.get(PostProcessEvent(row.kind), Filling.LEFT_OUT)  # fmt: skip
        self.step(kind, row.token, plural(row.unused, "token is", "tokens are"))

    def fill(self, sort: Filling, run: list[int], tokens: Sequence[Token], events: list[PostProcessRow]) -> None:
        """A run of places with the same sort of tokens: added ones one by one, the text's at once."""
        drawn = [place for place in run if self._holds(place)]
        if not drawn:
            return
        added = sort in (Filling.FIRST, Filling.LAST)
        for places in [[place] for place in drawn] if added else [drawn]:
            for place in places:
                self._show(place, tokens[place], "added" if added else "text", GOOD)
            self._mark(places, AT_WORK)
            self._at(places[0], events)
            count = 1 if added else len(run)
            self._slot("added" if added else "the text", tokens[places[0]].id if added else -1, count)
            self.step(sort, tokens[places[0]].id if added else -1, plural(count, "token"), places[0])
        for number, row in enumerate(events):
            kind = {PostProcessEvent.TWICE: Filling.TWICE, PostProcessEvent.TRIMMED: Filling.TRIMMED}.get(
                PostProcessEvent(row.kind)
            )
            if kind and row.position in drawn:
                self.builder.event = max(number, self.builder.event)
                self._mark([row.position], AT_WORK)
                self.step(kind, row.token, at=row.position)

    def _at(self, place: int, events: list[PostProcessRow]) -> None:
        """The event of a place, if it has one."""
        for number, row in enumerate(events):
            if row.position == place and row.kind in PLACED:
                self.builder.event = max(number, self.builder.event)

    def cut(self, places: range, tokens: Sequence[Token], side: str) -> None:
        """Tokens are cut off."""
        builder = self.builder
        for place in places:
            if self._holds(place):
                token = tokens[place]
                text, id = builder.plain(shown_text(self.vocabulary, token.id)), builder.plain(str(token.id))
                builder.put("columns", place, text, token.id, token.start, token.end, id, GONE)
                builder.delete("output", place)
        self._mark(places, CUT_OFF)
        self._slot(f"cut off at the {side}", -1, len(places))
        self.step(
            Filling.CUT, -1, plural(len(places), "token is", "tokens are"), places.start, f"They are at the {side}."
        )

    def pad(self, places: range, token: int) -> None:
        """Padding fills places."""
        for place in places:
            if self._holds(place):
                self._show(place, Token(token, ADDED, ADDED), "", GOOD)
        self._mark(places, AT_WORK)
        self._slot("padding", token, len(places))
        self.step(Filling.FILLED, token, plural(len(places), "token"), places.start)

    def end(self, count: int) -> Script:
        """The finished script."""
        self.builder.phase("Ids")
        self.step(Filling.DONE, count=plural(count, "id"))
        return self.builder.script()
