"""The commands that compare: `python -m explorer compare` and `python -m explorer diff`.

`compare` takes one text: two to six tokenizers on it, or one against ids from elsewhere. `diff` takes files and two
tokenizers, line by line. The first line of output says the first stage that differs and why. Exit status, for CI:
0 the ids are the same, 1 they differ, 2 wrong usage or bad input.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, BinaryIO, NamedTuple

from explorer.analysis.alignment import MOST, Alignment, align
from explorer.analysis.changes import shortened
from explorer.analysis.divergence import Comparison, Divergence, compare
from explorer.analysis.expected import explain
from explorer.analysis.id_lists import read_ids
from explorer.analysis.over_lines import Line, Report, differences, lines_of
from explorer.analysis.provenance import Provenance
from explorer.analysis.run import Run, runs
from explorer.analysis.take_away import Compared, comparison_export
from explorer.catalog import load
from explorer.cli.shared import chosen, given_text, options, plural, refusal, show_json
from explorer.engine.options import Options
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.origin import File

SAME, DIFFERENT, UNUSABLE = 0, 1, 2
"""Exit status."""


def add_commands(commands: Any) -> None:
    """Adds both commands to the command line's own."""
    summary = "Tokenizers beside each other on one text, or one against expected ids: where they first part, and why."
    made = command(commands, "compare", compare_text, summary)
    made.add_argument("--expect", metavar="IDS", help="ids from elsewhere, as any list of numbers; - reads them")
    made.add_argument("--baseline", type=int, default=1, metavar="N", help="the others are relative to the N-th")
    made.add_argument("--escapes", action="store_true", help=r"read \n, \t, \x00, \u00e9 … as characters")
    made.add_argument("--csv", action="store_true", help="print one row a token")
    made.add_argument("--markdown", action="store_true", help="print tables for a text")
    made.add_argument("text", nargs="?", metavar="TEXT", help="the text; read from standard input when missing or -")
    made = command(commands, "diff", diff, "Two tokenizers over the lines of files: how many differ, where and why.")
    made.add_argument(
        "files", nargs="+", metavar="FILE", help="UTF-8 text, compared line by line; - for standard input"
    )


def command(commands: Any, name: str, run: Callable[[argparse.Namespace], int], summary: str) -> Any:
    """What both have in common."""
    made = commands.add_parser(name, help=summary, description=summary)
    made.set_defaults(run=lambda parsed: usable(run, parsed), usage_error=made.error)
    help = "a bundled model, NAME@IMPLEMENTATION, or the path of a file; once for each tokenizer"
    made.add_argument("-m", "--model", action="append", required=True, dest="models", metavar="MODEL", help=help)
    made.add_argument("--choose", action="append", default=[], metavar="KEY=VALUE",
                      help="answer what a file leaves open; the error names the key")  # fmt: skip
    made.add_argument("--json", action="store_true", help="print one JSON object")
    made.add_argument("--no-add-special", action="store_true", help="do not add BOS and the like")
    made.add_argument("--no-parse-special", action="store_true", help="take special tokens in the text for text")
    return made


def usable(run: Callable[[argparse.Namespace], int], parsed: argparse.Namespace) -> int:
    """Runs a command; what cannot be used is one line and not the same as a difference."""
    try:
        return run(parsed)
    except InputError as error:
        print(refusal(error), file=sys.stderr)
        return UNUSABLE


def opened(parsed: argparse.Namespace) -> list[Tokenizer]:
    """The tokenizers asked for. What was chosen counts for each of them that asks for it."""
    choices = dict(chosen(each) for each in parsed.choose)
    return [load(spec, **choices) for spec in parsed.models]


# --- one text ---------------------------------------------------------------------------------------------------------


def compare_text(parsed: argparse.Namespace) -> int:
    """`compare`."""
    if sum((parsed.json, parsed.csv, parsed.markdown)) > 1:
        parsed.usage_error("give one of --json, --csv and --markdown")
    if not 1 <= len(parsed.models) <= MOST:
        parsed.usage_error(f"give -m once for each tokenizer, up to {MOST} times")
    if len(parsed.models) == 1 and parsed.expect is None:
        parsed.usage_error("give a second -m, or ids to --expect")
    if not 1 <= parsed.baseline <= len(parsed.models):
        parsed.usage_error(f"--baseline is the number of a tokenizer, from 1 to {len(parsed.models)}")
    if parsed.expect == "-" and parsed.text in (None, "-"):
        parsed.usage_error("the text and the ids cannot both come from standard input")
    expected = None
    if parsed.expect is not None:
        expected = read_ids(sys.stdin.read() if parsed.expect == "-" else parsed.expect)
    parsed.text = None if parsed.text == "-" else parsed.text
    text, asked = given_text(parsed), options(parsed)
    made = runs(opened(parsed), text, **asked)
    alignment = align(text, [(run.label, run.encoding) for run in made], parsed.baseline - 1)
    comparisons = [compare(made[0], other) for other in made[1:]]
    explanations = [] if expected is None else [
        explain(run.tokenizer, text, expected, add_special=asked["add_special"],
                parse_special=asked["parse_special"], open_other=load)
        for run in made
    ]  # fmt: skip
    answers = [Answer(each.same, each.sentence) for each in comparisons]
    for run, each in zip(made, explanations, strict=False):
        whose = f"{run.label}: " if len(made) > 1 else ""
        answers.append(Answer(each.at is None, whose + each.sentence))
    same = all(each.same for each in answers)
    export = comparison_export(Compared(made, alignment, comparisons, explanations, same, headline(answers)))
    if parsed.json:
        print(export.json())
    elif parsed.csv:
        print(export.csv(), end="")
    elif parsed.markdown:
        print(export.markdown(), end="")
    else:
        show(made, alignment, comparisons, answers)
    return SAME if same else DIFFERENT


