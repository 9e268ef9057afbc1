"""The command that checks whether lines of files survive encoding and decoding: `roundtrip`.

With --ids each line is a list of ids, and the question is whether their text gives them again.

A line that does not is printed with the stages that changed it, as soon as it is found. The last line of output has the
totals. Exit status, for CI: 0 every line survives, 1 some don't, 2 wrong usage or bad input.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from explorer.cli.commands import load_model
from explorer.cli.shared import (
    DIFFERENT,
    SAME,
    Parsed,
    Warnings,
    add_command,
    add_escapes,
    add_flag,
    add_model,
    add_switches,
    add_value,
    as_comparison,
    clipped,
    input_lines,
    options,
    records,
    say,
    show_json,
)
from explorer.origin import File
from explorer.text import visible
from explorer.text.say import plural, two_digits

if TYPE_CHECKING:
    from explorer.analysis.round_trip import Drift
    from explorer.implementations.opened import Opened

SHOWN: Final = 3
"""Changes of one line that are printed; --json prints all of them."""


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "roundtrip",
        as_comparison(roundtrip),
        "Encode and decode each line of files: which lines come back changed, and by which stage.",
        ("-m bert-uncased notes.txt", "notes.txt:1: normalize, "),
        ("-m llama-3 --json - < notes.txt", '{"format": "tokenizer-explorer roundtrip 1", '),
        ("-m gpt-2 --ids answers.jsonl", "answers.jsonl:1: model, ids number 2 to 3: "),
    )
    add_model(command)
    add_escapes(command)
    add_switches(command)
    add_flag(command, "--json", "print a JSON object for each line that comes back changed, then the totals")
    add_flag(command, "--ids", "each line is a list of ids, in any common notation: decode it and encode its text")
    add_value(command, "files", "FILE", "UTF-8 text; - for standard input", nargs="+")


def roundtrip(parsed: Parsed) -> int:
    """`roundtrip`."""
    from explorer.analysis.export import Provenance
    from explorer.analysis.round_trip import round_trips, sentences
    from explorer.engine.part import Options

    tok = load_model(parsed, Warnings())
    if parsed.ids:
        return ids_roundtrip(parsed, tok)
    lines = failing = 0
    stages: Counter[str] = Counter()
    asked, read = Options(**options(parsed)), list[File]()
    for failure in round_trips(tok, input_lines(parsed.files, read, escapes=parsed.escapes), asked):
        lines += 1
        if failure is None:
            continue
        failing += 1
        stages.update(failure.stages)
        if parsed.json:
            show_json(failure.record())
            continue
        said = list(islice(sentences(failure), SHOWN + 1))
        more = "; …" if len(said) > SHOWN else ""
        say(f"{failure.line.file}:{failure.line.number}: {'; '.join(said[:SHOWN])}{more}")
    if parsed.json:
        body = {"inputs": records(read), "lines": lines, "failing": failing, "stages": dict(stages)}
        show_json(Provenance.of([tok], None, asked).document("roundtrip", body))
    elif not failing:
        say(f"No difference: {plural(lines, 'line')} {'comes' if lines == 1 else 'come'} back unchanged.")
    else:
        where = ", ".join(f"{stage} in {count:,}" for stage, count in stages.most_common())
        does = "does" if failing == 1 else "do"
        say(f"{failing:,} of {plural(lines, 'line')} {does} not come back. Changed by {where}.")
    return DIFFERENT if failing else SAME


def ids_roundtrip(parsed: Parsed, tok: Opened) -> int:
    """`roundtrip --ids`."""
    from explorer.analysis.export import Provenance
    from explorer.analysis.round_trip import DriftTotals, drifts

    read, totals = list[File](), DriftTotals()
    for line, found in drifts(tok, input_lines(parsed.files, read)):
        totals.add(found)
        if found.same:
            continue
        if parsed.json:
            show_json({"file": line.file, "line": line.number} | found.record())
            continue
        said = [drift_words(tok, each) for each in found.drifts[:SHOWN]]
        more = "; …" if len(found.drifts) > SHOWN else ""
        say(f"{line.file}:{line.number}: {'; '.join(said)}{more}")
    if parsed.json:
        show_json(Provenance.of([tok], None, None).document("roundtrip", {"inputs": records(read)} | totals.record()))
    elif not totals.drifting:
        say(f"No difference: encoding gives the ids of {plural(totals.lists, 'list')} again.")
    else:
        where = ", ".join(
            f"{name} in {plural(each, 'stretch', 'stretches')}" for name, each in totals.stages.most_common()
        )
        changed = (
            f"{totals.changed:,} of {plural(totals.ids, 'id')} are not canonical, {two_digits(totals.rate)} of 1,000"
        )
        say(f"{totals.drifting:,} of {plural(totals.lists, 'list')} differ: {changed}. Changed by {where}.")
    return DIFFERENT if totals.drifting else SAME


def drift_words(tok: Opened, drift: Drift) -> str:
    """A stretch of ids that encoding doesn't give, in a few words."""
    where = f"id number {drift.start + 1}"
    if drift.end - drift.start > 1:
        where = f"ids number {drift.start + 1} to {drift.end}"
    one, other = (listed(tok, ids) for ids in (drift.ids, drift.canonical))
    return f"{drift.stage}, {where}: {one} → {other}"


def listed(tok: Opened, ids: tuple[int, ...]) -> str:
    """Ids with their texts."""
    shown = " ".join(f"{id} “{clipped(visible(tok.vocabulary.spelling(id)))}”" for id in ids[:SHOWN])
    return (shown or "nothing") + (" …" if len(ids) > SHOWN else "")
