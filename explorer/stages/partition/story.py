"""The stepper's script for the partition: which special tokens are searched, what is cut out, what stays text.

Replays the events of the stage on three tracks: the characters of the text, the search (llama.cpp, tiktoken and RWKV
search one token after the other, Hugging Face all at once and with more checks), and the list of fragments. For
llama.cpp's SPM the fragments are then walked through as `tokenize` does, with its variable `is_prev_special`.
"""

import re
from bisect import bisect_right
from collections.abc import Hashable

from explorer.engine.normalizers.stage import Normalization, SpacePrefix
from explorer.engine.part import Segment, Token
from explorer.engine.partition.special_tokens import (
    AddedToken,
    AddedTokenPartition,
    PartitionEvent,
    PartitionRow,
    SpecialTokenPartition,
    is_word,
)
from explorer.engine.tokenizer import Stage, Trace
from explorer.script.model_script import MARKED, Fragment, ModelScript
from explorer.script.script import Script, ScriptBuilder, Window, kinds, roles, table
from explorer.text.say import Text, plural, shortened
from explorer.vocabulary import Vocabulary

CODE = """\
fragments = [the text]
for each special token, the longest first:
    if it may not be parsed: go on
    for each fragment that is still text:
        while the token is in it:
            what is left of it stays text
            the token is a fragment of its own
            drop white space beside it, if asked
            go on with what is right of it
""".splitlines()
CODE_AT_ONCE = """\
at = the beginning
while a token begins at or after that:
    take the first, of several there the longest
    special, and not to be parsed: skip it
    single_word: no letter may touch it
    lstrip, rstrip: it takes the white space
    what is left of it stays text
    the token is a fragment of its own
    at = after it
what is left stays text
""".splitlines()
SOURCE = """\
tokenizer_st_partition(buffer, parse_special):
  for special_id in cache_special_tokens:
    if !parse_special && attr & (CONTROL | UNKNOWN): continue
    for fragment in buffer, if RAW_TEXT:
      match = raw_text.find(special_token, offset)
      if match == npos: break
      left: RAW_TEXT, without its spaces if LSTRIP
      special token: TOKEN
      right: RAW_TEXT, without its spaces if RSTRIP
tokenize, for SPM: is_prev_special = true
  for fragment in buffer:
    RAW_TEXT: if add_space_prefix && is_prev_special: text = ' ' + text
              tokenize it; is_prev_special = false
    TOKEN: output it; is_prev_special = true
""".splitlines()


