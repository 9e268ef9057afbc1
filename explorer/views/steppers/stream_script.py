"""The stepper's script for a stream: ids arrive one by one, a row for each, and below what programs show of them.

What can be shown is the text of all ids up to the last character that is whole; the beginning of one is held back. The
rows put it beside each id decoded alone, and the programs' texts beside those.
"""

from explorer.analysis.streaming import REPLACEMENT, Method, Shown, Stream
from explorer.script.script import Script, ScriptBuilder, kinds
from explorer.text import decode_utf8
from explorer.text.input import width
from explorer.text.say import hexadecimal, plural

MOST = 1_000
"""Ids that are drawn."""
TAIL = 20
"""Characters at the end of a text that are drawn in a row."""
FEW = 8
"""Bytes of a token that are drawn."""

CODE = """\
for each id:
    add its bytes to those held back
    show all characters that are whole
    hold back the beginning of one
at the end, what is held back is � or lost
""".splitlines()
SOURCE = """\
decoder = codecs.getincrementaldecoder("utf-8")("replace")
for id in ids:
    text = decoder.decode(token_bytes(id))
    print(text, end="", flush=True)
print(decoder.decode(b"", final=True))
""".splitlines()

KINDS = kinds(
    (),
    """
shown: shown
    look: merge dot 100 landmark
    lines: 1 2
    source: 2 3
    say: ids[{at}] = {id} gives {bytes}: {text} is shown.
    why: {marks}
    log: {bytes}: {text} is shown
    story: {bytes} is whole: {text} is shown.
    story_why: {marks}

completed like shown: whole
    say: ids[{at}] = {id}: {bytes} completes what was held back: {text} is shown.
    log: {bytes} completes {text}
    story: With {bytes} the character is whole: {text} is shown.

held: held back
    look: stale dot 45
    lines: 1 3
    source: 2
    say: ids[{at}] = {id}: {held} is {come} of {need} bytes of {whole}; they are held back.
    why: Decoded now they would show �. {marks}
    log: {held} is held back
    story: {held}: {come} of {need} bytes. Hold them back until {whole} is whole.
    story_why: Decoded at once they show �, and a text once sent can't be taken back. {marks}

partly like held: shown in part
    look: merge dot 80 landmark
    say: ids[{at}] = {id}: {text} is shown, and {held} held back, {come} of {need} bytes of {whole}.
    log: {text} is shown, {held} held back
    story: {text} is shown. {held} is {come} of {need} bytes of {whole}: hold them back.

never: never whole
    look: stale ring 45
    lines: 1 3
    source: 2
    say: ids[{at}] = {id}: {held} begins a character that does not become whole.
    why: {marks}
    log: {held} is held back
    story: {held} begins a character that no later id completes.
    story_why: {marks}

nothing: nothing
    look: info ring 30
    lines: 1
    source: 2
    say: ids[{at}] = {id} gives nothing in the text of all ids.
    why: {marks}
    log: {id} gives nothing
    story: This id gives nothing in the text of all ids.
    story_why: {marks}

end: the end
    look: info diamond 70
    lines: 4
    source: 4
    say: The ids together give {whole}. {marks}
    log: the end
    story: In the end: {whole}.
    story_why: {marks}
""",
    fields="at:i id:i bytes:t text:q held:t come need whole:q marks:t",
)
"""bytes: of the token. held: those held back, so many of the bytes that the character needs. whole: that character, at
the end the text. marks: what programs get wrong here, as sentences."""


def stream_script(stream: Stream, total: int = 0) -> Script:
    """The script of a stream with all methods; of a long one, of its first ids. total: how many there are in all.

    >>> import explorer
    >>> stream_script(explorer.load("llama-2").stream([15043, 29871, 243, 162, 167, 154])).data["steps"]["kind"]
    [0, 0, 2, 2, 2, 1, 3]
    """
    return _Writer(stream, total or len(stream.steps)).write()


