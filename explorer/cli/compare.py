"""The commands that compare: `compare`, `diff` and `roundtrip`.

Exit status, for CI: 0 nothing differs, 1 something does, 2 wrong usage or bad input.

`compare` runs two to six tokenizers on one text, or compares one tokenizer with expected ids. `diff` compares two
tokenizers on each line of files. The first line of output names the first stage that differs, and why.

`roundtrip` encodes and decodes each line of files; with --ids each line is a list of ids, and the question is whether
their text gives them again. A line that comes back changed is printed with the stages that changed it, as soon as it is
found. The last line of output has the totals.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from explorer.analysis.comparison_exports import Compared, comparison_export
from explorer.analysis.divergence.comparer import Report, compare, diff_lines
from explorer.analysis.divergence.result import Comparison, Run, runs
from explorer.analysis.expected.explainer import explain
from explorer.analysis.export import Provenance
from explorer.analysis.inputs import Line, read_ids
from explorer.analysis.notes import notes
from explorer.analysis.ownership import MOST, Alignment, align
from explorer.cli.commands import load_all, load_model
from explorer.cli.shared import (
    DIFFERENT,
    SAME,
    STDIN,
    Parsed,
    Warnings,
    as_comparison,
    clipped,
    input_lines,
    input_text,
    only_one,
    options,
    progress,
    records,
    say,
    say_export,
    say_lines,
    show_json,
    with_own_pattern,
)
from explorer.engine.part import Options
from explorer.implementations.opened import Opened
from explorer.opening.catalog import load
from explorer.origin import File
from explorer.text import visible
from explorer.text.say import plain, plural, shortened, two_digits

if TYPE_CHECKING:
    from explorer.analysis.round_trip import Drift


MOST_REGIONS = 20
"""Regions of expected ids that are printed."""

LONGEST_REPEATED = 200
"""Characters of a text that a printed command repeats; a longer one is to come from standard input."""


def load_models(parsed: Parsed, warned: Warnings) -> list[Opened]:
    """The tokenizers of the call. A pattern applies to all of them; a single one is compared with itself under it."""
    own = load_all(parsed.models, parsed, warned)
    changed = [with_own_pattern(each, parsed) for each in own]
    return own + changed if against_itself(parsed) else changed


def against_itself(parsed: Parsed) -> bool:
    """Whether one tokenizer is compared with itself under another pattern."""
    return len(parsed.models) == 1 and parsed.pattern is not None and getattr(parsed, "expect", None) is None


# --- one text ---------------------------------------------------------------------------------------------------------


@as_comparison
def compare_text(parsed: Parsed) -> int:
    form = only_one(parsed, "json", "csv", "markdown")
    if not 1 <= len(parsed.models) <= MOST:
        parsed.usage_error(f"give -m repeat it for each tokenizer, up to {MOST} times")
    if len(parsed.models) == 1 and parsed.expect is None and parsed.pattern is None:
        parsed.usage_error("give a second -m, a --pattern to try, or ids to --expect")
    if not 1 <= parsed.baseline <= (sides := len(parsed.models) + against_itself(parsed)):
        parsed.usage_error(f"--baseline is the number of a tokenizer, from 1 to {sides}")
    if parsed.expect == STDIN and parsed.text in (None, STDIN):
        parsed.usage_error("the text and the ids cannot both come from standard input")
    expected = None
    if parsed.expect is not None:
        expected = read_ids(sys.stdin.read() if parsed.expect == STDIN else parsed.expect)
    text, switches = input_text(parsed), options(parsed)
    warned = Warnings()
    all_runs = runs(load_models(parsed, warned), text, **switches)
    for run in all_runs:
        warned.of_ids(run.tokenizer, run.ids, switches["add_special"])
    alignment = align(text, [(run.label, run.encoding) for run in all_runs], parsed.baseline - 1)
    comparisons = [compare(all_runs[0], other) for other in all_runs[1:]]
    explanations = [] if expected is None else [
        explain(run.tokenizer, text, expected, add_special=switches["add_special"],
                parse_special=switches["parse_special"], open_other=load)
        for run in all_runs
    ]  # fmt: skip
    answers = [Answer(each.same, each.sentence) for each in comparisons]
    for model, run, each in zip(parsed.models, all_runs, explanations, strict=False):
        prefix = f"{run.label}: " if len(all_runs) > 1 else ""
        how = "" if each.pattern is None or parsed.pattern is not None else with_pattern(parsed, model, each.pattern)
        answers.append(Answer(each.same, prefix + each.sentence, [region.sentence for region in each.regions], how))
    same = all(each.same for each in answers)
    export = comparison_export(Compared(all_runs, alignment, comparisons, explanations, same, headline(answers)))
    if form:
        say_export(export, form)
    else:
        show(all_runs, alignment, comparisons, answers)
    return SAME if same else DIFFERENT


class Answer(NamedTuple):
    """The result of one comparison: whether the ids are the same, a sentence, and one for each region that differs.

    how: a command that gives the expected ids, if a pattern does.
    """

    same: bool
    sentence: str
    regions: Sequence[str] = ()
    how: str = ""


def with_pattern(parsed: Parsed, model: str, pattern: str) -> str:
    """The command that compares a tokenizer with itself under a pattern, on the text of the call."""
    flags = {
        "--escapes": parsed.escapes,
        "--no-add-special": parsed.no_add_special,
        "--no-parse-special": parsed.no_parse_special,
    }
    words = ["compare", "-m", model, *(word for choice in parsed.choose for word in ("--choose", choice))]
    words += ["--pattern", pattern, *(flag for flag, on in flags.items() if on)]
    text = STDIN if parsed.text is None or len(parsed.text) > LONGEST_REPEATED else parsed.text
    return shlex.join(["explorer", *words, *(["--"] if text.startswith("-") and text != STDIN else ()), text])


def headline(answers: list[Answer]) -> str:
    """The sentence of the first difference, or that there is none."""
    return next((each.sentence for each in answers if not each.same), answers[0].sentence)


def show(all_runs: tuple[Run, ...], alignment: Alignment, comparisons: list[Comparison], answers: list[Answer]) -> None:
    """The answer first, then the numbers, then the rest of the differences."""
    first = headline(answers)
    for each in sorted(answers, key=lambda each: each.sentence != first):
        say(each.sentence)
        if each.how:
            say(f"  {each.how}")
        for region in each.regions[:MOST_REGIONS]:
            say(f"  {region}")
        if len(each.regions) > MOST_REGIONS:
            say(f"  and {len(each.regions) - MOST_REGIONS:,} more; --json has them all")
    for comparison in comparisons:
        say_lines(map(plain, notes(comparison)))
    width = max(len(run.label) for run in all_runs)
    for row in alignment.rows:
        relative = "" if row.relative is None else f"  ×{row.relative:.2f}"
        tokens = f"{row.tokens:>6} token{'s' if row.tokens != 1 else ' '}"
        numbers = f"{tokens}  {row.characters:6.2f} characters  {row.bytes:6.2f} bytes a token{relative}"
        say(f"  {row.label:<{width}}{numbers}")
    for comparison in comparisons:
        for (stage, kind), times in Counter((each.stage, each.kind) for each in comparison.divergences).most_common():
            example = next(each for each in comparison.divergences if (each.stage, each.kind) == (stage, kind))
            sides = example.left.text, example.right.text
            # the characters that differ, or the tokens if there are no characters
            text = shortened(alignment.text[slice(*example.region)]) or " / ".join(dict.fromkeys(filter(None, sides)))
            say(f"  {times:>4} × {stage}, {kind.value}: {text}")


# --- files ------------------------------------------------------------------------------------------------------------


@as_comparison
def diff(parsed: Parsed) -> int:
    if len(parsed.models) + against_itself(parsed) != 2:
        parsed.usage_error("give -m twice: the two tokenizers to compare; or once, with a --pattern to try")
    left, right = both = load_models(parsed, Warnings())
    switches, read = Options(**options(parsed)), list[File]()
    progress = LineProgress()
    report = diff_lines(left, right, input_lines(parsed.files, read, escapes=parsed.escapes), switches, progress)
    progress.end()
    if parsed.json:
        provenance = Provenance.of(both, None, switches, report.labels)
        show_json(provenance.document("diff", {"inputs": records(read)} | report_record(report)))
    else:
        show_report(report)
    return SAME if report.same else DIFFERENT


class LineProgress:
    """Progress on standard error, at most once a second."""

    def __init__(self) -> None:
        self.next = time.monotonic() + 1
        self.on_screen = sys.stderr is not None and sys.stderr.isatty()
        self.wrote = False

    def __call__(self, count: int, differing: int) -> None:
        """Shows how many lines were compared, and how many of them differ."""
        if sys.stderr is not None and time.monotonic() >= self.next:
            self.next = time.monotonic() + 1
            self.wrote = True
            line = f"{plural(count, 'line')}, {differing:,} differ"
            if self.on_screen:
                progress(line)
            else:
                say(line, error=True)

    def end(self) -> None:
        """Ends the progress line."""
        if self.wrote and self.on_screen:
            say(error=True)


def show_report(report: Report) -> None:
    """The first stage and cause first, then how many lines, then every group with examples."""
    names = " and ".join(report.specs if len(set(report.specs)) > 1 else report.labels)
    if report.same:
        say(f"No difference: {names} give the same ids on {plural(report.lines, 'line')}.")
        return
    say(report.groups[0].examples[0].sentence)
    say(f"{report.differing:,} of {plural(report.lines, 'line')} differ between {names}.")
    for group in report.groups:
        where = f"{plural(group.lines, 'line')}, {plural(group.regions, 'region')}"
        say(f"{where}: {group.stage}, {group.kind.value}. {group.kind.says}")
        for line, sentence in group.examples:
            say(f"  {line.file}:{line.number}: {sentence}")


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
                "places": group.regions,
                "examples": [
                    {"file": line.file, "line": line.number, "text": line.text, "sentence": sentence}
                    for line, sentence in group.examples
                ],
            }
            for group in report.groups
        ],
    }


SHOWN_CHANGES = 3
"""Changes of one line that are printed; --json prints all of them."""


@as_comparison
def roundtrip(parsed: Parsed) -> int:
    from explorer.analysis.round_trip import round_trips, sentences

    tok = load_model(parsed)
    if parsed.ids:
        return ids_roundtrip(parsed, tok)
    lines = failing = 0
    stages: Counter[str] = Counter()
    switches, read = Options(**options(parsed)), list[File]()
    for failure in round_trips(tok, input_lines(parsed.files, read, escapes=parsed.escapes), switches):
        lines += 1
        if failure is None:
            continue
        failing += 1
        stages.update(failure.stages)
        if parsed.json:
            show_json(failure.record())
        else:
            say_changes(failure.line, sentences(failure))
    if parsed.json:
        body = {"inputs": records(read), "lines": lines, "failing": failing, "stages": dict(stages)}
        show_json(Provenance.of([tok], None, switches).document("roundtrip", body))
    elif not failing:
        say(f"No difference: {plural(lines, 'line')} {'comes' if lines == 1 else 'come'} back unchanged.")
    else:
        where = ", ".join(f"{stage} in {count:,}" for stage, count in stages.most_common())
        does = "does" if failing == 1 else "do"
        say(f"{failing:,} of {plural(lines, 'line')} {does} not come back. Changed by {where}.")
    return DIFFERENT if failing else SAME


def ids_roundtrip(parsed: Parsed, tok: Opened) -> int:
    """`roundtrip --ids`."""
    from explorer.analysis.round_trip import DriftTotals, drifts

    read, totals = list[File](), DriftTotals()
    for line, result in drifts(tok, input_lines(parsed.files, read)):
        totals.add(result)
        if result.same:
            continue
        if parsed.json:
            show_json({"file": line.file, "line": line.number} | result.record())
        else:
            say_changes(line, (drift_words(tok, each) for each in result.drifts))
    if parsed.json:
        show_json(Provenance.of([tok]).document("roundtrip", {"inputs": records(read)} | totals.record()))
    elif not totals.drifting:
        say(f"No difference: encoding gives the ids of {plural(totals.lists, 'list')} again.")
    else:
        stages = totals.stages.most_common()
        where = ", ".join(f"{name} in {plural(each, 'stretch', 'stretches')}" for name, each in stages)
        say(
            f"{totals.drifting:,} of {plural(totals.lists, 'list')} differ: {totals.changed:,} of "
            f"{plural(totals.ids, 'id')} are not canonical, {two_digits(totals.rate)} of 1,000. Changed by {where}."
        )
    return DIFFERENT if totals.drifting else SAME


def say_changes(line: Line, changes: Iterable[str]) -> None:
    """Prints the first changes of a line."""
    first = list(islice(changes, SHOWN_CHANGES + 1))
    more = "; …" if len(first) > SHOWN_CHANGES else ""
    say(f"{line.file}:{line.number}: {'; '.join(first[:SHOWN_CHANGES])}{more}")


def drift_words(tok: Opened, drift: Drift) -> str:
    """A stretch of ids that encoding doesn't give, in a few words."""
    where = f"id number {drift.start + 1}"
    if drift.end - drift.start > 1:
        where = f"ids number {drift.start + 1} to {drift.end}"
    one, other = (ids_with_texts(tok, ids) for ids in (drift.ids, drift.canonical))
    return f"{drift.stage}, {where}: {one} → {other}"


def ids_with_texts(tok: Opened, ids: tuple[int, ...]) -> str:
    """Ids with their texts."""
    shown = " ".join(f"{id} “{clipped(visible(tok.vocabulary.spelling(id)))}”" for id in ids[:SHOWN_CHANGES])
    return (shown or "nothing") + (" …" if len(ids) > SHOWN_CHANGES else "")
