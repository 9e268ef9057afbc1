"""Which lines of files do not come back when their ids are decoded, and what each stage lost (`losses`).

Lines are encoded and decoded one at a time; only a line that doesn't come back is traced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from explorer.analysis.divergence.changes import points
from explorer.analysis.export import Record
from explorer.analysis.lines import Line
from explorer.engine.budget import many_runs
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.decoders.losses import MODEL, Insertion, looks_same, losses
from explorer.stages.decoders.units import Loss
from explorer.stages.spelling import How, Spelling, spelling_of
from explorer.text import visible
from explorer.text.visible import shortened


class Failure(NamedTuple):
    """A line that does not come back: what it becomes, what was lost and what was inserted.

    lacking: of the text that the model drops, what has no piece, by where it begins: its bytes, or the text itself.
    """

    line: Line
    decoded: str
    lost: tuple[Loss, ...]
    added: tuple[Insertion, ...]
    lacking: Mapping[int, str] = {}  # never changed

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that changed it, each once."""
        return tuple(dict.fromkeys([*(each.stage for each in self.lost), *(each.stage for each in self.added)]))

    def record(self) -> Record:
        """The failure as plain values. Offsets are code points of the line, from 0."""
        return {
            "file": self.line.file,
            "line": self.line.number,
            "text": self.line.text,
            "decoded": self.decoded,
            "stages": list(self.stages),
            "lost": [each._asdict() for each in self.lost],
            "added": [each._asdict() for each in self.added],
        }


def round_trips(
    tokenizer: Opened,
    lines: Iterable[Line],
    options: Options = Options(),  # noqa: B008  # immutable
) -> Iterator[Failure | None]:
    """For each line its failure, or None if it comes back unchanged.

    >>> import explorer
    >>> lines = [Line("x", 1, "plain"), Line("x", 2, "A 😊")]
    >>> [each and each.stages for each in round_trips(explorer.load("bert-uncased"), lines)]
    [None, ('normalize', 'model')]
    """
    for line in lines:
        try:
            with many_runs("a round trip", len(line.text)):
                found = failure_of(tokenizer, line, options)
            yield found
        except InputError as error:
            raise InputError(f"{line.location}: {error}") from None


def failure_of(tokenizer: Opened, line: Line, options: Options) -> Failure | None:
    """The failure of one line, or None if it comes back unchanged."""
    if tokenizer.decode(tokenizer.encode(line.text, **options._asdict()).ids) == line.text:
        return None
    trace = tokenizer.trace(line.text, **options._asdict())
    decoded = tokenizer.trace_decode(trace.ids)
    found = losses(trace, decoded, tokenizer.vocabulary)
    spelling = spelling_of(tokenizer)
    dropped = {
        each.start: line.text[each.start : each.end] for each in found.lost if each.stage == MODEL and not each.became
    }
    return Failure(
        line, decoded.text, *found, {at: clause for at, text in dropped.items() if (clause := lacks(spelling, text))}
    )


def lacks(spelling: Spelling, text: str) -> str:
    """What of a text has no piece: its bytes where pieces spell bytes, else itself; empty where all has one."""
    if spelling.how != How.PRINTABLE:
        return "" if spelling.holds(text.encode()) else "it"
    lacking = [byte for byte in text.encode() if not spelling.holds(bytes([byte]))]
    return f"{'bytes' if len(lacking) > 1 else 'byte'} {' '.join(f'{each:02X}' for each in lacking)}" if lacking else ""


def sentences(failure: Failure) -> Iterator[str]:
    """What happened to the line, one sentence per stretch.

    >>> import explorer
    >>> failure = failure_of(explorer.load("bert-uncased"), Line("x", 1, "É 😊"), Options())
    >>> list(sentences(failure)) if failure else ""
    ['normalize, character 1: “É” becomes “e”', 'model, character 3: “😊” becomes “[UNK]”']
    """
    text = failure.line.text
    for stage, start, end, became in dict.fromkeys(each[1:] for each in failure.lost):
        where = f"character {start + 1}" if end - start == 1 else f"characters {start + 1} to {end}"
        before = text[start:end]
        if not became:
            why = (
                f", because the vocabulary has no piece for {failure.lacking[start]}"
                if start in failure.lacking
                else ""
            )
            yield f"{stage}, {where}: “{shortened(before)}” is dropped{why}"
        elif looks_same(before, became):
            # in quotes both would look alike
            yield f"{stage}, {where}: {points(before)} becomes {points(became)}"
        else:
            yield f"{stage}, {where}: “{shortened(before)}” becomes “{shortened(became)}”"
    for stage, size, at, first in failure.added:
        where = f"before character {at + 1}" if at < len(text) else "at the end"
        more = f" and {size - 1} more" if size > 1 else ""
        yield f"{stage}, {where}: “{visible(first)}”{more} inserted"
