"""Scripts for the stepper: what the browser component plays, for any algorithm.

A script stores no state per step. It holds the initial rows of its tracks and, for each step, the rows the step puts:
a put replaces or deletes one row of one track. The component remembers what each put replaced, so it steps back exactly
without knowing the algorithm. 1,000 steps take about 130 kB this way, 6 MB as frames.

`ScriptBuilder` collects puts, marks and sentences step by step. `Replay` plays a script in Python, for tests.

A text is always tokenized whole. A page draws a window of its code points, widened so that its edges cut no token. All
parts of a page share one window. In another language the sentences, the words put into them and the captions change;
code stays as it is, and so do texts from input and vocabulary.

The browser gets a few kilobytes of bytes instead of hundreds of JSON. Nearly all of a script are the integers of its
steps. Each list is written as 32-bit numbers, plane by plane: first the lowest bytes of all, then the second lowest,
and so on, since the upper planes are almost empty. The lists that say where each step begins only grow, so the
distances are written. Compressed at a low level, a script of 4,000 steps takes 120 kB and a fifth of the time of its
JSON. `stepper/unpack.js` reads it. A file is written once and kept, so there the time does not count (`pack_dense`):
what a step puts and marks is written as differences from the put before it, in as few bytes as each takes, and
compressed at the highest level. That saves a third.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cache, lru_cache
from itertools import accumulate
from operator import sub
from typing import Any, Final, NamedTuple

import msgspec

from explorer.engine.tokenizer import Trace
from explorer.languages import ENGLISH, Phrases, phrases
from explorer.tables import Json, Record, read_toml
from explorer.text import is_control_label, visible
from explorer.text.say import fill

TrackRow = tuple[int, ...]
Panel = str | Sequence[str]
"""One panel of the layout: a name, or several names from top to bottom."""
State = dict[tuple[str, int], TrackRow]
"""All rows of all tracks: (track, key) → row."""
Values = dict[str, int | str]
"""What the fields of a step are: numbers, indices in the string table, or texts that go there."""


EXPLAINED = frozenset({"priority", "rival_priority", "score"})
"""Fields of a sentence that are numbers of the vocabulary, which `ScriptBuilder.explain` explains where they stand."""
NAMED = re.compile(r"\{\{|\}\}|\{([a-z_]+)(?::([qti]))?\}")
"""A field of a sentence by its name, with how it is shown if not as declared."""


@cache
def declared(fields: str) -> Mapping[str, str]:
    """Name of a field → how a sentence shows it: `q` text of the input, quoted; `t` words; `i` an id; "" a count.

    >>> declared("cell joined:q id:i")
    {'cell': '', 'joined': 'q', 'id': 'i'}
    """
    return {name: how for name, _, how in (each.partition(":") for each in fields.split())}


@lru_cache(10_000)
def by_position(sentence: str, fields: str) -> str:
    """A sentence with its fields by position, as it is sent. Raises ValueError for a field that is not declared.

    >>> by_position("{joined} is token {id}", "cell joined:q id:i")
    '{1:q} is token {2:i}'
    """
    known = declared(fields)

    def positional(field: re.Match[str]) -> str:
        name, how = field[1], field[2]
        if name is None:
            return field[0]
        if name not in known:
            raise ValueError(
                f"the sentence “{sentence}” names {{{name}}}, and its step has only: {fields or 'nothing'}"
            )
        how = how or known[name]
        return f"{{{list(known).index(name)}{':' if how else ''}{how}}}"

    return NAMED.sub(positional, sentence)


@dataclass(frozen=True, slots=True)
class StepKind:
    """A kind of step.

    label: its name in legend and badge. tone: its color (push, miss, merge, stale, token, byte, info).
    say, why, log: sentences (`explorer.text.say`) whose fields are named, as in "{left} + {right} → {joined}".
    story, story_why: the same without the data structures, so no cell numbers and no field names; empty if `say` and
    `why` have none.
    lines: the lines of the algorithm at work; source: those of the original's own code, if the script has it.
    values: of lines of the algorithm, a sentence about what each works on; without them `log` stands at the last one.
    shape: its mark in the log (dot, ring, diamond).
    height: of its bar on the timeline, in percent. landmark: whether "Next merge" stops here. inner: whether Story
    passes it with the step around it, so that one click makes one merge.
    fields: what a step of this kind is given, see `declared`. Raises ValueError if a sentence names anything else.

    >>> StepKind("no piece", "miss", "{joined} is not a piece.", "{joined:t}", fields="joined:q").sent["say"]
    '{0:q} is not a piece.'
    """

    label: str
    tone: str
    say: str
    log: str
    why: str = ""
    lines: tuple[int, ...] = ()
    shape: str = "dot"
    height: int = 60
    landmark: bool = False
    inner: bool = False
    story: str = ""
    story_why: str = ""
    source: tuple[int, ...] = ()
    values: tuple[tuple[int, str], ...] = ()
    fields: str = ""
    known: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """The fields, `declared`."""
    sent: Json = field(init=False, repr=False, compare=False)
    """What the component receives."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", declared(self.fields))
        sent = {each.name: getattr(self, each.name) for each in fields(self) if each.init and each.name != "fields"}
        for part in ("say", "log", "why", "story", "story_why"):
            sent[part] = by_position(sent[part], self.fields)
        sent["numbers"] = [at for at, name in enumerate(self.known) if name in EXPLAINED]
        sent["values"] = [(line, by_position(value, self.fields)) for line, value in self.values]
        object.__setattr__(self, "sent", sent)