_KINDS = """
NOT_PARSED: not parsed
    look: miss ring 30
    lines: 1 2
    source: 1 2
    say: {count}: “Recognize control tokens” is off, so the text is not searched for them.
    log: {count} not parsed
    story: {count}: the text is not searched for them.
    story_why: “Recognize control tokens” is off: they are ordinary text.

passed over like NOT_PARSED
    look: miss ring 60 landmark
    say: {text} ({id}) is at index {at}, but “Recognize control tokens” is off: it stays text.
    log: {text} not parsed
    story: {text} is in the text, but it is not searched for: it stays text.
    story_why: “Recognize control tokens” is off, so that a text cannot command the model.

NOT_THERE: not there
    look: miss ring 30
    lines: 1 3 4
    source: 1 3 4 5
    say: {count} searched for in every fragment: not there. The last one was {text} ({id}).
    why: Longer tokens are searched for first, so that none is cut apart by a shorter one.
    log: {count} not there
    story: {count} searched for: not in the text.
    story_why: Longer tokens come first, so that none is cut apart by a shorter one.

none there: not there
    look: miss ring 30
    lines: 0 1 9
    say: {count} searched for, all at once, from the left: not in the text.
    log: {count} not there
    story: {count} searched for, all at once: not in the text.

TOKEN: cut out
    look: token dot 100 landmark
    lines: 3 4 5 6 8
    source: 3 4 6 7 8
    say: {text} is at index {at}: a fragment of its own, token {id}.
    why: {why}
    log: {text} → {id}
    story: {text} is found and cut out: token {id}.
    story_why: It is a token already. The text on either side goes on separately.

STRIPPED: stripped
    look: stale diamond 50
    lines: 7
    source: 6 8
    say: {text} ({id}) strips {count} at index {at}.
    why: {why}
    log: {text} strips {count}
    story: {text} takes {count} with it.

NOT_A_WORD: stays text
    look: miss diamond 70 landmark
    say: {text} ({id}) is at index {at}, but Hugging Face's single_word fails: {why}.
    why: It counts only as a word of its own.
    log: {text}: no word
    story: {text} is in the text, but it stays text: {why}.
    story_why: This token counts only as a word of its own.

TAKEN_TWICE: taken twice
    look: token dot 80 landmark
    say: {text} ({id}) at index {at} is white space that the token before has stripped.
    why: The original uses it twice and continues after this token.
    log: {text} twice
    story: {text} is white space that the token before it has taken already: both have it.
    story_why:

text: text
    look: info dot 45
    lines: 8
    source: 8
    say: {text} stays text, at index {at}.
    why: The next stages tokenize it.
    log: {text} is text
    story: {text} stays text.

prefixed like text
    source: 10 11 12
    say: RAW_TEXT {text}: llama.cpp's is_prev_special is true: ' ' is put in front, then it is false.
    why: {why}
    story: {text} stays text, and a space will be put in front of it.

after token: token
    look: token dot 45
    lines: 6
    source: 10 13
    say: TOKEN {text} ({id}): it is output, and llama.cpp's is_prev_special is true.
    log: {text} is a token
    story: {text} is a token: it is done.
    story_why: Text after it will get a space in front.
"""
_AT_ONCE = """
NOT_PARSED
    lines: 3

passed over
    lines: 3

TOKEN
    lines: 2 6 7 8

STRIPPED
    lines: 5

NOT_A_WORD
    lines: 4

TAKEN_TWICE
    lines: 6 7

text
    lines: 9
"""
FIELDS = "text:q id:i count:t at why:t"
"""Of a step. text: the token, or a fragment. count: of tokens or characters. at: the index of a code point (llama.cpp's
offset counts bytes)."""
KINDS = (
    kinds(PartitionEvent, _KINDS, fields=FIELDS),
    kinds(PartitionEvent, _KINDS, _AT_ONCE, fields=FIELDS),
)
"""Where tokens are searched one after the other, and all at once, as in Hugging Face's library."""

ROLES = roles("done, reject, gone, hit")
FOUND, REFUSED, GONE, HIT = range(len(ROLES))
ENDS = 50
"""Characters looked at from each end of a long fragment."""
TEXT = -1
"""The id of a fragment that is text."""
CHECKS = (
    "only as a word: single_word",
    "takes space left: lstrip",
    "takes space right: rstrip",
    "searched in: normalized",
)


def partition_script(stage: Stage, vocabulary: Vocabulary, window: Window, trace: Trace) -> Script:
    """The script for a partition of a trace, within a window.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("a<s>b")
    >>> partition_script(trace.stage("partition"), tok.vocabulary, Window(0, 5, 0, 9), trace).sentence(2)
    '“<s>” is at index 1: a fragment of its own, token 1. What is left and right of it stays text.'
    """
    return _Writer(trace, stage, vocabulary, window).write()


OFFSETS = "text: offset {0:i}, length {1:i}; bytes {2:i}, {3:i}"


