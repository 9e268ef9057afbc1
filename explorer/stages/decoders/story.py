"""The stepper's script for decoding: ids become bytes, and the bytes are read as a client that streams must read them.

The first half replays how the decoder finds the bytes of each token (`changes.py`). The second half reads them in
order and writes only whole characters: the beginning of one is held back until the rest has come.
"""

from explorer.engine.decoders.huggingface import DecodeEvent
from explorer.engine.tokenizer import DecodeTrace, Trace
from explorer.script.model_script import GONE, GOOD, PLAIN, WAITS, columns
from explorer.script.script import Script, ScriptBuilder, Window, kinds, roles
from explorer.stages.decoders.changes import Change, Release, chain_of, changes, name_of, releases
from explorer.stages.decoders.losses import Losses, reasons, terms_of
from explorer.stages.spelling import shown_text
from explorer.text.input import fields_of, width
from explorer.text.say import Text, hexadecimal, shortened, visible
from explorer.vocabulary import PieceKind, Vocabulary, spelled

CODE = """\
for each id:
    skip it if it was put around the text
    look up the bytes that it spells
mend the bytes as the model asks
for each id:
    put its bytes into the buffer
    write all whole characters of the buffer
    keep a character that has only begun
at the end, what is left becomes �
""".splitlines()
SOURCE = """\
parts = [bytes_of(id) for id in ids]

decoder = codecs.getincrementaldecoder("utf-8")("replace")
for part in parts:
    print(decoder.decode(part), end="", flush=True)
    # decoder.getstate()[0] is what it holds back
print(decoder.decode(b"", final=True))
""".splitlines()


KINDS = kinds(
    DecodeEvent,
    """
DROP: dropped
    look: miss ring 30
    lines: 0 1
    source: 0
    say: ids[{at}] = {id}: {token} was added around the text, so it gives nothing.
    log: {token} is dropped
    story: {token} was put around the text, so it is left out.

PIECE: bytes
    look: token dot 60
    lines: 0 2
    source: 0
    say: ids[{at}] = {id}: {token} gives {bytes}.
    why: It gives its piece, with ▁ as a space.
    log: {token} gives {bytes}
    story: {token} gives {bytes}.
    story_why: These are the bytes of its piece; ▁ becomes a space, 20.

BYTE like PIECE: byte
    look: byte dot 60
    why: {how}
    log: {token} is {bytes}
    story: {token} is one byte: {bytes}.
    story_why: A byte alone need not be a character.

SPELLED like PIECE
    why: A special or user-defined token gives its spelling.
    story_why: It is written as it is spelled.

HIDDEN like DROP
    say: ids[{at}] = {id}: {token} is not written.
    why: A token of this kind has no text.
    log: {token} is not written
    story: {token} is not written.

SPACE: space
    look: stale diamond 60
    lines: 3
    source: 0
    say: ids[{at}] = {id}: the space at the very beginning is removed: {now} is left.
    why: It was put there so that the first word looks like any other.
    log: the space at the very beginning is removed: {now} is left.
    story: The space at the very beginning is removed: {now} is left.

SURFACE like PIECE
    why: It gives what the model writes for unknown text.
    story_why: It gives what the model writes for unknown text.

REPLACED like PIECE
    why: It gives U+FFFD: this byte is not part of a character.
    story_why: It gives U+FFFD: this byte is not part of a character.

GLUED like PIECE
    why: It gives its piece without the ## prefix.
    story_why: It gives its piece without the ## prefix.

SPACED like PIECE
    why: It gives a space, because it begins a word, and its piece.
    story_why: It gives a space, because it begins a word, and its piece.

CLEANED: clean-up
    look: stale diamond 60
    lines: 3
    source: 0
    say: ids[{at}] = {id}: spaces beside punctuation are removed: {before} becomes {now}.
    log: spaces beside punctuation are removed: {before} becomes {now}.
    story: Spaces beside punctuation are removed: {before} becomes {now}.

RAW like PIECE
    why: It gives its piece, byte by byte.
    story_why: A token of this model is simply its bytes.

PRINTABLE like PIECE
    why: It gives its piece; each printable character becomes its byte again.
    story_why: It gives its piece; each printable character becomes its byte again.

CLEANED_SPACES like CLEANED
    why: llama.cpp cleans up for this model.

DENORMALIZED like CLEANED: rewritten
    say: ids[{at}] = {id}: the denormalizer rewrites {before} as {now}.
    log: the denormalizer rewrites {before} as {now}.
    story: The denormalizer rewrites {before} as {now}.

changed: decoder
    look: push dot 60
    lines: 2 3
    source: 0
    say: {decoder}: {before} becomes {now} (ids[{at}] = {id}).
    why: {does}
    log: {decoder}: {before} → {now}
    story: {before} becomes {now}.
    story_why: {decoder}: {does}

unchanged like changed
    look: info ring 30
    lines: 3
    say: {decoder} changes no bytes.
    log: {decoder}: no change
    story: {decoder} changes nothing here.
    story_why: {does}

written: written
    look: merge dot 100 landmark
    lines: 5 6
    source: 3 4 5
    say: {bytes} is {now}: it is written.
    why: The buffer is empty again.
    log: {bytes} is {now}: it is written.
    story: {bytes} is {now}. Nothing is missing: it is written.
    story_why: A streaming client can show it immediately.

held: held back
    look: stale dot 45
    lines: 5 7
    source: 3 4 5
    say: After {bytes} the buffer holds {held}, which only begins a character.
    why: Output now, it would appear as �.
    log: {bytes}: the buffer holds {held}
    story: {held} only begins a character: it is held back.
    story_why: Output now, it would appear as �. A program that streams waits for the rest.

partly: written
    look: merge dot 80 landmark
    lines: 5 6 7
    source: 3 4 5
    say: {now} is written; the buffer holds {held}.
    why: It only begins a character.
    log: {now} is written; the buffer holds {held}.
    story: {now} is written. {held} only begins a character and is held back.
    story_why: Output now, it would appear as �. A program that streams waits for the rest.

completed: whole
    look: merge dot 100 landmark
    lines: 5 6
    source: 3 4 5
    say: {bytes} completes what the buffer held: {now} is written.
    log: {bytes} completes what the buffer held: {now} is written.
    story: With {bytes} the character is whole: {now} is written.
    story_why: It took several tokens; none is valid text on its own.

malformed: malformed
    look: stale dot 90 landmark
    lines: 5 6
    source: 3 4 5
    say: {bytes} is not UTF-8 here: {now} is written.
    why: The bytes in the buffer cannot become a character any more.
    log: {bytes} is not UTF-8: {now} is written.
    story: {bytes} cannot complete a character: {now} is written.
    story_why: � marks bytes that are not text.

cut off: cut off
    look: stale diamond 90 landmark
    lines: 8
    source: 6
    say: The buffer still holds {held} at the end: it becomes �.
    log: {held} becomes �
    story: The ids end within a character: {held} becomes �.

same text: the same
    look: info dot 70
    lines: 8
    source: 6
    say: The ids give back exactly the text they were made from.
    log: the same text
    story: The ids give back exactly your text.

different like same text: different
    say: They give back {now}, not the text they were made from.
    log: another text
    story: The ids give back {now}, not your text.
""",
    fields="token:q bytes:t before:q now:q decoder:t does:t at:i id:i held:t how:t",
)
"""bytes: in hexadecimal. before, now: what they spelled and spell. decoder, does: its name and what it does. held: the
bytes held back. how: how a byte token is read."""

