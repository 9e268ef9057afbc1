"""What the command `corpus` does: plans the job, shows how far it is, writes and prints what it gives."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from explorer.cli.shared import STDIN, show_json
from explorer.cli.shared import chosen as answer
from explorer.cli.terminal import progress, say
from explorer.cli.warn import Warned
from explorer.corpus.atomic import check_writable, write
from explorer.corpus.joining import IdsOutput
from explorer.corpus.models import chosen, tokenizers
from explorer.corpus.parquet import needed
from explorer.corpus.reading import Invalid, Reading
from explorer.corpus.record import as_json, record
from explorer.corpus.run import Progress, plan, run
from explorer.corpus.table import as_csv, as_parquet
from explorer.errors import InputError
from explorer.text import visible_words
from explorer.text.quantities import plural
from explorer.text.quantities import size as shown_size

WRITERS: Final = {".json": as_json, ".csv": as_csv, ".parquet": as_parquet}


def corpus(parsed: argparse.Namespace) -> int:
    """`corpus`. What standard input gives is put in a file first: a job reads files, and may read them twice."""
    if STDIN not in parsed.paths:
        return measured(parsed, {})
    if parsed.resume or parsed.scheduler:
        parsed.usage_error("standard input cannot be read again or elsewhere; give --resume and --scheduler files")
    with NamedTemporaryFile(prefix="standard-input-") as spooled:
        shutil.copyfileobj(sys.stdin.buffer, spooled)
        spooled.flush()
        parsed.paths = [spooled.name if path == STDIN else path for path in parsed.paths]
        return measured(parsed, {spooled.name: "standard input"})


def measured(parsed: argparse.Namespace, names: Mapping[str, str]) -> int:
    """The job over files. names: what results call a path, where it is not itself."""
    # a folder such as .. gets the name it has: its parts lie beside it
    output, into = (Path(os.path.abspath(given)) if given else None for given in (parsed.output, parsed.write))
    if output is not None and output.suffix not in WRITERS:
        parsed.usage_error("--output ends in .json, .csv or .parquet")
    if parsed.workers and parsed.scheduler:
        parsed.usage_error("give --workers or --scheduler: a cluster made for the job, or one that is there")
    if parsed.baseline and not parsed.label:
        parsed.usage_error("--baseline is a value of --label; give that, too")
    if parsed.resume and output is None and into is None:
        parsed.usage_error("--resume needs the --output or --write of the job it goes on with")
    models = chosen(parsed.models, dict(answer(each) for each in parsed.choose))
    reading = Reading(parsed.field, parsed.label, Invalid(parsed.invalid), parsed.whole_files, parsed.longest)
    if into is not None and not into.name:
        parsed.usage_error("--write is the name of a folder")
    final = into or output
    folder = None if final is None else final.with_name(f"{final.name}.parts")
    job = plan(parsed.paths, models, reading, add_special=parsed.add_special, parse_special=parsed.parse_special,
               size=parsed.part, own=[place for place in (output, into, folder) if place is not None],
               names=names)  # fmt: skip
    ids = None
    if output is not None:
        check_writable(output)
        if output.suffix == ".parquet":
            needed()
    if into is not None and folder is not None:
        job = job._replace(work=job.work._replace(parts=str(folder)))
        ids = IdsOutput(into, folder, job)
        ids.check()
    progress = Shown(parsed.resume)
    parts = None
    try:
        Warned().of_files(tokenizers(models).values())
        tally, parts = run(job, progress, folder=folder, resume=parsed.resume, workers=parsed.workers,
                           scheduler=parsed.scheduler)  # fmt: skip
        result = record(job, tally, parsed.baseline)
        said = [] if ids is None else ids.join(tally)
        if output is not None:
            write(output, WRITERS[output.suffix](result))
        if parts is not None:
            parts.end()
    except KeyboardInterrupt:
        progress.end()
        say(f"explorer: interrupted; {kept(folder)}", error=True)
        return 130
    except InputError as error:
        progress.end()
        if folder is None or not progress.begun or not any(folder.glob("*.tally")):
            raise
        raise InputError(f"{error} ({kept(folder)})") from error
    finally:
        if parts is not None:
            parts.release()
    progress.end()
    if parsed.json:
        show_json(result)
    else:
        show(result, said)
    return 0


def kept(folder: Path | None) -> str:
    """Where the finished parts are."""
    if folder is None:
        return "nothing is kept without --output or --write"
    return f"what is done is kept in {folder.name}: --resume goes on from there"


class Shown:
    """Progress and rate in one line on standard error, where that is a terminal, at most four times a second."""

    def __init__(self, resumed: bool) -> None:
        self.on_screen = sys.stderr is not None and sys.stderr.isatty()
        self.since = self.next = time.monotonic()
        self.resumed, self.begun = resumed, False
        self.before = 0
        """bytes that were done already"""

    def __call__(self, now: Progress) -> None:
        at = time.monotonic()
        if self.resumed and not self.begun and sys.stderr is not None:
            say(f"explorer: {now.tasks:,} of {plural(now.all_tasks, 'part')} done already", error=True)
        if not self.begun:
            self.begun, self.before = True, now.done
        if self.on_screen and at >= self.next:
            self.next = at + 0.25
            taken = max(at - self.since, 0.001)
            line = f"{now.tasks:,} of {plural(now.all_tasks, 'part')}, {now.done / max(now.of, 1):.0%} of "
            line += f"{shown_size(now.of)}, {shown_size(int(now.text / taken))} of text a second"
            done = now.done - self.before
            if done and taken > SURE:
                line += f", {left((now.of - now.done) * taken / done)} left"
            progress(line)

    def end(self) -> None:
        """Takes the line away."""
        if self.on_screen:
            progress()


SURE: Final = 2.0
"""Seconds after which the rate is no accident any more."""


def left(seconds: float) -> str:
    """A time as minutes and seconds, a long one with hours.

    >>> left(75), left(2 * 3600 + 90)
    ('1:15', '2:01:30')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# --- what is printed --------------------------------------------------------------------------------------------------