def kinds(events: type[Enum] | Sequence[type[Enum]], *texts: str, fields: str = "") -> dict[Any, StepKind]:
    r"""The kinds of step of a stepper, from their text: a paragraph for each.

    Its first line is the key (a member of an enum of `events` by its name, else a word of the stepper's own) and the
    label, or "like" and an earlier key. Each other line is an attribute of `StepKind`, or the number of a line of the
    code and what it works on; `look` has tone, shape, height and "landmark" or "inner". What an earlier paragraph of
    the same key says stays, so that a second text holds what differs. `story_why` is `why` unless a story says
    something else, which may be nothing. fields: of all kinds that name no others. Raises ValueError for anything else.

    >>> text = "miss: no piece\n    look: miss ring 25\n    say: Not in the\n        vocabulary.\n\nunused like miss"
    >>> made = kinds((), text, "unused\n    why: It is marked unused.")
    >>> made["unused"].label, made["unused"].say, made["unused"].why, made["miss"].height
    ('no piece', 'Not in the vocabulary.', 'It is marked unused.', 25)
    >>> kinds((), "a: b\n    look: miss ring 25\n    say: c\n    why: d\n    story: e")["a"].story_why
    'd'
    """
    paragraphs: dict[str, Record] = {}
    for paragraph in re.split(r"\n{2,}", "\n\n".join(texts).strip()):
        head, *lines = re.sub(r"\n {8,}", " ", paragraph.strip()).split("\n")
        key, _, label = head.partition(": ")
        key, _, other = key.partition(" like ")
        row = paragraphs.setdefault(
            key, dict(paragraphs[other]) if other else {"log": "", "values": (), "fields": fields}
        )
        if label:
            row["label"] = label
        for line in lines:
            name, value = (part.strip() for part in line.split(":", 1))
            if name == "look":
                row["tone"], row["shape"], height, *more = value.split()
                row["height"], row["landmark"], row["inner"] = (
                    int(height),
                    "landmark" in more,
                    "inner" in more,
                )
            elif name in ("lines", "source"):
                row[name] = tuple(map(int, value.split()))
            elif name.isdigit():
                row["values"] = (
                    *(each for each in row["values"] if each[0] != int(name)),
                    (int(name), value),
                )
            else:
                row[name] = value
    enums = (events,) if isinstance(events, type) else events
    members = {name: member for enum in enums for name, member in enum.__members__.items()}
    by_key = {}
    for key, row in paragraphs.items():
        if row.get("story"):
            row.setdefault("story_why", row.get("why", ""))
        try:
            by_key[members.get(key, key)] = StepKind(**row)
        except TypeError as error:
            raise ValueError(f"the kind of step {key!r}: {error}") from None
    return by_key


class Opening(NamedTuple):
    """The sentences of the initial state, by part, and what they are given."""

    said: Mapping[str, str]
    fields: str


NO_OPENING = Opening({}, "")


