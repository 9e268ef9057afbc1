"""The stepper's script for decoding: ids become bytes, and the bytes are read as a client that streams must read them.

The first half replays how the decoder finds the bytes of each token (`decode_changes`). The second half reads them in
order and writes only whole characters: the beginning of one is held back until the rest has come.
"""

from __future__ import annotations

from explorer.analysis.round_trip.losses import Losses
from explorer.engine.decoders.rows import DecodeEvent
from explorer.engine.results import DecodeTrace, Trace
from explorer.text.utf8 import fields_of
from explorer.text.visible import hexadecimal, shortened
from explorer.views.results.round_trip import reasons, terms_of
from explorer.views.spelled import shown_text
from explorer.views.steppers.columns import GONE, GOOD, PLAIN, WAITS, columns
from explorer.views.steppers.decode_changes import Change, Release, chain_of, changes, name_of, releases
from explorer.views.steppers.decode_kinds import CODE, KIND_INDEX, KINDS, SOURCE, Reading
from explorer.views.steppers.script import Script, ScriptBuilder
from explorer.views.window import Window
from explorer.vocabulary import PieceKind, Vocabulary, spelled

ROLES = (("", "done"), ("", "reject"), ("", "gone"))
AT_WORK, WRONG, DROPPED = range(len(ROLES))
FEW = 8
"""Bytes of a token drawn in its column."""
NUMBER = -1
"""The key of the number in the track `held`."""


def decode_script(
    trace: Trace,
    decoded: DecodeTrace,
    vocabulary: Vocabulary,
    window: Window,
    *,
    of_text: bool = True,
    losses: Losses | None = None,
) -> Script:
    """The script for decoding the ids of a trace, within a window.

    of_text: the ids came from the text, so the last step compares it with what they give. losses: what doesn't come
    back; the last step lists it.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("is")
    >>> decode_script(trace, tok.trace_decode(trace.ids), tok.vocabulary, Window(0, 2, 0, 2)).sentence(2)
    'ids[1] = 338: “▁is” gives 20 69 73. It gives its piece, ▁ as a space.'
    """
    return _Writer(trace, decoded, vocabulary, window, of_text, losses or Losses((), ())).write()


