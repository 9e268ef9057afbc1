"""The stepper's script for a SentencePiece model's normalization: the character map, then the white space rules.

Replays the events of `engine/normalizers/charsmap.py` on the track `layers`: the text, what the map makes of it, what
the white space rules make of that, and the text as it is now. Beside a look-up is the walk of the bytes through the
map's double array.
"""

from typing import NamedTuple, cast

from explorer.engine.normalizers.charsmap import CharsmapEvent, CharsmapNormalization, CharsmapRow, llama_cpp_whitespace
from explorer.engine.normalizers.charsmap_replay import SEARCHES, SegmentReplay
from explorer.engine.tokenizer import Stage
from explorer.script.script import Script, Window, kinds
from explorer.stages.normalizers import layers
from explorer.stages.normalizers.layers import (
    AS_IT_WAS,
    DROPPED,
    FIELDS,
    JOINED,
    NEW,
    Chip,
    Columns,
    Found,
    Home,
    LayersScript,
    named,
)

CODE = """\
at = the beginning
while there is text left:
    if a user-defined piece begins here: it stays
    else: walk the bytes through the double array;
        the longest prefix with a rule becomes its string;
        without a rule the character stays
    go on after it
# white space
drop spaces at the ends, and all but one of a run
put a space in front of the text
write each space as ▁
""".splitlines()
CODE_LLAMA_CPP = (
    *CODE[:7],
    "# white space",
    "drop spaces; remember that a word has ended",
    "before each word: write ▁",
    "",
)
KINDS = kinds(
    CharsmapEvent,
    """
MAP: map
    look: merge dot 100 landmark
    lines: 3 4
    say: {source}, code point {at}: {codes} → {new_codes}.
    why: The longest prefix in the trie wins.
    log: {was:t} → {now:t}
    story: {was} becomes {now}.
    story_why: The model's character map has a rule for it.

nothing: map
    look: stale diamond 70 landmark
    lines: 3 4
    say: {source}, code point {at}: {codes} is dropped.
    why: Its rule points to an empty string.
    log: {was:t} dropped
    story: {was} is dropped.
    story_why: The model's character map has an empty rule for it, so it is lost.

SHORTER: shorter
    look: miss ring 25
    lines: 3
    say: {source}, code point {at}: {codes} has a rule, too.
    why: A longer prefix has one, and the longest wins.
    log: {was:t}
    story: There is a rule for {was} alone, but a longer one fits.
    story_why: The longest rule wins.

KEEP: keep
    look: info ring 20
    lines: 3 5
    say: {source}, code point {at}: {codes} stays.
    why: The walk ends before it reaches a rule.
    log: {was:t}
    story: {was} stays as it is.
    story_why: The model's character map has no rule for it.

USER_DEFINED: piece
    look: token dot 70 landmark
    lines: 2
    say: {source}, code point {at}: {was} is a user-defined piece: it stays.
    why: The map does not apply to it.
    log: {was}
    story: {was} stays: it is a piece that the model's maker defined.
    story_why: The map does not touch such pieces.

BEGINNING like USER_DEFINED
    say: {source}, code point {at}: {was} begins a user-defined token: it stays.
    why: llama.cpp tests for prefixes only.
    story: {was} stays: it begins a piece that the model's maker defined.
    story_why: llama.cpp keeps such beginnings, too.

CUT: cut
    look: stale diamond 70 landmark
    lines: 2
    say: {source}, code point {at}: {codes} is cut within its bytes.
    why: The user-defined token before it ends there.
    log: {was:t}
    story: {was} is cut within its bytes.
    story_why: The piece before it takes some of them.

PREFIX: in front
    look: push dot 70 landmark
    lines: 9
    say: {source}: {new_codes} before code point {at}.
    why: sentencepiece's add_dummy_prefix.
    log: {now:t} in front
    story: A space is put in front, written {now}.
    story_why: A word at the beginning then gets the same tokens as after a space.

SUFFIX: at the end
    look: push dot 70 landmark
    lines: 9
    say: {source}: {new_codes} after the text.
    why: sentencepiece's treat_whitespace_as_suffix.
    log: {now:t} at the end
    story: A space is put at the end, written {now}.
    story_why: In this model spaces belong to the word before them.

ESCAPE: space
    look: merge dot 70 landmark
    lines: 10
    say: {source}, code point {at}: {codes} → {new_codes}.
    why: sentencepiece's escape_whitespaces.
    log: ␣ → {now:t}
    story: The space is written {now}.
    story_why: Tokens can then contain spaces, and no text is lost.

DROP: drop
    look: stale diamond 70 landmark
    lines: 8
    say: {source}, code point {at}: {codes} → {new_codes}.
    why: sentencepiece's remove_extra_whitespaces.
    log: ␣ dropped
    story: A space is dropped.
    story_why: It is at an end or follows another space. It is lost.
""",
    fields=FIELDS,
)
TEXT, MAP, SPACES, NOW = range(4)
"""The layers."""
LANES = ("Text", "Character map", "White space", "Now")