@dataclass(frozen=True, slots=True)
class Script:
    """A finished script: `data` is what the component receives, as JSON-ready values.

    events: for each step, the index of its event in the stage, ascending. spelled: index in the string table → the
    text before it was made visible, of texts from the input or the vocabulary. kinds: of its steps. start: the parts
    of the initial state's sentence, with the names of its fields.
    """

    data: Record
    events: Sequence[int] = ()
    spelled: Mapping[int, str] = field(default_factory=dict)
    kinds: Sequence[StepKind] = ()
    start: Opening = NO_OPENING

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.data["steps"]["kind"])

    def respelled(self, spell: Callable[[str], str]) -> Script:
        """The same script with its texts from the input or the vocabulary in another spelling.

        >>> Script({"texts": ["Ġa", "12"]}, spelled={0: "Ġa"}).respelled(lambda text: text.replace("Ġ", "·")).data
        {'texts': ['·a', '12']}
        """
        texts = list(self.data["texts"])
        for index, raw in self.spelled.items():
            texts[index] = spell(raw)
        return replace(self, data=self.data | {"texts": texts})

    def args(self, step: int) -> list[int]:
        """The arguments of a step's sentences; steps count from 1."""
        at = self.data["steps"]["arg_at"]
        args: list[int] = self.data["steps"]["args"][at[step - 1] : at[step]]
        return args

    def told(self, step: int) -> dict[str, int | str]:
        """What a step is given, by field: a number, or a text as it is drawn; steps count from 1."""
        known, texts = self.kinds[self.data["steps"]["kind"][step - 1]].known, self.data["texts"]
        return {
            name: (texts[value] if value >= 0 else "") if how in ("q", "t") else value
            for (name, how), value in zip(known.items(), self.args(step), strict=True)
        }

    def kind(self, step: int) -> Record:
        """The kind of a step; steps count from 1."""
        kind: Record = self.data["kinds"][self.data["steps"]["kind"][step - 1]]
        return kind

    def sentence(self, step: int) -> str:
        """What a step did, and why if its kind says so; steps count from 1."""
        kind = self.kind(step)
        return " ".join(fill(kind[part], self.args(step), self.data["texts"]) for part in ("say", "why") if kind[part])

    def step_of(self, event: int | None) -> int:
        """The step of an event; the last step before it if it has none; 0 for None.

        >>> Script({}, (4, 4, 7)).step_of(4), Script({}, (4, 4, 7)).step_of(5), Script({}, (4, 4, 7)).step_of(None)
        (1, 2, 0)
        """
        if event is None:
            return 0
        before = bisect_left(self.events, event)
        return before + (before < len(self.events) and self.events[before] == event)

    def opening(self) -> str:
        """The sentence about the initial state."""
        return fill(self.data["start"]["say"], self.data["start"]["args"], self.data["texts"])


SHORT = 32
"""Code points of a text whose visible form is kept: a piece comes again with the next key press."""
shown: Final = lru_cache(5_000)(visible)