COLUMNS: Final = (
    ("tokens", "tokens", ",d"), ("bytes_per_token", "bytes/token", ".2f"), ("fertility", "tokens/word", ".2f"),
    ("unknown_share", "unknown", ".2%"), ("byte_fallback_share", "fallback", ".2%"),
    ("single_byte_share", "single byte", ".2%"), ("vocabulary_use", "vocabulary", ".1%"),
    ("renyi_efficiency", "Rényi", ".3f"), ("parity", "parity", ".2f"),
)  # fmt: skip
"""Measure, heading, format."""

MOST_SHOWN: Final = 40


def show(result: Mapping[str, Any], said: Sequence[str]) -> None:
    """The totals, a table, and the labels or files where there are several."""
    total = result["total"]
    say(
        ", ".join(
            plural(total[key], what)
            for key, what in (
                ("documents", "document"),
                ("bytes", "byte"),
                ("characters", "character"),
                ("words", "word"),
                ("lines", "line end"),
            )
        )
        + f"; {result['rules']['word']}"
    )
    for count, what in ((total["skipped"], "left out"), (total["replaced"], "changed")):
        if count:
            say(f"{plural(count, 'document')} held invalid text and {'was' if count == 1 else 'were'} {what}")
    if result["files_passed_over"]:
        say(f"{plural(result['files_passed_over'], 'file')} in the folders passed over: of no known kind")
    names = [each["label"] for each in result["tokenizers"]]
    groups = [("", total)]
    rows = result["labels"] or (result["files"] if len(result["files"]) > 1 else [])
    groups += [(each["name"] or "(none)", each) for each in rows[:MOST_SHOWN]]
    table = [["", "", *(heading for _, heading, _ in COLUMNS)]]
    for group, row in groups:
        for name, measures in zip(names, row["tokenizers"], strict=True):
            cells = (("-" if measures.get(key) is None else format(measures[key], how)) for key, _, how in COLUMNS)
            table.append([shortened(visible_words(group)), name, *cells])
    for line in aligned(table):
        say(line)
    if len(rows) > MOST_SHOWN:
        say(f"and {len(rows) - MOST_SHOWN:,} more; --output has them all")
    for line in said:
        say(line)


def shortened(name: str) -> str:
    """A name as a table has room for it; of a path the end says more than the beginning."""
    return name if len(name) <= WIDEST else "…" + name[1 - WIDEST :]


WIDEST: Final = 48


def aligned(table: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table whose first row are headings; first names, then numbers. Empty columns are left out.

    >>> list(aligned([["", "", "tokens", "parity"], ["de", "gpt-2", "8", "-"], ["en", "gpt-2", "11", "-"]]))
    ['           tokens', 'de  gpt-2       8', 'en  gpt-2      11']
    """
    filled = [column for column in zip(*table, strict=True) if any(cell not in ("-", "") for cell in column[1:])]
    columns = [
        [cell.rjust(width) if column[0] else cell.ljust(width) for cell in column]
        for column in filled
        for width in [max(map(len, column))]
    ]
    return ("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))