class _Writer:
    """One pass over the changes, one over what is written."""

    def __init__(
        self,
        trace: Trace,
        decoded: DecodeTrace,
        vocabulary: Vocabulary,
        window: Window,
        of_text: bool,
        losses: Losses,
    ) -> None:
        self.losses, self.lost = losses, [loss for loss in losses.lost if window.holds(loss.at)]
        left = ("lost", "held") if self.lost else ("held",)
        self.trace, self.decoded, self.vocabulary, self.of_text = trace, decoded, vocabulary, of_text
        self.tokens, self.stored = trace.encoding.tokens, trace.encoding.vocabulary
        self.drawn = range(window.first, window.last)
        self.chain = chain_of(decoded.decoder)
        self.lines = ("String", "Bytes", "Text") if self.chain else ("Bytes", "Text")
        self.rows: dict[int, list[tuple[int, int]]] = {}
        """position → text and state of each line"""
        self.builder = ScriptBuilder(
            title="Text again",
            landmark="character",
            kinds=dict(enumerate(KINDS.values())),
            tracks=(
                columns("Tokens", "a column for each token", ("Token", *self.lines)),
                {"name": "held", "type": "bits", "title": "Held back", "number": "", "most": 4, "tab": "Buffer",
                 "note": "bytes that only begin a character", "idle": "Nothing is held back."},
                {"name": "output", "type": "output", "title": "Text so far", "empty": "Nothing is written yet.",
                 "labeled": True, "tab": "Text", "counts": ["part", "parts"]},
                {"name": "lost", "type": "table", "title": "What does not come back", "tab": "Lost", "layout": "rows",
                 "newest_first": False, "empty": "The text is compared at the last step.",
                 "columns": [{"name": "index", "as": "number"}, {"name": "character", "as": "quoted"},
                             {"name": "lost by", "as": "text"}, {"name": "became", "as": "quoted"},
                             {"name": "why", "as": "text"}]},
            ),
            roles=ROLES,
            layout=(("columns",), ("held", "output"), *((name,) for name in left if name == "lost"), ("log", "code")),
            levels={
                "story": {"top": ("columns",), "left": left, "right": ("output",)},
                "algorithm": {"top": ("columns",), "left": left, "right": ("code",)},
            },
            code_title="From ids to text",
            code=CODE,
            source_title="A client that streams, in Python",
            source=SOURCE,
        )  # fmt: skip
        self.pending: list[int] = []
        """positions whose bytes are held back"""
        self.held = 0
        """bytes drawn in the track `held`"""

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        for position in self.drawn:
            self.rows[position] = [(-1, PLAIN)] * len(self.lines)
            self._put(position)
        builder.phase("Bytes")
        count = len(self.drawn)
        if not count:
            builder.begin("There are no ids.", lines=(0,))
            return builder.script()
        builder.begin("{0} ids wait. Which bytes does each of them spell?" if count > 1 else
                      "One id waits. Which bytes does it spell?", "", [count], (0,))  # fmt: skip
        for change in changes(self.decoded, self.trace.options.add_special):
            self._change(change)
        builder.phase("Text")
        for release in releases(self.decoded.parts):
            if release.position in self.rows and self.decoded.parts[release.position]:
                self._release(release)
            elif release.position < 0 and self.drawn.stop == len(self.tokens) and release.text:
                self._end(release)
        if self.of_text:
            same = self.decoded.text == self.trace.text
            nothing = Change(0, b"", b"")
            self._list_losses()
            self._step(Reading.SAME if same else Reading.DIFFERENT, nothing, shortened(self.decoded.text))
        return builder.script()

    def _list_losses(self) -> None:
        """The characters that don't come back, each with the stage that lost it."""
        builder, why = self.builder, reasons(self.trace, self.decoded, self.losses) if self.lost else {}
        for key, loss in enumerate(self.lost):
            became, reason = builder.plain(shortened(loss.became) or "nothing"), builder.plain(why.get(loss.at, ""))
            stage = builder.plain(terms_of(loss.stage).name)
            builder.put("lost", key, loss.at, builder.text(self.trace.text[loss.at]), stage, became, reason)

    # --- the bytes of each token ----------------------------------------------------------------------------------

    def _change(self, change: Change) -> None:
        position, how = change.position, change.how
        if position < 0:
            self._step(Reading.UNCHANGED, change)
            return
        if position not in self.rows:
            return
        if how in (DecodeEvent.DROP, DecodeEvent.HIDDEN):
            self.rows[position][-2] = self.builder.plain("–"), GONE
            self._put(position)
            self.builder.mark("columns", position, DROPPED)
            self._step(how, change)
            return
        self._write_bytes(position, change.after)
        if how == DecodeEvent.STRING:
            return  # the strings of all tokens come with the next step
        self.builder.mark("columns", position, AT_WORK)
        self._step(how or Reading.CHANGED, change)

    def _write_bytes(self, position: int, data: bytes) -> None:
        row = self.rows[position]
        row[-2] = self.builder.plain(hexadecimal(data, FEW) or "–"), PLAIN
        if self.chain:
            row[0] = self.builder.text(spelled(data)), PLAIN
        self._put(position)

    # --- the text -------------------------------------------------------------------------------------------------

    def _release(self, release: Release) -> None:
        builder, (position, before, text, held) = self.builder, release
        part = self.decoded.parts[position]
        self.pending.append(position)
        if text:
            self._write(text, with_this=not held or len(held) < len(part))
        if held:
            self.rows[position][-1] = builder.plain("…"), WAITS
        elif text:
            self.rows[position][-1] = builder.text(text), GOOD
        self._put(position)
        self._hold(held)
        kind = (
            Reading.MALFORMED if "\ufffd" in text and text.encode() != before + part[: len(part) - len(held) or None]
            else Reading.COMPLETED if before and text else Reading.PARTLY if held and text
            else Reading.HELD if held else Reading.WRITTEN
        )  # fmt: skip
        builder.mark("columns", position, WRONG if kind == Reading.MALFORMED else AT_WORK)
        self._step(kind, Change(position, before, part), text, held)
        if not held:
            self.pending.clear()
        elif text:
            self.pending = [position]

    def _write(self, text: str, with_this: bool = True) -> None:
        """Puts a text out that the pending tokens gave together."""
        builder = self.builder
        owners = self.pending if with_this else self.pending[:-1] or self.pending
        for position in owners[:-1]:
            self.rows[position][-1] = builder.plain("↳"), GOOD
            self._put(position)
        spans = [self.tokens[position] for position in owners if self.tokens[position].start >= 0]
        start, end = (spans[0].start, max(each.end for each in spans)) if spans else (-1, -1)
        ids = builder.plain(" + ".join(str(self.tokens[position].id) for position in owners))
        builder.put("output", owners[-1], builder.text(text), self.tokens[owners[-1]].id, start, end, ids)

    def _hold(self, held: bytes) -> None:
        """Draws the bytes that are held back."""
        builder = self.builder
        for key in range(len(held), self.held):
            builder.delete("held", key)
        for key, byte in enumerate(held):
            builder.put("held", key, byte, fields_of(byte).prefix_bits, 1, key)
        if held:
            size = 2 if held[0] < 0xE0 else 3 if held[0] < 0xF0 else 4
            more = size - len(held)
            builder.put("held", NUMBER, builder.plain(f"{more} more byte{'s' * (more > 1)} must come"), -1)
        elif self.held:
            builder.delete("held", NUMBER)
        self.held = len(held)

    def _end(self, release: Release) -> None:
        """Bytes are left at the end."""
        for position in self.pending:
            self.rows[position][-1] = self.builder.plain("\ufffd"), GONE
            self._put(position)
        self._write(release.text)
        self._hold(b"")
        self._step(Reading.CUT_OFF, Change(self.pending[-1], b"", b""), release.text, release.held_before)

    # --- tracks and arguments -------------------------------------------------------------------------------------

    def _put(self, position: int) -> None:
        token = self.tokens[position]
        lines = [value for line in self.rows[position] for value in line]
        self.builder.put("columns", position, self._token(position), token.id, token.start, token.end, *lines)

    def _token(self, position: int) -> int:
        """A token; one of a single byte as it is stored, because that is what is read."""
        id = self.tokens[position].id
        is_byte = self.vocabulary.kinds[id] == PieceKind.BYTE
        return self.builder.plain(shown_text(self.stored if is_byte else self.vocabulary, id))

    def _step(self, kind: DecodeEvent | Reading, change: Change, text: str | None = None, held: bytes = b"") -> None:
        builder, position = self.builder, max(change.position, 0)
        name, does = name_of(self.chain.steps[change.step]) if self.chain and change.step >= 0 else ("", "")
        id = self.tokens[position].id
        now = spelled(change.after) if text is None else text
        builder.step(
            KIND_INDEX[kind], self._token(position), builder.plain(hexadecimal(change.after, FEW) or "no bytes"),
            builder.text(spelled(change.before)), builder.text(now), builder.plain(name), builder.plain(does),
            position, id, builder.plain(hexadecimal(held, FEW)), builder.plain(self._byte(id, change.after)),
        )  # fmt: skip

    def _byte(self, id: int, data: bytes) -> str:
        """How the spelling of a byte token is read."""
        spelling = self.stored.spelling(id)
        if self.vocabulary.kinds[id] != PieceKind.BYTE or len(data) != 1 or spelling != f"<0x{data[0]:02X}>":
            return "The token is this byte."
        high, low = spelling[3], spelling[4]
        return f"The digits after <0x are {high} and {low}: {int(high, 16)} · 16 + {int(low, 16)} = {data[0]}."