class Numbered(dict[str, int]):
    """Texts with their numbers, counted as they come."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


@dataclass
class ScriptBuilder:
    """Writes a script.

    title: the player's accessible name. landmark: the word on the "Next …" button. layout: rows of panels side by side,
    each a track's name, "log", "code", or several of them stacked, see `panels`. kinds: by any key, in the order of the
    legend.
    Tracks, roles and code are passed to the component as they are. source: the algorithm in the original's own names,
    for the level Implementation. story_sides and so on: the panels of that level of detail on top, left and right,
    see `sides`, where the usual choice from the layout doesn't fit. board: the columns of a training at Story,
    where a page draws it as a board: one decision after the other. Puts before `begin` make the initial state. event:
    the index of the event that the next steps are written for.
    """

    title: str
    landmark: str
    kinds: Mapping[Any, StepKind]
    tracks: Sequence[Record]
    roles: Sequence[tuple[str, str]]
    layout: str
    code: Sequence[str]
    code_title: str = "The algorithm: the lines at work"
    source_title: str = ""
    source: Sequence[str] = ()
    story_sides: str = ""
    algorithm_sides: str = ""
    implementation_sides: str = ""
    board: Sequence[str] = ()
    event: int = 0

    def __post_init__(self) -> None:
        self.texts = Numbered()
        self.start: Record = {}
        self.opening = NO_OPENING
        self.phases: list[Record] = []
        self.initial: list[list[int]] = []
        self.kind_of: list[Hashable] = []
        self.event_of: list[int] = []
        self.args: list[int] = []
        self.arg_at = [0]
        self.patches: list[int] = []
        self.patch_at = [0]
        self.marks: list[int] = []
        self.mark_at = [0]
        self._seen: dict[str, int] = {}
        self.means: dict[int, int] = {}
        self._track = {track["name"]: index for index, track in enumerate(self.tracks)}

    @classmethod
    def laid_out(cls, name: str, tracks: Sequence[Record | str], **own: Any) -> ScriptBuilder:
        """A builder of a stepper of players.toml. tracks: or their names in `TRACKS`. own: its other fields."""
        known = [TRACKS[each] if isinstance(each, str) else each for each in tracks]
        return cls(tracks=known, **PLAYERS[name], **own)

    def text(self, raw: str) -> int:
        """The string table's index of a text from the input or the vocabulary, made visible."""
        index = self._seen.get(raw)
        if index is None:
            index = self._seen[raw] = self.texts[shown(raw) if len(raw) <= SHORT else visible(raw)]
        return index

    def plain(self, shown: str) -> int:
        """The string table's index of a text of our own, such as a score."""
        return self.texts[shown]

    def explain(self, number: int, phrase: str) -> int:
        """Says what a number of the vocabulary means, where it has a phrase; gives the number: its index."""
        if phrase:
            self.means[number] = self.texts[phrase]
        return number

    def put(self, track: str, key: int, *row: int) -> None:
        """Replaces a row."""
        if self.start:
            self.patches += (self._track[track], key, len(row), *row)
        else:
            self.initial.append([self._track[track], key, *row])

    def write(self, track: str, key: int, *row: int | str) -> None:
        """Replaces a row, with texts of our own in it."""
        self.put(track, key, *[self.texts[each] if isinstance(each, str) else each for each in row])

    def delete(self, track: str, *keys: int) -> None:
        """Deletes rows."""
        for key in keys:
            self.patches += (self._track[track], key, -1)

    def mark(self, track: str, key: int, role: int) -> None:
        """Marks a row in the step that is closed next. role: an index in `roles`."""
        self.marks += (self._track[track], key, role)

    def begin(
        self,
        say: str,
        why: str = "",
        lines: Sequence[int] = (),
        story: str = "",
        story_why: str = "",
        **values: int | str,
    ) -> None:
        """Closes the initial state with its sentences, and those without the data structures. values: their fields."""
        fields = " ".join(f"{name}:t" if isinstance(value, str) else name for name, value in values.items())
        said = {"say": say, "why": why} | ({"story": story, "story_why": story_why} if story else {})
        self.opening = Opening(said, fields)
        given = [self.plain(value) if isinstance(value, str) else value for value in values.values()]
        sent = {part: by_position(each, fields) for part, each in said.items()}
        self.start = {**sent, "args": given, "lines": list(lines)}

    def phase(self, name: str) -> None:
        """Opens a phase at the next step, or at the initial state before `begin`."""
        self.phases.append({"name": name, "from": len(self.kind_of) + bool(self.start)})

    def step(self, key: Hashable, **values: int | str) -> None:
        """Closes a step with all puts and marks since the last one.

        key: of its kind. values: what the kind's fields are; a text is put into the string table.
        """
        assert self.start, "begin() closes the initial state first"
        known = self.kinds[key].known
        if len(values) != len(known):
            raise TypeError(f"a step {key!r} is given {', '.join(values)}, and its fields are: {', '.join(known)}")
        args = []
        for name, how in known.items():
            value = values[name]
            if isinstance(value, str):
                value = self.text(value) if how == "q" else self.texts[value]
            args.append(value)
        self.close(key, args)

    def close(self, key: Hashable, args: Sequence[int]) -> None:
        """The same with the values as they are sent, in the order of the fields."""
        self.args += args
        self.kind_of.append(key)
        self.event_of.append(self.event)
        self.arg_at.append(len(self.args))
        self.patch_at.append(len(self.patches))
        self.mark_at.append(len(self.marks))

    def script(self) -> Script:
        """The finished script. A phase without a step is left out, and so is a kind."""
        stepped = set(self.kind_of)
        used = {key: kind for key, kind in self.kinds.items() if key in stepped}
        number = {key: index for index, key in enumerate(used)}
        lists = "args arg_at patches patch_at marks mark_at".split()
        return Script(
            {
                "version": 1,
                "title": self.title,
                "texts": list(self.texts),
                "control": [index for raw, index in self._seen.items() if len(raw) == 1 and is_control_label(raw)],
                "landmark": self.landmark,
                "start": self.start,
                "kinds": [kind.sent for kind in used.values()],
                "phases": list({phase["from"]: phase for phase in self.phases}.values()),
                "code": {"title": self.code_title, "lines": list(self.code)},
                "source": {"title": self.source_title, "lines": list(self.source)},
                "roles": [{"label": label, "look": look} for label, look in self.roles],
                "layout": panels(self.layout),
                "levels": {level: sides(where) for level in LEVELS if (where := getattr(self, f"{level}_sides"))},
                **({"board": list(self.board)} if self.board else {}),
                **({"means": list(self.means.items())} if self.means else {}),
                "tracks": list(self.tracks),
                "initial": self.initial,
                "steps": {"kind": [number[key] for key in self.kind_of]}
                | {name: getattr(self, name) for name in lists},
            },
            tuple(self.event_of),
            {index: raw for raw, index in self._seen.items()},
            list(used.values()),
            self.opening,
        )


