"""The stepper's script for RWKV World: the path through the trie, the last token seen on it, and the fallback.

One step per event of `engine/models/longest_match.py`. If the loop that stops at the first miss (`FirstMiss`)
would stop here and miss the token this walk finds, the step says so. `ByteScript` is what the script of that loop
(`first_miss_story.py`) shares: the bytes of the text as cells, the current path as lines, tokens as boxes. Only walks
that begin within the window become steps.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

from explorer.engine.models.longest_match import ByteMatch, FirstMiss, TrieEvent, TrieMatch
from explorer.engine.part import Segment, silent
from explorer.errors import InputError
from explorer.script.model_script import FOLLOW, Fragment, ModelScript, WalkTrack
from explorer.script.script import Script, ScriptBuilder, StepKind, Values, Window, kinds, roles
from explorer.text import visible, visible_char
from explorer.text.input import character_of_each_byte
from explorer.text.say import Text, plural
from explorer.vocabulary import Vocabulary, spelled

ROLES = roles("done, reject, seen next, gone, hit")
PATH, NOWHERE, SEEN, BACK, HIT = range(len(ROLES))

SEGMENT = """
SEGMENT: fragment
    look: info dot 60
    fields: size:t
    say: A new fragment of {size} begins.
    log: new fragment, {size}
    story: The next part of the text begins, with {size}.
    story_why: No token crosses from one part to the next.
"""
"""A fragment begins, for a walk over its bytes."""

Told = tuple[Hashable, Values]
"""The key of a kind of step, and what its fields are."""


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

    title: str
    code: Sequence[str]
    walk: WalkTrack

    def prepare(self) -> None:
        beside = [track["name"] for track in self.beside]
        self.builder = ScriptBuilder.laid_out(
            "walk",
            title=self.title,
            kinds=self.kinds,
            tracks=(
                self.strip("Bytes", "one cell per byte, the bytes of a character side by side", inline=True),
                self.walk.track,
                self.output("No tokens yet. They appear when a walk ends."),
                *self.beside,
            ),
            roles=ROLES,
            layout=f"cells / {', '.join(('walk', 'output', *beside))} / log, code",
            code=self.code,
        )  # fmt: skip
        self.walk.builder = self.builder
        for index, item in enumerate(self.items):
            if isinstance(item, Segment):
                fragment = ByteFragment(item, self.window)
                self.draw(index, fragment, self._cell_text, self._cell_title)
                for at in fragment.drawn():  # a cell of ASCII shows its character
                    self.cells[fragment.base + at].append(self.builder.plain(f"{fragment.data[at]:02X}"))
        self.rows = self._rows_in_window()
        self.start = -1
        """byte at which the current walk began"""

    def _cell_text(self, at: int) -> int:
        ch = self.fragment.character(at)
        return self.builder.text(ch) if ch.isascii() else self.builder.plain(f"{self.fragment.data[at]:02X}")

    def _cell_title(self, at: int) -> str | None:
        """The character whose bytes begin here; ASCII needs no title."""
        fragment = self.fragment
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
        for index, (self.fragment, self.row, builder.event) in enumerate(rows):
            row = self.row
            if not row.kind:
                self.pass_tokens(row.start)
                if index:
                    builder.step(row.kind, size=plural(row.at, "byte"))
                continue
            if row.start not in (self.start, len(self.fragment.data)):
                self.begin_walk(index)
                if done:
                    self.phase_of(done, walks, Text("Token {0}", done + 1))
            key, told = self.event()
            builder.step(key, **told)
            done += row.kind in self.ends
        self.follow()
        return builder.script()

    def _rows_in_window(self) -> list[tuple[ByteFragment, Any, int]]:
        """The fragments and walks that begin among the bytes drawn: their events and indices."""
        rows: list[tuple[ByteFragment, Any, int]] = []
        for event, row in enumerate(self.stage.events):
            if not row.kind:
                fragment = self.fragments[row.start]
                drawn = bool(fragment.drawn())
            else:
                drawn = fragment.holds(row.start) or row.start == fragment.high == len(fragment.of)
            if drawn:
                rows.append((fragment, row, event))
        return rows

    def begin_walk(self, index: int) -> None:
        """Begins a walk with the row at `index` of `rows`, which is at work."""
        self.start = self.row.start

    def event(self) -> Told:
        """Writes what an event changes."""
        raise NotImplementedError

    # --- tracks and arguments -------------------------------------------------------------------------------------

    def take(self, found: ByteMatch) -> None:
        """Draws the bytes of a token as one box and puts the token out."""
        fragment = self.fragment
        self.put_box(range(found.start, min(found.end, fragment.high)), found.id)
        self.mark([found.start], HIT)
        self.put_out(found.id, fragment.starts[found.start], fragment.ends[found.end - 1])

    def next_text(self, at: int) -> int:
        """What begins at a byte: a character, or the byte within one; -1 at the end."""
        fragment = self.fragment
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

    def text(self, start: int, end: int) -> int:
        """What the bytes [start, end) spell."""
        return self.builder.text(spelled(self.fragment.data[start:end]))


CODE = """\
start = 0
while start < the end of the text:
    node = root; nothing seen
    for each byte from start on:
        node = the node that byte leads to
        if there is none: leave the loop
        if node is a token: seen = node
    output the token seen; start = its end
