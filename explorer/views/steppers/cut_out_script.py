"""What the scripts of two stages share that cut tokens out of text from left to right: user-defined pieces and DNA.

Each event of such a stage is one item of its result: a token, or text that stays. The tracks are the characters, the
look-ups, and the list of fragments, in which the text that is not read yet is one fragment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from explorer.engine.items import Item, Segment, Token
from explorer.engine.results import Stage
from explorer.text.visible import shortened
from explorer.views.steppers.model_script import Fragment, ModelScript
from explorer.views.steppers.script import Script, ScriptBuilder, StepKind
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

ROLES = (("", "done"), ("", "hit"))
FOUND, HIT = range(len(ROLES))
TEXT = -1
"""The id of a fragment that is text."""


class CutOutScript(ModelScript[Fragment]):
    """One pass over the events; subclasses say what is read.

    A fragment's key is its index among the items of the result. A step's arguments: 0 the text, 1 its token's id, 2
    the index of its first code point, 3 what is looked up, 4 a reason.
    """

    title: ClassVar[str]
    landmark: ClassVar[str]
    code: ClassVar[Sequence[str]]
    opening: ClassVar[tuple[str, str]]
    """The first sentence and its reason."""
    kinds: ClassVar[Mapping[Any, StepKind]]

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.index = {kind: number for number, kind in enumerate(self.kinds)}
        self.builder = ScriptBuilder(
            title=self.title,
            landmark=self.landmark,
            kinds=dict(enumerate(self.kinds.values())),
            tracks=(
                self.strip("Text", "one cell per code point; a token that is cut out is one box"),
                {"name": "search", "type": "table", "layout": "rows", "newest_first": True, "title": "Look-ups",
                 "tab": "Look-ups", "empty": "Nothing is looked up yet.",
                 "columns": [{"name": "read", "as": "quoted"}, {"name": "looked up", "as": "quoted"},
                             {"name": "result", "as": "text"}]},
                {"name": "output", "type": "output", "title": "Fragments", "tab": "Fragments", "labeled": True,
                 "empty": "The text is empty: no fragments.", "counts": ["fragment", "fragments"]},
            ),
            roles=ROLES,
            layout=(("cells",), ("search", "output"), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=self.code,
        )  # fmt: skip
        self.draw_segments(
            lambda segment: Fragment(segment, segment.starts, segment.ends, window),
            lambda fragment, cell: fragment.segment.text[cell],
        )

    def write(self) -> Script:
        """The finished script."""
        builder, events = self.builder, list(self.stage.events)
        self.put_single_cells()
        keys = self._keys()
        for index, key in keys.items():
            item = self.items[index]
            self._show(key, item, item.text if isinstance(item, Segment) else "")
        builder.phase(self.title)
        say, why = self.opening if self.items else ("There is no text to read.", "")
        builder.begin(say, why, lines=(0,))
        number = 0
        for index, fragment in self.fragments.items():
            key, at = keys[index], 0
            while number < len(events) and (cells := self.read(fragment, events[number], key, at)) is not None:
                builder.event = number
                self._event(fragment, events[number], key, cells, at)
                number, key, at = number + 1, key + 1, cells.stop
        return builder.script()

    def read(self, fragment: Fragment, row: Any, key: int, at: int) -> range | None:
        """The cells that an event is about; None if it is about a later fragment. at: the cell it may begin with."""
        raise NotImplementedError

    def told(self, fragment: Fragment, row: Any, cells: range) -> tuple[Any, str, str, str]:
        """The kind of step, what is looked up, its result, and a reason."""
        raise NotImplementedError

    def _keys(self) -> dict[int, int]:
        """Index of each item → the key of its first fragment: as many as its text has become come before the next."""
        keys, key, number = {}, 0, 0
        events = list(self.stage.events)
        for index, item in enumerate(self.items):
            keys[index] = first = key
            if isinstance(item, Token):
                key += 1
                continue
            at, fragment = 0, self.fragments[index]
            while number < len(events) and (cells := self.read(fragment, events[number], key, at)) is not None:
                number, key, at = number + 1, key + 1, cells.stop
            key += key == first  # a stage that lacks what it needs leaves the text as it is
        return keys

    def _event(self, fragment: Fragment, row: Any, key: int, cells: range, at: int) -> None:
        """One step: an item of the result, and what is left of the text."""
        builder, item, text = self.builder, self.stage.after[key], fragment.segment.text
        said = text[cells.start : cells.stop]
        self._show(key, item, said)
        if cells.stop < len(text):
            rest = fragment.segment
            left = Segment(text[cells.stop :], rest.starts[cells.stop :], rest.ends[cells.stop :])
            self._show(key + 1, left, left.text)
        own = range(max(cells.start, at), cells.stop)
        if not any(map(fragment.holds, own or cells)):
            return
        kind, looked_up, result, why = self.told(fragment, row, cells)
        if isinstance(item, Token):
            drawn = range(max(own.start, fragment.low), min(own.stop, fragment.high))
            if drawn:
                self.put_box(fragment, drawn, item.id)
            builder.put("search", builder.event, builder.text(shortened(said)), builder.text(looked_up),
                        builder.plain(result))  # fmt: skip
            builder.mark("search", builder.event, HIT)
        self.mark(fragment, cells, FOUND if isinstance(item, Token) else HIT)
        builder.step(
            self.index[kind], builder.text(shortened(said)), row.token, fragment.starts[cells.start],
            builder.text(looked_up), builder.plain(why),
        )  # fmt: skip

    def _show(self, key: int, item: Item, text: str) -> None:
        """The chip of a fragment, if the window has a part of it."""
        builder, is_token = self.builder, isinstance(item, Token)
        if isinstance(item, Token):
            start, end, id, text = item.start, item.end, item.id, self.vocabulary.spelling(item.id)
        else:
            start, end, id = item.starts[0], item.ends[-1], TEXT
        if start < self.window.end and end > self.window.start:
            label = builder.plain(str(id) if is_token else "text")
            builder.put("output", key, builder.text(shortened(text)), id, start, end, label)
