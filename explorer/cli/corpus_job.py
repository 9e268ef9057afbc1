"""Runs the command `corpus`: plans the job, shows its progress, writes and prints the result."""

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from explorer.cli.shared import STDIN, Parsed, Warnings, choices, progress, say, say_lines, show_json
from explorer.compiled import build
from explorer.corpus.atomic import check_writable, write
from explorer.corpus.counter import chosen, tokenizers
from explorer.corpus.joining import IdsOutput
from explorer.corpus.parquet import needed
from explorer.corpus.record import as_csv, as_json, as_parquet, record
from explorer.corpus.run import Pace, Progress, ignore, plan, run
from explorer.corpus.sources import Invalid, Reading
from explorer.engine.fast.encoder import LOADING_PAYS
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.tables import read_toml
from explorer.text import visible_words
from explorer.text.say import clock_time, plural
from explorer.text.say import size as shown_size

WRITERS = {".json": as_json, ".csv": as_csv, ".parquet": as_parquet}


def corpus(parsed: Parsed) -> int:
    """`corpus`. Standard input is copied to a file first, because a job may read its files twice."""
    if STDIN not in parsed.paths:
        return run_job(parsed, {})
    if parsed.resume or parsed.scheduler:
        parsed.usage_error("standard input cannot be read again or elsewhere; give --resume and --scheduler files")
    with NamedTemporaryFile(prefix="standard-input-") as spooled:
        shutil.copyfileobj(sys.stdin.buffer, spooled)
        spooled.flush()
        parsed.paths = [spooled.name if path == STDIN else path for path in parsed.paths]
        return run_job(parsed, {spooled.name: "standard input"})


def run_job(parsed: Parsed, names: Mapping[str, str]) -> int:
    """Runs the job over files. names: path → its name in the result, if they differ."""
    # resolved, because the folder of parts next to it is named after it
    output, into = (Path(os.path.abspath(path)) if path else None for path in (parsed.output, parsed.write))
    check_usage(parsed, output, into)
    models = chosen(parsed.models, choices(parsed))
    reading = Reading(parsed.field, parsed.label, Invalid(parsed.invalid), parsed.whole_files, parsed.longest)
    final = into or output
    folder = None if final is None else final.with_name(f"{final.name}.parts")
    job = plan(parsed.paths, models, reading, add_special=parsed.add_special, parse_special=parsed.parse_special,
               size=parsed.part, own=[path for path in (output, into, folder) if path is not None],
               names=names)  # fmt: skip
    ids = None
    if output is not None:
        check_writable(output)
    if parsed.measures or (output is not None and output.suffix == ".parquet"):
        needed()
    if parsed.measures:
        from explorer.corpus import measures

        settings = measures.Settings(**{key: getattr(parsed, key) for key in measures.Settings._fields})
        job = measures.measuring(job, settings.window)
    if into is not None and folder is not None:
        job = job._replace(work=job.work._replace(parts=str(folder)))
        ids = IdsOutput(into, folder, job)
        ids.check()
    progress = JobProgress(parsed.resume)
    parts = None
    try:
        Warnings().of_files(tokenizers(models).values())
        say_ways(tokenizers(models), job.size)
        with ids or nullcontext():
            tally, parts = run(job.tasks, job.work, progress, folder=folder, resume=parsed.resume,
                               workers=parsed.workers, scheduler=parsed.scheduler, threads=parsed.threads,
                               on_finished=ids.finished if ids else ignore)  # fmt: skip
            result = measures.measured(job, tally, settings) if parsed.measures else record(job, tally, parsed.baseline)
            lines = [] if ids is None else ids.join(tally)
        if output is not None:
            write(output, WRITERS[output.suffix](result))
        keys = [] if parsed.measures == "all" else parsed.measures.split(",")
        for path in map(Path, parsed.paper):
            write(path, measures.printed(path.suffix, result["measures"], keys))
        if parts is not None:
            parts.end()
    except KeyboardInterrupt:
        progress.end()
        say(f"explorer: interrupted; {resume_hint(folder)}", error=True)
        return 130
    except InputError as error:
        progress.end()
        if folder is None or not progress.begun or not any(folder.glob("*.tally")):
            raise
        raise InputError(f"{error} ({resume_hint(folder)})") from error
    finally:
        if parts is not None:
            parts.release()
    progress.end()
    if parsed.json:
        show_json(result)
    else:
        show(result, lines)
        if parsed.measures:
            shown = measures.table(result["measures"], keys).T.reset_index()
            say_lines(aligned([["", *shown.columns[1:]], *shown.to_numpy()]))
            say(measures.CAUTION)
    return 0


def say_ways(models: Mapping[str, Opened], size: int) -> None:
    """Says on standard error which tokenizers run compiled, and why others don't. size: of the job, in bytes."""
    build.announce = lambda sentence: say(f"explorer: {sentence}", error=True)
    if size < LOADING_PAYS:
        return
    for label, tokenizer in models.items():
        why_not = tokenizer.batches.why_not_compiled(size)
        say(f"explorer: {label} runs {f'uncompiled: {why_not}' if why_not else 'compiled'}", error=True)