def columns(listed: str) -> list[dict[str, str]]:
    """The columns of a table, from their names and what each holds.

    >>> columns("from number, looked up quoted")
    [{'name': 'from', 'as': 'number'}, {'name': 'looked up', 'as': 'quoted'}]
    """
    return [{"name": name, "as": how} for name, _, how in (each.rpartition(" ") for each in listed.split(", "))]


def panels(rows: str) -> list[list[Panel]]:
    """A layout: rows of panels, and what stands in one from top to bottom.

    >>> panels("cells / attempts, word + output")
    [['cells'], ['attempts', ['word', 'output']]]
    """
    stacks = [[stack.split(" + ") for stack in row.split(", ")] for row in rows.split(" / ")]
    return [[stack if len(stack) > 1 else stack[0] for stack in row] for row in stacks]


def roles(listed: str) -> tuple[tuple[str, str], ...]:
    """The roles of marks: a label, which may be missing, and a look for each.

    >>> roles("looks here look, hit")
    (('looks here', 'look'), ('', 'hit'))
    """
    return tuple((label, look) for label, _, look in (each.rpartition(" ") for each in listed.split(", ")))


LEVELS = ("story", "algorithm", "implementation")
"""Levels of detail whose panels a script may choose."""


def sides(listed: str) -> dict[str, list[str]]:
    """The panels of a level of detail, by where they stand.

    >>> sides("top cells, right code")
    {'top': ['cells'], 'right': ['code']}
    """
    return {side: names for side, *names in map(str.split, listed.split(","))}


def table(name: str, title: str, listed: str, empty: str, **more: Any) -> Record:
    """A track of rows. listed: its columns, see `columns`. empty: what it says without a row.

    wide: numbers of the columns that a phone leaves out.
    """
    track = {"name": name, "type": "table", "title": title, "layout": "rows", "empty": empty}
    return track | {"columns": columns(listed)} | more


def output(title: str, empty: str, one: str = "token", **more: Any) -> Record:
    """A track of chips: a text, the number that colors it, its span. one: what a chip is. empty: without a chip."""
    track = {"name": "output", "type": "output", "title": title, "tab": title, "empty": empty}
    return track | {"counts": [one, f"{one}s"]} | more


TRACKS: Mapping[str, Record] = {
    key: track | ({"columns": columns(track["columns"])} if "columns" in track else {})
    for key, track in read_toml(__file__, "tracks.toml").items()
}
"""Those that are the same for every text."""

PLAYERS: Mapping[str, Record] = read_toml(__file__, "players.toml")
"""How each stepper is laid out."""


class Replay:
    """Plays a script in Python as the component does: forward by putting, back by restoring what was replaced.

    >>> builder = ScriptBuilder("t", "", {"k": StepKind("k", "info", "", "")}, [{"name": "cells"}], [], "", [])
    >>> builder.put("cells", 0, 1); builder.begin("")
    >>> builder.put("cells", 0, 2); builder.step("k")
    >>> replay = Replay(builder.script())
    >>> replay.forward(), dict(replay.state), replay.back(), dict(replay.state)
    (True, {('cells', 0): (2,)}, True, {('cells', 0): (1,)})
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.names = [track["name"] for track in script.data["tracks"]]
        self.state: State = {(self.names[t], key): tuple(row) for t, key, *row in script.data["initial"]}
        self.step = 0
        self._undo: list[list[tuple[tuple[str, int], TrackRow | None]]] = []

    def forward(self) -> bool:
        """Plays one step; False at the end."""
        if self.step == len(self.script):
            return False
        steps = self.script.data["steps"]
        at, stop = steps["patch_at"][self.step], steps["patch_at"][self.step + 1]
        undo = []
        while at < stop:
            track, key, count = steps["patches"][at : at + 3]
            row = self.names[track], key
            undo.append((row, self.state.get(row)))
            at += 3
            if count < 0:
                self.state.pop(row, None)
            else:
                self.state[row] = tuple(steps["patches"][at : at + count])
                at += count
        self._undo.append(undo)
        self.step += 1
        return True

    def back(self) -> bool:
        """Takes one step back; False at the beginning."""
        if not self._undo:
            return False
        for key, row in reversed(self._undo.pop()):
            if row is None:
                self.state.pop(key, None)
            else:
                self.state[key] = row
        self.step -= 1
        return True

    def rows(self, track: str) -> dict[int, TrackRow]:
        """The rows of one track, by key."""
        return {key: row for (name, key), row in sorted(self.state.items()) if name == track}


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