""".splitlines()

NOTE = "Thin lines: edges not taken, with the number of tokens they lead to. A filled dot is a token."
KINDS = kinds(
    TrieEvent,
    SEGMENT,
    """
NODE: node
    look: miss ring 30
    lines: 3 4 6
    fields: read:t so_far:q name:q byte:q goes_on:t
    say: Byte {read} has an edge. {so_far} is not a token, but a longer one begins with it: walk on.
    log: {so_far}: no token yet
    story: An edge for {byte}: walk on.
    story_why: {name} is not a token, but {goes_on} through it.

SEEN: token seen
    look: push dot 60
    lines: 3 4 6
    fields: read:t so_far:q id:t byte:q name:q longer:t
    say: Byte {read} has an edge. {so_far} is token {id}: remember it.
    why: {longer}
    log: {so_far} seen, {id}
    story: An edge for {byte}: {name} is token {id}. Remember it.

NO_EDGE: path ends
    look: stale diamond 30
    lines: 3 4 5
    fields: read:t so_far:q byte:q last:q
    say: After {so_far} there is no edge for byte {read}: the walk ends.
    log: ends at {read}
    story: No edge for {byte}: the walk ends. The last token passed was {last}.

END: path ends
    look: stale diamond 30
    lines: 3
    fields: so_far:q last:q
    say: The text ends after {so_far}, so the walk ends.
    log: ends with the text
    story: The text ends, and so does the walk. The last token passed was {last}.

TAKE: token
    look: merge dot 100 landmark
    lines: 7
    fields: piece:q id:t name:q passed:t
    say: The last token seen is {piece}, token {id}: output it. The next walk begins after it.
    log: {piece} {id}
    story: {name} is taken: token {id}.
    story_why: {passed}

FALL_BACK: fall back
    look: merge diamond 100 landmark
    lines: 7
    fields: piece:q id:t further:t name:q
    say: Fall back to the last token seen, {piece}, token {id}. The walk went {further} further; the next walk reads
        that again.
    log: back to {piece} {id}
    story: Back to the last token passed: {name} is taken, token {id}.
    story_why: The walk went {further} further. The next walk reads that again.

UNKNOWN: unknown
    look: byte ring 70 landmark
    lines: 7
    fields: read:t piece:q id:t byte:q
    say: The walk saw no token: byte {read} becomes {piece}, token {id}.
    why: The byte is skipped, so the algorithm always ends.
    log: unknown {piece}
    story: The walk passed no token: {byte} becomes {piece}.
    story_why: The byte is lost.

missed by the loop like NODE
    fields: read:t so_far:q found:q byte:q name:q
    why: A loop that stops at the first miss would stop here and never find {found}, which this walk reaches.
    story_why: {name} is not a token: a loop that stops at the first miss would never find {found}.

cheaper like TAKE
    fields: piece:q id:t name:q character:q by_trie:t by_loop:t
    why: The character {character} costs {by_trie} by the trie, because {name} is a token. The loop that stops at
        the first miss pays {by_loop}, one for each byte.
    story_why: The character {character} costs {by_trie} by the trie, because {name} is a token. The loop that stops
        at the first miss pays {by_loop}, one for each byte.

cheaper back like FALL_BACK
    fields: piece:q id:t name:q character:q by_trie:t by_loop:t further:t
    why: The character {character} costs {by_trie} by the trie, because {name} is a token. The loop that stops at
        the first miss pays {by_loop}, one for each byte.
    story_why: The character {character} costs {by_trie} by the trie, because {name} is a token. The loop that stops
        at the first miss pays {by_loop}, one for each byte.

nothing seen like NO_EDGE
    fields: read:t so_far:q byte:q
    story: No edge for {byte}: the walk ends. It passed no token.

nothing seen at the end like END
    fields: so_far:q
    story: The text ends, and so does the walk. It passed no token.