def layer_of(row: CharsmapRow) -> int:
    """The layer of an event."""
    return MAP if row.kind in (*SEARCHES, CharsmapEvent.SHORTER) else SPACES


class Changed(NamedTuple):
    """Columns that an event changes, with the text they held and hold."""

    homes: list[Home]
    was: str
    now: str


class CharsmapScript(LayersScript):
    """One pass over the events.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> write = lambda stage, vocabulary, window: CharsmapScript(stage, window).write()
    >>> example(write, explorer.load("xlm-r").trace("ﬁ"), "normalize").sentence(1)
    'normalize_prefix, code point 0: U+FB01 → U+0066 U+0069. The longest prefix in the trie wins.'
    """

    def __init__(self, stage: Stage, window: Window) -> None:
        super().__init__(stage)
        self.part = cast(CharsmapNormalization, stage.part)
        self.replays = {index: SegmentReplay(self.part, item) for index, item in self.items.items()}
        self.by_llama_cpp = self.part.whitespace is llama_cpp_whitespace
        homes = [Home(index, at, 1, 0) for index, item in self.items.items() for at in range(len(item.text))]
        homes += [Home(*each) for each in self._inserted()]
        self.columns = Columns(self.items, homes, window)
        self.code = CODE_LLAMA_CPP if self.by_llama_cpp else CODE
        self.build(self._lanes(), KINDS, self.code)
        self.drawn: dict[tuple[int, int], tuple[str, str]] = {}
        """item and chunk → what is before it, and its text, as drawn last"""

    def _inserted(self) -> set[tuple[int, int, int, int]]:
        """The columns of what white space rules insert."""
        homes = set()
        for index, row in self._rows():
            item = self.items[index]
            if row.kind == CharsmapEvent.PREFIX and row.at < item.ends[-1]:
                homes.add((index, self.replays[index].index[row.at], 0, 0))
            elif row.kind in (CharsmapEvent.PREFIX, CharsmapEvent.SUFFIX):
                homes.add((index, len(item.text), 0, 0))
        return homes

    def _rows(self) -> list[tuple[int, CharsmapRow]]:
        """Each event with the index of its item."""
        rows, indices = [], list(self.items)
        at = 0
        for row in self.stage.events:
            # an event at the end of an item may be at the start of the next one
            while (
                at + 1 < len(indices)
                and row.at >= self.items[indices[at + 1]].starts[0]
                and (row.kind not in AT_END or row.at > self.items[indices[at]].ends[-1])
            ):
                at += 1
            rows.append((indices[at], row))
        return rows

    def _lanes(self) -> list[dict[str, str]]:
        kinds = {CharsmapEvent(row.kind) for _, row in self._rows()}
        maps = kinds & {CharsmapEvent.MAP, CharsmapEvent.CUT}
        spaces = kinds & {CharsmapEvent.PREFIX, CharsmapEvent.SUFFIX, CharsmapEvent.ESCAPE, CharsmapEvent.DROP}
        return [
            {"title": "Text", "note": "as it comes in", "look": "full"},
            {"title": LANES[MAP], "note": "longest rule first", "look": "changes"} if maps else
            {"title": LANES[MAP], "note": "no rule applies", "look": "quiet"},
            {"title": LANES[SPACES], "note": "one ▁ before each word", "look": "changes"} if spaces else
            {"title": LANES[SPACES], "note": "nothing to rewrite", "look": "quiet"},
            {"title": "Now", "note": "what goes on", "look": "full"},
        ]  # fmt: skip

    def write(self) -> Script:
        """The finished script."""
        self.begin(
            "The text has {points} here. The model has {rules}, then white space is rewritten.",
            "The map is read from the left; the longest rule that fits wins.",
            lines=(0,),
            rules="a character map" if self.part.charsmap is not None else "no character map",
        )
        last: tuple[int, int] | None = None
        rows = self._rows()
        ends = {(index, layer_of(row)): event for event, (index, row) in enumerate(rows)}
        for event, (index, row) in enumerate(rows):
            self.builder.event = event
            phase = index, layer_of(row)
            drawn = self._event(index, row, phase[1], phase != last, ends[phase] == event)
            last = phase if drawn else last
        return self.builder.script()

    # --- one event ------------------------------------------------------------------------------------------------

    def _event(self, index: int, row: CharsmapRow, layer: int, begins: bool, ends: bool) -> bool:
        """Plays an event; a step if a column within the window changes. begins, ends: a layer of the item."""
        replay, item = self.replays[index], self.items[index]
        suffix = replay.suffix
        touched = replay.take(row)
        kind = CharsmapEvent(row.kind)
        changes: list[Changed] = []
        if kind == CharsmapEvent.SHORTER:
            first = replay.index[row.at]
            homes = [Home(index, first + each, 1, 0) for each in range(row.size)]
            changes.append(Changed(homes, item.text[first : first + row.size], ""))
        for number in touched:
            if number < len(replay.chunks):
                changes += self._chunk(index, number, layer)
            else:
                home = Home(index, len(item.text), 0, 0)
                self._put_inserted(home, suffix, replay.suffix)
                changes.append(Changed([home], suffix, replay.suffix))
        homes = [home for change in changes for home in change.homes if home in self.columns.index]
        if homes:
            if begins:
                self.open_phase(index, LANES[layer])
            if ends:
                self.put_vector(LANES[layer], [ord(ch) for ch in self.text_of(index)])
            was, now = "".join(change.was for change in changes), "".join(change.now for change in changes)
            self._step(kind, row, layer, homes, was, now)
        return bool(homes)

    def _chunk(self, index: int, number: int, layer: int) -> list[Changed]:
        """Draws a chunk and what is inserted before it, where they have changed."""
        replay = self.replays[index]
        chunk = replay.chunks[number]
        first = replay.index[chunk.start]
        old_front, old = self.drawn.get((index, number), ("", chunk.was))
        self.drawn[index, number] = chunk.front, chunk.text
        changes = []
        if chunk.front != old_front:
            front = Home(index, first, 0, 0)
            self._put_inserted(front, old_front, chunk.front)
            changes.append(Changed([front], old_front, chunk.front))
        if chunk.text != old or layer == MAP:
            own = [Home(index, first + each, 1, 0) for each in range(len(chunk.was))]
            self._put_chunk(layer, own, old, chunk.text)
            changes.append(Changed(own, old, chunk.text))
        return changes

    def _put_inserted(self, home: Home, old: str, text: str) -> None:
        """What a white space rule inserts, or takes away again."""
        self.put(SPACES, home, chips(text, NEW) or chips(old, DROPPED))
        self.put(NOW, home, chips(text, AS_IT_WAS))

    def _put_chunk(self, layer: int, own: list[Home], old: str, text: str) -> None:
        """A chunk stands in its first column; its other columns are part of it."""
        if text != old or len(own) > 1:
            kept = set(old) if layer == SPACES else set()
            made = [(ord(ch), AS_IT_WAS if ch in kept else NEW) for ch in text]
            if text != old:
                self.put(layer, own[0], made or chips(old[:3], DROPPED))
                for home in own[1:] if layer == MAP else ():
                    self.put(layer, home, [(ord(self.items[home.item].text[home.at]), JOINED if text else DROPPED)])
            self.put(NOW, own[0], chips(text, AS_IT_WAS))
            for home in own[1:]:
                self.put(NOW, home, [])

    def _step(self, kind: CharsmapEvent, row: CharsmapRow, layer: int, homes: list[Home], was: str, now: str) -> None:
        table = self.part.charsmap
        found: list[Found] = []
        if layer == MAP and table is not None and kind not in (CharsmapEvent.USER_DEFINED, CharsmapEvent.BEGINNING):
            home = homes[0]
            found = list(layers.walk(table, self.items[home.item].text[home.at : home.at + 12]))
        self.put_lookup(found)
        for each in (TEXT,) if kind == CharsmapEvent.SHORTER else (layer, NOW):
            self.mark(each, homes)
        told: CharsmapEvent | str = "nothing" if kind == CharsmapEvent.MAP and not now else kind
        source = ("normalize_prefix" if layer == MAP else "normalize") if self.by_llama_cpp else (
            "NormalizePrefix" if layer == MAP else "Normalize")  # fmt: skip
        self.builder.step(told, was=was, now=now, codes=named(was), new_codes=named(now), at=row.at, source=source)

    def text_of(self, index: int) -> str:
        """The text of an item as it is now; what the search has not reached is as it came in."""
        replay, item = self.replays[index], self.items[index]
        done = replay.index[replay.chunks[-1].start] + len(replay.chunks[-1].was) if replay.chunks else 0
        return "".join(chunk.front + chunk.text for chunk in replay.chunks) + item.text[done:] + replay.suffix


def chips(text: str, look: int) -> list[Chip]:
    """A text as chips of one look."""
    return [(ord(ch), look) for ch in text]


AT_END = (CharsmapEvent.SUFFIX, CharsmapEvent.DROP, CharsmapEvent.PREFIX)
"""Events that may be about the end of an item."""