class _Writer:
    """One pass over the ids."""

    def __init__(self, stream: Stream, total: int) -> None:
        self.stream, self.total = stream, total
        self.texts = dict.fromkeys(stream.methods, "")
        self.drawn = stream.steps[:MOST]
        self.builder = ScriptBuilder.laid_out(
            "stream",
            kinds=KINDS,
            tracks=(
                "arrived",
                "programs_show",
                "streamed",
            ),
            roles=(("", "done"),),
            code=CODE,
            source=SOURCE,
        )

    def write(self) -> Script:
        """The finished script."""
        stream, builder = self.stream, self.builder
        for key, method in enumerate(stream.methods):
            builder.write("methods", key, method.label, builder.text(""), "", "")
        if not self.total:
            builder.begin("There are no ids.", lines=(0,))
            return builder.script()
        builder.begin(
            "{count} will arrive, one by one. What can be shown after each?", lines=(0,), count=plural(self.total, "id")
        )
        data = b"".join(step.part for step in stream.steps)
        ends, at = list[int](), 0
        for each in decode_utf8(data):
            at += each.length
            ends.append(at)
        come = whole = 0
        """bytes that have come, and characters that are whole"""
        held_before = b""
        for index, step in enumerate(self.drawn):
            come += len(step.part)
            before = whole
            while whole < len(ends) and ends[whole] <= come:
                whole += 1
            held = data[ends[whole - 1] if whole else 0 : come]
            text = stream.text[before:whole]
            marks = self._row(index, held, stream.text[:whole])
            if text:
                builder.write("output", index, builder.text(text), step.id, -1, -1, str(step.id))
            character = stream.text[whole : whole + 1]
            if held and character == REPLACEMENT:
                kind = "never"
            elif held:
                kind = "partly" if text else "held"
            else:
                kind = "nothing" if not step.part else "completed" if held_before else "shown"
            held_before = held
            self._step(kind, index, text, held, character, marks)
        if len(self.drawn) == self.total:
            self._end()
        return builder.script()

    def _row(self, index: int, held: bytes, safe: str) -> str:
        """Puts the row of an id and those of the programs. Returns what is wrong, as sentences."""
        builder, step = self.builder, self.stream.steps[index]
        wrong, alone = [], ""
        for key, (method, shown) in enumerate(zip(self.stream.methods, step.shown, strict=True)):
            self._show(key, method, shown)
            words = _words(shown)
            if method == Method.ALONE:
                alone = words
            if words:
                wrong.append(f"{method.label}: {words}.")
        at = self.stream.index(Method.ALONE)
        builder.write(
            "ids",
            index,
            step.id,
            hexadecimal(step.data, FEW),
            builder.text(_tail(safe)),
            hexadecimal(held, FEW),
            builder.text(step.shown[at].text),
            alone,
        )
        builder.mark("ids", index, 0)
        return " ".join(wrong)

    def _show(self, key: int, method: Method, shown: Shown) -> None:
        """Draws what a program shows now."""
        text = self.texts[method]
        text = self.texts[method] = text[: len(text) - shown.back] + shown.text
        builder = self.builder
        builder.write(
            "methods", key, method.label, builder.text(_tail(text)), hexadecimal(shown.held, FEW), _words(shown)
        )

    def _end(self) -> None:
        """The stream ends: what programs show of what they held back, and whose text is right."""
        for key, (method, shown) in enumerate(zip(self.stream.methods, self.stream.ends, strict=True)):
            self._show(key, method, shown)
        right = {str(method) for method in self.stream.right}
        other = [method.label for method in self.stream.methods if method not in right]
        marks = f"Another text: {', '.join(other)}." if other else "All programs show this text."
        self._step("end", len(self.stream.steps) - 1, "", b"", self.stream.text, marks)

    def _step(self, kind: str, index: int, text: str, held: bytes, whole: str, marks: str) -> None:
        step = self.stream.steps[index]
        self.builder.event = index
        self.builder.step(
            kind,
            at=index,
            id=step.id,
            bytes=hexadecimal(step.data, FEW) or "no bytes",
            text=text,
            held=hexadecimal(held, FEW),
            come=len(held),
            need=width(held[0]) if held else 0,
            whole=_tail(whole) if kind == "end" else whole,
            marks=marks,
        )


def _words(shown: Shown) -> str:
    """The marks of a step."""
    return ", ".join(mark.kind.words for mark in shown.marks)


def _tail(text: str) -> str:
    """The end of a text.

    >>> _tail("a" * 30) == "…" + "a" * 20
    True
    """
    return text if len(text) <= TAIL else f"…{text[-TAIL:]}"
