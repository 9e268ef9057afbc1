"""The command that measures tokenizers over a corpus: `python -m explorer corpus -m A [-m B …] PATHS…`.

The result goes to `--output` (JSON, CSV or Parquet by its name), else as a table to standard output; the ids to
`--write`. Progress is shown on standard error where that is a terminal. Exit status: 0 done, 1 bad input or no room to
write, 2 wrong usage, 130 interrupted; after 1 and 130 `--resume` goes on from the parts that are finished.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from explorer.card import size as shown_size
from explorer.cli import chosen as answer
from explorer.cli import show_json
from explorer.cli_compare import plural
from explorer.corpus import tasks
from explorer.corpus.atomic import checked_place, write
from explorer.corpus.joining import Place
from explorer.corpus.models import chosen
from explorer.corpus.reading import LONGEST, Invalid, Reading
from explorer.corpus.result import as_json, record
from explorer.corpus.run import Progress, plan, run
from explorer.corpus.table import as_csv, as_parquet
from explorer.errors import InputError
from explorer.text import visible

WRITERS: Final = {".json": as_json, ".csv": as_csv, ".parquet": as_parquet}

SUMMARY: Final = "Tokenizers over a corpus: what each costs, by file and by label; and its ids, for training."


def add_command(commands: Any) -> None:
    """Adds the command to the command line's own."""
    made = commands.add_parser("corpus", help=SUMMARY, description=SUMMARY)
    made.set_defaults(run=corpus, usage_error=made.error)
    made.add_argument("paths", nargs="+", metavar="PATH",
                      help="files, folders, patterns: .txt, .jsonl, .csv, also as .gz or .zst; .parquet")  # fmt: skip
    made.add_argument("-m", "--model", action="append", required=True, dest="models", metavar="MODEL",
                      help="a bundled model, NAME@IMPLEMENTATION, or the path of a file; once for each")  # fmt: skip
    made.add_argument("--choose", action="append", default=[], metavar="KEY=VALUE",
                      help="answer what a file leaves open; the error names the key")  # fmt: skip
    made.add_argument("--field", default="text", help="of the records that holds the text (text)")
    made.add_argument("--label", default="", metavar="FIELD", help="of the records that groups them, such as a language")
    made.add_argument("--baseline", default="", metavar="LABEL", help="the label that parity is relative to")
    made.add_argument("--invalid", choices=[each.value for each in Invalid], default="refuse",
                      help="text that is no UTF-8: refuse it (default), replace it by U+FFFD, skip its document")  # fmt: skip
    made.add_argument("--whole-files", action="store_true",
                      help="a file of plain text is one document, not each of its lines")  # fmt: skip
    made.add_argument("--longest", type=size, default=LONGEST, metavar="SIZE",
                      help="of a line or document in bytes, such as 500k or 64M (8M); a longer one is refused")  # fmt: skip
    made.add_argument("--add-special", action="store_true", help="add BOS and the like to every document")
    made.add_argument("--parse-special", action="store_true", help="take special tokens in the text for tokens")
    made.add_argument("--json", action="store_true", help="print one JSON object")
    made.add_argument("--output", metavar="FILE", help="write the result there: .json, .csv or .parquet")
    made.add_argument("--write", metavar="DIR", help="write the ids there, a folder for each tokenizer")
    made.add_argument("--part", type=size, default=tasks.SIZE, metavar="SIZE",
                      help="how much is done at once, and kept when a job is interrupted (64M)")  # fmt: skip
    made.add_argument("--workers", type=count, default=0, metavar="N", help="so many processes at once, over Dask")
    made.add_argument("--scheduler", default="", metavar="ADDRESS", help="the workers of this Dask scheduler")
    made.add_argument("--resume", action="store_true", help="go on with a job that was interrupted")