""",
    FOLLOW,
)


class TrieScript(ByteScript):
    """The script for the walk through a trie.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> example(TrieScript.of, explorer.load("rwkv-world").trace("!--")).sentence(2)
    'Byte 2D “-” has an edge. “!-” is not a token, but a longer one begins with it: walk on. A loop that stops at the \
first miss would stop here and never find “!--”, which this walk reaches.'
    """

    kinds = KINDS
    ends = (TrieEvent.TAKE, TrieEvent.FALL_BACK, TrieEvent.UNKNOWN)
    opening = "Every walk begins at the root of the trie, a tree with an edge for each byte that may come next."

    title, code = "Trie walk", CODE

    def prepare(self) -> None:
        self.walk = WalkTrack("Tokens passed on the way", NOTE, "The longest is taken:")
        super().prepare()
        self.model = cast(TrieMatch, self.stage.part)
        self.seen = self.reached = -1
        """last byte of the token seen on the walk, and the index after the last byte read"""
        self.passed = 0
        """tokens on the walk so far"""
        self.found = ByteMatch(-1, 0, 0)
        """what the current walk will find"""
        self.loop_goes_on = False
        """whether the loop that stops at the first miss would still be running"""
        self.loop = self.vocabulary.once(loop_over)

    def begin_walk(self, index: int) -> None:
        super().begin_walk(index)
        self.seen, self.reached, self.passed, self.loop_goes_on = -1, self.start, 0, True
        self.walk.begin(self._branches(self.start, self.start))
        end = next(row for _, row, _ in self.rows[index:] if row.kind in self.ends)
        self.found = ByteMatch(end.token, self.start, end.at)

    def event(self) -> Told:
        fragment, row = self.fragment, self.row
        kind, at, start, token = row
        if kind in self.ends:
            return self._token()
        self.mark(range(start, min(at, len(fragment.data)) + (kind != TrieEvent.NO_EDGE)), PATH)
        last: Values = {"last": self.name(fragment.data[start : self.seen + 1])} if self.seen >= 0 else {}
        if kind == TrieEvent.END:
            self.walk.stop(b"", "the text ends")
            so_far = self.text(start, len(fragment.data))
            return kind if last else "nothing seen at the end", {"so_far": so_far, **last}
        byte = fragment.data[at : at + 1]
        read = self.read(byte[0])
        told: Values = {"read": read, "byte": self.name(byte)}
        if kind == TrieEvent.NO_EDGE:
            self._mark_seen()
            self.mark([at], NOWHERE)
            self.walk.stop(byte, "no edge")
            told["so_far"] = self.text(start, at)
            return kind if last else "nothing seen", told | last
        shown = self.name(fragment.data[start : at + 1])
        told |= {"so_far": self.text(start, at + 1), "name": shown}
        self.walk.node(byte, token, shown if token >= 0 else -1, at + 1 - start, self._branches(start, at + 1))
        through = self.model.prefixes.count(fragment.data[start : at + 1])
        if kind == TrieEvent.SEEN:
            self.reached, self.seen, self.passed = at + 1, at, self.passed + 1
            longer = plural(through - 1, "longer token begins with it.", "longer tokens begin with it.")
            return kind, told | {
                "id": str(token),
                "longer": longer if through > 1 else "No longer token begins with it.",
            }
        self._mark_seen()
        self.reached = at + 1
        if fragment.ends_character(at) and self.loop_goes_on:
            self.loop_goes_on = False
            if self.found.end > at + 1:
                return "missed by the loop", told | {"found": self.spelling(self.found.id)}
        return kind, told | {"goes_on": plural(through, "token goes", "tokens go")}

    def _token(self) -> Told:
        """A walk ends with a token."""
        kind, at, start, token = self.row
        self.take(ByteMatch(token, start, at))
        told: Values = {"piece": self.spelling(token), "id": str(token)}
        if kind == TrieEvent.UNKNOWN:
            byte = self.fragment.data[start : start + 1]
            return kind, told | {"read": self.read(byte[0]), "byte": self.name(byte)}
        self.walk.take(at - start, self.next_text(at))
        told["name"] = self.name(self.vocabulary.pieces[token])
        costs = self._cheaper(start, at)
        if kind == TrieEvent.FALL_BACK:
            self.mark(range(at, self.reached), BACK)
            told["further"] = plural(self.reached - at, "byte")
            return ("cheaper back", told | costs) if costs else (kind, told)
        if costs:
            return "cheaper", told | costs
        passed = Text("{0} tokens lay on the way. The last one is the longest match, so it is taken.", self.passed)
        return kind, told | {"passed": passed if self.passed > 1 else "It is the only token on the way."}

    # --- what is said ------------------------------------------------------------------------------------------------

    def _branches(self, start: int, at: int) -> int:
        prefix = self.fragment.data[start:at]
        return self.walk.branches_of(prefix, self.fragment.data[at : at + 1], self.model.prefixes)

    def _mark_seen(self) -> None:
        if self.seen >= 0:
            self.mark([self.seen], SEEN)

    def _cheaper(self, start: int, end: int) -> Values:
        """A character whose first bytes are a token: itself, its tokens by the trie and by the loop, if those differ.

        It counts the character alone, as if nothing followed it.
        """
        fragment = self.fragment
        if self.loop is None or end - start < 2 or fragment.of[start] != fragment.of[end - 1]:
            return {}
        first = start == 0 or fragment.of[start - 1] != fragment.of[start]
        if not first or fragment.ends_character(end - 1):
            return {}
        character = fragment.character(start)
        by_trie, by_loop = (len(model.tokenize(character.encode(), silent)) for model in (self.model, self.loop))
        if by_trie == by_loop:
            return {}
        return {"character": character, "by_trie": plural(by_trie, "token"), "by_loop": plural(by_loop, "token")}


def loop_over(vocabulary: Vocabulary) -> FirstMiss | None:
    """The loop that stops at the first miss, for comparison; None if its tokens 1 to 256 are not the bytes."""
    try:
        return FirstMiss(vocabulary)
    except InputError:
        return None