class _Writer(ModelScript[Fragment]):
    """One pass over the events. A fragment is keyed by the first slot it takes: a slot is a character or a token."""

    def __init__(self, trace: Trace, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        self.trace, part = trace, stage.part
        self.added = part if isinstance(part, AddedTokenPartition) else None
        self.count = len(part.tokens if self.added else part.special_tokens)  # type: ignore[attr-defined]
        self.flags: dict[int, AddedToken] = {token.id: token for token in self.added.tokens} if self.added else {}
        # whether a space prefix depends on what comes before a fragment, as in llama.cpp's SPM
        normalizers = (each.part.normalizers for each in trace.stages if isinstance(each.part, Normalization))
        self.walks = any(isinstance(one, SpacePrefix) for of_stage in normalizers for one in of_stage)
        tab = "Checks" if self.added else "Search"
        self.builder = ScriptBuilder.laid_out(
            "partition",
            kinds=KINDS[self.added is not None],
            tracks=(
                self.strip("Text", "one cell per code point; a token that is cut out is one box"),
                table(
                    "search",
                    tab,
                    f"{'check' if self.added else 'searched for'} quoted, result text",
                    "Nothing is searched yet.",
                    tab=tab,
                    newest_first=not self.added,
                ),
                "fragments",
                "variables",
            ),
            roles=ROLES,
            layout=f"cells / search, output / {'values + ' * self.walks}log, code",
            code=CODE_AT_ONCE if self.added else CODE,
            source=SOURCE if isinstance(part, SpecialTokenPartition) else (),
        )
        self.draw_segments(Fragment)
        self.slots: list[tuple[int, int, str]] = []
        """span and character of each slot; a token has no character"""
        self.parts: dict[int, tuple[int, int]] = {}
        """first slot → one after the last, id"""
        self.begins: list[int] = []
        """the keys of `parts`, sorted"""
        self.cell_of: dict[int, int] = {}
        """slot → its cell, if it is drawn"""
        self.rows = 0
        """rows in the table `search`"""
        self.searched: dict[int, tuple[int, int]] = {}
        """token → its row there, and how often it was found"""

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        self.put_single_cells()
        self._lay_out()
        for key in self.begins:
            self._show(key)
        if self.walks:
            self._set("true")
        if self.added:
            for row, check in enumerate(CHECKS):
                builder.write("search", row, check, "no token yet")
        builder.phase("Search")
        if not self.items:
            builder.begin("There is no text to search.", lines=(0,))
            return builder.script()
        how = "all at once, from the left" if self.added else "one after the other, the longest first"
        tokens = plural(self.count, "added token" if self.added else "special token")
        searched = "The text is searched for it" if self.count == 1 else f"The text is searched for them {how}"
        builder.begin(f"{{tokens}} may be in the text. {searched}.", lines=(0,), tokens=tokens)
        events = list(self.stage.events)
        self._skip(events)
        begun = False
        for builder.event, row in enumerate(events):
            if row.kind == PartitionEvent.NOT_PARSED:
                continue
            if row.kind == PartitionEvent.RAW_TEXT and not begun:
                begun = True
                quiet = (PartitionEvent.NOT_PARSED, PartitionEvent.RAW_TEXT)
                if self.added and all(each.kind in quiet for each in events):
                    self._step("none there", count=plural(self.count, "token is", "tokens are"))
                builder.phase("Fragments")
                if self.walks:
                    break
            self._event(row, events[builder.event + 1] if builder.event + 1 < len(events) else None)
        if self.walks:
            self._walk(events)
        return builder.script()

    # --- the state ------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """A slot for every character and every token among the items, and a part for each item."""
        for number, item in enumerate(self.items):
            first = len(self.slots)
            if isinstance(item, Token):
                self.slots.append((item.start, item.end, ""))
                self.parts[first] = first + 1, item.id
            else:
                fragment = self.fragments[number]
                for cell in fragment.drawn():
                    self.cell_of[first + cell] = fragment.base + cell
                self.slots += zip(item.starts, item.ends, item.text, strict=True)
                self.parts[first] = len(self.slots), TEXT
            self.begins.append(first)
        self.starts = [start for start, _, _ in self.slots]
        self.bytes_before = len(self.trace.text[: self.window.start].encode())

    def _slots(self, start: int, end: int) -> range:
        """The slots of the text [start, end)."""
        stop = bisect_right(self.starts, end - 1)
        first = bisect_right(self.starts, start - 1)
        while first + 1 < stop and self.slots[first][1] <= start:  # inserted before it
            first += 1
        return range(first, stop)

    def _carve(self, slots: range, id: int | None) -> None:
        """Cuts slots out of the text they lie in: as a token, or, with None, as nothing."""
        at = bisect_right(self.begins, slots.start) - 1
        key = self.begins[at]
        stop, old = self.parts[key]
        if old == TEXT and stop >= slots.stop:
            self._remove(at, key)
            if key < slots.start:
                self._add(key, slots.start, TEXT)
            if slots.stop < stop:
                self._add(slots.stop, stop, TEXT)
        if id is not None:
            self._add(slots.start, slots.stop, id)

    def _remove(self, at: int, key: int) -> None:
        del self.begins[at], self.parts[key]
        self.builder.delete("output", key)

    def _add(self, first: int, stop: int, id: int) -> None:
        if first not in self.parts:
            self.begins.insert(bisect_right(self.begins, first), first)
        self.parts[first] = stop, id
        self._show(first)

    def _show(self, key: int) -> None:
        """The chip of a fragment, if the window has a part of it."""
        stop, id = self.parts[key]
        start, end = self.slots[key][0], self.slots[stop - 1][1]
        if self._seen(start, end) or not self.trace.text:
            text = self.vocabulary.spelling(id) if id != TEXT else self._text(range(key, stop))
            label = str(id) if id != TEXT else self._offsets(start, end)
            self.builder.write("output", key, shortened(text), id, start, end, label)

    def _seen(self, start: int, end: int) -> bool:
        """Whether the window has a part of the text [start, end)."""
        return start < self.window.end and end > self.window.start

    def _offsets(self, start: int, end: int) -> str:
        """Offset and length of a fragment of text, in code points and in bytes as llama.cpp counts them."""
        before, text = self.window.start, self.trace.text
        at = len(text[:start].encode()) if start < before else self.bytes_before + len(text[before:start].encode())
        return Text(OFFSETS, start, end - start, at, len(text[start:end].encode()))

    def _text(self, slots: range) -> str:
        """The characters of slots; of many only those at the ends, which `shortened` shows."""
        ends = slots if len(slots) <= 2 * ENDS else [*slots[:ENDS], *slots[-ENDS:]]
        return "".join(self.slots[slot][2] for slot in ends)

    # --- events ---------------------------------------------------------------------------------------------------

    def _skip(self, events: list[PartitionRow]) -> None:
        """The tokens that are not searched, as one step, and one for each that is in the text."""
        ids = [row.token for row in events if row.kind == PartitionEvent.NOT_PARSED]
        if not ids:
            return
        self._step(PartitionEvent.NOT_PARSED, count=plural(len(ids), "token"))
        for id in ids:
            spelling = self.trace.encoding.vocabulary.spelling(id)
            drawn = self.trace.text[self.window.start : self.window.end + len(spelling) - 1]
            places = [self.window.start + match.start() for match in re.finditer(re.escape(spelling), drawn)]
            for at in places:
                self._mark(self._slots(at, at + len(spelling)), REFUSED)
            if places:
                self._note(id, "not searched")
                self._step("passed over", spelling, id, at=places[0])

    def _event(self, row: PartitionRow, after: PartitionRow | None) -> None:
        """One step, if the event lies in the window."""
        kind, id = row.kind, row.token
        if kind == PartitionEvent.NOT_THERE:
            self._note(id, "not there", plural(row.end, "token"))
            self._step(kind, self.vocabulary.spelling(id), id, plural(row.end, "token is", "tokens are"))
            return
        slots, at = self._slots(row.start, row.end), row.start
        seen = self._seen(row.start, row.end)
        if kind == PartitionEvent.RAW_TEXT:
            self._settle(slots)
            if seen:
                self._mark(slots, HIT)
                self._step("text", shortened(self._text(slots)), at=at)
            return
        if kind == PartitionEvent.NOT_A_WORD:
            why = self._neighbor(slots)
            self._check(id, 0, f"fails: {why}")
            self._mark(slots, REFUSED)
        elif kind == PartitionEvent.STRIPPED:
            why = self._strip(row, slots, after)
        else:
            why = "What is left and right of it stays text."
            self._take(row, slots, after)
        if seen:
            spelling = self.vocabulary.spelling(id)
            self._step(kind, spelling, id, plural(len(slots), "space character"), at, why)

    def _take(self, row: PartitionRow, slots: range, after: PartitionRow | None) -> None:
        """A token becomes a fragment of its own."""
        self._carve(slots, row.token)
        cells = [self.cell_of[slot] for slot in slots if slot in self.cell_of]
        for number, cell in enumerate(cells):
            self.builder.put("cells", cell, *((0, -1) if number else (len(cells), row.token)))
        self._mark(slots, FOUND)
        self._note(row.token, "found")
        flags = self.flags.get(row.token)
        if flags:
            strips = after is not None and after.kind == PartitionEvent.STRIPPED and after.start == row.end
            self._check(row.token, 0, "passes: no letter touches it" if flags.single_word else "no")
            self._check(row.token, 2, ("strips" if strips else "nothing to strip") if flags.rstrip else "no")

    def _strip(self, row: PartitionRow, slots: range, after: PartitionRow | None) -> str:
        """White space goes with the token beside it; the span of an added token covers it."""
        left = after is not None and after.token == row.token and after.start == row.end
        self._carve(slots, None)
        self._mark(slots, GONE)
        if self.added is None:
            return "The file asks for it (lstrip)." if left else "The file asks for it (rstrip)."
        self._check(row.token, 1 if left else 2, f"strips {plural(len(slots), 'character')}")
        return "It is marked lstrip." if left else "It is marked rstrip."

    def _settle(self, slots: range) -> None:
        """The text fragment that the stage ends with, as one part."""
        if self.parts.get(slots.start) == (slots.stop, TEXT):
            return
        low = bisect_right(self.begins, slots.start - 1)
        while low < len(self.begins) and self.begins[low] < slots.stop:
            self._remove(low, self.begins[low])
        self._add(slots.start, slots.stop, TEXT)

    def _walk(self, events: list[PartitionRow]) -> None:
        """The fragments in order, as llama.cpp's `tokenize` goes through them."""
        raw = iter([number for number, row in enumerate(events) if row.kind == PartitionEvent.RAW_TEXT])
        first = True
        for item in self.stage.after:
            if isinstance(item, Segment):
                self.builder.event = next(raw)
                start, end = item.starts[0], item.ends[-1]
            else:
                start, end = item.start, item.end
            if self._seen(start, end):
                self._mark(self._slots(start, end), HIT)
                if isinstance(item, Segment):
                    self._set("true, then false")
                    why = "It begins the text." if first else "A special token comes before it."
                    self._step("prefixed", shortened(item.text), at=start, why=why)
                else:
                    self._set("true")
                    self._step("after token", self.vocabulary.spelling(item.id), item.id, at=start)
            first = False

    # --- tracks and arguments -------------------------------------------------------------------------------------

    def _set(self, value: str) -> None:
        self.builder.write("values", 0, "is_prev_special", value)

    def _note(self, id: int, result: str, searched: str = "") -> None:
        """A row of the search: a token and what came of it."""
        if self.added:
            return
        builder = self.builder
        row, times = self.searched.get(id, (self.rows, 0))
        text: int | str = searched
        if searched:
            row = self.rows
        else:
            self.searched[id] = row, times + 1
            text = builder.text(self.vocabulary.spelling(id))
            result = f"found {times + 1} times" if times and result == "found" else result
        self.rows += row == self.rows
        builder.write("search", row, text, result)
        builder.mark("search", row, HIT)

    def _check(self, id: int, check: int, verdict: str) -> None:
        """A verdict in the table of checks; a new token begins with its flags."""
        if self.added is None:
            return
        builder, flags = self.builder, self.flags[id]
        if check == 0:
            for row, asked in enumerate((flags.single_word, flags.lstrip, flags.rstrip)):
                if row != 1 or not asked:
                    builder.write("search", row, CHECKS[row], "asked" if asked else "no")
            builder.write("search", 3, CHECKS[3], f"the {'normalized text' if flags.normalized else 'text as typed'}")
        builder.write("search", check, CHECKS[check], verdict)
        if verdict != "no":
            builder.mark("search", check, HIT)

    def _neighbor(self, slots: range) -> str:
        """Which word characters touch a match."""
        sides = {"left": slots.start - 1, "right": slots.stop}
        touching = {side: self.slots[at][2] for side, at in sides.items() if 0 <= at < len(self.slots)}
        return " and ".join(f"{ch} on its {side}" for side, ch in touching.items() if ch and is_word(ch))

    def _mark(self, slots: range, role: int) -> None:
        cells = [self.cell_of[slot] for slot in slots if slot in self.cell_of]
        for cell in cells if len(cells) <= MARKED else [cells[0], cells[-1]]:
            self.builder.mark("cells", cell, role)

    def _step(self, kind: Hashable, text: str = "", id: int = -1, count: str = "", at: int = 0, why: str = "") -> None:
        shown = self.builder.text(text) if id >= 0 else self.builder.plain(text)
        self.builder.step(kind, text=shown, id=id, count=count, at=at, why=why)