ROLES = roles("done, reject, gone")
AT_WORK, WRONG, DROPPED = range(len(ROLES))
NOTHING = Change(0, b"", b"")
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
    'ids[1] = 338: “▁is” gives 20 69 73. It gives its piece, with ▁ as a space.'
    """
    return _Writer(trace, decoded, vocabulary, window, losses or Losses((), ())).write(of_text)


DIGITS = "The digits after <0x are {0:t} and {1:t}: {2} · 16 + {3} = {4}."


class _Writer:
    """One pass over the changes, one over what is written."""

    def __init__(
        self,
        trace: Trace,
        decoded: DecodeTrace,
        vocabulary: Vocabulary,
        window: Window,
        losses: Losses,
    ) -> None:
        self.losses, self.lost = losses, [loss for loss in losses.lost if window.holds(loss.at)]
        left = "lost held" if self.lost else "held"
        self.trace, self.decoded, self.vocabulary = trace, decoded, vocabulary
        self.tokens, self.stored = trace.encoding.tokens, trace.encoding.vocabulary
        self.drawn = range(window.first, window.last)
        self.chain = chain_of(decoded.decoder)
        self.lines = ("String", "Bytes", "Text") if self.chain else ("Bytes", "Text")
        self.rows: dict[int, list[tuple[int, int]]] = {}
        """position → text and state of each line"""
        self.builder = ScriptBuilder.laid_out(
            "decoding",
            kinds=KINDS,
            tracks=(
                columns("Tokens", "a column for each token", ("Token", *self.lines)),
                "held",
                "decoded",
                "lost",
            ),
            roles=ROLES,
            layout=f"columns / held, output{' / lost' * bool(self.lost)} / log, code",
            story_sides=f"top whole{', left lost' * bool(self.lost)}",
            algorithm_sides=f"top columns, left {left}, right code",
            code=CODE,
            source=SOURCE,
        )
        self.pending: list[int] = []
        """positions whose bytes are held back"""
        self.held = 0
        """bytes drawn in the track `held`"""

    def write(self, of_text: bool) -> Script:
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
        ask = "There are {ids} ids. Which bytes does each of them spell?"
        builder.begin(ask if count > 1 else "There is one id. Which bytes does it spell?", lines=(0,), ids=count)
        for change in changes(self.decoded, self.trace.options.add_special):
            self._change(change)
        builder.phase("Text")
        for release in releases(self.decoded.parts):
            if release.position in self.rows and self.decoded.parts[release.position]:
                self._release(release)
            elif release.position < 0 and self.drawn.stop == len(self.tokens) and release.text:
                self._end(release)
        if of_text:
            self._list_losses()
            text = self.decoded.text
            self._step("same text" if text == self.trace.text else "different", NOTHING, shortened(text))
        return builder.script()

    def _list_losses(self) -> None:
        """The characters that don't come back, each with the stage that lost it."""
        why = reasons(self.trace, self.decoded, self.losses) if self.lost else {}
        for key, loss in enumerate(self.lost):
            character, became = self.builder.text(self.trace.text[loss.at]), shortened(loss.became) or "nothing"
            self.builder.write("lost", key, loss.at, character, terms_of(loss.stage).name, became, why.get(loss.at, ""))

    # --- the bytes of each token ----------------------------------------------------------------------------------

    def _change(self, change: Change) -> None:
        position, how = change.position, change.how
        if position < 0:
            self._step("unchanged", change)
            return
        if position not in self.rows:
            return
        if how in (DecodeEvent.DROP, DecodeEvent.HIDDEN):
            self._set(position, -2, "–", GONE)
            self.builder.mark("columns", position, DROPPED)
            self._step(how, change)
            return
        if self.chain:
            self.rows[position][0] = self.builder.text(spelled(change.after)), PLAIN
        self._set(position, -2, hexadecimal(change.after, FEW) or "–", PLAIN)
        if how == DecodeEvent.STRING:
            return  # the strings of all tokens come with the next step
        self.builder.mark("columns", position, AT_WORK)
        self._step("changed" if how is None else how, change)

    def _set(self, position: int, line: int, text: str, state: int) -> None:
        """Writes a line of a column."""
        self.rows[position][line] = self.builder.plain(text), state
        self._put(position)

    # --- the text -------------------------------------------------------------------------------------------------

    def _release(self, release: Release) -> None:
        builder, (position, before, text, held) = self.builder, release
        part = self.decoded.parts[position]
        self.pending.append(position)
        if text:
            self._write(text, with_this=not held or len(held) < len(part))
        if held:
            self._set(position, -1, "…", WAITS)
        elif text:
            self._set(position, -1, visible(text), GOOD)
        self._hold(held)
        if "\ufffd" in text and text.encode() != before + part[: len(part) - len(held) or None]:
            kind = "malformed"
        elif held:
            kind = "partly" if text and not before else "completed" if text else "held"
        else:
            kind = "completed" if before and text else "written"
        builder.mark("columns", position, WRONG if kind == "malformed" else AT_WORK)
        self._step(kind, Change(position, before, part), text, held)
        if not held:
            self.pending.clear()
        elif text:
            self.pending = [position]

    def _write(self, text: str, with_this: bool = True) -> None:
        """Puts a text out that the pending tokens gave together."""
        owners = self.pending if with_this else self.pending[:-1] or self.pending
        for position in owners[:-1]:
            self._set(position, -1, "↳", GOOD)
        tokens = [self.tokens[position] for position in owners]
        spans = [token for token in tokens if token.start >= 0]
        start, end = (spans[0].start, max(each.end for each in spans)) if spans else (-1, -1)
        ids, builder = " + ".join(str(token.id) for token in tokens), self.builder
        builder.write("output", owners[-1], builder.text(text), tokens[-1].id, start, end, ids)

    def _hold(self, held: bytes) -> None:
        """Draws the bytes that are held back."""
        builder = self.builder
        builder.delete("held", *range(len(held), self.held))
        for key, byte in enumerate(held):
            builder.put("held", key, byte, fields_of(byte).prefix_bits, 1, key)
        if held:
            more = width(held[0]) - len(held)
            builder.write("held", NUMBER, Text("{0} more byte must come", more, many="{0} more bytes must come"), -1)
        elif self.held:
            builder.delete("held", NUMBER)
        self.held = len(held)

    def _end(self, release: Release) -> None:
        """Bytes are left at the end."""
        for position in self.pending:
            self._set(position, -1, "\ufffd", GONE)
        self._write(release.text)
        self._hold(b"")
        self._step("cut off", NOTHING._replace(position=self.pending[-1]), release.text, release.held_before)

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

    def _step(self, kind: DecodeEvent | str, change: Change, text: str | None = None, held: bytes = b"") -> None:
        position = max(change.position, 0)
        name, does = name_of(self.chain.steps[change.step]) if self.chain and change.step >= 0 else ("", "")
        id = self.tokens[position].id
        self.builder.step(
            kind,
            token=self._token(position),
            bytes=hexadecimal(change.after, FEW) or "no bytes",
            before=spelled(change.before),
            now=spelled(change.after) if text is None else text,
            decoder=name,
            does=does,
            at=position,
            id=id,
            held=hexadecimal(held, FEW),
            how=self._byte(id, change.after),
        )

    def _byte(self, id: int, data: bytes) -> str:
        """How the spelling of a byte token is read."""
        spelling = self.stored.spelling(id)
        if self.vocabulary.kinds[id] != PieceKind.BYTE or len(data) != 1 or spelling != f"<0x{data[0]:02X}>":
            return "The token is this byte."
        high, low = spelling[3], spelling[4]
        return Text(DIGITS, high, low, int(high, 16), int(low, 16), data[0])