def size(text: str) -> int:
    """A number of bytes.

    >>> size("500k"), size("64M"), size("1G")
    (500000, 64000000, 1000000000)
    """
    found = re.fullmatch(r"([0-9]{1,15})([kKmMgG]?)B?", text)
    if not found or not int(found[1]):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no size; write bytes, or 500k, 64M, 1G")
    return int(found[1]) * int({"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[found[2].lower()])


def count(text: str) -> int:
    """A number of workers."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1000):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of workers; write 1 to 1000")
    return int(text)


def corpus(parsed: argparse.Namespace) -> int:
    """`corpus`."""
    output, into = (Path(given) if given else None for given in (parsed.output, parsed.write))
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
    job = plan(parsed.paths, models, reading, add_special=parsed.add_special, parse_special=parsed.parse_special,
               size=parsed.part)  # fmt: skip
    final = into or output
    folder = None if final is None else final.with_name(f"{final.name}.parts").absolute()
    ids = None
    if output is not None:
        checked_place(output)
    if into is not None and folder is not None:
        job = job._replace(work=job.work._replace(parts=str(folder)))
        ids = Place(into, folder, job)
        ids.check()
    progress = Shown(parsed.resume)
    try:
        tally, parts = run(job, progress, folder=folder, resume=parsed.resume, workers=parsed.workers,
                           scheduler=parsed.scheduler)  # fmt: skip
        result = record(job, tally, parsed.baseline)
        said = [] if ids is None else ids.join(tally)
        if output is not None:
            write(output, WRITERS[output.suffix](result))
    except KeyboardInterrupt:
        progress.end()
        print(f"explorer: interrupted; {kept(folder)}", file=sys.stderr)
        return 130
    except InputError as error:
        progress.end()
        if folder is None or not any(folder.glob("*.tally")):
            raise
        raise InputError(f"{error}. What is done is {kept(folder)}") from None
    progress.end()
    if parts is not None:
        parts.end()
    if parsed.json:
        show_json(result)
    else:
        show(result, said)
    return 0


def kept(folder: Path | None) -> str:
    """Where the finished parts are."""
    if folder is None:
        return "nothing is kept without --output or --write"
    return f"kept in {folder.name}: --resume goes on from there"


class Shown:
    """Progress and rate in one line on standard error, where that is a terminal, at most four times a second."""

    def __init__(self, resumed: bool) -> None:
        self.on_screen = sys.stderr is not None and sys.stderr.isatty()
        self.begun = self.next = time.monotonic()

    def __call__(self, now: Progress) -> None:
        at = time.monotonic()
        if self.on_screen and at >= self.next:
            self.next = at + 0.25
            rate = now.text / max(at - self.begun, 0.001)
            line = f"{now.tasks:,} of {now.all_tasks:,} parts, {now.done / max(now.of, 1):.0%} of {shown_size(now.of)}"
            print(f"\r{line}, {shown_size(int(rate))} of text a second\x1b[K", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Takes the line away."""
        if self.on_screen:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


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
    print(
        f"{plural(total['documents'], 'document')}, {total['bytes']:,} bytes, {total['characters']:,} characters, "
        f"{total['words']:,} words, {total['lines']:,} line ends; {result['rules']['word']}"
    )
    for count, what in ((total["skipped"], "left out"), (total["replaced"], "changed")):
        if count:
            print(f"{plural(count, 'document')} held invalid text and {'was' if count == 1 else 'were'} {what}")
    if result["files_passed_over"]:
        print(f"{plural(result['files_passed_over'], 'file')} in the folders passed over: of no known kind")
    names = [each["label"] for each in result["tokenizers"]]
    groups = [("", total)]
    rows = result["labels"] or (result["files"] if len(result["files"]) > 1 else [])
    groups += [(each["name"] or "(none)", each) for each in rows[:MOST_SHOWN]]
    table = [["", "", *(heading for _, heading, _ in COLUMNS)]]
    for group, row in groups:
        for name, measures in zip(names, row["tokenizers"], strict=True):
            cells = (("-" if measures.get(key) is None else format(measures[key], how)) for key, _, how in COLUMNS)
            table.append([visible(group), name, *cells])
    columns = [column for column in zip(*table, strict=True) if any(cell not in ("-", "") for cell in column[1:])]
    widths = [max(map(len, column)) for column in columns]
    for line in zip(*columns, strict=True):
        cells = (f"{cell:<{width}}" if at < 2 else f"{cell:>{width}}" for at, (cell, width) in enumerate(zip(line, widths, strict=True)))
        print("  ".join(cells).rstrip())
    if len(rows) > MOST_SHOWN:
        print(f"and {len(rows) - MOST_SHOWN:,} more; --output has them all")
    for line in said:
        print(line)