def check_usage(parsed: Parsed, output: Path | None, into: Path | None) -> None:
    """Exits with a usage error for options that contradict each other or lack another one."""
    if output is not None and output.suffix not in WRITERS:
        parsed.usage_error("--output ends in .json, .csv or .parquet")
    if parsed.workers and parsed.scheduler:
        parsed.usage_error("give --workers or --scheduler: a cluster made for the job, or an existing one")
    if parsed.threads > 1 and (parsed.workers or parsed.scheduler):
        parsed.usage_error("give --threads, or workers with --workers or --scheduler: these have one thread each")
    if parsed.measures:
        from explorer.corpus.measures import FORMS, KNOWN, drawer, gold_words

        keys, suffixes = {*parsed.measures.split(",")} - {"all"}, {Path(path).suffix for path in parsed.paper}
        if keys - KNOWN.keys() or suffixes - FORMS.keys():
            parsed.usage_error(f"--measures is all or some of {','.join(KNOWN)}; --paper ends in {', '.join(FORMS)}")
        limits = min(parsed.window, parsed.draws) > 0 and parsed.seed >= 0 and parsed.alpha >= 0
        if into is not None or not limits:
            parsed.usage_error(
                "--measures takes no --write, --window and --draws from 1 on, --seed and --alpha from 0 on"
            )
        if parsed.gold:
            gold_words(parsed.gold)
        if suffixes & {".svg", ".pdf"}:
            drawer()
    elif parsed.paper or parsed.gold:
        parsed.usage_error("--paper and --gold need --measures")
    if parsed.baseline and not (parsed.label or parsed.measures):
        parsed.usage_error("--baseline is a value of --label; give --label, too")
    if parsed.resume and output is None and into is None:
        parsed.usage_error("--resume needs the --output or --write of the job it continues")
    if into is not None and not into.name:
        parsed.usage_error("--write is the name of a folder")


def resume_hint(folder: Path | None) -> str:
    """Where the finished parts are, and how to continue."""
    if folder is None:
        return "nothing is kept without --output or --write"
    return f"finished parts are kept in {folder.name}: --resume continues from there"


class JobProgress:
    """Progress and rate in one line on standard error, if that is a terminal, at most four times a second."""

    def __init__(self, resumed: bool) -> None:
        self.since = self.next = time.monotonic()
        self.resumed, self.begun = resumed, False
        self.before = 0
        """bytes that an earlier run had finished"""

    def __call__(self, now: Progress) -> None:
        """Shows how far the job is."""
        at = time.monotonic()
        if self.resumed and not self.begun and sys.stderr is not None:
            say(f"explorer: {now.tasks:,} of {plural(now.all_tasks, 'part')} done already", error=True)
        if not self.begun:
            self.begun, self.before = True, now.done
        if at >= self.next:
            self.next = at + 0.25
            pace = Pace(now.done, now.of, self.before, now.text, max(at - self.since, 0.001))
            line = f"{now.tasks:,} of {plural(now.all_tasks, 'part')}, {pace.share:.0%} of {shown_size(now.of)}, "
            line += f"{shown_size(int(pace.rate))} of text a second"
            if pace.seconds > SURE and pace.left is not None:
                line += f", {clock_time(pace.left)} left"
            progress(line)

    def end(self) -> None:
        """Erases the line."""
        progress()


SURE = 2.0
"""Seconds after which the rate is reliable."""


# --- output -----------------------------------------------------------------------------------------------------------

TABLE: Mapping[str, Sequence[Sequence[str]]] = read_toml(__file__, "corpus_job.toml")
"""What is printed of a result, row by row."""

MOST_SHOWN = 40


def show(result: Mapping[str, Any], lines: Sequence[str]) -> None:
    """The totals, a table, and the labels or files where there are several."""
    total = result["total"]
    sums = ", ".join(plural(total[key], what) for key, what in TABLE["sums"])
    say(f"{sums}; {result['rules']['word']}")
    for count, what in ((total["skipped"], "left out"), (total["replaced"], "changed")):
        if count:
            say(f"{plural(count, 'document')} had invalid text and {'was' if count == 1 else 'were'} {what}")
    if result["files_passed_over"]:
        say(f"{plural(result['files_passed_over'], 'file')} in the folders skipped: unknown kind")
    names = [each["label"] for each in result["tokenizers"]]
    groups = [("", total)]
    rows = result["labels"] or (result["files"] if len(result["files"]) > 1 else [])
    groups += [(each["name"] or "(none)", each) for each in rows[:MOST_SHOWN]]
    table = [["", "", *(heading for _, heading, _ in TABLE["columns"])]]
    for group, row in groups:
        shown = visible_words(group)
        # the end of a path says more than its beginning
        shown = shown if len(shown) <= WIDEST else "…" + shown[1 - WIDEST :]
        for name, measures in zip(names, row["tokenizers"], strict=True):
            cells = (
                "-" if measures.get(key) is None else format(measures[key], how) for key, _, how in TABLE["columns"]
            )
            table.append([shown, name, *cells])
    say_lines(aligned(table))
    if len(rows) > MOST_SHOWN:
        say(f"and {len(rows) - MOST_SHOWN:,} more; --output has them all")
    say_lines(lines)


WIDEST = 48


def aligned(table: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table without its empty columns. The first row has the headings; names come before numbers.

    >>> list(aligned([["", "", "tokens", "premium"], ["de", "gpt-2", "8", "-"], ["en", "gpt-2", "11", "-"]]))
    ['           tokens', 'de  gpt-2       8', 'en  gpt-2      11']
    """
    filled = [column for column in zip(*table, strict=True) if any(cell not in ("-", "") for cell in column[1:])]
    columns = [
        [cell.rjust(width) if column[0] else cell.ljust(width) for cell in column]
        for column in filled
        for width in [max(map(len, column))]
    ]
    return ("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))