class Answer(NamedTuple):
    """What one comparison came to: whether the ids are the same, and the sentence."""

    same: bool
    sentence: str


def headline(answers: list[Answer]) -> str:
    """The first answer: the first difference there is, or that there is none."""
    return next((each.sentence for each in answers if not each.same), answers[0].sentence)


def show(made: tuple[Run, ...], alignment: Alignment, comparisons: list[Comparison], answers: list[Answer]) -> None:
    """The answer first, then the numbers, then the rest of the differences."""
    first = headline(answers)
    print(first)
    for each in answers:
        if each.sentence != first:
            print(each.sentence)
    width = max(len(run.label) for run in made)
    for row in alignment.rows:
        relative = "" if row.relative is None else f"  ×{row.relative:.2f}"
        tokens = f"{row.tokens:>6} token{'s' if row.tokens != 1 else ' '}"
        numbers = f"{tokens}  {row.characters:6.2f} characters  {row.bytes:6.2f} bytes a token{relative}"
        print(f"  {row.label:<{width}}{numbers}")
    for comparison in comparisons:
        counts = Counter((each.stage, each.kind) for each in comparison.divergences)
        for (stage, kind), times in counts.most_common():
            example = next(each for each in comparison.divergences if (each.stage, each.kind) == (stage, kind))
            print(f"  {times:>4} × {stage}, {kind.value}: {what(example, alignment.text)}")


def what(divergence: Divergence, text: str) -> str:
    """What differs: the characters, or the tokens where there are no characters."""
    sides = divergence.left.text, divergence.right.text
    return shortened(text[slice(*divergence.region)]) or " / ".join(dict.fromkeys(filter(None, sides)))


# --- files ------------------------------------------------------------------------------------------------------------


def diff(parsed: argparse.Namespace) -> int:
    """`diff`."""
    if len(parsed.models) != 2:
        parsed.usage_error("give -m twice: the two tokenizers to compare")
    left, right = both = opened(parsed)
    asked, read = Options(**options(parsed)), list[File]()
    progress = Shown()
    report = differences(left, right, lines(parsed.files, read), asked, progress)
    progress.end()
    if parsed.json:
        inputs = [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in read]
        made = Provenance.of(both, None, asked, report.labels)
        show_json(made.document("diff", {"inputs": inputs} | report_record(report)))
    else:
        show_report(report)
    return SAME if report.same else DIFFERENT


class Hashed:
    """A file that is read line by line, and its sha256 on the way."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size, self.hash = file, 0, sha256()

    def readline(self, most: int) -> bytes:
        """The next line, or the first bytes of it."""
        data = self.file.readline(most)
        self.size += len(data)
        self.hash.update(data)
        return data

    def end(self, name: str) -> File:
        """What was read."""
        return File(name, self.size, self.hash.hexdigest(), self.size)


def lines(files: list[str], read: list[File]) -> Iterator[Line]:
    """The lines of all files, one after the other. What was read of each is added to `read`."""
    for name in files:
        if name == "-":
            hashed = Hashed(sys.stdin.buffer)
            yield from lines_of(hashed, "standard input")
            read.append(hashed.end("standard input"))
            continue
        try:
            opened = open(name, "rb")  # noqa: SIM115  # closed below; only opening is to be caught here
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"{name[:200]}: cannot be read ({why}); check the path and its permissions") from None
        with contextlib.closing(opened):
            hashed = Hashed(opened)
            yield from lines_of(hashed, name)
            read.append(hashed.end(name))


class Shown:
    """Progress on standard error, at most once a second."""

    def __init__(self) -> None:
        self.next = time.monotonic() + 1
        self.on_screen = sys.stderr is not None and sys.stderr.isatty()
        self.wrote = False

    def __call__(self, count: int, differing: int) -> None:
        if sys.stderr is not None and time.monotonic() >= self.next:
            self.next = time.monotonic() + 1
            self.wrote = True
            end = "\r" if self.on_screen else "\n"
            print(f"{plural(count, 'line')}, {differing:,} differ", end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leaves the line that was written over."""
        if self.wrote and self.on_screen:
            print(file=sys.stderr)


def show_report(report: Report) -> None:
    """The first stage and cause first, then how many lines, then every group with examples."""
    names = " and ".join(report.specs)
    if report.same:
        print(f"No difference: {names} give the same ids on {plural(report.lines, 'line')}.")
        return
    print(report.groups[0].examples[0].sentence)
    print(f"{report.differing:,} of {plural(report.lines, 'line')} differ between {names}.")
    for group in report.groups:
        where = f"{plural(group.lines, 'line')}, {plural(group.places, 'place')}"
        print(f"{where}: {group.stage}, {group.kind.value}. {group.kind.says}")
        for line, sentence in group.examples:
            print(f"  {line.file}:{line.number}: {sentence}")


def report_record(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "tokenizers": list(report.specs),
        "labels": list(report.labels),
        "lines": report.lines,
        "differing": report.differing,
        "groups": [
            {
                "stage": group.stage,
                "kind": group.kind.value,
                "says": group.kind.says,
                "lines": group.lines,
                "places": group.places,
                "examples": [
                    {"file": line.file, "line": line.number, "text": line.text, "sentence": sentence}
                    for line, sentence in group.examples
                ],
            }
            for group in report.groups
        ],
    }
