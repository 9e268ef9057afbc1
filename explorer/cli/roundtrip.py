"""The command that checks whether lines of files survive encoding and decoding: `roundtrip`.

A line that does not is printed with the stages that changed it, as soon as it is found. The last line of output has the
totals. Exit status, for CI: 0 every line survives, 1 some don't, 2 wrong usage or bad input.
"""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import islice
from typing import Any, Final

from explorer.cli.commands import load_model
from explorer.cli.shared import (
    DIFFERENT,
    SAME,
    Warnings,
    add_command,
    add_escapes,
    add_flag,
    add_model,
    add_switches,
    as_comparison,
    input_lines,
    options,
    records,
    show_json,
)
from explorer.cli.terminal import say
from explorer.origin import File
from explorer.text.quantities import plural

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
    )
    add_model(command)
    add_escapes(command)
    add_switches(command)
    add_flag(command, "--json", "print a JSON object for each line that comes back changed, then the totals")
    command.add_argument("files", nargs="+", metavar="FILE", help="UTF-8 text; - for standard input")


def roundtrip(parsed: argparse.Namespace) -> int:
    """`roundtrip`."""
    from explorer.analysis.provenance import Provenance
    from explorer.analysis.round_trip.lines import round_trips, sentences
    from explorer.engine.options import Options

    tok = load_model(parsed, Warnings())
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
